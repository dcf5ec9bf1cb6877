/**
 * The address of an S3-compatible object store:
 *
 *     s3://ACCESS_KEY:SECRET_KEY@HOST:PORT/BUCKET/FOLDER?region=eu-central-1&tls=off
 *
 * Port, folder and parameters are optional. Unknown parameters are refused, so that a misspelled `region` is not ignored.
 */

/** The settings that a blob store needs for its requests. */
export interface S3Address {
  /** The bucket's address. The bucket is in the path and not in the host name, because every S3-compatible server supports this form. */
  readonly bucketUrl: string
  /** The common beginning of all keys: empty, or a folder with a slash at its end. */
  readonly prefix: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The address without its keys, for messages. */
  readonly shown: string
  /** Whether other people can read the traffic, because the traffic leaves this machine and is not encrypted. */
  readonly exposed: boolean
}

/** Completes messages that begin with "must be". */
export const s3AddressAllowed = 'an address like s3://ACCESS_KEY:SECRET_KEY@s3.eu-central-1.amazonaws.com/BUCKET/FOLDER?region=eu-central-1'

const parameters = ['region', 'tls']

/** Returns the parts of an address. Undefined if it is not a bucket's address. */
export function parseS3Address(text: string): S3Address | undefined {
  if (!text.startsWith('s3://') || !URL.canParse(text)) return undefined
  // The URL parser checks hosts and ports strictly only for schemes that it knows.
  const http = text.replace(/^s3:/, 'http:')
  if (!URL.canParse(http)) return undefined
  const url = new URL(http)
  const names = [...url.searchParams.keys()]
  const known = names.every((name, index) => parameters.includes(name) && names.indexOf(name) === index)
  const [accessKeyId, secretAccessKey] = [decoded(url.username), decoded(url.password)]
  const [, bucket, folder = ''] = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:[\w.-]+\/)*[\w.-]+)?\/?)?$/.exec(url.pathname) ?? []
  const region = url.searchParams.get('region') ?? 'us-east-1'
  const tls = url.searchParams.get('tls') ?? 'on'
  if (!known || !accessKeyId || !secretAccessKey || bucket === undefined || url.hash !== '') return undefined
  // The parser changes a path that contains `.` or `..`.
  const isExact = text.includes(`/${bucket}${folder === '' ? '' : `/${folder}`}`) && !/\/\.{1,2}(?=[/?]|$)/.test(text)
  if (!isExact || !/^[a-z0-9-]{1,40}$/.test(region) || !['on', 'off'].includes(tls)) return undefined
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return {
    bucketUrl: `${tls === 'on' ? 'https' : 'http'}://${hostOf(text, url)}/${bucket}`,
    prefix: folder === '' ? '' : `${folder}/`,
    region,
    accessKeyId,
    secretAccessKey,
    shown: `bucket ${bucket} at ${hostOf(text, url)}${folder === '' ? '' : `, folder ${folder}`}`,
    exposed: tls === 'off' && !isLocal
  }
}

/** Returns the host and the port. The address is parsed as an HTTP address, so the parser omits port 80. This function adds it. */
const hostOf = (text: string, url: URL): string => (/:80(?=[/?]|$)/.test(text.slice(text.lastIndexOf('@'))) ? `${url.host}:80` : url.host)

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

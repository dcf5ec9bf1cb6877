/** Reads request bodies. Their size is limited. They are decoded strictly and parsed by their media type. */
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { checkJsonShape } from './json-shape.ts'

/**
 * Yields the body in chunks, up to `bytesMax` bytes. Throws `body_too_large`, and `invalid_request` if the body is incomplete. Throws
 * `unsupported_media_type` for compressed bodies, because a small one can expand to any size.
 */
export async function* bodyOf(request: IncomingMessage, bytesMax: number): AsyncGenerator<Buffer> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new ServiceError('unsupported_media_type', {
      message: 'The server does not accept compressed request bodies.',
      hint: 'Send the body without Content-Encoding.'
    })
  const tooLarge = (): ServiceError => new ServiceError('body_too_large', { bodyBytesMax: bytesMax })
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge()
  let bytes = 0
  let whole = false
  try {
    // A caller that sends too much must still get the response, so the connection must stay open when the loop ends.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > bytesMax) throw tooLarge()
      yield chunk
    }
    whole = true
  } catch (error) {
    if (request.complete || error instanceof ServiceError) throw error
    // A caller that disconnected gets no response, but the log records the error.
    throw new ServiceError('invalid_request', { message: 'The connection ended before the entire body arrived.' }, { cause: error })
  } finally {
    // Unread bytes are drained. Otherwise, they would block the next request on the connection.
    if (!whole) request.resume()
  }
}

/** Whether the body is read as JSON. That includes bodies without a media type. */
const isJson = (type: string): boolean =>
  type === '' || type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'))

/** Returns the complete body. If it is JSON, its shape has been checked. Throws the errors of `bodyOf` and `checkJsonShape`. */
export const readFields = async (request: IncomingMessage, bytesMax: number): Promise<Buffer> => {
  const bytes = await readBody(request, bytesMax)
  if (isJson(mediaType(request))) await checkJsonShape(bytes)
  return bytes
}

/** Returns the complete body. Throws the errors of `bodyOf`. */
export const readBody = async (request: IncomingMessage, bytesMax: number): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(bodyOf(request, bytesMax)))

const decode = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ServiceError('malformed_json', { message: 'The body is not valid UTF-8.', hint: 'Send the body in UTF-8.' })
  }
}

/** Checks the character encoding. Throws `unsupported_media_type` for text that is not in UTF-8. */
const refuseOtherCharsets = (request: IncomingMessage): void => {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  if (!['utf-8', 'utf8', 'us-ascii'].includes(charset))
    throw new ServiceError('unsupported_media_type', {
      message: `The server does not accept text in ${charset}.`,
      hint: 'Send the body in UTF-8.'
    })
}

/** Whether a body was clearly not meant as a JSON object. */
const isProse = (bytes: Buffer): boolean => !/^\uFEFF?\s{0,100}\{/.test(bytes.subarray(0, fieldsBeginUnits).toString())

/** Parses a JSON body. `markdown` is true if the operation also accepts the text itself. */
const parseJson = (bytes: Buffer, markdown: boolean): Record<string, unknown> => {
  let value: unknown
  try {
    value = JSON.parse(decode(bytes))
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError(
      'malformed_json',
      isProse(bytes) && markdown ? { hint: 'Send valid JSON, or the text itself with Content-Type: text/markdown.' } : {}
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ServiceError('malformed_json', { message: 'The body must be a JSON object.' })
  return value as Record<string, unknown>
}

/** Returns the media type without parameters, in lower case; '' if there is none. */
export const mediaType = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

/** Throws `invalid_request` if JSON fields were sent as the text. Otherwise, they would become the document. */
const refuseFields = (text: string): string => {
  const beginning = text.slice(0, fieldsBeginUnits).trimStart()
  if (!/^\{\s{0,20}"(?:content|markdown)"\s{0,20}:/.test(beginning) || !text.trimEnd().endsWith('}')) return text
  throw new ServiceError('invalid_request', {
    message: 'The body is JSON, but its type says that it is text.',
    hint: 'Send the body with Content-Type: application/json.'
  })
}
const fieldsBeginUnits = 200

/**
 * Returns the fields of a body. The body is a JSON object, or the text itself if `markdown` is true. Bodies without a media type are read as JSON.
 * Throws `malformed_json` or `unsupported_media_type`.
 */
export const parseBody = (request: IncomingMessage, bytes: Buffer, markdown: boolean): Record<string, unknown> => {
  const type = mediaType(request)
  refuseOtherCharsets(request)
  if (markdown && (type === 'text/markdown' || type === 'text/plain')) return { content: refuseFields(decode(bytes)) }
  if (!isJson(type) && bytes.length > 0) throw new ServiceError('unsupported_media_type')
  return bytes.length === 0 ? {} : parseJson(bytes, markdown)
}

/** Throws `invalid_request` if a submitted form has more fields than any form of our pages. */
const refuseManyFields = (bytes: Buffer): void => {
  let fields = 1
  for (let at = bytes.indexOf('&'); at !== -1 && fields <= limits.fieldsMax; at = bytes.indexOf('&', at + 1)) fields++
  if (fields > limits.fieldsMax)
    throw new ServiceError('invalid_request', { details: [{ path: 'body', message: `has more than ${limits.fieldsMax} fields` }] })
}

/** Returns the fields of a form. Throws `invalid_request` if a field appears twice, or if there are too many fields. */
export const parseForm = (bytes: Buffer): Record<string, string> => {
  refuseManyFields(bytes)
  const fields: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(decode(bytes))) {
    if (Object.hasOwn(fields, name)) throw new ServiceError('invalid_request', { details: [{ path: name, message: 'must be given once' }] })
    fields[name] = value
  }
  return fields
}

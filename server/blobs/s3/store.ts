/**
 * Stores blobs as objects in a bucket.
 *
 *     FOLDER/abcdef…       the bytes of blob `abcdef…`
 *     FOLDER/agmd-instance the id of the installation to which the folder belongs
 *
 * An upload is received into a file of the data folder first, because its length and hash are known only when it is complete. A small file is then
 * sent in one request, and a large file in a multipart upload. In both cases the object is either complete or absent.
 */
import { open, stat } from 'node:fs/promises'
import { ServiceError } from '../../../shared/errors.ts'
import type { Blobs, StoredBlobs } from '../../domain/ports.ts'
import { erase, onDisk, openStaging } from '../staging.ts'
import type { S3Address } from './address.ts'
import { S3Error } from './errors.ts'
import { elementOf, elementsOf, openRequests, pause, S3Refusal, type S3Requests } from './requests.ts'

/** Largest body of one request, and size of the parts of a larger object, in bytes. S3 requires parts of at least 5 MiB and at most 10,000 of them. */
export const partBytes = 8 * 1024 * 1024
/** Longest wait for the next bytes of an object, in milliseconds. */
const idleMsMax = 20_000
/** Number of consecutive failures after which a read ends. */
const failuresMax = 4
const stampName = 'agmd-instance'

export const isMissing = (error: unknown): boolean => error instanceof S3Refusal && error.status === 404

/** Converts failures of requests to the errors of `Blobs`. */
const onS3 = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const isFull = error instanceof S3Refusal && (error.status === 507 || error.code === 'QuotaExceeded')
    throw new ServiceError(isFull ? 'storage_full' : 'storage_unavailable', {}, { cause: error })
  }
}

/** Reads `length` bytes of a file. */
const readPart = async (path: string, from: number, length: number): Promise<Uint8Array<ArrayBuffer>> => {
  const file = await open(path, 'r')
  try {
    const part = Buffer.alloc(length)
    for (let at = 0; at < length;) {
      const { bytesRead } = await file.read(part, at, length - at, from + at)
      if (bytesRead === 0) throw new Error('the staged file ended early')
      at += bytesRead
    }
    return part
  } finally {
    await file.close()
  }
}

/** Whether the bucket has an object of this size. */
const hasObject = async ({ send }: S3Requests, key: string, size: number): Promise<boolean> => {
  try {
    return Number((await send({ method: 'HEAD', key })).headers.get('content-length')) === size
  } catch {
    return false
  }
}

/** Uploads a file in parts. After a failure, the uploaded parts are deleted. */
const putParts = async (requests: S3Requests, key: string, path: string, size: number): Promise<void> => {
  const { send } = requests
  const uploadId = elementOf((await send({ method: 'POST', key, query: { uploads: '' } })).text, 'UploadId')
  if (uploadId === undefined) throw new Error('the answer to the start of a multipart upload has no id')
  try {
    const tags: string[] = []
    for (let from = 0; from < size; from += partBytes) {
      const body = await readPart(path, from, Math.min(partBytes, size - from))
      const query = { partNumber: String(tags.length + 1), uploadId }
      const { headers } = await send({ method: 'PUT', key, query, body })
      tags.push(headers.get('etag') ?? '')
    }
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag.replaceAll('"', '&quot;')}</ETag></Part>`
    )
    const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
    const { text } = await send({ method: 'POST', key, query: { uploadId }, body })
    // A server can begin its response, with status 200, before it has joined the parts. The body then shows whether joining succeeded.
    if (!text.includes('CompleteMultipartUploadResult')) throw new Error('the parts of an upload were not joined')
  } catch (error) {
    // If only the response was lost, the upload no longer exists when the request is repeated, but the object is complete.
    if (await hasObject(requests, key, size)) return
    await send({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined)
    throw error
  }
}

/** Runs a task, and aborts its controller if the task takes longer than `idleMsMax`. */
const inTime = async <T>(controller: AbortController, work: () => Promise<T>): Promise<T> => {
  const timer = setTimeout(() => controller.abort(new Error('the object store sent nothing for too long')), idleMsMax)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

/** Yields the bytes of an object from `from` to `to`, both included. If the connection breaks, the read continues at the next missing byte. */
async function* readObject({ once }: S3Requests, key: string, from: number, to: number): AsyncGenerator<Uint8Array> {
  let at = from
  for (let failures = 0; at <= to;) {
    const controller = new AbortController()
    try {
      const headers = { range: `bytes=${at}-${to}` }
      const response = await inTime(controller, () => once({ method: 'GET', key, headers, signal: controller.signal }))
      // A server can ignore the range and send everything.
      let skipped = response.status === 206 ? 0 : at
      const chunks = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
      for (;;) {
        const { done, value } = await inTime(controller, () => chunks.read())
        if (done) break
        const chunk = value.subarray(skipped).subarray(0, to + 1 - at)
        skipped -= Math.min(skipped, value.length)
        if (chunk.length === 0) continue
        at += chunk.length
        failures = 0
        yield chunk
        if (at > to) return
      }
      if (at <= to) throw new Error('the object ended early')
    } catch (error) {
      const isOver = error instanceof S3Refusal && error.status < 500 && error.status !== 429
      if (isOver || ++failures >= failuresMax) throw new ServiceError('storage_unavailable', {}, { cause: error })
      await pause(failures)
    } finally {
      controller.abort()
    }
  }
}

/** Yields the objects in a folder: their keys without the prefix that names the folder, and their sizes in bytes. */
export async function* objectsIn({ send }: S3Requests, prefix: string): AsyncGenerator<{ readonly key: string; readonly size: number }> {
  for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
    const query = { 'list-type': '2', ...(prefix && { prefix }), ...(token !== undefined && { 'continuation-token': token }) }
    const { text } = await send({ method: 'GET', query })
    // Each object has exactly one size.
    const sizes = elementsOf(text, 'Size')
    yield* elementsOf(text, 'Key').map((key, index) => ({ key: key.slice(prefix.length), size: Number(sizes[index]) }))
    token = elementOf(text, 'IsTruncated') === 'true' ? elementOf(text, 'NextContinuationToken') : undefined
  }
}

/** Yields the keys of the objects in a folder, without the prefix that names the folder. */
export async function* keysIn(requests: S3Requests, prefix: string): AsyncGenerator<string> {
  for await (const { key } of objectsIn(requests, prefix)) yield key
}

/** Converts an error from opening the folder to one that the operator understands. */
export const explained = (shown: string, error: unknown): unknown => {
  if (error instanceof S3Error) return error
  const options = { cause: error }
  if (!(error instanceof S3Refusal)) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause)
    return new S3Error(
      1,
      `The object store cannot be reached (${shown}): ${reason}. Check that it is running and that AGMD_BLOBS is right.`,
      options
    )
  }
  const { code, message, status } = error
  switch (code) {
    case 'NoSuchBucket':
      return new S3Error(78, `There is no such bucket (${shown}). Create it, then start again.`, options)
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
      return new S3Error(78, `The object store rejects the access key (${shown}): ${code}. Check AGMD_BLOBS.`, options)
    case 'RequestTimeTooSkewed':
      return new S3Error(78, `The clock of this machine differs too much from that of the object store (${shown}). Set the clock.`, options)
    case 'AccessDenied':
    case '403':
      return new S3Error(
        78,
        `The object store denies access (${shown}). The access key needs s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload.`,
        options
      )
    default:
      return new S3Error(
        status >= 500 ? 1 : 78,
        `The object store refused a request (${shown}): ${code} ${message}. Check AGMD_BLOBS.`,
        options
      )
  }
}

/** Returns the id of the installation to which the folder belongs; undefined if it belongs to none. */
const ownerOf = ({ send }: S3Requests, { prefix }: S3Address): Promise<string | undefined> =>
  send({ method: 'GET', key: `${prefix}${stampName}` }).then(
    ({ text }) => text.trim(),
    (error: unknown) => {
      if (isMissing(error) && (error as S3Refusal).code !== 'NoSuchBucket') return undefined
      throw error
    }
  )

/** Checks that the folder in the bucket belongs to this installation. An empty folder is marked as belonging to it. */
const claim = async (requests: S3Requests, address: S3Address, instance: string): Promise<void> => {
  const { prefix, shown } = address
  const owner = await ownerOf(requests, address)
  if (owner === instance) return
  // The service removes blobs without a record when it starts, so in a shared folder it would delete the files of other installations.
  if (owner !== undefined)
    throw new S3Error(3, `The folder belongs to another installation of agmd (${shown}). Set AGMD_BLOBS to another folder.`)
  for await (const other of keysIn(requests, prefix))
    throw new S3Error(
      3,
      `The folder has files that are not from agmd, such as ${JSON.stringify(other)} (${shown}). Set AGMD_BLOBS to an empty folder.`
    )
  await requests.send({ method: 'PUT', key: `${prefix}${stampName}`, body: new TextEncoder().encode(`${instance}\n`) })
}

const storedIn = (requests: S3Requests, prefix: string): StoredBlobs => {
  const { send } = requests
  const head = async (name: string): Promise<Headers | undefined> => {
    try {
      return (await send({ method: 'HEAD', key: `${prefix}${name}` })).headers
    } catch (error) {
      if (isMissing(error)) return undefined
      throw new ServiceError('storage_unavailable', {}, { cause: error })
    }
  }
  return {
    async open(name) {
      if ((await head(name)) === undefined) return undefined
      return { read: (from, to) => readObject(requests, `${prefix}${name}`, from, to), close: () => Promise.resolve() }
    },
    delete: (name) => onS3(async () => void (await send({ method: 'DELETE', key: `${prefix}${name}` }))),
    list: () =>
      onS3(async () => {
        const names: string[] = []
        for await (const name of keysIn(requests, prefix)) if (name !== stampName) names.push(name)
        return names
      }),
    async storedAt(name) {
      const headers = await head(name)
      return headers && (Date.parse(headers.get('last-modified') ?? '') || Date.now())
    }
  }
}

/** Opens the folder in a bucket that belongs to this installation, without support for uploads. Throws `S3Error`. */
export const openStoredS3Blobs = async (address: S3Address, instance: string): Promise<StoredBlobs> => {
  const requests = openRequests(address)
  const owner = await ownerOf(requests, address).catch((error: unknown) => {
    throw explained(address.shown, error)
  })
  if (owner !== instance)
    throw new S3Error(3, `The folder does not belong to this installation of agmd (${address.shown}). Check AGMD_BLOBS.`)
  return storedIn(requests, address.prefix)
}

/**
 * Opens the folder in a bucket for the installation with the id `instance`. Uploads are received into `folder`. Throws `S3Error`, whose message is
 * for the operator.
 */
export const openS3Blobs = async (address: S3Address, folder: string, instance: string): Promise<Blobs> => {
  const { prefix, shown } = address
  const requests = openRequests(address)
  const { send } = requests
  const receive = await openStaging(folder)
  try {
    await claim(requests, address, instance)
  } catch (error) {
    throw explained(shown, error)
  }
  const keyOf = (name: string): string => `${prefix}${name}`

  const keep = async (path: string, name: string): Promise<void> => {
    const { size } = await onDisk(() => stat(path))
    await onS3(async () => {
      if (size > partBytes) await putParts(requests, keyOf(name), path, size)
      else await send({ method: 'PUT', key: keyOf(name), body: await readPart(path, 0, size) })
    })
    await onDisk(() => erase(path))
  }

  const { open: openObject, delete: remove, list } = storedIn(requests, prefix)
  return { receive: (source) => receive(source, keep), open: openObject, delete: remove, list }
}

/**
 * Receives uploads into files in a folder, until a blob store takes them over. A file that a crash leaves behind is removed at the next start. The
 * bytes of a file are overwritten before the file is removed.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../shared/errors.ts'
import type { Upload } from '../domain/ports.ts'
import { endsWell, headBytes, sniff, tailBytes } from './sniff.ts'

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Runs `work` on the file system. Converts its errors to the errors of `Blobs`. */
export const onDisk = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    throw new ServiceError(code === 'ENOSPC' || code === 'EDQUOT' ? 'storage_full' : 'storage_unavailable', {}, { cause: error })
  }
}

const zeros = Buffer.alloc(64 * 1024)

/** Overwrites a file with zeros. A concurrent reader can see them. Does nothing if there is no such file. */
const overwrite = async (path: string): Promise<void> => {
  const file = await open(path, 'r+').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return
  try {
    const { size } = await file.stat()
    for (let at = 0; at < size; at += zeros.length) await file.write(zeros, 0, Math.min(zeros.length, size - at), at)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Removes a file. Also removes its bytes from the disk if the file system writes in place. */
export const erase = async (path: string): Promise<void> => {
  await overwrite(path)
  await rm(path, { force: true })
}

/** Records the first and last bytes, the hash and the length of a stream. */
class StreamDigest {
  bytes = 0
  head: Buffer = Buffer.alloc(0)
  tail: Buffer = Buffer.alloc(0)
  readonly #hash = createHash('sha256')

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length
    this.#hash.update(chunk)
    if (this.head.length < headBytes) this.head = Buffer.concat([this.head, chunk]).subarray(0, headBytes)
    this.tail = Buffer.concat([this.tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes)
  }

  hash(): string {
    return this.#hash.digest('base64url')
  }
}

const write = async (file: FileHandle, source: AsyncIterable<Uint8Array>): Promise<StreamDigest> => {
  const digest = new StreamDigest()
  for await (const chunk of source) {
    digest.add(chunk)
    await onDisk(() => file.writeFile(chunk))
  }
  await onDisk(() => file.sync())
  return digest
}

/**
 * The method `receive` of a store. `keep` is called with the path and the name of the complete file, whose bytes are on disk. It must store the file
 * and remove it from the folder.
 */
export type Receive = (source: AsyncIterable<Uint8Array>, keep: (path: string, name: string) => Promise<void>) => Promise<Upload>

/** Opens the folder, and removes files that an earlier process left behind. Throws file system errors. */
export const openStaging = async (folder: string): Promise<Receive> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) await erase(join(folder, name))
  return async (source, keep) => {
    const path = join(folder, randomBytes(12).toString('hex'))
    const file = await onDisk(() => open(path, 'wx', 0o600))
    const discard = (): Promise<void> => erase(path)
    try {
      const look = await write(file, source)
      const sniffed = await sniff(look.head)
      const whole = endsWell(sniffed, look.head, look.tail, look.bytes)
      return { bytes: look.bytes, hash: look.hash(), sniffed, whole, keep: (name) => keep(path, name), discard }
    } catch (error) {
      await discard()
      throw error
    } finally {
      await file.close()
    }
  }
}

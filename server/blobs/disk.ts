/**
 * Stores blobs as files.
 *
 *     blobs/ab/abcdef…   the bytes of blob `abcdef…`; the folder is named after the first two characters
 *     blobs/new/         files that are still being received; emptied at start
 *
 * A file gets its name once it is complete and on disk. The folder is on disk before the name is returned. The bytes of a file are overwritten before
 * the file is removed.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../shared/errors.ts'
import type { Blobs, Upload } from '../domain/ports.ts'
import { endsWell, headBytes, sniff, tailBytes } from './sniff.ts'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Runs work on the file system. Converts its failures to the errors of the port. */
const onDisk = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    throw new ServiceError(code === 'ENOSPC' || code === 'EDQUOT' ? 'storage_full' : 'storage_unavailable', {}, { cause: error })
  }
}

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const zeros = Buffer.alloc(64 * 1024)

/** Overwrites a file with zeros. A concurrent reader may read these zeros. Does nothing if there is no such file. */
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
const erase = async (path: string): Promise<void> => {
  await overwrite(path)
  await rm(path, { force: true })
}

/** Records the first and last bytes, the hash and the length of a stream. */
class Look {
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

/** Opens the folder, and removes incomplete files that an earlier process left behind. Throws the errors of the file system. */
export const openDiskBlobs = async (folder: string): Promise<Blobs> => {
  const incoming = join(folder, 'new')
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  for (const name of await readdir(incoming)) await erase(join(incoming, name))

  const folderOf = (name: string): string => join(folder, name.slice(0, 2))
  const pathOf = (name: string): string => join(folderOf(name), name)

  const write = async (file: FileHandle, source: AsyncIterable<Uint8Array>): Promise<Look> => {
    const look = new Look()
    for await (const chunk of source) {
      look.add(chunk)
      await onDisk(() => file.writeFile(chunk))
    }
    await onDisk(() => file.sync())
    return look
  }

  const keep = (temporary: string, name: string): Promise<void> =>
    onDisk(async () => {
      const created = await mkdir(folderOf(name), { recursive: true, mode: 0o700 })
      await rename(temporary, pathOf(name))
      await syncFolder(folderOf(name))
      if (created !== undefined) await syncFolder(folder)
    })

  return {
    async receive(source): Promise<Upload> {
      const temporary = join(incoming, randomBytes(12).toString('hex'))
      const file = await onDisk(() => open(temporary, 'wx', 0o600))
      const discard = (): Promise<void> => erase(temporary)
      try {
        const look = await write(file, source)
        const sniffed = await sniff(look.head)
        const whole = endsWell(sniffed, look.head, look.tail, look.bytes)
        return { bytes: look.bytes, hash: look.hash(), sniffed, whole, keep: (name) => keep(temporary, name), discard }
      } catch (error) {
        await discard()
        throw error
      } finally {
        await file.close()
      }
    },
    async open(name) {
      try {
        const file = await open(pathOf(name), 'r')
        return { read: (from, to) => file.createReadStream({ start: from, end: to }), close: () => file.close() }
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined
        throw new ServiceError('storage_unavailable', {}, { cause: error })
      }
    },
    delete: (name) => onDisk(() => erase(pathOf(name))),
    async list() {
      const folders = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory() && entry.name !== 'new')
      return (await Promise.all(folders.map(({ name }) => readdir(join(folder, name))))).flat()
    }
  }
}

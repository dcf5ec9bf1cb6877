/**
 * A tar file that holds one backup (POSIX.1-2017, pax, "ustar Interchange Format"). It is written to `FILE.partial` and renamed when it is complete. On
 * standard output, a stream without its end is incomplete.
 *
 *     entry    header of 512 bytes · content · zeros up to a multiple of 512 bytes
 *     header   name (100) · mode (8) · uid (8) · gid (8) · size (12) · mtime (12) · checksum (8) · type (1, "0" for a file) · … · magic at 257
 *     end      two blocks of zeros
 *
 * A reader accepts only regular files with the names of objects. No entry can therefore lead out of the backup.
 */
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { syncFolder } from '../../storage/data-folder.ts'
import { AdminError } from '../error.ts'
import { onFiles } from './folder-repository.ts'
import { isObjectName } from './format.ts'
import type { Repository } from './repository.ts'

const blockBytes = 512

const padded = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes

/** The sum of all bytes of a header, in which the checksum itself counts as spaces. */
const sumOf = (header: Buffer): number => header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)

const headerOf = (name: string, size: number): Buffer => {
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0, 100, 'latin1')
  header.write('0000600\0', 100, 'latin1')
  header.write('0000000\0', 108, 'latin1')
  header.write('0000000\0', 116, 'latin1')
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  header.write('00000000000\0', 136, 'latin1')
  header.write('0', 156, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

const readOnly = (): never => {
  throw new Error('a tar file cannot be changed')
}

/** The part of a repository that writes the entries in a tar file one after another. `append` writes some bytes to its end. */
const entryWriter = (
  append: (parts: readonly Uint8Array[]) => Promise<void>
): Pick<Repository, 'names' | 'sizes' | 'find' | 'write' | 'remove'> => {
  const names = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  return {
    names: async (kind) => [...names].filter((name) => name.startsWith(`${kind}/`)).sort(),
    sizes: async () => new Map(),
    find: async () => undefined,
    async write(name, content) {
      if (names.has(name)) return
      names.add(name)
      const padding = Buffer.alloc(padded(content.length) - content.length)
      const mine = last.then(() => append([headerOf(name, content.length), content, padding]))
      last = mine.catch(() => undefined)
      await mine
    },
    remove: readOnly
  }
}

const endOfFile = (): Uint8Array => Buffer.alloc(2 * blockBytes)

/** Writes a tar file to a stream. Throws `AdminError` if the reader of the stream closes it. */
export const openTarStream = (stream: Writable): Repository => {
  const shown = 'standard output'
  let failure: Error | undefined
  const onError = (error: Error): void => void (failure ??= error)
  // The callback of `write` reports the error. Without a listener, the error would also end the process.
  stream.on('error', onError)
  const append = async (parts: readonly Uint8Array[]): Promise<void> => {
    for (const part of parts)
      await new Promise<void>((resolve) => stream.write(part, (error) => (error ? (onError(error), resolve()) : resolve())))
    if (failure === undefined) return
    const message = `The backup cannot be written to ${shown}: ${failure.message}. The stream is incomplete, and a restore refuses it. Run the command again.`
    throw new AdminError(message, { exitCode: 1, cause: failure })
  }
  return { shown, ...entryWriter(append), finish: () => append([endOfFile()]), close: () => Promise.resolve() }
}

/** Creates a tar file. A file of the same name is replaced when the new one is complete. Throws `AdminError`. */
export const openTarWriter = async (path: string): Promise<Repository> => {
  const partial = `${path}.partial`
  // An interrupted backup may have left this file, which cannot be continued.
  await onFiles(path, () => rm(partial, { force: true }))
  const file = await onFiles(path, () => open(partial, 'wx', 0o600))
  let finished = false
  return {
    shown: path,
    ...entryWriter((parts) => onFiles(path, async () => void (await file.writev([...parts])))),
    finish: () =>
      onFiles(path, async () => {
        await file.write(endOfFile())
        await file.sync()
        await rename(partial, path)
        await syncFolder(dirname(path))
        finished = true
      }),
    async close() {
      await file.close()
      if (!finished) await rm(partial, { force: true })
    }
  }
}

interface Entry {
  readonly at: number
  readonly size: number
}

/** Opens a tar file for reading. Throws `AdminError` with exit code 3 if it is damaged, truncated, or not from a backup. */
export const openTarReader = async (path: string): Promise<Repository> => readTar(path, await onFiles(path, () => open(path, 'r')))

/**
 * Opens a tar file that comes from standard input. A restore first reads the end of the tar file, so its bytes are stored in a nameless file in
 * `folder`.
 */
export const openTarInput = async (stream: AsyncIterable<Uint8Array>, folder: string): Promise<Repository> => {
  const path = join(folder, inputName)
  const file = await onFiles(folder, () => open(path, 'w+', 0o600))
  try {
    await onFiles(folder, async () => {
      // The kernel removes the bytes when this process ends, even after kill -9.
      await rm(path)
      for await (const chunk of stream) await file.writev([chunk])
    })
  } catch (error) {
    await file.close()
    throw error
  }
  return readTar('standard input', file)
}

/** The name of the file that stores standard input, for the instant before the file becomes nameless. */
export const inputName = 'restoring.tar'

/** Reads the entries in a tar file, and closes the file if that fails. */
const readTar = async (path: string, file: FileHandle): Promise<Repository> => {
  try {
    const entries = await readEntries(path, file)
    return {
      shown: path,
      names: async (kind) => [...entries.keys()].filter((name) => name.startsWith(`${kind}/`)).sort(),
      sizes: async (kind) =>
        new Map([...entries].filter(([name]) => name.startsWith(`${kind}/`)).map(([name, { size }]) => [name, size] as const)),
      async find(name) {
        const entry = entries.get(name)
        if (entry === undefined) return undefined
        return onFiles(path, () => readExactly(file, entry.at, entry.size))
      },
      write: readOnly,
      remove: readOnly,
      finish: readOnly,
      close: () => file.close()
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

const readExactly = async (file: FileHandle, at: number, size: number): Promise<Buffer> => {
  const bytes = Buffer.alloc(size)
  for (let done = 0; done < size;) {
    const { bytesRead } = await file.read(bytes, done, size - done, at + done)
    if (bytesRead === 0) throw new Error('the file ended early')
    done += bytesRead
  }
  return bytes
}

const readEntries = async (path: string, file: FileHandle): Promise<Map<string, Entry>> => {
  const refuse = (problem: string): never => {
    throw new AdminError(`${path} ${problem}. Use another copy of the backup.`, { exitCode: 3 })
  }
  const { size: fileBytes } = await file.stat()
  const entries = new Map<string, Entry>()
  for (let at = 0; ;) {
    if (at + blockBytes > fileBytes) return refuse('is truncated, or is not a backup of agmd')
    const header = await readExactly(file, at, blockBytes)
    if (header.every((byte) => byte === 0)) return at + 2 * blockBytes > fileBytes ? refuse('is truncated') : entries
    const text = (from: number, length: number): string => header.toString('latin1', from, from + length).split('\0')[0]!
    if (header.toString('latin1', 257, 262) !== 'ustar' || parseInt(text(148, 8), 8) !== sumOf(header))
      return refuse('is damaged, or is not a backup of agmd')
    const [name, size, type] = [text(0, 100), parseInt(text(124, 12), 8), text(156, 1)]
    if (type !== '0' || text(345, 155) !== '' || !isObjectName(name))
      return refuse(`has the entry ${JSON.stringify(name)}, which is not from a backup`)
    if (entries.has(name)) return refuse(`contains the entry ${name} twice`)
    if (!Number.isSafeInteger(size) || at + blockBytes + size > fileBytes) return refuse('is truncated')
    entries.set(name, { at: at + blockBytes, size })
    at += blockBytes + padded(size)
  }
}

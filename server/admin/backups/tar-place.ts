/**
 * A tar file that holds one backup (POSIX.1-2017, pax, "ustar Interchange Format"). It is written to `FILE.partial` and renamed when it is complete.
 *
 *     entry    header of 512 bytes · content · zeros up to a multiple of 512 bytes
 *     header   name (100) · mode (8) · uid (8) · gid (8) · size (12) · mtime (12) · checksum (8) · type (1, "0" for a file) · … · magic at 257
 *     end      two blocks of zeros
 *
 * A reader accepts only regular files with the names of objects. No entry can therefore lead out of the backup.
 */
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../../storage/data-folder.ts'
import { AdminError } from '../error.ts'
import { onFiles } from './folder-place.ts'
import { isObjectName } from './format.ts'
import type { Place } from './place.ts'

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

/** Creates a tar file. A file of the same name is replaced when the new one is complete. Throws `AdminError`. */
export const openTarWriter = async (path: string): Promise<Place> => {
  const partial = `${path}.partial`
  // An interrupted backup may have left this file, which cannot be continued.
  await onFiles(path, () => rm(partial, { force: true }))
  const file = await onFiles(path, () => open(partial, 'wx', 0o600))
  let finished = false
  const names = new Set<string>()
  return {
    shown: path,
    names: async (kind) => [...names].filter((name) => name.startsWith(`${kind}/`)).sort(),
    find: async () => undefined,
    write: (name, content) =>
      onFiles(path, async () => {
        if (names.has(name)) return
        names.add(name)
        const padding = Buffer.alloc(padded(content.length) - content.length)
        await file.writev([headerOf(name, content.length), content, padding])
      }),
    remove: readOnly,
    finish: () =>
      onFiles(path, async () => {
        await file.write(Buffer.alloc(2 * blockBytes))
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
export const openTarReader = async (path: string): Promise<Place> => {
  const file = await onFiles(path, () => open(path, 'r'))
  try {
    const entries = await readEntries(path, file)
    return {
      shown: path,
      names: async (kind) => [...entries.keys()].filter((name) => name.startsWith(`${kind}/`)).sort(),
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
    if (header.every((byte) => byte === 0)) return entries
    const text = (from: number, length: number): string => header.toString('latin1', from, from + length).split('\0')[0]!
    if (header.toString('latin1', 257, 262) !== 'ustar' || parseInt(text(148, 8), 8) !== sumOf(header))
      return refuse('is damaged, or is not a backup of agmd')
    const [name, size, type] = [text(0, 100), parseInt(text(124, 12), 8), text(156, 1)]
    if (type !== '0' || text(345, 155) !== '' || !isObjectName(name))
      return refuse(`has the entry ${JSON.stringify(name)}, which is not from a backup`)
    if (entries.has(name)) return refuse(`has the entry ${name} twice`)
    if (!Number.isSafeInteger(size) || at + blockBytes + size > fileBytes) return refuse('is truncated')
    entries.set(name, { at: at + blockBytes, size })
    at += blockBytes + padded(size)
  }
}

/**
 * Stores blobs as files.
 *
 *     blobs/ab/abcdef…   the bytes of blob `abcdef…`; the folder is named after the first two characters
 *     blobs/new/         files that are still being received (`staging.ts`)
 *
 * A file gets its name once all its bytes are on disk. A blob counts as stored only when its folder entry is on disk, too. The bytes of a file are
 * overwritten before the file is removed.
 */
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../shared/errors.ts'
import type { Blobs, StoredBlobs } from '../domain/ports.ts'
import { codeOf, erase, onDisk, openStaging } from './staging.ts'

const incoming = 'new'

const ifMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if (codeOf(error) === 'ENOENT') return value
    throw error
  }

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const pathsIn = (folder: string) => {
  const folderOf = (name: string): string => join(folder, name.slice(0, 2))
  return { folderOf, pathOf: (name: string): string => join(folderOf(name), name) }
}

/** Opens the folder without support for uploads. A second process can therefore use it while the server runs. A missing folder has no blobs. */
export const openStoredDiskBlobs = (folder: string): StoredBlobs => {
  const { pathOf } = pathsIn(folder)
  return {
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
      const found = await onDisk(() => readdir(folder, { withFileTypes: true }).catch(ifMissing([])))
      const folders = found.filter((entry) => entry.isDirectory() && entry.name !== incoming)
      return (await Promise.all(folders.map(({ name }) => readdir(join(folder, name))))).flat()
    },
    storedAt: async (name) => (await onDisk(() => stat(pathOf(name)).catch(ifMissing(undefined))))?.mtimeMs
  }
}

/**
 * Opens the folder. `receivedIn` is the folder for files that are still being received; files that an earlier process left in it are removed. Throws
 * file system errors.
 */
export const openDiskBlobs = async (folder: string, receivedIn = join(folder, incoming)): Promise<Blobs> => {
  const receive = await openStaging(receivedIn)
  const { folderOf, pathOf } = pathsIn(folder)

  const keep = (temporary: string, name: string): Promise<void> =>
    onDisk(async () => {
      const created = await mkdir(folderOf(name), { recursive: true, mode: 0o700 })
      await rename(temporary, pathOf(name))
      await syncFolder(folderOf(name))
      if (created !== undefined) await syncFolder(folder)
    })

  const { open: openBlob, list, delete: remove } = openStoredDiskBlobs(folder)
  return { receive: (source) => receive(source, keep), open: openBlob, delete: remove, list }
}

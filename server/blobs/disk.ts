/**
 * Stores blobs as files.
 *
 *     blobs/ab/abcdef…   the bytes of blob `abcdef…`; the folder is named after the first two characters
 *     blobs/new/         files that are still being received (`staging.ts`)
 *
 * A file gets its name once all its bytes are on disk. Storing a blob ends only when the entry in its folder is on disk, too. The bytes of a file are
 * overwritten before the file is removed.
 */
import { mkdir, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../shared/errors.ts'
import type { Blobs } from '../domain/ports.ts'
import { codeOf, erase, onDisk, openStaging } from './staging.ts'

const incoming = 'new'

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Opens the folder, and removes incomplete files that an earlier process left behind. Throws the errors of the file system. */
export const openDiskBlobs = async (folder: string): Promise<Blobs> => {
  const receive = await openStaging(join(folder, incoming))

  const folderOf = (name: string): string => join(folder, name.slice(0, 2))
  const pathOf = (name: string): string => join(folderOf(name), name)

  const keep = (temporary: string, name: string): Promise<void> =>
    onDisk(async () => {
      const created = await mkdir(folderOf(name), { recursive: true, mode: 0o700 })
      await rename(temporary, pathOf(name))
      await syncFolder(folderOf(name))
      if (created !== undefined) await syncFolder(folder)
    })

  return {
    receive: (source) => receive(source, keep),
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
      const folders = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory() && entry.name !== incoming)
      return (await Promise.all(folders.map(({ name }) => readdir(join(folder, name))))).flat()
    }
  }
}

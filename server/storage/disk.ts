/** The data folder's disk: how much space is free, and how much files use. */
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** A disk with fewer free bytes than this counts as full, because LMDB reports a lack of space as an I/O error. */
const freeBytesMin = 1024 * 1024

/** Returns the free bytes of the disk that holds a path. Rejects if the disk does not even report its size, because then the disk has failed. */
export const freeBytes = async (path: string): Promise<number> => {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/** Whether the disk that holds a path still has space. Rejects like `freeBytes`. */
export const hasSpace = async (path: string): Promise<boolean> => (await freeBytes(path)) >= freeBytesMin

/** Returns the size of a file in bytes; 0 if there is none. */
export const fileBytes = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0

/** Returns the size of all files in a folder. Reads one subfolder at a time, because other work on the disk must not wait for this. */
export const folderBytes = async (folder: string): Promise<number> => {
  let total = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    total += entry.isDirectory() ? await folderBytes(path) : await fileBytes(path)
  }
  return total
}

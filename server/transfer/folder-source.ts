/** Reads the files in a folder. Symbolic links are reported and never followed. */
import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { limits } from '../../shared/limits.ts'
import { byUnits, collect, isIgnored, type Note, type Source, type SourceFile, TransferError } from './source.ts'

const tooMany = (folder: string): TransferError =>
  new TransferError(`${folder} has more than ${limits.importFilesMax} files. Import its folders one by one.`)

/** Lists the files below a folder. A loop visits the folders, because recursion could exhaust the stack in a deep tree. */
const walk = async (root: string): Promise<{ readonly files: SourceFile[]; readonly notes: Note[]; readonly hasObsidian: boolean }> => {
  const files: SourceFile[] = []
  const notes: Note[] = []
  const folders = ['']
  let hasObsidian = false
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      hasObsidian ||= path === '.obsidian' && entry.isDirectory()
      if (isIgnored(entry.name)) continue
      if (entry.isSymbolicLink()) notes.push({ path, note: 'is a symbolic link, which an import never follows' })
      else if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) {
        const { size, mtimeMs } = await lstat(join(root, path))
        files.push({ path, bytes: size, modifiedAt: Math.floor(mtimeMs) })
      } else notes.push({ path, note: 'is not a regular file' })
      if (files.length + folders.length > limits.importFilesMax) throw tooMany(root)
    }
  }
  return { files: files.toSorted((one, other) => byUnits(one.path, other.path)), notes, hasObsidian }
}

/** Opens a folder. Throws `TransferError` if it has too many files, and file system errors. */
export const openFolderSource = async (folder: string): Promise<Source & { readonly hasObsidian: boolean }> => {
  const root = resolve(folder)
  const { files, notes, hasObsidian } = await walk(root)
  const byPath = new Map(files.map((file) => [file.path, file]))
  return {
    name: basename(root),
    files,
    find: (path) => byPath.get(path),
    notes,
    hasObsidian,
    async read(path, bytesMax) {
      // The file may have become a symbolic link since it was listed.
      const file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
        throw new TransferError(`${join(root, path)} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error
        })
      })
      return collect(path, file.createReadStream(), bytesMax)
    },
    close: () => Promise.resolve()
  }
}

/** Folders and zip archives for the tests of import and export. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

export type Contents = Readonly<Record<string, string | Uint8Array>>

const folders: string[] = []

/** Returns a new folder, which `removeFolders` removes. */
export const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-files-'))
  folders.push(folder)
  return folder
}

export const removeFolders = async (): Promise<void> => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
}

/** Writes files into a new folder with this name, and returns its path. */
export const folderOf = async (contents: Contents, name = 'vault'): Promise<string> => {
  const folder = join(await newFolder(), name)
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

/** Returns the bytes of an archive with these files. `modes` gives some of them other Unix modes. */
export const zipBytes = async (contents: Contents, modes: Readonly<Record<string, number>> = {}): Promise<Buffer> => {
  const zip = new ZipFile()
  for (const [path, content] of Object.entries(contents))
    zip.addBuffer(Buffer.from(content), path, { mtime: new Date(2026, 0, 2), ...(modes[path] !== undefined && { mode: modes[path] }) })
  zip.end()
  return buffer(zip.outputStream)
}

/** Writes an archive, and returns its path. */
export const zipOf = async (contents: Contents | Buffer, name = 'notes.zip'): Promise<string> => {
  const path = join(await newFolder(), name)
  await writeFile(path, Buffer.isBuffer(contents) ? contents : await zipBytes(contents))
  return path
}

/** Returns all files below a folder, by their paths. */
export const filesIn = async (folder: string): Promise<Map<string, Buffer>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(await Promise.all(files.sort().map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const)))
}

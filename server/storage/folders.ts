/** Creates folders. */
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false
  )

/**
 * Creates a folder and the missing folders above it, with mode 0700. Does nothing if the folder exists. Throws the errors of mkdir(2). The option
 * `recursive` of Node is not used, because it never ends in a folder that refuses new entries with ENOENT, such as /proc.
 */
export const makeFolders = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await isFolder(path))) return
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path || (await isFolder(dirname(path)))) throw error
    await makeFolders(dirname(path))
    await makeFolders(path)
  }
}

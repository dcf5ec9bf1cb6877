/** Reads text files, and replaces files atomically. */
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from './failure.ts'

/** Returns the target of a symbolic link, even if the target does not exist yet. Throws `file_error` for a cycle of links. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    return isLink ? realPath(resolve(dirname(path), readlinkSync(path))) : path
  }
}

const modeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mode

/**
 * Writes a temporary file next to the target and renames it. Readers therefore see either the old text or the new text, even after a crash. A
 * symbolic link remains a link. The permissions remain the same unless `mode` is given. Throws `file_not_found` and file system errors.
 */
export const writeWhole = (path: string, data: string | Uint8Array, mode?: number): void => {
  const target = realPath(path)
  if (statSync(dirname(target), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Failure('file_not_found', `There is no folder ${dirname(path)}.`, 'Create the folder, or choose another path.')
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`)
  const wanted = mode ?? modeOf(target) ?? 0o666
  const file = openSync(temporary, 'wx', wanted)
  try {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
    fsyncSync(file)
    closeSync(file)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Reads a text file. Returns undefined if the file does not exist. Throws `file_error` if it is not UTF-8. */
export const readText = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (found.isDirectory()) throw new Failure('file_error', `${path} is a folder.`, 'Pass a file.')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(readFileSync(path))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Failure('file_error', `${path} is not UTF-8 text.`, 'Save the file as UTF-8 and try again.')
  }
}

/** Reads a text file. Throws `file_not_found` if the file does not exist. */
export const mustReadText = (path: string): string => {
  const text = readText(path)
  if (text === undefined) throw new Failure('file_not_found', `There is no file ${path}.`, 'Check the path.')
  return text
}

export const makeFolder = (path: string, mode?: number): void => {
  mkdirSync(path, { recursive: true, ...(mode === undefined ? {} : { mode }) })
}

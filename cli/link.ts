/**
 * The memory next to a file: the document that it is of, and the text it began with. For `notes.md` that is `.agmd/notes.md.json`, in a
 * folder that git passes over. The key is not there, only what names it (hosts.ts).
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from './failure.ts'
import { makeFolder, readText, writeWhole } from './files.ts'

export interface Link {
  readonly origin: string
  readonly doc: string
  /** Fingerprint of the key that was used. */
  readonly key?: string
  /** Whether that key was not given, but known (service.ts). */
  readonly implied?: boolean
  /** Version that the file began with. */
  readonly version: string
  /** Text of that version. */
  readonly base: string
}

const folderOf = (file: string): string => join(dirname(file), '.agmd')

export const linkPath = (file: string): string => join(folderOf(file), `${basename(file)}.json`)

/** Undefined when the file was not pulled. Errors: `config_unusable`. */
export const readLink = (file: string): Link | undefined => {
  const path = linkPath(file)
  const text = readText(path)
  if (text === undefined) return undefined
  try {
    const link = JSON.parse(text) as Link
    const known = [link.origin, link.doc, link.version, link.base].every((field) => typeof field === 'string')
    if (known && URL.canParse(link.origin)) return link
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Failure('config_unusable', `${path} is damaged.`, `Remove it and pull again: agmd docs pull URL -o ${file} --merge.`)
}

export const writeLink = (file: string, link: Link): void => {
  const folder = folderOf(file)
  makeFolder(folder)
  const ignore = join(folder, '.gitignore')
  if (!existsSync(ignore)) writeWhole(ignore, '*\n')
  writeWhole(linkPath(file), `${JSON.stringify(link, null, 2)}\n`)
}

/**
 * The data stored next to a pulled file: the file's document, and the text of the version that was pulled. For `notes.md` this is
 * `.agmd/notes.md.json`. Git ignores that folder. The data contains the fingerprint of the key (hosts.ts), not the key itself.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from './failure.ts'
import { makeFolder, readText, writeWhole } from './files.ts'

export interface Link {
  readonly origin: string
  readonly doc: string
  /** Fingerprint of the key with which the file was pulled. */
  readonly key?: string
  /** Whether that key came from the stored keys and was not given explicitly (service.ts). */
  readonly implied?: boolean
  /** The version that was pulled. */
  readonly version: string
  /** The text of that version. */
  readonly base: string
}

const folderOf = (file: string): string => join(dirname(file), '.agmd')

export const linkPath = (file: string): string => join(folderOf(file), `${basename(file)}.json`)

/** Returns a pulled file's data; undefined if the file was not pulled. Throws `config_unusable`. */
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
  throw new Failure('config_unusable', `${path} is damaged.`, `Remove the file and pull again: agmd docs pull URL -o ${file} --merge.`)
}

export const writeLink = (file: string, link: Link): void => {
  const folder = folderOf(file)
  makeFolder(folder)
  const ignore = join(folder, '.gitignore')
  if (!existsSync(ignore)) writeWhole(ignore, '*\n')
  writeWhole(linkPath(file), `${JSON.stringify(link, null, 2)}\n`)
}

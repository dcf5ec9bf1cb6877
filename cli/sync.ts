/** The state that a file shares with its document: the common base, conflict markers, and the stored link. */
import { markedLines, mergeWithMarks } from '../shared/text/merge.ts'
import type { Call } from './call.ts'
import { Failure } from './failure.ts'
import { mustReadText, readText, writeWhole } from './files.ts'
import { fingerprint, isKnown, rememberKey } from './hosts.ts'
import { writeLink } from './pulled-file.ts'
import type { DocumentAddress } from './service.ts'

/** Text and its version. */
export interface Copy {
  readonly content: string
  readonly version: string
}

/** Converts the text of a file to the text of a document, which has LF line endings and no byte-order mark (docs/api.md, Text and versions). */
export const asDocument = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')

const asFile = (text: string, former: string | undefined): string =>
  former?.includes('\r\n') === true ? text.replaceAll('\n', '\r\n') : text

export const save = (file: string, text: string): void => writeWhole(file, asFile(text, readText(file)))

export const mustRead = (file: string): string => asDocument(mustReadText(file))

/**
 * Returns the numbers of the lines that are conflict markers, counted from 1. The result is empty if the document already had as many conflict
 * markers.
 */
export const marksLeft = (local: string, base: string): readonly number[] => {
  const marks = markedLines(local)
  return marks.length <= markedLines(base).length ? [] : marks
}

/** Throws `markers_left` if the file has conflict markers that its document did not have. The option `--keep-marks` allows them. */
export const checkMarks = (call: Call, file: string, local: string, base: string): void => {
  if (call.flag('keep-marks') === true) return
  const marks = marksLeft(local, base)
  if (marks.length === 0) return
  throw new Failure(
    'markers_left',
    `${file} still has conflict markers (${marks.length > 1 ? 'lines' : 'line'} ${marks.join(', ')}).`,
    'Keep the right text between <<<<<<< and >>>>>>>, remove the markers and try again. To push them as text, add --keep-marks.',
    { file, lines: marks }
  )
}

/** Links a file to its document: stores the common base and the key's fingerprint. */
export const connect = (file: string, { origin, doc, key, implied }: DocumentAddress, { content, version }: Copy): void => {
  writeLink(file, {
    origin,
    doc,
    ...(key === undefined ? {} : { key: fingerprint(key), ...(implied ? { implied } : {}) }),
    version,
    base: content
  })
}

/** Stores the key for later commands that name the document by its id or by a pulled file. */
export const remember = async (call: Call, address: DocumentAddress): Promise<void> => {
  if (address.key === undefined || isKnown(address.origin, address.doc, address.key)) return
  const { role } = await call.client(address).readDocument(address.doc)
  rememberKey(address.origin, { doc: address.doc, key: address.key, role })
}

/** Returns the file that the command names, as an option or as its argument. Throws `usage` if it names none. */
export const fileOf = (call: Call, address: DocumentAddress): string => {
  const file = call.words('file') ?? address.file
  if (file === undefined) throw new Failure('usage', '-f is missing: name the file.', 'For example -f notes.md.')
  return file
}

// ——— merging ———

/** A file and its document that have both changed: the common base, and the current text of both. */
export interface Both {
  readonly file: string
  readonly address: DocumentAddress
  readonly base: string
  readonly local: string
  readonly remote: Copy
}

/** Throws `file_changed`, before anything is written, if somebody has saved the file during a request. */
export const checkStill = (file: string, local: string): void => {
  if (mustRead(file) === local) return
  throw new Failure('file_changed', `Somebody saved ${file} while the command ran. agmd did not change it.`, `Run the command again.`, {
    file
  })
}

/** Writes both versions into the file, between conflict markers. The document's version becomes the file's base. */
export const writeMarks = ({ file, address, base, local, remote }: Both, conflicts: number): Failure => {
  const labels = { mine: `${file} (yours)`, base: 'before', theirs: `the document (${remote.version})` }
  save(file, mergeWithMarks(base, local, remote.content, labels))
  connect(file, address, remote)
  const places = `${conflicts} place${conflicts === 1 ? '' : 's'}`
  return new Failure(
    'merge_conflict',
    `You and others changed the same text, in ${places}. ${file} now has both versions, between conflict markers.`,
    `Resolve the conflicts in ${file}, then: agmd docs push ${file}`,
    { file, conflicts, version: remote.version }
  )
}

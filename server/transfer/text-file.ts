/** Reads the text of a Markdown file. Also records how the file differs from the document's text, so that an export can restore the file. */
import { limits } from '../../shared/limits.ts'
import { withLineFeeds } from '../../shared/text/line-ends.ts'
import type { Imported } from '../domain/records/keys.ts'

/** The form of a text file. Documents have neither a byte order mark nor carriage returns. */
export interface FileForm {
  readonly mark?: true
  readonly lineEnds?: Imported['lineEnds']
}

export interface TextFile {
  readonly text: string
  readonly form: FileForm
  /** Changes that an export cannot undo. */
  readonly notes: readonly string[]
}

const markOf = (bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined => {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

const decode = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Returns the line endings of the text: `crlf` if all are CR LF. If they are mixed, returns the lengths of alternating runs of LF and CR LF, starting with
 * LF. Returns undefined if all are LF, or if the text contains a CR without LF, which cannot be restored.
 */
const lineEndsOf = (text: string): FileForm['lineEnds'] => {
  if (!text.includes('\r') || /\r(?!\n)/.test(text)) return undefined
  const runs = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const isPair = at > 0 && text[at - 1] === '\r'
    if (isPair !== (runs.length % 2 === 0)) runs.push(0)
    runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1
  }
  return runs.length === 2 && runs[0] === 0 ? 'crlf' : runs
}

/** Returns the text with the line endings of the file. If the number of lines has changed, mixed line endings become LF. */
const withLineEnds = (text: string, ends: FileForm['lineEnds']): string => {
  if (ends === undefined) return text
  if (ends === 'crlf') return text.replaceAll('\n', '\r\n')
  const lines = text.split('\n')
  if (lines.length - 1 !== ends.reduce((sum, length) => sum + length, 0)) return text
  const signs = ends.flatMap((length, index) => Array.from({ length }, () => (index % 2 === 0 ? '\n' : '\r\n')))
  return lines.map((line, index) => line + (signs[index] ?? '')).join('')
}

/**
 * Decodes a text file. `encoding` names the encoding of files that are not UTF-8; without it, such files are refused. Returns the reason as a string
 * if the file is refused.
 */
export const readTextFile = (bytes: Uint8Array, encoding?: string): TextFile | string => {
  const mark = markOf(bytes)
  const asUtf8 = mark === undefined || mark === 'utf-8'
  const notes: string[] = []
  let raw = decode(bytes, mark ?? 'utf-8')
  if (raw === undefined && asUtf8 && encoding !== undefined) {
    raw = decode(bytes, encoding)
    notes.push(`was converted from ${encoding}`)
  }
  if (raw === undefined) return 'is not UTF-8. Convert it, or name its encoding, for example --encoding windows-1252'
  if (raw.includes('\0')) return 'contains NUL characters, so it is not a text file'
  if (!asUtf8) notes.push('was converted from UTF-16')
  const text = withLineFeeds(raw)
  if (text.length > limits.contentUnitsMax)
    return `is too long: ${text.length} of at most ${limits.contentUnitsMax} characters. Divide it into several files`
  const lineEnds = lineEndsOf(raw)
  if (raw.includes('\r') && lineEnds === undefined) notes.push('had CR line endings, which are LF now')
  return { text, form: { ...(mark === 'utf-8' && { mark: true }), ...(lineEnds !== undefined && { lineEnds }) }, notes }
}

/** Returns the bytes of a file with this text and form. */
export const writeTextFile = (text: string, { mark, lineEnds }: FileForm): Buffer =>
  Buffer.from((mark === true ? '\ufeff' : '') + withLineEnds(text, lineEnds))

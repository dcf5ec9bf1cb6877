/** Reads the text of a Markdown file, and notes how the file differs from the text of a document, so that an export can restore the file. */
import { limits } from '../../shared/limits.ts'
import { withLineFeeds } from '../../shared/text/line-ends.ts'

/** The form of a text file. Documents have neither a byte order mark nor carriage returns. */
export interface FileForm {
  readonly mark?: true
  readonly lineEnds?: 'crlf'
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

/** Whether all line ends are CR LF. If not, the line ends of the file cannot be restored from the text. */
const isAllPairs = (text: string): boolean => !/\r(?!\n)|(?:^|[^\r])\n/.test(text)

/**
 * Decodes a text file. `encoding` is the name of the encoding of files that are not UTF-8; without it, such a file is refused. Returns the reason as a
 * string if the file is refused.
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
  if (raw.includes('\0')) return 'contains NUL, so it is not a text'
  if (!asUtf8) notes.push('was converted from UTF-16')
  const text = withLineFeeds(raw)
  if (text.length > limits.contentUnitsMax)
    return `is too long: ${text.length} of at most ${limits.contentUnitsMax} characters. Divide it into several files`
  const isChanged = text.length !== raw.length || raw.includes('\r')
  if (isChanged && !isAllPairs(raw)) notes.push('had mixed line ends, and has LF now')
  const form: FileForm = { ...(mark === 'utf-8' && { mark: true }), ...(isChanged && isAllPairs(raw) && { lineEnds: 'crlf' }) }
  return { text, form, notes }
}

/** Returns the bytes of a file with this text and form. */
export const writeTextFile = (text: string, { mark, lineEnds }: FileForm): Buffer =>
  Buffer.from((mark === true ? '\ufeff' : '') + (lineEnds === 'crlf' ? text.replaceAll('\n', '\r\n') : text))

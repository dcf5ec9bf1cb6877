/** Reads text files that people open or drop. */
import { cleanText } from '../base/clean-text.ts'
import { t } from '../text/t.ts'

/** Largest file that is read, in bytes. */
const fileBytesMax = 10 * 1024 * 1024

/** An error whose message the page shows to the person unchanged. */
export class TextFileFailure extends Error {}

// Matches control characters that occur in binary files but not in text: all except tab, line breaks and form feed.
const binary = /[\0-\b\v\x0E-\x1F]/

const decode = (bytes: ArrayBuffer, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns the text of a file in UTF-8, in UTF-16 with a byte order mark, or in Windows-1252. Undefined if the file is not text. */
function textOf(bytes: ArrayBuffer): string | undefined {
  const [first, second] = new Uint8Array(bytes)
  const marked = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined
  const text = decode(bytes, marked ?? 'utf-8') ?? decode(bytes, 'windows-1252')
  return text === undefined || binary.test(text) ? undefined : cleanText(text)
}

/** Returns the text of a file as a document can store it. Throws `TextFileFailure`. */
export async function readTextFile(file: File): Promise<string> {
  const { name } = file
  if (file.size > fileBytesMax) throw new TextFileFailure(t('“{name}” is larger than 10 MiB.', { name }))
  // A folder cannot be read as a file.
  const bytes = await file.arrayBuffer().catch(() => undefined)
  if (bytes === undefined) throw new TextFileFailure(t('“{name}” cannot be opened. Drop files, not a folder.', { name }))
  const content = textOf(bytes)
  if (content === undefined)
    throw new TextFileFailure(t('“{name}” is not a text file. You can open Markdown and other plain text.', { name }))
  return content
}

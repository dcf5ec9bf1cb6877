/** Recognizes suggestions that only format text. People see the format instead of its marks. */
import { term } from '../../text/t.ts'

interface Format {
  readonly mark: string
  /** The class that draws text with the format, as in the live view. */
  readonly style: string
  /** The name of the format, for translation. */
  readonly name: string
}

/** Longer marks come before marks that are a part of them. */
const formats: readonly Format[] = [
  { mark: '**', style: 'tok-strong', name: term('Bold') },
  { mark: '__', style: 'tok-strong', name: term('Bold') },
  { mark: '~~', style: 'tok-strike', name: term('Strikethrough') },
  { mark: '==', style: 'md-highlight', name: term('Highlight') },
  { mark: '*', style: 'tok-emphasis', name: term('Italic') },
  { mark: '_', style: 'tok-emphasis', name: term('Italic') },
  { mark: '`', style: 'md-code-inline', name: term('Code') }
]

/** Returns the formats that `text` adds to the whole of `original`. The list is empty if the texts differ in anything else. */
export function formatsAdded(original: string, text: string): readonly Format[] {
  const found: Format[] = []
  let left = text
  while (left.length > original.length) {
    const inner = left
    const format = formats.find(({ mark }) => inner.startsWith(mark) && inner.endsWith(mark) && inner.length > 2 * mark.length)
    if (format === undefined) return []
    found.push(format)
    left = left.slice(format.mark.length, -format.mark.length)
  }
  return left === original && original.trim() !== '' ? found : []
}

/** Whether text consists only of the marks of one format. */
export const isMark = (text: string): boolean => formats.some(({ mark }) => mark === text) || text === '***'

/** The changes that the card of a picture makes in the text. */
import type { ChangeSpec, EditorState, TransactionSpec } from '@codemirror/state'
import { pictureWidthMax, pictureWidthMin } from '../../../shared/markdown/pictures.ts'
import type { PictureAt } from './picture-at.ts'

/** Returns the changes that give a picture a width (undefined: its natural one). Its words stay. */
export function widthChanges({ written, words, width }: PictureAt, wanted: number | undefined): ChangeSpec[] {
  const fits = wanted === undefined ? undefined : Math.round(Math.min(pictureWidthMax, Math.max(pictureWidthMin, wanted)))
  if (fits === width) return []
  return [{ from: written.from + words.length, to: written.to, insert: fits === undefined ? '' : `|${fits}` }]
}

/** Returns the changes that give a picture a width (undefined: its natural one) and a caption ('': none). */
export function pictureChanges(picture: PictureAt, wanted: { readonly width: number | undefined; readonly caption: string }): ChangeSpec[] {
  const { urlEnd, title, caption } = picture
  const changes = widthChanges(picture, wanted.width)
  const asked = wanted.caption.replaceAll(/\s+/g, ' ').trim()
  if (asked !== caption) {
    const insert = asked === '' ? '' : ` "${asked.replaceAll(/["\\]/g, '\\$&')}"`
    changes.push({ from: urlEnd, to: title?.to ?? urlEnd, insert })
  }
  return changes
}

interface Below {
  readonly changes: ChangeSpec
  readonly at: number
}

/** Returns the empty line below a picture that is a block of its own, between blank lines; missing ones are added. */
function lineBelow({ doc }: EditorState, to: number): Below | undefined {
  const line = doc.lineAt(to)
  const lead = /^[ \t>]*/.exec(line.text)?.[0] ?? ''
  const [blank, empty] = [1, 2].map((step) => (line.number + step <= doc.lines ? doc.line(line.number + step) : undefined))
  const isBlank = (text = ''): boolean => /^[ \t>]*$/.test(text)
  if (!line.text.startsWith('![', lead.length) || line.text.slice(to - line.from).trim() !== '' || !isBlank(blank?.text)) return undefined
  if (empty !== undefined && isBlank(empty.text)) return { changes: [], at: empty.to }
  const gap = `${blank === undefined ? `\n${lead.trimEnd()}` : ''}\n${lead}`
  const from = blank?.to ?? line.to
  return { changes: { from, insert: empty === undefined ? gap : `${gap}\n${lead.trimEnd()}` }, at: from + gap.length }
}

/** Returns the place below a picture that is a block of its own, else the one after it. */
export function belowOrAfter(state: EditorState, to: number): Below & { readonly isLine: boolean } {
  const below = lineBelow(state, to)
  return below === undefined ? { changes: [], at: to, isLine: false } : { ...below, isLine: true }
}

/** Writes the values of the card, and moves the caret to the line below the picture, or after it within a line. */
export function pictureSaved(
  state: EditorState,
  picture: PictureAt,
  wanted: { readonly width: number | undefined; readonly caption: string }
): TransactionSpec {
  const written = state.changes(pictureChanges(picture, wanted))
  const below = lineBelow(state, picture.to)
  const shift = written.newLength - written.length
  if (below === undefined) return { changes: written, selection: { anchor: picture.to + shift } }
  return { changes: written.compose(state.changes(below.changes).map(written)), selection: { anchor: below.at + shift } }
}

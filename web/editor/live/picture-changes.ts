/** Computes the changes to the text for a picture's card. */
import { syntaxTree } from '@codemirror/language'
import type { ChangeSpec, EditorState, TransactionSpec } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { pictureWidthMax, pictureWidthMin } from '../../../shared/markdown/pictures.ts'
import { alternativeWords, type PictureAt } from './picture-at.ts'

/** The values of a picture's card. An undefined width is the natural one, and the caption '' means none. */
export interface Wanted {
  readonly words?: string
  readonly width: number | undefined
  readonly caption: string
}

/** Puts a backslash before each bar in a table, where it would end the cell. */
const inCell = (text: string, { inTable }: PictureAt): string => (inTable ? text.replaceAll(/\\?\|/g, '\\|') : text)

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** Returns the changes that set a picture's width, or restore its natural width if `wanted` is undefined. Its alternative text does not change. */
export function widthChanges(picture: PictureAt, wanted: number | undefined): ChangeSpec[] {
  const { written, words, width } = picture
  const fits = wanted === undefined ? undefined : Math.round(Math.min(pictureWidthMax, Math.max(pictureWidthMin, wanted)))
  if (fits === width) return []
  return [{ from: written.from + words.length, to: written.to, insert: fits === undefined ? '' : inCell(`|${fits}`, picture) }]
}

/** Returns the changes that set the values of a picture. */
export function pictureChanges(picture: PictureAt, wanted: Wanted): ChangeSpec[] {
  const { written, urlEnd, title, caption } = picture
  const changes = widthChanges(picture, wanted.width)
  const before = alternativeWords(picture)
  const words = oneLine(wanted.words ?? before)
  if (words !== oneLine(before)) {
    const insert = inCell(words.replaceAll(/[[\]]|\\(?=[[\]\\|]|$)/g, '\\$&'), picture)
    changes.push({ from: written.from, to: written.from + picture.words.length, insert })
  }
  const asked = oneLine(wanted.caption)
  if (asked !== caption) {
    const insert = asked === '' ? '' : ` "${inCell(asked.replaceAll(/["\\]/g, '\\$&'), picture)}"`
    changes.push({ from: urlEnd, to: title?.to ?? urlEnd, insert })
  }
  return changes
}

/** Returns the length of the indentation and the quote marks of a line. */
const leadOf = (text: string): number => /^[ \t>]*/.exec(text)?.[0].length ?? 0

/** Whether a paragraph begins at a position, and not with a picture. Letters typed there become part of it. */
function takesText(state: EditorState, at: number): boolean {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, 1); node !== null; node = node.parent)
    if (node.name === 'Paragraph') return state.sliceDoc(at, at + 2) !== '!['
  return false
}

/**
 * Returns the start of the paragraph that follows a picture that is alone on its line. Undefined if another block follows, such as a table, or if the
 * picture is inline.
 */
function textBelow(state: EditorState, { from, to }: PictureAt): number | undefined {
  const { doc } = state
  const line = doc.lineAt(to)
  if (from !== line.from + leadOf(line.text) || line.text.slice(to - line.from).trim() !== '') return undefined
  for (let at = line.number + 1; at <= doc.lines; at++) {
    const { text, from: start } = doc.line(at)
    const lead = leadOf(text)
    if (lead < text.length) return takesText(state, start + lead) ? start + lead : undefined
  }
  return undefined
}

interface Below {
  readonly changes: ChangeSpec
  readonly at: number
}

/** Returns the empty line below a picture that is a separate block, and the changes that add the missing blank lines. */
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

/** Returns the line below a picture that is a separate block, or else the position after the picture. */
export function belowOrAfter(state: EditorState, to: number): Below & { readonly isLine: boolean } {
  const below = lineBelow(state, to)
  return below === undefined ? { changes: [], at: to, isLine: false } : { ...below, isLine: true }
}

/**
 * Saves the values of the card, and moves the caret to the paragraph below the picture. If there is none, the caret gets an empty line. After an
 * inline picture, the caret stays in its line.
 */
export function pictureSaved(state: EditorState, picture: PictureAt, wanted: Wanted): TransactionSpec {
  const written = state.changes(pictureChanges(picture, wanted))
  const shift = written.newLength - written.length
  const text = textBelow(state, picture)
  if (text !== undefined) return { changes: written, selection: { anchor: text + shift } }
  const below = lineBelow(state, picture.to)
  if (below === undefined) return { changes: written, selection: { anchor: picture.to + shift } }
  return { changes: written.compose(state.changes(below.changes).map(written)), selection: { anchor: below.at + shift } }
}

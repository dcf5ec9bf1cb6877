/**
 * Inline text as pieces between the marks of its formats and links. Changed text puts the pieces together in another way and then writes the marks
 * that they need.
 */
import type { SyntaxNode, Tree } from '@lezer/common'
import { textBetween } from './empty-marks.ts'

export interface Stretch {
  readonly from: number
  readonly to: number
}

/** Returns the text between two positions. */
export type Read = (from: number, to: number) => string

/** A format or a link, with its marks. Underscores may become asterisks. */
export interface Span {
  readonly name: string
  open: string
  close: string
  readonly node: Stretch
  readonly text: Stretch
}

/** Text without marks, which has the formats `spans`, from the outermost to the innermost. New text has no place `at`, and the number of its edit. */
export interface Piece {
  readonly at: Stretch | undefined
  readonly edit?: number
  readonly text: string
  spans: readonly Span[]
}

/** Returns the formats and links with text that touch stretches. Outer ones come before those in them. */
export function spansIn(tree: Tree, stretches: readonly Stretch[], read: Read): Span[] {
  const spans = new Map<string, Span>()
  const add = ({ name, from, to }: SyntaxNode, text: Stretch | undefined): void => {
    if (text === undefined || text.from >= text.to) return
    spans.set(`${name} ${from}`, { name, open: read(from, text.from), close: read(text.to, to), node: { from, to }, text })
  }
  for (const { from, to } of stretches) tree.iterate({ from, to, enter: ({ node }) => add(node, textBetween(node)) })
  return [...spans.values()]
}

/** Returns the places of the marks of spans, in the order of the text. */
const marksOf = (spans: readonly Span[]): Stretch[] =>
  spans
    .flatMap(({ node, text }) => [
      { from: node.from, to: text.from },
      { from: text.to, to: node.to }
    ])
    .toSorted((one, other) => one.from - other.from)

/** Returns the pieces of a stretch. */
export function piecesIn({ from, to }: Stretch, spans: readonly Span[], read: Read): Piece[] {
  const pieces: Piece[] = []
  let start = from
  for (const mark of [...marksOf(spans), { from: to, to }]) {
    const at = { from: start, to: Math.min(mark.from, to) }
    start = Math.max(start, mark.to)
    if (at.from >= at.to) continue
    const around = spans.filter(({ text }) => text.from <= at.from && at.to <= text.to)
    pieces.push({ at, text: read(at.from, at.to), spans: around })
  }
  return pieces
}

function part({ at, text, spans, ...rest }: Piece, from: number, to: number, outer: readonly Span[] = spans): Piece {
  return { ...rest, at: at && { from: at.from + from, to: at.from + to }, text: text.slice(from, to), spans: outer }
}

const isSame = (one: Span, other: Span): boolean => one.name === other.name && one.open === other.open && one.close === other.close
const isIn = (spans: readonly Span[]) => (span: Span) => spans.includes(span)
const isCode = ({ name }: Span): boolean => name === 'InlineCode'
/** Whether Markdown reads the marks of a span only in certain places next to letters and punctuation. */
export const isStrict = ({ name }: Span): boolean => /^(?:StrongEmphasis|Emphasis|Strikethrough)$/.test(name)

type Edge = 'start' | 'end'

const isSpace = (character: string): boolean => /\s/.test(character)
const isLetter = (character: string): boolean => /[\p{L}\p{N}]/u.test(character)
const isSign = (character: string): boolean => character !== '' && !isSpace(character) && !isLetter(character)

const characterAt = (text: string, edge: Edge, index = 0): string => text.charAt(edge === 'end' ? text.length - 1 - index : index)

/** Returns how many characters in a row pass a test, from the start or the end of text. */
function countAt(text: string, edge: Edge, test: (character: string) => boolean): number {
  let count = 0
  while (count < text.length && test(characterAt(text, edge, count))) count++
  return count
}

/** Returns how many characters at the edge of text must be outside its marks: spaces, or punctuation if the next character is a letter. */
function loose(text: string, edge: Edge, spans: readonly Span[], next: string): number {
  const keepsSpaces = spans.length === 0 || (spans.some(isCode) && text.trim() !== '')
  const spaces = keepsSpaces ? 0 : countAt(text, edge, isSpace)
  return spaces === 0 && spans.some(isStrict) && isLetter(next) ? countAt(text, edge, isSign) : spaces
}

/** Changes underscores to asterisks, because underscores have no effect next to a letter. */
function useAsterisks(spans: readonly Span[]): void {
  for (const span of spans) {
    span.open = span.open.replaceAll('_', '*')
    span.close = span.close.replaceAll('_', '*')
  }
}

export interface Arranged {
  readonly pieces: readonly Piece[]
  /** The spans that end and begin where a change has put two pieces next to each other. */
  readonly ended: readonly Span[]
  readonly begun: readonly Span[]
}

/** Two pieces next to each other, and the place of deleted text between them. */
interface Seam {
  readonly before: Piece
  readonly caret: Piece | undefined
  readonly after: Piece
}

/** Divides the pieces at a seam. The parts next to the seam, which are `tail` and `head` long, get other spans. */
function divided(
  { before, caret, after }: Seam,
  [tail, head]: readonly [number, number],
  near: (piece: Piece) => readonly Span[]
): Piece[] {
  const end = before.text.length - tail
  const parts = [part(before, 0, end), part(before, end, before.text.length, near(before))]
  const place = caret === undefined ? [] : [{ ...caret, spans: near(caret) }]
  const rest = [part(after, 0, head, near(after)), part(after, head, after.text.length)]
  const hasText = ({ text }: Piece): boolean => text !== ''
  return [...parts.filter(hasText), ...place, ...rest.filter(hasText)]
}

/** Joins two pieces within a word, all of which gets the formats of both. */
function widened(seam: Seam): Piece[] {
  const { before, after } = seam
  const spans = [...before.spans, ...after.spans.filter((span) => !before.spans.includes(span))]
  const near = ({ spans: own }: Piece): Span[] =>
    spans.filter((span) => isStrict(span) || own.includes(span) || (before.spans.includes(span) && after.spans.includes(span)))
  return divided(seam, [countAt(before.text, 'end', isLetter), countAt(after.text, 'start', isLetter)], near)
}

/** Joins two pieces. If `isWide`, the formats extend over the entire word at the seam. */
function join(seam: Seam, isWide: boolean): Arranged {
  const { before, after } = seam
  const common = before.spans.filter(isIn(after.spans))
  const [ended, begun] = [before, after].map(({ spans }) => spans.filter((span) => !common.includes(span))) as [Span[], Span[]]
  const [last, first] = [characterAt(before.text, 'end'), characterAt(after.text, 'start')]
  const tail = loose(before.text, 'end', ended, begun.length > 0 ? '' : first)
  const head = loose(after.text, 'start', begun, ended.length > 0 ? '' : last)
  if (tail + head === 0) {
    // Between two marks, there is no letter next to an underscore.
    const isOne = ended.length === 0 || begun.length === 0
    if (isOne && isLetter(last) && isLetter(first)) useAsterisks([...ended, ...begun])
    if (isWide) return { pieces: widened(seam), ended, begun }
  }
  const near = (piece: Piece): Span[] =>
    piece === seam.caret ? before.spans.filter((span) => piece.spans.includes(span) || common.includes(span)) : common
  return { pieces: divided(seam, [tail, head], near), ended, begun }
}

const none: Piece = { at: undefined, text: '', spans: [] }

/** Returns the spans of a piece after another one. Two spans of the same kind become one. */
function merged(spans: readonly Span[], before: Piece): Span[] {
  const areSame = spans.length === before.spans.length && spans.every((span, index) => isSame(span, before.spans[index] ?? span))
  // Code can contain no marks, so only code in the same formats becomes one.
  const others = before.spans.filter((span) => !spans.includes(span) && (!isCode(span) || areSame))
  return spans.map((span) => others.find((other) => isSame(span, other)) ?? span)
}

/** Arranges pieces that changes have put next to each other. New pieces are text that was inserted, or empty where text was only deleted. */
export function arranged(pieces: readonly Piece[], isWide = false): Arranged {
  const made: Piece[] = []
  const ended: Span[] = []
  const begun: Span[] = []
  const known = new Map<Span, Span>()
  let caret: Piece | undefined
  for (const piece of [...pieces, none]) {
    const before = made.at(-1) ?? none
    const spans = piece.spans.map((span) => known.get(span) ?? span)
    const isSeam = caret !== undefined || [before, piece].some((each) => each !== none && each.at === undefined)
    if (piece !== none && piece.text === '') caret = piece
    else if (!isSeam) made.push({ ...piece, spans })
    else {
      const after = merged(spans, before)
      piece.spans.forEach((span, index) => known.set(span, after[index] ?? span))
      const joined = join({ before, caret, after: { ...piece, spans: after } }, isWide)
      made.splice(-1, 1, ...joined.pieces)
      ended.push(...joined.ended)
      begun.push(...joined.begun)
      caret = undefined
    }
  }
  return { pieces: made, ended, begun }
}

/** Puts the marks of given spans inside all others, so that letters are next to them. Code remains the innermost. */
export function inward(pieces: readonly Piece[], given: readonly Span[]): Piece[] {
  const rank = (span: Span): number => (isCode(span) ? 2 : isStrict(span) ? 1 : 0)
  return pieces.map((piece) =>
    piece.spans.some(isIn(given)) ? { ...piece, spans: piece.spans.toSorted((one, other) => rank(one) - rank(other)) } : piece
  )
}

interface Change extends Stretch {
  readonly insert: string
}

/** The place of a piece in text that is written. */
export interface Place extends Stretch {
  readonly piece: Piece
}

export interface Written {
  /** The text of the stretch. */
  readonly text: string
  readonly changes: readonly Change[]
  /** The places of pieces and marks in the text. */
  readonly places: readonly Place[]
  readonly marks: readonly Stretch[]
  /** The marks that end each group of spans. */
  readonly closings: readonly (Stretch & { readonly spans: readonly Span[] })[]
}

/** Returns the smallest change that replaces text. */
function replaced(old: string, at: number, text: string): Change[] {
  let [start, end] = [0, 0]
  const most = Math.min(old.length, text.length)
  while (start < most && old[start] === text[start]) start++
  while (end < most - start && old.at(-1 - end) === text.at(-1 - end)) end++
  return old === text ? [] : [{ from: at + start, to: at + old.length - end, insert: text.slice(start, text.length - end) }]
}

/** Joins changes with only spaces between them, so that they are a single suggestion. */
function closed(changes: readonly Change[], read: Read): Change[] {
  const joined: Change[] = []
  for (const change of changes) {
    const last = joined.at(-1)
    const between = last && read(last.to, change.from)
    if (last === undefined || between === undefined || /\S/.test(between)) joined.push(change)
    else joined.splice(-1, 1, { from: last.from, to: change.to, insert: last.insert + between + change.insert })
  }
  return joined
}

/** Separates the spaces before text whose marks would have no effect next to a space. */
function withSpacesApart(piece: Piece): Piece[] {
  const spaces = piece.spans.some((span) => isStrict(span) || span.name === 'Highlight')
    ? piece.text.length - piece.text.trimStart().length
    : 0
  return spaces === 0 ? [piece] : [part(piece, 0, spaces), part(piece, spaces, piece.text.length)].filter(({ text }) => text !== '')
}

/** Writes the pieces of a stretch with the marks that they need. */
export function written(pieces: readonly Piece[], { from, to }: Stretch, read: Read): Written {
  const changes: Change[] = []
  const places: Place[] = []
  const marks: Stretch[] = []
  const closings: (Stretch & { spans: readonly Span[] })[] = []
  let [at, text, unread] = [from, '', '']
  let open: readonly Span[] = []
  const put = (words: string): Stretch => {
    unread += words
    text += words
    return { from: text.length - words.length, to: text.length }
  }
  const skipTo = (position: number): void => {
    changes.push(...replaced(read(at, position), at, unread))
    unread = ''
    at = position
  }
  const mark = (spans: readonly Span[], isOpening: boolean): void => {
    const kept = open.findIndex((span) => !spans.includes(span))
    const ended = kept < 0 ? [] : open.slice(kept)
    open = open.filter((span) => !ended.includes(span))
    const closed = ended.toReversed().map(({ close }) => put(close))
    marks.push(...closed)
    const [first, last] = [closed[0], closed.at(-1)]
    if (first !== undefined && last !== undefined) closings.push({ from: first.from, to: last.to, spans: ended })
    if (!isOpening) return
    const begun = spans.filter((span) => !open.includes(span))
    marks.push(...begun.map((span) => put(span.open)))
    open = [...open, ...begun]
  }
  for (const piece of pieces.flatMap(withSpacesApart)) {
    mark(piece.spans, piece.text.trim() !== '' || piece.spans.some(isCode))
    if (piece.at !== undefined) skipTo(piece.at.from)
    const place = piece.at === undefined ? put(piece.text) : { from: text.length, to: text.length + piece.text.length }
    places.push({ ...place, piece })
    if (piece.at === undefined) continue
    text += piece.text
    at = piece.at.to
  }
  mark([], false)
  skipTo(to)
  return { text, changes: closed(changes, read), places, marks, closings }
}

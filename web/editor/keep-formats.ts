/**
 * Keeps the formats and links of the text around a change by a person. If the change begins or ends within a format, the rest of the formatted text
 * keeps a pair of marks. If a line break goes into a format, the text on each side gets a pair. Only the lines at the ends of the change are parsed.
 */
import { syntaxTree } from '@codemirror/language'
import { EditorState, Transaction, type ChangeSpec, type Extension, type StateEffect, type TransactionSpec } from '@codemirror/state'
import type { Tree } from '@lezer/common'
import { setContinued, setPending } from './caret-formats.ts'
import { isMarked, markersFor, textBetween } from './empty-marks.ts'
import { arranged, inward, isStrict, piecesIn, spansIn, written } from './format-pieces.ts'
import type { Arranged, Piece, Place, Read, Span, Stretch, Written } from './format-pieces.ts'
import { markdownParser } from './language.ts'

/** Text that is replaced by `insert`, which is between `start` and `end` after the change. */
interface Edit extends Stretch {
  readonly insert: string
  readonly start: number
  readonly end: number
}

/** The lines that edits touch. */
interface Lines extends Stretch {
  readonly edits: Edit[]
}

/** Longest text whose formats are kept, in UTF-16 units. */
const unitsMax = 8000

const names = ['StrongEmphasis', 'Emphasis', 'Strikethrough', 'Highlight', 'InlineCode', 'Link', 'Subscript', 'Superscript', 'Image']
const bits: ReadonlyMap<string, number> = new Map(names.map((name, index) => [name, 2 ** index]))
const imageBit = bits.get('Image') ?? 0
const markBit = 2 ** names.length

/** Returns the formats of each character of a stretch, as bits. */
function formatsIn(tree: Tree, { from, to }: Stretch): Uint16Array {
  const found = new Uint16Array(to - from)
  const add = (bit: number, start: number, end: number): void => {
    for (let at = Math.max(start, from); at < Math.min(end, to); at++) found[at - from] = (found[at - from] ?? 0) | bit
  }
  tree.iterate({
    from,
    to,
    enter({ name, node }) {
      const bit = bits.get(name)
      const text = bit === undefined ? undefined : bit === imageBit ? node : textBetween(node)
      if (bit === undefined || text === undefined) return
      add(bit, node.from, node.to)
      add(markBit, node.from, text.from)
      add(markBit, text.to, node.to)
    }
  })
  return found
}

/** A line above text that is parsed alone. After a line of text, Markdown does not read an indented line as code. */
const above = 'x\n'

/** Returns the formats of each character of lines that are not in the document. */
function formatsOf(text: string): Uint16Array {
  return formatsIn(markdownParser.parse(above + text), { from: above.length, to: above.length + text.length })
}

/** Returns the lines that a change touches, and all lines of the formats there. */
function linesOf({ startState: { doc }, changes }: Transaction, tree: Tree): Lines[] {
  const found: Lines[] = []
  changes.iterChanges((from, to, start, end, inserted) => {
    let lines = { from: doc.lineAt(from).from, to: doc.lineAt(to).to }
    for (const top of [tree.resolveInner(from, -1), tree.resolveInner(to, 1)])
      for (let node = top; node.parent !== null; node = node.parent)
        if (bits.has(node.name)) lines = { from: Math.min(lines.from, node.from), to: Math.max(lines.to, node.to) }
    const last = found.at(-1)
    const isNear = last !== undefined && last.to >= lines.from
    const edits = [...(isNear ? last.edits : []), { from, to, insert: inserted.toString(), start, end }]
    if (isNear) found.pop()
    found.push({ from: isNear ? last.from : lines.from, to: lines.to, edits })
  })
  return found
}

/** Returns the parts of lines that are not replaced, in order. */
const restOf = ({ from, to, edits }: Lines): Stretch[] =>
  [...edits, { from: to }].map((edit, index) => ({ from: edits[index - 1]?.to ?? from, to: edit.from }))

/** Whether the rest of some lines keeps its formats after the edits alone. */
function isKept(tree: Tree, lines: Lines, read: Read): boolean {
  let text = ''
  const formats: (number | undefined)[] = []
  restOf(lines).forEach((part, index) => {
    const insert = lines.edits[index]?.insert ?? ''
    text += read(part.from, part.to) + insert
    formats.push(...formatsIn(tree, part), ...Array<undefined>(insert.length))
  })
  return formatsOf(text).every((bit, at) => formats[at] === undefined || formats[at] === bit || /\s/.test(text.charAt(at)))
}

/** Whether Markdown reads written text with the formats of its pieces, and each mark as a mark. */
function isRead({ text, places, marks }: Written): boolean {
  const formats = formatsOf(text)
  const hasAll = ({ from, to }: Stretch, test: (bit: number) => boolean): boolean =>
    formats.subarray(from, to).every((bit, index) => /\s/.test(text.charAt(from + index)) || test(bit))
  const isRight = ({ piece: { at, spans }, ...place }: Place): boolean => {
    const own = spans.reduce((sum, { name }) => sum | (bits.get(name) ?? 0), 0)
    return at === undefined || hasAll(place, (bit) => (bit & ~imageBit) === own)
  }
  return marks.every((mark) => hasAll(mark, (bit) => (bit & markBit) !== 0)) && places.every(isRight)
}

/** Whether an edit is part of one mark, which the person can see at the caret and wants to change. */
const isInMark = ({ from, to }: Stretch, { node, text }: Span): boolean =>
  from < to
    ? (node.from <= from && to <= text.from) || (text.to <= from && to <= node.to)
    : (node.from < from && from < text.from) || (text.to < from && from < node.to)

/** Whether an edit removes one mark of a span or a part of it. */
const isTorn = ({ from, to }: Stretch, { node, text }: Span): boolean =>
  (from < text.from && to > node.from) || (from < node.to && to > text.to)

/** Whether other rules handle an edit: it deletes all of the text of a span, or leaves a space at the edge of the text (`deleteInFormats`). */
function isLeft({ from, to, insert }: Edit, pieces: readonly Piece[], read: Read): boolean {
  const { at, spans = [] } = pieces.find((piece) => piece.at !== undefined && piece.at.from <= from && to <= piece.at.to) ?? {}
  const text = spans.at(-1)?.text
  if (at === undefined || text === undefined || insert !== '') return false
  const [before, after] = [read(at.from, from), read(to, at.to)]
  const isAll = text.from === at.from && text.to === at.to && (before + after).trim() === ''
  return isAll || (after === '' && /\s$/.test(before)) || (before === '' && /^\s/.test(after))
}

const mayHaveMarks = (text: string): boolean => /[*_~=`[\]]/.test(text)

/** Returns the pieces of text with formats of its own that is pasted within a line. Empty for other text. */
function piecesOf(insert: string): Piece[] {
  if (insert.length < 2 || insert.includes('\n') || !mayHaveMarks(insert)) return []
  const text = `${above}${insert}`
  const read: Read = (from, to) => text.slice(from, to)
  const stretch = { from: above.length, to: text.length }
  const spans = spansIn(markdownParser.parse(text), [stretch], read)
  return spans.length === 0 ? [] : piecesIn(stretch, spans, read)
}

/** Returns the pieces of the text that an edit inserts, which gets the formats at its place. */
function inserted({ from, to, insert }: Edit, edit: number, spans: readonly Span[]): Piece[] {
  const around = spans.filter(({ text }) => text.from <= from && from <= text.to && (text.from < from || to <= text.to))
  const isCode = around.some(({ name }) => name === 'InlineCode')
  const pieces = isCode ? [] : piecesOf(insert)
  const isPlain = !insert.includes('\n') && (isCode || !mayHaveMarks(insert))
  if (pieces.length === 0) return [{ at: undefined, edit, text: insert, spans: isPlain ? around : [] }]
  const isNew = ({ name }: Span): boolean => !around.some((span) => span.name === name)
  return pieces.map((piece) => ({ at: undefined, edit, text: piece.text, spans: [...around, ...piece.spans.filter(isNew)] }))
}

/** Returns the text of some lines with the marks that it needs after an edit. Undefined if the edit alone keeps all formats. */
function kept(tree: Tree, lines: Lines, read: Read): Written | undefined {
  const { edits } = lines
  const rest = restOf(lines)
  if (rest.reduce((sum, { from, to }) => sum + to - from, 0) > unitsMax) return undefined
  const spans = spansIn(tree, rest, read)
  if (!edits.some(({ from, to }) => spans.some(({ node }) => node.from <= to && from <= node.to))) return undefined
  if (edits.some((edit) => spans.some((span) => isInMark(edit, span)))) return undefined
  const isNested = ({ from, insert }: Edit): boolean =>
    spans.some(({ text }) => text.from <= from && from <= text.to) && piecesOf(insert).length > 0
  const mayBeKept = !edits.some((edit) => isNested(edit) || spans.some((span) => isTorn(edit, span)))
  if (mayBeKept && (isKept(tree, lines, read) || edits.every((edit) => isLeft(edit, piecesIn(lines, spans, read), read)))) return undefined
  const arrange = (lost: readonly Span[], isWide = false): Arranged => {
    const own = spansIn(tree, rest, read)
    const isFound = ({ node }: Span): boolean => !lost.some((span) => span.node.from === node.from && span.node.to === node.to)
    const pieces = rest.flatMap((part, index): Piece[] => {
      const edit = edits[index]
      return [...piecesIn(part, own, read), ...(edit === undefined ? [] : inserted(edit, index, own))]
    })
    return arranged(
      pieces.map((piece) => ({ ...piece, spans: piece.spans.filter(isFound) })),
      isWide
    )
  }
  const { pieces, ended, begun } = arrange([])
  const tries = [
    () => pieces,
    () => inward(pieces, [...ended, ...begun]),
    () => arrange([], true).pieces,
    // If Markdown has no marks for the text, some of it loses a format.
    () => arrange(begun.filter(isStrict)).pieces,
    () => arrange(ended.filter(isStrict)).pieces,
    () => arrange([...ended, ...begun]).pieces
  ]
  for (const each of tries) {
    const made = written(each(), lines, read)
    if (isRead(made)) return made
  }
  return undefined
}

interface Caret {
  readonly at: number
  readonly effects: readonly StateEffect<unknown>[]
}

/** Returns the caret after an edit, and the formats of the text that is typed next. Text that is written begins at `start`. */
function caretAfter({ text, marks, closings }: Written, { insert }: Edit, place: Stretch, start: number): Caret {
  // Below a line break, the text goes on in its formats.
  const at = marks.reduce((head, mark) => (insert.startsWith('\n') && mark.from === head ? mark.to : head), place.to)
  const closing = insert === '' ? closings.findLast(({ to }) => to <= at) : undefined
  // The next word continues the formats before the spaces.
  const isContinued = closing !== undefined && closing.to < at && text.slice(closing.to, at).trim() === ''
  const effect =
    isContinued && setContinued.of({ markers: markersFor(closing.spans), closing: { from: start + closing.from, to: start + closing.to } })
  return { at: start + at, effects: effect === false ? [] : [effect] }
}

/** Returns the effect that gives the text that is typed next the formats that lost all of their text. */
function pendingAfter(tree: Tree, { from, to, insert }: Edit): StateEffect<unknown>[] {
  const around = spansIn(tree, [{ from, to }], () => '').filter(({ node }) => node.from <= from && to <= node.to)
  const markers = markersFor(around.filter(({ text }) => from <= text.from && text.to <= to))
  return insert === '' && markers.length > 0 ? [setPending.of(markers)] : []
}

const events = /^(?:delete(?:\..*)?|input|input\.type|input\.paste|input\.drop|move\.drop)$/

/** Returns the change that a person makes with the marks that it needs. Undefined if it needs none. */
function keeping(transaction: Transaction): TransactionSpec | undefined {
  const { startState, newSelection, docChanged } = transaction
  const userEvent = transaction.annotation(Transaction.userEvent)
  if (!docChanged || userEvent === undefined || !events.test(userEvent) || newSelection.ranges.length > 1) return undefined
  const tree = syntaxTree(startState)
  const read: Read = (from, to) => startState.sliceDoc(from, to)
  const all = linesOf(transaction, tree).map((lines) => ({ ...lines, made: kept(tree, lines, read) }))
  if (all.every(({ made }) => made === undefined)) return undefined
  const changes = startState.changes(
    all.flatMap(({ edits, made }): readonly ChangeSpec[] => made?.changes ?? edits.map(({ from, to, insert }) => ({ from, to, insert })))
  )
  const { main } = newSelection
  const spec = { changes, annotations: isMarked.of(true), scrollIntoView: transaction.scrollIntoView, userEvent }
  for (const { from, edits, made } of all) {
    const index = edits.findIndex(({ start, end }) => start <= main.head && main.head <= end)
    const edit = edits[index]
    const places = made?.places.filter(({ piece }) => piece.edit === index) ?? []
    const [first, last] = [places[0], places.at(-1)]
    if (made === undefined || edit === undefined || first === undefined || last === undefined) continue
    const start = changes.mapPos(from, -1)
    const caret = caretAfter(made, edit, last, start)
    const anchor = main.empty ? caret.at : start + first.from
    return {
      ...spec,
      selection: { anchor, head: caret.at },
      effects: [...transaction.effects, ...caret.effects, ...pendingAfter(tree, edit)]
    }
  }
  return { ...spec, effects: transaction.effects }
}

/** Must come after `emptyMarks` and `deleteInFormats` in the list of extensions, so that it sees each change first. */
export const keepFormats: Extension = EditorState.transactionFilter.of((transaction) => keeping(transaction) ?? transaction)

/**
 * Turns the selected blocks into another kind. The words stay the same characters, so that comments, suggestions and other people's carets stay on
 * them. It is one change of the text. One block that becomes a quote, a callout or code loses its own marks, and several blocks keep theirs inside it.
 */
import { EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { t } from '../../text/t.ts'
import { asOneSuggestion } from '../one-suggestion.ts'
import { chosenBlocks, dispatchStep, type Chosen } from './commands.ts'
import { gapOf } from './gaps.ts'
import { countOf, numberEdits, type Edit } from './numbers.ts'
import { itemWidth, kindOf, linesOf, rowsOf, type Kind, type Row } from './turn-rows.ts'
import { isNested } from './items.ts'
import { indexAt, siblingsOf, type Unit } from './units.ts'

/** A range of the text that stays, and the new text before it. */
interface Piece extends Row {
  readonly before: string
}

/** The blocks to turn, and the place where they are. */
interface Job {
  readonly state: EditorState
  readonly units: readonly Unit[]
  readonly kind: Kind
  readonly above: Unit | undefined
  readonly below: Unit | undefined
  /** The indentation of items in another item; '' at the top level. */
  readonly lead: string
}

const isList = (kind: Kind | undefined): boolean => kind?.startsWith('list.') === true
const wrappers = new Set<Kind>(['quote', 'insert.callout', 'insert.code', 'insert.details'])

/** Returns the lines from the first to the last block. Without `isBare`, blocks keep their own marks, except quotes. */
function wrappedRows({ state, units, lead }: Job, isBare: boolean): Row[] {
  const cut = lead.length
  const rows: Row[] = []
  units.forEach((unit, index) => {
    const kind = kindOf(state, unit)
    const isQuote = kind === 'quote' || kind === 'insert.callout'
    const before = units[index - 1]
    if (before !== undefined) rows.push(...linesOf(state, { from: before.to + 1, to: unit.from - 1 }))
    if (kind !== undefined && (isBare || isQuote)) rows.push(...rowsOf(state, unit, kind))
    else rows.push(...linesOf(state, unit).map(({ text, from, to }) => ({ from: from + (text.trim() === '' ? 0 : cut), to })))
  })
  return rows
}

/** Returns a fence that is longer than every fence in the code. */
function fenceAround(state: EditorState, rows: readonly Row[]): string {
  const lengths = rows.map(({ from, to }) => /^ {0,3}(`{3,})/.exec(state.sliceDoc(from, to))?.[1]?.length ?? 0)
  return '`'.repeat(Math.max(3, ...lengths.map((length) => length + 1)))
}

/** The pieces of one block, and the block as far as the lines around it depend on it. */
interface Made {
  readonly pieces: readonly Piece[]
  readonly kept: Unit
}

interface Turned {
  readonly pieces: readonly Piece[]
  /** The text after the last piece. */
  readonly tail: string
  /** The first and the last of the new blocks, as far as the lines between blocks depend on them. */
  readonly first: Unit
  readonly last: Unit
}

const fake = (unit: Unit, name: string, item?: Unit['item']): Unit => ({ ...unit, name, item })

/** Returns the blocks inside a quote, a callout, code or collapsible text. */
function wrapped(job: Job): Turned {
  const { state, units, kind, lead } = job
  const [only, another] = units
  if (only === undefined) throw new Error('there is no block')
  const rows = wrappedRows(job, another === undefined)
  const isQuote = kind === 'quote' || kind === 'insert.callout'
  const piece =
    (open: string) =>
    (row: Row, index: number): Piece => {
      const mark = isQuote ? (row.from === row.to ? '>' : '> ') : ''
      return { ...row, before: (index === 0 ? open : '\n') + (row.from === row.to ? lead.slice(0, isQuote ? undefined : 0) : lead) + mark }
    }
  const [first, last] = [fake(only, kind), fake(units.at(-1) ?? only, kind)]
  if (isQuote) return { pieces: rows.map(piece(kind === 'quote' ? '' : `${lead}> [!NOTE]\n`)), tail: '', first, last }
  if (kind === 'insert.code') {
    const fence = fenceAround(state, rows)
    return { pieces: rows.map(piece(`${lead}${fence}\n`)), tail: `\n${lead}${fence}`, first, last }
  }
  return folded(job, rows, first, last)
}

/** Returns collapsible text. The words of the first block become the summary if the block has a single line. */
function folded({ state, units, lead }: Job, rows: readonly Row[], first: Unit, last: Unit): Turned {
  const kind = units[0] === undefined ? undefined : kindOf(state, units[0])
  const own = units[0] === undefined || kind === undefined ? [] : rowsOf(state, units[0], kind)
  const hasSummary = own[0] !== undefined && kind !== 'insert.code'
  const inside = hasSummary ? rows.slice(rows.findIndex(({ to }) => to === own[0]?.to) + 1) : rows
  const begin = inside.findIndex(({ from, to }) => state.sliceDoc(from, to).trim() !== '')
  const content = begin < 0 ? [] : inside.slice(begin)
  const open = `${lead}<details>\n${lead}<summary>`
  const summary = hasSummary && own[0] !== undefined ? [{ ...own[0], before: open }] : []
  const head = `${summary.length === 0 ? open + t('Summary') : ''}</summary>\n\n`
  const pieces = content.map((row, index) => ({ ...row, before: (index === 0 ? head : '\n') + (row.from === row.to ? '' : lead) }))
  const empty = content.length === 0 ? head + lead : ''
  return { pieces: [...summary, ...pieces], tail: `${empty}\n\n${lead}</details>`, first, last }
}

/** Returns the sign of new items: the one of the block itself, or of a list next to it. */
function signOf({ above, below, kind }: Job, own: Unit['item']): string {
  const isNumber = kind === 'list.number'
  return (
    [own, above?.item, below?.item].find((item) => item !== undefined && (item.number !== undefined) === isNumber)?.sign ??
    (isNumber ? '.' : '-')
  )
}

/** Returns the text or the heading that one block becomes. Nested items and paragraphs of an item come below its words. */
function words({ state, kind, lead }: Job, unit: Unit, own: Kind): Made {
  const mark = kind === 'text' ? '' : `${'#'.repeat(Number(kind.slice('heading.'.length)))} `
  const [first, ...rest] = rowsOf(state, unit, own)
  const isBlank = ({ from, to }: Row): boolean => state.sliceDoc(from, to).trim() === ''
  const begin = isList(own) ? rest.findIndex((row) => !isBlank(row)) : 0
  const pieces = (begin < 0 ? [] : rest.slice(begin)).map((row, index): Piece => {
    const breaks = index === 0 && isList(own) ? '\n\n' : '\n'
    return { ...row, before: breaks + (isBlank(row) ? '' : lead) }
  })
  const kept = fake(unit, kind === 'text' || pieces.length > 0 ? 'Paragraph' : 'ATXHeading1')
  return { pieces: [{ ...(first ?? { from: unit.to, to: unit.to }), before: lead + mark }, ...pieces], kept }
}

/** Returns the items that one block becomes: each line of other blocks is an item, and an item keeps everything in it. */
function items(job: Job, unit: Unit, own: Kind): Made {
  const { state, kind, lead } = job
  const sign = signOf(job, unit.item)
  const mark = kind === 'list.number' ? `1${sign} ` : `${sign} `
  const task = kind === 'list.task' ? '[ ] ' : ''
  const { list = -1, number, loose = false } = unit.item ?? {}
  const kept = fake(unit, 'ListItem', { list, sign, number, loose })
  const rows = rowsOf(state, unit, own)
  if (!isList(own)) {
    const written = rows.filter(({ from, to }) => state.sliceDoc(from, to).trim() !== '')
    const all = written.length === 0 ? [{ from: unit.to, to: unit.to }] : written
    return { pieces: all.map((row, index) => ({ ...row, before: `${index === 0 ? '' : '\n'}${lead}${mark}${task}` })), kept }
  }
  const lines = linesOf(state, unit)
  const indent = /^[ \t]*/.exec(lines[0]?.text ?? '')?.[0] ?? ''
  const width = indent.length + mark.length
  const isSame = lines[0] !== undefined && itemWidth(lines[0]) === width
  const pieces = rows.map((row, index): Piece => {
    const from = lines[index]?.from ?? row.from
    if (index === 0) return { ...row, before: indent + mark + task }
    return isSame || from === row.from ? { from, to: row.to, before: '\n' } : { ...row, before: `\n${' '.repeat(width)}` }
  })
  return { pieces, kept }
}

function gapBetween({ state }: Job, above: Unit | undefined, below: Unit, [from, to]: readonly [number, number]): string {
  const gap = state.sliceDoc(from, to)
  return above === undefined ? gap : gapOf({ above, below, gap, isBrought: true, isIndented: false })
}

/** Returns the blocks as text, headings or items. Tables and other blocks that cannot become these stay as they are. */
function converted(job: Job): Turned {
  const { state, units, kind } = job
  const made = units.map((unit): Made => {
    const own = kindOf(state, unit)
    if (own === undefined || own === kind) return { pieces: [{ from: unit.from, to: unit.to, before: '' }], kept: unit }
    return (isList(kind) ? items : words)(job, unit, own)
  })
  const pieces = made.flatMap(({ pieces: own, kept }, index) => {
    const gap = index === 0 ? '' : gapBetween(job, made[index - 1]?.kept, kept, [units[index - 1]?.to ?? 0, units[index]?.from ?? 0])
    return own.map((piece, at) => (at === 0 ? { ...piece, before: gap + piece.before } : piece))
  })
  const [first, last] = [made[0]?.kept, made.at(-1)?.kept]
  if (first === undefined || last === undefined) throw new Error('there is no block')
  return { pieces, tail: '', first, last }
}

/** Returns an edit without the characters at its ends that do not change. */
function smallest(state: EditorState, { from, to, insert }: Edit): Edit[] {
  const old = state.sliceDoc(from, to)
  let [start, end] = [0, 0]
  const most = Math.min(old.length, insert.length)
  while (start < most && old[start] === insert[start]) start++
  while (end < most - start && old.at(-1 - end) === insert.at(-1 - end)) end++
  const edit = { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) }
  return edit.from === edit.to && edit.insert === '' ? [] : [edit]
}

/** Returns the edits that number the new items and the rest of their lists in sequence, if these were in sequence before. */
function renumbered(next: EditorState, { state, units, above, below }: Job, from: number, to: number): Edit[] {
  const all = chosenBlocks(state)?.units ?? []
  const wasCounted = ({ item }: Unit): boolean =>
    item?.number === undefined || countOf(all.filter((other) => other.item?.list === item.list))?.step === 1
  if (![above, ...units, below].every((unit) => unit === undefined || wasCounted(unit))) return []
  const list = below?.item?.list
  const inList = ({ item }: Unit): boolean => list !== undefined && item?.list === list
  const isAbove = above !== undefined && inList(above)
  const own = isAbove ? undefined : units.find(inList)?.item?.number?.value
  const isJoined = isAbove || own !== undefined
  const after = siblingsOf(next, from, to)
  const [first, last] = [indexAt(after, from), indexAt(after, to)]
  const edits: Edit[] = []
  let value = own === undefined ? undefined : own - 1
  for (const [index, unit] of after.entries()) {
    if (index < first - 1) continue
    const number = unit.item?.number
    if (index > last && (number === undefined || value === undefined)) break
    if (number !== undefined) edits.push(...numberEdits(next, unit, (value = value === undefined ? number.value : value + 1)))
    else if (!isJoined) value = undefined
  }
  return edits
}

/** Returns the transaction that turns blocks into a kind. Undefined if nothing changes. */
export function turned(state: EditorState, { units: all, run }: Chosen, kind: Kind): TransactionSpec | undefined {
  const units = all.slice(run.first, run.last + 1)
  const [first, last] = [units[0], units.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const lead = isNested(state, first) ? (/^[ \t]*/.exec(state.doc.lineAt(first.from).text)?.[0] ?? '') : ''
  const job: Job = { state, units, kind, above: all[run.first - 1], below: all[run.last + 1], lead }
  const { above, below } = job
  const made = (wrappers.has(kind) ? wrapped : converted)(job)
  const start = above?.to ?? first.from
  const end = below?.from ?? last.to
  const gapAbove = above === undefined ? (lead === '' ? '' : '\n') : gapBetween(job, above, made.first, [above.to, first.from])
  const gapBelow = below === undefined ? '' : gapBetween(job, made.last, below, [last.to, below.from])
  const edits: Edit[] = []
  let at = start
  made.pieces.forEach(({ from, to, before }, index) => {
    edits.push(...smallest(state, { from: at, to: from, insert: (index === 0 ? gapAbove : '') + before }))
    at = to
  })
  edits.push(...smallest(state, { from: at, to: end, insert: made.tail + gapBelow }))
  const changes = state.changes(edits)
  if (changes.empty) return undefined
  let length = start + gapAbove.length
  const placed = made.pieces.map((piece) => {
    const begin = length + piece.before.length
    length = begin + piece.to - piece.from
    return { ...piece, begin }
  })
  const place = (position: number): number => {
    const piece = placed.findLast(({ from }) => from <= position) ?? placed[0]
    if (piece === undefined || position < start || position > end) return changes.mapPos(position, 1)
    return piece.begin + Math.max(0, Math.min(position, piece.to) - piece.from)
  }
  const next = state.update({ changes }).state
  const numbers = next.changes(renumbered(next, job, placed[0]?.begin ?? start, length))
  const { anchor, head } = state.selection.main
  return {
    changes: asOneSuggestion(state, changes.compose(numbers)),
    selection: EditorSelection.range(numbers.mapPos(place(anchor), 1), numbers.mapPos(place(head), 1)),
    scrollIntoView: true,
    userEvent: 'input.format'
  }
}

/** Turns the selected blocks into a kind, as one undo step. */
export function turnInto(view: EditorView, kind: Kind): void {
  const chosen = view.state.readOnly ? undefined : chosenBlocks(view.state)
  const spec = chosen && turned(view.state, chosen, kind)
  if (spec !== undefined) dispatchStep(view, spec)
}

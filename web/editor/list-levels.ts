/** Moves list items in and out by one level. Their sub-items move with them, and the numbers of the lists around them stay in sequence. */
import { syntaxTree } from '@codemirror/language'
import { EditorSelection, type ChangeSpec, type EditorState, type TransactionSpec } from '@codemirror/state'
import type { Command } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { isInCode } from './in-code.ts'

/** The parts of a line. `marker` is '' if no item begins on the line. */
interface Row {
  /** The quote marks and the indentation. */
  readonly lead: string
  readonly marker: string
  /** The spaces after the marker. */
  readonly gap: string
  readonly rest: string
}

/** Maximum number of lines above and below the selection that are searched for the list around it. */
const aroundMax = 1000

/** Matches a fence of a code block. In such a block, a line may look like an item without being one. */
const fence = /^[ \t>]*(?:```|~~~)/

function rowOf(text: string): Row {
  const lead = /^[ \t>]*/.exec(text)?.[0] ?? ''
  const found = /^([-*+]|\d{1,9}[.)])([ \t]+)/.exec(text.slice(lead.length))
  const [all = '', marker = '', gap = ''] = found ?? []
  return { lead, marker, gap, rest: text.slice(lead.length + all.length) }
}

const textOf = ({ lead, marker, gap, rest }: Row): string => lead + marker + gap + rest
const isBlank = ({ marker, rest }: Row): boolean => marker === '' && rest === ''

/** Returns the width of an indentation in columns. A tab ends at a multiple of four columns. */
function columns(lead: string): number {
  let count = 0
  for (const letter of lead) count = letter === '\t' ? count + 4 - (count % 4) : count + 1
  return count
}

/** Returns the column at which the text of an item begins. Sub-items must be indented at least to this column. */
const inside = ({ lead, marker, gap }: Row): number => columns(lead) + marker.length + (gap.length > 4 ? 1 : gap.length)

const numberOf = ({ marker }: Row): number | undefined => (/^\d/.test(marker) ? Number.parseInt(marker, 10) : undefined)

/** Whether a line ends all lists above it. */
const isEdge = (rows: readonly Row[], index: number): boolean => {
  const [row, above] = [rows[index], rows[index - 1]]
  if (row === undefined || row.marker !== '' || isBlank(row) || row.lead.trim() !== '' || row.lead !== '') return false
  return above === undefined || isBlank(above) || /^(?:#{1,6}[ \t]|```|~~~|\|)/.test(row.rest)
}

/** Returns the index of the previous item in the same list. Undefined if there is none. */
function before(rows: readonly Row[], index: number): number | undefined {
  const own = rows[index]
  for (let at = index - 1; own !== undefined && at >= 0 && !isEdge(rows, at); at--) {
    const row = rows[at]
    if (row === undefined || row.marker === '' || columns(row.lead) > columns(own.lead)) continue
    return columns(own.lead) >= inside(row) ? undefined : at
  }
  return undefined
}

/** Returns the index of the last line of an item, including its sub-items. */
function endOf(rows: readonly Row[], index: number): number {
  const depth = columns(rows[index]?.lead ?? '')
  let end = index
  for (let at = index + 1; at < rows.length && !isEdge(rows, at); at++) {
    const row = rows[at]
    if (row === undefined) break
    if (isBlank(row)) continue
    if (columns(row.lead) <= depth && (row.marker !== '' || isBlank(rows[at - 1] ?? row))) break
    end = at
  }
  return end
}

/** Returns the indentation of an item that becomes a sub-item of the item above. Undefined if there is no item above. */
function deeper(rows: readonly Row[], index: number): string | undefined {
  const above = before(rows, index)
  const [own, row] = [rows[index], above === undefined ? undefined : rows[above]]
  if (above === undefined || own === undefined || row === undefined) return undefined
  const child = rows.slice(above + 1, index).find(({ lead, marker }) => marker !== '' && columns(lead) >= inside(row))
  return child?.lead ?? row.lead + ' '.repeat(inside(row) - columns(row.lead))
}

/** Returns the indentation of the item that contains an item. */
function outer(rows: readonly Row[], index: number): string {
  const lead = rows[index]?.lead ?? ''
  // The space after a quote mark belongs to the quote mark.
  const behind = lead.lastIndexOf('>') + 1
  const quote = lead.slice(0, behind > 0 && lead[behind] === ' ' ? behind + 1 : behind)
  for (let at = index - 1; at >= 0 && !isEdge(rows, at); at--) {
    const row = rows[at]
    if (row !== undefined && row.marker !== '' && row.lead.startsWith(quote) && columns(row.lead) < columns(lead)) return row.lead
  }
  return quote
}

/** Changes the marker of an item. The lines inside the item move with its text. */
function mark(rows: Row[], index: number, marker: string): void {
  const own = rows[index]
  if (own === undefined || own.marker === marker) return
  const end = endOf(rows, index)
  const more = marker.length - own.marker.length
  rows[index] = { ...own, marker }
  for (let at = index + 1; at <= end; at++) {
    const row = rows[at]
    if (row === undefined || isBlank(row) || columns(row.lead) < inside(own) || row.lead.includes('\t')) continue
    rows[at] = { ...row, lead: more < 0 ? row.lead.slice(0, more) : row.lead + ' '.repeat(more) }
  }
}

/** Whether the number of an item follows that of the previous item. */
function follows(rows: readonly Row[], index: number): boolean {
  const above = rows[before(rows, index) ?? -1]
  const [one, two] = [above && numberOf(above), numberOf(rows[index] as Row)]
  return one !== undefined && two === one + 1
}

/** Numbers the items that were moved and those that were numbered in sequence. Other numbers are intentional. */
function renumber(rows: Row[], former: readonly Row[], moved: ReadonlySet<number>): void {
  for (const [index, row] of former.entries()) {
    if (row.marker === '' || rows[index]?.marker === '') continue
    const above = rows[before(rows, index) ?? -1]
    const own = rows[index] as Row
    // All items of a list have the same kind of marker.
    if (moved.has(index) && above !== undefined && numberOf(above) === undefined) mark(rows, index, above.marker)
    else if (moved.has(index) && above !== undefined) mark(rows, index, `${(numberOf(above) ?? 0) + 1}${above.marker.slice(-1)}`)
    else if (numberOf(own) !== undefined && (moved.has(index) || follows(former, index) || (above && before(former, index) === undefined)))
      mark(rows, index, `${above === undefined ? 1 : (numberOf(above) ?? 0) + 1}${own.marker.slice(-1)}`)
  }
}

interface Lines {
  /** Number of the first line in the document. */
  readonly first: number
  readonly rows: Row[]
  /** The indices of the selected items. */
  readonly chosen: readonly number[]
}

/** Returns the lines of the lists around the selection. */
function linesOf({ doc, selection: { main } }: EditorState): Lines {
  const [top, bottom] = [doc.lineAt(main.from).number, doc.lineAt(main.to).number]
  const [first, last] = [Math.max(1, top - aroundMax), Math.min(doc.lines, bottom + aroundMax)]
  const rows: Row[] = []
  let isCode = false
  for (let number = first; number <= last; number++) {
    const { text } = doc.line(number)
    const isFence = fence.test(text)
    const row = rowOf(text)
    rows.push(isCode || isFence ? { ...row, marker: '', gap: '', rest: row.marker + row.gap + row.rest } : row)
    if (isFence) isCode = !isCode
  }
  const chosen = rows.flatMap(({ marker }, index) => (marker !== '' && index >= top - first && index <= bottom - first ? index : []))
  return { first, rows, chosen }
}

/** Returns the changes to the indentation and the marker of each line. */
const changesOf = ({ doc }: EditorState, { first, rows }: Lines, former: readonly Row[]): ChangeSpec[] =>
  rows.flatMap((row, index) => {
    const was = former[index] as Row
    if (textOf(row) === textOf(was)) return []
    const { from } = doc.line(first + index)
    const [old, now] = [was.lead + was.marker, row.lead + row.marker]
    let same = 0
    while (same < old.length && same < now.length && old[same] === now[same]) same++
    return { from: from + same, to: from + old.length, insert: now.slice(same) }
  })

/** Returns the transaction that moves the selected items by one level. Undefined if none is selected. */
function moved(state: EditorState, isDeeper: boolean): TransactionSpec | undefined {
  const lines = linesOf(state)
  const { rows, chosen } = lines
  if (chosen.length === 0 || isInCode(state, state.selection.main.head)) return undefined
  const former = [...rows]
  const items = new Set<number>()
  let done = -1
  for (const index of chosen) {
    const lead = index <= done ? undefined : isDeeper ? deeper(rows, index) : outer(rows, index)
    const own = rows[index]?.lead
    if (lead === undefined || lead === own || own === undefined) continue
    done = endOf(rows, index)
    items.add(index)
    for (let at = index; at <= done; at++) {
      const row = rows[at]
      if (row?.lead.startsWith(own) === true && !isBlank(row)) rows[at] = { ...row, lead: lead + row.lead.slice(own.length) }
    }
  }
  renumber(rows, former, items)
  return { changes: changesOf(state, lines, former), scrollIntoView: true, userEvent: isDeeper ? 'input.indent' : 'delete.dedent' }
}

const move =
  (isDeeper: boolean): Command =>
  ({ state, dispatch }) => {
    const spec = state.readOnly ? undefined : moved(state, isDeeper)
    if (spec === undefined) return false
    dispatch(state.update(spec))
    return true
  }

export const indentItem = move(true)
export const outdentItem = move(false)

/** Moves an empty item that is inside another item out by one level. */
export const outdentEmpty: Command = (view) => {
  const { doc, selection } = view.state
  const line = doc.lineAt(selection.main.head)
  const { lead, marker, rest } = rowOf(line.text)
  const isEmpty = marker !== '' && selection.main.empty && selection.main.head === line.to && /^(?:\[[ xX]\][ \t]*)?$/.test(rest)
  if (!isEmpty) return false
  const { rows, first } = linesOf(view.state)
  return outer(rows, line.number - first) !== lead && outdentItem(view)
}

/** Matches a list item whose only text is the marker of the other kind of list, and a space. */
const otherKind = /^[ \t>]*(?:[-*+][ \t]{1,4}(1[.)])|\d{1,9}[.)][ \t]{1,4}([-*+])) $/

/** Returns the index of the next item in the same list. Undefined if there is none. */
const next = (rows: readonly Row[], index: number): number | undefined => {
  const at = rows.findIndex((row, below) => below > index && row.marker !== '' && before(rows, below) === index)
  return at === -1 ? undefined : at
}

/**
 * Returns the transaction that replaces the marker of the empty item at the caret with the one that a person has typed into it. The items below stay
 * numbered in sequence. Undefined unless the item contains only such a marker.
 */
export function otherMarker(state: EditorState): TransactionSpec | undefined {
  const { head } = state.selection.main
  const line = state.doc.lineAt(head)
  const [, number, marker = number] = otherKind.exec(line.text) ?? []
  if (marker === undefined || head !== line.to || state.readOnly || isInCode(state, line.from)) return undefined
  const lines = linesOf(state)
  const { rows, first } = lines
  const index = line.number - first
  const own = rows[index]
  if (own === undefined || own.marker === '') return undefined
  const former = [...rows]
  const above = rows[before(rows, index) ?? -1]
  const last = above && numberOf(above)
  mark(rows, index, number === undefined || last === undefined ? marker : `${last + 1}${above?.marker.slice(-1)}`)
  const made = rows[index] as Row
  let count = numberOf(made) ?? 0
  for (let at = next(former, index), was: number | undefined; at !== undefined; at = next(former, at)) {
    const below = former[at] as Row
    const its = numberOf(below)
    if (its === undefined || (was !== undefined && its !== was + 1)) break
    was = its
    mark(rows, at, `${++count}${below.marker.slice(-1)}`)
  }
  const typed = { from: line.from + own.lead.length + own.marker.length, to: line.to, insert: ' ' }
  return {
    changes: [...changesOf(state, lines, former), typed],
    selection: EditorSelection.cursor(line.from + made.lead.length + made.marker.length + 1),
    scrollIntoView: true,
    userEvent: 'input'
  }
}

/** Returns the changes that renumber the items below two lines that are about to be joined. */
export function numbersWithout(state: EditorState, above: number, below: number): ChangeSpec[] {
  const lines = linesOf(state)
  const { rows, first } = lines
  const former = [...rows]
  for (let number = above + 1; number <= below; number++) rows[number - first] = { lead: '', marker: '', gap: '', rest: '' }
  renumber(rows, former, new Set())
  for (let number = above + 1; number <= below; number++) rows[number - first] = former[number - first] as Row
  return changesOf(state, lines, former)
}

/** Whether a position is inside a list item. */
export function isInItem(state: EditorState, position: number): boolean {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1); node !== null; node = node.parent)
    if (node.name === 'ListItem') return true
  return false
}

/** Moves a paragraph that belongs to a list item out by one level, if the caret is at its first letter. */
export const outdentParagraph: Command = ({ state, dispatch }) => {
  const { main } = state.selection
  const line = state.doc.lineAt(main.head)
  const { lead, marker, rest } = rowOf(line.text)
  const isStart = main.empty && main.head === line.from + lead.length && lead !== '' && marker === '' && rest !== ''
  if (state.readOnly || !isStart || !isInItem(state, main.head) || isInCode(state, line.to)) return false
  const { rows, first } = linesOf(state)
  const insert = outer(rows, line.number - first)
  if (insert === lead) return false
  dispatch(state.update({ changes: { from: line.from, to: main.head, insert }, scrollIntoView: true, userEvent: 'delete.backward' }))
  return true
}

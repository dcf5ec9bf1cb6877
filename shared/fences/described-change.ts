/**
 * Describes a change to one fence in the terms of its kind, for the person who decides on the change. The result is undefined if the change is not
 * a single action by a person.
 */
import { applyEdits, type Edit } from '../text/diff.ts'
import { type Card, type CardState, detailsOf, parseBoard } from './board.ts'
import { parseChart } from './chart.ts'
import { chartTableOf } from './chart-data.ts'
import { parseChat } from './chat.ts'
import { type Fence, type FenceKind, fenceAt, fencesOf } from './fences.ts'
import { lettersOfColumn } from './formula/parse.ts'
import { parseSheet, textsOf } from './sheet.ts'

/** The action and its objects. Names are those that the component displays. */
export type DescribedChange =
  | { readonly kind: 'card.move' | 'card.add'; readonly name: string; readonly column: string }
  | { readonly kind: 'card.mark'; readonly name: string; readonly state: CardState }
  | { readonly kind: 'card.change' | 'card.delete' | 'card.order' | 'column.add' | 'column.delete'; readonly name: string }
  | { readonly kind: 'column.rename'; readonly name: string; readonly to: string }
  | { readonly kind: 'message.add' | 'message.change' | 'message.delete'; readonly text: string }
  | { readonly kind: 'cell.set'; readonly name: string; readonly text: string }
  | { readonly kind: 'cells.set' | 'rows.add' | 'rows.delete' | 'columns.add' | 'columns.delete'; readonly count: number }
  | { readonly kind: 'setting'; readonly name: string; readonly text: string }

/** Returns the items of `one` that `other` lacks. If `one` has more copies of an item, the result contains the surplus. */
const beyond = <T>(one: readonly T[], other: readonly T[], same: (value: T) => string): T[] => {
  const counts = new Map<string, number>()
  for (const value of other) counts.set(same(value), (counts.get(same(value)) ?? 0) + 1)
  return one.filter((value) => {
    const left = counts.get(same(value)) ?? 0
    counts.set(same(value), left - 1)
    return left <= 0
  })
}

interface InColumn {
  readonly card: Card
  readonly column: string
  readonly at: number
}

const cardsOf = (fence: Fence): InColumn[] =>
  parseBoard(fence).columns.flatMap(({ cards, title }, at) => cards.map((card) => ({ card, column: title.text, at })))
const wordsOf = ({ card }: InColumn): string => `${card.line.text.slice(card.text.from - card.line.from).trimEnd()}\n${detailsOf(card)}`
const whole = (each: InColumn): string => `${each.at} ${each.card.state} ${wordsOf(each)}`

const boardChange = (before: Fence, after: Fence): DescribedChange | undefined => {
  const [columns, next] = [before, after].map((fence) => parseBoard(fence).columns.map(({ title }) => title.text)) as [string[], string[]]
  const name = (text: string) => text
  const [goneColumns, newColumns] = [beyond(columns, next, name), beyond(next, columns, name)]
  const [were, are] = [cardsOf(before), cardsOf(after)]
  if (goneColumns.length + newColumns.length > 0) {
    if (goneColumns.length > 1 || newColumns.length > 1 || beyond(are, were, wordsOf).length > 0) return undefined
    const [gone, come] = [goneColumns[0], newColumns[0]]
    if (gone !== undefined && come !== undefined) return { kind: 'column.rename', name: gone, to: come }
    return gone === undefined ? { kind: 'column.add', name: come ?? '' } : { kind: 'column.delete', name: gone }
  }
  const [gone, come] = [beyond(were, are, whole), beyond(are, were, whole)]
  const [from, to] = [gone[0], come[0]]
  if (gone.length > 1 || come.length > 1) return undefined
  const title = (to ?? from)?.card.title.text ?? ''
  if (from === undefined && to === undefined) {
    const moved = are.findIndex((each, index) => whole(each) !== whole(were[index] as InColumn))
    // If the next card took this place, this card moved down. Otherwise, a card moved up to this place.
    const later = moved === -1 ? undefined : whole(are[moved] as InColumn) === whole(were[moved + 1] as InColumn) ? were[moved] : are[moved]
    return later && { kind: 'card.order', name: later.card.title.text }
  }
  if (from === undefined) return { kind: 'card.add', name: title, column: to?.column ?? '' }
  if (to === undefined) return { kind: 'card.delete', name: title }
  if (wordsOf(from) !== wordsOf(to)) return from.at === to.at ? { kind: 'card.change', name: from.card.title.text } : undefined
  if (from.at !== to.at) return { kind: 'card.move', name: title, column: to.column }
  return { kind: 'card.mark', name: title, state: to.card.state }
}

const chatChange = (before: Fence, after: Fence): DescribedChange | undefined => {
  const messages = (fence: Fence) => parseChat(fence).entries.flatMap((entry) => (entry.kind === 'message' ? [entry] : []))
  const words = ({ author, at, text }: ReturnType<typeof messages>[number]): string => JSON.stringify([author, at, text])
  const [were, are] = [messages(before), messages(after)]
  const [gone, come] = [beyond(were, are, words), beyond(are, were, words)]
  if (gone.length > 1 || come.length > 1 || gone.length + come.length === 0) return undefined
  const [from, to] = [gone[0], come[0]]
  if (from === undefined) return { kind: 'message.add', text: to?.text ?? '' }
  return to === undefined ? { kind: 'message.delete', text: from.text } : { kind: 'message.change', text: to.text }
}

type Texts = readonly (readonly string[])[]

const tableChange = (before: Texts, after: Texts, nameOf: (row: number, column: number) => string): DescribedChange | undefined => {
  const width = (rows: Texts): number => rows.reduce((most, { length }) => Math.max(most, length), 0)
  const [rows, columns] = [after.length - before.length, width(after) - width(before)]
  const joined = (row: readonly string[]): string => row.join('\t').trimEnd()
  if (rows !== 0 && columns === 0) {
    const strange = rows > 0 ? beyond(before, after, joined) : beyond(after, before, joined)
    // Formulas that were only updated because of the change do not make the description less specific.
    const isPlain = strange.every((row) => row.some((text) => text.startsWith('=')))
    return isPlain ? { kind: rows > 0 ? 'rows.add' : 'rows.delete', count: Math.abs(rows) } : undefined
  }
  if (columns !== 0) return rows === 0 ? { kind: columns > 0 ? 'columns.add' : 'columns.delete', count: Math.abs(columns) } : undefined
  const changed = after.flatMap((cells, row) =>
    Array.from({ length: width(after) }, (_cell, column) => column)
      .filter((column) => (cells[column] ?? '') !== (before[row]?.[column] ?? ''))
      .map((column) => ({ name: nameOf(row, column), text: cells[column] ?? '' }))
  )
  const [first] = changed
  if (first === undefined) return undefined
  return changed.length === 1 ? { kind: 'cell.set', ...first } : { kind: 'cells.set', count: changed.length }
}

const chartChange = (before: Fence, after: Fence): DescribedChange | undefined => {
  const [was, is] = [parseChart(before), parseChart(after)]
  const said = ({ key, value }: (typeof is.settings)[number]): string => `${key} ${value.text}`
  const set = beyond(is.settings, was.settings, said)
  const [first] = set
  const [rows, next] = [chartTableOf(was)?.texts ?? [], chartTableOf(is)?.texts ?? []]
  const name = (row: number, column: number): string =>
    [next[0]?.[column], row === 0 ? undefined : next[row]?.[0]].filter(Boolean).join(', ')
  const cells = tableChange(rows, next, name)
  if (first === undefined) return cells
  return set.length === 1 && cells === undefined ? { kind: 'setting', name: first.key, text: first.value.text } : undefined
}

const sheetChange = (before: Fence, after: Fence): DescribedChange | undefined => {
  const nameOf = (row: number, column: number): string => `${lettersOfColumn(column)}${row + 1}`
  return tableChange(textsOf(parseSheet(before)), textsOf(parseSheet(after)), nameOf)
}

/** Other kinds have no such descriptions. Their changes are described as changes to text. */
const changeOf: Readonly<Partial<Record<FenceKind, (before: Fence, after: Fence) => DescribedChange | undefined>>> = {
  board: boardChange,
  chat: chatChange,
  chart: chartChange,
  sheet: sheetChange
}

/**
 * Returns the fence that contains a text edit, before and after the edit. Their offsets begin at the fence's first line. Undefined if the edit is not
 * in one fence, or changes its kind. `fences` are all fences of the text.
 */
export const editedFence = (fences: readonly Fence[], edit: Edit): readonly [before: Fence, after: Fence] | undefined => {
  const fence = fenceAt(fences, edit.from)
  if (fence === undefined || edit.from < fence.bodyFrom || edit.to > fence.bodyTo) return undefined
  const start = fence.source.lastIndexOf('\n', fence.from - 1) + 1
  const local = { ...edit, from: edit.from - start, to: edit.to - start }
  const own = fence.source.slice(start, fence.to)
  const [before, after] = [fencesOf(own)[0], fencesOf(applyEdits(own, [local]))[0]]
  return before?.kind === fence.kind && after?.kind === fence.kind ? [before, after] : undefined
}

/** Describes the effect of a text edit on the fence that contains it. `fences` are all fences of the text. */
export const describedEdit = (fences: readonly Fence[], edit: Edit): DescribedChange | undefined => {
  const both = editedFence(fences, edit)
  return both && changeOf[both[0].kind]?.(...both)
}

/** Returns a description whose strings have at most `unitsMax` UTF-16 units. */
export const shortened = (change: DescribedChange, unitsMax: number): DescribedChange =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, unitsMax).toWellFormed() : value])
    // Only the lengths of strings change.
  ) as unknown as DescribedChange

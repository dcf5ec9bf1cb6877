/** Draws suggestions that change rows or columns of a table in the grid of the live view. */
import type { RangeSet, Range, Text } from '@codemirror/state'
import { Decoration, WidgetType } from '@codemirror/view'
import { hueOf } from '../../presence/colours.ts'
import type { Annotation, MarkedRange } from './marked-range.ts'
import { drawnLine } from './deleted-cells.ts'
import { tableAround } from './hunks.ts'
import { afterLineSide, initialsOf, initialsWide, ProposedText } from './proposed-text.ts'
import { tableChange, type AddedColumn, type TableChange } from './table-change.ts'

/** A suggestion that changes a table. */
interface Change extends TableChange {
  readonly annotation: Annotation
  /** The beginning of the first line that it changes. */
  readonly from: number
  /** The beginning of the table. */
  readonly table: number
}

interface Known {
  readonly original: string
  readonly change: TableChange | undefined
}

const known = new WeakMap<Annotation, Known>()

function changeOf(doc: Text, annotation: Annotation, from: number, to: number): Change | undefined {
  const { kind, text } = annotation
  if ((kind !== 'insert' && kind !== 'replace') || !text.includes('|')) return undefined
  const first = doc.lineAt(from)
  // The offsets of a change begin with its first line, so the same lines give the same change.
  const original = `${from - first.from} ${to - from} ${doc.sliceString(first.from, doc.lineAt(to).to)}`
  let found = known.get(annotation)
  if (found?.original !== original) {
    found = { original, change: tableChange(doc, from, to, text) }
    known.set(annotation, found)
  }
  return found.change && { ...found.change, annotation, from: first.from, table: tableAround(doc, from)?.from ?? first.from }
}

export type TableChanges = ReadonlyMap<Annotation, Change>

const listed = new WeakMap<RangeSet<MarkedRange>, { readonly doc: Text; readonly found: TableChanges }>()

/** Returns the suggestions that change rows or columns of a table. */
export function tableChangesIn(doc: Text, set: RangeSet<MarkedRange>): TableChanges {
  const last = listed.get(set)
  if (last?.doc === doc) return last.found
  const found = new Map<Annotation, Change>()
  for (const cursor = set.iter(); cursor.value !== null; cursor.next()) {
    const { annotation } = cursor.value
    const { from, to } = cursor.value.spanIn(doc, cursor.from, cursor.to)
    const change = changeOf(doc, annotation, from, to)
    if (change !== undefined) found.set(annotation, change)
  }
  listed.set(set, { doc, found })
  return found
}

/** Returns the new columns of a table with their places among all drawn columns, from left to right. */
function placed(changes: TableChanges, table: number): readonly (readonly [AddedColumn, place: number, Change])[] {
  return [...changes.values()]
    .filter((change) => change.table === table)
    .flatMap((change) => change.columns.map((column) => [column, change] as const))
    .toSorted(([one], [other]) => one.before - other.before)
    .map(([column, change], index) => [column, column.before + index, change])
}

/** Returns the rows of a table with the cells that are suggested for it. */
export function withAddedCells(changes: TableChanges, table: number, rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const added = [...changes.values()].filter((change) => change.table === table)
  if (added.length === 0) return rows
  const columns = placed(changes, table)
  const wider = rows.map((row, line) =>
    columns.reduce<readonly string[]>(
      (cells, [{ cells: texts }, place]) => cells.toSpliced(place, 0, `${texts[line] ?? ''}${line === 0 ? initialsWide : ''}`),
      row
    )
  )
  return [...wider, ...added.flatMap((change) => change.rows.map((row) => withInitials(cellsOf(row, columns, change))))]
}

const withInitials = (cells: readonly string[]): string[] => cells.map((cell, at) => (at === cells.length - 1 ? cell + initialsWide : cell))

/** Returns the text of a new row in all drawn columns. */
function cellsOf({ cells, added }: TableChange['rows'][number], columns: ReturnType<typeof placed>, change: Change): string[] {
  return columns.reduce<string[]>(
    (all, [column, place]) => all.toSpliced(place, 0, added[change.columns.indexOf(column)] ?? ''),
    [...cells]
  )
}

/** A cell of a column that is suggested. */
class ProposedCell extends WidgetType {
  readonly #text: string
  readonly #place: number
  readonly #annotation: Annotation
  readonly #isActive: boolean
  readonly #hasInitials: boolean

  constructor(text: string, place: number, annotation: Annotation, isActive: boolean, hasInitials: boolean) {
    super()
    this.#text = text
    this.#place = place
    this.#annotation = annotation
    this.#isActive = isActive
    this.#hasInitials = hasInitials
  }

  override eq(other: ProposedCell): boolean {
    return (
      other.#text === this.#text &&
      other.#place === this.#place &&
      other.#annotation === this.#annotation &&
      other.#isActive === this.#isActive &&
      other.#hasInitials === this.#hasInitials
    )
  }

  override toDOM(): HTMLElement {
    const { id, author } = this.#annotation
    const cell = document.createElement('span')
    cell.className = `rm-proposed rm-column hue-${hueOf(author)}${this.#isActive ? ' rm-active' : ''}${this.#place === 0 ? ' rm-first' : ''}`
    cell.dataset['annotation'] = id
    cell.style.gridColumn = String(this.#place + 1)
    const words = document.createElement('ins')
    words.className = 'rm-ins'
    words.textContent = this.#text
    cell.append(words, ...(this.#hasInitials ? [initialsOf(author)] : []))
    return cell
  }

  override ignoreEvent(): boolean {
    return false
  }
}

/** Draws one of the changes. */
export function tableMarks(doc: Text, changes: TableChanges, change: Change, isActive: boolean): Range<Decoration>[] {
  const { annotation, edits, rows, from } = change
  const { id, author } = annotation
  const columns = placed(changes, change.table)
  const own = columns.filter(([, , { annotation: other }]) => other === annotation)
  const attributes = { 'data-annotation': id }
  const strike = Decoration.mark({ tagName: 'del', class: `rm-del hue-${hueOf(author)}${isActive ? ' rm-active' : ''}`, attributes })
  const first = doc.lineAt(from).number
  const cells = own.flatMap(([{ cells: texts }, place], index) =>
    texts.map((text, row) => {
      const widget = new ProposedCell(text, place, annotation, isActive, index === 0 && row === 0)
      return Decoration.widget({ widget, side: -1 }).range(doc.line(first + (row === 0 ? 0 : row + 1)).from)
    })
  )
  const words = edits.flatMap((edit, index) => {
    const isNamed = own.length === 0 && rows.length === 0 && index === edits.length - 1
    const [start, end] = [from + edit.from, from + edit.to]
    const widget = new ProposedText('ins', edit.insert, isNamed ? author : '', id, isActive)
    const inserted = edit.insert === '' && !isNamed ? [] : [Decoration.widget({ widget, side: -1 }).range(end)]
    return start === end ? inserted : [strike.range(start, end), ...inserted]
  })
  const lines = new Map<number, (typeof rows)[number][]>()
  for (const row of rows) {
    const number = drawnLine(doc, change.table, first + row.after)
    lines.set(number, [...(lines.get(number) ?? []), row])
  }
  const lower = [...lines].map(([number, group], index) => {
    const text = group
      .map(
        (row) =>
          `\n|${cellsOf(row, columns, change)
            .map((cell) => ` ${cell} |`)
            .join('')}`
      )
      .join('')
    const isNamed = own.length === 0 && index === lines.size - 1
    const widget = new ProposedText('ins', text, isNamed ? author : '', id, isActive)
    return Decoration.widget({ widget, side: afterLineSide }).range(doc.line(number).to)
  })
  return [...cells, ...words, ...lower]
}

/** Returns the text that a suggestion adds to the cells in a range of the text. */
export const addedWords = ({ edits, from: start, columns, rows }: Change, from: number, to: number): string =>
  edits
    .map((edit, index) => {
      const isNamed = columns.length + rows.length === 0 && index === edits.length - 1
      const isHere = start + edit.from >= from && start + edit.to <= to
      return isHere ? edit.insert + (isNamed ? initialsWide : '') : ''
    })
    .join('')

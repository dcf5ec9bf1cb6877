/** Edits of structured parts of the text: all matches of words, rows and cells of tables, and items and task boxes of lists. */
import { type Candidate, contextOf, partsLetter, type Range } from './targets.ts'
import { type Item, itemAdded, itemChecked, itemsOf, listsIn } from './lists.ts'
import { sectionOf, shortened, type Source } from './resolution.ts'
import { isUnresolved, type Resolution, type Resolutions, type Resolved, type Unresolved } from './resolved.ts'
import { occurrences } from './search.ts'
import { lettersOfColumn } from '../fences/formula/parse.ts'
import { cellSet, rowAdded, type TextTable } from './tables.ts'

/**
 * The fields that identify a table: a sheet's id, some of its heading cells, or its number. The number counts from 1 in the section or the document.
 */
interface WhichTable {
  readonly section?: string | undefined
  readonly sheet?: string | undefined
  readonly header?: readonly string[] | undefined
  readonly table?: number | undefined
}

export type Structured =
  | {
      readonly op: 'replace_all'
      readonly find: string
      readonly with: string
      readonly section?: string | undefined
      /** The expected number of matches. */
      readonly expected?: number | undefined
    }
  | ({ readonly op: 'append_row'; readonly cells: readonly string[] } & WhichTable)
  | ({
      readonly op: 'set_cell'
      /**
       * Number of the row, counted from 1 below the heading, or the text of its first cell. In a sheet, rows count as in formulas, so the heading is
       * row 1.
       */
      readonly row: number | string
      /** Number of the column, counted from 1, or its heading. In a sheet, its letters are also possible. */
      readonly column: number | string
      readonly text: string
    } & WhichTable)
  | {
      readonly op: 'check'
      readonly item: string
      readonly checked: boolean
      readonly section?: string | undefined
      readonly occurrence?: number | undefined
    }
  | {
      readonly op: 'append_item'
      readonly markdown: string
      readonly section?: string | undefined
      /** Any item of the list. */
      readonly item?: string | undefined
      readonly occurrence?: number | undefined
    }

const candidatesMax = 20

const candidatesAt = ({ text, lines }: Source, ranges: readonly Range[]): Candidate[] =>
  ranges.slice(0, candidatesMax).map(({ from, to }) => {
    const { prefix, suffix } = contextOf(text, { from, to })
    return { from, to, line: lines.at(from), before: prefix, after: suffix }
  })

const notFound = (message: string, sought?: string): Unresolved => ({
  code: 'target_not_found',
  message,
  ...(sought === undefined ? {} : { sought })
})

/** Returns the error for a target that matches several parts. `takes` names the fields that the operation can use to choose one of them. */
const ambiguous = (source: Source, message: string, ranges: readonly Range[], takes: string): Unresolved => ({
  code: 'target_ambiguous',
  message,
  candidates: candidatesAt(source, ranges),
  hint: `Choose one with ${takes}.`
})

/** Returns a change with the exact names from the text, if the operation used part of a name or a different case. */
const matching = (change: Resolved, names: readonly (readonly [given: number | string | undefined, there: string])[]): Resolved => {
  const otherwise = names.filter(([given, there]) => typeof given === 'string' && given.trim() !== there).map(([, there]) => there)
  return otherwise.length === 0 ? change : { ...change, matched: otherwise.join(', ') }
}

const quoted = (text: string): string => JSON.stringify(shortened(text))

/** Returns an operation's scope: a section, or the entire text. */
const scopeOf = (source: Source, section: string | undefined): Range | Unresolved =>
  section === undefined ? { from: 0, to: source.text.length } : sectionOf(source, section)

/** Returns one of several parts, by its number if the operation gives one. */
const oneOf = <T extends Range>(
  source: Source,
  what: string,
  found: readonly T[],
  number: number | undefined,
  takes: string
): T | Unresolved => {
  const only = number === undefined ? (found.length === 1 ? found[0] : undefined) : found[number - 1]
  if (only !== undefined) return only
  if (found.length === 0) return notFound(`There is no ${what}.`)
  const count = found.length === 1 ? `is one ${what}` : `are ${found.length} of: ${what}`
  return ambiguous(source, `There ${count}${number === undefined ? '' : `; none is number ${number}`}.`, found, takes)
}

// ——— every match ———

const replaceAll = (source: Source, { find, with: insert, section, expected }: Extract<Structured, { op: 'replace_all' }>): Resolutions => {
  const scope = scopeOf(source, section)
  if (isUnresolved(scope)) return scope
  const found: Range[] = []
  for (const at of occurrences(source.text.slice(scope.from, scope.to), find)) {
    const range = { from: scope.from + at, to: scope.from + at + find.length }
    if (range.from >= (found.at(-1)?.to ?? 0) && !partsLetter(source.text, range)) found.push(range)
  }
  if (found.length === 0 && expected !== 0) return notFound(`The text does not contain ${quoted(find)}.`, find)
  if (expected !== undefined && expected !== found.length)
    return ambiguous(source, `${quoted(find)} occurs ${found.length} times, not ${expected}.`, found, 'expected, or section')
  return found.map((range) => ({ ...range, insert }))
}

// ——— tables ———

/** Returns words without marks, for comparing names. */
const plain = (text: string): string =>
  text
    .replaceAll(/[*_`~]/g, '')
    .normalize('NFC')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

/** Whether a table has all these heading cells. */
const hasHeader = ({ heading }: TextTable, header: readonly string[]): boolean => {
  if (header.length === 0) return true
  const names = new Set(heading.cells.map(({ text }) => plain(text)))
  return header.every((name) => names.has(plain(name)))
}

interface TableRange extends Range {
  readonly table: TextTable
}

const tableOf = (source: Source, { section, sheet, header, table: number }: WhichTable): TextTable | Unresolved => {
  const scope = scopeOf(source, section)
  if (isUnresolved(scope)) return scope
  // Charts and formulas write a sheet's id with `#`.
  const id = sheet?.replace(/^#/, '')
  const placed = source.tables.map((table): TableRange => ({ from: table.heading.from, to: table.heading.to, table }))
  const found = placed.filter(
    ({ from, table }) =>
      from >= scope.from && from < scope.to && (id === undefined || table.sheet?.fence.id === id) && hasHeader(table, header ?? [])
  )
  const what = id === undefined ? 'table with that name' : `sheet ${quoted(id)}`
  const named = oneOf(source, what, found, number, 'table, section or header')
  if (!isUnresolved(named)) return named.table
  return named.code === 'target_not_found' && found.length === 0 && placed.length > 0
    ? { ...named, candidates: candidatesAt(source, placed) }
    : named
}

const appendRow = (source: Source, table: TextTable, cells: readonly string[]): Resolution => {
  const columns = table.heading.cells.length
  if (cells.length > columns)
    return { code: 'invalid_request', message: `The table has ${columns} columns: ${cells.length} cells do not fit.` }
  return rowAdded(source.text, table, cells) ?? { code: 'invalid_request', message: 'The sheet cannot have more rows.' }
}

/** Returns the index of the named cell, counted from 0. */
const indexOf = (
  source: Source,
  cells: readonly (Range & { readonly text: string })[],
  named: number | string,
  what: string
): number | Unresolved => {
  if (typeof named === 'number')
    return named <= cells.length
      ? named - 1
      : { ...notFound(`The table has ${cells.length} ${what}s, not ${named}.`), candidates: candidatesAt(source, cells) }
  const sought = plain(named)
  const found = [...cells.keys()].filter((index) => plain(cells[index]?.text ?? '') === sought)
  if (found.length === 1) return found[0] ?? 0
  const ranges = found.map((index) => cells[index] as Range)
  if (found.length > 1)
    return ambiguous(source, `The table has ${found.length} ${what}s ${quoted(named)}.`, ranges, `the number of the ${what}`)
  return { ...notFound(`The table has no ${what} ${quoted(named)}.`, named), candidates: candidatesAt(source, cells) }
}

/** Returns the index of a column that is named by number, by heading or, in a sheet, by its letters. */
const columnIn = (source: Source, { heading, sheet }: TextTable, named: number | string): number | Unresolved => {
  const found = indexOf(source, heading.cells, named, 'column')
  if (typeof found === 'number' || typeof named === 'number' || found.code !== 'target_not_found') return found
  const lettered = sheet === undefined ? -1 : heading.cells.findIndex((_cell, column) => lettersOfColumn(column) === named.toUpperCase())
  if (lettered >= 0) return lettered
  const names = shortened(heading.cells.map(({ text }) => text).join(', '))
  return { ...found, message: `${found.message} Its columns are: ${names}.` }
}

const setCell = (source: Source, operation: Extract<Structured, { op: 'set_cell' }>): Resolution => {
  const table = tableOf(source, operation)
  if (isUnresolved(table)) return table
  // In a sheet, rows count as in its formulas: the heading is the first row.
  const above = table.sheet !== undefined && typeof operation.row === 'number' ? [table.heading] : []
  const firsts = [...above, ...table.rows].map(({ from, to, cells: [first] }) => first ?? { from, to, text: '' })
  const row = indexOf(source, firsts, operation.row, 'row')
  if (typeof row !== 'number') return row
  const column = columnIn(source, table, operation.column)
  if (typeof column !== 'number') return column
  const change = cellSet(source.text, table, row - above.length, column, operation.text)
  const heading = table.heading.cells[column]?.text ?? ''
  // If the column was named by its letter, there is no heading to compare.
  const isHeading = typeof operation.column === 'string' && plain(operation.column) === plain(heading)
  return matching(change, [
    [operation.row, firsts[row]?.text ?? ''],
    [isHeading ? operation.column : undefined, heading]
  ])
}

// ——— lists ———

/** Returns the item that consists of some words, or otherwise the item that contains them. */
const itemNamed = (source: Source, scope: Range, words: string, occurrence: number | undefined, isTask: boolean): Item | Unresolved => {
  const items = itemsOf(source.prose).filter(({ from, box }) => from >= scope.from && from < scope.to && (!isTask || box !== undefined))
  const sought = plain(words)
  const texts = items.map(({ text }) => plain(text))
  const exact = items.filter((_item, index) => texts[index] === sought)
  const found = exact.length > 0 || sought === '' ? exact : items.filter((_item, index) => texts[index]?.includes(sought) === true)
  const what = `${isTask ? 'task' : 'list item'} ${quoted(words)}`
  return found.length === 0
    ? notFound(`There is no ${what}.`, words)
    : oneOf(source, what, found, occurrence, 'occurrence, section, or more of its words')
}

const check = (source: Source, { item: words, checked, section, occurrence }: Extract<Structured, { op: 'check' }>): Resolution => {
  const scope = scopeOf(source, section)
  if (isUnresolved(scope)) return scope
  const item = itemNamed(source, scope, words, occurrence, true)
  if (isUnresolved(item) || item.box === undefined) return isUnresolved(item) ? item : notFound(`${quoted(words)} is not a task.`)
  return matching(itemChecked(source.text, { ...item, box: item.box }, checked), [[words, item.text]])
}

const appendItem = (source: Source, operation: Extract<Structured, { op: 'append_item' }>): Resolution => {
  const { section, item: words, occurrence, markdown } = operation
  const scope = scopeOf(source, section)
  if (isUnresolved(scope)) return scope
  const first =
    words === undefined
      ? oneOf(source, 'list there', listsIn(source.prose, scope), occurrence, 'occurrence, or item')
      : itemNamed(source, scope, words, occurrence, false)
  return isUnresolved(first) ? first : matching(itemAdded(source, first, markdown), [[words, first.text]])
}

/** Returns a structured operation's changes to the text. */
export const resolveStructured = (source: Source, operation: Structured): Resolutions => {
  switch (operation.op) {
    case 'replace_all':
      return replaceAll(source, operation)
    case 'append_row': {
      const table = tableOf(source, operation)
      return isUnresolved(table) ? table : appendRow(source, table, operation.cells)
    }
    case 'set_cell':
      return setCell(source, operation)
    case 'check':
      return check(source, operation)
    case 'append_item':
      return appendItem(source, operation)
  }
}

/** Returns the same change in a later version of the text. `neighbor` is the current range of the text next to the change. */
export const structuredNow = (source: Source, operation: Structured, change: Resolved, neighbor: Range): Resolved | undefined => {
  const startsThere = ({ from }: Range): boolean => from === neighbor.from
  if (operation.op === 'append_row') {
    const table = source.tables.find(({ heading }) => startsThere(heading))
    const added = table && appendRow(source, table, operation.cells)
    return added === undefined || isUnresolved(added) ? undefined : added
  }
  if (operation.op === 'append_item') {
    const item = itemsOf(source.prose).find(startsThere)
    return item && itemAdded(source, item, operation.markdown)
  }
  const shift = neighbor.from - (change.neighbor ?? change).from
  return { ...change, from: change.from + shift, to: change.to + shift, neighbor }
}

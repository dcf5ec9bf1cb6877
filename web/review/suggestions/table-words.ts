/** Describes a change to the columns of a Markdown table or to the order of its rows, together with the other changes that it makes to the table. */
import type { Text } from '@codemirror/state'
import type { Edit } from '../../../shared/text/diff.ts'
import { t, tn } from '../../text/t.ts'
import { excerpt } from '../outbox/records.ts'
import { tableChange } from './table-change.ts'

const textUnits = 80
/** Longest change that is described, in UTF-16 units. */
const unitsMax = 20_000

type Cells = readonly string[]

const wordsIn = (cells: Cells): string => excerpt(cells.filter((cell) => cell !== '').join(', '), textUnits)
const isSame = (one: Cells, other: Cells): boolean => one.length === other.length && one.every((cell, at) => cell === other[at])

/** Describes columns by their names if they have one, and by their cells if those are new. */
function wordsOfColumns(columns: readonly Cells[], areNew: boolean): readonly string[] {
  const nameless = columns.filter(([head]) => head === '').length
  const named = columns.flatMap(([name = '', ...cells]) => {
    if (name === '') return []
    if (!areNew) return [t('Delete column “{name}”', { name })]
    const words = wordsIn(cells)
    return [t('Add column “{name}”', { name }) + (words === '' ? '' : `: ${words}`)]
  })
  if (nameless === 0) return named
  return [
    ...named,
    areNew ? tn(nameless, 'Add 1 column', 'Add {count} columns') : tn(nameless, 'Delete 1 column', 'Delete {count} columns')
  ]
}

/** Separates lists into those that are in both, and the rest of each. */
function moved(
  deleted: readonly Cells[],
  added: readonly Cells[]
): { readonly moved: Cells[]; readonly deleted: Cells[]; readonly added: Cells[] } {
  const rest = [...added]
  const [both, gone]: [Cells[], Cells[]] = [[], []]
  for (const cells of deleted) {
    const at = rest.findIndex((other) => isSame(cells, other))
    if (at === -1) gone.push(cells)
    else both.push(...rest.splice(at, 1))
  }
  return { moved: both, deleted: gone, added: rest }
}

/**
 * Describes an edit that adds, deletes or moves columns of a table, or rows together with other rows or cells. Undefined for other edits.
 */
export function wordsOfTable(text: Text, { from, to, insert }: Edit): string | undefined {
  if (to > text.length || to - from + insert.length > unitsMax) return undefined
  const change = tableChange(text, from, to, insert)
  if (change === undefined) return undefined
  const { changedCells } = change
  const columns = moved(
    change.deletedColumns,
    change.columns.map(({ cells }) => cells)
  )
  const rows = moved(
    change.deletedRows,
    change.rows.map(({ cells, added }) => [...cells, ...added])
  )
  const parts = [change.columns.length + change.deletedColumns.length, change.rows.length, change.deletedRows.length, changedCells.length]
  if (parts[0] === 0 && parts.filter((count) => count > 0).length < 2) return undefined
  const words = excerpt(changedCells.map((texts) => texts.map((cell) => cell || '–').join(' → ')).join(', '), textUnits)
  const namesOf = (all: readonly Cells[]): string => all.map(wordsIn).join('; ')
  return [
    ...wordsOfColumns(columns.deleted, false),
    ...wordsOfColumns(columns.added, true),
    ...columns.moved.map(([name = '']) => t('Move column “{name}”', { name })),
    ...(rows.deleted.length > 0 ? [t('Delete row: {text}', { text: namesOf(rows.deleted) })] : []),
    ...(rows.added.length > 0 ? [t('New row: {text}', { text: namesOf(rows.added) })] : []),
    ...(rows.moved.length > 0 ? [t('Move row: {text}', { text: namesOf(rows.moved) })] : []),
    ...(changedCells.length > 0 ? [`${tn(changedCells.length, 'Change 1 cell', 'Change {count} cells')}: ${words}`] : [])
  ].join('; ')
}

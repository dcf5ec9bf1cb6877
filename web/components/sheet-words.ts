/** The wording of a sheet's announcements. */
import type { SheetAnnouncement } from '../../shared/components/sheet-state.ts'
import { lettersOfColumn } from '../../shared/fences/formula/parse.ts'
import { movedTo } from '../../shared/fences/formula/rewrite.ts'
import { limits } from '../../shared/limits.ts'
import { t, tn } from '../text/t.ts'

function pastedWords(size: Extract<SheetAnnouncement, { kind: 'pasted' }>, isSuggested: boolean): string {
  const { rows, rowsFit, columns, columnsFit } = size
  if (rowsFit === rows && columnsFit === columns) return t('Pasted')
  return isSuggested
    ? t('Suggested {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', { ...size })
    : t('Pasted {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', { ...size })
}

function wholeWords({ axis, from, count }: Extract<SheetAnnouncement, { kind: 'whole' }>): string {
  const nameOf = (index: number): string => (axis === 'row' ? String(index + 1) : lettersOfColumn(index))
  const names = { name: nameOf(from), first: nameOf(from), last: nameOf(from + count - 1) }
  if (axis === 'row') return count === 1 ? t('Row {name} selected', names) : t('Rows {first} to {last} selected', names)
  return count === 1 ? t('Column {name} selected', names) : t('Columns {first} to {last} selected', names)
}

function shapedWords({ change }: Extract<SheetAnnouncement, { kind: 'shaped' }>): string {
  const isRow = change.axis === 'row'
  switch (change.kind) {
    case 'insert':
      return isRow ? t('Row added') : t('Column added')
    case 'delete':
      return isRow ? tn(change.count, 'Row deleted', '{count} rows deleted') : tn(change.count, 'Column deleted', '{count} columns deleted')
    case 'move':
      return isRow
        ? t('Moved to row {name}', { name: movedTo(change) + 1 })
        : t('Moved to column {name}', { name: lettersOfColumn(movedTo(change)) })
  }
}

export function announced(announcement: SheetAnnouncement, isSuggested: boolean): string {
  switch (announcement.kind) {
    case 'full':
      return tn(limits.sheetRowsMax, 'This sheet is full. The limit is 1 row.', 'This sheet is full. The limit is {count} rows.')
    case 'nested':
      return t('This cell contains a list or an object. Change it in the source.')
    case 'filled':
      return t('Filled')
    case 'all':
      return t('All cells selected')
    case 'held':
      return t('{name} is editing this', announcement)
    case 'shared id':
      return t('Two sheets are called #{id}. Rename one of them in its source.', announcement)
    case 'pointed':
      return announcement.text
    case 'pasted':
      return pastedWords(announcement, isSuggested)
    case 'whole':
      return wholeWords(announcement)
    case 'shaped':
      return shapedWords(announcement)
  }
}

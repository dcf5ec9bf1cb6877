/** The texts of a sheet's announcements. */
import type { SheetAnnouncement } from '../../shared/components/sheet-session.ts'
import { limits } from '../../shared/limits.ts'
import { t, tn } from '../text/t.ts'

function pastedWords(size: Extract<SheetAnnouncement, { kind: 'pasted' }>, isSuggested: boolean): string {
  const { rows, rowsFit, columns, columnsFit } = size
  if (rowsFit === rows && columnsFit === columns) return t('Pasted')
  return isSuggested
    ? t('Suggested {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', { ...size })
    : t('Pasted {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', { ...size })
}

export function announced(announcement: SheetAnnouncement, isSuggested: boolean): string {
  switch (announcement.kind) {
    case 'full':
      return tn(limits.sheetRowsMax, 'This sheet is full. The limit is 1 row.', 'This sheet is full. The limit is {count} rows.')
    case 'nested':
      return t('This cell contains a list or an object. Change it in the source.')
    case 'held':
      return t('{name} is editing this', announcement)
    case 'shared id':
      return t('Two sheets are called #{id}. Rename one of them in its source.', announcement)
    case 'pointed':
      return announcement.text
    case 'pasted':
      return pastedWords(announcement, isSuggested)
  }
}

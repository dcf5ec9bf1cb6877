/** The dialog that asks before a person deletes a document which others can access. */
import type { JSX } from 'preact'
import { t, tn } from '../text/t.ts'
import { limits } from '../../shared/limits.ts'
import { Dialog } from '../ui/dialog.tsx'
import { asked, type Asked } from './asked.ts'

function reasons({ others: { links, account, published } }: Asked): string[] {
  return [
    ...(links > 0 ? [tn(links, '1 other link is in use.', '{count} other links are in use.')] : []),
    ...(account === undefined ? [] : [t('The document belongs to {name}’s account.', { name: account })]),
    ...(published ? [t('The document is published.')] : [])
  ]
}

export function AskToDelete(): JSX.Element | null {
  const current = asked.value
  if (current === undefined) return null
  const close = (): void => {
    asked.value = undefined
  }
  const run = (): void => {
    close()
    current.run()
  }
  return (
    <Dialog title={t('Delete “{title}”?', { title: current.document.title })} onClose={close}>
      <p>
        {[
          ...reasons(current),
          t('Everyone loses access immediately. You can restore the document for {days} days.', { days: limits.trashDays })
        ].join(' ')}
      </p>
      <p class='actions'>
        <button type='button' class='button danger' onClick={run}>
          {t('Move to trash')}
        </button>
        <button type='button' class='button' onClick={close} autofocus>
          {t('Cancel')}
        </button>
      </p>
    </Dialog>
  )
}

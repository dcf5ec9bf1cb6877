/** The end of the link, after the person's rights in the status line. Few links have one, so this code loads later. */
import type { JSX } from 'preact'
import type { Page } from '../commands/page.ts'
import { locale, t } from '../text/t.ts'

const dayMs = 86_400_000

export function LinkEnd({ view: { session } }: { view: Page }): JSX.Element {
  const end = session.linkEnd.value ?? 0
  const isSoon = end - Date.now() < dayMs
  const time = new Date(end).toLocaleString(
    locale,
    isSoon ? { hour: 'numeric', minute: '2-digit' } : { day: 'numeric', month: 'short', year: 'numeric' }
  )
  return <> {t('until {time}', { time })}</>
}

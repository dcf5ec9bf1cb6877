/** Names the person who is being followed, with a button that stops following. */
import type { JSX } from 'preact'
import { t } from '../text/t.ts'
import type { Page } from '../commands/page.ts'

export function FollowingNotice({ view }: { view: Page }): JSX.Element | null {
  const person = view.here.value.find(({ pages }) => pages.some((id) => id === view.following.value))
  if (person === undefined || view.mode.value === 'read') return null
  return (
    <div class={`following hue-${person.hue}`} role='status'>
      <span>{t('Following {name}', { name: person.name })}</span>
      <button type='button' class='button quiet' onClick={() => (view.following.value = undefined)}>
        {t('Stop')} <kbd>{t('Esc')}</kbd>
      </button>
    </div>
  )
}

/** The links that have ended. The owner can replace each with a new link for the same person. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { t } from '../text/t.ts'
import { dayWords } from '../text/when.ts'
import { nameOf } from './link-row.tsx'
import { endedLinks, linksOf } from './links.ts'
import type { Share } from './requests.ts'
import { roleWords } from './role-words.ts'
import type { TabInput } from './tab.ts'

function EndedRow({ view, share, disabled }: TabInput & { readonly share: Share }): JSX.Element {
  const links = linksOf(view.session)
  const busy = useSignal(false)
  const row = useRef<HTMLLIElement>(null)
  const name = nameOf(share)
  const renew = async (): Promise<void> => {
    if (busy.value || disabled) return
    // The row disappears together with the focused button, so another control takes the focus.
    const field = row.current?.closest<HTMLElement>('.share-panel')?.querySelector<HTMLElement>('input')
    busy.value = true
    const made = await links.again(share)
    busy.value = false
    if (made === undefined) return
    links.made.value = made
    field?.focus()
  }
  return (
    <li class='share-row' ref={row}>
      <div class='share-who'>
        <strong dir='auto'>{name}</strong>
        <span class='muted'>
          {[t(roleWords[share.role]), t('Ended {day}', { day: dayWords(Date.parse(share.expiresAt ?? '')) })].join(' · ')}
        </span>
      </div>
      <div class='share-actions'>
        <button
          type='button'
          class='button'
          aria-label={t('New link: {name}', { name })}
          aria-disabled={disabled || busy.value}
          onClick={() => void renew()}
        >
          {t('New link')}
        </button>
      </div>
    </li>
  )
}

export function EndedLinks({ view, disabled }: TabInput): JSX.Element | null {
  const links = linksOf(view.session)
  const ended = endedLinks(links.all.value, links.list.value ?? [], Date.now())
  if (ended.length === 0) return null
  return (
    <section class='share-list' aria-labelledby='share-ended-title'>
      <h3 id='share-ended-title'>{t('Ended links')}</h3>
      <ul>
        {ended.map((share) => (
          <EndedRow key={share.id} view={view} share={share} disabled={disabled} />
        ))}
      </ul>
    </section>
  )
}

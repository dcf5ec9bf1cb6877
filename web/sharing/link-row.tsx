/** One link in the list: what it may do, how long, when it was used; copy, QR code, instructions for an agent, revoke. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../text/t.ts'
import { agoWords, dayWords } from '../text/when.ts'
import { copyText } from '../ui/copy.ts'
import { Icon } from '../ui/icons.tsx'
import { linksOf } from './links.ts'
import type { TabInput } from './links-tab.tsx'
import { QrCode } from './qr-code.tsx'
import type { Share } from './requests.ts'
import { roleWords } from './role-words.ts'

const endWords = ({ expiresAt }: Share): string | undefined => {
  if (expiresAt === null) return undefined
  const end = Date.parse(expiresAt)
  return end <= Date.now() ? t('ended') : t('ends {day}', { day: dayWords(end) })
}

const useWords = ({ lastUsedAt }: Share): string =>
  lastUsedAt === null ? t('never used') : t('last used {when}', { when: agoWords(Date.parse(lastUsedAt)) })

interface AskInput {
  readonly name: string
  /** Whether links were made through it, which end with it. */
  readonly hasLinks: boolean
  readonly onRevoke: (keepsLinks: boolean) => void
  readonly onKeep: () => void
}

function Ask({ name, hasLinks, onRevoke, onKeep }: AskInput): JSX.Element {
  const keep = useRef<HTMLButtonElement>(null)
  // Before anything else is pressed.
  useLayoutEffect(() => keep.current?.focus(), [])
  return (
    <div class='share-ask' role='group' aria-label={t('Revoke: {name}', { name })}>
      <p>{t('Anyone using this link is disconnected at once and cannot open the document again.')}</p>
      {hasLinks && <p>{t('Other links were created with this one. They end with it unless you keep them.')}</p>}
      <div class='share-actions'>
        <button type='button' class='button danger' onClick={() => onRevoke(false)}>
          {hasLinks ? t('Revoke all') : t('Revoke link')}
        </button>
        {hasLinks && (
          <button type='button' class='button' onClick={() => onRevoke(true)}>
            {t('Revoke this link only')}
          </button>
        )}
        <button type='button' class='button' ref={keep} onClick={onKeep}>
          {t('Cancel')}
        </button>
      </div>
    </div>
  )
}

export function LinkRow({ view, share, disabled }: TabInput & { readonly share: Share }): JSX.Element {
  const { session } = view
  const links = linksOf(session)
  const open = useSignal<'qr' | 'ask' | undefined>(undefined)
  const row = useRef<HTMLLIElement>(null)
  const name = share.label ?? t('Unnamed link')
  // To revoke the link that one holds would shut oneself out.
  const own = share.secret === session.key
  const about = [t(roleWords[share.role]), own ? t('your own link') : useWords(share), endWords(share)].filter((part) => part !== undefined)
  const toggle = (part: 'qr' | 'ask'): void => {
    open.value = open.value === part ? undefined : part
  }
  const keep = (): void => {
    open.value = undefined
    row.current?.querySelector<HTMLElement>('.share-revoke')?.focus()
  }
  const hasLinks = links.list.value?.some(({ madeThrough }) => madeThrough === share.id) === true
  const revoke = async (keepsLinks: boolean): Promise<void> => {
    // The row goes, and with it what has the focus.
    const list = row.current?.closest<HTMLElement>('.share-panel')?.querySelector<HTMLElement>('input')
    await links.revoke(share, keepsLinks)
    list?.focus()
  }
  const invite = (): void => {
    links.invited.value = share
    view.dialog.value = 'agent'
  }
  return (
    <li class='share-row' ref={row}>
      <div class='share-who'>
        <strong dir='auto'>{name}</strong>
        <span class='muted'>{about.join(' · ')}</span>
      </div>
      <div class='share-actions'>
        <button
          type='button'
          class='button'
          aria-label={t('Copy link: {name}', { name })}
          onClick={() => void copyText(share.url, t('Link'))}
        >
          <Icon name='copy' size={18} />
          <span>{t('Copy')}</span>
        </button>
        <button
          type='button'
          class='button quiet icon-only'
          aria-label={t('QR code: {name}', { name })}
          title={t('QR code')}
          aria-expanded={open.value === 'qr'}
          onClick={() => toggle('qr')}
        >
          <Icon name='qr-code' />
        </button>
        <button
          type='button'
          class='button quiet icon-only'
          aria-label={t('Instructions for an agent: {name}', { name })}
          title={t('Instructions for an agent')}
          onClick={invite}
        >
          <Icon name='bot' />
        </button>
        {session.role.value === 'owner' && !own && (
          <button
            type='button'
            class='button quiet icon-only share-revoke'
            aria-label={t('Revoke: {name}', { name })}
            title={t('Revoke')}
            disabled={disabled}
            aria-expanded={open.value === 'ask'}
            onClick={() => toggle('ask')}
          >
            <Icon name='trash' />
          </button>
        )}
      </div>
      {open.value === 'qr' && <QrCode text={share.url} label={t('QR code of the link: {name}', { name })} />}
      {open.value === 'ask' && <Ask name={name} hasLinks={hasLinks} onRevoke={(keepsLinks) => void revoke(keepsLinks)} onKeep={keep} />}
    </li>
  )
}

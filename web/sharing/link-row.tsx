/** One link in the list: its role, its expiry and its last use, with buttons for copying, the QR code, an agent's instructions and revoking. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { includesRole, roles } from '../../shared/roles.ts'
import { locale, t, tn } from '../text/t.ts'
import { agoWords, dayWords } from '../text/when.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { isNamedByService, type LinkChange, linksOf, madeThrough } from './links.ts'
import { LinkForm } from './link-form.tsx'
import { isOwnIn } from './own-link.ts'
import type { TabInput } from './tab.ts'
import { QrCode } from './qr-code.tsx'
import type { Share } from './requests.ts'
import { roleWords } from './role-words.ts'
import { Choice } from '../ui/choice.tsx'
import { IconButton } from '../ui/icon-button.tsx'

const endWords = ({ expiresAt }: Share): string | undefined => {
  if (expiresAt === null) return undefined
  const end = Date.parse(expiresAt)
  return end <= Date.now() ? t('ended') : t('ends {day}', { day: dayWords(end) })
}

/** A use within this time counts as happening now, in milliseconds. */
const nowMs = 60_000

const useWords = ({ lastUsedAt }: Share): string => {
  if (lastUsedAt === null) return t('never used')
  const at = Date.parse(lastUsedAt)
  return Date.now() - at < nowMs ? t('in use now') : t('last used {when}', { when: agoWords(at) })
}

/** Returns the name of a link for the list. */
export const nameOf = (share: Share): string => (isNamedByService(share) ? t('Owner') : (share.label ?? t('Anyone with the link')))

interface AskInput {
  readonly name: string
  /** Names of the links that were created through this link and end with it. */
  readonly through: readonly string[]
  readonly onRevoke: (keepsLinks: boolean) => void
  readonly onKeep: () => void
}

/** Maximum number of names in a question. The rest are only counted. */
const namesMax = 5
const listed = (names: readonly string[]): string => {
  const more = names.length - namesMax
  const shown = more > 0 ? [...names.slice(0, namesMax), tn(more, '1 more', '{count} more')] : names
  return new Intl.ListFormat(locale).format(shown)
}

function Ask({ name, through, onRevoke, onKeep }: AskInput): JSX.Element {
  const hasLinks = through.length > 0
  const keep = useRef<HTMLButtonElement>(null)
  // The safe choice takes the focus before the person can press anything else.
  useLayoutEffect(() => keep.current?.focus(), [])
  return (
    <div class='share-ask' role='group' aria-label={t('Revoke: {name}', { name })}>
      <p>{t('Anyone using this link is disconnected immediately and cannot open the document again.')}</p>
      {hasLinks && (
        <p>
          {t('Links created through this link will also stop working unless you choose “Revoke this link only”: {names}.', {
            names: listed(through)
          })}
        </p>
      )}
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
  const open = useSignal<'qr' | 'ask' | 'form' | undefined>(undefined)
  const row = useRef<HTMLLIElement>(null)

  const own = isOwnIn(session, share)
  const name = own ? t('Your own link') : nameOf(share)
  const mayChange = session.role.value === 'owner' && !own
  // A person who revokes the link of this page would lose access.
  const mayRevoke = session.role.value === 'owner' && share.secret !== session.key
  const about = [
    mayChange ? undefined : t(roleWords[share.role]),
    own ? t('Keep it to yourself') : useWords(share),
    endWords(share)
  ].filter((part) => part !== undefined)
  const toggle = (part: 'qr' | 'ask' | 'form'): void => {
    open.value = open.value === part ? undefined : part
  }
  const close = (button: '.share-revoke' | '.share-change'): void => {
    open.value = undefined
    row.current?.querySelector<HTMLElement>(button)?.focus()
  }
  const others = links.list.value ?? []
  const through = madeThrough(others, share.id).map(nameOf)
  // A link has no more rights than the link through which it was created.
  const maker = others.find(({ id }) => id === share.madeThrough)
  const offered = roles.filter((role) => role === share.role || maker === undefined || includesRole(maker.role, role))
  const revoke = async (keepsLinks: boolean): Promise<void> => {
    // The row disappears together with the focused button, so the next row takes the focus.
    const rowNow = row.current
    const near = [rowNow?.nextElementSibling, rowNow?.previousElementSibling, rowNow?.closest('.share-panel')]
    await links.revoke(share, keepsLinks)
    near
      .find((element) => element?.isConnected)
      ?.querySelector<HTMLElement>('button, input')
      ?.focus()
  }
  const save = async (change: LinkChange): Promise<void> => {
    if (await links.change(share, change)) close('.share-change')
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
        {mayChange && (
          <Choice
            class='share-role'
            aria-label={t('Role of {name}', { name })}
            value={share.role}
            values={offered}
            words={(role) => t(roleWords[role])}
            disabled={disabled}
            onChoose={(role) => void links.change(share, { role })}
          />
        )}
        <CopyButton text={share.url} what={t('Link')} words={t('Copy')} label={t('Copy link: {name}', { name })} />
        <IconButton
          icon='qr-code'
          label={t('QR code: {name}', { name })}
          title={t('QR code')}
          aria-expanded={open.value === 'qr'}
          onClick={() => toggle('qr')}
        />
        <IconButton
          icon='bot'
          label={t('Instructions for an agent: {name}', { name })}
          title={t('Instructions for an agent')}
          onClick={invite}
        />
        {mayChange && (
          <IconButton
            class='share-change'
            icon='pen'
            label={t('Change name or end: {name}', { name })}
            title={t('Change name or end')}
            disabled={disabled}
            aria-expanded={open.value === 'form'}
            onClick={() => toggle('form')}
          />
        )}
        {mayRevoke && (
          <IconButton
            class='share-revoke'
            icon='trash'
            label={t('Revoke: {name}', { name })}
            title={t('Revoke')}
            disabled={disabled}
            aria-expanded={open.value === 'ask'}
            onClick={() => toggle('ask')}
          />
        )}
      </div>
      {open.value === 'qr' && <QrCode text={share.url} label={t('QR code of the link: {name}', { name })} />}
      {open.value === 'form' && (
        <LinkForm share={share} disabled={disabled} onSave={(change) => void save(change)} onCancel={() => close('.share-change')} />
      )}
      {open.value === 'ask' && (
        <Ask name={name} through={through} onRevoke={(keepsLinks) => void revoke(keepsLinks)} onKeep={() => close('.share-revoke')} />
      )}
    </li>
  )
}

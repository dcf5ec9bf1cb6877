/** The tab with the links of a document. Each person or agent has their own link, with a role, and each link can be revoked separately. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { limits } from '../../shared/limits.ts'
import { roles, type Role } from '../../shared/roles.ts'
import type { View } from '../view/view.ts'
import { ownName, personName, setPersonName } from '../presence/person.ts'
import { t } from '../text/t.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icons.tsx'
import { EndField } from './end-field.tsx'
import { EndedLinks } from './ended-links.tsx'
import type { TabInput } from './tab.ts'
import { LinkRow } from './link-row.tsx'
import { linksOf, type Links, type Wish } from './links.ts'
import { isOwnIn } from './own-link.ts'
import type { Share } from './requests.ts'
import { roleWords } from './role-words.ts'
import { Choice } from '../ui/choice.tsx'
import { NameField } from '../presence/name-field.tsx'

const valueOf = (event: Event): string => (event.target as HTMLInputElement | HTMLSelectElement).value

function CreateForm({ view, disabled }: TabInput): JSX.Element {
  const links = linksOf(view.session)
  const busy = useSignal(false)
  const wish = links.draft.value
  const change = (part: Partial<Wish>): void => {
    links.draft.value = { ...links.draft.value, ...part }
  }
  const offered = roles.filter((name) => name !== 'owner' || view.session.role.value === 'owner')
  const submit = async (): Promise<void> => {
    if (busy.value || disabled) return
    busy.value = true
    const share = await links.create(links.draft.value)
    busy.value = false
    if (share === undefined) return
    links.made.value = share
    links.draft.value = { ...links.draft.value, label: '' }
    const { role } = links.draft.value
    // Nobody becomes an owner just because the previous person did.
    links.settle(role === 'owner' ? undefined : role)
  }
  return (
    <form
      class='share-form'
      onSubmit={(event: Event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <div class='field grow'>
        <span>
          <label for='share-for'>{t('Who is it for?')}</label>{' '}
          <small id='share-for-hint'>{t('Visible to anyone who opens the link.')}</small>
        </span>
        <input
          id='share-for'
          aria-describedby='share-for-hint'
          type='text'
          maxLength={limits.labelUnitsMax}
          autocomplete='off'
          placeholder={t('Ana, or “review agent”')}
          value={wish.label}
          onInput={(event: Event) => change({ label: valueOf(event) })}
        />
      </div>
      <label class='field'>
        <span>{t('Role')}</span>
        <Choice value={wish.role} values={offered} words={(name) => t(roleWords[name])} onChoose={(name) => change({ role: name })} />
      </label>
      <EndField expiry={wish.expiry} day={wish.day} onChange={change} />
      <button class='button' aria-disabled={busy.value || disabled}>
        {t('Create link')}
      </button>
    </form>
  )
}

/** Asks a person who shares a document for their name, which others will see. The field may stay empty. */
function OwnName({ view }: { view: View }): JSX.Element | null {
  // Once shown, the field stays while the dialog is open.
  const asks = useSignal(personName.peek() === '' && view.here.value.every(({ self, kind }) => !self || kind === 'guest'))
  if (!asks.value) return null
  return (
    <NameField
      label={t('Your name, as others see it (optional)')}
      value={ownName.value}
      onChange={(event: Event) => setPersonName(valueOf(event))}
    />
  )
}

/** Creates a link without a name, for everyone, in one step. The person chooses its role. */
function QuickLink({ view, disabled }: TabInput): JSX.Element {
  const links = linksOf(view.session)
  const role = useSignal<Role>('edit')
  return (
    <section class='share-quick' aria-labelledby='share-quick-title'>
      <span>
        <h3 id='share-quick-title'>{t('Copy a link for anyone')}</h3>
        <span class='muted'>{t('No account needed.')}</span>
      </span>
      <span class='share-actions'>
        <Choice
          class='share-role'
          aria-label={t('Role of the link to copy')}
          value={role.value}
          values={roles.filter((name) => name !== 'owner')}
          words={(name) => t(roleWords[name])}
          disabled={disabled}
          onChoose={(name) => (role.value = name)}
        />
        {/* The link of another role has not been copied yet. */}
        <CopyButton
          key={role.value}
          text={async () => (await links.general(role.value))?.url}
          what={t('Link')}
          words={t('Copy link')}
          class='button primary'
          disabled={disabled}
        />
      </span>
    </section>
  )
}

/** Whether links created here may end before the document does, because somebody may revoke the link through which they are created. */
function endsWithOwn({ session: { key, role } }: View, own: Share | undefined): boolean {
  if (key === '') return false
  return role.value !== 'owner' || (own !== undefined && (own.madeThrough !== null || own.expiresAt !== null))
}

function Made({ links }: { links: Links }): JSX.Element | null {
  const share = links.made.value
  if (share === undefined) return null
  return (
    <div class='share-created' role='status'>
      <p>
        <Icon name='check' size={18} />
        {share.label === null ? t('The link is ready.') : t('The link for {name} is ready.', { name: share.label })}
      </p>
      <div class='share-copy'>
        <input
          type='text'
          readOnly
          aria-label={t('New link')}
          value={share.url}
          onFocus={(event: FocusEvent) => (event.target as HTMLInputElement).select()}
        />
        <CopyButton text={share.url} what={t('Link')} words={t('Copy link')} class='button primary' />
      </div>
    </div>
  )
}

export function LinksTab({ view, disabled }: TabInput): JSX.Element {
  const links = linksOf(view.session)
  const { key } = view.session
  const owner = view.session.role.value === 'owner'
  const isOwn = (share: Share): boolean => isOwnIn(view.session, share)
  const list = links.list.value?.toSorted((one, other) => Number(isOwn(one)) - Number(isOwn(other)))
  const own = list?.find(({ secret }) => secret === key)
  return (
    <>
      <OwnName view={view} />
      <QuickLink view={view} disabled={disabled} />
      <p class='muted'>{t('Or give each person or agent their own link. You can revoke each link separately.')}</p>
      <CreateForm view={view} disabled={disabled} />
      {endsWithOwn(view, own) && <p class='muted share-note'>{t('Links you create here stop working when your own link does.')}</p>}
      <Made links={links} />
      {list !== undefined && (owner || list.length > 0) && (
        <section class='share-list' aria-labelledby='share-list-title'>
          <h3 id='share-list-title'>{owner ? t('Existing links') : t('Links you just created')}</h3>
          {list.length === 0 ? (
            <p class='muted'>{t('No links yet. Only you can open this document.')}</p>
          ) : (
            <ul>
              {list.map((share) => (
                <LinkRow key={share.id} view={view} share={share} disabled={disabled} />
              ))}
            </ul>
          )}
        </section>
      )}
      {owner && <EndedLinks view={view} disabled={disabled} />}
      {!owner && <p class='muted share-note'>{t('The owner of the document sees all links and can revoke them.')}</p>}
    </>
  )
}

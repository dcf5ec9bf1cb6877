/** Links of a document: one per person or agent, each with a role, each revocable alone. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { limits } from '../../shared/limits.ts'
import { roles, type Role } from '../../shared/roles.ts'
import type { View } from '../document/page.tsx'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import { Icon } from '../ui/icons.tsx'
import { dayOf, expiries, type Expiry } from './expiry.ts'
import { LinkRow } from './link-row.tsx'
import { linksOf, type Links, type Wish } from './links.ts'
import { roleWords } from './role-words.ts'

export interface TabInput {
  readonly view: View
  /** Nothing can be changed now. */
  readonly disabled: boolean
}

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
    change({ label: '' })
  }
  return (
    <form
      class='share-form'
      onSubmit={(event: Event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class='field grow'>
        <span>{t('Who is it for?')}</span>
        <input
          type='text'
          maxLength={limits.labelCharsMax}
          autocomplete='off'
          placeholder={t('Ana, or “review agent”')}
          value={wish.label}
          onInput={(event: Event) => change({ label: valueOf(event) })}
        />
      </label>
      <label class='field'>
        <span>{t('Role')}</span>
        <select value={wish.role} onChange={(event: Event) => change({ role: valueOf(event) as Role })}>
          {offered.map((name) => (
            <option key={name} value={name}>
              {t(roleWords[name])}
            </option>
          ))}
        </select>
      </label>
      <label class='field'>
        <span>{t('Ends')}</span>
        <select value={wish.expiry} onChange={(event: Event) => change({ expiry: valueOf(event) as Expiry })}>
          {Object.entries(expiries).map(([name, words]) => (
            <option key={name} value={name}>
              {t(words)}
            </option>
          ))}
        </select>
      </label>
      {wish.expiry === 'date' && (
        <label class='field'>
          <span>{t('End date')}</span>
          <input
            type='date'
            required
            min={dayOf(Date.now())}
            value={wish.day}
            onInput={(event: Event) => change({ day: valueOf(event) })}
          />
        </label>
      )}
      {/* One primary step a view: once a link is made, to copy it. */}
      <button class={links.made.value === undefined ? 'button primary' : 'button'} aria-disabled={busy.value || disabled}>
        {t('Create link')}
      </button>
    </form>
  )
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
        <button type='button' class='button primary' onClick={() => void copyText(share.url, t('Link'))}>
          {t('Copy link')}
        </button>
      </div>
    </div>
  )
}

export function LinksTab({ view, disabled }: TabInput): JSX.Element {
  const links = linksOf(view.session)
  const owner = view.session.role.value === 'owner'
  const list = links.list.value
  return (
    <>
      <p class='muted'>{t('Give each person or agent their own link. You can revoke any of them separately.')}</p>
      {view.session.key !== '' && <p class='muted'>{t('Links you create here end when your own link does.')}</p>}
      <CreateForm view={view} disabled={disabled} />
      <Made links={links} />
      {list !== undefined && (owner || list.length > 0) && (
        <section class='share-list' aria-labelledby='share-list-title'>
          <h3 id='share-list-title'>{owner ? t('Links') : t('Links you just created')}</h3>
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
      {!owner && <p class='muted share-note'>{t('The owner of the document sees all links and can revoke them.')}</p>}
    </>
  )
}

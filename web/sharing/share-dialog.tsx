/** Links of a document: one per person or agent, each with a role, each revocable alone. */
import { useSignal, type Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { roles, type Role } from '../../shared/roles.ts'
import { createShare, listShares, revokeShare, RequestError, type Share } from '../api.ts'
import type { Session } from '../document/session.ts'
import { copyText } from '../ui/copy.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons.tsx'
import { agentText } from './agent-text.ts'

const roleWords: Readonly<Record<Role, string>> = {
  view: 'Can read',
  comment: 'Can comment',
  suggest: 'Can suggest',
  edit: 'Can edit',
  owner: 'Owner'
}

const words = (error: unknown): string => {
  if (error instanceof RequestError && error.status === 0) return 'The server cannot be reached. Links can be made when you are online.'
  if (error instanceof RequestError) return error.status === 403 ? 'Your link does not allow this.' : `${error.message} ${error.hint}`
  return 'That did not work.'
}

function CreateForm({
  session,
  onCreated,
  onFail
}: {
  session: Session
  onCreated: (share: Share) => void
  onFail: (error: unknown) => void
}): JSX.Element {
  const role = useSignal<Role>('edit')
  const busy = useSignal(false)
  const label = useRef<HTMLInputElement>(null)
  const offered = roles.filter((name) => name !== 'owner' || session.role.value === 'owner')

  const submit = async (): Promise<void> => {
    busy.value = true
    const name = label.current?.value.trim() ?? ''
    try {
      onCreated(await createShare(session.id, session.key, { role: role.value, ...(name !== '' && { label: name }) }))
      if (label.current !== null) label.current.value = ''
    } catch (error) {
      onFail(error)
    }
    busy.value = false
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
        <span>For whom</span>
        <input ref={label} type='text' maxLength={200} placeholder='Ana, or “review agent”' />
      </label>
      <label class='field'>
        <span>Role</span>
        <select value={role.value} onChange={(event: Event) => (role.value = (event.target as HTMLSelectElement).value as Role)}>
          {offered.map((name) => (
            <option key={name} value={name}>
              {roleWords[name]}
            </option>
          ))}
        </select>
      </label>
      <button class='button primary' disabled={busy.value}>
        Create link
      </button>
    </form>
  )
}

const canEdit = (role: Role): boolean => role === 'edit' || role === 'owner'

function ShareRow({ session, share, onRevoke }: { session: Session; share: Share; onRevoke?: (share: Share) => void }): JSX.Element {
  const asking = useSignal(false)
  const name = share.label ?? 'Link without a name'
  // To revoke the link that one holds would shut oneself out.
  const own = share.secret === session.key
  const used = own
    ? 'this is your own link'
    : share.lastUsedAt === null
      ? 'never used'
      : `last used ${new Date(share.lastUsedAt).toLocaleDateString('en', { day: 'numeric', month: 'short' })}`
  return (
    <li class='share-row'>
      <div class='share-who'>
        <strong>{name}</strong>
        <span class='muted'>
          {roleWords[share.role]} · {used}
        </span>
      </div>
      {asking.value ? (
        <div class='share-actions'>
          <button type='button' class='button danger' onClick={() => onRevoke?.(share)}>
            Revoke link
          </button>
          <button type='button' class='button quiet' onClick={() => (asking.value = false)}>
            Keep
          </button>
        </div>
      ) : (
        <div class='share-actions'>
          <button type='button' class='button' onClick={() => void copyText(share.url, 'Link')}>
            <Icon name='copy' size={18} />
            Copy link
          </button>
          <button
            type='button'
            class='button quiet icon-only'
            aria-label={`Copy instructions for an agent: ${name}`}
            title='Copy instructions for an agent'
            onClick={() =>
              void copyText(agentText(location.origin, session.id, share.secret, canEdit(share.role)), 'Instructions for an agent')
            }
          >
            <Icon name='bot' />
          </button>
          {onRevoke !== undefined && !own && (
            <button
              type='button'
              class='button quiet icon-only'
              aria-label={`Revoke: ${name}`}
              title='Revoke'
              onClick={() => (asking.value = true)}
            >
              <Icon name='trash' />
            </button>
          )}
        </div>
      )}
      {asking.value && (
        <p class='muted share-warning'>Whoever uses this link is disconnected at once and cannot open the document again.</p>
      )}
    </li>
  )
}

function Created({ session, share }: { session: Session; share: Share }): JSX.Element {
  return (
    <div class='share-created' role='status'>
      <p>
        <Icon name='check' size={18} /> {share.label === null ? 'The link is ready.' : `The link for ${share.label} is ready.`}
      </p>
      <div class='share-copy'>
        <input
          type='text'
          readOnly
          aria-label='New link'
          value={share.url}
          onFocus={(event: FocusEvent) => (event.target as HTMLInputElement).select()}
        />
        <button type='button' class='button primary' onClick={() => void copyText(share.url, 'Link')}>
          Copy link
        </button>
      </div>
      <details>
        <summary>For an agent</summary>
        <pre tabIndex={0} aria-label='Instructions for an agent'>
          {agentText(location.origin, session.id, share.secret, canEdit(share.role))}
        </pre>
        <button
          type='button'
          class='button'
          onClick={() =>
            void copyText(agentText(location.origin, session.id, share.secret, canEdit(share.role)), 'Instructions for an agent')
          }
        >
          <Icon name='copy' size={18} />
          Copy instructions
        </button>
      </details>
    </div>
  )
}

function useShares(session: Session, owner: boolean, failure: Signal<string | undefined>): Signal<readonly Share[] | undefined> {
  const shares = useSignal<readonly Share[] | undefined>(owner ? undefined : [])
  useEffect(() => {
    if (!owner) return
    listShares(session.id, session.key).then(
      (list) => (shares.value = list),
      (error: unknown) => (failure.value = words(error))
    )
  }, [])
  return shares
}

export function ShareDialog({ session, onClose }: { session: Session; onClose: () => void }): JSX.Element {
  const owner = session.role.value === 'owner'
  const failure = useSignal<string | undefined>(undefined)
  const created = useSignal<Share | undefined>(undefined)
  const shares = useShares(session, owner, failure)

  const fail = (error: unknown): void => {
    failure.value = words(error)
  }
  const add = (share: Share): void => {
    failure.value = undefined
    created.value = share
    if (owner) shares.value = [share, ...(shares.value ?? [])]
  }
  const revoke = async (share: Share): Promise<void> => {
    try {
      await revokeShare(session.id, session.key, share.id)
      shares.value = shares.value?.filter((other) => other.id !== share.id)
      if (created.value?.id === share.id) created.value = undefined
      failure.value = undefined
    } catch (error) {
      fail(error)
    }
  }
  return (
    <Dialog title='Share' about='Give everyone a link of their own, people and agents alike. Each can be revoked alone.' onClose={onClose}>
      <CreateForm session={session} onCreated={add} onFail={fail} />
      <div role='alert'>{failure.value !== undefined && <p class='notice danger'>{failure.value}</p>}</div>
      {created.value !== undefined && <Created session={session} share={created.value} />}
      {owner && shares.value !== undefined && (
        <section class='share-list' aria-labelledby='share-list-title'>
          <h3 id='share-list-title'>Links</h3>
          {shares.value.length === 0 ? (
            <p class='muted'>No links yet. Only you can open this document.</p>
          ) : (
            <ul>
              {shares.value.map((share) => (
                <ShareRow key={share.id} session={session} share={share} onRevoke={(which) => void revoke(which)} />
              ))}
            </ul>
          )}
        </section>
      )}
      {!owner && <p class='muted'>The owner of the document sees all links and can revoke them.</p>}
    </Dialog>
  )
}

/**
 * The links of an open document for its dialog, and the draft of a new link, which the page keeps until the person leaves it. This module has no user
 * interface code.
 */
import { signal, type Signal } from '@preact/signals'
import { includesRole, type Role } from '../../shared/roles.ts'
import { onceFor } from '../../shared/once-for.ts'
import type { Session } from '../session/session.ts'
import { newId } from '../base/new-id.ts'
import { mayPass } from '../client/failure.ts'
import { endOf, type LinkEnd } from './expiry.ts'
import { changeShare, createShare, listShares, revokeShare, type NewShare, type Share } from './requests.ts'

/** The person's choices for a new link. */
export interface Wish extends LinkEnd {
  readonly label: string
  readonly role: Role
}

export type LinkChange = Partial<Pick<Share, 'role' | 'label' | 'expiresAt'>>

export interface Links {
  /** The links, newest first. Owners see all of them. Others see the links that they created on this page. Undefined until known. */
  readonly list: Signal<readonly Share[] | undefined>
  /** The error of the last step, if it failed. */
  readonly failure: Signal<unknown>
  /** The values of the form. */
  readonly draft: Signal<Wish>
  /** The newest link, which the dialog shows separately. */
  readonly made: Signal<Share | undefined>
  /** The link whose instructions for agents the dialog shows. */
  readonly invited: Signal<Share | undefined>
  /** Loads the list again if the person may see it. */
  load(): Promise<void>
  /**
   * Creates a link. Resolves to undefined if the request fails; `failure` then contains the error. A repeated request creates only one link, even if
   * the first response was lost.
   */
  create(wish: Wish): Promise<Share | undefined>
  /** Returns the link for everyone with a role, and creates it if there is none. Resolves to undefined if the request fails. */
  general(role: Role): Promise<Share | undefined>
  /**
   * Changes the role, the end or the name of a link. Links created through it get at most the new role, and end no later. Resolves to
   * false if the request fails; `failure` then contains the error.
   */
  change(share: Share, change: LinkChange): Promise<boolean>
  /** Resets the form to its defaults, unless it contains a draft. */
  settle(): void
  /** Revokes a link. Links created through it are revoked too, unless `keepsLinks` is set. */
  revoke(share: Share, keepsLinks: boolean): Promise<void>
}

/** A request for a link for which no response has arrived. */
interface Attempt {
  readonly wish: Wish
  readonly link: NewShare
  readonly id: string
}

const linkOf = ({ label, role, expiry, day }: Wish): NewShare => {
  const expiresAt = endOf(expiry, day, Date.now())
  return { role, ...(label.trim() !== '' && { label: label.trim() }), ...(expiresAt !== undefined && { expiresAt }) }
}

const empty: Wish = { label: '', role: 'edit', expiry: 'never', day: '' }

/** Returns the links created through a link, directly and indirectly. Directly created links come first. */
export function madeThrough(list: readonly Share[], id: string): readonly Share[] {
  const own = list.filter((share) => share.madeThrough === id)
  return [...own, ...own.flatMap((share) => madeThrough(list, share.id))]
}

/** Whether a link is the first link of its document. The service gives that link an English name, which each page translates. */
export const isFirst = ({ label, role, madeThrough: maker }: Pick<Share, 'label' | 'role' | 'madeThrough'>): boolean =>
  label === 'Owner' && role === 'owner' && maker === null

/**
 * Whether a link is the person's own: its key is `key`, the one that this page or this device uses, or their account owns the document and the link is
 * the first one. Only a document that was created without an account has a first link.
 */
export const isOwnLink = (share: Pick<Share, 'secret' | 'label' | 'role' | 'madeThrough'>, key: string, isInAccount: boolean): boolean =>
  share.secret === key || (isInAccount && isFirst(share))

const isSame = (one: Wish, other: Wish): boolean => JSON.stringify(one) === JSON.stringify(other)

function createLinks(session: Session): Links {
  const list = signal<readonly Share[] | undefined>(undefined)
  const failure = signal<unknown>(undefined)
  const draft = signal<Wish>(empty)
  const made = signal<Share | undefined>(undefined)
  const invited = signal<Share | undefined>(undefined)
  let unanswered: Attempt | undefined

  const drop = (id: string): void => {
    list.value = list.value?.filter((share) => share.id !== id)
    for (const shown of [made, invited]) if (shown.value?.id === id) shown.value = undefined
  }
  const attempt = async <Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> => {
    try {
      const answer = await work()
      failure.value = undefined
      return answer
    } catch (error) {
      failure.value = error
      return undefined
    }
  }

  const create: Links['create'] = (wish) =>
    attempt(async () => {
      // The expiry is counted from the first request, so that a repeated request is equal to the first one.
      if (unanswered === undefined || !isSame(unanswered.wish, wish)) unanswered = { wish, link: linkOf(wish), id: newId() }
      const { link, id } = unanswered
      try {
        const share = await createShare({ id: session.id, key: session.key, idempotencyKey: id }, link)
        unanswered = undefined
        list.value = [share, ...(list.value ?? []).filter((other) => other.id !== share.id)]
        return share
      } catch (error) {
        if (!mayPass(error)) unanswered = undefined
        throw error
      }
    })

  return {
    list,
    failure,
    draft,
    made,
    invited,
    async load() {
      if (!includesRole(session.role.value, 'owner')) {
        list.value ??= []
        return
      }
      // If the list cannot be loaded, it is loaded again after the next connection. Until then, the last error stays visible.
      const found = await listShares(session).catch((error: unknown) => {
        failure.value ??= list.value === undefined ? error : undefined
      })
      if (found === undefined) return
      if (list.value === undefined) failure.value = undefined
      list.value = found
      for (const shown of [made, invited]) if (!found.some(({ id }) => id === shown.value?.id)) shown.value = undefined
    },
    create,
    async general(role) {
      const found = list.value?.find(
        (share) => share.label === null && share.role === role && share.expiresAt === null && share.secret !== session.key
      )
      return found ?? create({ ...empty, role })
    },
    async change(share, change) {
      if ((await attempt(() => changeShare(session, { share: share.id, ...change }))) === undefined) return false
      list.value = list.value?.map((other) => (other.id === share.id ? { ...other, ...change } : other))
      await this.load()
      return true
    },
    settle() {
      if (draft.value.label === '') draft.value = empty
    },
    async revoke(share, keepsLinks) {
      const answer = await attempt(() => revokeShare(session, { share: share.id, ...(keepsLinks && { keep: 'links' }) }))
      if (answer === undefined) return
      for (const id of [share.id, ...answer.ended]) drop(id)
      // The links that were kept now have another creator.
      if (keepsLinks) await this.load()
    }
  }
}

export const linksOf: (session: Session) => Links = onceFor(createLinks)

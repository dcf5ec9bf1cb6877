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
import { changeShare, createShare, listAllShares, listShares, revokeShare, type NewShare, type Share } from './requests.ts'

/** The person's choices for a new link. */
export interface Wish extends LinkEnd {
  readonly label: string
  readonly role: Role
}

export type LinkChange = Partial<Pick<Share, 'role' | 'label' | 'expiresAt'>>

export interface Links {
  /** The links, newest first. Owners see all of them. Others see the links that they created on this page. Undefined until known. */
  readonly list: Signal<readonly Share[] | undefined>
  /** The newest links, with those that have ended or were revoked. Empty until known, and for people who are not owners. */
  readonly all: Signal<readonly Share[]>
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
  /** Creates a link with the name, the role and the duration of a link that has ended. Otherwise, it is like `create`. */
  again(share: Share): Promise<Share | undefined>
  /** Returns the link for everyone with a role, and creates it if there is none. Resolves to undefined if the request fails. */
  general(role: Role): Promise<Share | undefined>
  /**
   * Changes the role, the end or the name of a link. Links created through it get at most the new role, and end no later. Resolves to
   * false if the request fails; `failure` then contains the error.
   */
  change(share: Share, change: LinkChange): Promise<boolean>
  /** Resets the form to its defaults, or to a role, unless it contains a draft. */
  settle(role?: Role): void
  /** Revokes a link. Links created through it are revoked too, unless `keepsLinks` is set. */
  revoke(share: Share, keepsLinks: boolean): Promise<void>
}

/** A request for a link for which no response has arrived. */
interface Attempt {
  /** Tells apart requests for different links. */
  readonly wish: string
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

/** Whether the service named a link. It gives the first link of a document an English name, which each page translates. */
export const isNamedByService = ({ first, label }: Pick<Share, 'first' | 'label'>): boolean => first && label === 'Owner'

/**
 * Whether a link is the person's own: its key is `key`, the one that this page or this device uses, or their account owns the document and the link is
 * the first one. Only a document that was created without an account has a first link.
 */
export const isOwnLink = (share: Pick<Share, 'secret' | 'first'>, key: string, isInAccount: boolean): boolean =>
  share.secret === key || (isInAccount && share.first)

/** Maximum number of ended links that are shown. */
const endedMax = 10

const purposeOf = ({ label, role }: Share): string => JSON.stringify([label, role])

/** Returns the links that have ended by themselves, latest first and only up to a limit. A later link with the same name and role replaces one. */
export function endedLinks(all: readonly Share[], live: readonly Share[], now: number): readonly Share[] {
  const endOfShare = ({ expiresAt }: Share): number => (expiresAt === null ? Infinity : Date.parse(expiresAt))
  const taken = new Set(live.map(purposeOf))
  const isNew = (share: Share): boolean => !taken.has(purposeOf(share)) && taken.add(purposeOf(share)).size > 0
  return all
    .filter((share) => !share.revoked && endOfShare(share) <= now && !live.some(({ id }) => id === share.id))
    .toSorted((one, other) => endOfShare(other) - endOfShare(one))
    .filter(isNew)
    .slice(0, endedMax)
}

const againOf = ({ label, role, createdAt, expiresAt }: Share): NewShare => ({
  role,
  ...(label !== null && { label }),
  ...(expiresAt !== null && { expiresAt: new Date(Date.now() + Date.parse(expiresAt) - Date.parse(createdAt)).toISOString() })
})

function createLinks(session: Session): Links {
  const list = signal<readonly Share[] | undefined>(undefined)
  const all = signal<readonly Share[]>([])
  const failure = signal<unknown>(undefined)
  const draft = signal<Wish>(empty)
  const made = signal<Share | undefined>(undefined)
  const invited = signal<Share | undefined>(undefined)
  let unanswered: Attempt | undefined
  /** Number of links that were created, changed or revoked here. */
  let changes = 0

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

  const request = (wish: string, linkNow: () => NewShare): Promise<Share | undefined> =>
    attempt(async () => {
      // The expiry is counted from the first request, so that a repeated request is equal to the first one.
      if (unanswered?.wish !== wish) unanswered = { wish, link: linkNow(), id: newId() }
      const { link, id } = unanswered
      try {
        const share = await createShare({ id: session.id, key: session.key, idempotencyKey: id }, link)
        unanswered = undefined
        changes += 1
        list.value = [share, ...(list.value ?? []).filter((other) => other.id !== share.id)]
        return share
      } catch (error) {
        if (!mayPass(error)) unanswered = undefined
        throw error
      }
    })

  const create: Links['create'] = (wish) => request(JSON.stringify(wish), () => linkOf(wish))

  return {
    list,
    all,
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
      const before = changes
      const found = await listShares(session).catch((error: unknown) => {
        failure.value ??= list.value === undefined ? error : undefined
      })
      if (found === undefined) return
      // The list may be from before the last change.
      if (before !== changes) return this.load()
      if (list.value === undefined) failure.value = undefined
      list.value = found
      for (const shown of [made, invited]) if (!found.some(({ id }) => id === shown.value?.id)) shown.value = undefined
      all.value = (await listAllShares(session).catch(() => undefined)) ?? all.value
    },
    create,
    again: (share) => request(share.id, () => againOf(share)),
    async general(role) {
      const found = list.value?.find(
        (share) => share.label === null && share.role === role && share.expiresAt === null && share.secret !== session.key
      )
      return found ?? create({ ...empty, role })
    },
    async change(share, change) {
      if ((await attempt(() => changeShare(session, { share: share.id, ...change }))) === undefined) return false
      changes += 1
      list.value = list.value?.map((other) => (other.id === share.id ? { ...other, ...change } : other))
      await this.load()
      return true
    },
    settle(role = empty.role) {
      if (draft.value.label === '') draft.value = { ...empty, role }
    },
    async revoke(share, keepsLinks) {
      const answer = await attempt(() => revokeShare(session, { share: share.id, ...(keepsLinks && { keep: 'links' }) }))
      if (answer === undefined) return
      changes += 1
      for (const id of [share.id, ...answer.ended]) drop(id)
      // The links that were kept now have another creator.
      if (keepsLinks) await this.load()
    }
  }
}

export const linksOf: (session: Session) => Links = onceFor(createLinks)

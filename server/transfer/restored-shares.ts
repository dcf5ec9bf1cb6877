/** The links of a restored document: those from the export, or a new owner link for a document that nobody could otherwise open. */
import type { Put } from '../domain/ports.ts'
import { encodeRecord, firstLinkLabel, type Head, type KeyIndex, keys, type Share, type Task } from '../domain/records/keys.ts'
import { hashSecret, newId, newShareKey, type Vault } from '../domain/secrets.ts'
import type { LinkFile, TaskFile } from './format.ts'

type Counts = Pick<Head, 'shares' | 'taskShares' | 'sharesMade'>

export interface RestoredShares {
  readonly puts: readonly Put[]
  readonly counts: Counts
  /** The secret of a new owner link; undefined if none was needed. */
  readonly owner: string | undefined
}

interface Link {
  readonly share: Share
  readonly secret: string
}

const putsOf = (doc: string, { share }: Link): Put[] => [
  { key: keys.share(doc, share.id), value: encodeRecord(share) },
  {
    key: keys.key(share.hash),
    value: encodeRecord({ doc, share: share.id, expiresAt: share.expiresAt, revoked: share.revokedAt !== null } satisfies KeyIndex)
  }
]

const linkOf = (vault: Vault, { secret, ...link }: LinkFile): Link => ({
  share: { ...link, hash: hashSecret(secret), sealed: vault.seal(secret, link.id) },
  secret
})

const newOwnerLink = (vault: Vault, createdAt: number): Link =>
  linkOf(vault, {
    id: newId(),
    role: 'owner',
    label: firstLinkLabel,
    secret: newShareKey(),
    createdAt,
    expiresAt: null,
    revokedAt: null,
    first: true
  })

const countsOf = (links: readonly Link[]): Counts => {
  const live = links.filter(({ share }) => share.revokedAt === null)
  const ofTasks = live.filter(({ share }) => share.task !== undefined).length
  return {
    shares: live.length - ofTasks,
    ...(ofTasks > 0 && { taskShares: ofTasks }),
    ...(links.length > 0 && { sharesMade: links.length })
  }
}

/** Returns the records of links. A document without an account gets a new owner link if it has no working owner link. */
export const restoredShares = (
  vault: Vault,
  doc: string,
  files: readonly LinkFile[],
  isAnonymous: boolean,
  now: number
): RestoredShares => {
  const links = files.map((link) => linkOf(vault, link))
  const isOwned = links.some(({ share: { role, revokedAt, expiresAt } }) => role === 'owner' && revokedAt === null && expiresAt === null)
  const added = isAnonymous && !isOwned ? newOwnerLink(vault, now) : undefined
  const all = added === undefined ? links : [...links, added]
  return { puts: all.flatMap((link) => putsOf(doc, link)), counts: countsOf(all), owner: added?.secret }
}

/** Returns an assignment with its link. If the link was not restored, the assignment gets a new, revoked link. */
export const restoredTask = (vault: Vault, doc: string, { share, ...task }: TaskFile, links: readonly LinkFile[]): Task => {
  const secret = links.find(({ id }) => id === share.id)?.secret
  const sealed = vault.seal(secret ?? newShareKey(), share.id)
  const revoked = secret === undefined || share.revoked === true
  return { ...task, docId: doc, share: { id: share.id, sealed, ...(revoked && { revoked: true as const }) } }
}

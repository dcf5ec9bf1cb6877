/** Requests to the service about links and publishing. */
import type { Input, Output } from '../../shared/operations/index.ts'
import { readDocument } from '../client/documents.ts'
import { operation, type Access } from '../client/operation.ts'

export type Share = Output<'listShares'>['shares'][number]
export type NewShare = Input<'createShare'>
export type Publication = Pick<Output<'publishDocument'>, 'published' | 'url' | 'markdownUrl' | 'publishedAt' | 'indexed'> & {
  /** Whether the page was published before the document had an owner. It does not name the owner until it is published again. */
  readonly unsigned?: true | undefined
  /** The name of the account or agent that owns the document. Absent for an anonymous document, and in the response to a change. */
  readonly ownerName?: string | undefined
}

const readShares = operation<'listShares'>('GET /api/docs/{id}/shares')

/** Returns the links that have not been revoked, newest first. Only owners may call it. */
export const listShares = async ({ id, key }: Access): Promise<readonly Share[]> =>
  (await readShares({ id, key }, { ended: false })).shares.filter((share) => !share.revoked)

/** Returns the newest links, including those that have ended or were revoked. Only owners may call it. */
export const listAllShares = async ({ id, key }: Access): Promise<readonly Share[]> => (await readShares({ id, key }, {})).shares

/** Creates a link. A repeated request with the same `idempotencyKey` does not create a second one. */
export const createShare = operation<'createShare'>('POST /api/docs/{id}/shares')

/** Changes a link. Links created through it get at most the new role. */
export const changeShare = operation<'changeShare'>('PATCH /api/docs/{id}/shares/{share}')

/** Revokes a link. Links created through it are revoked too, unless the request keeps them. */
export const revokeShare = operation<'revokeShare'>('DELETE /api/docs/{id}/shares/{share}')

export async function readPublication({ id, key }: Access): Promise<Publication> {
  const { published, publishedAt, indexed, unsigned, owner } = await readDocument({ id, key })
  const url = `${location.origin}/pub/${id}`
  return { published, publishedAt, indexed, url, markdownUrl: `${url}.md`, unsigned, ownerName: owner.name }
}

export const publish = operation<'publishDocument'>('POST /api/docs/{id}/publish')

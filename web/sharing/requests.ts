/** Requests to the service about links and publishing. */
import type { Input, Output } from '../../shared/operations/index.ts'
import { readDocument } from '../client/documents.ts'
import { operation, type Access } from '../client/operation.ts'

export type Share = Output<'listShares'>['shares'][number]
export type NewShare = Input<'createShare'>
export type Publication = Pick<Output<'publishDocument'>, 'published' | 'url' | 'markdownUrl' | 'publishedAt' | 'indexed'>

const readShares = operation<'listShares'>('GET /api/docs/{id}/shares')

/** Returns the links that are not revoked, newest first. For owners. */
export const listShares = async ({ id, key }: Access): Promise<readonly Share[]> =>
  (await readShares({ id, key }, { ended: false })).shares.filter((share) => !share.revoked)

/** A repeated request with the same `idempotencyKey` creates no second link. */
export const createShare = operation<'createShare'>('POST /api/docs/{id}/shares')

/** Links created through it get at most the new role. */
export const changeShare = operation<'changeShare'>('PATCH /api/docs/{id}/shares/{share}')

/** Also revokes the links created through it, unless the request keeps them. */
export const revokeShare = operation<'revokeShare'>('DELETE /api/docs/{id}/shares/{share}')

export async function readPublication({ id, key }: Access): Promise<Publication> {
  const { published, publishedAt, indexed } = await readDocument({ id, key })
  const url = `${location.origin}/pub/${id}`
  return { published, publishedAt, indexed, url, markdownUrl: `${url}.md` }
}

export const publish = operation<'publishDocument'>('POST /api/docs/{id}/publish')

/** Requests to the service about links and publishing. */
import type { Input, Output } from '../../shared/operations/index.ts'
import type { Role } from '../../shared/roles.ts'
import { call } from '../client/api.ts'

export interface Access {
  readonly id: string
  readonly key: string
}

export type Share = Output<'listShares'>['shares'][number]
export type NewShare = Input<'createShare'>
export type Publication = Pick<Output<'publishDocument'>, 'published' | 'url' | 'markdownUrl' | 'publishedAt' | 'indexed'>

/** The links that are not revoked, newest first. For owners. */
export const listShares = async ({ id, key }: Access): Promise<readonly Share[]> =>
  (await call<Output<'listShares'>>(`/api/docs/${id}/shares?ended=false`, { key })).shares.filter((share) => !share.revoked)

/** Sent again with the same `idempotencyKey` it makes no second link. */
export const createShare = ({ id, key }: Access, body: NewShare, idempotencyKey: string): Promise<Share> =>
  call(`/api/docs/${id}/shares`, { method: 'POST', key, body, idempotencyKey })

/** Links made through it keep at most the new role. */
export const changeShare = ({ id, key }: Access, share: string, role: Role): Promise<Output<'changeShare'>> =>
  call(`/api/docs/${id}/shares/${share}`, { method: 'PATCH', key, body: { role } })

/** With the links made through it, unless they are kept. */
export const revokeShare = ({ id, key }: Access, share: string, keepsLinks: boolean): Promise<Output<'revokeShare'>> =>
  call(`/api/docs/${id}/shares/${share}${keepsLinks ? '?keep=links' : ''}`, { method: 'DELETE', key })

export async function readPublication({ id, key }: Access): Promise<Publication> {
  const { published, publishedAt, indexed } = await call<Output<'readDocument'>>(`/api/docs/${id}`, { key })
  const url = `${location.origin}/pub/${id}`
  return { published, publishedAt, indexed, url, markdownUrl: `${url}.md` }
}

export const publish = ({ id, key }: Access, body: Input<'publishDocument'>): Promise<Publication> =>
  call(`/api/docs/${id}/publish`, { method: 'POST', key, body })

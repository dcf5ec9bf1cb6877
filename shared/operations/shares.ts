/** Share links (specification, Shares; api.md, Shares). */
import { z } from 'zod'
import { operation } from '../operation.ts'
import { CreatedShare, Label, RoleName, ShareRecord } from './schemas.ts'

export const listShares = operation({
  summary: 'Lists the share links of a document, newest first.',
  on: 'document',
  role: 'owner',
  rest: { method: 'GET', path: '/api/docs/{id}/shares' },
  cli: 'share list',
  input: z.object({}),
  output: z.object({ shares: z.array(ShareRecord) }),
  errors: []
})

export const createShare = operation({
  summary: 'Creates a share link with one role. Give each participant a link of their own.',
  description: 'Always a new secret. Links with the owner role can be made by an owner only.',
  on: 'document',
  role: 'edit',
  rest: { method: 'POST', path: '/api/docs/{id}/shares', status: 201 },
  mcp: 'create_share',
  cli: 'share create',
  input: z.object({ role: RoleName, label: Label.optional(), expiresAt: z.iso.datetime({ offset: true }).nullish() }),
  output: CreatedShare,
  errors: []
})

export const revokeShare = operation({
  summary: 'Revokes a share link, named by its secret or its id. Whoever uses it is disconnected.',
  on: 'document',
  role: 'owner',
  rest: { method: 'DELETE', path: '/api/docs/{id}/shares/{share}' },
  cli: 'share revoke',
  input: z.object({ share: z.string().max(100) }),
  output: z.object({ ok: z.literal(true), revoked: z.literal(true) }),
  errors: []
})

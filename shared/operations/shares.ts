/** Operations on share links (docs/api.md, Shares). */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { AuthorName, Brief, CreatedShare, Label, RoleName, ShareRecord } from './schemas.ts'

const End = z.iso.datetime({ offset: true }).nullish()

const Share = z.string().max(100).meta({ description: 'Secret or id of the link.' })

export const listShares = operation({
  summary: 'Lists the share links of a document, newest first.',
  on: 'document',
  role: 'owner',
  rest: { method: 'GET', path: '/api/docs/{id}/shares', query: ['brief', 'before', 'limit', 'ended', 'id'] },
  mcp: 'list_shares',
  cli: 'share list',
  input: z.object({
    brief: Brief,
    before: z
      .string()
      .regex(/^\d{15}-[\w-]{1,40}$/, 'must be a nextBefore')
      .optional()
      .meta({ description: 'nextBefore of the previous page.' }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(limits.sharePageMax)
      .optional()
      .meta({ description: `Defaults to ${limits.sharePageMax}.` }),
    ended: z.boolean().optional().meta({ description: 'False leaves out revoked and expired links.' }),
    id: z.string().max(limits.idUnitsMax).optional().meta({ description: 'Only this link.' })
  }),
  output: z.object({ shares: z.array(ShareRecord), nextBefore: z.string().nullable() }),
  errors: []
})

export const readShare = operation({
  summary: 'Reads one share link, by its secret or id.',
  on: 'document',
  role: 'owner',
  rest: { method: 'GET', path: '/api/docs/{id}/shares/{share}' },
  cli: 'share show',
  input: z.object({ share: Share }),
  output: z.object({ share: ShareRecord }),
  errors: []
})

const forPerson = 'Anyone with a link can use it. Send role, with the name of the person as label, and give them the returned url.'

export const createShare = operation({
  summary: 'Creates a share link with one role. Give each participant their own link.',
  description:
    'Each link has a new secret. Only an owner can create owner links. A link made through another link is ' +
    'revoked with that link and expires no later. Without expiresAt, both expire together; the response shows the time.',
  on: 'document',
  role: 'edit',
  rest: { method: 'POST', path: '/api/docs/{id}/shares', status: 201 },
  mcp: 'create_share',
  cli: 'share create',
  input: z.object({
    role: RoleName,
    label: Label.optional(),
    expiresAt: End,
    author: AuthorName.optional()
  }),
  output: CreatedShare,
  example: { role: 'view' },
  errors: [],
  elsewhere: { email: forPerson, emailaddress: forPerson, user: forPerson, grantee: forPerson, type: forPerson, to: forPerson }
})

export const changeShare = operation({
  summary: 'Changes the role, end or name of a share link.',
  description:
    'Applies at once, even to open connections. Links made through this one keep at most its role and end no later. No link exceeds the one it was ' +
    'made through. A caller with a link can raise or extend only links made through it. Links of review assignments cannot change.',
  on: 'document',
  role: 'owner',
  rest: { method: 'PATCH', path: '/api/docs/{id}/shares/{share}' },
  mcp: 'change_share',
  cli: 'share change',
  input: z.object({
    share: Share,
    role: RoleName.optional(),
    label: Label.nullish(),
    expiresAt: End,
    author: AuthorName.optional()
  }),
  output: CreatedShare.and(
    z.object({
      lowered: z.array(z.string()).meta({ description: 'Ids of links made through this link that got a lower role or an earlier end.' }),
      ended: z.array(z.string()).meta({ description: 'Ids of assignment links that ended because the role does not allow suggesting.' })
    })
  ),
  example: { role: 'comment' },
  errors: ['last_owner_link']
})

export const revokeShare = operation({
  summary: 'Revokes a share link and all links made through it, and disconnects their users.',
  description:
    '`keep=links` keeps the links made through this one; they then count as made through its parent link. You cannot revoke the last owner link of a ' +
    'document without an account.',
  on: 'document',
  role: 'owner',
  rest: { method: 'DELETE', path: '/api/docs/{id}/shares/{share}', query: ['keep'] },
  mcp: 'revoke_share',
  cli: 'share revoke',
  input: z.object({
    share: Share,
    keep: z.literal('links').optional().meta({ description: '`links`: keep the links made through it.' })
  }),
  output: z.object({
    ok: z.literal(true),
    revoked: z.literal(true),
    ended: z.array(z.string()).meta({ description: 'Ids of links made through this link, which also ended.' })
  }),
  errors: ['last_owner_link']
})

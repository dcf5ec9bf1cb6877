/** Accounts: the signed-in person, their documents and sessions, and the device login (docs/api.md, Accounts and sign-in). */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { Brief, Instant, Label, line, Metadata, RoleName, Usage, listedFields } from './schemas.ts'

const User = z.object({ id: z.string(), name: z.string(), email: z.string().nullable() }).meta({ id: 'User' })

export const readMe = operation({
  summary: 'Shows who is signed in.',
  on: 'account',
  needs: 'identity',
  byProgram: true,
  rest: { method: 'GET', path: '/api/me' },
  cli: 'auth status',
  input: z.object({}),
  output: z.object({ kind: z.enum(['account', 'agent']), user: User, usage: Usage.optional() }),
  errors: []
})

export const updateMe = operation({
  summary: 'Changes the display name of the account.',
  description: 'People change passwords and delete accounts in a browser, at `/account`.',
  on: 'account',
  needs: 'account',
  rest: { method: 'PATCH', path: '/api/me' },
  input: z.object({ name: z.string().max(limits.authorUnitsMax) }),
  output: z.object({ ok: z.literal(true), user: User }),
  example: { name: 'Ana' },
  errors: []
})

export const findSession = operation({
  summary: 'Shows whether the caller is signed in. Never returns 401.',
  on: 'account',
  rest: { method: 'GET', path: '/api/session' },
  input: z.object({}),
  output: z.object({ kind: z.enum(['guest', 'account', 'agent']), user: User.nullable() }),
  errors: []
})

export const listDocuments = operation({
  summary: 'Lists the documents that the caller owns, newest first.',
  description:
    'Other people’s documents open only with their links. `query` searches titles and text. A search reads a limited number of documents: continue with `nextBefore` until it is null. ' +
    'With `sort` set to `updated` (newest change first) or `title`, the list covers only the 1000 newest documents.',
  on: 'account',
  needs: 'identity',
  byProgram: true,
  rest: { method: 'GET', path: '/api/docs', query: ['brief', 'query', 'sort', 'before', 'limit'] },
  mcp: 'list_docs',
  cli: 'docs list',
  input: z.object({
    brief: Brief,
    query: z.string().max(200).optional(),
    sort: z.enum(['created', 'updated', 'title']).optional(),
    before: z.string().max(60).optional().meta({ description: '`nextBefore` of the previous page.' }),
    limit: z.coerce.number().int().min(1).max(limits.searchDocumentsMax).optional()
  }),
  output: z.object({ docs: z.array(Metadata), nextBefore: z.string().nullable() }),
  errors: []
})

export const listTrash = operation({
  summary: 'Lists the documents in the caller’s trash, most recently deleted first.',
  on: 'account',
  needs: 'identity',
  byProgram: true,
  rest: { method: 'GET', path: '/api/trash', query: ['brief', 'before', 'limit'] },
  mcp: 'list_docs',
  cli: 'docs trash',
  examples: ['agmd docs trash'],
  input: z.object({
    brief: Brief,
    before: z.coerce.number().int().min(0).optional().meta({ description: '`nextBefore` of the previous page.' }),
    limit: z.coerce.number().int().min(1).max(limits.searchDocumentsMax).optional()
  }),
  output: z.object({
    docs: z.array(
      z.object({
        ...listedFields,
        deletedAt: Instant,
        restorableUntil: Instant.meta({ description: 'When the server erases the document.' })
      })
    ),
    nextBefore: z.number().int().nullable()
  }),
  errors: []
})

export const claimDocument = operation({
  summary: 'Moves an anonymous document into the caller’s account. The caller needs its owner link.',
  on: 'document',
  role: 'owner',
  needs: 'account',
  rest: { method: 'POST', path: '/api/docs/{id}/claim' },
  mcp: 'claim_doc',
  cli: 'docs claim',
  input: z.object({ revokeKey: z.boolean().optional().meta({ description: 'Also revokes the caller’s link.' }) }),
  output: z.object({ ok: z.literal(true), claimed: z.literal(true), doc: Metadata }),
  errors: ['already_claimed', 'account_required']
})

const SessionRecord = z
  .object({
    id: z.string(),
    kind: z.enum(['browser', 'app']),
    name: z.string(),
    createdAt: Instant,
    lastUsedAt: Instant,
    expiresAt: Instant,
    current: z.boolean().meta({ description: 'Whether this request uses the session.' })
  })
  .meta({ id: 'Session' })

export const listSessions = operation({
  summary: 'Lists the sessions of the account in browsers and apps, last used first.',
  on: 'account',
  needs: 'account',
  rest: { method: 'GET', path: '/api/me/sessions' },
  cli: 'auth sessions',
  input: z.object({}),
  output: z.object({ sessions: z.array(SessionRecord) }),
  errors: []
})

export const revokeSession = operation({
  summary: 'Ends a session of the account and disconnects it.',
  on: 'account',
  needs: 'account',
  rest: { method: 'DELETE', path: '/api/me/sessions/{session}' },
  cli: 'auth revoke',
  input: z.object({ session: z.string().max(100) }),
  output: z.object({ ok: z.literal(true), revoked: z.literal(true) }),
  errors: ['not_found']
})

export const revokeSessions = operation({
  summary: 'Ends all sessions of the account, including this one, and the tokens of its compute nodes.',
  on: 'account',
  needs: 'account',
  rest: { method: 'DELETE', path: '/api/me/sessions' },
  cli: 'auth revoke-all',
  input: z.object({}),
  output: z.object({ ok: z.literal(true), revoked: z.number().int().meta({ description: 'Number of ended sessions.' }) }),
  errors: []
})

export const startDeviceLogin = operation({
  summary: 'Starts a device login (RFC 8628). Show the person the code and the address.',
  on: 'service',
  rest: { method: 'POST', path: '/api/cli/device/start', oauth: true },
  cli: 'login',
  input: z.object({ client_name: Label.max(limits.authorUnitsMax).optional() }),
  output: z.object({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.number().int().meta({ description: 'Seconds.' }),
    interval: z.number().int().meta({ description: 'Seconds between polls.' })
  }),
  errors: []
})

export const pollDeviceLogin = operation({
  summary: 'Polls a device login. Returns the app session once the person has approved it.',
  description: 'Errors are OAuth bodies: `{error, error_description}` (RFC 8628, 3.5).',
  on: 'service',
  rest: { method: 'POST', path: '/api/cli/device/token', oauth: true },
  input: z.object({ device_code: z.string().min(1).max(200) }),
  output: z.object({
    access_token: z.string(),
    token: z.string().meta({ description: 'Same as access_token.' }),
    token_type: z.literal('Bearer'),
    expires_in: z.number().int().meta({ description: 'Seconds.' }),
    user: User
  }),
  errors: ['authorization_pending', 'slow_down', 'expired_token', 'access_denied']
})

const ProgramRecord = z
  .object({
    id: z.string(),
    kind: z.enum(['token', 'oauth']).meta({ description: 'A personal access token, or a program connected by OAuth.' }),
    name: z.string(),
    host: z.string().nullable().meta({ description: 'Host of the redirect after consent; null for a token.' }),
    role: RoleName.meta({ description: 'The highest role.' }),
    docs: z.array(z.string()).nullable().meta({ description: 'Ids of the documents; null for all documents of the account.' }),
    createdAt: Instant,
    lastUsedAt: Instant.nullable(),
    expiresAt: Instant
  })
  .meta({ id: 'Token' })

export const createToken = operation({
  summary: 'Creates a personal access token for a program, with a name, a role, documents and an expiry.',
  description:
    'Only this response contains the secret. A program writes under the names of its token and account. Only a person can create tokens.',
  on: 'account',
  needs: 'account',
  rest: { method: 'POST', path: '/api/me/tokens', status: 201 },
  cli: 'token create',
  input: z.object({
    name: line(limits.authorUnitsMax).min(1).meta({ description: 'Name of the program, shown to readers of its text.' }),
    role: RoleName.optional().meta({ description: 'The highest role; defaults to edit.' }),
    docs: z
      .array(z.string().max(limits.idUnitsMax))
      .min(1)
      .max(limits.tokenDocumentsMax)
      .optional()
      .meta({ description: 'Ids of the documents; defaults to all documents of the account.' }),
    days: z.coerce
      .number()
      .int()
      .min(1)
      .max(limits.tokenDaysMax)
      .optional()
      .meta({ description: `Days until the token expires; defaults to ${limits.tokenDays}.` })
  }),
  output: z.object({ token: ProgramRecord, secret: z.string().meta({ description: 'Shown only once.' }) }),
  example: { name: 'A program' },
  errors: ['too_many_tokens', 'not_found']
})

export const listTokens = operation({
  summary: 'Lists the programs that act for the account, last used first: personal access tokens and OAuth clients.',
  on: 'account',
  needs: 'account',
  rest: { method: 'GET', path: '/api/me/tokens' },
  cli: 'token list',
  input: z.object({}),
  output: z.object({ tokens: z.array(ProgramRecord) }),
  errors: []
})

export const revokeToken = operation({
  summary: 'Revokes a token or a program’s access, and disconnects the program at once.',
  on: 'account',
  needs: 'account',
  rest: { method: 'DELETE', path: '/api/me/tokens/{token}' },
  cli: 'token revoke',
  input: z.object({ token: z.string().max(limits.idUnitsMax) }),
  output: z.object({ ok: z.literal(true), revoked: z.literal(true) }),
  errors: ['not_found']
})

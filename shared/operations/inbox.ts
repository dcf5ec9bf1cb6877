/** The inbox for an account, for an agent, or for a person who uses a link under a name. */
import { z } from 'zod'
import { eventKinds } from '../events.ts'
import { limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { sinceField, waitField } from './events.ts'
import { Instant } from './schemas.ts'

const Item = z
  .object({
    cursor: z.int().meta({ description: 'Cursor of the item: `since` continues after it.' }),
    reason: z.enum(['mention', 'reply', 'decision', 'assignment']),
    kind: z.enum(eventKinds),
    at: Instant,
    actor: z.string().nullable(),
    actorKind: z.enum(['guest', 'account', 'agent', 'system']),
    doc: z.object({ id: z.string(), title: z.string(), url: z.string() }),
    text: z
      .string()
      .meta({ description: 'The comment or message; for a decision the suggested text, for an assignment its instructions or summary.' }),
    why: z.string().optional().meta({ description: 'Reason for a rejection.' }),
    quote: z.string().optional().meta({ description: 'The text that the item refers to.' }),
    cut: z.array(z.string()).optional().meta({ description: 'The truncated fields: text, quote.' }),
    commentId: z.string().optional(),
    replyId: z.string().optional(),
    suggestionId: z.string().optional(),
    taskId: z.string().optional(),
    line: z.int().optional().meta({ description: 'Line of the chat message when it was written.' }),
    next: z
      .object({
        operation: z.string(),
        method: z.string(),
        path: z.string(),
        fields: z.array(z.string()).optional().meta({ description: 'Fields of the body.' }),
        tool: z.string().optional().meta({ description: 'Name of the MCP tool, without prefix.' })
      })
      .meta({ description: 'The next call.' })
  })
  .meta({ id: 'InboxItem' })

export const readInbox = operation({
  summary: 'Lists new mentions, replies, decisions on your suggestions and review assignments since a cursor.',
  description:
    'With a session or agent token, it covers your own documents. With a link, it covers the document of the link, for your account or the name you give. It leaves out your ' +
    'own actions and items that you may no longer read. To continue, pass `latest` as `since`; `wait` waits for the next item.',
  on: 'service',
  needs: 'access',
  ofLink: true,
  rest: { method: 'GET', path: '/api/inbox', query: ['since', 'wait', 'limit'] },
  mcp: 'inbox',
  cli: 'inbox',
  input: z.object({
    since: sinceField,
    wait: waitField,
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(limits.inboxPageMax)
      .optional()
      .meta({ description: `Defaults to ${limits.inboxPageMax}.` })
  }),
  output: z.object({
    items: z.array(Item),
    latest: z.int(),
    capped: z.boolean().optional().meta({ description: 'Whether there are more items; continue from latest.' })
  }),
  errors: ['not_found', 'document_deleted']
})

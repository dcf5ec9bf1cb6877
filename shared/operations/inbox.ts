/** The inbox of an account, an agent, or the name that uses a link. */
import { z } from 'zod'
import { eventKinds } from '../events.ts'
import { limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { sinceField, waitField } from './events.ts'
import { Instant } from './schemas.ts'

const Item = z
  .object({
    cursor: z.int().meta({ description: 'Its place: `since` goes on behind it.' }),
    reason: z.enum(['mention', 'reply', 'decision', 'assignment']),
    kind: z.enum(eventKinds),
    at: Instant,
    actor: z.string().nullable(),
    actorKind: z.enum(['guest', 'account', 'agent', 'system']),
    doc: z.object({ id: z.string(), title: z.string(), url: z.string() }),
    text: z
      .string()
      .meta({ description: 'What was said; of a decision the text that was suggested, of an assignment what is asked or was found.' }),
    why: z.string().optional().meta({ description: 'Of a rejection: the reason given.' }),
    quote: z.string().optional().meta({ description: 'The text that it is about.' }),
    cut: z.array(z.string()).optional().meta({ description: 'Those of text and quote that are not here whole.' }),
    commentId: z.string().optional(),
    replyId: z.string().optional(),
    suggestionId: z.string().optional(),
    taskId: z.string().optional(),
    line: z.int().optional().meta({ description: 'Of a chat message, when it was written.' }),
    next: z
      .object({
        operation: z.string(),
        method: z.string(),
        path: z.string(),
        fields: z.array(z.string()).optional().meta({ description: 'What its body needs.' }),
        tool: z.string().optional().meta({ description: 'Its tool, without the prefix of the names.' })
      })
      .meta({ description: 'The call to go on with.' })
  })
  .meta({ id: 'InboxItem' })

export const readInbox = operation({
  summary: 'Lists what needs you since a cursor: mentions, replies, decisions on your suggestions, review assignments.',
  description:
    'With a session or agent token: in the documents that you own. With a link, also to a document of others: in its document, for your account or the name you give. What you do ' +
    'yourself is not listed, nor what you may no longer read. Continue from `latest`; `wait` waits for the next item.',
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
      .meta({ description: `${limits.inboxPageMax} when absent.` })
  }),
  output: z.object({
    items: z.array(Item),
    latest: z.int(),
    capped: z.boolean().optional().meta({ description: 'There is more: go on from latest.' })
  }),
  errors: ['not_found', 'document_deleted']
})

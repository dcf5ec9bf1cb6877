/** The event feed (docs/api.md, Events and inbox). */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { Brief, EventRecord } from './schemas.ts'

export const sinceField = z
  .union([z.literal('latest'), z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)], 'must be latest or a whole number')
  .optional()
  .meta({ description: 'A cursor, or latest; defaults to 0.' })

export const waitField = z.coerce
  .number()
  .transform((seconds) => Math.min(Math.max(seconds, 0), limits.eventWaitSecondsMax))
  .optional()
  .meta({ description: 'Seconds to wait, at most 55.' })

export const listEvents = operation({
  summary: 'Lists the events after a cursor, or waits for the next one.',
  description:
    'To continue, pass `latest` as `since`. `since=latest` without `wait` returns the newest cursor; with `wait` it waits for the next event. Events about comments ' +
    'and suggestions contain the current text (`body`, `quote`, `replacement`); `cut` names shortened fields. With `replyId`, `comment.edited` and `comment.deleted` concern a reply. With `Accept: text/event-stream`, the response is a stream of server-sent events; `Last-Event-ID` resumes it.',
  on: 'document',
  role: 'view',
  // The owner can see in the feed who deleted the document.
  inTrash: true,
  rest: { method: 'GET', path: '/api/docs/{id}/events', query: ['brief', 'since', 'wait', 'types', 'excludeActor'] },
  mcp: 'list_events',
  cli: 'events',
  input: z.object({
    brief: Brief,
    since: sinceField,
    wait: waitField,
    types: z.string().max(1000).optional().meta({ description: 'Kinds to list, separated by commas.' }),
    excludeActor: z.string().max(limits.authorUnitsMax).optional()
  }),
  output: z.object({ events: z.array(EventRecord), latest: z.number().int(), capped: z.boolean().optional() }),
  errors: []
})

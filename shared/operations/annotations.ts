/** Common parts of the operations on comments and suggestions: targets, authors and positions. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import type { OtherNames } from '../nearest.ts'
import { type Elsewhere, rename } from '../operation.ts'
import { exact, Instant, line, MarkdownInput } from './schemas.ts'

export const AnnotationId = line(limits.idUnitsMax)

const offset = z.int().min(0)

/** A range of the text. Its offsets are in UTF-16 units from the beginning of the text. */
export const Offsets = z.object({ from: z.int(), to: z.int() }).meta({ id: 'Anchor' })

const starts = ['start', 'begin', 'startindex', 'startoffset', 'offset', 'index', 'position']
const ends = ['end', 'endindex', 'endoffset', 'length', 'until']

/** Names that other interfaces use for offsets and for other properties of a range. */
const otherOffsets: OtherNames = (name) => {
  if (starts.includes(name)) return ['from']
  if (ends.includes(name)) return ['to']
  return ['line', 'find', 'prefix', 'suffix', 'occurrence'].includes(name) ? [`${name} next to anchor`] : []
}

const context = z.string().max(limits.targetContextUnitsMax).pipe(MarkdownInput).optional()

/** The fields that name text. The domain refuses text that is too long. */
export const targetFields = {
  find: z.string().min(1).pipe(MarkdownInput).optional().meta({ description: 'The text; whitespace and Markdown marks may differ.' }),
  line: z.int().min(1).optional().meta({ description: 'Line number, from 1. With find: the line where the text begins.' }),
  anchor: exact({ from: offset, to: offset }, otherOffsets)
    .refine(({ from, to }) => from <= to, 'must not end before it begins')
    .optional()
    .meta({ description: 'A range in UTF-16 units.' }),
  prefix: context.meta({ description: 'Text directly before the match.' }),
  suffix: context.meta({ description: 'Text directly after the match.' }),
  occurrence: z.int().min(1).max(1_000_000).optional().meta({ description: 'Which match, from 1.' })
} as const

/** Removes null fields, because they count as absent. */
const given = (raw: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null))

const renameTarget = rename({ quote: 'find', on: 'find', anchorText: 'find' })

/** Renames synonyms of the fields that name text, and synonyms of the operation's own fields. */
export const renameWithTarget = (aliases: Readonly<Record<string, string>>) => {
  const renameOwn = rename(aliases)
  return (raw: Record<string, unknown>): Record<string, unknown> => renameTarget(renameOwn(given(raw)))
}

/** A hint that lists the ways to name text. */
export const targetNamed = 'Name the text as find (its words), line (from 1), or anchor {from, to}.'

/** Hints for fields that other interfaces use to name text. */
export const targetElsewhere: Elsewhere = {
  selection: targetNamed,
  selectedtext: targetNamed,
  findtext: targetNamed,
  textselection: targetNamed,
  quotedtext: targetNamed,
  highlight: targetNamed,
  range: targetNamed,
  start: targetNamed,
  end: targetNamed,
  startline: targetNamed,
  endline: targetNamed,
  position: targetNamed,
  path: targetNamed,
  quotedfilecontent: targetNamed
}

const changes = 'Read changes since a cursor with GET /api/docs/{id}/events?since=CURSOR.'
const statuses = 'Use status=open, status=resolved or status=all.'

/** Hints for filters of lists in other interfaces. */
export const listElsewhere: Elsewhere = {
  since: changes,
  after: changes,
  resolved: statuses,
  open: statuses,
  state: statuses,
  type: statuses
}

export const notBlank = [/\S/, 'must not be blank'] as const

/** The kind of identity to which a name belongs. A guest chooses the name, and nobody verifies it. */
export const AuthorKind = z.enum(['account', 'agent', 'guest', 'system'])

/** The fields that identify an author. */
export const authorFields = {
  author: z.string().meta({ description: 'Guests choose this name, and nobody verifies it; defaults to "guest".' }),
  authorKind: z.enum(['account', 'agent', 'guest']),
  guest: z.boolean().meta({ description: 'Whether the name is unverified.' })
} as const

export const pageFields = {
  before: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional().meta({ description: 'nextBefore of the previous page.' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.annotationPageMax)
    .optional()
    .meta({ description: `Defaults to ${limits.annotationPageDefault}.` }),
  taskId: AnnotationId.optional().meta({ description: 'Only items of this assignment.' }),
  id: AnnotationId.optional()
} as const

export const listFields = {
  total: z.int().meta({ description: 'Number of items that match the filters.' }),
  nextBefore: z.int().nullable()
} as const

/** A reply to a comment or suggestion. */
export const ReplyRecord = z
  .object({ id: z.string(), body: z.string(), ...authorFields, createdAt: Instant, editedAt: Instant.optional() })
  .meta({ id: 'Reply' })

/** The text of a comment or reply. */
export const Body = MarkdownInput.refine((text) => notBlank[0].test(text), notBlank[1])
export const bodyAliases = { text: 'body', content: 'body', comment: 'body', message: 'body' }

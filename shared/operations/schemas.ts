/** Schemas that several operations share. `.meta({ id })` sets their names in OpenAPI. */
import { granularities } from '../text/granularity.ts'
import { z } from 'zod'
import { beginsWithHead } from '../document-head.ts'
import { type EventKind, eventKinds, type ShownPayload } from '../events.ts'

import { limits } from '../limits.ts'
import { meaningOf, type OtherNames, shownName } from '../nearest.ts'
import { roles } from '../roles.ts'
import { taskStates } from '../task-states.ts'
import { lengthWithLineFeeds, withLineFeeds } from '../text/line-ends.ts'

export const RoleName = z.enum(roles).meta({ id: 'Role', description: 'Each role includes the roles before it.' })

export const Version = z
  .string()
  .max(80)
  .meta({ id: 'Version', description: 'Opaque version of a document, from ETag and X-Doc-Version.', example: '184-9f86d081884c' })

/** The first fields of a document in a list. */
export const listedFields = { id: z.string(), title: z.string(), url: z.string() }

export const Instant = z.string().meta({ id: 'Instant', description: 'ISO 8601, UTC.', example: '2026-11-20T10:02:00.000Z' })

// Lone surrogates have no UTF-8 form. In transit, they would become another character, and copies of the text would differ.
const wellFormed = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const isTooLarge = (text: string): boolean =>
  text.length > limits.contentUnitsMax + 1 && lengthWithLineFeeds(text) > limits.contentUnitsMax + 1

/** Markdown in a request. Line ends become LF, and a byte-order mark is removed. NUL and lone surrogates are refused. */
export const MarkdownInput = z
  .string()
  .refine(wellFormed, 'must not contain NUL or lone surrogates')
  .refine(
    (text) => !beginsWithHead(text),
    'begins with the comment that the service puts before the text (`<!-- agmd: … -->`), which is not part of the document; leave that comment out'
  )
  // Text that is too large is not changed here, because a later check refuses its size.
  .transform((text) => (isTooLarge(text) ? text : withLineFeeds(text.replace(/^\uFEFF/, ''))))

/** One line of text, of limited length. */
export const line = (charsMax: number): z.ZodString =>
  z
    .string()
    .max(charsMax)
    .refine((text) => wellFormed(text) && !/[\r\n]/.test(text), 'must be one line of well-formed text')

const toldMax = 20

/** Returns the message about unknown fields of an object, each with the field that was probably meant. */
export const toldUnknown = (
  names: readonly string[],
  fields: readonly string[],
  given: Readonly<Record<string, unknown>>,
  otherNames: OtherNames
): string => {
  const free = fields.filter((field) => given[field] === undefined)
  const told = names.slice(0, toldMax).map((name) => ({ name: shownName(name), meant: meaningOf(name, free, otherNames) }))
  const known = told.some(({ meant }) => meant === undefined) ? `; its fields are ${fields.join(', ')}` : ''
  const [only] = told
  if (told.length === 1 && only?.meant !== undefined) return `has no field ${only.name}; did you mean ${only.meant}?`
  return `has ${told.map(({ name, meant }) => `no field ${name}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`).join(', ')}${known}`
}

/**
 * A strict object, which refuses unknown fields and names the fields that were probably meant. `otherNames`: names that other interfaces use for its
 * fields.
 */
export const exact = <Shape extends z.core.$ZodShape>(
  shape: Shape,
  otherNames: OtherNames = () => []
): z.ZodObject<Shape, z.core.$strict> =>
  z.strictObject(shape, {
    error: ({ code, keys = [], input }) =>
      code === 'unrecognized_keys'
        ? toldUnknown(keys as string[], Object.keys(shape), input as Record<string, unknown>, otherNames)
        : undefined
  })

export const Title = line(limits.titleUnitsMax)
export const Label = line(limits.labelUnitsMax)
export const AuthorName = line(limits.authorUnitsMax)

/** The value of `If-Match` or `baseVersion`. It may be quoted, unquoted, prefixed with `W/`, a list, or `*` (docs/api.md, Text and versions). */
export const BaseVersion = z.string().max(1000).meta({ description: 'The version that you read; same as If-Match.' })

/** Changes that other people have made since the version that was read. */
export const OthersChanged = z
  .object({ from: Version, to: Version, diff: z.string() })
  .optional()
  .meta({ description: 'Other people’s changes since baseVersion, as a unified diff.' })

/** Whether the response is short and contains only ids, versions and states. */
export const Brief = z.boolean().optional()

/** Whether a change is applied or suggested. */
export const Mode = z.enum(['apply', 'suggest']).optional().meta({ description: 'suggest: make suggestions instead of edits.' })

/** How a change is split into suggestions, and the note on them. */
export const proposalFields = {
  granularity: z
    .enum(granularities)
    .optional()
    .meta({ description: 'With mode=suggest: size of each suggestion. By default, a run of changed lines or an edit.' }),
  note: MarkdownInput.optional().meta({ description: 'With mode=suggest: a note on the suggestions.' })
}

export const Owner = z
  .object({ kind: z.enum(['anonymous', 'account', 'agent']), id: z.string().optional(), name: z.string().optional() })
  .meta({ id: 'Owner' })

/** Used and allowed space, in bytes. */
export const Usage = z
  .object({ bytes: z.int(), bytesMax: z.int().nullable().meta({ description: 'Null if there is no quota.' }) })
  .meta({ description: 'Used and allowed bytes, without assets.' })

/** The assignment for which the caller's link was created. */
export const Assignment = z
  .object({
    taskId: z.string(),
    title: z.string(),
    instructions: z.string(),
    status: z.enum(taskStates),
    next: z.string().meta({ description: 'The next call.' })
  })
  .meta({ id: 'Assignment', description: 'The review assignment of the caller’s link; absent for other links.' })

const metadata = {
  id: z.string(),
  title: z.string(),
  givenTitle: z.string().nullable().meta({ description: 'Title set separately; null if it follows the text.' }),
  kind: z.string(),
  url: z.string(),
  role: RoleName,
  effectiveRole: RoleName,
  version: Version,
  published: z.boolean(),
  publishedAt: Instant.nullable(),
  indexed: z.boolean().meta({ description: 'Whether search engines may index the published page.' }),
  unsigned: z
    .literal(true)
    .optional()
    .meta({ description: 'The page was published before the document had an owner, and does not name the owner.' }),
  owner: Owner,
  createdAt: Instant,
  updatedAt: Instant,
  capabilities: z.array(z.string()).meta({ description: 'Names of the operations that the caller may use on the document.' })
}

export const Metadata = z.object(metadata).meta({ id: 'Metadata' })

/** Metadata, and a copy of it under `doc` (docs/api.md, Text and versions). */
const read = {
  ...metadata,
  usage: Usage.optional().meta({ description: 'Space used by text, history, comments and suggestions.' }),
  assignment: Assignment.optional()
}

export const DocumentAnswer = z.object({ ...read, doc: z.object(read) }).meta({ id: 'Document' })

const created = { ...metadata, key: z.string().optional().meta({ description: 'Owner key of an anonymous document. Keep it private.' }) }

export const CreatedDocument = z.object({ ...created, doc: z.object(created) }).meta({ id: 'CreatedDocument' })

export const RevisionRecord = z
  .object({
    id: z.number().int(),
    revisionId: z.number().int(),
    version: Version,
    label: z.string().nullable(),
    author: z.string().nullable(),
    authorKind: z
      .enum(['account', 'agent', 'guest', 'system'])
      .nullable()
      .meta({ description: 'A guest chooses the name, and nobody verifies it.' }),
    authors: z.array(z.string()),
    cause: z.enum(['create', 'put', 'edit', 'restore', 'autosave', 'accept', 'reopen', 'merge']),
    size: z.number().int().meta({ description: 'Length of the text in UTF-16 units.' }),
    added: z.number().int().meta({ description: 'UTF-16 units inserted since the previous revision.' }),
    removed: z.number().int().meta({ description: 'UTF-16 units deleted since the previous revision.' }),
    createdAt: Instant
  })
  .meta({ id: 'Revision' })

const share = {
  id: z.string(),
  secret: z.string(),
  key: z.string().meta({ description: 'Same as secret.' }),
  role: RoleName,
  url: z.string(),
  agentUrl: z.string().meta({ description: 'Address of the document’s Markdown, with this link.' }),
  label: z.string().nullable(),
  createdAt: Instant,
  expiresAt: Instant.nullable(),
  madeThrough: z.string().nullable().meta({ description: 'Id of the parent link, with which this link ends.' }),
  lastUsedAt: Instant.nullable(),
  first: z.boolean().meta({ description: 'Made with the document.' }),
  revoked: z.boolean()
}

export const ShareRecord = z.object(share).meta({ id: 'Share' })

export const CreatedShare = z.object({ ...share, share: ShareRecord }).meta({ id: 'CreatedShare' })

const EventShape = z
  .object({
    seq: z.number().int(),
    id: z.number().int(),
    type: z.enum(eventKinds),
    kind: z.enum(eventKinds),
    ts: z.number().int().meta({ description: 'Milliseconds since 1970.' }),
    at: Instant,
    actor: z.string().nullable(),
    actorKind: z.enum(['guest', 'account', 'agent', 'system']),
    version: Version.optional(),
    payload: z.record(z.string(), z.unknown())
  })
  .meta({ id: 'Event' })

type AnyEvent = { readonly [Kind in EventKind]: Omit<z.infer<typeof EventShape>, 'kind' | 'type' | 'payload'> & EventOf<Kind> }[EventKind]

interface EventOf<Kind extends EventKind> {
  readonly kind: Kind
  readonly type: Kind
  readonly payload: ShownPayload<Kind>
}

/** The schema only says that a payload is an object. The type defines the payload of each kind (shared/events.ts). */
export const EventRecord = EventShape as unknown as z.ZodType<AnyEvent>

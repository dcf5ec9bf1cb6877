/**
 * The format of an export, as docs/export.md describes it. Everything that an import reads is checked against these schemas: an archive may come from
 * anybody. All times are in milliseconds since 1970.
 */
import { z } from 'zod'
import { type EventKind, eventKinds } from '../../shared/events.ts'
import { limits } from '../../shared/limits.ts'
import { documentIdPattern } from '../../shared/names.ts'
import { roles } from '../../shared/roles.ts'
import { taskStates } from '../../shared/task-states.ts'
import type { Asset, Comment, Imported, Revision, Suggestion } from '../domain/records/keys.ts'

/** The format that this program writes. It also reads all earlier formats. */
export const exportSchema = 1
export const exportFormat = 'agmd-export'

const Time = z.number().int().min(0)
const Count = z.number().int().min(0)
const Id = z.string().min(1).max(limits.idUnitsMax)
const Version = z.string().regex(/^\d{1,15}-[0-9a-f]{12}$/)
const Tag = z.string().regex(/^[0-9a-f]{12}$/)
const Hash = z.string().regex(/^[A-Za-z0-9_-]{43}$/)
const FilePath = z.string().min(1).max(4096)
const Name = z.string().max(1000)
const Text = z.string().max(limits.contentUnitsMax)
const Actor = z
  .string()
  .max(1000)
  .regex(/^(?:guest|account|agent|system):/)

const AuthorFields = z.strictObject({ kind: z.enum(['guest', 'account', 'agent']), id: z.string().max(1000), name: Name.nullable() })
const OwnerFields = z.strictObject({ kind: z.enum(['anonymous', 'account', 'agent']), id: Id.optional(), name: Name.optional() })

const CharacterIdFields = z.tuple([Count, Count])
const AnchorFields = z.strictObject({
  place: z
    .strictObject({
      spans: z.array(Count),
      left: CharacterIdFields.nullable(),
      right: CharacterIdFields.nullable(),
      needs: z.enum(['left', 'right', 'both'])
    })
    .nullable(),
  quote: Text,
  prefix: Text,
  suffix: Text
})
const ReplyFields = z.strictObject({
  id: Id,
  body: Text,
  author: AuthorFields,
  createdAt: Time,
  editedAt: Time.optional(),
  mentioned: z.array(Name).optional()
})

const annotation = {
  id: Id,
  number: Count,
  pin: AnchorFields.nullable(),
  author: AuthorFields,
  createdAt: Time,
  version: Version,
  task: Id.nullable()
}

/** The position of an annotation in the exported text, in UTF-16 units and lines; null if it has none. An import ignores it. */
const PositionFields = z.strictObject({ from: Count, to: Count, line: Count }).nullable()

export const CommentFields = z.strictObject({
  ...annotation,
  body: Text,
  target: z.strictObject({
    kind: z.enum(['find', 'line', 'anchor', 'document']),
    quote: Text,
    prefix: Text,
    suffix: Text,
    line: Count.nullable(),
    from: Count.nullable(),
    to: Count.nullable()
  }),
  updatedAt: Time,
  editedAt: Time.optional(),
  mentioned: z.array(Name).optional(),
  resolvedAt: Time.nullable(),
  resolvedBy: AuthorFields.nullable(),
  replies: z.array(ReplyFields).max(limits.repliesMax),
  position: PositionFields
}) satisfies z.ZodType<Comment>

export const SuggestionFields = z.strictObject({
  ...annotation,
  operation: z.enum(['insert', 'delete', 'replace']),
  original: Text,
  text: Text,
  note: Text.nullable(),
  status: z.enum(['pending', 'accepted', 'rejected']),
  decidedBy: AuthorFields.nullable(),
  decidedAt: Time.nullable(),
  resultVersion: Version.nullable(),
  set: Id.nullable(),
  past: AnchorFields.nullable().optional(),
  withdrawn: z.literal(true).optional(),
  reason: Text.optional(),
  replies: z.array(ReplyFields).max(limits.repliesMax).optional(),
  updatedAt: Time.optional(),
  draft: z.strictObject({ id: Id.optional(), step: Count, since: Count.optional(), told: z.boolean() }).optional(),
  position: PositionFields
}) satisfies z.ZodType<Suggestion>

export const TaskFields = z.strictObject({
  id: Id,
  docId: Id,
  number: Count,
  requestId: z.string().max(limits.requestIdUnitsMax),
  title: Name,
  instructions: Text,
  status: z.enum(taskStates),
  startingVersion: Version,
  share: z.strictObject({ id: Id, revoked: z.literal(true).optional() }),
  createdBy: AuthorFields,
  createdAt: Time,
  startedBy: AuthorFields.nullable(),
  startedAt: Time.nullable(),
  report: z
    .strictObject({
      reviewedVersion: Version,
      summary: Text,
      commentIds: z.array(Id),
      suggestionIds: z.array(Id),
      stale: z.boolean(),
      reportedBy: AuthorFields,
      reportedAt: Time
    })
    .nullable(),
  closedBy: AuthorFields.nullable(),
  closedAt: Time.nullable()
})

export const RevisionFields = z.strictObject({
  id: Count,
  seq: Count,
  tag: Tag,
  label: Name.nullable(),
  author: Actor.nullable(),
  authors: z.array(Actor),
  cause: z.enum(['create', 'put', 'edit', 'restore', 'autosave', 'accept', 'reopen', 'merge']),
  size: Count,
  added: Count,
  removed: Count,
  createdAt: Time
}) satisfies z.ZodType<Revision>

export const EventFields = z.strictObject({
  seq: Count,
  kind: z.enum(eventKinds as [EventKind, ...EventKind[]]),
  at: Time,
  actor: Actor,
  version: Version.optional(),
  payload: z.record(z.string(), z.unknown())
})

/** `tag` is the tag of a redacted update. Other tags are computed. `merged` is the number of earlier updates that the update replaces. */
export const JournalLine = z.strictObject({
  seq: Count,
  at: Time,
  actor: Actor,
  update: z.base64(),
  tag: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional(),
  merged: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional()
})

export const AssetFields = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9_-]{24}$/),
  extension: z.string().regex(/^[a-z0-9]{1,8}$/),
  contentType: Name,
  kind: z.enum(['image', 'audio', 'video']),
  name: Name,
  size: z.number().int().min(1).max(limits.assetBytesMax),
  hash: Hash,
  createdAt: Time,
  file: FilePath
}) satisfies z.ZodType<Asset>

/** A link with its secret. Links are exported only with `--with-links`. */
export const LinkFields = z.strictObject({
  id: Id,
  role: z.enum(roles),
  label: Name.nullable(),
  secret: z.string().regex(/^[A-Za-z0-9_-]{32}$/),
  createdAt: Time,
  expiresAt: Time.nullable(),
  revokedAt: Time.nullable(),
  task: Id.optional(),
  maker: Id.optional(),
  root: Id.optional(),
  first: z.boolean().optional()
})

const ImportedFields = z.strictObject({
  source: Name,
  path: FilePath,
  mark: z.literal(true).optional(),
  lineEnds: z.union([z.literal('crlf'), z.array(Count).readonly()]).optional(),
  links: z.array(z.tuple([Text, Text]).readonly()).readonly(),
  assets: z.record(z.string(), FilePath)
}) satisfies z.ZodType<Imported>

export const DocumentFields = z.strictObject({
  schema: z.literal(exportSchema),
  id: z.string().regex(documentIdPattern),
  /** The title that readers see, and the title that was given; null if the title comes from the text. */
  title: Name,
  givenTitle: Name.nullable(),
  kind: z.string().max(40),
  owner: OwnerFields,
  createdAt: Time,
  updatedAt: Time,
  publishedAt: Time.nullable(),
  indexed: z.boolean(),
  /** Whether the document was published before it had an owner. Its page does not name the owner. */
  unsigned: z.literal(true).optional(),
  version: Version,
  /** Tag of the empty document, with which the chain of tags in the journal begins. */
  firstTag: Tag,
  /** The sequence number of the newest replacement of the entire text. */
  replacedSeq: Count.optional(),
  /** The sequence numbers up to which a revision was saved, and up to which events report the changes. */
  revisionSeq: Count,
  announcedSeq: Count,
  unsaved: z.strictObject({ added: Count, removed: Count, actors: z.array(Actor) }),
  /** The readable file, and the SHA-256 of its bytes and of the exact text, base64url. */
  file: FilePath,
  fileHash: Hash,
  textHash: Hash,
  assets: z.array(AssetFields),
  imported: ImportedFields.optional(),
  links: z.array(LinkFields).optional()
})

export const ExportFields = z.strictObject({
  format: z.literal(exportFormat),
  schema: z.literal(exportSchema),
  program: Name,
  instance: Name,
  baseUrl: Name.nullable(),
  startedAt: Time,
  /** Null while the export is incomplete. */
  completedAt: Time.nullable(),
  documents: Count,
  withLinks: z.boolean(),
  /** The accounts that own the documents. */
  accounts: z.array(z.strictObject({ id: Id, name: Name, email: Name.nullable() }))
})

export type ExportFile = z.infer<typeof ExportFields>
export type DocumentFile = z.infer<typeof DocumentFields>
export type LinkFile = z.infer<typeof LinkFields>
export type TaskFile = z.infer<typeof TaskFields>
export type Position = z.infer<typeof PositionFields>

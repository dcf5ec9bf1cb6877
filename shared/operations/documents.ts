/** Operations on documents and their content (docs/api.md, Text and versions). */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation, rename, withMode } from '../operation.ts'
import {
  Assignment,
  AuthorName,
  BaseVersion,
  Brief,
  CreatedDocument,
  DocumentAnswer,
  Instant,
  Label,
  MarkdownInput,
  Metadata,
  Mode,
  proposalFields,
  OthersChanged,
  RevisionRecord,
  Title,
  Version
} from './schemas.ts'
import { ProposedSuggestions } from './suggestions.ts'

/** The first fields of the response to a text change. */
const written = { ok: z.literal(true), version: Version, revisionId: z.number().int().nullable(), changed: z.boolean() }

const asContent = 'Send the Markdown as content.'
const asTitle = 'Send the title as title.'

export const createDocument = operation({
  summary: 'Creates a document.',
  description:
    'Without credentials, the document is anonymous, and the response has its owner key. Without a title, the first heading becomes the title.',
  on: 'service',
  rest: { method: 'POST', path: '/api/docs', also: ['/new'], status: 201, large: true, body: 'markdown', form: true },
  mcp: 'create_doc',
  cli: 'docs create',
  input: z.object({
    title: Title.optional(),
    content: MarkdownInput.optional(),
    kind: z.string().max(40).optional(),
    author: AuthorName.optional()
  }),
  output: CreatedDocument,
  errors: ['content_too_large', 'quota_exceeded'],
  normalise: rename({ markdown: 'content' }),
  elsewhere: { body: asContent, text: asContent, data: asContent, name: asTitle, filename: asTitle }
})

const byAccept = 'Send the media type in the header Accept: text/markdown or application/json.'
const mediaElsewhere = { format: byAccept, raw: byAccept, as: byAccept, alt: byAccept, output: byAccept, accept: byAccept }

export const readDocument = operation({
  summary: 'Reads the metadata of a document and the caller’s role.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}' },
  mcp: 'read_doc',
  cli: 'docs info',
  input: z.object({}),
  output: DocumentAnswer,
  errors: []
})

const byWriting =
  'Write the text with PUT /api/docs/{id}/content {"content"}, or parts of it with POST /api/docs/{id}/edits {"operations"}.'
const byPublishing = 'Publish or unpublish a document with POST /api/docs/{id}/publish {"published"}.'
const byDeleting = 'Move a document to the trash with DELETE /api/docs/{id}.'

export const updateDocument = operation({
  summary: 'Renames a document.',
  description:
    'The title stays when headings change. With `title: null`, it follows the text again. A `title:` in the front matter ' +
    'overrides both.',
  on: 'document',
  role: 'edit',
  rest: { method: 'PATCH', path: '/api/docs/{id}' },
  mcp: 'rename_doc',
  cli: 'docs rename',
  input: z.object({ title: Title.nullable().meta({ description: 'With null, the title follows the text.' }) }),
  output: DocumentAnswer,
  example: { title: 'Another' },
  errors: [],
  elsewhere: {
    content: byWriting,
    markdown: byWriting,
    text: byWriting,
    body: byWriting,
    published: byPublishing,
    public: byPublishing,
    visibility: byPublishing,
    archived: byDeleting,
    trashed: byDeleting,
    deleted: byDeleting,
    intrash: byDeleting
  }
})

export const deleteDocument = operation({
  summary: 'Deletes a document: moves it to the trash or erases it.',
  description:
    `Every link, the published page and the addresses of its files stop working at once. For ${limits.trashDays} days an owner can restore the document; ` +
    'then the server erases it with everything in it. permanent=true erases it at once, even from the trash.',
  on: 'document',
  role: 'owner',
  inTrash: true,
  rest: { method: 'DELETE', path: '/api/docs/{id}', query: ['permanent'] },
  mcp: 'delete_doc',
  cli: 'docs delete',
  input: z.object({ permanent: z.boolean().optional().meta({ description: 'Erases the document at once. This cannot be undone.' }) }),
  output: z.object({
    ok: z.literal(true),
    deleted: z.literal(true),
    restorableUntil: Instant.nullable().meta({ description: 'An owner can restore the document until then; null if it was erased.' })
  }),
  errors: []
})

export const undeleteDocument = operation({
  summary: 'Restores a document from the trash, with its links, comments, history and published page.',
  description: 'If the document is not in the trash, nothing changes. If it has been erased, the call returns 410.',
  on: 'document',
  role: 'owner',
  inTrash: true,
  rest: { method: 'POST', path: '/api/docs/{id}/undelete' },
  mcp: 'delete_doc',
  cli: 'docs undelete',
  examples: ['agmd docs undelete "$URL"'],
  input: z.object({}),
  output: z.object({ ok: z.literal(true), restored: z.literal(true), doc: Metadata }),
  errors: []
})

export const readContent = operation({
  summary: 'Reads the canonical Markdown of the current or any earlier version.',
  on: 'document',
  role: 'view',
  rest: {
    method: 'GET',
    path: '/api/docs/{id}/content',
    also: ['/d/{id}.md'],
    query: ['version', 'section', 'lines', 'since', 'values'],
    reply: 'markdown'
  },
  mcp: 'read_doc',
  cli: 'docs pull',
  input: z.object({
    version: Version.optional(),
    section: z.string().min(1).max(1000).optional().meta({ description: 'Only this section: `Title`, `## Title`, or `Outer > Inner`.' }),
    lines: z
      .string()
      .regex(/^[1-9]\d{0,8}(-[1-9]\d{0,8})?$/, 'must be a line or a range of lines, such as 10-20')
      .optional()
      .meta({ description: 'Only these lines, counted from 1.' }),
    since: BaseVersion.optional().meta({ description: 'Return a unified diff since this version instead of the text.' }),
    values: z.boolean().optional().meta({ description: 'Return values instead of formulas in sheets. Do not write that text back.' })
  }),
  output: z.object({ content: z.string(), version: Version, title: z.string(), assignment: Assignment.optional() }),
  errors: ['unknown_version', 'not_acceptable', 'target_not_found', 'target_ambiguous'],
  elsewhere: mediaElsewhere
})

const After = z.coerce.number().int().min(0).optional().meta({ description: 'Continue after this line: nextAfter of the previous page.' })

export const readOutline = operation({
  summary: 'Lists the headings with the lines and sizes of their sections, page by page.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/outline', query: ['version', 'after', 'limit'] },
  mcp: 'read_doc',
  cli: 'docs outline',
  input: z.object({
    version: BaseVersion.optional(),
    after: After,
    limit: z.coerce.number().int().min(1).max(limits.outlinePageMax).optional()
  }),
  output: z.object({
    version: Version,
    title: z.string(),
    units: z.int().meta({ description: 'Size of the text in UTF-16 units.' }),
    lines: z.int(),
    headings: z.array(
      z.object({
        level: z.int(),
        title: z.string(),
        line: z.int(),
        lastLine: z.int().meta({ description: 'Last non-empty line of the section.' }),
        units: z.int().meta({ description: 'Size of the section in UTF-16 units.' })
      })
    ),
    total: z.int().meta({ description: 'Number of headings on all pages.' }),
    nextAfter: z.int().nullable().meta({ description: 'Send as `after` to continue; null on the last page.' })
  }),
  errors: ['unknown_version']
})

export const readDiff = operation({
  summary: 'Compares two versions.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/diff', query: ['from', 'to'] },
  cli: 'docs diff',
  input: z.object({ from: BaseVersion, to: BaseVersion.optional().meta({ description: 'Defaults to the current version.' }) }),
  output: z.object({
    fromVersion: Version,
    toVersion: Version,
    changed: z.boolean(),
    truncated: z.boolean().meta({ description: 'Whether the diff is too large to be complete. Compare closer versions.' }),
    diff: z.string().meta({ description: 'A unified diff with three lines of context.' }),
    hunks: z.array(z.object({ line: z.int(), removed: z.array(z.string()), added: z.array(z.string()) }))
  }),
  errors: ['unknown_version']
})

export const readAttribution = operation({
  summary: 'Shows who wrote each line, and when.',
  description: 'A line belongs to its last author; `authors` names everyone who wrote in it.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/attribution', query: ['version', 'after', 'limit'] },
  mcp: 'read_doc',
  cli: 'docs blame',
  input: z.object({
    version: BaseVersion.optional().meta({ description: 'Defaults to the current version.' }),
    after: After,
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(limits.attributionPageMax)
      .optional()
      .meta({ description: 'Maximum number of entries (runs of lines).' })
  }),
  output: z.object({
    version: Version,
    lines: z.array(
      z.object({
        line: z.int(),
        lastLine: z.int(),
        author: z.string().nullable(),
        authorKind: z.enum(['account', 'agent', 'guest']).nullable(),
        authors: z.array(z.string()),
        at: Instant.nullable()
      })
    ),
    nextAfter: z.int().nullable().meta({ description: 'Send as `after` to continue; null on the last page.' })
  }),
  errors: ['unknown_version']
})

const OnConflict = z.enum(['refuse', 'merge']).optional()
const Merged = z.literal(true).optional()

/** The fields that say how to undo a replacement for which the request named no version. */
export const unseenFields = {
  unguarded: z
    .literal(true)
    .meta({ id: 'Unguarded', description: 'The request named no version, so it may have overwritten changes.' })
    .optional(),
  replaced: z
    .object({ version: Version, revisionId: z.int(), authors: z.array(z.string()) })
    .meta({ id: 'Replaced', description: 'The replaced version and its last authors.' })
    .optional(),
  undo: z
    .object({ method: z.literal('POST'), path: z.string(), body: z.object({ revision: z.int(), baseVersion: Version }) })
    .meta({ id: 'UndoCall', description: 'The call that restores the replaced text.' })
    .optional()
}

export const replaceContent = operation({
  summary: 'Replaces the Markdown of a document if nobody has changed it since baseVersion.',
  description:
    'The server changes only the characters that differ, so cursors and anchors stay in place. Success means that the text is on disk and was sent to every open page. ' +
    'Without a base version, the server replaces the text even if others changed it. The response then contains undo, the call that restores the old text. ' +
    'With mode=suggest, each hunk of the diff becomes a suggestion, unless granularity sets another size. The suggest role is enough. More ' +
    `than ${limits.suggestionsAtOnceMax} suggestions return 422 too_many_changes.`,
  on: 'document',
  role: 'edit',
  roleWith: { mode: { suggest: 'suggest' } },
  replaces: true,
  rest: {
    method: 'PUT',
    path: '/api/docs/{id}/content',
    query: ['brief', 'baseVersion', 'dryRun', 'label', 'mode', 'onConflict', 'granularity', 'note'],
    body: 'markdown',
    large: true
  },
  mcp: 'replace_doc',
  cli: 'docs push',
  input: z.object({
    content: MarkdownInput,
    label: Label.optional(),
    baseVersion: BaseVersion.optional(),
    dryRun: z.boolean().optional(),
    brief: Brief,
    onConflict: OnConflict.meta({ description: 'merge: if the version is stale but the changes do not overlap, keep both.' }),
    mode: Mode,
    ...proposalFields,
    author: AuthorName.optional()
  }),
  output: z.object({
    ...written,
    merged: Merged.meta({ description: 'With onConflict=merge: the new text is a merge, not the text that you sent.' }),
    diff: z.string().optional().meta({ description: 'With dryRun: the changes, as a unified diff.' }),
    othersChanged: OthersChanged,
    ...unseenFields,
    setId: z.string().optional().meta({ description: 'With mode=suggest: id of the set of suggestions.' }),
    suggestions: ProposedSuggestions
  }),
  example: { content: 'new' },
  errors: [
    'version_conflict',
    'version_required',
    'versions_differ',
    'content_too_large',
    'text_too_large',
    'too_many_changes',
    'quota_exceeded'
  ],
  // A program that reads JSON and sends it back has the version in the field `version`.
  normalise: (raw) => withMode(rename({ markdown: 'content', version: 'baseVersion' })(raw)),
  elsewhere: {
    title: 'Rename a document with PATCH /api/docs/{id} {"title"}; leave title out here.',
    preview: 'To preview the change, send dryRun: true.',
    operations: 'Send edits to POST /api/docs/{id}/edits.',
    edits: 'Send edits to POST /api/docs/{id}/edits.'
  }
})

export const listRevisions = operation({
  summary: 'Lists the saved revisions, newest first.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/revisions', query: ['before', 'limit'] },
  mcp: 'list_revisions',
  cli: 'revisions list',
  input: z.object({ before: z.coerce.number().int().min(0).optional(), limit: z.coerce.number().int().min(1).max(200).optional() }),
  output: z.object({ revisions: z.array(RevisionRecord), total: z.number().int(), nextBefore: z.number().int().nullable() }),
  errors: []
})

export const readRevision = operation({
  summary: 'Reads one revision with its text.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/revisions/{revisionId}', reply: 'record' },
  cli: 'revisions show',
  input: z.object({ revisionId: z.coerce.number().int().min(0) }),
  output: RevisionRecord.extend({ content: z.string() }),
  errors: ['not_acceptable']
})

export const labelRevision = operation({
  summary: 'Names a revision, or removes its name.',
  on: 'document',
  role: 'edit',
  rest: { method: 'PATCH', path: '/api/docs/{id}/revisions/{revisionId}' },
  mcp: 'label_revision',
  cli: 'revisions label',
  input: z.object({ revisionId: z.coerce.number().int().min(0), label: Label.nullable(), author: AuthorName.optional() }),
  output: RevisionRecord,
  example: { label: 'Draft' },
  errors: []
})

export const restoreRevision = operation({
  summary: 'Restores a revision as a new version, and keeps the history.',
  on: 'document',
  role: 'edit',
  replaces: true,
  rest: { method: 'POST', path: '/api/docs/{id}/restore', query: ['dryRun'] },
  mcp: 'restore_revision',
  cli: 'revisions restore',
  input: z.object({
    revision: z.coerce.number().int().min(0),
    label: Label.optional(),
    baseVersion: BaseVersion.optional(),
    dryRun: z.boolean().optional(),
    onConflict: OnConflict,
    author: AuthorName.optional()
  }),
  output: z.object({
    ...written,
    merged: Merged,
    othersChanged: OthersChanged,
    diff: z.string().optional(),
    ...unseenFields
  }),
  example: { revision: 1 },
  errors: ['version_conflict', 'version_required', 'versions_differ', 'quota_exceeded'],
  normalise: rename({ revisionId: 'revision', id: 'revision' })
})

/**
 * Accepts other names for `published`: `{publish}`, `{public}`, `{unpublish: true}` and `{action}`. An unknown value is not changed here and is
 * refused later.
 */
const publishNames = ({ action, unpublish, ...raw }: Record<string, unknown>): Record<string, unknown> => {
  const named = rename({ publish: 'published', public: 'published' })(raw)
  const word = typeof unpublish === 'boolean' ? !unpublish : (unpublish ?? action)
  const said = word === 'publish' || word === 'unpublish' ? word === 'publish' : word
  return { ...named, published: named['published'] ?? said }
}

export const publishDocument = operation({
  summary: 'Publishes the document as a page that anyone can read, or unpublishes it.',
  on: 'document',
  role: 'owner',
  rest: { method: 'POST', path: '/api/docs/{id}/publish' },
  mcp: 'set_published',
  cli: 'publish',
  input: z.object({
    published: z.boolean().optional().meta({ description: 'False unpublishes; defaults to true.' }),
    indexed: z
      .boolean()
      .optional()
      .meta({ description: 'Whether search engines may index the page. Initially false; unchanged if absent.' }),
    author: AuthorName.optional()
  }),
  output: z.object({
    ok: z.literal(true),
    published: z.boolean(),
    url: z.string(),
    markdownUrl: z.string(),
    publishedAt: Instant.nullable(),
    indexed: z.boolean()
  }),
  errors: [],
  normalise: publishNames
})

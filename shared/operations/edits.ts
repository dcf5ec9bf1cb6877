/** The operation that makes edits, designed for programs (docs/api.md, Text and versions). */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation, rename, withMode } from '../operation.ts'
import { unseenFields } from './documents.ts'
import { normaliseOne, replacesSections } from './edit-forms.ts'
import { operationMeant, otherNamesFor } from './edit-names.ts'
import {
  AuthorName,
  BaseVersion,
  Brief,
  exact,
  Label,
  MarkdownInput,
  Mode,
  OthersChanged,
  proposalFields,
  toldUnknown,
  Version
} from './schemas.ts'
import { ProposedSuggestions } from './suggestions.ts'

const Words = MarkdownInput.refine(
  (text) => text.length > 0 && text.length <= limits.targetUnitsMax,
  `must have 1 to ${limits.targetUnitsMax} characters`
)
const Occurrence = z.int().min(1).optional().meta({ description: 'Number of the match, from 1.' })
const which = { occurrence: Occurrence, prefix: Words.optional(), suffix: Words.optional(), line: z.int().min(1).optional() }
const Section = z.string().min(1).max(1000).meta({ description: 'A heading: `Title`, `## Title`, or `Outer > Inner`.' })

const Cell = MarkdownInput.refine((text) => text.length <= limits.targetUnitsMax, `must have at most ${limits.targetUnitsMax} characters`)
const Header = z.array(Words).min(1).max(limits.sheetColumnsMax).meta({ id: 'TableHeader', description: 'Some header cells of the table.' })
const Table = z.int().min(1).meta({ id: 'TableNumber', description: 'Number among the matching tables, from 1.' })
/** A row or column. Without this message, the library would only say that the input is invalid. */
const place = (forms: string) => z.union([z.int().min(1), Words], `must be ${forms}`)
const whichTable = {
  section: Section.optional(),
  sheet: z.string().min(1).max(200).optional().meta({ description: 'The id of a sheet.' }),
  header: Header.optional(),
  table: Table.optional()
}

/** Returns the schema of one kind of edit. */
const kind = <Op extends string, Shape extends z.core.$ZodShape>(op: Op, shape: Shape) =>
  exact({ op: z.literal(op), ...shape }, otherNamesFor(op))

const kinds = [
  kind('replace', { find: Words, with: MarkdownInput, ...which }),
  kind('delete', { find: Words, ...which }),
  kind('insert', {
    markdown: MarkdownInput,
    after: Words.optional(),
    before: Words.optional(),
    at: z.enum(['start', 'end']).optional(),
    ...which
  }).refine(
    ({ after, before, at }) => [after, before, at].filter((where) => where !== undefined).length === 1,
    'needs one of after (words of the text), before (words) and at ("start" or "end")'
  ),
  kind('append', { markdown: MarkdownInput, section: Section.optional(), occurrence: Occurrence }),
  kind('replace_section', { section: Section, markdown: MarkdownInput, occurrence: Occurrence }),
  kind('replace_lines', { from: z.int().min(1), to: z.int().min(1), markdown: MarkdownInput }),
  kind('set_document', { markdown: MarkdownInput }),
  kind('replace_all', {
    find: Words,
    with: MarkdownInput,
    section: Section.optional(),
    expected: z.int().min(0).optional().meta({ description: 'Expected number of matches.' })
  }),
  kind('append_row', { cells: z.array(Cell).min(1).max(limits.sheetColumnsMax), ...whichTable }),
  kind('set_cell', {
    row: place('a number from 1, or the text of the first cell of the row').meta({
      description: 'Row number from 1 below the header (in a sheet, 1 is the header), or the text of its first cell.'
    }),
    column: place('a number from 1, or the header of the column').meta({
      description: 'Column number from 1, or its header, or a letter such as B in a sheet.'
    }),
    text: Cell,
    ...whichTable
  }),
  kind('check', { item: Words, checked: z.boolean().default(true), section: Section.optional(), occurrence: Occurrence }),
  kind('append_item', {
    markdown: Words,
    section: Section.optional(),
    item: Words.optional().meta({ description: 'Text of an item in the list.' }),
    occurrence: Occurrence
  })
] as const

const fieldsOf = Object.fromEntries(kinds.map(({ shape }) => [shape.op.value, Object.keys(shape)]))

/**
 * Returns the message for an unknown or missing `op`. It lists the operations, beginning with the one that was probably meant, and the names of its
 * fields.
 */
const toldOperations = (given: Readonly<Record<string, unknown>>): string => {
  const meant = operationMeant(given, fieldsOf)
  const first = meant === undefined ? [] : [meant]
  const all = [...new Set([...first, ...Object.keys(fieldsOf)])]
  const told = `must be one of ${all.map((op) => `"${op}"`).join(', ')}`
  const fields = fieldsOf[meant ?? ''] ?? []
  const unknown = Object.keys(given).filter((name) => given[name] !== undefined && !fields.includes(name))
  if (meant === undefined || unknown.length === 0) return told
  return `${told}; ${meant} ${toldUnknown(unknown, fields, given, otherNamesFor(meant))}`
}

const Operation = z
  .discriminatedUnion('op', kinds, {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? toldOperations(input as Record<string, unknown>)
        : 'must be an object, such as {"op": "replace", "find": "old words", "with": "new words"}'
  })
  .meta({ id: 'EditOperation' })

const commonFields: ReadonlySet<string> = new Set(['mode', 'granularity', 'note', 'baseVersion', 'dryRun', 'label', 'author'])

/** Returns the normal form of a body that is itself an operation. The fields that apply to all operations stay at the top level. */
const alone = (body: Record<string, unknown>): Record<string, unknown> => {
  const { true: common = [], false: own = [] } = Object.groupBy(Object.entries(body), ([name]) =>
    commonFields.has(name) ? 'true' : 'false'
  )
  return { ...Object.fromEntries(common), operations: [Object.fromEntries(own)] }
}

const normalise = (raw: Record<string, unknown>): Record<string, unknown> => {
  const named = withMode(rename({ edits: 'operations', ops: 'operations', version: 'baseVersion' })(raw))
  const body = named['operations'] === undefined && named['op'] !== undefined ? alone(named) : named
  const given = body['operations']
  const list = typeof given === 'object' && given !== null && !Array.isArray(given) ? [given] : given
  return { ...body, operations: Array.isArray(list) ? list.map(normaliseOne) : list }
}

const asEdit = 'Send a list of edits, such as {"edits": [{"op": "replace", "find": "old words", "with": "new words"}]}.'
const namesOfOne =
  'command find with old new oldstring newstring oldstr newstr oldtext newtext search replace replacement codeedit patch diff content'

/** Hints for the fields of a single edit sent without a list, and for forms of a change that this operation does not accept. */
export const outsideEdits = Object.fromEntries(namesOfOne.split(' ').map((name) => [name, asEdit]))

const definition = {
  summary: 'Edits words, sections or lines of the text. Applies all edits or none.',
  description:
    'The server finds each target in the text of baseVersion (by default the current text) and follows it to the current text. It returns ' +
    'target_changed only if that text has changed. Edits need the edit role; mode=suggest makes suggestions, for which the suggest role is enough. ' +
    'replace and delete change the words in find. insert adds Markdown after or before words, or at the start or end. append adds it to the document or a section. ' +
    'replace_section replaces the text below a heading, and the heading if the Markdown begins with one of the same level. replace_lines counts lines from 1 in baseVersion. ' +
    'replace_all changes every exact match of find; expected is the number of matches. append_row and set_cell change the table that ' +
    'section, header, table or sheet names. check ticks the task in item. append_item adds to the list that section or item names.',
  on: 'document',
  // Edits need a higher role than suggestions. domain/text/edits.ts checks the role when it has read the mode.
  role: 'suggest',
  replaces: ({ operations }: Readonly<Record<string, unknown>>) => replacesSections(operations),
  input: z.object({
    operations: z.array(Operation).min(1).max(limits.editOperationsMax),
    mode: Mode,
    ...proposalFields,
    baseVersion: BaseVersion.optional(),
    dryRun: z.boolean().optional(),
    brief: Brief,
    label: Label.optional(),
    author: AuthorName.optional()
  }),
  output: z
    .object({
      ok: z.literal(true),
      version: Version,
      revisionId: z.int().nullable(),
      changed: z.boolean(),
      results: z
        .array(
          z.object({
            ok: z.literal(true),
            from: z.int(),
            to: z.int(),
            exact: z.boolean().meta({ description: 'Whether the words, item, row and column matched exactly.' }),
            count: z.int().optional().meta({ description: 'Number of changed places, if more than one.' }),
            matched: z.string().optional().meta({ description: 'The matched text, if it differs from the request.' })
          })
        )
        .meta({ description: 'For each operation, in order: the current position of its text.' }),
      diff: z.string(),
      othersChanged: OthersChanged,
      ...unseenFields,
      setId: z.string().optional().meta({ description: 'With mode=suggest: id of the set of suggestions.' }),
      suggestions: ProposedSuggestions
    })
    .meta({ id: 'Edited' }),
  errors: [
    'version_required',
    'target_not_found',
    'target_ambiguous',
    'target_changed',
    'unknown_version',
    'versions_differ',
    'content_too_large',
    'too_many_changes',
    'quota_exceeded',
    'text_too_large'
  ],
  normalise,
  elsewhere: { ...outsideEdits, preview: 'To see the change without making it, send dryRun: true.' }
} as const

const query = ['brief', 'mode', 'baseVersion', 'dryRun', 'label'] as const

export const editContent = operation({
  ...definition,
  example: { operations: [{ op: 'append', markdown: 'x' }], mode: 'suggest' },
  rest: { method: 'POST', path: '/api/docs/{id}/edits', query, large: true },
  mcp: 'replace_doc',
  cli: 'docs edit'
})

/** The same operation as a partial change to the content (RFC 5789). */
export const patchContent = operation({
  ...definition,
  example: { operations: [{ op: 'append', markdown: 'x' }], mode: 'suggest' },
  summary: 'Edits parts of the text, like POST …/edits.',
  description: 'See POST /api/docs/{id}/edits.',
  rest: { method: 'PATCH', path: '/api/docs/{id}/content', query, large: true }
})

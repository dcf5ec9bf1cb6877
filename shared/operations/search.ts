/** Search in one document's text, and in all documents of an account. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation, rename } from '../operation.ts'
import { line, Version, listedFields } from './schemas.ts'

const Words = line(limits.searchWordsMax).refine((words) => words.trim() !== '', 'must not be blank')
const exact = z.boolean().optional().meta({ description: 'Match case and accents exactly.' })
const words = { q: Words, exact }
const normalise = rename({ query: 'q', find: 'q', text: 'q', words: 'q' })

const Match = z
  .object({
    line: z.int(),
    column: z.int().meta({ description: 'In UTF-16 units, from 1.' }),
    from: z.int(),
    to: z.int(),
    section: z.array(z.string()).meta({ description: 'Titles of the enclosing sections, outermost first.' }),
    excerpt: z.string(),
    exact: z.boolean(),
    matched: z.string().optional()
  })
  .meta({ id: 'Match' })

export const searchDocument = operation({
  summary: 'Searches the text of a document, page by page.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/search', query: ['q', 'exact', 'after', 'limit'] },
  mcp: 'search',
  cli: 'docs search',
  input: z.object({
    ...words,
    after: z.coerce.number().int().min(0).optional().meta({ description: 'nextAfter of the previous page.' }),
    limit: z.coerce.number().int().min(1).max(limits.searchMatchesMax).optional()
  }),
  output: z.object({ version: Version, matches: z.array(Match), nextAfter: z.int().nullable() }),
  example: { q: 'a' },
  errors: [],
  normalise
})

export const searchDocuments = operation({
  summary: 'Searches titles and text of the caller’s own documents, newest first.',
  description:
    'Search other people’s documents one by one, with their links. It shows only some matches of each document; search the document for all. capped: the time limit ' +
    'ended the search; continue with nextBefore.',
  on: 'account',
  needs: 'identity',
  byProgram: true,
  rest: { method: 'GET', path: '/api/search', query: ['q', 'exact', 'before', 'limit'] },
  mcp: 'search',
  cli: 'search',
  input: z.object({
    ...words,
    before: z.string().max(60).optional().meta({ description: 'nextBefore of the previous page.' }),
    limit: z.coerce.number().int().min(1).max(limits.searchFoundMax).optional()
  }),
  output: z.object({
    docs: z.array(
      z.object({
        ...listedFields,
        version: Version,
        inTitle: z.boolean(),
        matches: z.array(Match)
      })
    ),
    capped: z.boolean(),
    nextBefore: z.string().nullable()
  }),
  example: { q: 'a' },
  errors: [],
  normalise
})

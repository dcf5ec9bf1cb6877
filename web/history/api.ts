/** Requests of the history. */
import type { Output } from '../../shared/operations/index.ts'
import { operation, type Access } from '../client/operation.ts'

export type Revision = Output<'listRevisions'>['revisions'][number]

/** Lines that one person or program wrote in last. */
export type AttributedLines = Output<'readAttribution'>['lines'][number]

export const listRevisions = operation<'listRevisions'>('GET /api/docs/{id}/revisions')

/** The text of a version; of now when none is named. */
export const readVersion = operation<'readContent'>('GET /api/docs/{id}/content')

export const labelRevision = operation<'labelRevision'>('PATCH /api/docs/{id}/revisions/{revisionId}')

const replaceContent = operation<'replaceContent'>('PUT /api/docs/{id}/content')

/** Saves the current text, which no revision has yet, as a revision with a name. Errors: 409 when the text has changed. */
export const nameNow = async (at: Access, content: string, baseVersion: string, label: string): Promise<Revision> => {
  // The same text changes nothing; typed text is saved under the name of the person who typed it.
  const { revisionId } = await replaceContent(at, { content, baseVersion })
  // Only a dry run and suggestions save none.
  if (revisionId === null) throw new Error('the service saved no revision')
  return labelRevision(at, { revisionId, label })
}

const restore = operation<'restoreRevision'>('POST /api/docs/{id}/restore')

/**
 * Replaces the version that the person looked at by a revision; later changes of others stay. Errors: 409 when they changed the same lines.
 */
export const restoreRevision = (at: Access, revision: number, baseVersion: string, author: string): ReturnType<typeof restore> =>
  restore(at, { revision, baseVersion, onConflict: 'merge', ...(author !== '' && { author }) })

const readPage = operation<'readAttribution'>('GET /api/docs/{id}/attribution')

/** The author of each line of a version, page by page. */
export const readAttribution = async (at: Access, version: string): Promise<{ readonly lines: readonly AttributedLines[] }> => {
  const lines: AttributedLines[] = []
  for (let after: number | null = 0; after !== null;) {
    const page: Output<'readAttribution'> = await readPage(at, { version, after })
    lines.push(...page.lines)
    after = page.nextAfter
  }
  return { lines }
}

/** The requests for the version history. */
import type { Output } from '../../shared/operations/index.ts'
import { operation, type Access } from '../client/operation.ts'
import type { Session } from '../session/session.ts'
import { whenSent } from '../session/when-sent.ts'

export type Revision = Output<'listRevisions'>['revisions'][number]

/** Consecutive lines that the same person or program changed last. */
export type AttributedLines = Output<'readAttribution'>['lines'][number]

export const listRevisions = operation<'listRevisions'>('GET /api/docs/{id}/revisions')

/** Reads the text of a version, or the current text if no version is named. */
export const readVersion = operation<'readContent'>('GET /api/docs/{id}/content')

export const labelRevision = operation<'labelRevision'>('PATCH /api/docs/{id}/revisions/{revisionId}')

const replaceContent = operation<'replaceContent'>('PUT /api/docs/{id}/content')

/** Saves the current text, which no revision contains yet, as a named revision. Throws 409 if the text has changed. */
export const nameNow = async (at: Access, content: string, baseVersion: string, label: string): Promise<Revision> => {
  // Replacing the text with itself changes nothing, but the service first saves the unsaved text, in the name of the person who typed it.
  const { revisionId } = await replaceContent(at, { content, baseVersion })
  // Every replacement saves a revision, unless it is a dry run or a suggestion.
  if (revisionId === null) throw new Error('the service saved no revision')
  return labelRevision(at, { revisionId, label })
}

const restore = operation<'restoreRevision'>('POST /api/docs/{id}/restore')

/**
 * Replaces the version that the person saw with a revision. Later changes are kept. The request waits for the person's own last letters. Throws 409
 * if the same lines have changed.
 */
export async function restoreRevision(
  at: Access & Pick<Session, 'unsent'>,
  revision: number,
  baseVersion: string,
  author: string
): ReturnType<typeof restore> {
  await whenSent(at.unsent)
  return restore(at, { revision, baseVersion, onConflict: 'merge', ...(author !== '' && { author }) })
}

const readPage = operation<'readAttribution'>('GET /api/docs/{id}/attribution')

/** Returns the author of each line of a version. Requests the lines page by page. */
export const readAttribution = async (at: Access, version: string): Promise<{ readonly lines: readonly AttributedLines[] }> => {
  const lines: AttributedLines[] = []
  for (let after: number | null = 0; after !== null;) {
    const page: Output<'readAttribution'> = await readPage(at, { version, after })
    lines.push(...page.lines)
    after = page.nextAfter
  }
  return { lines }
}

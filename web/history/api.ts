/** Requests of the history. */
import { call } from '../client/api.ts'

export interface Revision {
  readonly id: number
  readonly version: string
  readonly label: string | null
  readonly author: string | null
  readonly authorKind: 'account' | 'agent' | 'guest' | 'system' | null
  readonly authors: readonly string[]
  readonly cause: 'create' | 'put' | 'edit' | 'restore' | 'autosave' | 'accept' | 'reopen' | 'merge'
  readonly added: number
  readonly removed: number
  readonly createdAt: string
}

/** Lines that one person or program wrote in last. */
export interface AttributedLines {
  readonly line: number
  readonly lastLine: number
  readonly author: string | null
  readonly authorKind: 'account' | 'agent' | 'guest' | null
  readonly authors: readonly string[]
  readonly at: string | null
}

export const listRevisions = (
  id: string,
  key: string,
  before?: number
): Promise<{ readonly revisions: readonly Revision[]; readonly nextBefore: number | null }> =>
  call(`/api/docs/${id}/revisions?limit=100${before === undefined ? '' : `&before=${before}`}`, { key })

/** The text of a version; of now when none is named. */
export const readVersion = (id: string, key: string, version?: string): Promise<{ readonly content: string; readonly version: string }> =>
  call(`/api/docs/${id}/content${version === undefined ? '' : `?version=${version}`}`, { key })

export const labelRevision = (id: string, key: string, revision: number, label: string | null): Promise<Revision> =>
  call(`/api/docs/${id}/revisions/${revision}`, { method: 'PATCH', key, body: { label } })

/** Saves the text of now, which none shows yet, as a revision with a name. Errors: 409 when it is another one by now. */
export const nameNow = async (id: string, key: string, content: string, baseVersion: string, label: string): Promise<Revision> => {
  // The same text changes nothing; what was typed is saved as theirs who typed it.
  const { revisionId } = await call<{ readonly revisionId: number }>(`/api/docs/${id}/content`, {
    method: 'PUT',
    key,
    body: { content, baseVersion }
  })
  return labelRevision(id, key, revisionId, label)
}

/**
 * Replaces the version that the person looked at by a revision; what others have written since stays. Errors: 409 when they changed the same
 * lines.
 */
export const restoreRevision = (
  id: string,
  key: string,
  revision: number,
  baseVersion: string,
  author: string
): Promise<{ readonly revisionId: number | null; readonly changed: boolean; readonly version: string; readonly merged?: true }> =>
  call(`/api/docs/${id}/restore`, {
    method: 'POST',
    key,
    body: { revision, baseVersion, onConflict: 'merge', ...(author !== '' && { author }) }
  })

interface AttributionPage {
  readonly lines: readonly AttributedLines[]
  readonly nextAfter: number | null
}

/** The author of each line of a version, page by page. */
export const readAttribution = async (
  id: string,
  key: string,
  version: string
): Promise<{ readonly lines: readonly AttributedLines[] }> => {
  const lines: AttributedLines[] = []
  for (let after: number | null = 0; after !== null;) {
    const page: AttributionPage = await call(`/api/docs/${id}/attribution?version=${version}&after=${after}`, { key })
    lines.push(...page.lines)
    after = page.nextAfter
  }
  return { lines }
}

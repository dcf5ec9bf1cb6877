/** Material for the tests of comments and suggestions: a short document, and the requests of a program that reviews it. */
import type { Document } from './browser.ts'

export const launchPlan = `# Launch plan

The importer reads every file twice, which is slow.

We ship on Monday, if the tests are green.
`

/** Sends a request about a document as the program Robot. Throws if it is refused. */
export async function ask<Answer>(document: Document, method: string, path: string, body?: unknown, key = document.key): Promise<Answer> {
  const response = await fetch(new URL(`/api/docs/${document.id}/${path}`, document.url), {
    method,
    headers: { 'content-type': 'application/json', 'x-share-key': key, 'x-agent-author': 'Robot' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
  return answer
}

interface ListedComment {
  readonly id: string
  readonly body: string
  readonly author: string
  readonly resolved: boolean
  readonly replies: readonly { readonly body: string; readonly author: string }[]
  readonly target: { readonly quote: string }
  readonly anchor: { readonly from: number; readonly to: number } | null
}

/** Returns the comments of a document, including resolved ones. */
export const listComments = async (document: Document): Promise<readonly ListedComment[]> =>
  (await ask<{ comments: readonly ListedComment[] }>(document, 'GET', 'comments')).comments

interface ListedSuggestion {
  readonly id: string
  readonly status: string
  readonly original: string
  readonly text: string
  readonly author: string
  readonly note: string | null
}

/** Returns the suggestions of a document, including decided ones. */
export const listSuggestions = async (document: Document): Promise<readonly ListedSuggestion[]> =>
  (await ask<{ suggestions: readonly ListedSuggestion[] }>(document, 'GET', 'suggestions')).suggestions

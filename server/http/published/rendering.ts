/** Renders pages in threads, with limits on time and memory, so that no text can block the server. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Rendered } from '../../../shared/markdown/render.ts'
import { Lane, WorkRefused } from '../../threads/lane.ts'
import type { Drawings } from './renderer.ts'
import type { Job, Page } from './worker.ts'

/** Thrown if the text took too much time or memory, or if its page became too large. The page then shows the source of the text. */
export class CannotRender extends Error {}

/** Thrown if a newer version of the document will be rendered instead of this one. */
export class Outdated extends Error {}

const entry = new URL('worker.ts', import.meta.url)
const waiting = { waitingMax: limits.laneWaitingMax, waitingOfHolderMax: limits.pagesWaitingOfDocumentMax }

/** All servers in a process share these threads. */
const quick = new Lane<Job, Page>({ name: 'page', entry, secondsMax: limits.renderQuickSecondsMax, ...waiting })
const long = new Lane<Job, Page>({ name: 'page_slow', entry, secondsMax: limits.renderSecondsMax, ...waiting })

export interface Text {
  readonly doc: string
  readonly version: string
  readonly source: string
  readonly drawings: Drawings
}

/** Renders text. Throws `CannotRender`, `Outdated` or `busy`. */
export type Render = (text: Text) => Promise<Rendered>

const refusalOf = (error: unknown): unknown => {
  if (!(error instanceof WorkRefused)) return error
  if (error.why === 'replaced') return new Outdated()
  if (error.why === 'full' || error.why === 'late') return new ServiceError('busy', { retryAfterSeconds: limits.laneRetrySeconds })
  return new CannotRender(error.why, { cause: error.cause })
}

/** Returns a function that renders documents. Long documents, and documents that were slow before, have a separate queue. */
export const createRender = (baseUrl: string): Render => {
  const slow = new Set<string>()
  const remember = (doc: string): void => {
    slow.add(doc)
    const [first] = slow
    if (slow.size > limits.renderSlowMax && first !== undefined) slow.delete(first)
  }
  return async ({ doc, version, source, drawings }) => {
    const lane = source.length > limits.renderQuickUnitsMax || slow.has(doc) ? long : quick
    // Each version is rendered once. For each document, only the newest version waits.
    const options = { name: JSON.stringify([doc, version, drawings]), slot: doc, onSlow: () => remember(doc) }
    const page = await lane
      .run(doc, { source, baseUrl, drawings }, options)
      .catch((error: unknown) => Promise.reject(refusalOf(error) as Error))
    if (page === undefined) throw new CannotRender('too large')
    return page
  }
}

/** Work on the current text that takes longer than a turn, while other people continue to write. */
import type * as Y from 'yjs'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { type Edit, followed } from '../../../shared/text/diff.ts'
import type { Snapshot } from './journal.ts'
import type { OpenDocument } from './open-document.ts'

/** Moves edits of the text that was read to the current text. Returns undefined if somebody has changed a part that they touch. */
export type Follow = (edits: readonly Edit[]) => readonly Edit[] | undefined

/**
 * Records the changes to the text of a document. Comparing two versions instead would find a single change from the first to the last difference, past
 * which no edit in between could be moved.
 */
class Changes {
  readonly #text: Y.Text
  readonly #list: Edit[] = []

  constructor(text: Y.Text) {
    this.#text = text
    text.observe(this.#take)
  }

  readonly follow: Follow = (edits) => (this.#list.length > limits.followedChangesMax ? undefined : followed(edits, this.#list))

  stop(): void {
    this.#text.unobserve(this.#take)
  }

  readonly #take = (event: Y.YTextEvent): void => {
    if (this.#list.length > limits.followedChangesMax) return
    let at = 0
    for (const { retain = 0, insert = '', delete: removed = 0 } of event.delta) {
      at += retain
      if (removed > 0) this.#list.push({ from: at, to: at + removed, insert: '' })
      if (typeof insert !== 'string' || insert === '') continue
      this.#list.push({ from: at, to: at, insert })
      at += insert.length
    }
  }
}

/** The maximum number of computations. A computation is repeated if other people changed the same part. */
const attemptsMax = 10

/**
 * Computes something from the current text without blocking other requests, and calls `use` in the turn in which the result arrives. `use` gets a
 * function that moves edits past the changes that other people made meanwhile. If `use` returns undefined, everything is repeated. Throws `busy` if other
 * people keep changing the same part.
 */
export const withCurrentText = async <Found, T>(
  openDoc: OpenDocument,
  compute: (seen: Snapshot) => Promise<Found>,
  use: (found: Found, follow: Follow) => Promise<T> | undefined
): Promise<T> => {
  for (let attempts = attemptsMax; attempts > 0; attempts--) {
    const changes = new Changes(openDoc.text)
    let used: Promise<T> | undefined
    try {
      used = use(await compute(openDoc.snapshot()), changes.follow)
    } finally {
      changes.stop()
    }
    if (used !== undefined) return used
  }
  throw new ServiceError('busy', { retryAfterSeconds: limits.laneRetrySeconds })
}

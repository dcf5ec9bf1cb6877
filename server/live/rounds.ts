/**
 * Handles the edits of many documents in rounds. While several documents are being edited, their edits wait for each other for a few milliseconds.
 * Then one turn of the event loop handles all of them, and one commit writes them: a separate commit costs as much as several edits. Edits do not
 * wait if only a few documents are being edited, or if a document has a single writer.
 */
import { limits } from '../../shared/limits.ts'

export interface Rounds {
  /** Runs `flush` in the next round. Returns a function that cancels this. */
  enter(doc: string, flush: () => void): () => void
}

/** Creates the rounds. `clock` returns the time of a monotonic clock, in milliseconds. */
export const createRounds = (clock = (): number => performance.now()): Rounds => {
  const waiting = new Map<string, () => void>()
  let isPlanned = false
  /** The documents that entered since `began`, a time in milliseconds, and how many entered in the previous period. */
  const entered = new Set<string>()
  let began = Number.NEGATIVE_INFINITY
  let before = 0

  const note = (doc: string): void => {
    const passed = clock() - began
    if (passed >= limits.roundMs) {
      before = passed < 2 * limits.roundMs ? entered.size : 0
      entered.clear()
      began = clock()
    }
    entered.add(doc)
  }

  /** Runs the waiting functions, for a limited time in each turn of the event loop. */
  const run = (): void => {
    const until = performance.now() + limits.socketTurnMs
    for (const [doc, flush] of waiting) {
      waiting.delete(doc)
      flush()
      if (performance.now() > until) break
    }
    isPlanned = waiting.size > 0
    if (isPlanned) setImmediate(run)
  }

  const plan = (): void => {
    isPlanned = true
    const wait = before < limits.roundDocumentsMin ? 0 : began + limits.roundMs - clock()
    if (wait < 1) setImmediate(run)
    else setTimeout(run, wait)
  }

  return {
    enter(doc, flush) {
      note(doc)
      waiting.set(doc, flush)
      if (!isPlanned) plan()
      return () => {
        if (waiting.get(doc) === flush) waiting.delete(doc)
      }
    }
  }
}

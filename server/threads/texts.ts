/** Runs work on documents. Small documents are handled immediately and large ones in threads, so that no document blocks work on others. */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { type TextWork, type Texts, textWork, unitsOf } from '../domain/text/text-work.ts'
import { Lane, WorkRefused } from './lane.ts'

/** A job for a document: the name of a function of `TextWork`, and its arguments. */
export interface TextJob {
  readonly name: keyof TextWork
  readonly input: readonly unknown[]
}

const entry = new URL('text-worker.ts', import.meta.url)
const { textSecondsMax: secondsMax, laneWaitingMax: waitingMax, textWaitingOfDocumentMax: waitingOfHolderMax } = limits

/** All servers in a process share these lanes. Documents whose work took a long time before have a separate queue. */
const quick = new Lane<TextJob, unknown>({ name: 'text', entry, secondsMax, waitingMax, waitingOfHolderMax })
const long = new Lane<TextJob, unknown>({ name: 'text_slow', entry, secondsMax, waitingMax, waitingOfHolderMax })

const refusalOf = (error: unknown): unknown => {
  if (!(error instanceof WorkRefused)) return error
  if (error.why === 'full' || error.why === 'late') return new ServiceError('busy', { retryAfterSeconds: limits.laneRetrySeconds })
  return new ServiceError('too_complex', {}, { cause: error })
}

export const createTexts = (): Texts => {
  const slow = new Set<string>()
  const remember = (doc: string): void => {
    slow.add(doc)
    const [first] = slow
    if (slow.size > limits.renderSlowMax && first !== undefined) slow.delete(first)
  }
  return {
    async do(doc, name, ...input) {
      const work = textWork[name] as (...input: readonly unknown[]) => never
      if (unitsOf(input) <= limits.textInlineUnitsMax) return work(...input)
      const lane = slow.has(doc) ? long : quick
      const answer = lane.run(doc, { name, input }, { onSlow: () => remember(doc) })
      return (await answer.catch((error: unknown) => Promise.reject(refusalOf(error) as Error))) as never
    }
  }
}

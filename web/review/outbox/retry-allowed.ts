/** Sends entries again that the role did not allow, once after each change of the role. */
import { effect, type ReadonlySignal } from '@preact/signals'
import type { Role } from '../../../shared/roles.ts'
import type { Action } from './entry.ts'
import type { Outbox } from './outbox.ts'

interface RetryInput {
  readonly outbox: Outbox
  readonly role: ReadonlySignal<Role | null>
  /** Whether the role allows an action. */
  readonly isAllowed: (action: Action) => boolean
}

/** Begins to retry. Returns a function that stops it. */
export function retryAllowed({ outbox, role, isAllowed }: RetryInput): () => void {
  const retried = new Set<string>()
  const stops = [
    effect(() => {
      void role.value
      retried.clear()
    }),
    effect(() => {
      const refused = outbox.list.value.filter(
        ({ id, refusal, isForbidden }) => refusal !== undefined && isForbidden === true && !retried.has(id)
      )
      for (const { id } of refused.filter(({ action }) => isAllowed(action))) {
        retried.add(id)
        outbox.retry(id)
      }
    })
  ]
  return () => stops.forEach((stop) => stop())
}

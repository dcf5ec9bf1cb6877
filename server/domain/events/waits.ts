/** Waits for a commit below a key, for a deadline, or for the end of the caller's access. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Key } from '../ports.ts'
import type { Service } from '../service.ts'

/** Anything that can end a wait early: the client leaves, the link is revoked, or the server stops. */
export interface WaitEnd {
  readonly signal: AbortSignal
}

/** A wait for commits that touch keys below `prefix`. `deadline` is in milliseconds since 1970. */
interface Wanted {
  readonly prefix: Key
  readonly deadline: number
  readonly end: WaitEnd
}

const held = new WeakMap<Service, Map<string, Set<Promise<unknown>>>>()

/** Runs `work`, and counts it as a waiter below `prefix` while it runs. Throws `rate_limited` if the prefix has too many waiters. */
export const holding = async <T>(
  service: Service,
  prefix: Key,
  work: () => Promise<T>,
  max: number = limits.eventWaitersMax
): Promise<T> => {
  const name = JSON.stringify(prefix)
  const byName = held.get(service) ?? new Map<string, Set<Promise<unknown>>>()
  held.set(service, byName)
  const those = byName.get(name) ?? new Set()
  if (those.size >= max) throw new ServiceError('rate_limited', { retryAfterSeconds: 5 })
  const working = work()
  byName.set(name, those.add(working))
  try {
    return await working
  } finally {
    those.delete(working)
    if (those.size === 0) byName.delete(name)
  }
}

/** Resolves when all current waiters below a key have left. Call it after the waits have been ended. */
export const untilDelivered = async (service: Service, prefix: Key): Promise<void> => {
  const those = held.get(service)?.get(JSON.stringify(prefix))
  if (those !== undefined) await Promise.allSettled(those)
}

/**
 * Calls `look` after each commit below `prefix`, until `look` is satisfied, the deadline passes, or the wait is ended. Returns the last result. It
 * calls `look` once more after the end, so that it misses nothing written just before.
 */
export const waitUntil = async <T>(
  service: Service,
  { prefix, deadline, end }: Wanted,
  look: () => Promise<{ found: T; enough: boolean }>
): Promise<T> => {
  let wake = (): void => undefined
  const nudge = (): void => wake()
  // Subscribes before looking. Otherwise, a commit between the two would go unnoticed.
  const stop = service.storage.watch(prefix, nudge)
  end.signal.addEventListener('abort', nudge)
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      const wasEnded = end.signal.aborted
      const { found, enough } = await look()
      const left = deadline - service.clock.now()
      if (enough || left <= 0 || wasEnded) return found
      const cancel = left === Infinity ? undefined : service.clock.after(left, nudge)
      if (!end.signal.aborted) await woken
      cancel?.()
    }
  } finally {
    stop()
    end.signal.removeEventListener('abort', nudge)
  }
}

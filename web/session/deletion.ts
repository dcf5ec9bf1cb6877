/** A document that was deleted while it was open: until when it can be restored, and when it was. */
import { effect, type ReadonlySignal } from '@preact/signals'

interface Followed {
  readonly deleted: ReadonlySignal<boolean>
  /** Asks the service for the document. Answers whether it is there again. */
  readonly ask: () => Promise<boolean>
  readonly onRestored: () => void
}

/** How often a page in sight asks, in milliseconds. Its socket is closed, so nobody tells it. */
const askEveryMs = 60_000

/**
 * Asks from the deletion on, now and then and when the page comes into sight. Returns its stop. A service that closes the connection again
 * and again is asked no sooner.
 */
export const followDeletion = ({ deleted, ask, onRestored }: Followed): ReturnType<typeof effect> => {
  let askedAt = Number.NEGATIVE_INFINITY
  return effect(() => {
    if (!deleted.value) return undefined
    let asking = false
    const look = (): void => {
      if (asking || document.visibilityState === 'hidden') return
      asking = true
      askedAt = Date.now()
      void ask().then((isThere) => {
        asking = false
        if (isThere && deleted.peek()) onRestored()
      })
    }
    if (Date.now() - askedAt > askEveryMs) look()
    const timer = setInterval(look, askEveryMs)
    document.addEventListener('visibilitychange', look)
    addEventListener('online', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
      removeEventListener('online', look)
    }
  })
}

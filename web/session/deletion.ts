/** A document that was deleted while it was open: until when it can be restored, and its restoration. */
import { effect, type ReadonlySignal } from '@preact/signals'

interface Followed {
  readonly deleted: ReadonlySignal<boolean>
  /** Asks the service for the document. Resolves to whether it exists again. */
  readonly ask: () => Promise<boolean>
  readonly onRestored: () => void
}

/** How often a visible page asks, in milliseconds. Its socket is closed, so it receives no message. */
const askEveryMs = 60_000

/**
 * Asks after the deletion, regularly and when the page becomes visible. Returns a function that stops it. If the service closes the connection
 * repeatedly, it is asked no sooner.
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

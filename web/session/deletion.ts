/**
 * A document that was deleted, while it was open or before. The page shows how long the document can still be restored, and notices when somebody
 * restores it.
 */
import { effect, type ReadonlySignal } from '@preact/signals'

interface Followed {
  readonly deleted: ReadonlySignal<boolean>
  /** Asks the service about the document. Resolves to true if the document exists again. */
  readonly ask: () => Promise<boolean>
  readonly onRestored: () => void
}

/** How often a visible page asks the service, in milliseconds. Its socket is closed, so it receives no messages. */
const askEveryMs = 10_000

/**
 * Asks the service after the deletion, regularly and when the page becomes visible. If the service closes the connection repeatedly, the page does
 * not ask more often. Returns a function that stops it.
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

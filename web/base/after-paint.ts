/** Longest wait for a paint, in milliseconds: an invisible page does not paint. */
const paintMsMax = 100

let waiting: (() => void)[] = []
let left = false
let listens = false

/** Runs all waiting work; an error in one does not stop the others. */
function run(works: readonly (() => void)[]): void {
  if (waiting !== works) return
  waiting = []
  for (const work of works) {
    try {
      work()
    } catch (error) {
      reportError(error)
    }
  }
}

/** A page that is closing or hidden may never paint. */
function listen(): void {
  listens = true
  // Before other listeners that act when the page closes: their messages come after the waiting work.
  addEventListener(
    'pagehide',
    () => {
      left = true
      run(waiting)
    },
    { capture: true }
  )
  addEventListener('pageshow', () => (left = false), { capture: true })
  document.addEventListener('visibilitychange', () => run(waiting))
}

/**
 * Runs work after the next paint, so that it does not delay the result of a key. Works run in order; those still waiting when the page closes run
 * then, and later ones at once.
 */
export function afterPaint(work: () => void): void {
  if (!listens) listen()
  if (left) return work()
  waiting.push(work)
  if (waiting.length > 1) return
  const works = waiting
  requestAnimationFrame(() => setTimeout(() => run(works)))
  setTimeout(() => run(works), paintMsMax)
}

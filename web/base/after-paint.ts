/** Longest wait for a paint, in milliseconds: an invisible page does not paint. */
const paintMsMax = 100

let waiting: (() => void)[] = []
let left = false
let listens = false

/** Runs all waiting work. An error in one function does not stop the others. */
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

/** Runs the waiting work when the page closes or is hidden, because such a page may never paint. */
function listen(): void {
  listens = true
  // A listener in the capture phase runs before the other listeners for closing. Messages that those listeners send then follow the waiting work.
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
 * Runs work after the next paint, so that it does not delay the response to a key press. Functions run in the order in which they were passed.
 * Waiting functions run when the page closes, and later ones run immediately.
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

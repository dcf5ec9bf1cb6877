/** Longest wait for a paint, in milliseconds: a page that nobody sees paints nothing. */
const paintMsMax = 100

let waiting: (() => void)[] = []
let left = false
let listens = false

/** Does what waits, each whatever becomes of the others. */
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

/** A page that is left or hidden may never paint. */
function listen(): void {
  listens = true
  // Before those who do something as the page is left: what they send comes behind what waits.
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
 * Runs work once what a key has changed is on the screen: nothing that can wait stands before the next paint. Works run in their order; those
 * that wait when the page is left run then, and later ones at once.
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

/** Work that waits until the page stands, so that it takes nothing from what a person waits for. */

/** The longest time until the browser is idle, in milliseconds; one without `requestIdleCallback` waits the shorter one. */
const idleMsMax = 2000
const pauseMs = 200

/** Calls `run` once, when what is on the page now was painted and nothing else is to be done. Answers with what calls it off. */
export function whenIdle(run: () => void): () => void {
  let isOver = false
  const now = (): void => {
    if (isOver) return
    isOver = true
    run()
  }
  // A page in the background paints nothing.
  setTimeout(now, idleMsMax)
  requestAnimationFrame(() => {
    // Not known to every browser.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(now, { timeout: idleMsMax })
    else setTimeout(now, pauseMs)
  })
  return () => {
    isOver = true
  }
}

/** Work that waits until the page has loaded, so that it delays nothing that a person waits for. */

/** Longest time to wait for idle, in milliseconds; a browser without `requestIdleCallback` waits the shorter one. */
const idleMsMax = 2000
const pauseMs = 200

/** Calls `run` once, when the current page was painted and the browser is idle. Returns a function that cancels it. */
export function whenIdle(run: () => void): () => void {
  let isOver = false
  const now = (): void => {
    if (isOver) return
    isOver = true
    run()
  }
  // A page in the background does not paint.
  setTimeout(now, idleMsMax)
  requestAnimationFrame(() => {
    // Not supported by every browser.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(now, { timeout: idleMsMax })
    else setTimeout(now, pauseMs)
  })
  return () => {
    isOver = true
  }
}

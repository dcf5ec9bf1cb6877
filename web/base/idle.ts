/** Delays work until the page has loaded and the browser is idle. */

/** Longest wait for idle time, in milliseconds. A browser without `requestIdleCallback` waits the shorter time. */
const idleMsMax = 2000
const pauseMs = 200

/** Calls `run` once, when the page has been painted and the browser is idle. Returns a function that cancels the call. */
export function whenIdle(run: () => void): () => void {
  let isOver = false
  const now = (): void => {
    if (isOver) return
    isOver = true
    run()
  }
  // A background page is never painted, so a timer starts the work as well.
  setTimeout(now, idleMsMax)
  requestAnimationFrame(() => {
    // Some browsers do not support `requestIdleCallback`.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(now, { timeout: idleMsMax })
    else setTimeout(now, pauseMs)
  })
  return () => {
    isOver = true
  }
}

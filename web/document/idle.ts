/** What is done once the page stands: so that it takes nothing from what a person waits for. */

/** The longest time until the browser is idle, in milliseconds; one without `requestIdleCallback` waits the shorter one. */
const idleMsMax = 2000
const pauseMs = 200

/** What a person does first: then nothing waits any more. */
const deeds = ['keydown', 'pointerdown', 'paste', 'dragenter'] as const

/**
 * Calls `run` once: when what is on the page now was painted and nothing else is to be done, or as soon as the person does anything;
 * then it is told to hurry. Answers with what calls it off.
 */
export function whenIdle(run: (hurries: boolean) => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  const go = (hurries: boolean): void => {
    if (signal.aborted) return
    ended.abort()
    run(hurries)
  }
  const rest = (): void => go(false)
  for (const deed of deeds) addEventListener(deed, () => go(true), { capture: true, signal })
  // A page in the background paints nothing.
  setTimeout(rest, idleMsMax)
  requestAnimationFrame(() => {
    // Not known to every browser.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(rest, { timeout: idleMsMax })
    else setTimeout(rest, pauseMs)
  })
  return () => ended.abort()
}

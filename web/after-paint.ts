/** Longest wait for a paint, in milliseconds: a page that nobody sees paints nothing. */
const paintMsMax = 100

/** Runs work once what a key has changed is on the screen: nothing that can wait stands before the next paint. */
export function afterPaint(work: () => void): void {
  let done = false
  const run = (): void => {
    if (done) return
    done = true
    work()
  }
  requestAnimationFrame(() => setTimeout(run))
  setTimeout(run, paintMsMax)
}

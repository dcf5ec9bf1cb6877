/**
 * Decides when deleted bytes are overwritten: one run handles a minute's deletions. Two runs never overlap, and runs are less frequent if a run has a
 * lot to write.
 */
import { limits } from '../../shared/limits.ts'
import type { Clock } from '../domain/ports.ts'

export interface Eraser {
  /** Reports that a commit requires erasing. */
  due(): void
  /** Starts a run, after the run in progress has ended. Throws the errors of the new run. */
  now(): Promise<void>
  /** Resolves when no run is in progress. The caller must first make the current run stop. */
  stop(): Promise<void>
}

export interface EraserOptions {
  /** Undefined if runs never start automatically. */
  readonly clock: Clock | undefined
  /** Called once before the first run. */
  readonly prepare: () => Promise<void>
  /** Performs a run. Resolves to the number of bytes that it wrote. */
  readonly run: () => Promise<number>
  /** Whether erasing is still due. */
  readonly isDue: () => boolean
}

export const createEraser = ({ clock, prepare, run, isDue }: EraserOptions): Eraser => {
  let running: Promise<void> = prepare().catch(() => undefined)
  /** No automatic run begins before this time, in milliseconds since 1970. */
  let restUntil = 0
  let cancel: (() => void) | undefined
  let stopped = false

  const schedule = (): void => {
    if (clock === undefined || cancel !== undefined || stopped) return
    const wait = Math.max(limits.eraseQuietSeconds * 1000, restUntil - clock.now())
    // After a failed run, the store is still marked as due for erasing, so the run is repeated no later than the next start.
    cancel = clock.after(wait, () => void now().catch(schedule))
  }

  const runOnce = async (): Promise<void> => {
    if (stopped) return
    cancel?.()
    cancel = undefined
    const bytes = await run()
    if (stopped) return
    restUntil = (clock?.now() ?? 0) + (bytes / limits.eraseBytesPerSecond) * 1000
    if (isDue()) schedule()
  }

  const now = (): Promise<void> => {
    const next = running.then(runOnce)
    running = next.catch(() => undefined)
    return next
  }

  return {
    due: schedule,
    now,
    async stop() {
      stopped = true
      cancel?.()
      await running
    }
  }
}

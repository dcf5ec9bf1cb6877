/**
 * Divides the event loop fairly between sockets. Hocuspocus handles all messages that it has before anything else runs. It therefore gets a few
 * messages from each socket in turn, and only for a limited time in each turn of the event loop.
 */
import { limits } from '../../shared/limits.ts'

export interface Turns {
  /** Runs `step` immediately if this turn of the event loop has time left. Otherwise runs it in the next turn, after earlier steps. */
  enter(step: () => void): void
}

export const createTurns = (): Turns => {
  let ready: (() => void)[] = []
  /** The time when this turn began, in milliseconds. Undefined before its first step. */
  let began: number | undefined
  let isRunning = false

  const hasTime = (): boolean => {
    if (began === undefined) {
      began = performance.now()
      setImmediate(nextTurn)
    }
    return performance.now() - began < limits.socketTurnMs
  }

  const run = (): void => {
    // A step may call `enter` again.
    if (isRunning) return
    isRunning = true
    let done = 0
    try {
      while (done < ready.length && hasTime()) ready[done++]?.()
    } finally {
      ready = ready.slice(done)
      isRunning = false
    }
  }

  const nextTurn = (): void => {
    began = undefined
    if (ready.length > 0) run()
  }

  return {
    enter(step) {
      ready.push(step)
      run()
    }
  }
}

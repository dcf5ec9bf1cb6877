/** Writes several objects at the same time, because each one waits for the disk or the network. */

/** The number of objects that are written at the same time. */
const writersMax = 4

export interface Pool {
  /** Begins a task when fewer than `writersMax` are running. Throws the error of an earlier task. */
  run(work: () => Promise<void>): Promise<void>
  /** Waits for all tasks. Throws the error of a task that failed. */
  done(): Promise<void>
}

/** Creates a pool that runs at most `writersMax` tasks at a time. If a task fails, the next `run` or `done` throws its error. */
export const createPool = (): Pool => {
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  const check = (): void => {
    if (failure !== undefined) throw failure.error
  }
  return {
    async run(work) {
      while (running.size >= writersMax) await Promise.race(running)
      check()
      const one: Promise<void> = work()
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => running.delete(one))
      running.add(one)
    },
    async done() {
      await Promise.all(running)
      check()
    }
  }
}

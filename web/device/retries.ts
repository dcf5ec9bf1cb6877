/** Schedules retries of failed requests. Each entry has its own time, and the browser's `online` event makes all of them due. */
export interface Retries {
  later(id: string, afterMs: number): void
  isDue(id: string): boolean
  /** Makes all entries due now. */
  wake(): void
  drop(id: string): void
  stop(): void
}

/** `work` is called whenever an entry becomes due. */
export function openRetries(work: () => void): Retries {
  const times = new Map<string, ReturnType<typeof setTimeout>>()
  const drop = (id: string): void => {
    clearTimeout(times.get(id))
    times.delete(id)
  }
  const stop = (): void => {
    for (const id of times.keys()) drop(id)
  }
  return {
    later(id, afterMs) {
      drop(id)
      const due = (): void => {
        times.delete(id)
        work()
      }
      times.set(id, setTimeout(due, afterMs))
    },
    isDue: (id) => !times.has(id),
    wake() {
      stop()
      work()
    },
    drop,
    stop
  }
}

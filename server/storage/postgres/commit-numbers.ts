/** Commit numbers, which tell a node whether it knows all commits of the other nodes. */
import { type Query, withinSeconds } from './connection.ts'

export interface NewestCommit {
  /** The id of a store. */
  readonly id: string
  /** The number of its last commit, as text. */
  readonly last: string
}

/** How long PostgreSQL may take to answer, in seconds. */
export const answerSecondsMax = 5

/**
 * Returns the newest commit of each store that has committed within the last minute. Nodes that listened during that time know all earlier commits.
 */
export const newestCommits = async (query: Query): Promise<NewestCommit[]> => {
  const text = `select id, last from writer where seen > now() - interval '1 minute'`
  return withinSeconds(answerSecondsMax, query<NewestCommit>({ name: 'newest commits', text }))
}

/** Tracks, for each other node, the commit up to which notices have arrived. `own` is the id of this store, whose notices do not count. */
export const createCommitNumbers = (own: string) => {
  const known = new Map<string, number>()
  const waiting = new Set<() => void>()
  const has = (newest: readonly NewestCommit[]): boolean =>
    newest.every(({ id, last }) => id === own || (known.get(id) ?? 0) >= Number(last))
  return {
    /** Whether the notices of these commits have arrived. */
    has,
    heard(id: string, number: number): void {
      if (number <= (known.get(id) ?? 0)) return
      known.set(id, number)
      for (const look of waiting) look()
    },
    /** Waits until the notices of these commits have arrived. Resolves to false if they do not arrive within `seconds`. */
    async arrived(newest: readonly NewestCommit[], seconds: number): Promise<boolean> {
      if (has(newest)) return true
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const look = (): void => {
        if (has(newest)) resolve(true)
      }
      const timer = setTimeout(() => resolve(false), seconds * 1000).unref()
      waiting.add(look)
      try {
        return await promise
      } finally {
        waiting.delete(look)
        clearTimeout(timer)
      }
    }
  }
}

/**
 * Determines whether the server is ready for requests. This folder contains the code for operators and monitoring programs: readiness and metrics.
 */
import type { Clock, Storage } from '../domain/ports.ts'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'

/** The reason why no requests should be sent to the server. */
export type NotReady = 'starting' | 'stopping' | 'read_only' | 'full' | 'unreachable'

/** Describes each reason in a sentence for an operator, with the next step. */
export const reasons: Readonly<Record<NotReady, { readonly message: string; readonly hint: string }>> = {
  starting: { message: 'The server is starting.', hint: 'Try again in a few seconds.' },
  stopping: { message: 'The server is stopping.', hint: 'Send requests to another server, or wait until this one has restarted.' },
  read_only: {
    message: 'The store failed and accepts no writes.',
    hint: 'Read the log, repair the disk, and restart the server.'
  },
  full: { message: 'The server’s disk is full.', hint: 'Free space. No restart is needed.' },
  unreachable: { message: 'The store does not respond.', hint: 'Check the disk or the database, and the log.' }
}

export interface ReadinessOptions {
  /** Returns the state of the server, as far as it is known without using the store. Any value except `ok` means that it is not ready. */
  readonly status: () => NotReady | 'ok'
  readonly storage: Storage
  /** Whether the disk that holds the data folder has space. Rejects if the disk does not answer. */
  readonly hasSpace: () => Promise<boolean>
  readonly clock: Clock
}

/** No record has this key, so deleting it changes nothing. The store still writes a commit and waits until the commit is on disk. */
const nothing = ['probe']

const reasonOf = (error: unknown): NotReady => {
  if (!(error instanceof ServiceError)) return 'unreachable'
  return error.code === 'storage_full' ? 'full' : 'unreachable'
}

/** Writes an empty commit to the store. Returns the reason why writing is impossible; undefined if it succeeded. */
const tryStore = async ({ storage, hasSpace, clock }: ReadinessOptions): Promise<NotReady | undefined> => {
  const late = Promise.withResolvers<NotReady>()
  const cancel = clock.after(limits.readySecondsMax * 1000, () => late.resolve('unreachable'))
  const tried = async (): Promise<NotReady | undefined> => {
    if (!(await hasSpace())) return 'full'
    await storage.commit({ deletes: [nothing] })
    return undefined
  }
  try {
    return await Promise.race([tried().catch(reasonOf), late.promise])
  } finally {
    cancel()
  }
}

/** Returns a function that finds the reason why the server is not ready; undefined if it is ready. All callers within a second share one attempt. */
export const createReadiness = (options: ReadinessOptions): (() => Promise<NotReady | undefined>) => {
  const { status, clock } = options
  let tried: { readonly at: number; readonly reason: Promise<NotReady | undefined> } | undefined
  return async () => {
    const now = status()
    if (now !== 'ok') return now
    if (tried === undefined || Math.abs(clock.now() - tried.at) >= limits.readyShareMs)
      tried = { at: clock.now(), reason: tryStore(options) }
    const reason = await tried.reason
    // The attempt itself may have revealed the failure and changed the status.
    const after = status()
    return after === 'ok' ? reason : after
  }
}

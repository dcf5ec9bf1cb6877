/** Interprets PostgreSQL errors, and connection errors, for the store. */
import { DatabaseError } from 'pg'

import { ServiceError } from '../../../shared/errors.ts'

/**
 * The reason why a PostgreSQL store cannot be opened. `exitCode` is for the process: 1 if PostgreSQL does not answer or the store is in use; 3 if
 * the store belongs to another installation; 4 if its schema is newer; 78 if a setting or an access right is wrong.
 */
export class PostgresError extends Error {
  readonly exitCode: 1 | 3 | 4 | 78

  constructor(exitCode: 1 | 3 | 4 | 78, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PostgresError'
    this.exitCode = exitCode
  }
}

/** Returns the SQLSTATE of an error that the server reported (PostgreSQL manual, appendix A); undefined for a connection error. */
export const stateOf = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.code : undefined)

/** An SQLSTATE that this program defines: another connection of the store has replaced this connection (`commit_records`). */
const fencedState = 'AG001'

/**
 * The next step after an error. `reconnect`: the connection can no longer be used, and the statement may or may not have run. `again`: the
 * transaction was rolled back, and may succeed the next time. `fail`: neither step would help.
 */
export type Remedy = 'reconnect' | 'again' | 'fail'

/**
 * SQLSTATEs after which the transaction may succeed the next time: serialization failure, deadlock, a lock that was not granted in time, and a key
 * that another node has just inserted.
 */
const passing = new Set(['40001', '40P01', '55P03', '23505'])

/**
 * SQLSTATEs from a server that is stopping or starting, has no free connection or is a standby, and from a statement that took too long and was
 * canceled.
 */
const interrupted = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006', '57014', '25P03', fencedState])

export function remedyOf(error: unknown): Remedy {
  const state = stateOf(error)
  if (state === undefined || state.startsWith('08') || interrupted.has(state)) return 'reconnect'
  return passing.has(state) ? 'again' : 'fail'
}

/** Converts an error to an error of `Storage`. */
export function serviceErrorOf(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause
  const state = stateOf(cause)
  if (state === '53100') return new ServiceError('storage_full', {}, { cause })
  if (state === 'XX001' || state === 'XX002') return new ServiceError('storage_corrupt', {}, { cause })
  return new ServiceError('storage_unavailable', {}, { cause })
}

/** The meaning of errors of PostgreSQL, and of the connection to it, for the store. */
import { DatabaseError } from 'pg'

import { ServiceError } from '../../../shared/errors.ts'

/**
 * Why a PostgreSQL store cannot be opened. `exitCode` is for the process: 1 it does not answer or is in use, 3 it belongs to another installation, 4 its
 * schema is newer, 78 the setting or the rights that it names are wrong.
 */
export class PostgresError extends Error {
  readonly exitCode: 1 | 3 | 4 | 78

  constructor(exitCode: 1 | 3 | 4 | 78, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PostgresError'
    this.exitCode = exitCode
  }
}

/** SQLSTATE of an error of the server (PostgreSQL manual, appendix A); undefined for one of the connection. */
export const stateOf = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.code : undefined)

/** Our own state: another connection of this store has taken the place of this one (`commit_records`). */
const fencedState = 'AG001'

/**
 * The next step: `reconnect`: the connection is of no use and what was sent may or may not have happened; `again`: the transaction was undone and may pass
 * next time; `fail`: neither helps.
 */
export type Remedy = 'reconnect' | 'again' | 'fail'

/** Serialisation, deadlock, lock not had in time, and a key that another node has just put. */
const passing = new Set(['40001', '40P01', '55P03', '23505'])

/** The server ends, starts, has no connection left, is a standby, or stopped the statement for lasting too long. */
const interrupted = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006', '57014', '25P03', fencedState])

export function remedyOf(error: unknown): Remedy {
  const state = stateOf(error)
  if (state === undefined || state.startsWith('08') || interrupted.has(state)) return 'reconnect'
  return passing.has(state) ? 'again' : 'fail'
}

/** The error as those of `Storage`. */
export function serviceErrorOf(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause
  const state = stateOf(cause)
  if (state === '53100') return new ServiceError('storage_full', {}, { cause })
  if (state === 'XX001' || state === 'XX002') return new ServiceError('storage_corrupt', {}, { cause })
  return new ServiceError('storage_unavailable', {}, { cause })
}

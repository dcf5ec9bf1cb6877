/** Explains to the operator why an import or export failed. */
import { ServiceError } from '../../shared/errors.ts'
import { TransferError } from '../transfer/source.ts'
import { AdminError } from './error.ts'

/** Throws the error as an `AdminError`. `next` is a sentence that gives the next step after a store failure. */
export const explained = (error: unknown, next?: string): never => {
  if (error instanceof TransferError) throw new AdminError(error.message, { exitCode: 1, cause: error })
  if (!(error instanceof ServiceError)) throw error
  const parts = [error.message, error.details['hint'], next].filter((part) => typeof part === 'string')
  throw new AdminError(parts.join(' '), { exitCode: 1, cause: error })
}

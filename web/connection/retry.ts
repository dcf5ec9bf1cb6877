/** Decides what follows a closed connection: another attempt, or the end. No timers, no user interface. */
import { closeCodes } from '../../shared/live-protocol.ts'

/** Why the server ended the connection permanently: a close code, or the code of an error. */
export type Ended = 'credential_ended' | 'forbidden' | 'deleted' | 'bad_message' | 'too_big' | 'full' | 'credential_required' | 'not_found'

// All other codes are temporary: 1001 the server restarts, 1006 no close frame, 1011 its store failed, 1013 sync again, 4408 too slow, 4429 too fast.
const endedByClose: Readonly<Record<number, Ended>> = {
  [closeCodes.tooBig]: 'too_big',
  [closeCodes.credentialEnded]: 'credential_ended',
  [closeCodes.notAllowed]: 'forbidden',
  [closeCodes.deleted]: 'deleted',
  [closeCodes.full]: 'full'
}

/** Whether the server refused the changes and not the person: they are stored here and may be sent later. */
export const keepsWriting = (ended: Ended | undefined): boolean => ended === 'too_big' || ended === 'full'

/** Delay before a page checks again whether there is space for its changes, in milliseconds: others may have freed some. */
export const roomRetryMs = 30_000

const endedByReason: Readonly<Record<string, Ended>> = {
  credential_required: 'credential_required',
  credential_invalid: 'credential_ended',
  document_deleted: 'deleted',
  not_found: 'not_found',
  forbidden: 'forbidden'
}

/** Returns the meaning of a refused token; undefined for a temporary refusal (`rate_limited`, `storage_unavailable` and the like). */
export const endedByRefusal = (reason: string): Ended | undefined => endedByReason[reason]

const firstMs = 500
const factor = 1.6
const longestMs = 30_000

/** Consecutive refused messages after which this page is assumed to be at fault. */
const badMessagesMax = 3
/** A connection that lasted this long was good, however it ended. */
const goodMs = 60_000

export interface Retries {
  /** The server has everything from this device. */
  settled(): void
  /**
   * Returns when to connect again, or why not. `aliveMs`: how long the connection was open. `fits`: the text of this page is not too large, so the
   * server refused it because of text by others that this page has not received yet.
   */
  closed(code: number, aliveMs: number, fits?: boolean): { readonly afterMs: number } | { readonly ended: Ended }
  /** Consecutive closed connections of which none settled. */
  readonly failures: number
}

/** `random`: from 0 up to 1; it spreads the reconnects of all pages after a server restart. */
export function createRetries(random: () => number = Math.random): Retries {
  let failures = 0
  let badMessages = 0
  return {
    get failures() {
      return failures
    },
    settled() {
      failures = 0
    },
    closed(code, aliveMs, fits = false) {
      const ended = endedByClose[code]
      if (ended !== undefined && !(ended === 'too_big' && fits)) return { ended }
      if (aliveMs >= goodMs) failures = badMessages = 0
      if (code === closeCodes.badMessage && ++badMessages >= badMessagesMax) return { ended: 'bad_message' }
      const afterMs = Math.min(longestMs, firstMs * factor ** failures++)
      return { afterMs: Math.round(afterMs * (0.75 + random() / 2)) }
    }
  }
}

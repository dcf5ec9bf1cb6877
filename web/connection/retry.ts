/** Decides whether a closed connection is retried or ended. This module has no timers and no user interface code. */
import { closeCodes } from '../../shared/live-protocol.ts'

/** The reason why the server ended the connection permanently: the meaning of a close code or of an error code. */
export type Ended =
  | 'credential_ended'
  | 'forbidden'
  | 'deleted'
  | 'taken_down'
  | 'disabled'
  | 'bad_message'
  | 'too_big'
  | 'full'
  | 'credential_required'
  | 'not_found'

// All other codes are temporary. The server restarts (1001), there was no close frame (1006), the server's store failed (1011), the page
// must sync again (1013), the page was too slow (4408), or it sent too fast (4429). A refused message (4400) ends the connection only when
// it repeats.
const endedByClose: Readonly<Record<number, Ended>> = {
  [closeCodes.tooBig]: 'too_big',
  [closeCodes.credentialEnded]: 'credential_ended',
  [closeCodes.notAllowed]: 'forbidden',
  [closeCodes.deleted]: 'deleted',
  [closeCodes.takenDown]: 'taken_down',
  [closeCodes.accountDisabled]: 'disabled',
  [closeCodes.full]: 'full'
}

/** Whether the server refused the changes and not the person. In that case, the device stores the changes, and they may be sent later. */
export const keepsWriting = (ended: Ended | undefined): boolean => ended === 'too_big' || ended === 'full'

/** Delay before a page checks again whether its changes fit into the document, in milliseconds. */
export const roomRetryMs = 30_000

const endedByReason: Readonly<Record<string, Ended>> = {
  credential_required: 'credential_required',
  credential_invalid: 'credential_ended',
  document_deleted: 'deleted',
  taken_down: 'taken_down',
  not_found: 'not_found',
  forbidden: 'forbidden'
}

/** Returns the reason for a refused token. Undefined for a temporary refusal (`rate_limited`, `storage_unavailable` and others). */
export const endedByRefusal = (reason: string): Ended | undefined => endedByReason[reason]

const firstMs = 500
const factor = 1.6
const longestMs = 30_000

/** Number of consecutive refused messages after which this page is assumed to have a bug. */
const badMessagesMax = 3
/** A connection that lasted at least this long counts as good, in milliseconds. It does not matter how it ended. */
const goodMs = 60_000

export interface Retries {
  /** Called when the server has everything from this device. */
  settled(): void
  /**
   * Returns the delay before the next attempt, or the reason why there is none. `aliveMs` is how long the connection was open. `fits` is true if this
   * page's text is within the size limit: a refusal because of the size is then caused by text from others that this page has not received yet.
   */
  closed(code: number, aliveMs: number, fits?: boolean): { readonly afterMs: number } | { readonly ended: Ended }
  /** Number of consecutive connections that closed before everything was sent. */
  readonly failures: number
}

/** `random` returns a number from 0 up to 1. It spreads out the reconnections of pages after a server restart. */
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

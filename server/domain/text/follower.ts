/** The interface to the work that follows an edit (follow.ts), for the code that writes text. */
import type { EventPayload } from '../../../shared/events.ts'
import type { Snapshot } from './journal.ts'

/** The payload of a content event (docs/api.md, Events and inbox). */
export type ContentPayload = EventPayload<'content.changed'>

/** A `content.changed` event that must be written. */
export interface Announcement {
  /** The person who typed; `system:` if several people typed. */
  readonly actor: string
  readonly payload: ContentPayload
}

export interface Follower {
  /**
   * Takes over the announcement of everything up to `to`. Returns the payload of a `content.changed` event that the caller must write. Returns
   * undefined if everything has already been announced. Synchronous.
   */
  takeAnnouncement(to: Snapshot): Announcement | undefined
  /** Records that the caller itself announces everything up to this snapshot. */
  announced(to: Snapshot): void
  /** Notes what other nodes have announced, so that it is not announced again. Call it before `takeAnnouncement`, with the turn to write (turns.ts). */
  refresh(): Promise<void>
  /** Does all pending work immediately: the announcement, revision, canonical text and checkpoint. Called before the document leaves memory. */
  settle(): Promise<void>
  stop(): void
}

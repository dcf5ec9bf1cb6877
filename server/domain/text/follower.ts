/** The work that follows an edit (follow.ts), as the writers of text see it. */
import type { EventPayload } from '../../../shared/events.ts'
import type { Snapshot } from './journal.ts'

/** The payload of a content event (docs/api.md, Events and inbox). */
export type ContentPayload = EventPayload<'content.changed'>

/** A `content.changed` event to be written. */
export interface Announcement {
  /** The person who typed; `system:` if there were several. */
  readonly actor: string
  readonly payload: ContentPayload
}

export interface Follower {
  /**
   * Takes over the announcement of everything up to `to`. Returns the payload of a `content.changed` that the caller must write, or undefined if
   * everything is announced. Synchronous.
   */
  takeAnnouncement(to: Snapshot): Announcement | undefined
  /** Records that the caller itself announces everything up to this snapshot. */
  announced(to: Snapshot): void
  /** Does waiting work now: announcement, revision, canonical text, checkpoint. Called before the document leaves memory. */
  settle(): Promise<void>
  stop(): void
}

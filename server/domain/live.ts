/** Documents in memory, as the domain sees them. Implemented by `server/live/`. */
import type { ErrorCode } from '../../shared/errors.ts'
import type { Output } from '../../shared/operations/index.ts'
import type { Range } from '../../shared/text/anchors.ts'
import type { Role } from '../../shared/roles.ts'
import type { Caller } from './rights/caller.ts'
import type { Follower } from './text/follower.ts'
import type { Room } from './text/room.ts'

export interface OpenRoom {
  readonly room: Room
  readonly follower: Follower
  /** Lets the document leave memory again, once it is idle. */
  release(): void
}

export interface Live {
  /** The document in memory, loaded if need be. Errors: those of loading. */
  open(doc: string): Promise<OpenRoom>
  /** The document if it is in memory and sound. */
  find(doc: string): Room | undefined
  /** Ends the sockets and long polls that use this link, or all of the document when `share` is null. Acts at once. */
  end(doc: string, share: string | null, code: ErrorCode): void
  /** Makes the sockets of a link come back with its new role. Acts at once. */
  changeRole(doc: string, share: string, role: Role): void
  /** Ends the sockets and long polls of a session, whatever documents they are on. Acts at once. */
  endSession(session: string, code: ErrorCode): void
  /** Errors: the code with which the right of a caller has ended, by what this process knows at this moment. */
  requireRight(doc: string, caller: Caller): void
  /** Lets people in again after a deletion that was taken back. */
  readmit(doc: string): void
  /** Shows a program that wrote without a socket at a range of the text of now, for a while. Of no effect for people. */
  showAgent(doc: string, caller: Caller, at: Range): void
  /** Tells every open page of the document, or those whose caller satisfies `to`. */
  announce(doc: string, message: LiveMessage, to?: (caller: Caller) => boolean): void
  /** Drops a document whose journal could not be written: its sockets close, clients keep their edits and come back. */
  fence(doc: string, cause: unknown): void
}

/** Stateless messages from the server to open pages (docs/protocol.md). */
export type LiveMessage =
  /** `name`: the one that the link was made for, told to guests alone. `account`: the name of whoever is signed in. */
  | { readonly type: 'role'; readonly role: Role; readonly name?: string; readonly account?: string }
  /** How presence marks all pages of this person. `number`: by which it tells a guest without a name from others. */
  | { readonly type: 'you'; readonly person: string; readonly number?: number }
  | { readonly type: 'event'; readonly event: unknown }
  /** A review assignment was created or changed. Never with its link. */
  | { readonly type: 'task'; readonly task: Output<'readTask'>['task'] }
  /** A comment or suggestion was made, changed or decided, or a replacement of the text moved or orphaned it. */
  | { readonly type: 'comment'; readonly comment: Output<'resolveComment'>['comment'] }
  | { readonly type: 'suggestion'; readonly suggestion: Output<'decideSuggestion'>['suggestion'] }
  | { readonly type: 'comment.deleted'; readonly commentId: string }
  /** Comments or suggestions changed, too many or too large to be sent to everybody: read the lists again. */
  | { readonly type: 'remarks' }
  | { readonly type: 'ended'; readonly code: ErrorCode }

/**
 * Told to a connection whose credential ended. `linkIsLeft`: it was a session beside a link, which may be good still, or a link whose role
 * has changed.
 */
export type End = (code: ErrorCode, linkIsLeft: boolean) => void

/** Who is connected by which link: sockets and long polls, so that a revocation ends them at once. */
export interface Registry {
  /** Notes a connection; `end` is called when its credential ends. Returns the way to forget it. */
  add(doc: string, caller: Caller, end: End): () => void
  /** Ends the connections of a link, or all of the document when `share` is null. */
  end(doc: string, share: string | null, code: ErrorCode): void
  /** Ends the connections of a link for them to come back with its new role. */
  changeRole(doc: string, share: string, role: Role): void
  /** Ends the connections of a session. */
  endSession(session: string, code: ErrorCode): void
  /** Errors: the code with which the right of a caller has ended. */
  requireRight(doc: string, caller: Caller): void
  /** Forgets that the document ended. */
  readmit(doc: string): void
  /** Ends everything. */
  endAll(code: ErrorCode): void
}

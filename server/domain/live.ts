/** The domain's interface to documents in memory. Implemented by `server/live/`. */
import type { ErrorCode } from '../../shared/errors.ts'
import type { LiveMessage } from '../../shared/live-protocol.ts'
import type { Range } from '../../shared/text/anchors.ts'
import type { Role } from '../../shared/roles.ts'
import type { Caller } from './rights/caller.ts'
import type { Follower } from './text/follower.ts'
import type { OpenDocument } from './text/open-document.ts'

export interface HeldDocument {
  readonly openDoc: OpenDocument
  readonly follower: Follower
  /** Allows the document to leave memory once it is idle. */
  release(): void
}

export interface Live {
  /** Returns the document in memory, loaded if necessary. Throws the errors of loading. */
  open(doc: string): Promise<HeldDocument>
  /** Returns the document if it is in memory and has not failed. */
  find(doc: string): OpenDocument | undefined
  /** Ends the sockets and long polls that use this link, or all of the document's when `share` is null. Takes effect at once. */
  end(doc: string, share: string | null, code: ErrorCode): void
  /** Makes the sockets of a link reconnect with its new role. Takes effect at once. */
  changeRole(doc: string, share: string, role: Role): void
  /** Whether a socket or a long poll uses this link now. */
  isUsed(doc: string, share: string): boolean
  /** Ends the sockets and long polls of a session on every document. Takes effect at once. */
  endSession(session: string, code: ErrorCode): void
  /** Throws the code with which the caller's access has ended, as far as this process knows. */
  requireRight(doc: string, caller: Caller): void
  /** Admits callers again after a deletion was undone. */
  readmit(doc: string): void
  /** Shows a program that wrote without a socket at a range of the current text, for a while. Has no effect for people. */
  showAgent(doc: string, caller: Caller, at: Range): void
  /** Sends a message to every open page of the document, or to those whose caller satisfies `to`. */
  announce(doc: string, message: LiveMessage, to?: (caller: Caller) => boolean): void
  /** Drops a document whose journal could not be written: its sockets close, clients store their edits and reconnect. */
  fence(doc: string, cause: unknown): void
}

/**
 * Called for a connection whose credential ended. `linkIsLeft`: the connection also has a link that may still be valid, because its session ended or
 * the role of the link changed.
 */
export type End = (code: ErrorCode, linkIsLeft: boolean) => void

/** Registers sockets and long polls by link, so that a revocation ends them at once. */
export interface Registry {
  /** Registers a connection; `end` is called when its credential ends. Returns a function to remove it. */
  add(doc: string, caller: Caller, end: End): () => void
  /** Ends the connections of a link, or all of the document's when `share` is null. */
  end(doc: string, share: string | null, code: ErrorCode): void
  /** Ends the connections of a link so that they reconnect with its new role. */
  changeRole(doc: string, share: string, role: Role): void
  /** Whether a connection uses this link. */
  isUsed(doc: string, share: string): boolean
  /** Ends the connections of a session. */
  endSession(session: string, code: ErrorCode): void
  /** Throws the code with which the access of a caller has ended. */
  requireRight(doc: string, caller: Caller): void
  /** Forgets that the document ended. */
  readmit(doc: string): void
  /** Ends all connections. */
  endAll(code: ErrorCode): void
}

/** Declares how the domain reaches documents in memory. `server/live/` implements it. */
import type { ErrorCode } from '../../shared/errors.ts'
import type { LiveMessage } from '../../shared/live-protocol.ts'
import type { Range } from '../../shared/text/targets.ts'
import type { Role } from '../../shared/roles.ts'
import type { Owner, StoredEvent } from './records/keys.ts'
import type { Caller } from './rights/caller.ts'
import type { Follower } from './text/follower.ts'
import type { OpenDocument } from './text/open-document.ts'

export interface DocumentHandle {
  readonly openDoc: OpenDocument
  readonly follower: Follower
  /** Allows the document to leave memory once it is idle. */
  release(): void
}

/** Ends connections (sockets and long polls) as soon as their access ends. */
interface Connections {
  /** Ends the sockets and long polls that use this link, or all sockets and long polls of the document when `share` is null. Takes effect immediately. */
  end(doc: string, share: string | null, code: ErrorCode): void
  /** Makes the connections of a link reconnect after its role or its end changed. Takes effect immediately. */
  renew(doc: string, share: string, role: Role): void
  /** Whether a socket or a long poll is using this link. */
  isUsed(doc: string, share: string): boolean
  /** Returns the sessions and programs that a socket or a long poll is using. */
  usedSessions(): ReadonlySet<string>
  /** Ends the sockets and long polls of a session on every document. Takes effect immediately. */
  endSession(session: string, code: ErrorCode): void
  /**
   * Ends the sockets and long polls through which a former owner uses a document. Connections through a link stay open. Takes effect immediately.
   */
  endOwner(doc: string, owner: Owner): void
  /** Throws the error that ended the caller's access, if this process knows that the access has ended. */
  requireRight(doc: string, caller: Caller): void
  /** Admits callers again after the document has been restored. With `owner`, admits the new owner, who may have owned it before. */
  readmit(doc: string, owner?: Owner): void
  /** Whether this process knows that the document was deleted. */
  hasEnded(doc: string): boolean
  /** Forgets what this process knows about a link whose record another node has changed. */
  forget(doc: string, share: string): void
}

export interface Live extends Connections {
  /** Returns the document in memory, and loads it first if necessary. Rejects with the error of a failed load. */
  open(doc: string): Promise<DocumentHandle>
  /** Returns the document if it is in memory and has not failed. */
  find(doc: string): OpenDocument | undefined
  /** Shows on open pages, for a while, the range where a program without a socket has just written. Does nothing for people. */
  showAgent(doc: string, caller: Caller, at: Range): void
  /** Sends a message to every open page of the document, or only to the pages whose caller satisfies `to`. */
  announce(doc: string, message: LiveMessage, to?: (caller: Caller) => boolean): void
  /** Sends an event that this process has written to every open page whose caller may see it. */
  event(doc: string, event: StoredEvent): void
  /** Drops a document whose journal could not be written. Its sockets close; clients store their edits and reconnect. */
  fence(doc: string, cause: unknown): void
}

/**
 * Called when a connection's credential has ended. `linkIsLeft` is true if only the caller's session ended, or only the role of its link changed. The
 * connection then has a link that can still be valid.
 */
export type End = (code: ErrorCode, linkIsLeft: boolean) => void

/** Registers sockets and long polls by link, so that a revocation ends them immediately. */
export interface Registry extends Connections {
  /** Checks all connections of a document again, because another node has changed its owner. */
  recheck(doc: string): void
  /** Registers a connection; `end` is called when its credential ends. Returns a function to remove it. */
  add(doc: string, caller: Caller, end: End): () => void
  /** Ends all connections. */
  endAll(code: ErrorCode): void
}

/**
 * The documents that one socket holds open. Hocuspocus lets a socket open any number of sessions of a document (`doc` or `doc NUL session`). A single
 * socket could thus use up the document's connections. Here, a document has only one session on each socket.
 */
import type { Connection } from '@hocuspocus/server'
import { limits } from '../../shared/limits.ts'

interface Session {
  /** The address in the frames of the session. */
  readonly address: string
  /** Releases the connection that the session uses. Set once the session's token has been accepted. */
  leave: () => void
  /** Set once Hocuspocus has connected the session. */
  connection: Connection | undefined
  mayWrite: boolean
}

export class SocketSessions {
  readonly #sessions = new Map<string, Session>()
  #isEnded = false
  #isAdmitted = false

  /** Whether any token on this socket was accepted. */
  get isAdmitted(): boolean {
    return this.#isAdmitted
  }

  /** Whether this socket may write to any document. */
  get writes(): boolean {
    return [...this.#sessions.values()].some(({ mayWrite }) => mayWrite)
  }

  /** Begins a session, or returns the reason why it cannot begin. A second token for an existing session counts as the same token sent again. */
  claim(doc: string, address: string): 'claimed' | 'other session' | 'too many' {
    const known = this.#sessions.get(doc)
    if (known !== undefined) return known.address === address ? 'claimed' : 'other session'
    if (this.#sessions.size >= limits.socketDocumentsMax) return 'too many'
    this.#sessions.set(doc, { address, leave: () => undefined, connection: undefined, mayWrite: false })
    return 'claimed'
  }

  /** Whether this socket already has a session of the document under another address. */
  isOther(doc: string, address: string): boolean {
    const known = this.#sessions.get(doc)
    return known !== undefined && known.address !== address
  }

  /** Records that a token was accepted. `leave` is called when the session ends; it releases the connection that the session uses. */
  admit(doc: string, mayWrite: boolean, leave: () => void): void {
    const known = this.#sessions.get(doc)
    if (known === undefined || this.#isEnded) return leave()
    this.#isAdmitted = true
    known.mayWrite = mayWrite
    known.leave = leave
    return undefined
  }

  /** Records that Hocuspocus connected the session with its document. */
  opened(doc: string, connection: Connection): void {
    const known = this.#sessions.get(doc)
    if (known !== undefined) known.connection = connection
  }

  isOpen(doc: string): boolean {
    return this.#sessions.get(doc)?.connection !== undefined
  }

  /** Returns the connection to a document; undefined until Hocuspocus has connected the session. */
  connection(doc: string): Connection | undefined {
    return this.#sessions.get(doc)?.connection
  }

  /** Returns the documents that this socket has open. */
  get documents(): readonly string[] {
    return [...this.#sessions.keys()]
  }

  mayWrite(doc: string): boolean {
    return this.#sessions.get(doc)?.mayWrite === true
  }

  /** Ends a document's session, because its token was refused or the session was closed. */
  release(doc: string): void {
    this.#sessions.get(doc)?.leave()
    this.#sessions.delete(doc)
  }

  /** Ends all sessions, because the socket is gone. */
  releaseAll(): void {
    this.#isEnded = true
    for (const doc of this.#sessions.keys()) this.release(doc)
  }
}

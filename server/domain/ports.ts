/**
 * Declares the domain's ports to the outside world: storage, blobs, time, and token issuers. Each port has at least one implementation under
 * `server/`, which `server/main.ts` passes in.
 */

import type { Role } from '../../shared/roles.ts'

/** One part of a key. Strings sort by UTF-8 bytes, numbers (integers from 0 to 2^53-1) by value; numbers sort before strings. */
export type KeyPart = string | number

/** A key, which sorts by its parts: `['d', doc, 'event', 7]` < `['d', doc, 'event', 10]`. A prefix sorts before its extensions. */
export type Key = readonly KeyPart[]

export interface Entry {
  readonly key: Key
  /** The stored bytes. Readers must not change them, because an implementation can share them between readers. */
  readonly value: Uint8Array
  /** The version changes with every put of this key and never returns to an earlier value, not even after a delete. */
  readonly version: number
}

/** The range of a listing. Its bounds are compared with the part of the key that follows the prefix. */
export interface Range {
  /** Lists only the keys whose part after the prefix is greater than this. */
  readonly after?: KeyPart
  /** Lists only the keys whose part after the prefix is less than this. */
  readonly before?: KeyPart
  /** Whether the listing starts at the highest key. */
  readonly reverse?: boolean
  /** The maximum number of entries; `limits.listMax` if absent. */
  readonly limit?: number
}

/** Requires that the entry at `key` has exactly this version. With `null`, requires that there is no entry. */
export interface Check {
  readonly key: Key
  readonly version: number | null
}

export interface Put {
  readonly key: Key
  readonly value: Uint8Array
}

export interface Batch {
  readonly checks?: readonly Check[]
  readonly puts?: readonly Put[]
  readonly deletes?: readonly Key[]
  /** Whether deleted and replaced bytes must disappear from the store's files. `erase` overwrites them soon after the commit. */
  readonly erase?: boolean
  /**
   * Called with the version of the puts when they are on disk, before the commit resolves. A store that several nodes use need not call it, because
   * their versions may change at any time.
   */
  readonly onWritten?: (version: number) => void
}

/**
 * Ordered records with conditional commits. No callback runs inside a transaction, so no caller can keep a transaction open across an `await`.
 *
 * Methods throw `storage_unavailable` if the engine failed, `storage_full` if the disk is full, and `storage_corrupt` if stored bytes do not match
 * their checksum. After an error, no write from the batch is visible. A store on another machine is the exception: if it does not respond in time,
 * the outcome is unknown. The message of `storage_unavailable` then says so.
 */
export interface Storage {
  get(key: Key): Promise<Entry | undefined>
  /** Returns the entries whose key extends `prefix` by at least one part, in key order. */
  list(prefix: Key, range?: Range): Promise<Entry[]>
  /**
   * Commits the entire batch or nothing. Resolves to true once the batch is on disk (fsynced). Resolves to false if a check failed; then nothing
   * was written. Commits take effect in the order of their calls.
   */
  commit(batch: Batch): Promise<boolean>
  /**
   * Calls `wake` after each commit that touched a key beginning with `prefix`, and passes the touched keys. An empty list means that any of these
   * keys may have been touched, because the store could not receive messages from other nodes for a while. `isForeign` is true if another node made
   * the commit. Returns a function that ends the watch.
   */
  watch(prefix: Key, wake: (keys: readonly Key[], isForeign: boolean) => void): () => void
  /** The other nodes that use the store. Absent if only one process can use it. */
  readonly nodes?: Nodes
  /**
   * Overwrites the remains of deleted and replaced bytes in the store's files, as far as the engine can, and resolves when done. The store calls it
   * soon after a commit with `erase`. Absent if the engine leaves no remains.
   */
  erase?(): Promise<void>
  /** Waits for commits in progress, then releases the store. */
  close(): Promise<void>
}

/** The nodes (processes) that share a store, and messages between them. Messages are not stored: a node that is not listening misses them. */
export interface Nodes {
  /** Random id of this node. A restarted node has another id. */
  readonly id: string
  /** Whether this node currently receives messages about other nodes' commits. */
  isListening(): boolean
  /**
   * Resolves when this node knows the keys of all commits that other nodes made before the call. By then it also knows the outcome of its own commits
   * that other nodes can see. Watchers and caches have been notified by then. A node that cannot listen looks for new commits with a read, and caches
   * nothing. If the store does not respond, resolves after some seconds.
   */
  heard(): Promise<void>
  /** Sends a message to all other nodes. Drops it if it is longer than `limits.nodeMessageBytesMax`, or if the store does not respond. */
  send(message: string): void
  /** Calls `hear` with each message from another node, and with the id of that node. Returns a function that ends the calls. */
  onMessage(hear: (message: string, node: string) => void): () => void
  /**
   * Claims a name that at most one node can have, and resolves to a function that ends the claim. The claim also ends with the node's connection. Resolves
   * to undefined if another node has the name. Throws `storage_unavailable`.
   */
  claim(name: string): Promise<(() => void) | undefined>
  /** Whether a node is connected to the store. */
  isAlive(node: string): Promise<boolean>
  /** Returns the number of connected nodes, including this one. */
  count(): Promise<number>
}

/** Bytes that were received completely and are on disk, but have no name yet. The caller must call either `keep` or `discard`. */
export interface Upload {
  readonly bytes: number
  /** SHA-256, base64url. */
  readonly hash: string
  /** The media type detected from the bytes, no matter what type was declared. Undefined if the type is unknown. */
  readonly sniffed: string | undefined
  /** False if the file does not end where its format says, because it was truncated or has extra bytes. */
  readonly whole: boolean
  /** Gives the bytes a name. When the promise resolves, the file and its folder entry are on disk. Throws `storage_full` or `storage_unavailable`. */
  keep(name: string): Promise<void>
  /** Removes the bytes, unless they were kept. */
  discard(): Promise<void>
}

/** A blob that is open for reading. The caller must call either `read` or `close`. */
export interface Blob {
  /** Returns the bytes from `from` to `to`, both included and counted from 0. Closes the blob at the end. */
  read(from: number, to: number): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** Stores large immutable values. Each value is either complete or absent. All methods throw `storage_full` or `storage_unavailable`. */
export interface Blobs {
  /** Receives a stream. If the source fails, rejects with its error and stores nothing. */
  receive(source: AsyncIterable<Uint8Array>): Promise<Upload>
  open(name: string): Promise<Blob | undefined>
  /** Does nothing if there is no blob with this name. */
  delete(name: string): Promise<void>
  /** Returns the names of all blobs, in any order. */
  list(): Promise<string[]>
}

/** Blobs as a second process sees them. It receives no uploads, and therefore leaves the server's uploads alone. */
export interface StoredBlobs extends Pick<Blobs, 'open' | 'delete' | 'list'> {
  /** Returns when the blob was stored, in milliseconds since 1970; undefined if there is no blob with this name. */
  storedAt(name: string): Promise<number | undefined>
}

/** Wall clock in milliseconds since 1970, and timers. Tests advance the clock by hand. */
export interface Clock {
  now(): number
  /** Calls `run` once after `milliseconds`. Returns a function that cancels the call. Does not keep the process alive. */
  after(milliseconds: number, run: () => void): () => void
}

/** The agent that a token identifies. */
export interface AgentIdentity {
  /** The agent's id. It is the same in all tokens that the issuer issues for this agent. */
  readonly id: string
  readonly name: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** The issuer of agent tokens. Its method throws `issuer_unavailable` if the issuer cannot be reached. */
export interface Agents {
  /** Returns the agent that a token identifies; undefined if the token is invalid. */
  verify(token: string): Promise<AgentIdentity | undefined>
}

/** A token that the broker issued for one of our resources. */
export interface IssuedToken {
  /** Hash of the grant under which the token was issued. */
  readonly grant: string
  readonly account: string
  /** The addresses at which the token is valid: all addresses of the service, or only the MCP endpoint. */
  readonly audience: 'service' | 'mcp'
  /** The highest role that the token's scopes allow; null if they name no role. */
  readonly role: Role | null
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** A host that has separate sign-in sessions. After a session of this service ends, that host must not be able to restore it. */
export interface SignInHost {
  endSessions(account: string): Promise<void>
  /** Ends the session at that host through which one of our sessions was opened (`Session.atHost`). */
  endSession(atHost: string): Promise<void>
  /** Returns the account and program for a token; undefined if the token is invalid or was issued for another service. */
  findToken(token: string): Promise<IssuedToken | undefined>
  /** Ends the grant whose id has this hash, and everything that was issued under the grant. */
  endGrant(grant: string): Promise<void>
}

/** Attributes of a span. Our own code chooses the names and numbers. They never contain a secret or text that somebody wrote. */
export type SpanFacts = Readonly<Record<string, string | number>>

/** Runs `work` as a span of a trace, and returns its result. `add` adds facts that are known later. If `work` throws, the span has the error code. */
export type Trace = <Result>(name: string, facts: SpanFacts, work: (add: (facts: SpanFacts) => void) => Promise<Result>) => Promise<Result>

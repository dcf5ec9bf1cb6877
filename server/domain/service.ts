/** The context of every domain function: the ports, settings, and documents in memory. */
import type { Ledger } from './records/transaction.ts'
import type { Turns } from './records/turns.ts'
import type { Live } from './live.ts'
import type { Agents, Blobs, Clock, SignInHost, Storage } from './ports.ts'
import type { Relay } from './media/relay.ts'
import type { Quotas } from './documents/quotas.ts'
import type { Vault } from './secrets.ts'
import type { Texts } from './text/text-work.ts'

export interface Service {
  readonly storage: Storage
  readonly blobs: Blobs
  readonly clock: Clock
  readonly ledger: Ledger
  /** This node's turns to write documents; null if only one process uses the store. */
  readonly turns: Turns | null
  readonly live: Live
  readonly relay: Relay
  /** Compares, searches and merges large documents. */
  readonly texts: Texts
  readonly vault: Vault
  /** Null if no issuer of agent tokens is configured. In that case, no agent token is accepted. */
  readonly agents: Agents | null
  /** The embedded broker, which has its own sessions; null if an external issuer signs people in. */
  readonly signInHost: SignInHost | null
  /** Address of the service without a trailing slash. */
  readonly baseUrl: string
  readonly version: string
  /** The quotas for text and history. */
  readonly quotas: Quotas
  /** The maximum total size of one document's assets, in bytes. */
  readonly assetBytesMax: number
  /** Ids or verified email addresses of the accounts whose compute nodes serve everyone. */
  readonly nodeAccounts: readonly string[]
  /** The people who may create accounts: everybody, people with an invitation, or nobody. */
  readonly signUp: 'open' | 'invite' | 'closed'
  /** Ids or verified email addresses of the accounts that administer the server. */
  readonly admins: readonly string[]
  /** The people and programs that may publish documents if their role allows it. With `nobody`, no published page can be read. */
  readonly publishing: 'everybody' | 'accounts' | 'nobody'
  /** Whether search engines may list published pages. */
  readonly searchEngines: boolean
  /** How long the audit log keeps its records, in days. */
  readonly auditDays: number
  /** How long old versions of documents are kept, in days. 0: forever. */
  readonly historyDays: number
  /** How many revisions without a name a document keeps. 0: all. */
  readonly historyRevisions: number
  /** When the process started, in milliseconds since 1970. */
  readonly startedAt: number
  /** Whether the service accepts writes, and if not, why. */
  readonly status: () => 'ok' | 'read_only' | 'stopping'
}

/** What every domain function is given: the ports, the settings it needs, and the documents in memory. */
import type { Ledger } from './ledger.ts'
import type { Live } from './live.ts'
import type { Blobs, Clock, Storage } from './ports.ts'
import type { Vault } from './secrets.ts'

export interface Service {
  readonly storage: Storage
  readonly blobs: Blobs
  readonly clock: Clock
  readonly ledger: Ledger
  readonly live: Live
  readonly vault: Vault
  /** Address of the service without a trailing slash. */
  readonly baseUrl: string
  readonly version: string
  /** Bytes that the assets of one document may take. */
  readonly assetBytesMax: number
  /** When the process started, in milliseconds since 1970. */
  readonly startedAt: number
  /** Whether the service takes writes, and why not. */
  readonly status: () => 'ok' | 'read_only' | 'stopping'
}

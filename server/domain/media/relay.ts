/** The domain's interface to compute nodes. Implemented by `server/relay/`. */
import type { JobKind } from '../../../shared/media-jobs.ts'
import type { Job } from '../records/keys.ts'

/** The capabilities that connected compute nodes offer to a caller. */
export interface Offer {
  readonly nodes: number
  readonly capabilities: readonly JobKind[]
  /** For speech. */
  readonly voices: readonly string[]
}

/** Connected compute nodes, and the jobs that wait for them. */
export interface Relay {
  /** The capabilities of nodes for an account; null: for callers without one. */
  offer(account: string | null): Offer
  /** Jobs of an account that wait or run, and those that are expected. */
  openJobs(account: string): number
  /** Counts a job that is about to be submitted; the returned function ends that. */
  expectJob(account: string): () => void
  /** Takes a job whose record says `queued`. */
  submit(doc: string, job: Job): void
  /** The progress of a job, from 0 to 1; undefined: unknown. */
  progressOf(id: string): number | undefined
  /** Forgets a job: the relay tells its node to stop. The caller handles the record. */
  forget(id: string): void
  /** Forgets all jobs of a document. */
  forgetDocument(doc: string): void
  /** Whether a node is connected. */
  isConnected(node: string): boolean
  /** Ends the socket of a node. */
  endNode(node: string): void
  /** Picks up open jobs of the store that it does not know yet: after a start, and after a document is restored. */
  recover(): Promise<void>
}

/** Declares how the domain reaches compute nodes. `server/relay/` implements it. */
import type { JobKind } from '../../../shared/media-jobs.ts'
import type { Job } from '../records/keys.ts'

/** The kinds of jobs that connected compute nodes can run for a caller. */
export interface Offer {
  readonly nodes: number
  readonly capabilities: readonly JobKind[]
  /** The voices that are available for speech. */
  readonly voices: readonly string[]
}

/** Connected compute nodes, and the jobs that wait for them. */
export interface Relay {
  /** Returns the kinds of jobs that the nodes can run for an account. Pass null for a caller without an account. */
  offer(account: string | null): Offer
  /** Returns the number of jobs of an account that wait, run, or are expected. */
  openJobs(account: string): number
  /** Counts a job that is about to be submitted. Returns a function that stops counting it. */
  expectJob(account: string): () => void
  /** Accepts a job whose record says `queued`. */
  submit(doc: string, job: Job): void
  /** Returns the progress of a job, from 0 to 1; undefined if it is unknown. */
  progressOf(id: string): number | undefined
  /** Forgets a job, and tells its node to stop. Does not change the job record. */
  forget(id: string): void
  /** Forgets all jobs of a document. */
  forgetDocument(doc: string): void
  /** Whether a node is connected. */
  isConnected(node: string): boolean
  /** Ends a node's socket. */
  endNode(node: string): void
  /** Loads the stored open jobs that the relay does not know yet. This happens after startup, and after a document has been restored. */
  recover(): Promise<void>
}

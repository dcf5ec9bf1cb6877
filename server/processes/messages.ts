/** Messages between the front of a server and its processes, over the channel that `fork` opens. */

import type { MetricsOfProcess } from '../metrics/merged.ts'

/**
 * The first word on the command line of a process that a front has started. The second word is the process number, and the third is the first
 * process's folder.
 */
export const processWord = 'process'

/** From the front to a process. The message `connection` brings a socket, whose first bytes the front has read. */
export type ToProcess =
  | { readonly kind: 'connection'; readonly first: Uint8Array }
  /** Asks for this process's metrics. */
  | { readonly kind: 'read metrics'; readonly question: number }
  /** The other processes' metrics, which this process asked for. */
  | { readonly kind: 'metrics of others'; readonly question: number; readonly texts: readonly MetricsOfProcess[] }

/** From a process to the front. */
export type ToFront =
  /** The process answers requests from now on. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'metrics'; readonly question: number; readonly text: string }
  | { readonly kind: 'gather metrics'; readonly question: number }

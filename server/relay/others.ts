/**
 * Compute nodes that are connected to other nodes of the service. Each node of the service tells the others what its compute nodes can do, and offers
 * them its jobs. Any node with a free compute node tries to begin a job. The record of the job lets only one of them succeed (`beginJob`).
 *
 *     offers {[{id, account, shared, kinds, voices}, …] as JSON}   the compute nodes of the sender; sent repeatedly, because messages are not stored
 *     offers?                       the sender has just started
 *     job {document} {id}           a job is waiting
 *     job-end {id}, jobs-end {document}   a job, or all jobs of a document, are no longer needed
 *     node-end {id}                 the token of a compute node was revoked
 *     node-taken {id}               a compute node has connected to the sender
 */
import { limits } from '../../shared/limits.ts'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { Clock, Nodes } from '../domain/ports.ts'

/** The work that a compute node on another node can do. */
export interface OtherOffer {
  readonly id: string
  readonly account: string
  readonly shared: boolean
  readonly kinds: readonly JobKind[]
  readonly voices: readonly string[]
}

interface Handlers {
  /** This node's compute nodes that are ready. */
  readonly offers: () => readonly OtherOffer[]
  /** Called when the offers of other nodes have changed. */
  readonly changed: () => void
  /** Called when another node has been silent for so long that it may have ended. */
  readonly silent: () => void
  readonly job: (doc: string, id: string) => void
  readonly jobEnd: (id: string) => void
  readonly jobsEnd: (doc: string) => void
  readonly nodeEnd: (id: string) => void
  readonly nodeTaken: (id: string) => void
}

export interface Others {
  /** Returns the compute nodes that are connected to other nodes. */
  offers(): readonly OtherOffer[]
  /** Tells the other nodes what this node's compute nodes can do. */
  tellOffers(): void
  tell(what: 'job' | 'job-end' | 'jobs-end' | 'node-end' | 'node-taken', ...words: readonly string[]): void
  stop(): void
}

/** Starts exchanging messages with the other nodes. */
export const createOthers = (nodes: Nodes, clock: () => Clock, handlers: Handlers): Others => {
  const heard = new Map<string, { readonly offers: readonly OtherOffer[]; readonly at: number }>()
  let cancel = (): void => undefined

  const tellOffers = (): void => nodes.send(`offers ${JSON.stringify(handlers.offers())}`)

  const acts: Readonly<Record<string, (rest: string, node: string) => void>> = {
    offers(rest, node) {
      heard.set(node, { offers: JSON.parse(rest) as OtherOffer[], at: clock().now() })
      handlers.changed()
    },
    'offers?': tellOffers,
    job(rest) {
      const [doc = '', id = ''] = rest.split(' ')
      handlers.job(doc, id)
    },
    'job-end': handlers.jobEnd,
    'jobs-end': handlers.jobsEnd,
    'node-end': handlers.nodeEnd,
    'node-taken': handlers.nodeTaken
  }
  const stopMessages = nodes.onMessage((message, node) => {
    const [what = ''] = message.split(' ', 1)
    acts[what]?.(message.slice(what.length + 1), node)
  })

  const repeat = (): void => {
    const silentSince = clock().now() - limits.nodeSilentSecondsMax * 1000
    const silent = [...heard].filter(([, { at }]) => at < silentSince)
    for (const [node] of silent) heard.delete(node)
    if (silent.length > 0) handlers.silent()
    if (handlers.offers().length > 0) tellOffers()
    cancel = clock().after(limits.nodeRepeatSeconds * 1000, repeat)
  }

  return {
    offers: () => [...heard.values()].flatMap(({ offers }) => offers),
    tellOffers() {
      tellOffers()
      cancel()
      cancel = clock().after(limits.nodeRepeatSeconds * 1000, repeat)
    },
    tell: (what, ...words) => nodes.send([what, ...words].join(' ')),
    stop() {
      cancel()
      stopMessages()
      nodes.send('offers []')
    }
  }
}

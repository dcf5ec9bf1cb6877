/**
 * The relay: compute nodes connect to it, and it assigns jobs to them.
 *
 * ## Protocol (version 1)
 *
 * A node opens a WebSocket at `/relay` with `Authorization: Bearer anode_…`, a token that an account has created. The service never opens a
 * connection to a node. A request with `Origin` comes from a page and is refused with 403. The response is 401 if the token is invalid, and 429 if
 * there are too many sockets.
 *
 * Text frames are JSON messages (shared/relay.ts has their types). Binary frames are chunks of files: the number of the job as 32 bits, big-endian,
 * then 1 to 65,536 bytes.
 *
 *     node                                 service
 *     hello {protocol, slots, capabilities}  →            within 10 s; a capability is a kind of job and the engine that does it
 *                                            ←  welcome {protocol, name, beatSeconds, silentSecondsMax}
 *                                            ←  beat      every 10 s; the node answers each with a beat. A side that receives
 *     beat                                   →            nothing for 25 s considers the other side gone
 *                                            ←  job {job, kind, input, file, seconds, resultBytesMax}, then the chunks of the file
 *     credit {job, bytes}                    →            the node has processed this many bytes of the file
 *     progress {job, progress}               →            from 0 to 1, at any time and any number of times
 *     chunks of the result                   →
 *                                            ←  credit {job, bytes}
 *     result {job, result, file} or          →            ends the job; `file` has the size and hash of the file sent before it
 *     fail {job, code, message}              →            ends the job
 *                                            ←  cancel {job}   the job is no longer needed; the node need not answer
 *
 * `job` is the number of one attempt, counted from 1 on each connection. A node therefore cannot name a job of another node, and the service ignores
 * messages about an attempt that has ended. A node has at most `slots` jobs at a time. In each direction, at most 256 KiB of a file can be in flight
 * without a credit. Neither side therefore holds more than that in memory. The service checks the size of a result while the bytes arrive, and its
 * hash (SHA-256, base64url) at the end. The `code` of `fail` is `bad_input`, `engine_failed`, `engine_unavailable` or `timed_out`. All of these codes
 * end the job.
 *
 * Close codes: 1001 (the service restarts; connect again), 4400 (invalid message), 4401 (the token was revoked; do not connect again), 4408 (silent
 * for too long), 4429 (the same token connected again). A node that connects again has no jobs, because its former jobs went to other nodes.
 *
 * queue.ts assigns jobs to compute nodes.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { limits } from '../../shared/limits.ts'
import { jobKinds } from '../../shared/media-jobs.ts'
import { relayCloseCodes } from '../../shared/relay.ts'
import { findNode } from '../domain/media/compute-nodes.ts'
import type { Offer, Relay } from '../domain/media/relay.ts'
import type { Nodes } from '../domain/ports.ts'
import type { Service } from '../domain/service.ts'
import type { Log } from '../log.ts'
import type { Attempt } from './attempt.ts'
import { ComputeNode } from './compute-node.ts'
import { createOthers, type OtherOffer } from './others.ts'
import { createJobQueue, type JobCounts } from './queue.ts'

export interface RelayServer extends Relay {
  /** Handles an HTTP upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Stops accepting nodes, and closes the connections of all nodes. Their jobs remain open in the store. */
  stop(): void
  /** Cuts the connections of nodes that have not answered the close frame. */
  terminateNodes(): void
  counts(): RelayCounts
}

export interface RelayCounts extends JobCounts {
  /** Sockets of nodes, including those whose token is still being checked. */
  readonly sockets: number
  readonly nodes: number
}

interface RelayOptions {
  readonly service: () => Service
  readonly log: Log
  /** The other nodes of the service; undefined if no other process can use the store. */
  readonly others: Nodes | undefined
}

const deny = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

// The types of `ws` 8.19 do not include `closeTimeout`.
const goodbye = { closeTimeout: limits.socketGoodbyeSecondsMax * 1000 }

export const createRelay = ({ service, log, others: processes }: RelayOptions): RelayServer => {
  const wss = new WebSocketServer({
    ...goodbye,
    noServer: true,
    maxPayload: limits.relayMessageBytesMax,
    perMessageDeflate: false,
    clientTracking: false
  })
  const nodes = new Set<ComputeNode>()
  /** Open sockets, including those that are being closed. */
  const left = new Set<WebSocket>()
  /** Number of all sockets, including those whose token is still being checked. */
  let sockets = 0
  let stopping = false

  const failed = (what: string, error: unknown): void => log.error(what, { error })

  const offersElsewhere = (account: string | null): readonly OtherOffer[] =>
    others?.offers().filter((offer) => offer.shared || offer.account === account) ?? []

  const queue = createJobQueue({
    service,
    log,
    nodes,
    isShared: processes !== undefined,
    elsewhere: offersElsewhere,
    announce: (doc, id) => others?.tell('job', doc, id)
  })

  const events = {
    ready: (node: ComputeNode): void => {
      log.info('a compute node connected', { node: node.token.id, account: node.token.account, shared: node.shared })
      others?.tell('node-taken', node.token.id)
      others?.tellOffers()
      queue.assignNext()
    },
    free: (): void => queue.assignNext(),
    gone: (node: ComputeNode, lost: readonly Attempt[]): void => {
      nodes.delete(node)
      sockets -= 1
      log.info('a compute node disconnected', { node: node.token.id, jobs: lost.length })
      if (stopping) return
      others?.tellOffers()
      queue.nodeGone(lost)
    }
  }

  const endNode = (id: string): void => {
    for (const node of nodes) if (node.token.id === id) node.close(relayCloseCodes.tokenEnded, 'the token was revoked')
  }

  const closeFormer = (id: string, code: number): void => {
    for (const node of nodes) if (node.token.id === id) node.close(code, 'the same token connected again')
  }

  const others =
    processes &&
    createOthers(processes, () => service().clock, {
      offers: () =>
        [...nodes]
          .filter(({ isReady }) => isReady)
          .map(({ token: { id, account }, shared, kinds, voices }) => ({ id, account, shared, kinds, voices })),
      changed: () => queue.passOnAll(),
      silent: () => void queue.recover().catch((error: unknown) => failed('the jobs of another node could not be read', error)),
      job: (doc, id) =>
        void queue.takeOffered(doc, id).catch((error: unknown) => failed('a job from another node could not be read', error)),
      jobEnd: (id) => queue.forget(id),
      jobsEnd: (doc) => queue.forgetDocument(doc),
      nodeEnd: endNode,
      nodeTaken: (id) => closeFormer(id, relayCloseCodes.tooMany)
    })

  const admit = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const found = token === undefined ? undefined : await findNode(service(), token)
    if (found === undefined || stopping) {
      sockets -= 1
      return deny(socket, stopping ? '503 Service Unavailable' : '401 Unauthorized\r\nWWW-Authenticate: Bearer')
    }
    const before = [...nodes].find(({ token: { id } }) => id === found.node.id)
    wss.handleUpgrade(request, socket, head, (ws: WebSocket) => {
      left.add(ws)
      ws.on('close', () => left.delete(ws))
      ws.on('error', (error) => log.debug('node socket error', { error }))
      // If a node connects again, its former socket is lost, even if the server has not noticed yet.
      before?.close(relayCloseCodes.tooMany, 'the same token connected again')
      nodes.add(new ComputeNode(service(), ws, found, events))
    })
    // If the token was revoked during the lookup, there was no socket to close at that time.
    if ((await findNode(service(), token ?? '')) === undefined) endNode(found.node.id)
    return undefined
  }

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      if (stopping) return deny(socket, '503 Service Unavailable')
      if (request.headers.origin !== undefined) return deny(socket, '403 Forbidden')
      if (sockets >= limits.relaySocketsMax) return deny(socket, '429 Too Many Requests')
      sockets += 1
      admit(request, socket, head).catch((error: unknown) => {
        sockets -= 1
        failed('a node could not be admitted', error)
        deny(socket, '503 Service Unavailable')
      })
      return undefined
    },
    offer(account): Offer {
      const serving = [...[...nodes].filter((node) => node.serves(account)), ...offersElsewhere(account)]
      return {
        nodes: serving.length,
        capabilities: jobKinds.filter((kind) => serving.some(({ kinds }) => kinds.includes(kind))),
        voices: [...new Set(serving.flatMap(({ voices }) => voices))]
      }
    },
    openJobs: (account) => queue.openJobs(account),
    expectJob: (account) => queue.expect(account),
    submit(doc, job) {
      queue.add(doc, job)
      others?.tell('job', doc, job.id)
    },
    progressOf: (id) => queue.progressOf(id),
    forget(id) {
      queue.forget(id)
      others?.tell('job-end', id)
    },
    forgetDocument(doc) {
      queue.forgetDocument(doc)
      others?.tell('jobs-end', doc)
    },
    isConnected: (id) =>
      [...nodes].some((node) => node.token.id === id && node.isReady) || others?.offers().some((offer) => offer.id === id) === true,
    endNode(id) {
      endNode(id)
      others?.tell('node-end', id)
    },
    recover: () => queue.recover(),
    stop() {
      stopping = true
      others?.stop()
      queue.stop()
      for (const node of nodes) node.close(relayCloseCodes.restarting, 'restarting')
    },
    terminateNodes() {
      for (const socket of left) socket.terminate()
    },
    counts() {
      return { sockets, nodes: [...nodes].filter(({ isReady }) => isReady).length, ...queue.counts() }
    }
  }
}

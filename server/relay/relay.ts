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
 * messages about an attempt that has ended. A node has at most `slots` jobs at a time. In both directions, at most 256 KiB of a file can be in flight
 * without a credit, so neither side holds more than that in memory. The service checks the size of a result while the bytes arrive, and its hash
 * (SHA-256, base64url) at the end. The `code` of `fail` is `bad_input`, `engine_failed`, `engine_unavailable` or `timed_out`. All of these codes end
 * the job.
 *
 * Close codes: 1001 (the service restarts; connect again), 4400 (invalid message), 4401 (the token was revoked; do not connect again), 4408 (silent
 * for too long), 4429 (the same token connected again). A node that connects again has no jobs, because its former jobs went to other nodes.
 *
 * ## Jobs
 *
 * The stored record of a job is authoritative (domain/media/media-jobs.ts). The relay only knows which jobs wait and which nodes work. A job goes to
 * a node of its account, or to a node that serves everyone. When a node disconnects with an unfinished job, the job immediately goes to another node.
 * If no other node can do the job, the job fails after 25 s, at most a minute after its node froze. After a restart, or when another node of the
 * service is silent, the relay reads the open jobs from the store. Each result is written with compare-and-set on the attempt, so that no job ends
 * twice. Any node of the service can end a job, so the relay watches the record of each job that it knows.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { limits } from '../../shared/limits.ts'
import { jobKinds, type JobKind } from '../../shared/media-jobs.ts'
import { relayCloseCodes } from '../../shared/relay.ts'
import { decodeRecord, type Job, keys } from '../domain/records/keys.ts'
import { beginJob, endJob, findLeftAttempt, type JobError, type Outcome, requeueJob } from '../domain/media/media-jobs.ts'
import { findNode } from '../domain/media/nodes.ts'
import type { Offer, Relay } from '../domain/media/relay.ts'
import type { Nodes } from '../domain/ports.ts'
import type { Service } from '../domain/service.ts'
import type { Log } from '../log.ts'
import type { Attempt } from './attempt.ts'
import { Node } from './node.ts'
import { createOthers, type OtherOffer } from './others.ts'
import { watchEnd } from './watch-end.ts'

/** A job that has not ended. */
interface Open {
  readonly doc: string
  readonly id: string
  readonly account: string
  readonly kind: JobKind
  readonly voice: string | undefined
  /** The node that works on the job; undefined while the job waits. */
  node: Node | undefined
  /** Cancels the timer that ends a job while no connected node can do it. */
  cancelNodeless: (() => void) | undefined
  /** Cancels the timer that ends a job that has been in the queue for too long. */
  cancelQueue: (() => void) | undefined
  /** Ends the watch of the job's record. Another node may end the job. */
  endWatch: () => void
}

export interface RelayServer extends Relay {
  /** Handles an HTTP upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Stops accepting nodes, and closes the connections of all nodes. Their jobs remain open in the store. */
  stop(): void
  /** Cuts the connections of nodes that have not answered the close frame. */
  terminateNodes(): void
  counts(): RelayCounts
}

export interface RelayCounts {
  /** Sockets of nodes, including those whose token is still being checked. */
  readonly sockets: number
  readonly nodes: number
  readonly queued: number
  readonly running: number
  /** Jobs that have ended successfully since the server started. `failed` counts the other ended jobs. */
  readonly done: number
  readonly failed: number
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
  const nodes = new Set<Node>()
  /** Open sockets, including those that are being closed. */
  const left = new Set<WebSocket>()
  /** Number of all sockets, including those whose token is still being checked. */
  let sockets = 0
  /** Open jobs in order of arrival. A job that lost its node keeps its place in the queue. */
  const jobs = new Map<string, Open>()
  /**
   * The number of jobs that each account is about to submit. They count toward the limit. Otherwise, many simultaneous requests could pass the
   * limit together.
   */
  const coming = new Map<string, number>()
  /** The ids of jobs whose outcome is being written. */
  const settling = new Set<string>()
  let stopping = false
  const ended = { done: 0, failed: 0 }

  const failed = (what: string, error: unknown): void => log.error(what, { error })

  // ——— Waiting ———

  const stopWaiting = (open: Open): void => {
    open.cancelNodeless?.()
    open.cancelQueue?.()
    open.cancelNodeless = open.cancelQueue = undefined
  }

  const drop = (open: Open): void => {
    stopWaiting(open)
    open.endWatch()
    jobs.delete(open.id)
  }

  const giveUp = (open: Open, error: JobError): void => {
    drop(open)
    // A compute node of another node may have begun the job, so only a queued job is ended.
    endJob(service(), open.doc, open.id, 'queued', { error }).then(
      (isEnded) => void (ended.failed += isEnded ? 1 : 0),
      (reason: unknown) => failed('a job could not be ended', reason)
    )
  }

  const isOfferedElsewhere = ({ account, kind }: Open): boolean => offersElsewhere(account).some(({ kinds }) => kinds.includes(kind))

  const offersElsewhere = (account: string | null): readonly OtherOffer[] =>
    others?.offers().filter((offer) => offer.shared || offer.account === account) ?? []

  const canDo = (node: Node, { account, kind }: Pick<Open, 'account' | 'kind'>): boolean => node.serves(account) && node.can(kind)

  /**
   * Returns a free node. Prefers nodes of the account to nodes that serve everyone. If any node has the requested voice, considers only nodes with
   * that voice.
   */
  const freeNodeFor = (open: Open): Node | undefined => {
    const able = [...nodes].filter((node) => canDo(node, open))
    const speaking = able.filter(({ voices }) => open.voice !== undefined && voices.includes(open.voice))
    const free = (speaking.length > 0 ? speaking : able).filter((node) => node.isFree)
    return free.find((node) => node.token.account === open.account) ?? free[0]
  }

  /** Starts the timers of a waiting job. If a connected node can do the job, stops the timer that waits for such a node. */
  const watch = (open: Open): void => {
    const { clock } = service()
    const { mediaQueueSecondsMax: queueSeconds, mediaNodelessSecondsMax: nodelessSeconds } = limits
    open.cancelQueue ??= clock.after(queueSeconds * 1000, () =>
      giveUp(open, { code: 'timed_out', message: `No compute node was free within ${queueSeconds} s.` })
    )
    if ([...nodes].some((node) => canDo(node, open)) || isOfferedElsewhere(open)) {
      open.cancelNodeless?.()
      open.cancelNodeless = undefined
    } else
      open.cancelNodeless ??= clock.after(nodelessSeconds * 1000, () =>
        giveUp(open, { code: 'node_offline', message: `No compute node that could do the job was connected for ${nodelessSeconds} s.` })
      )
  }

  // ——— Working ———

  const settle = async (open: Open, job: Job, outcome: Outcome): Promise<void> => {
    drop(open)
    settling.add(open.id)
    // Another node may have ended the job, or begun another attempt.
    const isEnded = await endJob(service(), open.doc, open.id, job.attempt, outcome).finally(() => settling.delete(open.id))
    if (!isEnded) return
    ended['error' in outcome ? 'failed' : 'done'] += 1
    if ('error' in outcome) log.info('a media job failed', { job: open.id, kind: open.kind, code: outcome.error.code })
  }

  const begin = async (open: Open, node: Node): Promise<void> => {
    const job = await beginJob(service(), open.doc, open.id).catch((error: unknown) => {
      // The job has since been deleted, so nobody needs its result.
      log.debug('a job could not begin', { job: open.id, error })
      return undefined
    })
    if (jobs.get(open.id) !== open) return
    if (job === undefined) return drop(open)
    if (!node.isReady) return putBack(open, job.attempt, false)
    node.assign(open.doc, job, (outcome) => {
      settle(open, job, outcome).catch((error: unknown) => failed('the end of a job could not be stored', error))
    })
    return undefined
  }

  const assignNext = (): void => {
    if (stopping) return
    for (const open of jobs.values()) {
      if (open.node !== undefined) continue
      const node = freeNodeFor(open)
      if (node === undefined) {
        watch(open)
        continue
      }
      stopWaiting(open)
      open.node = node
      node.reserve()
      begin(open, node)
        .catch((error: unknown) => failed('a job could not begin', error))
        .finally(() => node.release())
    }
  }

  /** Puts an attempt back into the queue after its node disconnected, unless the job has lost too many nodes. */
  const putBack = (open: Open, attempt: number, lost: boolean): void => {
    requeueJob(service(), open.doc, open.id, attempt, lost)
      .then((job) => {
        if (jobs.get(open.id) !== open) return
        if (job === undefined) return drop(open)
        open.node = undefined
        assignNext()
        if (open.node === undefined) passOn(open)
        return undefined
      })
      .catch((error: unknown) => {
        drop(open)
        log.debug('a job could not be returned to the queue', { job: open.id, error })
      })
  }

  const events = {
    ready: (node: Node): void => {
      log.info('a compute node connected', { node: node.token.id, account: node.token.account, shared: node.shared })
      others?.tell('node-taken', node.token.id)
      others?.tellOffers()
      assignNext()
    },
    free: (): void => assignNext(),
    gone: (node: Node, lost: readonly Attempt[]): void => {
      nodes.delete(node)
      sockets -= 1
      log.info('a compute node disconnected', { node: node.token.id, jobs: lost.length })
      if (stopping) return
      others?.tellOffers()
      for (const { job } of lost) {
        const open = jobs.get(job.id)
        if (open !== undefined) putBack(open, job.attempt, true)
      }
      for (const open of jobs.values()) if (open.node === undefined) watch(open)
    }
  }

  /** Tells the other nodes about a waiting job if one of their compute nodes can do it. */
  const passOn = (open: Open): void => {
    watch(open)
    if (isOfferedElsewhere(open)) others?.tell('job', open.doc, open.id)
  }

  /** Takes a job that another node offers, if a compute node of this node can do it. */
  const offered = async (doc: string, id: string): Promise<void> => {
    const entry = await service().storage.get(keys.job(doc, id))
    const job = entry && decodeRecord<Job>(entry.value)
    if (job?.status !== 'queued' || ![...nodes].some((node) => canDo(node, job))) return
    // The job may still be waiting here from an earlier offer.
    if (jobs.has(id)) assignNext()
    else add(doc, job)
  }

  const add = (doc: string, { id, account, kind, input }: Job): void => {
    if (stopping || jobs.has(id)) return
    const waiting = { node: undefined, cancelNodeless: undefined, cancelQueue: undefined, endWatch: () => undefined }
    const open: Open = { doc, id, account, kind, voice: input.voice, ...waiting }
    jobs.set(id, open)
    if (processes !== undefined)
      open.endWatch = watchEnd(
        service(),
        open,
        () => jobs.get(id) === open && forget(open),
        (error) => failed('a job could not be read', error)
      )
    assignNext()
  }

  /** Takes an open job of the store that no node works on. */
  const recoverJob = async (doc: string, id: string): Promise<void> => {
    const attempt = await findLeftAttempt(service(), doc, id)
    if (attempt === undefined || jobs.get(id)?.node !== undefined || settling.has(id)) return
    // A job of a deleted document cannot be resumed. If the document is restored, the next check finds the job.
    const job = await requeueJob(service(), doc, id, attempt, false).catch(() => undefined)
    if (job === undefined) return
    if (jobs.has(id)) assignNext()
    else add(doc, job)
  }

  const recover = async (): Promise<void> => {
    for (let after: string | undefined; ;) {
      const entries = await service().storage.list(keys.openJobs(), after === undefined ? {} : { after })
      for (const { key, value } of entries) await recoverJob(decodeRecord<string>(value), (after = String(key.at(-1))))
      if (entries.length < limits.listMax) return
    }
  }

  const forgetJob = (id: string): void => {
    const open = jobs.get(id)
    if (open !== undefined) forget(open)
  }

  const forgetDocument = (doc: string): void => {
    for (const open of jobs.values()) if (open.doc === doc) forget(open)
  }

  const forget = (open: Open): void => {
    drop(open)
    const assignment = open.node?.find(open.id)
    if (assignment !== undefined) open.node?.cancel(assignment)
  }

  // ——— Connecting ———

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
      changed() {
        for (const open of jobs.values()) if (open.node === undefined) passOn(open)
      },
      silent: () => void recover().catch((error: unknown) => failed('the jobs of another node could not be read', error)),
      job: (doc, id) => void offered(doc, id).catch((error: unknown) => failed('a job from another node could not be read', error)),
      jobEnd: forgetJob,
      jobsEnd: forgetDocument,
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
      nodes.add(new Node(service(), ws, found, events))
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
    openJobs: (account) => [...jobs.values()].filter((open) => open.account === account).length + (coming.get(account) ?? 0),
    expectJob(account) {
      coming.set(account, (coming.get(account) ?? 0) + 1)
      return () => {
        const left = (coming.get(account) ?? 0) - 1
        if (left > 0) coming.set(account, left)
        else coming.delete(account)
      }
    },
    submit(doc, job) {
      add(doc, job)
      others?.tell('job', doc, job.id)
    },
    progressOf: (id) => jobs.get(id)?.node?.find(id)?.progress,
    forget(id) {
      forgetJob(id)
      others?.tell('job-end', id)
    },
    forgetDocument(doc) {
      forgetDocument(doc)
      others?.tell('jobs-end', doc)
    },
    isConnected: (id) =>
      [...nodes].some((node) => node.token.id === id && node.isReady) || others?.offers().some((offer) => offer.id === id) === true,
    endNode(id) {
      endNode(id)
      others?.tell('node-end', id)
    },
    recover,
    stop() {
      stopping = true
      others?.stop()
      for (const open of jobs.values()) {
        stopWaiting(open)
        open.endWatch()
      }
      for (const node of nodes) node.close(relayCloseCodes.restarting, 'restarting')
    },
    terminateNodes() {
      for (const socket of left) socket.terminate()
    },
    counts() {
      const running = [...jobs.values()].filter(({ node }) => node !== undefined).length
      return { sockets, nodes: [...nodes].filter(({ isReady }) => isReady).length, queued: jobs.size - running, running, ...ended }
    }
  }
}

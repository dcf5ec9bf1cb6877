/**
 * The open jobs of the relay, and the compute nodes that work on them.
 *
 * The stored record of a job is authoritative (domain/media/media-jobs.ts). The relay only knows which jobs wait and which nodes work. A job goes to
 * a node of its account, or to a node that serves everyone. When a node disconnects with an unfinished job, the job immediately goes to another node.
 * If no other node can do the job, the job fails after 25 s. This is at most a minute after its node froze. After a restart, or when another node of
 * the service is silent, the relay reads the open jobs from the store. Each result is written with compare-and-set on the attempt, so that no job
 * ends twice. Any node of the service can end a job, so the relay watches the record of each job that it knows.
 */
import { limits } from '../../shared/limits.ts'
import type { JobKind } from '../../shared/media-jobs.ts'
import { decodeRecord, type Job, keys } from '../domain/records/keys.ts'
import { beginJob, discardResult, endJob, findLeftAttempt, type JobError, type Outcome, requeueJob } from '../domain/media/media-jobs.ts'
import type { Service } from '../domain/service.ts'
import type { Log } from '../log.ts'
import type { Attempt } from './attempt.ts'
import type { ComputeNode } from './compute-node.ts'
import type { OtherOffer } from './others.ts'
import { watchEnd } from './watch-end.ts'

/** A job that has not ended. */
interface OpenJob {
  readonly doc: string
  readonly id: string
  readonly account: string
  readonly kind: JobKind
  readonly voice: string | undefined
  /** The node that works on the job; undefined while the job waits. */
  node: ComputeNode | undefined
  /** Cancels the timer that ends a job while no connected node can do it. */
  cancelNodeless: (() => void) | undefined
  /** Cancels the timer that ends a job that has been in the queue for too long. */
  cancelQueue: (() => void) | undefined
  /** Ends the watch of the job's record. Another node may end the job. */
  endWatch: () => void
}

export interface JobQueueOptions {
  readonly service: () => Service
  readonly log: Log
  /** The compute nodes that are connected to this process. */
  readonly nodes: ReadonlySet<ComputeNode>
  /** Whether other nodes of the service use the store. They may end or begin a job. */
  readonly isShared: boolean
  /** Returns the compute nodes that can do an account's job and are connected to other nodes of the service. */
  readonly elsewhere: (account: string | null) => readonly OtherOffer[]
  /** Tells the other nodes of the service that a job waits. */
  readonly announce: (doc: string, id: string) => void
}

export interface JobQueue {
  /** Adds an open job, and assigns it to a compute node if one is free. */
  add(doc: string, job: Job): void
  /** Assigns waiting jobs to the compute nodes that are free. */
  assignNext(): void
  /** Puts the unfinished jobs of a compute node that disconnected back into the queue. */
  nodeGone(lost: readonly Attempt[]): void
  /** Tells the other nodes of the service about each waiting job that one of their compute nodes can do. */
  passOnAll(): void
  /** Takes a job that another node offers, if one of this node's compute nodes can do it. */
  takeOffered(doc: string, id: string): Promise<void>
  /** Takes the open jobs of the store that no node works on. */
  recover(): Promise<void>
  /** Drops a job that is no longer needed, and cancels its attempt. */
  forget(id: string): void
  forgetDocument(doc: string): void
  /** Returns the progress of a running job, from 0 to 1; undefined if it does not run on a compute node of this process. */
  progressOf(id: string): number | undefined
  /** Returns the number of an account's open jobs that this process knows, including the expected ones. */
  openJobs(account: string): number
  /** Counts a job that an account is about to submit. Returns a function that undoes this. */
  expect(account: string): () => void
  /** Stops all timers and watches. The jobs remain open in the store. */
  stop(): void
  counts(): JobCounts
}

export interface JobCounts {
  readonly queued: number
  readonly running: number
  /** Jobs that have ended successfully since the server started. `failed` counts the other ended jobs. */
  readonly done: number
  readonly failed: number
}

export const createJobQueue = ({ service, log, nodes, isShared, elsewhere, announce }: JobQueueOptions): JobQueue => {
  /** Open jobs in order of arrival. A job that lost its node keeps its place in the queue. */
  const jobs = new Map<string, OpenJob>()
  /**
   * The number of jobs that each account is about to submit. They count toward the limit. Otherwise, many simultaneous requests could pass the
   * limit together.
   */
  const coming = new Map<string, number>()
  /** The jobs whose end is being stored, by id. Each function cancels the pause before the next try. */
  const settling = new Map<string, () => void>()
  let stopping = false
  const ended = { done: 0, failed: 0 }

  const failed = (what: string, error: unknown): void => log.error(what, { error })

  const stopWaiting = (open: OpenJob): void => {
    open.cancelNodeless?.()
    open.cancelQueue?.()
    open.cancelNodeless = open.cancelQueue = undefined
  }

  const drop = (open: OpenJob): void => {
    stopWaiting(open)
    open.endWatch()
    jobs.delete(open.id)
  }

  /**
   * Stores the end of a job that the queue has dropped. Another node may have ended the job, or begun another attempt; then nothing changes. If the
   * store does not accept the end, tries again after longer and longer pauses. After the last try, the job waits for the next sweep, which starts it
   * again.
   */
  const storeEnd = (open: OpenJob, attempt: number | 'queued', outcome: Outcome, tries = 1): void => {
    settling.set(open.id, () => undefined)
    endJob(service(), open.doc, open.id, attempt, outcome).then(
      (isEnded) => {
        settling.delete(open.id)
        if (!isEnded) return
        ended['error' in outcome ? 'failed' : 'done'] += 1
        if ('error' in outcome) log.info('a media job failed', { job: open.id, kind: open.kind, code: outcome.error.code })
      },
      (error: unknown) => {
        if (stopping || tries >= limits.mediaEndTriesMax) {
          settling.delete(open.id)
          failed('the end of a job could not be stored', error)
          discardResult(service(), outcome).catch((reason: unknown) => failed('the result of a job could not be removed', reason))
          return
        }
        log.warn('the end of a job could not be stored yet', { job: open.id, error })
        const pause = limits.mediaEndPauseSeconds * 2 ** (tries - 1)
        settling.set(
          open.id,
          service().clock.after(pause * 1000, () => storeEnd(open, attempt, outcome, tries + 1))
        )
      }
    )
  }

  const giveUp = (open: OpenJob, error: JobError): void => {
    drop(open)
    // A compute node on another node may have begun the job, so only a queued job is ended.
    storeEnd(open, 'queued', { error })
  }

  const isOfferedElsewhere = ({ account, kind }: OpenJob): boolean => elsewhere(account).some(({ kinds }) => kinds.includes(kind))

  const canDo = (node: ComputeNode, { account, kind }: Pick<OpenJob, 'account' | 'kind'>): boolean => node.serves(account) && node.can(kind)

  /**
   * Returns a free node. Prefers nodes of the account to nodes that serve everyone. If any node has the requested voice, considers only nodes with
   * that voice.
   */
  const freeNodeFor = (open: OpenJob): ComputeNode | undefined => {
    const able = [...nodes].filter((node) => canDo(node, open))
    const speaking = able.filter(({ voices }) => open.voice !== undefined && voices.includes(open.voice))
    const free = (speaking.length > 0 ? speaking : able).filter((node) => node.isFree)
    return free.find((node) => node.token.account === open.account) ?? free[0]
  }

  /** Starts the timers of a waiting job. If a connected node can do the job, stops the timer that waits for such a node. */
  const watch = (open: OpenJob): void => {
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

  const begin = async (open: OpenJob, node: ComputeNode): Promise<void> => {
    const job = await beginJob(service(), open.doc, open.id).catch((error: unknown) => {
      // The job has since been deleted, so nobody needs its result.
      log.debug('a job could not begin', { job: open.id, error })
      return undefined
    })
    if (jobs.get(open.id) !== open) return
    if (job === undefined) return drop(open)
    if (!node.isReady) return putBack(open, job.attempt, false)
    node.assign(open.doc, job, (outcome) => {
      drop(open)
      storeEnd(open, job.attempt, outcome)
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
  const putBack = (open: OpenJob, attempt: number, lost: boolean): void => {
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

  /** Tells the other nodes about a waiting job if one of their compute nodes can do it. */
  const passOn = (open: OpenJob): void => {
    watch(open)
    if (isOfferedElsewhere(open)) announce(open.doc, open.id)
  }

  const takeOffered = async (doc: string, id: string): Promise<void> => {
    const entry = await service().storage.get(keys.job(doc, id))
    const job = entry && decodeRecord<Job>(entry.value)
    if (job?.status !== 'queued' || ![...nodes].some((node) => canDo(node, job))) return
    // The job may still be waiting here from an earlier offer.
    if (jobs.has(id)) assignNext()
    else add(doc, job)
  }

  const add = (doc: string, { id, account, kind, input }: Job): void => {
    if (stopping || jobs.has(id) || settling.has(id)) return
    const waiting = { node: undefined, cancelNodeless: undefined, cancelQueue: undefined, endWatch: () => undefined }
    const open: OpenJob = { doc, id, account, kind, voice: input.voice, ...waiting }
    jobs.set(id, open)
    if (isShared)
      open.endWatch = watchEnd(
        service(),
        open,
        () => jobs.get(id) === open && cancel(open),
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

  const forget = (id: string): void => {
    const open = jobs.get(id)
    if (open !== undefined) cancel(open)
  }

  const forgetDocument = (doc: string): void => {
    for (const open of jobs.values()) if (open.doc === doc) cancel(open)
  }

  const cancel = (open: OpenJob): void => {
    drop(open)
    const assignment = open.node?.find(open.id)
    if (assignment !== undefined) open.node?.cancel(assignment)
  }

  return {
    add,
    assignNext,
    nodeGone(lost) {
      for (const { job } of lost) {
        const open = jobs.get(job.id)
        if (open !== undefined) putBack(open, job.attempt, true)
      }
      for (const open of jobs.values()) if (open.node === undefined) watch(open)
    },
    passOnAll() {
      for (const open of jobs.values()) if (open.node === undefined) passOn(open)
    },
    takeOffered,
    recover,
    forget,
    forgetDocument,
    progressOf: (id) => jobs.get(id)?.node?.find(id)?.progress,
    openJobs: (account) => [...jobs.values()].filter((open) => open.account === account).length + (coming.get(account) ?? 0),
    expect(account) {
      coming.set(account, (coming.get(account) ?? 0) + 1)
      return () => {
        const left = (coming.get(account) ?? 0) - 1
        if (left > 0) coming.set(account, left)
        else coming.delete(account)
      }
    },
    stop() {
      stopping = true
      for (const cancelPause of settling.values()) cancelPause()
      for (const open of jobs.values()) {
        stopWaiting(open)
        open.endWatch()
      }
    },
    counts() {
      const running = [...jobs.values()].filter(({ node }) => node !== undefined).length
      return { queued: jobs.size - running, running, ...ended }
    }
  }
}

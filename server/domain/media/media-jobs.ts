/**
 * Media job records, and how they change: queued → running → done | failed | canceled.
 *
 * A job belongs to a document. The document contains the job record, and deleting the document deletes the job. The job also belongs to the account
 * that started it; only this account can read it. A node's result counts only for the current attempt, and only once. A running job returns to the
 * queue if its node disconnects or the service restarts. It fails after it has lost `limits.mediaLossesMax` nodes. The input file is removed when the
 * job ends. The job and its result are removed after `limits.mediaKeptHours`, unless the result became an asset.
 */
import { ServiceError } from '../../../shared/errors.ts'
import type { EventPayload } from '../../../shared/events.ts'
import { limits } from '../../../shared/limits.ts'
import type { JobInput, JobKind, JobResult } from '../../../shared/media-jobs.ts'
import { isLive } from '../rights/authority.ts'
import { decodeRecord, encodeRecord, type Job, type JobBlob, keys, type Share } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Key } from '../ports.ts'
import type { Service } from '../service.ts'
import { putAsset } from './assets.ts'
import { isGone } from '../documents/deleted.ts'

/** The reason why a job failed, for its record and its event. */
export interface JobError {
  readonly code:
    | 'bad_input'
    | 'engine_failed'
    | 'engine_unavailable'
    | 'timed_out'
    | 'node_offline'
    | 'node_lost'
    | 'result_refused'
    | 'asset_quota_exceeded'
    | 'access_ended'
  readonly message: string
}

/** The way in which a job ended. */
export type Outcome =
  | { readonly result: JobResult; readonly file: JobBlob | null }
  | { readonly error: JobError }
  | { readonly canceled: true }

export const isOpen = ({ status }: Job): boolean => status === 'queued' || status === 'running'

const putJob = (tx: Transaction, job: Job): void => tx.put(keys.job(tx.head.id, job.id), encodeRecord(job))

const changeJob = <T>(
  service: Service,
  doc: string,
  id: string,
  change: (tx: Transaction, job: Job) => T,
  reads: readonly Key[] = []
): Promise<T | undefined> => {
  const key = keys.job(doc, id)
  return service.ledger.write(
    doc,
    'system',
    (tx) => {
      const job = tx.read<Job>(key)
      return job === undefined ? undefined : change(tx, job)
    },
    { reads: [key, ...reads] }
  )
}

/** Stores a new job and the record of its blob. */
export const putNewJob = (tx: Transaction, job: Job): void => {
  const { id: doc } = tx.head
  putJob(tx, job)
  tx.put(keys.openJob(job.id), encodeRecord(doc))
  tx.put(keys.accountJob(job.account, job.id), encodeRecord(doc))
  if (job.file !== null) tx.put(keys.jobBlob(job.file.name), encodeRecord(doc))
}

/** Begins the next attempt of a queued job. Returns undefined if the job is no longer queued. */
export const beginJob = (service: Service, doc: string, id: string): Promise<Job | undefined> =>
  changeJob(service, doc, id, (tx, job) => {
    if (job.status !== 'queued') return undefined
    const { nodes } = service.storage
    const running: Job = { ...job, status: 'running', attempt: job.attempt + 1, ...(nodes && { runner: nodes.id }) }
    putJob(tx, running)
    return running
  })

/**
 * Returns the current attempt of an open job that no other node works on; undefined if the job has ended. A node works on a job only while it is
 * connected to the store.
 */
export const findLeftAttempt = async ({ storage }: Service, doc: string, id: string): Promise<number | undefined> => {
  const { nodes } = storage
  const entry = await storage.get(keys.job(doc, id))
  const job = entry && decodeRecord<Job>(entry.value)
  if (job === undefined || !isOpen(job)) return undefined
  if (nodes === undefined || job.status !== 'running' || job.runner === undefined || job.runner === nodes.id) return job.attempt
  return (await nodes.isAlive(job.runner)) ? undefined : job.attempt
}

/**
 * Puts a running attempt back into the queue because its node is gone (`lost`) or the service restarted. Returns undefined if the job has ended, if
 * another attempt has begun, or if the job fails because it has lost `limits.mediaLossesMax` nodes.
 */
export const requeueJob = async (service: Service, doc: string, id: string, attempt: number, lost: boolean): Promise<Job | undefined> => {
  const job = await changeJob(service, doc, id, (tx, found) => {
    // Several nodes may notice that a node has ended, and one of them may already have begun the next attempt.
    if (found.attempt !== attempt) return undefined
    if (found.status !== 'running') return found.status === 'queued' ? found : undefined
    const queued: Job = { ...found, status: 'queued', losses: found.losses + (lost ? 1 : 0) }
    putJob(tx, queued)
    return queued
  })
  if (job === undefined || job.losses <= limits.mediaLossesMax) return job
  const message = `${job.losses} compute nodes disconnected while they worked on this.`
  await endJob(service, doc, id, job.attempt, { error: { code: 'node_lost', message } })
  return undefined
}

const eventOf = (job: Job): EventPayload<'media.done'> => ({
  jobId: job.id,
  kind: job.kind,
  ...(job.error === null ? {} : { error: job.error.code }),
  ...(job.asset === null ? {} : { assetId: job.asset })
})

/** Returns the name of the result file: the beginning of the text in the request. */
export const resultName = (kind: JobKind, { prompt = '', text = '' }: JobInput): string =>
  kind === 'image' ? prompt.slice(0, limits.titleUnitsMax) : text.replaceAll(/\s+/g, ' ').trim().slice(0, 80)

/**
 * Records the end of an open job. A picture, or speech that the caller wants to save, becomes an asset in the same commit. Throws
 * `asset_quota_exceeded`.
 */
const putEnd = (service: Service, tx: Transaction, job: Job, outcome: Outcome): Job => {
  const { id: doc } = tx.head
  const ended = { ...job, file: null, endedAt: tx.now }
  let next: Job
  if ('result' in outcome) {
    const becomesAsset = job.saves && outcome.file !== null
    next = { ...ended, status: 'done', result: outcome.result, resultFile: outcome.file, asset: becomesAsset ? outcome.file.name : null }
    if (becomesAsset) putAsset(service, tx, outcome.file, resultName(job.kind, job.input), job.actor)
    else if (outcome.file !== null) tx.put(keys.jobBlob(outcome.file.name), encodeRecord(doc))
  } else next = 'error' in outcome ? { ...ended, status: 'failed', error: outcome.error } : { ...ended, status: 'canceled' }
  putJob(tx, next)
  tx.delete(keys.openJob(job.id))
  tx.put(keys.endedJob(tx.now, job.id), encodeRecord(doc))
  if (job.file !== null) tx.delete(keys.jobBlob(job.file.name))
  if (next.status !== 'canceled') tx.event(next.status === 'done' ? 'media.done' : 'media.failed', job.actor, eventOf(next))
  return next
}

const accessEnded: Outcome = {
  error: { code: 'access_ended', message: 'The link that started this job was revoked or has expired.' }
}

/** Returns the link through which a job was started, if there is one. */
const linkOf = async ({ storage }: Service, doc: string, id: string): Promise<Key | undefined> => {
  const entry = await storage.get(keys.job(doc, id))
  const share = entry && decodeRecord<Job>(entry.value).share
  return share == null ? undefined : keys.share(doc, share)
}

/**
 * Ends a job once. Resolves to true if this call ended the job. A result is refused, and its blob removed, if it comes from another attempt, if the
 * job already ended, or if the document was deleted. The same applies if the link that started the job is no longer valid. If `attempt` is null, any
 * attempt matches; if it is `queued`, only a job that waits. Throws `storage_*` if the end could not be stored. The blob then stays, so that the caller
 * can try again; a caller that gives up calls `discardResult`.
 */
export const endJob = async (
  service: Service,
  doc: string,
  id: string,
  attempt: number | 'queued' | null,
  outcome: Outcome
): Promise<boolean> => {
  const file = fileOf(outcome)
  let ended: Job | undefined
  let kept = 'result' in outcome
  const link = await linkOf(service, doc, id)
  const end = (how: Outcome): Promise<Job | undefined> =>
    changeJob(
      service,
      doc,
      id,
      (tx, job) => {
        // An earlier call may have stored this result although its commit seemed to fail.
        if (file !== null && job.resultFile?.name === file.name) return job
        const isMeant = attempt === null || (attempt === 'queued' ? job.status === 'queued' : job.attempt === attempt)
        if (!isOpen(job) || !isMeant) return undefined
        const barred = 'result' in how && link !== undefined && !isLive(tx.read<Share>(link), tx.now)
        if (barred) kept = false
        putEnd(service, tx, job, barred ? accessEnded : how)
        return job
      },
      link === undefined ? [] : [link]
    )
  try {
    ended = await end(outcome).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'asset_quota_exceeded') throw error
      kept = false
      return end({ error: { code: 'asset_quota_exceeded', message: error.message } })
    })
  } catch (error) {
    if (!isGone(error)) throw error
  }
  if (!kept || ended === undefined) await discardResult(service, outcome)
  if (ended?.file != null) await service.blobs.delete(ended.file.name)
  return ended !== undefined
}

const fileOf = (outcome: Outcome): JobBlob | null => ('result' in outcome ? outcome.file : null)

/** Removes the blob of a result that no job needs. */
export const discardResult = async ({ blobs }: Service, outcome: Outcome): Promise<void> => {
  const file = fileOf(outcome)
  if (file !== null) await blobs.delete(file.name)
}

/** Returns the blobs of a job that are not assets. */
const blobsOf = ({ file, resultFile, asset }: Job): string[] =>
  [file?.name, asset === null ? resultFile?.name : undefined].filter((name) => name !== undefined)

const deleteJob = (tx: Transaction, job: Job): void => {
  tx.erase()
  tx.delete(keys.job(tx.head.id, job.id))
  tx.delete(keys.openJob(job.id))
  tx.delete(keys.accountJob(job.account, job.id))
  if (job.endedAt !== null) tx.delete(keys.endedJob(job.endedAt, job.id))
  for (const name of blobsOf(job)) tx.delete(keys.jobBlob(name))
}

/** Removes a job with its blobs. If the process crashes in between, the next start removes the blobs that have no record. */
const removeJob = async (service: Service, doc: string, id: string): Promise<void> => {
  const key = keys.job(doc, id)
  const remove = (tx: Transaction): Job | undefined => {
    const job = tx.read<Job>(key)
    if (job !== undefined) deleteJob(tx, job)
    return job
  }
  const job = await service.ledger.write(doc, 'system', remove, { reads: [key], afterDeletion: true })
  for (const name of job === undefined ? [] : blobsOf(job)) await service.blobs.delete(name)
}

/** Removes the jobs of a deleted document. */
export const scrubJobs = async (service: Service, doc: string): Promise<void> => {
  service.relay.forgetDocument(doc)
  for (;;) {
    const entries = await service.storage.list(keys.jobs(doc), { limit: limits.listMax })
    if (entries.length === 0) return
    for (const { value } of entries) await removeJob(service, doc, decodeRecord<Job>(value).id)
  }
}

/** Removes the oldest ended jobs of an account, to make room for another job. */
export const makeRoom = async (service: Service, account: string): Promise<void> => {
  const entries = await service.storage.list(keys.accountJobs(account), { limit: limits.listMax })
  if (entries.length < limits.mediaKeptJobsMax) return
  const found = await Promise.all(
    entries.map(async ({ key, value }) => {
      const doc = decodeRecord<string>(value)
      const entry = await service.storage.get(keys.job(doc, String(key.at(-1))))
      return { doc, job: entry && decodeRecord<Job>(entry.value) }
    })
  )
  const ended = found
    .flatMap(({ doc, job }) => (job === undefined || job.endedAt === null ? [] : [{ doc, id: job.id, endedAt: job.endedAt }]))
    .toSorted((one, other) => one.endedAt - other.endedAt)
  for (const { doc, id } of ended.slice(0, entries.length - limits.mediaKeptJobsMax + 1)) await removeJob(service, doc, id)
}

/** Removes jobs whose time to be kept after their end is over. */
export const sweepJobs = async (service: Service): Promise<void> => {
  const before = service.clock.now() - limits.mediaKeptHours * 3600 * 1000
  const due = await service.storage.list(keys.endedJobs(), { before, limit: limits.sweepRecordsMax })
  for (const { key, value } of due) {
    await removeJob(service, decodeRecord<string>(value), String(key.at(-1)))
    await service.storage.commit({ deletes: [key] })
  }
}

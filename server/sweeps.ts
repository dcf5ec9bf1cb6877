/** Work that the server repeats: it removes expired records, old versions, and all remains of deletions. */
import { limits } from '../shared/limits.ts'
import { finishAccountEnds } from './domain/accounts/account-end.ts'
import { finishDeletions, type OnFailure } from './domain/documents/trash.ts'
import { removeStrayBlobs } from './domain/media/assets.ts'
import { sweepJobs } from './domain/media/media-jobs.ts'
import { sweepAudit } from './domain/records/audit.ts'
import { claimSweep } from './domain/records/claims.ts'
import { sweep } from './domain/records/expiry.ts'
import type { Service } from './domain/service.ts'
import { createHistorySweep } from './domain/text/retention.ts'
import type { Log } from './log.ts'

const notErased =
  (log: Log): OnFailure =>
  (doc, error) =>
    log.error('a deleted document could not be erased; the server will try again', { doc, error })

const notEnded =
  (log: Log) =>
  (account: string, error: unknown): void =>
    log.error('a deleted account could not be removed; the server will try again', { account, error })

/** Finishes deletions of documents and accounts that were interrupted when the server stopped. */
export const finishEnds = async (service: Service, log: Log): Promise<void> => {
  await finishDeletions(service, notErased(log))
  await finishAccountEnds(service, notEnded(log))
}

/** Sweeps records that no longer matter. Only one node at a time does this. */
const sweepRecords = async (service: Service, log: Log, removeOld: () => Promise<void>): Promise<void> => {
  const tried = (work: Promise<void>, failure: string): Promise<void> => work.catch((error: unknown) => log.warn(failure, { error }))
  // A node that is late keeps its claim for one more round.
  if (!(await claimSweep(service, 'sweep', 2 * limits.sweepMinutes * 60))) return
  await Promise.all([
    tried(sweep(service), 'the sweep of expired records failed'),
    tried(sweepAudit(service), 'the sweep of the audit log failed'),
    tried(finishDeletions(service, notErased(log)), 'deletions could not be finished'),
    tried(finishAccountEnds(service, notEnded(log)), 'deletions of accounts could not be finished'),
    tried(sweepJobs(service), 'the sweep of media jobs failed'),
    tried(removeOld(), 'old versions could not be removed')
  ])
}

/** Removes expired and erased records when the server starts, and then every few minutes. Returns a function that stops the sweeps. */
export const sweepNowAndThen = (service: Service, log: Log): (() => void) => {
  let stopped = false
  const sweepHistory = createHistorySweep(service, () => stopped)
  const removeOld = async (): Promise<void> => {
    const { documents, revisions } = await sweepHistory()
    if (documents > 0) log.info('removed old versions', { documents, revisions })
  }
  let cancel = (): void => undefined
  const again = (): void => {
    const works = [
      sweepRecords(service, log, removeOld).catch((error: unknown) => log.warn('the sweeps could not be claimed', { error })),
      service.relay.recover().catch((error: unknown) => log.warn('open media jobs could not be read', { error }))
    ]
    // Only one sweep runs at a time, no matter how long it takes.
    void Promise.all(works).then(() => {
      if (!stopped) cancel = service.clock.after(limits.sweepMinutes * 60_000, again)
    })
  }
  again()
  return () => {
    stopped = true
    cancel()
  }
}

/** Removes the blobs that have no record, unless another node may be about to write the record. */
export const removeStrays = async (service: Service): Promise<void> => {
  const { nodes } = service.storage
  if (nodes === undefined || (await nodes.count()) === 1) await removeStrayBlobs(service)
}

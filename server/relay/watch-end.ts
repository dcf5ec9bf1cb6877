/** Watches the store to find out that a job has ended. Any node can end a job. */
import { isOpen } from '../domain/media/media-jobs.ts'
import { decodeRecord, type Job, keys } from '../domain/records/keys.ts'
import type { Service } from '../domain/service.ts'

/** Calls `onEnd` when the record of a job is gone or no longer open, and `onProblem` if it cannot be read. Returns a function that ends the watch. */
export const watchEnd = (
  { storage }: Service,
  { doc, id }: { readonly doc: string; readonly id: string },
  onEnd: () => void,
  onProblem: (error: unknown) => void
): (() => void) => {
  const key = keys.job(doc, id)
  const look = async (): Promise<void> => {
    const entry = await storage.get(key)
    if (entry === undefined || !isOpen(decodeRecord<Job>(entry.value))) onEnd()
  }
  const wake = (): void => void look().catch(onProblem)
  const stop = storage.watch(key, wake)
  // The job may have ended before the watch began.
  wake()
  return stop
}

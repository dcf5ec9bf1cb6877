/** The other end of a lane: a module that is a thread calls this once. */
import { parentPort } from 'node:worker_threads'
import { ServiceError } from '../../shared/errors.ts'
import type { Reply } from './lane.ts'

const replyTo = <Job, Answer>(run: (job: Job) => Answer, job: Job): Reply<Answer> => {
  try {
    return { kind: 'done', answer: run(job) }
  } catch (error) {
    // Anything else ends the thread: the job has failed, and its leftovers end with the thread.
    if (!(error instanceof ServiceError)) throw error
    return { kind: 'refused', code: error.code, details: error.details }
  }
}

/** Answers jobs one by one. */
export const serve = <Job, Answer>(run: (job: Job) => Answer): void => {
  const port = parentPort
  port?.on('message', (job: Job) => port.postMessage(replyTo(run, job)))
  // The starter of the thread waits for this before the first job.
  port?.postMessage('ready')
}

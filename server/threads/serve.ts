/** The thread's side of a lane. A module that runs as a thread calls `serve` once. */
import { parentPort } from 'node:worker_threads'
import { ServiceError } from '../../shared/errors.ts'
import type { Reply } from './lane.ts'

const replyTo = <Job, Answer>(run: (job: Job) => Answer, job: Job): Reply<Answer> => {
  try {
    return { kind: 'done', answer: run(job) }
  } catch (error) {
    // Any other error ends the thread: the job has failed, and the memory that it used is freed together with the thread.
    if (!(error instanceof ServiceError)) throw error
    return { kind: 'refused', code: error.code, details: error.details }
  }
}

/** Runs jobs one at a time. */
export const serve = <Job, Answer>(run: (job: Job) => Answer): void => {
  const port = parentPort
  port?.on('message', (job: Job) => port.postMessage(replyTo(run, job)))
  // The lane waits for this message before it sends the first job.
  port?.postMessage('ready')
}

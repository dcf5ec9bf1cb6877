// oxlint-disable-next-line import/default -- the build makes it
import workerUrl from './compare-worker.ts?worker&url'
import { trustedScript } from '../base/trusted-script.ts'
import type { Comparison } from './rows.ts'

/** Compares two texts in a worker. Aborting ends the worker, and the promise then never settles. Rejects if the worker cannot run. */
export const compareTexts = (before: string, after: string, signal: AbortSignal): Promise<Comparison> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(trustedScript(workerUrl) as string, { type: 'module' })
    const end = (): void => worker.terminate()
    signal.addEventListener('abort', end, { once: true })
    worker.addEventListener('message', ({ data }: MessageEvent<Comparison>) => {
      end()
      resolve(data)
    })
    worker.addEventListener('error', () => {
      end()
      reject(new Error('the texts could not be compared'))
    })
    worker.postMessage({ before, after })
  })

/** Where a text is rendered: at once when it is small, in a worker thread with a time limit when it is large. */
import { Worker } from 'node:worker_threads'
import type { Rendered } from '../../../shared/markdown/render.ts'
import { limits } from '../../../shared/limits.ts'
import { createPageRenderer } from './renderer.ts'

/** Rendering took too long; the page shows the source instead. */
export class RenderingTooSlow extends Error {}

const inThread = (source: string, baseUrl: string): Promise<Rendered> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: { source, baseUrl } })
    const timer = setTimeout(() => {
      reject(new RenderingTooSlow())
      void worker.terminate()
    }, limits.renderSecondsMax * 1000)
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => {
      clearTimeout(timer)
      reject(new RenderingTooSlow())
    })
  })

export type Render = (source: string) => Promise<Rendered>

/** Renders texts; one large text at a time, so that many cannot take all cores. Errors: `RenderingTooSlow`. */
export const createRender = (baseUrl: string): Render => {
  const here = createPageRenderer((href) => href.startsWith(`${baseUrl}/`) || href.startsWith('/'))
  let large: Promise<unknown> = Promise.resolve()
  return (source) => {
    if (source.length <= limits.renderInlineUnitsMax) return Promise.resolve(here.render(source))
    const mine = large.then(() => inThread(source, baseUrl))
    large = mine.catch(() => undefined)
    return mine
  }
}

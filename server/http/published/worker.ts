/** Renders texts in a thread of its own, one by one, so that a large or hostile one holds nobody else up. */
import { parentPort } from 'node:worker_threads'
import { isOwnLink } from '../../../shared/markdown/links.ts'
import type { Rendered } from '../../../shared/markdown/render.ts'
import { limits } from '../../../shared/limits.ts'
import { createPageRenderer } from './renderer.ts'

export interface Job {
  readonly source: string
  /** Links that begin with it stay on the service. */
  readonly baseUrl: string
}

export interface Answer {
  /** Undefined when it became too large. */
  readonly rendered?: Rendered
}

const port = parentPort
port?.on('message', ({ source, baseUrl }: Job) => {
  const rendered = createPageRenderer((href) => isOwnLink(href, baseUrl)).render(source)
  const answer: Answer = rendered.html.length > limits.renderedUnitsMax ? {} : { rendered }
  port.postMessage(answer)
})
// Whoever started the thread waits for this before the first text.
port?.postMessage('ready')

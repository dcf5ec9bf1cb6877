/** Renders one text in a thread of its own, so that a large or hostile one holds nobody else up. */
import { parentPort, workerData } from 'node:worker_threads'
import { createPageRenderer } from './renderer.ts'

const { source, baseUrl } = workerData as { readonly source: string; readonly baseUrl: string }
parentPort?.postMessage(createPageRenderer((href) => href.startsWith(`${baseUrl}/`) || href.startsWith('/')).render(source))

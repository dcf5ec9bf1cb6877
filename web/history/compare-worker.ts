/// <reference lib="webworker" />
/** Compares two texts in a worker, so that the page stays responsive. */
import { compare } from './rows.ts'

addEventListener('message', ({ data }: MessageEvent<{ before: string; after: string }>) => {
  postMessage(compare(data.before, data.after))
})

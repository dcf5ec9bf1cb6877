/// <reference lib="webworker" />
/** Compares two texts next to the page, which stays awake meanwhile. */
import { compare } from './rows.ts'

addEventListener('message', ({ data }: MessageEvent<{ before: string; after: string }>) => {
  postMessage(compare(data.before, data.after))
})

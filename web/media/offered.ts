/** The media jobs that compute nodes currently offer to this person. Requested once per page, when a menu with such jobs is first opened. */
import { signal } from '@preact/signals'
import type { JobKind } from '../../shared/media-jobs.ts'
import { askWho, signedIn } from '../client/signed-in.ts'
import { readOffer } from './requests.ts'

/** Empty until known. */
const offered = signal<readonly string[]>([])

let isAsked = false

async function ask(): Promise<void> {
  await askWho()
  if (signedIn.peek() !== true) return
  const { nodes, capabilities } = await readOffer()
  offered.value = nodes > 0 ? capabilities : []
}

/** Whether a node does jobs of a kind. */
export function isOffered(kind: JobKind): boolean {
  if (!isAsked) {
    isAsked = true
    // Without an answer nothing is offered; the next menu asks again.
    ask().catch(() => (isAsked = false))
  }
  return offered.peek().includes(kind)
}

/** Calls a listener when the answer has arrived. Returns a function that removes it. */
export function onOffer(listener: () => void): () => void {
  const before = offered.peek()
  return offered.subscribe((now) => {
    if (now !== before) listener()
  })
}

/** The kinds of media jobs that compute nodes currently offer this person. The page asks once, when a menu with such jobs is first opened. */
import { signal } from '@preact/signals'
import type { JobKind } from '../../shared/media-jobs.ts'
import { askWho, signedIn } from '../client/signed-in.ts'
import { readOffer } from './requests.ts'

/** The kinds of jobs. Empty until the service has responded. */
const offered = signal<readonly string[]>([])

let isAsked = false

async function ask(): Promise<void> {
  await askWho()
  if (signedIn.peek() !== true) return
  const { nodes, capabilities } = await readOffer()
  offered.value = nodes > 0 ? capabilities : []
}

/** Whether a compute node offers jobs of the given kind. */
export function isOffered(kind: JobKind): boolean {
  if (!isAsked) {
    isAsked = true
    // Without a response, no job is offered, and the next menu asks again.
    ask().catch(() => (isAsked = false))
  }
  return offered.peek().includes(kind)
}

/** Calls a listener when the service has responded. Returns a function that removes the listener. */
export function onOffer(listener: () => void): () => void {
  const before = offered.peek()
  return offered.subscribe((now) => {
    if (now !== before) listener()
  })
}

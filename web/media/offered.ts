/** Which media jobs compute nodes do for this person at the moment. Asked for once a page, when somebody first looks at a menu that has some. */
import { signal } from '@preact/signals'
import type { JobKind } from '../../shared/media-jobs.ts'
import { askWho, signedIn } from '../client/signed-in.ts'
import { readOffer } from './requests.ts'

/** Empty until it is known. */
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

/** Has a listener called when the answer is here. Answers with what ends that. */
export function onOffer(listener: () => void): () => void {
  const before = offered.peek()
  return offered.subscribe((now) => {
    if (now !== before) listener()
  })
}

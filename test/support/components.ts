/** Components for tests of their sessions: a fence of some lines, and keys. */
import type { Key } from '../../shared/components/key.ts'
import { type Fence, fencesOf } from '../../shared/fences/fences.ts'

/** The first fence of a text. */
export function fenceOf(text: string): Fence {
  const [fence] = fencesOf(text)
  if (fence === undefined) throw new Error('there is no component')
  return fence
}

export const fenceIn = (kind: string, ...lines: readonly string[]): Fence => fenceOf(`\`\`\`${kind}\n${lines.join('\n')}\n\`\`\`\n`)

/** A key with no other key held. */
export const plainKey: Key = { key: '', shiftKey: false, altKey: false, ctrlKey: false, metaKey: false }

/** Fences and keys for tests of component sessions. */
import type { Key } from '../../shared/components/key.ts'
import { type Fence, fencesOf } from '../../shared/fences/fences.ts'

/** Returns the first fence of the text. */
export function fenceOf(text: string): Fence {
  const [fence] = fencesOf(text)
  if (fence === undefined) throw new Error('there is no component')
  return fence
}

export const fenceIn = (kind: string, ...lines: readonly string[]): Fence => fenceOf(`\`\`\`${kind}\n${lines.join('\n')}\n\`\`\`\n`)

/** A key press without modifier keys. */
export const plainKey: Key = { key: '', shiftKey: false, altKey: false, ctrlKey: false, metaKey: false }

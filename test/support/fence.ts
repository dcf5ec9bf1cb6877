/** Fences for tests of the parsers. */
import { type Fence, findFence } from '../../shared/fences/fences.ts'

/** Returns the only fence of the text. Throws if it is not a component. */
export const fenceOf = (info: string, source: string): Fence => {
  const fence = findFence(info, source)
  if (fence === undefined) throw new Error(`${info} is no component`)
  return fence
}

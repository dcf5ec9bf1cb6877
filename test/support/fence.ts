/** Fences for tests of the parsers. */
import { type Fence, findFence } from '../../shared/fences/fences.ts'

/** A fence that stands alone. Errors: throws for one that is no component. */
export const fenceOf = (info: string, source: string): Fence => {
  const fence = findFence(info, source)
  if (fence === undefined) throw new Error(`${info} is no component`)
  return fence
}

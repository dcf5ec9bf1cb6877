/** Updates a rendered document on the page block by block. Unchanged blocks keep their scroll position, focus and playing media. */
import { nodesOf } from '../markdown/trusted.ts'

/** Returns a key that is equal for blocks that have not changed. */
export const keyOf = (node: ChildNode): string => (node instanceof Element ? node.outerHTML : (node.textContent ?? ''))

/** Returns the number of equal entries at the beginning of two lists. */
function sameFrom(before: readonly string[], after: readonly string[]): number {
  const most = Math.min(before.length, after.length)
  let count = 0
  while (count < most && before[count] === after[count]) count++
  return count
}

export interface Blocks {
  /** Shows HTML produced by the rendering pipeline. */
  show(html: string): void
}

export interface BlocksInput {
  readonly key?: (node: ChildNode) => string
  /** Called with each new block before it becomes part of the page. */
  readonly prepare?: (node: ChildNode) => void
}

export function createBlocks(parent: Element, { key = keyOf, prepare }: BlocksInput = {}): Blocks {
  let keys: readonly string[] = []
  return {
    show(html) {
      const fresh = nodesOf(html)
      const next = fresh.map(key)
      const head = sameFrom(keys, next)
      const tail = sameFrom(keys.slice(head).toReversed(), next.slice(head).toReversed())
      const present = [...parent.childNodes]
      const old = present.slice(head, keys.length - tail)
      const below = present[keys.length - tail] ?? null
      for (const node of fresh.slice(head, next.length - tail)) {
        prepare?.(node)
        parent.insertBefore(node, below)
      }
      for (const node of old) node.remove()
      keys = next
    }
  }
}

/** Notifies watchers of commits whose keys begin with a given prefix. All stores use this code. */
import type { Key, KeyPart } from '../domain/ports.ts'

type Wake = (keys: readonly Key[], isForeign: boolean) => void

type Watch = { readonly wake: Wake }

interface Node {
  readonly below: Map<KeyPart, Node>
  /** Each call of `watch` creates an object, so that the same function may watch twice. */
  readonly watches: Set<Watch>
}

export interface Watchers {
  /** See `Storage.watch`. */
  readonly watch: (prefix: Key, wake: Wake) => () => void
  /**
   * Wakes everyone who watches a prefix of one of these keys, each in a separate microtask, and passes the keys below that prefix. `isForeign` is true if
   * another node wrote them.
   */
  readonly notify: (keys: readonly Key[], isForeign?: boolean) => void
  /** Wakes everyone and passes no keys, because any key may have been touched. */
  readonly notifyAll: () => void
}

/** Creates the watchers. Prefixes form a tree, so the cost of a commit does not grow with the number of watchers on other prefixes. */
export function createWatchers(): Watchers {
  const root = createNode()
  return {
    watch(prefix, wake) {
      const watch = { wake }
      nodesOf(root, prefix).at(-1)!.watches.add(watch)
      return () => remove(root, prefix, watch)
    },
    notify(keys, isForeign = false) {
      // An error in `wake` is a bug in the code that watches. In a separate microtask, the error affects neither other calls nor the commit.
      for (const [{ wake }, touched] of touchedWatches(root, keys)) queueMicrotask(() => wake(touched, isForeign))
    },
    notifyAll() {
      for (const { wake } of allWatches(root)) queueMicrotask(() => wake([], true))
    }
  }
}

const createNode = (): Node => ({ below: new Map(), watches: new Set() })

/** Returns the nodes from the root to `prefix`, and creates the missing ones. */
function nodesOf(root: Node, prefix: Key): Node[] {
  const nodes = [root]
  for (const part of prefix) {
    const { below } = nodes.at(-1)!
    if (!below.has(part)) below.set(part, createNode())
    nodes.push(below.get(part)!)
  }
  return nodes
}

function remove(root: Node, prefix: Key, watch: Watch): void {
  const nodes = nodesOf(root, prefix)
  nodes.at(-1)!.watches.delete(watch)
  for (let depth = prefix.length; depth > 0; depth--) {
    const node = nodes[depth]!
    if (node.watches.size > 0 || node.below.size > 0) return
    nodes[depth - 1]!.below.delete(prefix[depth - 1]!)
  }
}

function touchedWatches(root: Node, keys: readonly Key[]) {
  const touched = new Map<Watch, Key[]>()
  for (const key of keys) {
    let node: Node | undefined = root
    for (let depth = 0; node; depth++) {
      for (const watch of node.watches) {
        const list = touched.get(watch)
        if (list) list.push(key)
        else touched.set(watch, [key])
      }
      node = depth < key.length ? node.below.get(key[depth]!) : undefined
    }
  }
  return touched
}

function* allWatches({ watches, below }: Node): Generator<Watch> {
  yield* watches
  for (const node of below.values()) yield* allWatches(node)
}

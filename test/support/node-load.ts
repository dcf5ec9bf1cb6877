/** People and agents who write on two nodes in this process, and a check that nothing was lost or duplicated afterward. */
import { expect } from 'vitest'
import { createLoad } from './load.ts'
import { countAllTokens, wrongTokens } from './tokens.ts'
import { createDocument, readMarkdown, type Target, TokenLedger, type Typist } from './typist.ts'
import type { World } from './world.ts'

/** How long the nodes may take until all edits are acknowledged after a fault has ended, in seconds. */
const healSeconds = 5

export interface NodeLoad {
  readonly targets: readonly Target[]
  /**
   * Lets everybody write while `fault` happens. Then all edits must soon be acknowledged, exactly once in the text, and the same on both nodes. Resolves
   * to the codes with which sockets were closed.
   */
  during(fault: (typists: readonly Typist[]) => Promise<void>): Promise<number[]>
}

/** Creates two documents on which the load works. A failure names the seed. */
export const createNodeLoad = async (
  worlds: readonly [World, World],
  random: (below: number) => number,
  seed: number
): Promise<NodeLoad> => {
  const ledger = new TokenLedger()
  const targets = [await createDocument(worlds[0].listening, '# One\n'), await createDocument(worlds[1].listening, '# Two\n')]
  const on = (target: Target | undefined, n: number): Target => ({ ...(target as Target), url: worlds[n === 0 ? 0 : 1].listening })
  const underLoad = createLoad({
    targetOfPerson: (n) => on(targets[n % 2], Math.floor(n / 2) % 2),
    targetsOfAgents: () => targets.map((target) => (turn) => on(target, turn % 2)),
    random,
    ledger
  })
  return {
    targets,
    async during(fault) {
      const typists = await underLoad(fault)
      await Promise.all(typists.map((typist) => typist.whenSettled(healSeconds)))
      const typed = [...ledger.made].filter((token) => token.startsWith('⟦c'))
      const counts = await countAllTokens(targets.map((target) => on(target, 0)))
      expect(wrongTokens(new Set([...typed, ...ledger.acknowledged]), counts), `seed ${seed}`).toEqual({ lost: [], twice: [] })
      for (const target of targets) expect(await readMarkdown(on(target, 1)), `seed ${seed}`).toEqual(await readMarkdown(on(target, 0)))
      const closes = typists.flatMap((typist) => typist.closes)
      for (const typist of typists) typist.destroy()
      return closes
    }
  }
}

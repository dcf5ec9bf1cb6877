/** Several nodes in this process, on one schema of the PostgreSQL that the tests share. */
import { freshSchema, sharedCluster, type Cluster } from './postgres.ts'
import type { Clock } from '../../server/domain/ports.ts'
import { startWorld, type World } from './world.ts'

export interface NodeWorlds {
  readonly cluster: Cluster
  /** The environment of another node. */
  readonly env: { readonly AGMD_STORAGE: string }
  readonly worlds: World[]
  stop(): Promise<void>
}

/** Starts nodes, with the clocks if they are given. The first node owns the folder and the secret, which the others share. */
export const startNodeWorlds = async (count: number, clocks: readonly Clock[] = []): Promise<NodeWorlds> => {
  const clockOf = (n: number) => ({ ...(clocks[n] !== undefined && { clock: clocks[n] }) })
  const cluster = await sharedCluster()
  const schema = freshSchema()
  const env = { AGMD_STORAGE: cluster.address(schema) }
  const first = await startWorld({ env, ...clockOf(0) })
  const worlds = [first]
  while (worlds.length < count) worlds.push(await startWorld({ env, besides: first, ...clockOf(worlds.length) }))
  return {
    cluster,
    env,
    worlds,
    async stop() {
      for (const world of worlds.toReversed()) await world.stop()
      await cluster.sql(`drop schema if exists ${schema} cascade`)
    }
  }
}

/** Claims to work that must run only once although several nodes could do it. A claim is a record in the store that expires. */
import type { Service } from '../service.ts'
import { decodeRecord, encodeRecord, keys } from './keys.ts'

interface Claim {
  /** The node that does the work. */
  readonly node: string
  /** Until when the other nodes leave the work to this node, in milliseconds since 1970. */
  readonly until: number
}

/**
 * Claims a sweep for this node for some seconds. The node that has the claim can renew it at any time. Returns false if another node has it. Without
 * other nodes, there is nothing to claim, and the result is true. Two nodes whose clocks differ by more than `seconds` may both sweep.
 */
export const claimSweep = async (
  { storage, clock }: Pick<Service, 'storage' | 'clock'>,
  name: string,
  seconds: number
): Promise<boolean> => {
  if (storage.nodes === undefined) return true
  const key = keys.claim(name)
  const now = clock.now()
  const entry = await storage.get(key)
  const held = entry && decodeRecord<Claim>(entry.value)
  if (held !== undefined && held.node !== storage.nodes.id && held.until > now && (await storage.nodes.isAlive(held.node))) return false
  const claim: Claim = { node: storage.nodes.id, until: now + seconds * 1000 }
  return storage.commit({ checks: [{ key, version: entry?.version ?? null }], puts: [{ key, value: encodeRecord(claim) }] })
}

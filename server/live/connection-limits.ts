/** Counts the connections to a document for each holder, so that no link, account or address can use all of them and lock out the owner. */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Caller } from '../domain/rights/caller.ts'

export interface ConnectionLimits {
  /** Reserves one of a document's connections. Returns a function that releases it. Throws `rate_limited` if none is left for this caller. */
  take(doc: string, caller: Caller, address: string): () => void
}

/** Returns the holders whose connections to a document are limited, each with its limit as a share of all connections. */
const holdersOf = ({ identity, rootShare }: Caller, address: string): readonly (readonly [string, number])[] => [
  identity.kind === 'guest'
    ? [`address ${address}`, limits.documentShareOfPerson]
    : [`${identity.kind} ${identity.id}`, limits.documentShareOfPerson],
  ...(rootShare === null ? [] : [[`link ${rootShare}`, limits.documentShareOfLink] as const])
]

/** Creates the counter. `max` is the maximum number of connections to one document; null means no limit. */
export const createConnectionLimits = (max: number | null): ConnectionLimits => {
  const documents = new Map<string, Map<string, number>>()
  const all = 'all'

  const add = (doc: string, holder: string, by: number): void => {
    const counts = documents.get(doc) ?? new Map<string, number>()
    const left = (counts.get(holder) ?? 0) + by
    if (left > 0) counts.set(holder, left)
    else counts.delete(holder)
    if (counts.size > 0) documents.set(doc, counts)
    else documents.delete(doc)
  }

  const isFull = (doc: string, holder: string, atMost: number): boolean => (documents.get(doc)?.get(holder) ?? 0) >= Math.max(1, atMost)

  const refuseFull = (doc: string, { role }: Caller, holders: readonly (readonly [string, number])[]): void => {
    if (max === null) return
    const forAll = role === 'owner' ? max : Math.floor(max * (1 - limits.documentShareOfOwners))
    const full = isFull(doc, all, forAll) || holders.some(([holder, share]) => isFull(doc, holder, Math.floor(max * share)))
    if (full) throw new ServiceError('rate_limited')
  }

  return {
    take(doc, caller, address) {
      const holders = holdersOf(caller, address)
      refuseFull(doc, caller, holders)
      const names = [all, ...holders.map(([holder]) => holder)]
      for (const name of names) add(doc, name, 1)
      let isLeft = false
      return () => {
        if (isLeft) return
        isLeft = true
        for (const name of names) add(doc, name, -1)
      }
    }
  }
}

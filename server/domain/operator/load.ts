/** Samples of the server's load and storage over time. The server takes one every few minutes. */
import { limits } from '../../../shared/limits.ts'
import { decodeRecord, encodeRecord, keys } from '../records/keys.ts'
import type { KeyPart } from '../ports.ts'
import type { Service } from '../service.ts'

export interface LoadSample {
  /** Milliseconds since 1970. */
  readonly at: number
  /** People and agents with an open document. */
  readonly people: number
  /** Documents in memory. */
  readonly documents: number
  /** Bytes of the store and of the assets; null if they are not in the data folder. */
  readonly storeBytes: number | null
  readonly assetBytes: number | null
}

type Stored = Pick<Service, 'storage' | 'clock'>

/** Stores a sample, and removes some that are too old. */
export const recordLoad = async ({ storage, clock }: Stored, sample: Omit<LoadSample, 'at'>): Promise<void> => {
  const at = clock.now()
  const old = await storage.list(keys.loads(), {
    before: Math.max(0, at - limits.loadDays * 24 * 3600_000),
    limit: limits.sweepCommitRecords
  })
  const value = encodeRecord({ at, ...sample } satisfies LoadSample)
  await storage.commit({ puts: [{ key: keys.load(at), value }], deletes: old.map(({ key }) => key) })
}

/** Returns the samples since a time, oldest first. */
export const listLoad = async ({ storage }: Pick<Service, 'storage'>, since: number): Promise<LoadSample[]> => {
  const samples: LoadSample[] = []
  for (let after: KeyPart = Math.max(0, since); ;) {
    const page = await storage.list(keys.loads(), { after })
    samples.push(...page.map(({ value }) => decodeRecord<LoadSample>(value)))
    after = page.at(-1)?.key.at(-1) ?? after
    if (page.length < limits.listMax) return samples
  }
}

/**
 * Records that end by themselves. Each carries `expiresAt` and stands in an index by that time, so that a sweep finds what is due
 * without looking at the rest. Reading an expired record is reading none: the sweep only makes room.
 */
import { limits } from '../../shared/limits.ts'
import { decodeRecord, encodeRecord, keys } from './keys.ts'
import type { Key, Put } from './ports.ts'
import type { Service } from './service.ts'

export interface Expiring {
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

const nothing = encodeRecord(null)

/** What to put for a record that expires. Put again with the same `expiresAt` it makes no second entry in the index. */
export const expiring = (key: Key, record: Expiring): Put[] => [
  { key, value: encodeRecord(record) },
  { key: keys.due(record.expiresAt, key), value: nothing }
]

/** The record at `key`, with its version, unless it has expired. */
export const findLive = async <T extends Expiring>(
  { storage, clock }: Pick<Service, 'storage' | 'clock'>,
  key: Key
): Promise<{ record: T; version: number } | undefined> => {
  const entry = await storage.get(key)
  if (entry === undefined) return undefined
  const record = decodeRecord<T>(entry.value)
  return record.expiresAt > clock.now() ? { record, version: entry.version } : undefined
}

/** Removes what is due, at most `limits.sweepRecordsMax` records. */
export const sweep = async ({ storage, clock }: Service): Promise<void> => {
  const due = await storage.list(keys.dues(), { before: clock.now(), limit: limits.sweepRecordsMax })
  for (const { key } of due) {
    const target = key.slice(2)
    const entry = await storage.get(target)
    // A record that was renewed has another entry in the index.
    const over = entry !== undefined && decodeRecord<Expiring>(entry.value).expiresAt <= clock.now()
    await storage.commit({
      checks: over ? [{ key: target, version: entry.version }] : [],
      deletes: over ? [key, target] : [key]
    })
  }
}

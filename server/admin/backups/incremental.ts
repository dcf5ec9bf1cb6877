/**
 * Writes an incremental backup: only the changes since the newest backup in the repository. The records of each range are compared with the sum that
 * the newest backup has for them. Older records are read only for ranges that changed. Versions of records are not compared, because a data folder
 * that was restored from a copy could reuse versions for other values.
 */
import type { StoredRecord } from '../../storage/records.ts'
import { AdminError } from '../error.ts'
import { type Change, changesBetween, encodeChanges } from './changes.ts'
import type { Content, Target } from './chunks.ts'
import { chunkName, encodeRecords, type Manifest, type RangeSum, sha256Of } from './format.ts'
import { neededChunks, openRanges, type Ranges } from './ranges.ts'
import { readManifest } from './repositories.ts'
import type { Repository } from './repository.ts'

/** The maximum number of backups between two full ones, each with its changes. A restore reads all of them. */
const changesMax = 30

/** The maximum size of all changes since a full backup, in bytes. A restore holds them in memory. */
const changesBytesMax = 64 * 1024 * 1024

/** The maximum size of the records in one range, in bytes, unless the chunk is larger. A backup holds them in memory. */
const rangeBytesMax = 64 * 1024 * 1024

/** The maximum age of the full backup, in milliseconds. Deleted text stays in its chunks until the next one. */
const fullAgeMax = 7 * 24 * 60 * 60 * 1000

const fullAtOf = ({ fullAt, createdAt }: Manifest): string => fullAt ?? createdAt

/** Returns the newest backup in a repository. Undefined if there is none, its manifest is damaged, or a newer version of agmd made it. */
export const findNewest = async (repository: Repository): Promise<Manifest | undefined> => {
  try {
    return await readManifest(repository)
  } catch (error) {
    if (error instanceof AdminError && (error.exitCode === 3 || error.exitCode === 4)) return undefined
    throw error
  }
}

/** Returns the backup whose changes the next backup can continue; undefined if the next one must be full. */
export const findEarlier = async ({ repository, present }: Target, now: number): Promise<Manifest | undefined> => {
  const manifest = await findNewest(repository)
  if (manifest === undefined) return undefined
  const isYoung = now - Date.parse(fullAtOf(manifest)) < fullAgeMax
  const hasRoom = (manifest.changes?.length ?? 0) < changesMax && manifest.chunks.length > 0
  const isWhole = [...manifest.chunks, ...(manifest.changes ?? [])].every(({ sha256, bytes }) => present.get(chunkName(sha256)) === bytes)
  return isYoung && hasRoom && isWhole ? manifest : undefined
}

/** Compares the records of one range after another with an earlier backup. Returns undefined if the changes are too large for an incremental backup. */
const createComparison = (ranges: Ranges, earlierBytes: number) => {
  const changes: Change[] = []
  const sums: RangeSum[] = []
  let changesBytes = earlierBytes
  return {
    changes,
    sums,
    isTooLarge: (): boolean => changesBytes > changesBytesMax,
    async compare(chunk: number, records: readonly StoredRecord[]): Promise<void> {
      const content = encodeRecords(records)
      const sum = { chunk, sha256: sha256Of(content), bytes: content.length, records: records.length }
      sums.push(sum)
      if (sum.sha256 === ranges.sum(chunk).sha256) return
      const found = changesBetween(await ranges.read(chunk), records)
      changes.push(...found)
      for (const { bytes, value, edits = [] } of found)
        changesBytes += edits.reduce((total, { insert }) => total + insert.length, bytes.length + (value?.length ?? 0))
    }
  }
}

/** Reads all records and returns the differences from an earlier backup; undefined if they are too large for an incremental backup. */
const compareAll = async (ranges: Ranges, earlier: Manifest, records: AsyncIterable<StoredRecord>) => {
  const { changes = [] } = earlier
  const comparison = createComparison(
    ranges,
    changes.reduce((sum, { bytes }) => sum + bytes, 0)
  )
  let [index, bytes] = [0, 0]
  let inRange: StoredRecord[] = []
  const end = async (): Promise<void> => {
    await comparison.compare(index++, inRange)
    inRange = []
    bytes = 0
  }
  for await (const record of records) {
    while (index + 1 < ranges.count && Buffer.compare(record.bytes, ranges.firsts[index + 1]!) >= 0) await end()
    inRange.push(record)
    bytes += record.bytes.length + record.value.length
    if (bytes > Math.max(rangeBytesMax, 2 * ranges.sum(index).bytes) || comparison.isTooLarge()) return undefined
  }
  while (index < ranges.count) await end()
  return comparison.isTooLarge() ? undefined : comparison
}

/** Writes the changes since an earlier backup. Returns undefined if a full backup must be made instead. */
export const writeChanges = async (
  { repository, present, written }: Target,
  earlier: Manifest,
  records: AsyncIterable<StoredRecord>
): Promise<Content | undefined> => {
  const ranges = openRanges(repository, earlier)
  const compared = await compareAll(ranges, earlier, records).catch((error: unknown) => {
    if (!(error instanceof AdminError) || error.exitCode !== 3) throw error
    // An object of the earlier backup is damaged. A full backup rewrites the objects that it needs.
    for (const name of neededChunks(earlier)) present.delete(name)
    return undefined
  })
  if (compared === undefined) return undefined
  const { changes, sums } = compared
  const content = {
    records: sums.reduce((sum, range) => sum + range.records, 0),
    bytes: sums.reduce((sum, range) => sum + range.bytes, 0),
    chunks: earlier.chunks
  }
  // The chunks of the full backup contain exactly these records.
  if (changes.length === 0 && earlier.changes === undefined) return content
  const changed = new Set(earlier.ranges?.map(({ chunk }) => chunk))
  return {
    ...content,
    changes: [...(earlier.changes ?? []), ...(await writeObject({ repository, written }, changes))],
    ranges: sums.filter(({ chunk, sha256 }) => changed.has(chunk) || sha256 !== earlier.chunks[chunk]!.sha256),
    fullAt: fullAtOf(earlier)
  }
}

/** Writes some changes as one object, unless there are none. */
const writeObject = async ({ repository, written }: Pick<Target, 'repository' | 'written'>, changes: readonly Change[]) => {
  if (changes.length === 0) return []
  const { entry, content } = encodeChanges(changes)
  written.bytes += content.length
  await repository.write(chunkName(entry.sha256), content)
  return [entry]
}

/** Reads a backup's records, one range after another: a chunk's records, with the changes of all backups since the chunk was written. */
import type { StoredRecord } from '../../storage/records.ts'
import { AdminError } from '../error.ts'
import { firstIndex } from '../sorted-records.ts'
import { type Change, decodeChanges, withChanges } from './changes.ts'
import { chunkName, decodeChunk, encodeRecords, type Manifest, type RangeSum, sha256Of } from './format.ts'
import type { Repository } from './repository.ts'

export interface Ranges {
  /** The number of ranges. */
  readonly count: number
  /** The lowest key of each range. The first one is empty, because keys below the first chunk belong to its range. */
  readonly firsts: readonly Uint8Array[]
  /** Returns the sum of the present records of a range. */
  sum(index: number): RangeSum
  /** Returns the present records of a range. Throws `AdminError` with exit code 3 if an object is missing or damaged. */
  read(index: number): Promise<StoredRecord[]>
}

const found = async (repository: Repository, sha256: string): Promise<Uint8Array> => {
  const content = await repository.find(chunkName(sha256))
  if (content !== undefined) return content
  throw new AdminError(`${chunkName(sha256)} is missing in ${repository.shown}. Use another copy of the backup, or an older snapshot.`, {
    exitCode: 3
  })
}

/** Returns the names of the chunks and changes that a backup needs. */
export const neededChunks = ({ chunks, changes = [] }: Manifest): string[] => [...chunks, ...changes].map(({ sha256 }) => chunkName(sha256))

/** Opens a backup's records. The changes stay in memory; `incremental.ts` limits their size. */
export const openRanges = (repository: Repository, { chunks, changes = [], ranges = [] }: Manifest): Ranges => {
  const firsts = chunks.map(({ first }, index) => (index === 0 ? new Uint8Array() : Buffer.from(first, 'base64url')))
  const changed = new Map(ranges.map((sum) => [sum.chunk, sum]))
  let loading: Promise<Change[][]> | undefined
  const load = (): Promise<Change[][]> =>
    (loading ??= Promise.all(changes.map(async (entry) => decodeChanges(entry, await found(repository, entry.sha256)))))

  const within = (all: readonly Change[], index: number): Change[] => {
    const [first, next] = [firsts[index]!, firsts[index + 1]]
    const start = firstIndex(all, ({ bytes }) => Buffer.compare(bytes, first) >= 0)
    return all.slice(start, next && firstIndex(all, ({ bytes }) => Buffer.compare(bytes, next) >= 0))
  }

  return {
    count: chunks.length,
    firsts,
    sum: (index) => changed.get(index) ?? { chunk: index, ...chunks[index]! },
    async read(index) {
      const entry = chunks[index]!
      const records = decodeChunk(entry, await found(repository, entry.sha256))
      const sum = changed.get(index)
      if (sum === undefined) return records
      const present = (await load()).reduce((before, all) => withChanges(before, within(all, index)), records)
      if (sha256Of(encodeRecords(present)) === sum.sha256) return present
      throw new AdminError(
        `The changes in ${repository.shown} do not produce the records that the backup should contain. Use another copy of the backup.`,
        {
          exitCode: 3
        }
      )
    }
  }
}

/** Writes all records of a full backup, in chunks. A chunk that the repository already has is not written again. */
import type { StoredRecord } from '../../storage/records.ts'
import { type Chunk, type ChunkEntry, chunkName, createChunker, type Manifest } from './format.ts'
import { createPool } from './pool.ts'
import type { Repository } from './repository.ts'

export interface Target {
  readonly repository: Repository
  /** The names of the chunks and changes that the repository has and that can be used. */
  readonly present: Set<string>
  /** Counts the bytes that the backup writes. */
  readonly written: { bytes: number }
}

/** The part of a manifest that describes the records. */
export type Content = Pick<Manifest, 'records' | 'bytes' | 'chunks' | 'changes' | 'ranges' | 'fullAt'>

export const writeChunks = async ({ repository, present, written }: Target, records: AsyncIterable<StoredRecord>): Promise<Content> => {
  const chunker = createChunker()
  const pool = createPool()
  const chunks: ChunkEntry[] = []
  const add = async (chunk: Chunk | undefined): Promise<void> => {
    if (chunk === undefined) return
    const { content, ...entry } = chunk
    chunks.push(entry)
    const name = chunkName(entry.sha256)
    if (present.has(name)) return
    present.add(name)
    written.bytes += content.length
    await pool.run(() => repository.write(name, content))
  }
  for await (const record of records) await add(chunker(record))
  await add(chunker())
  await pool.done()
  const sum = (of: (chunk: ChunkEntry) => number): number => chunks.reduce((total, chunk) => total + of(chunk), 0)
  return { records: sum((chunk) => chunk.records), bytes: sum(({ bytes }) => bytes), chunks }
}

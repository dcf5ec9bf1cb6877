/** Writes all records of a full backup, in chunks. A chunk that the repository already has is not written again, unless it is damaged. */
import type { StoredRecord } from '../../storage/records.ts'
import { type Chunk, type ChunkEntry, chunkName, createChunker, type Manifest } from './format.ts'
import { createPool } from './pool.ts'
import type { Repository } from './repository.ts'

export interface Target {
  readonly repository: Repository
  /** The sizes of the chunks and changes that the repository has and that can be used, in bytes, by name. */
  readonly present: Map<string, number>
  /** Whether to read the objects that would be used again. Otherwise, only their sizes are compared. */
  readonly reads: boolean
  /** Counts the bytes that the backup writes. */
  readonly written: { bytes: number }
}

/** The part of a manifest that describes the records. */
export type Content = Pick<Manifest, 'records' | 'bytes' | 'chunks' | 'changes' | 'ranges' | 'fullAt'>

/** Whether the repository has a chunk that can be used again. */
const hasChunk = async ({ repository, present, reads }: Target, name: string, content: Uint8Array): Promise<boolean> => {
  if (present.get(name) !== content.length) return false
  return !reads || Buffer.compare((await repository.find(name)) ?? new Uint8Array(), content) === 0
}

export const writeChunks = async (target: Target, records: AsyncIterable<StoredRecord>): Promise<Content> => {
  const { repository, written } = target
  const chunker = createChunker()
  const pool = createPool()
  const chunks: ChunkEntry[] = []
  const add = async (chunk: Chunk | undefined): Promise<void> => {
    if (chunk === undefined) return
    const { content, ...entry } = chunk
    chunks.push(entry)
    const name = chunkName(entry.sha256)
    await pool.run(async () => {
      if (await hasChunk(target, name, content)) return
      written.bytes += content.length
      await repository.write(name, content)
    })
  }
  for await (const record of records) await add(chunker(record))
  await add(chunker())
  await pool.done()
  const sum = (of: (chunk: ChunkEntry) => number): number => chunks.reduce((total, chunk) => total + of(chunk), 0)
  return { records: sum((chunk) => chunk.records), bytes: sum(({ bytes }) => bytes), chunks }
}

/** Makes a backup: writes the records of a snapshot in chunks, then the blobs that they name, then the secret, and the manifest last. */
import { hash, randomBytes } from 'node:crypto'
import { lowestKey } from '../../storage/snapshot.ts'
import { type BlobEntry, blobsIn, readBlob } from '../blob-records.ts'
import { type Installation, nameOfSecret } from '../installation.ts'
import type { OnProgress } from '../progress.ts'
import {
  backupFormat,
  blobName,
  type Chunk,
  type ChunkEntry,
  chunkName,
  createChunker,
  encodeManifest,
  type Manifest,
  secretName
} from './format.ts'
import type { Repository } from './repository.ts'

export interface MakeOptions {
  readonly installation: Installation
  readonly repository: Repository
  readonly version: string
  /** Whether the backup includes the file `secret`. */
  readonly withSecret: boolean
  readonly onProgress: OnProgress
  /** The time of the backup, in milliseconds since 1970. */
  readonly now: number
}

export interface Made {
  readonly manifest: Manifest
  /** The bytes of chunks and blobs that this backup wrote, because the repository did not have them. */
  readonly writtenBytes: number
}

/** The number of chunks or blobs that are written at the same time. */
const writersMax = 4

/** Creates a pool that runs at most `writersMax` tasks at a time. If a task fails, the next `run` or `done` throws its error. */
const createPool = () => {
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  const check = (): void => {
    if (failure !== undefined) throw failure.error
  }
  return {
    async run(work: () => Promise<void>): Promise<void> {
      while (running.size >= writersMax) await Promise.race(running)
      check()
      const one: Promise<void> = work()
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => running.delete(one))
      running.add(one)
    },
    async done(): Promise<void> {
      await Promise.all(running)
      check()
    }
  }
}

/** Makes a backup. Throws `AdminError`, and the errors of the store. Earlier backups in the repository never change. */
export const makeBackup = async (options: MakeOptions): Promise<Made> => {
  const { installation, repository, version, withSecret, now } = options
  const { instance, store, secret, secretIsSetting } = installation
  const written = { bytes: 0 }
  const { chunks, records, wanted } = await writeChunks(options, written)
  const damagedBlobs = await writeBlobs(options, wanted, written)
  const fingerprint = nameOfSecret(secret)
  const hasFile = withSecret && !secretIsSetting
  if (hasFile) await repository.write(secretName(fingerprint), Buffer.from(`${Buffer.from(secret).toString('base64url')}\n`))
  const createdAt = new Date(now).toISOString()
  const manifest: Manifest = {
    format: backupFormat,
    id: `${createdAt.replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`,
    instance: instance.instance,
    createdAt,
    createdBy: version,
    dataFormat: instance.format,
    installation: { createdBy: instance.createdBy, createdAt: instance.createdAt },
    store,
    records,
    bytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
    blobs: { count: wanted.size, bytes: [...wanted.values()].reduce((sum, { size }) => sum + size, 0) },
    damagedBlobs,
    secret: fingerprint,
    secretIn: hasFile ? 'file' : secretIsSetting ? 'AGMD_SECRET' : 'left out',
    chunks
  }
  await repository.write(`snapshots/${manifest.id}.json`, encodeManifest(manifest))
  await repository.finish()
  return { manifest, writtenBytes: written.bytes }
}

const writeChunks = async ({ installation: { snapshot }, repository, onProgress }: MakeOptions, written: { bytes: number }) => {
  const present = new Set(await repository.names('chunks'))
  const total = await snapshot.count()
  const chunker = createChunker()
  const pool = createPool()
  const chunks: ChunkEntry[] = []
  const wanted = new Map<string, BlobEntry>()
  let records = 0
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
  onProgress({ phase: 'records', done: 0, total, unit: 'records' })
  let next = snapshot.scan(lowestKey)
  for (;;) {
    const found = await next
    if (found.length === 0) break
    // PostgreSQL sends the next records while this loop writes the current ones.
    next = snapshot.scan(found.at(-1)!.bytes)
    next.catch(() => undefined)
    for (const record of found) {
      for (const blob of blobsIn(record)) wanted.set(blob.name, blob)
      await add(chunker(record))
    }
    records += found.length
    onProgress({ phase: 'records', done: Math.min(records, total - 1), total, unit: 'records' })
  }
  await add(chunker())
  await pool.done()
  onProgress({ phase: 'records', done: total, total, unit: 'records' })
  return { chunks, records, wanted }
}

/** Writes the blobs that the repository does not have. Returns the names of those that are missing or damaged in the installation. */
const writeBlobs = async (options: MakeOptions, wanted: ReadonlyMap<string, BlobEntry>, written: { bytes: number }): Promise<string[]> => {
  const { installation, repository, onProgress } = options
  const present = new Set(await repository.names('blobs'))
  const missing = [...wanted.values()].filter(({ name }) => !present.has(blobName(name)))
  const total = missing.reduce((sum, { size }) => sum + size, 0)
  const damaged: string[] = []
  const pool = createPool()
  let done = 0
  for (const blob of missing) {
    await pool.run(async () => {
      const content = await readBlob(installation.blobs, blob)
      const isSound = content !== undefined && hash('sha256', content, 'base64url') === blob.hash
      if (isSound) await repository.write(blobName(blob.name), content)
      else damaged.push(blob.name)
      written.bytes += isSound ? content.length : 0
      done += blob.size
      onProgress({ phase: 'assets', done, total, unit: 'bytes' })
    })
  }
  await pool.done()
  return damaged.sort()
}

/** Makes a backup: writes the records of a snapshot, then the blobs that they name, then the secret, and the manifest last. */
import { hash, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { lowestKey } from '../../storage/snapshot.ts'
import type { StoredRecord } from '../../storage/records.ts'
import { type BlobEntry, blobsIn, readBlob } from '../blob-records.ts'
import { type Installation, nameOfSecret } from '../installation.ts'
import type { OnProgress } from '../progress.ts'
import { type Content, type Target, writeChunks } from './chunks.ts'
import { backupFormat, blobName, encodeManifest, fullFormat, type Manifest, secretName } from './format.ts'
import { findEarlier, findNewest, writeChanges } from './incremental.ts'
import { createPool } from './pool.ts'
import type { Repository } from './repository.ts'

export interface MakeOptions {
  readonly installation: Installation
  readonly repository: Repository
  readonly version: string
  /** Whether the backup includes the file `secret`. */
  readonly withSecret: boolean
  /** Whether the backup must not depend on changes since an earlier one. It then also reads all objects that it uses again. */
  readonly full: boolean
  readonly onProgress: OnProgress
  /** The time of the backup, in milliseconds since 1970. */
  readonly now: number
}

export interface Made {
  readonly manifest: Manifest
  /** The bytes of chunks and blobs that this backup wrote, because the repository did not have them. */
  readonly writtenBytes: number
  /** The time of the newest backup before this one, as an ISO time, if both have the same records and assets. */
  readonly unchangedSince: string | undefined
}

/** Makes a backup. Throws `AdminError`, and store errors. Earlier backups in the repository never change. */
export const makeBackup = async (options: MakeOptions): Promise<Made> => {
  const { installation, repository, version, withSecret, now } = options
  const { instance, store, secret, secretIsSetting } = installation
  const written = { bytes: 0 }
  const { wanted, content }: { wanted: ReadonlyMap<string, BlobEntry>; content: Content } = await writeRecords(options, written)
  const damagedBlobs = await writeBlobs(options, wanted, written)
  const fingerprint = nameOfSecret(secret)
  const hasFile = withSecret && !secretIsSetting
  if (hasFile) await repository.write(secretName(fingerprint), Buffer.from(`${Buffer.from(secret).toString('base64url')}\n`))
  const createdAt = new Date(now).toISOString()
  const manifest: Manifest = {
    format: content.changes === undefined ? fullFormat : backupFormat,
    id: `${createdAt.replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`,
    instance: instance.instance,
    createdAt,
    createdBy: version,
    dataFormat: instance.format,
    installation: { createdBy: instance.createdBy, createdAt: instance.createdAt },
    store,
    blobs: { count: wanted.size, bytes: [...wanted.values()].reduce((sum, { size }) => sum + size, 0) },
    damagedBlobs,
    secret: fingerprint,
    secretIn: hasFile ? 'file' : secretIsSetting ? 'AGMD_SECRET' : 'left out',
    ...content
  }
  const before = await findNewest(repository)
  const isSame = before !== undefined && written.bytes === 0 && sameContent(before, manifest)
  await repository.write(`snapshots/${manifest.id}.json`, encodeManifest(manifest))
  await repository.finish()
  return { manifest, writtenBytes: written.bytes, unchangedSince: isSame ? before.createdAt : undefined }
}

const sameContent = (one: Manifest, other: Manifest): boolean => {
  const [first, second] = [one, other].map(({ chunks, changes, ranges, damagedBlobs }) => [chunks, changes, ranges, damagedBlobs])
  return isDeepStrictEqual(first, second)
}

/** Writes the changes since an earlier backup, or all records if that is not possible. Returns their part of the manifest, and the blobs that they name. */
const writeRecords = async ({ repository, installation, full, now, onProgress }: MakeOptions, written: { bytes: number }) => {
  const target: Target = { repository, present: await repository.sizes('chunks'), reads: full, written }
  const attempt = async <Result>(write: (records: AsyncIterable<StoredRecord>) => Promise<Result>) => {
    const wanted = new Map<string, BlobEntry>()
    return { content: await write(recordsOf(installation, wanted, onProgress)), wanted }
  }
  const earlier = full ? undefined : await findEarlier(target, now)
  if (earlier !== undefined) {
    const { content, wanted } = await attempt((records) => writeChanges(target, earlier, records))
    if (content !== undefined) return { content, wanted }
  }
  return attempt((records) => writeChunks(target, records))
}

/** Yields all records, and collects the blobs that they name. */
async function* recordsOf(
  { snapshot }: Installation,
  wanted: Map<string, BlobEntry>,
  onProgress: OnProgress
): AsyncGenerator<StoredRecord> {
  const total = await snapshot.count()
  let done = 0
  onProgress({ phase: 'records', done, total, unit: 'records' })
  let next = snapshot.scan(lowestKey)
  for (;;) {
    const found = await next
    if (found.length === 0) break
    // PostgreSQL sends the next records while the backup writes the current ones.
    next = snapshot.scan(found.at(-1)!.bytes)
    next.catch(() => undefined)
    for (const record of found) {
      for (const blob of blobsIn(record)) wanted.set(blob.name, blob)
      yield record
    }
    done += found.length
    onProgress({ phase: 'records', done: Math.min(done, total - 1), total, unit: 'records' })
  }
  onProgress({ phase: 'records', done: total, total, unit: 'records' })
}

const isIntact = (content: Uint8Array | undefined, blob: BlobEntry): content is Uint8Array =>
  content !== undefined && hash('sha256', content, 'base64url') === blob.hash

/**
 * Writes the blobs that the repository does not have or that are damaged there. Returns the names of those that are missing or damaged in the
 * installation.
 */
const writeBlobs = async (options: MakeOptions, wanted: ReadonlyMap<string, BlobEntry>, written: { bytes: number }): Promise<string[]> => {
  const { installation, repository, full, onProgress } = options
  const present = await repository.sizes('blobs')
  const hasSize = ({ name, size }: BlobEntry): boolean => present.get(blobName(name)) === size
  const doubtful = [...wanted.values()].filter((blob) => full || !hasSize(blob))
  const total = doubtful.reduce((sum, { size }) => sum + size, 0)
  const damaged: string[] = []
  const pool = createPool()
  let done = 0
  const save = async (blob: BlobEntry): Promise<void> => {
    if (hasSize(blob) && isIntact(await repository.find(blobName(blob.name)), blob)) return
    const content = await readBlob(installation.blobs, blob)
    if (!isIntact(content, blob)) return void damaged.push(blob.name)
    await repository.write(blobName(blob.name), content)
    written.bytes += content.length
  }
  for (const blob of doubtful) {
    await pool.run(async () => {
      await save(blob)
      done += blob.size
      onProgress({ phase: 'assets', done, total, unit: 'bytes' })
    })
  }
  await pool.done()
  return damaged.sort()
}

/**
 * Finds objects that are no longer needed. In an installation, these are blobs without a record and remains of interrupted writes. In a repository with
 * backups, these are old backups, with the chunks and blobs that only they use.
 */
import { existsSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { keys } from '../domain/records/keys.ts'
import { blobName, secretName } from './backups/format.ts'
import { neededChunks, openRanges } from './backups/ranges.ts'
import type { Repository } from './backups/repository.ts'
import { readSnapshots } from './backups/repositories.ts'
import { blobsIn } from './blob-records.ts'
import { AdminError } from './error.ts'
import type { Installation } from './installation.ts'
import type { OnProgress } from './progress.ts'

export interface Garbage {
  readonly name: string
  /** The reason, for the operator. */
  readonly reason: string
  remove(): Promise<void>
}

/** A server stores a blob before its record. A blob without a record counts as garbage only after this time, in milliseconds. */
const blobAgeMin = 60 * 60 * 1000

/** Files that an interrupted write can leave in a data folder, in addition to uploads in `blobs/new`. */
const remainNames = ['instance.json.new', 'secret.new']

/** Returns the blobs and files of an installation that nothing needs. Works while the server runs. */
export const garbageOf = async ({ folder, blobs, snapshot: { storage } }: Installation, now: number): Promise<Garbage[]> => {
  const garbage: Garbage[] = []
  const isOld = (at: number | undefined): boolean => at !== undefined && now - at > blobAgeMin
  for (const name of await blobs.list()) {
    const records = await Promise.all([keys.assetDocument(name), keys.jobBlob(name)].map((key) => storage.get(key)))
    if (records.some((record) => record !== undefined) || !isOld(await blobs.storedAt(name))) continue
    garbage.push({ name: `blob ${name}`, reason: 'no document uses it', remove: () => blobs.delete(name) })
  }
  const incoming = join(folder, 'blobs', 'new')
  const uploads = existsSync(incoming) ? (await readdir(incoming)).map((name) => join('blobs', 'new', name)) : []
  for (const name of [...remainNames, ...uploads]) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (!isOld(found?.mtimeMs)) continue
    garbage.push({ name, reason: 'it was never completed', remove: () => rm(join(folder, name), { force: true }) })
  }
  return garbage
}

/** The result for a repository: the objects that nothing needs, and the names of damaged manifests, which are skipped. */
export interface BackupGarbage {
  readonly garbage: Garbage[]
  readonly damaged: readonly string[]
}

const nameOf = ({ id }: { readonly id: string }): string => `snapshots/${id}.json`

/** Returns all backups except the newest `keep`, and the objects that only they need. Throws `AdminError`. */
export const garbageOfBackups = async (repository: Repository, keep: number, onProgress: OnProgress): Promise<BackupGarbage> => {
  const snapshots = await readSnapshots(repository)
  const damaged = snapshots.filter(({ manifest }) => manifest === undefined).map(nameOf)
  const readable = snapshots.flatMap(({ manifest }) => manifest ?? [])
  if (readable.length === 0) throw new AdminError(`${repository.shown} has no complete backup, so nothing is removed.`, { exitCode: 1 })
  const kept = readable.slice(Math.max(0, readable.length - keep))
  const needed = new Set<string>([...kept.map(nameOf), ...damaged])
  const read = new Set<string>()
  for (const [index, manifest] of kept.entries()) {
    needed.add(secretName(manifest.secret))
    for (const name of neededChunks(manifest)) needed.add(name)
    const ranges = openRanges(repository, manifest)
    for (let range = 0; range < ranges.count; range++) {
      const { sha256 } = ranges.sum(range)
      if (read.has(sha256)) continue
      read.add(sha256)
      for (const record of await ranges.read(range)) for (const { name } of blobsIn(record)) needed.add(blobName(name))
    }
    onProgress({ phase: 'reading', done: index + 1, total: kept.length, unit: 'backups' })
  }
  const garbage: Garbage[] = []
  // Manifests are removed first, so that an interruption cannot leave a backup that lacks objects.
  for (const kind of ['snapshots', 'chunks', 'blobs', 'secrets'] as const)
    for (const name of await repository.names(kind)) {
      if (needed.has(name)) continue
      const reason = kind === 'snapshots' ? `it is not one of the newest ${keep}` : 'none of the newest backups needs it'
      garbage.push({ name, reason, remove: () => repository.remove(name) })
    }
  return { garbage, damaged }
}

/** Opens the repository of backups that an operator names, and finds the backups in it. */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { parseS3Address, s3AddressAllowed } from '../../blobs/s3/address.ts'
import { AdminError } from '../error.ts'
import { decodeManifest, decodeStamp, encodeStamp, type Manifest, stampName } from './format.ts'
import { openFolderRepository } from './folder-repository.ts'
import type { Repository } from './repository.ts'
import { openTarReader, openTarStream, openTarWriter } from './tar-repository.ts'

/** Whether a string names a tar file rather than a folder. */
const isTarName = (text: string): boolean => text.endsWith('.tar')

export const repositoryForms = `PLACE is a folder, a tar file (FILE.tar) or a bucket (s3://…). A folder or bucket can contain many backups, and each new
one writes only what has changed. A tar file contains one complete backup. Without PLACE, the setting AGMD_BACKUP names the place. Other people on
this machine can see the arguments of a command, so put an address with keys into AGMD_BACKUP or into the file AGMD_BACKUP_FILE.`

/** The name that stands for standard input or standard output. Only an option can contain it, and only with `backup` and `restore`. */
export const streamAddress = '-'

/** Returns the repository that an option, such as `--to`, or the settings name. Throws `AdminError` if neither does. */
export const repositoryAddress = (name: string, option: string | undefined, setting: string | null): string => {
  if (option === '') throw new AdminError(`${name} needs a place, such as /mnt/backups/agmd.`)
  const text = option ?? setting
  if (text === null) throw new AdminError('Pass the place of the backup, or set AGMD_BACKUP.')
  return text
}

/** Returns a bucket's address; undefined if the text names a path. Throws `AdminError`. */
const bucketOf = async (text: string) => {
  if (!text.startsWith('s3:')) return undefined
  const address = parseS3Address(text)
  if (address === undefined) throw new AdminError(`The place of the backup must be ${s3AddressAllowed}.`)
  const { openS3Repository } = await import('./s3-repository.ts')
  return openS3Repository(address)
}

/** Opens a repository to read backups. Throws `AdminError` if the repository does not exist. */
export const openRepository = async (text: string): Promise<Repository> => {
  refuseStream(text)
  const bucket = await bucketOf(text)
  if (bucket !== undefined) return bucket
  const path = resolve(text)
  if (!existsSync(path)) throw new AdminError(`There is no backup at ${path}.`)
  return statSync(path).isDirectory() ? openFolderRepository(path) : openTarReader(path)
}

/** The endings of archives that are not plain tar files. */
const otherArchive = /\.(?:zip|7z|rar|tgz|tbz2?|txz|tzst|gz|bz2|xz|zst|lz4|age|gpg)$/i

/** Throws `AdminError` if a new repository has the name of another kind of archive. A folder with such a name would surprise the operator. */
const refuseOtherArchive = (text: string): void => {
  if (!otherArchive.test(text) || existsSync(resolve(text))) return
  throw new AdminError(
    `A backup cannot be the archive ${text}. Name a folder, a tar file (FILE.tar) or a bucket (s3://…). To compress or encrypt a backup, write it to standard output: --to -`
  )
}

/** Opens or creates a repository to write backups of this installation. Throws `AdminError` if the repository cannot be used. */
export const openRepositoryToWrite = async (text: string, instance: string): Promise<Repository> => {
  refuseStream(text)
  const bucket = await bucketOf(text)
  if (bucket === undefined) refuseOtherArchive(text)
  const path = resolve(text)
  if (bucket === undefined && (isTarName(text) || (existsSync(path) && statSync(path).isFile()))) {
    if (existsSync(path)) await refuseForeignFile(path, instance)
    const repository = await openTarWriter(path)
    await repository.write(stampName, encodeStamp(instance))
    return repository
  }
  const repository = bucket ?? (await openFolderRepository(path, { create: true }))
  try {
    const stamp = await repository.find(stampName)
    if (stamp === undefined) await repository.write(stampName, encodeStamp(instance))
    else refuseForeign(repository.shown, decodeStamp(repository.shown, stamp), instance)
    return repository
  } catch (error) {
    await repository.close()
    throw error
  }
}

/** Begins a backup on a stream. */
export const openStreamToWrite = async (stream: Writable, instance: string): Promise<Repository> => {
  const repository = openTarStream(stream)
  await repository.write(stampName, encodeStamp(instance))
  return repository
}

const refuseStream = (text: string): void => {
  if (text === streamAddress) throw new AdminError('This command cannot use a stream. Use a folder, a tar file or a bucket.')
}

const refuseForeignFile = async (path: string, instance: string): Promise<void> => {
  const repository = await openTarReader(path)
  try {
    refuseForeign(repository.shown, await instanceOf(repository), instance)
  } finally {
    await repository.close()
  }
}

const refuseForeign = (shown: string, found: string, instance: string): void => {
  if (found === instance) return
  throw new AdminError(`${shown} holds the backups of another installation. Choose another place.`, { exitCode: 3 })
}

/** Returns the installation to which a repository belongs. Throws `AdminError`. */
export const instanceOf = async (repository: Repository): Promise<string> => {
  const stamp = await repository.find(stampName)
  if (stamp === undefined) throw new AdminError(`${repository.shown} is not a backup of agmd: it has no ${stampName}.`, { exitCode: 3 })
  return decodeStamp(repository.shown, stamp)
}

/** Returns the ids of all backups in a repository, oldest first. */
export const listSnapshots = async (repository: Repository): Promise<string[]> =>
  (await repository.names('snapshots')).map((name) => name.slice('snapshots/'.length, -'.json'.length))

/** A backup in a repository. Its manifest is undefined if it is damaged. */
export interface Snapshot {
  readonly id: string
  readonly manifest: Manifest | undefined
}

const readSnapshot = async (repository: Repository, instance: string, id: string): Promise<Manifest> => {
  const name = `snapshots/${id}.json`
  const manifest = decodeManifest(name, (await repository.find(name)) ?? new Uint8Array())
  if (manifest.instance !== instance)
    throw new AdminError(`${name} comes from a different installation than the rest of ${repository.shown}. Remove it.`, { exitCode: 3 })
  return manifest
}

/** Returns all backups in a repository, oldest first. Throws `AdminError`, but not if only some manifests are damaged. */
export const readSnapshots = async (repository: Repository): Promise<Snapshot[]> => {
  const instance = await instanceOf(repository)
  const snapshots: Snapshot[] = []
  for (const id of await listSnapshots(repository)) {
    const manifest = await readSnapshot(repository, instance, id).catch((error: unknown) => {
      if (error instanceof AdminError && error.exitCode === 3) return undefined
      throw error
    })
    snapshots.push({ id, manifest })
  }
  return snapshots
}

/** Returns the manifest of a backup, by default of the newest one. Throws `AdminError`. */
export const readManifest = async (repository: Repository, id?: string): Promise<Manifest> => {
  const instance = await instanceOf(repository)
  const ids = await listSnapshots(repository)
  const chosen = id ?? ids.at(-1)
  if (chosen === undefined)
    throw new AdminError(`${repository.shown} has no complete backup. Make one: npm start -- admin backup`, { exitCode: 3 })
  if (!ids.includes(chosen)) throw new AdminError(`${repository.shown} has no backup ${chosen}. It has: ${ids.join(', ')}`)
  return readSnapshot(repository, instance, chosen)
}

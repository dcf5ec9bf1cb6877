/** Opens the place of backups that an operator names, and finds the backups in it. */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { parseS3Address, s3AddressAllowed } from '../../blobs/s3/address.ts'
import { AdminError } from '../error.ts'
import { decodeManifest, decodeStamp, encodeStamp, type Manifest, stampName } from './format.ts'
import { openFolderPlace } from './folder-place.ts'
import type { Place } from './place.ts'
import { openTarReader, openTarStream, openTarWriter } from './tar-place.ts'

/** Whether a text names a tar file rather than a folder. */
const isTarName = (text: string): boolean => text.endsWith('.tar')

export const placeForms = `PLACE is a folder, a tar file (FILE.tar) or a bucket (s3://…). A folder or bucket can contain many backups, and each new
one writes only what has changed. A tar file contains one complete backup. Without PLACE, the setting AGMD_BACKUP names the place. Other people on
this machine can see the arguments of a command, so put an address with keys into AGMD_BACKUP or into the file AGMD_BACKUP_FILE.`

/** The place that stands for standard input or standard output. Only an option can name it, and only of `backup` and `restore`. */
export const streamPlace = '-'

/** Returns the place that an option or the settings name. Throws `AdminError` if neither does. */
export const placeOf = (option: string | undefined, setting: string | null): string => {
  const text = option ?? setting
  if (text === null) throw new AdminError('Name the place of the backup, or set AGMD_BACKUP.')
  return text
}

/** Returns the address of a bucket; undefined if the text names a path. Throws `AdminError`. */
const bucketOf = async (text: string) => {
  if (!text.startsWith('s3:')) return undefined
  const address = parseS3Address(text)
  if (address === undefined) throw new AdminError(`The place of the backup must be ${s3AddressAllowed}.`)
  const { openS3Place } = await import('./s3-place.ts')
  return openS3Place(address)
}

/** Opens a place to read backups. Throws `AdminError` if the place does not exist. */
export const openPlace = async (text: string): Promise<Place> => {
  refuseStream(text)
  const bucket = await bucketOf(text)
  if (bucket !== undefined) return bucket
  const path = resolve(text)
  if (!existsSync(path)) throw new AdminError(`There is no backup at ${path}.`)
  return statSync(path).isDirectory() ? openFolderPlace(path) : openTarReader(path)
}

/** Opens or creates a place to write backups of this installation. Throws `AdminError` if the place cannot be used. */
export const openPlaceToWrite = async (text: string, instance: string): Promise<Place> => {
  refuseStream(text)
  const bucket = await bucketOf(text)
  const path = resolve(text)
  if (bucket === undefined && (isTarName(text) || (existsSync(path) && statSync(path).isFile()))) {
    if (existsSync(path)) await refuseForeignFile(path, instance)
    const place = await openTarWriter(path)
    await place.write(stampName, encodeStamp(instance))
    return place
  }
  const place = bucket ?? (await openFolderPlace(path, { create: true }))
  try {
    const stamp = await place.find(stampName)
    if (stamp === undefined) await place.write(stampName, encodeStamp(instance))
    else refuseForeign(place.shown, decodeStamp(place.shown, stamp), instance)
    return place
  } catch (error) {
    await place.close()
    throw error
  }
}

/** Begins a backup on a stream. */
export const openStreamToWrite = async (stream: Writable, instance: string): Promise<Place> => {
  const place = openTarStream(stream)
  await place.write(stampName, encodeStamp(instance))
  return place
}

const refuseStream = (text: string): void => {
  if (text === streamPlace) throw new AdminError('This command cannot use a stream. Name a folder, a tar file or a bucket.')
}

const refuseForeignFile = async (path: string, instance: string): Promise<void> => {
  const place = await openTarReader(path)
  try {
    refuseForeign(place.shown, await instanceOf(place), instance)
  } finally {
    await place.close()
  }
}

const refuseForeign = (shown: string, found: string, instance: string): void => {
  if (found === instance) return
  throw new AdminError(`${shown} holds the backups of another installation. Name another place.`, { exitCode: 3 })
}

/** Returns the installation to which a place belongs. Throws `AdminError`. */
export const instanceOf = async (place: Place): Promise<string> => {
  const stamp = await place.find(stampName)
  if (stamp === undefined) throw new AdminError(`${place.shown} is not a backup of agmd: it has no ${stampName}.`, { exitCode: 3 })
  return decodeStamp(place.shown, stamp)
}

/** Returns the ids of all backups in a place, oldest first. */
export const listSnapshots = async (place: Place): Promise<string[]> =>
  (await place.names('snapshots')).map((name) => name.slice('snapshots/'.length, -'.json'.length))

/** Returns the manifest of a backup, by default of the newest one. Throws `AdminError`. */
export const readManifest = async (place: Place, id?: string): Promise<Manifest> => {
  const instance = await instanceOf(place)
  const ids = await listSnapshots(place)
  const chosen = id ?? ids.at(-1)
  if (chosen === undefined)
    throw new AdminError(`${place.shown} has no complete backup. Make one: npm start -- admin backup`, { exitCode: 3 })
  if (!ids.includes(chosen)) throw new AdminError(`${place.shown} has no backup ${chosen}. It has: ${ids.join(', ')}`)
  const name = `snapshots/${chosen}.json`
  const manifest = decodeManifest(name, (await place.find(name)) ?? new Uint8Array())
  if (manifest.instance !== instance)
    throw new AdminError(`${name} is the backup of another installation than the rest of ${place.shown}. Remove it.`, { exitCode: 3 })
  return manifest
}

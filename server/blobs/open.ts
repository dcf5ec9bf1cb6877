/** Opens the blob store that the settings name. If that is a bucket, moves the data folder's blobs to it. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Blobs, StoredBlobs } from '../domain/ports.ts'
import { openDiskBlobs, openStoredDiskBlobs } from './disk.ts'
import { parseS3Address } from './s3/address.ts'
import { S3Error } from './s3/errors.ts'

interface BlobOptions {
  /** The bucket's address. Null if the blobs are stored in the data folder. */
  readonly address: string | null
  /** The data folder. */
  readonly folder: string
  /** The folder for uploads that are still being received, which belongs to one process. It must be on the same disk as the data folder. */
  readonly receivedIn?: string
  /** The id of the installation. */
  readonly instance: string
  onWarning(text: string): void
  /** Called after blobs were moved from the data folder to the bucket. */
  onMoved(count: number): void
}

/**
 * Name of the file that names the bucket with the blobs. Without this file, a server that is started without AGMD_BLOBS would serve documents
 * without their pictures.
 */
const noteName = 'in-bucket'

/**
 * Moves all blobs, and returns their number. A blob is removed once the other store has it. After a crash, the next start moves the remaining blobs.
 */
export const moveBlobs = async (from: Blobs, to: Blobs): Promise<number> => {
  const names = await from.list()
  const present = new Set(names.length === 0 ? [] : await to.list())
  for (const name of names) {
    const blob = present.has(name) ? undefined : await from.open(name)
    if (blob !== undefined) await (await to.receive(blob.read(0, Infinity))).keep(name)
    await from.delete(name)
  }
  return names.length
}

/** Opens the store that the settings name. Throws `S3Error`, or file system errors. */
export const openBlobs = async (options: BlobOptions): Promise<Blobs> => {
  const { address: text, folder, instance, onWarning, onMoved } = options
  const receivedIn = options.receivedIn ?? join(folder, 'blobs', 'new')
  const disk = await openDiskBlobs(join(folder, 'blobs'), receivedIn)
  const note = join(folder, 'blobs', noteName)
  const address = text === null ? undefined : parseS3Address(text)
  if (address === undefined) {
    if (existsSync(note))
      throw new S3Error(1, 'The assets of this data folder are in a bucket. Set AGMD_BLOBS to the address of the bucket.')
    return disk
  }
  if (address.exposed) onWarning(`The connection to the object store is not encrypted (${address.shown}). Remove tls=off from AGMD_BLOBS.`)
  const { openS3Blobs } = await import('./s3/store.ts')
  const bucket = await openS3Blobs(address, receivedIn, instance)
  await writeFile(note, `${address.shown}\n`)
  const moved = await moveBlobs(disk, bucket)
  if (moved > 0) onMoved(moved)
  return bucket
}

/** Opens the blobs without support for uploads. A second process can therefore use them while the server runs. Throws `S3Error`. */
export const openStoredBlobs = async ({
  address: text,
  folder,
  instance
}: Pick<BlobOptions, 'address' | 'folder' | 'instance'>): Promise<StoredBlobs> => {
  const address = text === null ? undefined : parseS3Address(text)
  if (address === undefined) return openStoredDiskBlobs(join(folder, 'blobs'))
  const { openStoredS3Blobs } = await import('./s3/store.ts')
  return openStoredS3Blobs(address, instance)
}

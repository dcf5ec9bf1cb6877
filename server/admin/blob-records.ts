/** Finds the blobs that records name: the files of assets and of media jobs. */
import { decodeRecord, type Asset, type Job } from '../domain/records/keys.ts'
import type { StoredBlobs } from '../domain/ports.ts'
import type { StoredRecord } from '../storage/records.ts'

export interface BlobEntry {
  readonly name: string
  readonly size: number
  /** SHA-256, base64url. */
  readonly hash: string
}

const nameForm = /^[A-Za-z0-9_-]{24}$/

/** Returns the blobs that a record names. Throws an `Error` if the record does not match its key. */
export const blobsIn = ({ key, value }: Pick<StoredRecord, 'key' | 'value'>): BlobEntry[] => {
  if (key[0] !== 'd' || key.length !== 4) return []
  if (key[2] === 'asset') {
    const { id, size, hash } = decodeRecord<Asset>(value)
    return [checked({ name: id, size, hash })]
  }
  if (key[2] !== 'job') return []
  const { file, resultFile, asset } = decodeRecord<Job>(value)
  // If the result became an asset, the record of the asset names its file.
  return [file, asset === null ? resultFile : null]
    .filter((each) => each !== null)
    .map(({ name, size, hash }) => checked({ name, size, hash }))
}

const checked = (entry: BlobEntry): BlobEntry => {
  if (!nameForm.test(entry.name)) throw new Error(`${JSON.stringify(entry.name)} is not the name of a blob`)
  return entry
}

/** Returns a blob's bytes; undefined if it is missing. Its size is bounded by the limits on uploads and results. */
export const readBlob = async (blobs: Pick<StoredBlobs, 'open'>, { name, size }: BlobEntry): Promise<Buffer | undefined> => {
  const blob = await blobs.open(name)
  if (blob === undefined) return undefined
  if (size === 0) return blob.close().then(() => Buffer.alloc(0))
  const chunks: Uint8Array[] = []
  for await (const chunk of blob.read(0, size - 1)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * The format of backups, versions 1 and 2. A repository (a folder, a bucket or a tar file) holds the backups of one installation as named objects:
 *
 *     agmd-backup.json          { "format": 1, "instance": id }: the installation to which the repository belongs
 *     chunks/ab/abcdef…         records in key order, or changes of records; the name is the SHA-256 of the content, in hexadecimal digits
 *     blobs/ab/abcdef…          the bytes of a blob, under the name of the blob
 *     secrets/NAME              the file `secret` of the data folder; NAME is the fingerprint of the secret
 *     snapshots/TIME-ID.json    a manifest, which describes one backup; TIME is 20261124T133000000Z (UTC, with milliseconds), ID has 8 random hexadecimal digits
 *
 *     chunk      format (1) · record…                                 numbers are unsigned variable-length integers (lib0)
 *     record     length of key · key as in `storage/keys.ts` · length of value · value
 *     manifest   one line of JSON (`Manifest`), then a line with the SHA-256 of the first line, in hexadecimal digits
 *
 * An object never changes, with two exceptions: a backup replaces a damaged chunk or blob, and `gc` removes an object that no backup needs. A backup
 * writes its chunks, blobs and secret first, and its manifest last. An interrupted backup therefore has no manifest, and the next backup uses the
 * objects that it wrote. Every backup is complete: its manifest lists all objects that it needs.
 *
 * A full backup (format 1) has all records in chunks. Chunks and blobs that the repository already has are not written again. A chunk ends after a record
 * that is chosen by the bytes of its key, so a change affects only the chunks around it.
 *
 * An incremental backup (format 2) has the chunks of an earlier full backup, and the changes of records since then, in one object for each backup
 * (`changes.ts`). The keys from the beginning of a chunk up to the next chunk are its range. `ranges` has the sum of the present records of each range
 * that changed, so the next backup finds its changes without the older records, and a reader checks that the changes lead to the right records.
 *
 * A tar file (POSIX ustar) holds one backup. Extracting it yields a repository that is a folder. All files have mode 0600, and all folders 0700, because the
 * secret decrypts the links in the records.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import type { StoredRecord } from '../../storage/records.ts'
import { decodeKey } from '../../storage/keys.ts'
import { AdminError } from '../error.ts'

/** The newest format that this program reads and writes. */
export const backupFormat = 2

/** The format of full backups, chunks and the stamp. Programs that do not know incremental backups read it, too. */
export const fullFormat = 1

/**
 * Rules for the end of a chunk. A chunk of at least `bytes` ends after a record with a suitable key; on average, one key in `suitable` is suitable. The
 * rules depend only on the records in the chunk, so two backups have identical chunks again soon after a difference.
 */
const chunkEnds = [
  { bytes: 256 * 1024, suitable: 16 },
  { bytes: 1024 * 1024, suitable: 4 },
  { bytes: 4 * 1024 * 1024, suitable: 1 }
] as const

export const stampName = 'agmd-backup.json'

const namePatterns = [
  /^agmd-backup\.json$/,
  /^chunks\/[0-9a-f]{2}\/[0-9a-f]{64}$/,
  /^blobs\/[A-Za-z0-9_-]{2}\/[A-Za-z0-9_-]{24}$/,
  /^secrets\/[A-Za-z0-9_-]{43}$/,
  /^snapshots\/\d{8}T\d{9}Z-[0-9a-f]{8}\.json$/
]

/** Whether a name is the name of a backup's object. No such name leads out of the repository. */
export const isObjectName = (name: string): boolean => {
  const [, folder = '', last] = name.split('/')
  return namePatterns.some((pattern) => pattern.test(name)) && (last === undefined || last.startsWith(folder))
}

export const chunkName = (sha256: string): string => `chunks/${sha256.slice(0, 2)}/${sha256}`
export const blobName = (blob: string): string => `blobs/${blob.slice(0, 2)}/${blob}`
export const secretName = (fingerprint: string): string => `secrets/${fingerprint}`

export interface ChunkEntry {
  readonly sha256: string
  readonly bytes: number
  readonly records: number
  /** The first key, base64url. */
  readonly first: string
}

/** The changes that one backup wrote. */
export interface ChangesEntry {
  readonly sha256: string
  readonly bytes: number
}

/** The present records in a chunk's range. */
export interface RangeSum {
  /** The index of the chunk in the manifest. */
  readonly chunk: number
  /** The hash, length and number of records that a chunk with the present records would have. */
  readonly sha256: string
  readonly bytes: number
  readonly records: number
}

/** Describes one backup. */
export interface Manifest {
  /** 1 for a full backup, 2 for an incremental one. */
  readonly format: number
  /** `TIME-ID`, as in the name of the manifest. */
  readonly id: string
  readonly instance: string
  /** The time at which the snapshot of the store was taken, as an ISO time. */
  readonly createdAt: string
  /** The version of the program that made the backup. */
  readonly createdBy: string
  /** The format of the data folder from which the backup was made. */
  readonly dataFormat: number
  /** The program version that created the installation, and the time of creation, from `instance.json`. */
  readonly installation: { readonly createdBy: string; readonly createdAt: string }
  readonly store: 'lmdb' | 'postgres'
  readonly records: number
  /** The number of bytes that the chunks of a full backup of these records would have. */
  readonly bytes: number
  readonly blobs: { readonly count: number; readonly bytes: number }
  /** Blobs that have a record, but could not be read when the backup was made. */
  readonly damagedBlobs: readonly string[]
  /** The fingerprint of the secret that decrypts the links. */
  readonly secret: string
  /** `file`: the backup includes the secret. `left out`: the operator left it out. `AGMD_SECRET`: the secret is a setting, so it is not included. */
  readonly secretIn: 'file' | 'left out' | 'AGMD_SECRET'
  readonly chunks: readonly ChunkEntry[]
  /** The changes since the full backup, oldest first. This field and the following ones belong to incremental backups. */
  readonly changes?: readonly ChangesEntry[]
  /** The ranges whose records differ from their chunks, or once differed. */
  readonly ranges?: readonly RangeSum[]
  /** The time of the full backup, as an ISO time. */
  readonly fullAt?: string
}

export const sha256Of = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

export const encodeManifest = (manifest: Manifest): Uint8Array => {
  const line = JSON.stringify(manifest)
  return Buffer.from(`${line}\n${sha256Of(line)}\n`)
}

/** Returns a manifest. Throws `AdminError` with exit code 3 for damage, and 4 for a newer format. */
export const decodeManifest = (name: string, bytes: Uint8Array): Manifest => {
  const [line = '', sum] = Buffer.from(bytes).toString().split('\n')
  if (sum !== sha256Of(line))
    throw new AdminError(`${name} is damaged or truncated. Choose another backup with --snapshot.`, { exitCode: 3 })
  const manifest = JSON.parse(line) as Manifest
  refuseNewer(name, manifest.format)
  return manifest
}

export const encodeStamp = (instance: string): Uint8Array => Buffer.from(`${JSON.stringify({ format: fullFormat, instance })}\n`)

/** Returns the installation to which a repository belongs. Throws `AdminError` with exit code 3 for damage, and 4 for a newer format. */
export const decodeStamp = (shown: string, bytes: Uint8Array): string => {
  let stamp: { format?: unknown; instance?: unknown }
  try {
    stamp = JSON.parse(Buffer.from(bytes).toString()) as typeof stamp
  } catch (error) {
    throw new AdminError(`${stampName} in ${shown} is damaged. Use another copy of the backup.`, { exitCode: 3, cause: error })
  }
  refuseNewer(shown, Number(stamp.format))
  if (typeof stamp.instance !== 'string')
    throw new AdminError(`${stampName} in ${shown} is damaged. Use another copy of the backup.`, { exitCode: 3 })
  return stamp.instance
}

const refuseNewer = (what: string, format: number): void => {
  if (format <= backupFormat) return
  const advice = 'Install the version of agmd that made it, or a newer one.'
  throw new AdminError(`${what} has backup format ${format}; this version of agmd reads formats up to ${backupFormat}. ${advice}`, {
    exitCode: 4
  })
}

export interface Chunk extends ChunkEntry {
  readonly content: Uint8Array
}

/** Returns a function that collects records into chunks. It returns each chunk when it is complete. A call without a record returns the last chunk. */
export const createChunker = (): ((record?: Pick<StoredRecord, 'bytes' | 'value'>) => Chunk | undefined) => {
  let encoder = encoding.createEncoder()
  let [records, first] = [0, '']
  let length = 0
  const finish = (): Chunk => {
    const content = encoding.toUint8Array(encoder)
    const chunk = { sha256: sha256Of(content), bytes: content.length, records, first, content }
    records = 0
    return chunk
  }
  return (record) => {
    if (record === undefined) return records === 0 ? undefined : finish()
    if (records === 0) {
      encoder = encoding.createEncoder()
      encoding.writeVarUint(encoder, fullFormat)
      first = Buffer.from(record.bytes).toString('base64url')
      length = 0
    }
    encoding.writeVarUint8Array(encoder, record.bytes)
    encoding.writeVarUint8Array(encoder, record.value)
    records++
    length += record.bytes.length + record.value.length
    const number = crc32(record.bytes)
    return chunkEnds.some(({ bytes, suitable }) => length >= bytes && number % suitable === 0) ? finish() : undefined
  }
}

/** Returns the content of a chunk with these records. */
export const encodeRecords = (records: readonly Pick<StoredRecord, 'bytes' | 'value'>[]): Uint8Array => {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, fullFormat)
  for (const { bytes, value } of records) {
    encoding.writeVarUint8Array(encoder, bytes)
    encoding.writeVarUint8Array(encoder, value)
  }
  return encoding.toUint8Array(encoder)
}

/** Throws `AdminError` with exit code 3 if a chunk's content does not match its name. */
export const checkContent = (sha256: string, content: Uint8Array): void => {
  if (sha256Of(content) === sha256) return
  throw new AdminError(`${chunkName(sha256)} is damaged or truncated. Use another copy of the backup, or an older snapshot.`, {
    exitCode: 3
  })
}

/** Returns a chunk's records. Throws `AdminError` with exit code 3 if the content does not match its entry. */
export const decodeChunk = ({ sha256, records }: ChunkEntry, content: Uint8Array): StoredRecord[] => {
  checkContent(sha256, content)
  const decoder = decoding.createDecoder(content)
  decoding.readVarUint(decoder)
  return Array.from({ length: records }, () => {
    const bytes = decoding.readVarUint8Array(decoder)
    return { bytes, key: decodeKey(bytes), value: decoding.readVarUint8Array(decoder) }
  })
}

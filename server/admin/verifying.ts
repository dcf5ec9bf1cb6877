/**
 * Compares the records of an installation or backup with each other and with the blobs. Replays journals, and checks the counters of documents, links and
 * assets. The engines check the checksum of each record when it is read.
 */
import { hash } from 'node:crypto'
import { ServiceError } from '../../shared/errors.ts'
import type { Key, Storage } from '../domain/ports.ts'
import type { StoredRecord } from '../storage/records.ts'
import { isStored } from '../domain/documents/deleted.ts'
import { decodeRecord, type Head, type KeyIndex, keys, type Share } from '../domain/records/keys.ts'
import { hashSecret, type Vault } from '../domain/secrets.ts'
import { checkHistory, entriesBelow } from '../domain/text/check-history.ts'
import { lowestKey, type StoreSnapshot } from '../storage/snapshot.ts'
import { type BlobEntry, blobsIn } from './blob-records.ts'
import type { OnProgress } from './progress.ts'
import { withRecordsBelow } from './sorted-records.ts'

export interface VerifyOptions {
  readonly snapshot: StoreSnapshot
  /** Returns a blob's bytes; undefined if it is missing. */
  readonly readBlob: (blob: BlobEntry) => Promise<Uint8Array | undefined>
  /** Null if the secret is not known. In that case, the links are not decrypted. */
  readonly vault: Vault | null
  readonly onProgress: OnProgress
}

export interface Report {
  readonly records: number
  readonly documents: number
  readonly blobs: number
  readonly bytes: number
  /** The number of problems. */
  readonly problemCount: number
  /** The first problems, at most `problemsMax`. */
  readonly problems: readonly string[]
}

const problemsMax = 100

/** A larger document is read again from the store, in small pieces. In bytes of keys and values. */
const gatheredBytesMax = 64 * 1024 * 1024

/** The records of one document, which are adjacent in the store. */
interface Gathered {
  /** The document id, as in the keys of the records. */
  readonly doc: Key[number]
  readonly head: Head
  readonly records: StoredRecord[]
  bytes: number
}

/** Whether a record belongs to a document. */
const isPart = ({ key }: StoredRecord, { doc }: Gathered): boolean => key[0] === 'd' && key[1] === doc

/** Checks everything, and continues after a problem. Throws `storage_unavailable`, and `AdminError` if a backup is damaged. */
export const verify = async (options: VerifyOptions): Promise<Report> => {
  const { snapshot, onProgress } = options
  const problems: string[] = []
  let problemCount = 0
  const report = (text: string): void => {
    problemCount++
    if (problems.length < problemsMax) problems.push(text)
  }
  const total = await snapshot.count()
  const wanted = new Map<string, BlobEntry>()
  let [records, documents, bytes] = [0, 0, 0]
  onProgress({ phase: 'records', done: 0, total, unit: 'records' })
  let gathered: Gathered | undefined
  const checkGathered = async (): Promise<void> => {
    if (gathered === undefined) return
    const { head } = gathered
    documents++
    for await (const problem of guarded(checkDocument(withGathered(options, gathered), head))) report(`Document ${head.id}: ${problem}`)
    gathered = undefined
  }
  for (let above = lowestKey; ;) {
    const found = await snapshot.scan(above)
    if (found.length === 0) break
    for (const record of found) {
      const { key, value } = record
      bytes += value.length
      for (const blob of blobsIn(record)) wanted.set(blob.name, blob)
      if (gathered !== undefined && !isPart(record, gathered)) await checkGathered()
      if (key[0] === 'd' && key.length === 2) gathered = { doc: key[1]!, head: decodeRecord<Head>(value), records: [], bytes: 0 }
      else if (gathered !== undefined) gather(gathered, record)
    }
    records += found.length
    above = found.at(-1)!.bytes
    onProgress({ phase: 'records', done: records, total: Math.max(total, records), unit: 'records' })
  }
  await checkGathered()
  await checkBlobs(options, wanted, report)
  return { records, documents, blobs: wanted.size, bytes, problemCount, problems }
}

const gather = (gathered: Gathered, record: StoredRecord): void => {
  gathered.bytes += record.bytes.length + record.value.length
  if (gathered.bytes <= gatheredBytesMax) gathered.records.push(record)
  else gathered.records.length = 0
}

/**
 * Returns the options with a store that holds a document's records in memory, unless they are too large. Listing them again would cost more than the
 * other checks.
 */
const withGathered = (options: VerifyOptions, { doc, records, bytes }: Gathered): VerifyOptions => {
  if (bytes > gatheredBytesMax) return options
  const storage = withRecordsBelow(['d', doc], records, options.snapshot.storage)
  return { ...options, snapshot: { ...options.snapshot, storage } }
}

/** Yields the problems that a check finds. If damage makes the check throw, yields that as a problem, too. */
async function* guarded(check: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* check
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'storage_unavailable') throw error
    if (error instanceof Error && 'exitCode' in error) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
    yield `a record cannot be read (${error instanceof Error ? error.message : String(error)}${cause}).`
  }
}

async function* checkDocument({ snapshot: { storage }, vault }: VerifyOptions, head: Head): AsyncGenerator<string> {
  // An erased document keeps its head, and the hashes of its keys.
  if (!isStored(head)) return
  yield* checkHistory(storage, head)
  yield* checkCounter(storage, keys.events(head.id), head.event, 'event')
  yield* checkCounter(storage, keys.revisions(head.id), head.revision, 'revision')
  for await (const { value } of entriesBelow(storage, keys.shares(head.id)))
    yield* checkShare(storage, vault, head, decodeRecord<Share>(value))
  for await (const { key } of entriesBelow(storage, keys.assets(head.id))) {
    const id = String(key.at(-1))
    const index = await storage.get(keys.assetDocument(id))
    if (index === undefined || decodeRecord<string>(index.value) !== head.id) yield `the index does not have its asset ${id}.`
  }
}

async function* checkCounter(storage: Storage, prefix: readonly (string | number)[], newest: number, noun: string): AsyncGenerator<string> {
  const [last] = await storage.list(prefix, { reverse: true, limit: 1 })
  const found = last === undefined ? 0 : last.key.at(-1)
  if (found !== newest) yield `the head names ${noun} ${newest} as the newest, but the newest ${noun} is ${found}.`
}

async function* checkShare(storage: Storage, vault: Vault | null, { id: doc }: Head, share: Share): AsyncGenerator<string> {
  if (share.revokedAt !== null) return
  const index = await storage.get(keys.key(share.hash))
  const entry = index && decodeRecord<KeyIndex>(index.value)
  if (entry?.doc !== doc || entry.share !== share.id) yield `the index does not have its link ${share.id}.`
  if (vault !== null && !opens(vault, share)) yield `the secret does not decrypt its link ${share.id}.`
}

const opens = (vault: Vault, { id, sealed, hash: expected }: Share): boolean => {
  try {
    return hashSecret(vault.open(sealed, id)) === expected
  } catch {
    return false
  }
}

const checkBlobs = async (
  { readBlob, onProgress }: VerifyOptions,
  wanted: ReadonlyMap<string, BlobEntry>,
  report: (text: string) => void
) => {
  const total = [...wanted.values()].reduce((sum, { size }) => sum + size, 0)
  let done = 0
  for (const blob of wanted.values()) {
    const content = await readBlob(blob)
    if (content === undefined) report(`Asset ${blob.name} is missing.`)
    else if (hash('sha256', content, 'base64url') !== blob.hash) report(`Asset ${blob.name} is damaged.`)
    done += blob.size
    onProgress({ phase: 'assets', done, total, unit: 'bytes' })
  }
}

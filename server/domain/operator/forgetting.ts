/**
 * Removes a secret from the whole history of a document: from its versions, comments, suggestions, assignments and events. Blocks of the same length
 * replace it (text/redaction.ts), so every version, revision and anchor stays valid. The current text must not contain the secret, because removing
 * it there is an ordinary edit.
 *
 * Each step is a separate commit. The oldest entries, in which the secret is found, are written last. After a crash, the act can therefore be
 * repeated, and then finishes.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { isStored } from '../documents/deleted.ts'
import type { Entry, Key, KeyPart } from '../ports.ts'
import { removeDrawings } from '../media/drawings.ts'
import { audit } from '../records/audit.ts'
import type { Transaction } from '../records/transaction.ts'
import { decodeRecord, encodeRecord, type Head, keys, type Revision, type StoredEvent } from '../records/keys.ts'
import { rereadAnnotations } from '../review/annotated-document.ts'
import type { Service } from '../service.ts'
import {
  contentAt,
  decodeState,
  encodeProjection,
  encodeState,
  formatVersion,
  parseVersion,
  redactedRecord,
  redactedSegment,
  snapshotOf
} from '../text/journal.ts'
import { type Characters, maskRecord, redactUpdate } from '../text/redaction.ts'
import { findTraces, type MaskedLines, maskedVersions } from '../text/traces.ts'
import { storedHead } from './documents.ts'
import { actorIn, type Operator } from './operator.ts'

/** The changes made by a run. The counts are for the last run, so they are lower if an earlier run was interrupted. */
export interface Forgotten {
  readonly doc: string
  /** Characters that were removed from the versions. Each counts once, however many versions contain it. */
  readonly characters: number
  /** Comments, suggestions, assignments, events and other records that were changed. */
  readonly records: number
  /** The revisions whose text is different now, oldest first: at most `limits.forgetRevisionsMax`. */
  readonly revisions: readonly { readonly revisionId: number; readonly version: string }[]
  /** The number of these revisions. */
  readonly revisionsChanged: number
}

type Versions = ReadonlyMap<number, MaskedLines>

/** The number of records that one commit changes. */
const recordsAtOnce = 50

/** How often the work on the journal is tried again because the journal has since been compacted. */
const attemptsMax = 10

async function* pagesBelow({ storage }: Service, prefix: Key): AsyncGenerator<Entry[]> {
  for (let after: KeyPart | undefined; ;) {
    const page = await storage.list(prefix, { limit: recordsAtOnce, ...(after !== undefined && { after }) })
    if (page.length > 0) yield page
    if (page.length < recordsAtOnce) return
    after = page.at(-1)?.key[prefix.length]
  }
}

const refuse = (message: string, hint: string): never => {
  throw new ServiceError('invalid_request', { message, hint })
}

/** Returns the current text. Throws `invalid_request` if the text or the title contains the secret. */
const textWithout = async ({ storage }: Service, head: Head, secret: string): Promise<string> => {
  const content = await contentAt(storage, head.id, head)
  const at = content.indexOf(secret)
  const hint = 'Remove the text from the document first. Then run the command again.'
  if (at !== -1) refuse(`Line ${content.slice(0, at).split('\n').length} of the document still contains this text.`, hint)
  if (head.title?.includes(secret)) refuse('The title of the document still contains this text.', hint)
  return content
}

/** Returns the revisions and content events of a document, with the sequence numbers that they name. */
const wantedVersions = async (service: Service, doc: string): Promise<{ seqs: Set<number>; revisions: Revision[] }> => {
  const seqs = new Set<number>()
  const revisions: Revision[] = []
  for await (const page of pagesBelow(service, keys.revisions(doc)))
    for (const { value } of page) {
      const revision = decodeRecord<Revision>(value)
      revisions.push(revision)
      seqs.add(revision.seq)
    }
  for await (const page of pagesBelow(service, keys.events(doc)))
    for (const { value } of page) {
      const { payload } = decodeRecord<StoredEvent>(value)
      if (!('hunks' in payload)) continue
      for (const version of [payload.fromVersion, payload.toVersion]) seqs.add(parseVersion(version)?.seq ?? 0)
    }
  return { seqs, revisions }
}

const maskEvent = (event: StoredEvent, secret: string, versions: Versions): StoredEvent => {
  const { payload } = event
  if (!('hunks' in payload)) return maskRecord(event, secret)
  const [from, to] = [payload.fromVersion, payload.toVersion].map((version) => versions.get(parseVersion(version)?.seq ?? 0))
  const hide = (lines: readonly string[], known: MaskedLines | undefined): readonly string[] =>
    known === undefined ? lines : lines.map((line) => known.get(line) ?? line)
  const hunks = payload.hunks.map((hunk) => ({ ...hunk, removed: hide(hunk.removed, from), added: hide(hunk.added, to) }))
  const isSame = hunks.every(({ removed, added }, index) => {
    const old = payload.hunks[index]
    return String(removed) === String(old?.removed) && String(added) === String(old?.added)
  })
  return maskRecord(isSame ? event : ({ ...event, payload: { ...payload, hunks } } as StoredEvent), secret)
}

/** Whether a run changes the records that contain the secret, or only counts them. */
type Mode = 'change' | 'count'

/** Masks the records below a prefix. They are read again in the commit, because people may change them meanwhile. */
const maskBelow = async <T>(service: Service, doc: string, prefix: Key, mask: (record: T) => T, mode: Mode): Promise<number> => {
  let count = 0
  for await (const page of pagesBelow(service, prefix)) {
    const reads = page.filter(({ value }) => mask(decodeRecord<T>(value)) !== decodeRecord<T>(value)).map(({ key }) => key)
    if (mode === 'count') count += reads.length
    if (mode === 'count' || reads.length === 0) continue
    const change = (tx: Transaction): number => {
      let changed = 0
      for (const key of reads) {
        const record = tx.read<T>(key)
        const hidden = record && mask(record)
        if (hidden === undefined || hidden === record) continue
        changed += 1
        // Quotas count an event as appended, so the old one must be removed.
        tx.delete(key)
        tx.put(key, encodeRecord(hidden))
      }
      // The annotations in memory, here and on other nodes, are then read again.
      tx.head = { ...tx.head, annotated: (tx.head.annotated ?? 0) + changed }
      tx.erase()
      return changed
    }
    count += await service.ledger.write(doc, 'system', change, { reads, afterDeletion: true })
  }
  return count
}

const maskRecords = async (service: Service, doc: string, secret: string, versions: Versions, mode: Mode): Promise<number> => {
  let count = await maskBelow<StoredEvent>(service, doc, keys.events(doc), (event) => maskEvent(event, secret, versions), mode)
  const prefixes = [keys.comments, keys.suggestions, keys.tasks, keys.revisions, keys.shares, keys.jobs].map((below) => below(doc))
  for (const prefix of prefixes) count += await maskBelow(service, doc, prefix, (record) => maskRecord(record, secret), mode)
  if (mode === 'change' && service.live.find(doc) !== undefined && count > 0) {
    const held = await service.live.open(doc)
    await rereadAnnotations(service, held).finally(() => held.release())
  }
  return count
}

/** Replaces the bytes at a key. */
const replace = (tx: Transaction, key: Key, value: Uint8Array): void => {
  tx.delete(key)
  tx.put(key, value)
  tx.erase()
}

/** Changes states and the journal, newest first. Returns false if the journal has since been compacted. */
const redactJournal = async (service: Service, head: Head, characters: Characters): Promise<boolean> => {
  const { storage, ledger } = service
  const doc = head.id
  const redact = (update: Uint8Array): Uint8Array | undefined => redactUpdate(update, characters)
  const write = (change: (tx: Transaction) => void): Promise<boolean> =>
    ledger.write(
      doc,
      'system',
      (tx) => {
        if (tx.head.segmentedSeq !== head.segmentedSeq) return false
        change(tx)
        return true
      },
      { afterDeletion: true }
    )
  const redactState = async ({ key, value }: Entry): Promise<boolean> => {
    const { bytes, ...point } = decodeState(value)
    const state = redact(bytes)
    return state === undefined || write((tx) => replace(tx, key, encodeState(point, state)))
  }
  /** Changes the records below a prefix one by one, newest first. */
  const newestFirst = async (prefix: Key, change: (entry: Entry) => Promise<boolean>): Promise<boolean> => {
    for (let before: KeyPart | undefined; ;) {
      const [entry] = await storage.list(prefix, { reverse: true, limit: 1, ...(before !== undefined && { before }) })
      if (entry === undefined) return true
      if (!(await change(entry))) return false
      before = entry.key.at(-1)
    }
  }
  const checkpoint = await storage.get(keys.checkpoint(doc))
  if (checkpoint !== undefined && !(await redactState(checkpoint))) return false
  if (!(await newestFirst(keys.keyframes(doc), redactState))) return false
  const tail = await newestFirst(keys.updates(doc), async ({ key, value }) => {
    // A crash during a compaction left this record behind.
    if ((key.at(-1) as number) <= (head.segmentedSeq ?? 0)) return write((tx) => tx.delete(key))
    const record = redactedRecord(value, redact)
    return record === undefined || write((tx) => replace(tx, key, record))
  })
  if (!tail) return false
  return newestFirst(keys.histories(doc), async ({ key, value }) => {
    const segment = await redactedSegment(value, redact)
    return segment === undefined || write((tx) => replace(tx, key, segment))
  })
}

/** Writes the current text again, and removes the pictures of diagrams, which may contain the secret in pieces. Pages draw them again. */
const renewDerived = (service: Service, operator: Operator, head: Head, content: string): Promise<void> => {
  const change = (tx: Transaction): void => {
    audit(tx, { kind: 'admin.forget', by: operator.actor, doc: head.id })
    tx.put(keys.text(head.id), encodeProjection(snapshotOf(head, content)))
    removeDrawings(tx)
    tx.erase()
  }
  return service.ledger.write(head.id, operator.by, change, { reads: [keys.drawings(head.id)], afterDeletion: true })
}

/** Tells the document's readers that text was removed. The event does not contain the text. */
const tell = (service: Service, operator: Operator, doc: string): Promise<void> =>
  service.ledger.write(doc, operator.by, (tx) => void tx.event('doc.redacted', actorIn(operator), {}), { afterDeletion: true })

/**
 * Removes a secret from the history of a document. Throws `not_found`, `document_deleted`, `invalid_request` if the document still contains the secret, and
 * `busy` if the journal is compacted repeatedly.
 */
export const forgetText = async (service: Service, operator: Operator, doc: string, secret: string): Promise<Forgotten> => {
  await service.live.find(doc)?.durable()
  const first = await storedHead(service, doc)
  await renewDerived(service, operator, first, await textWithout(service, first, secret))
  let told = false
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const head = await storedHead(service, doc)
    if (!isStored(head)) break
    const characters = await findTraces(service.storage, head, secret)
    const { seqs, revisions } = await wantedVersions(service, doc)
    const versions = await maskedVersions(service.storage, head, characters, seqs)
    // The event comes first, so that a killed run has already announced its changes. The second run announces the rest.
    if (!told && (characters.size > 0 || (await maskRecords(service, doc, secret, versions, 'count')) > 0)) {
      await tell(service, operator, doc)
      told = true
    }
    const records = await maskRecords(service, doc, secret, versions, 'change')
    if (!(await redactJournal(service, head, characters))) continue
    const changed = revisions.filter(({ seq }) => versions.has(seq))
    return {
      doc,
      characters: characters.size,
      records,
      revisions: changed
        .slice(0, limits.forgetRevisionsMax)
        .map((revision) => ({ revisionId: revision.id, version: formatVersion(revision) })),
      revisionsChanged: changed.length
    }
  }
  throw new ServiceError('busy')
}

/** Decides which old versions of a document are removed (retention.ts). */
import { limits } from '../../../shared/limits.ts'
import type { Key, KeyPart } from '../ports.ts'
import { decodeRecord, type Head, keys, type Revision, type Task } from '../records/keys.ts'
import type { Service } from '../service.ts'
import { parseVersion } from './journal.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function* recordsBelow<T>({ storage }: Service, prefix: Key): AsyncGenerator<T> {
  for (let after: KeyPart | undefined; ;) {
    const page = await storage.list(prefix, { limit: limits.sweepCommitRecords, ...(after !== undefined && { after }) })
    for (const { value } of page) yield decodeRecord<T>(value)
    if (page.length < limits.sweepCommitRecords) return
    after = page.at(-1)?.key[prefix.length]
    await nextTurn()
  }
}

/** The result of a decision about one document. */
export interface Plan {
  /** Versions up to this sequence number are removed, unless they are in `kept`. A record of the journal ends here. */
  readonly upTo: number
  /** The sequence numbers of the versions that stay, including `upTo`. */
  readonly kept: ReadonlySet<number>
  /** The revisions to remove. */
  readonly removed: readonly Revision[]
  /** Whether a journal record has become old. Otherwise, only revisions are removed, and their text goes with the next record. */
  readonly merges: boolean
  /** Events from before this time lose their lines, in milliseconds since 1970. */
  readonly before: number
}

/** The versions that a pass keeps. */
export interface Kept {
  /** Versions from before this time are removed, in milliseconds since 1970. */
  readonly before: number
  /** The maximum number of revisions without a name in a document. 0: no limit. */
  readonly revisionsMax: number
}

/** Returns the number of the last entry of the newest record of the journal that has no entry after `seq`; 0 if there is none. */
const recordEnd = async ({ storage }: Service, doc: string, seq: number): Promise<number> => {
  const newest = await Promise.all(
    [keys.histories(doc), keys.updates(doc)].map((prefix) => storage.list(prefix, { before: seq + 1, reverse: true, limit: 1 }))
  )
  return Math.max(0, ...newest.flat().map(({ key }) => key.at(-1) as number))
}

/** Returns the sequence numbers of the versions that open review assignments name. */
const assignedVersions = async (service: Service, doc: string): Promise<number[]> => {
  const found: number[] = []
  for await (const { closedAt, startingVersion, report } of recordsBelow<Task>(service, keys.tasks(doc)))
    if (closedAt === null)
      for (const version of [startingVersion, report?.reviewedVersion]) found.push(parseVersion(version ?? '')?.seq ?? 0)
  return found
}

/** Returns the ids of the oldest revisions without a name that exceed the limit. */
const surplusOf = (revisions: readonly Revision[], revisionsMax: number): ReadonlySet<number> => {
  const unnamed = revisions.filter(({ label }) => label === null)
  return new Set(unnamed.slice(0, revisionsMax === 0 ? 0 : Math.max(0, unnamed.length - revisionsMax)).map(({ id }) => id))
}

/** Decides what to remove from a document. Returns undefined if nothing new is old enough. */
export const planFor = async (service: Service, head: Head, { before, revisionsMax }: Kept): Promise<Plan | undefined> => {
  const revisions: Revision[] = []
  for await (const revision of recordsBelow<Revision>(service, keys.revisions(head.id))) revisions.push(revision)
  const surplus = surplusOf(revisions, revisionsMax)
  const isOld = ({ id, createdAt }: Revision): boolean => createdAt < before || surplus.has(id)
  // A revision is saved after all entries that lead to it, so these entries are as old.
  const old = revisions.reduce((newest, revision) => (isOld(revision) ? Math.max(newest, revision.seq) : newest), 0)
  const upTo = await recordEnd(service, head.id, old)
  const merges = upTo > (head.historySeq ?? 0)
  const stays = (revision: Revision): boolean => revision.label !== null || revision.id === head.revision || !isOld(revision)
  const named = new Set([...revisions.filter(stays).map(({ seq }) => seq), ...(await assignedVersions(service, head.id))])
  const removed = revisions.filter(({ id, seq }) => !named.has(seq) && ((merges && seq < upTo) || surplus.has(id)))
  if (!merges && removed.length === 0) return undefined
  return { upTo, kept: new Set([upTo, ...named]), removed, merges, before: surplus.size > 0 ? Infinity : before }
}

/** Whether a document may have versions to remove, judged by its head alone. */
export const mayHaveOld = (
  { createdAt, revision, revisionsRemoved = 0, historySeq = 0, seq }: Head,
  { before, revisionsMax }: Kept
): boolean => (createdAt < before && historySeq < seq) || (revisionsMax > 0 && revision - revisionsRemoved > revisionsMax)

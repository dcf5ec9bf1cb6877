/**
 * The storage that documents use: the bytes of their text, history, comments, suggestions and assignments. Assets have a separate quota
 * (assets.ts).
 *
 * The head of a document holds its byte count. The commit that changes the bytes also changes the count, so a crash cannot separate the two. The
 * usage of an owner is the sum of one record for each document, `['usage', kind, id, doc]`. That record is written when the count has changed by
 * `limits.usageStepBytes`, and with each canonical text, but not for each keystroke. A sum can therefore be too low by at most one step for each
 * open document. An anonymous document counts toward the address from which it was created, which is stored as a keyed hash.
 */
import { limits } from '../../../shared/limits.ts'
import { isStored } from './deleted.ts'
import { encodeRecord, type Head, keys } from '../records/keys.ts'
import type { Key, Put, Storage } from '../ports.ts'

/** Kinds of records that get a new key with each put. */
const appended: ReadonlySet<unknown> = new Set(['update', 'history', 'keyframe', 'event'])
/** Kinds of records that a put can replace. */
const replaced: ReadonlySet<unknown> = new Set([
  'checkpoint',
  'text',
  'revision',
  'comment',
  'suggestion',
  'task',
  'drawings',
  'picture',
  'imported'
])

const counts = (doc: string, [first, second, kind]: Key): boolean =>
  first === 'd' && second === doc && (appended.has(kind) || replaced.has(kind))

const bytesAt = async (storage: Storage, key: Key): Promise<number> => (await storage.get(key))?.value.length ?? 0

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0)

/**
 * Returns by how many bytes a batch changes the size of a document; negative if the document shrinks. Reads the replaced and deleted records. Returns
 * a promise only if there are such records.
 */
export const bytesMoved = (storage: Storage, doc: string, puts: readonly Put[], deletes: readonly Key[]): number | Promise<number> => {
  const counted = puts.filter(({ key }) => counts(doc, key))
  const over = counted.map(({ key }) => key).filter(([, , kind]) => replaced.has(kind))
  const gone = deletes.filter((key) => counts(doc, key))
  const added = sum(counted.map(({ value }) => value.length))
  // Most commits only append to the journal.
  if (over.length === 0 && gone.length === 0) return added
  // Several changes in one batch can delete the same record.
  const touched = new Map([...over, ...gone].map((key) => [JSON.stringify(key), key]))
  return Promise.all([...touched.values()].map((key) => bytesAt(storage, key))).then((before) => added - sum(before))
}

/**
 * The account, agent or client address whose quota a document counts against. Anonymous documents count against the quota of the address from which
 * they were created.
 */
export type Payer = readonly [kind: 'account' | 'agent' | 'address', id: string]

/** Returns the payer whose quota a document counts against; undefined for an anonymous document that was created before quotas existed. */
export const payerOf = ({ owner, origin }: Pick<Head, 'owner' | 'origin'>): Payer | undefined => {
  if (owner.kind !== 'anonymous') return owner.id === undefined ? undefined : [owner.kind, owner.id]
  return origin === undefined ? undefined : ['address', origin]
}

const usageKey = (head: Head): Key | undefined => {
  const payer = payerOf(head)
  return payer && keys.usage(...payer, head.id)
}

const isSame = (one: Key | undefined, other: Key | undefined): boolean =>
  one?.length === other?.length && (one ?? []).every((part, index) => part === other?.[index])

/** Whether the usage record of a document must be written now. */
const isDue = (head: Head, puts: readonly Put[]): boolean => {
  const moved = Math.abs((head.bytes ?? 0) - (head.usage ?? 0))
  return head.usage === undefined || moved >= limits.usageStepBytes || (moved > 0 && puts.some(({ key }) => key[2] === 'text'))
}

/** Returns the additional writes of a commit that update the sums: the head, and the usage record of the document. */
export const countUsage = (
  before: Head | undefined,
  head: Head,
  puts: readonly Put[]
): { readonly head: Head; readonly puts: readonly Put[]; readonly deletes: readonly Key[] } => {
  if (head.bytes === undefined) return { head, puts: [], deletes: [] }
  // Most commits change neither the payer nor the record.
  const isPaidAsBefore = before?.usage !== undefined && before.owner === head.owner && before.origin === head.origin
  if (isPaidAsBefore && isStored(head) && !isDue(head, puts)) return { head, puts: [], deletes: [] }
  const { usage: _usage, ...rest } = head
  const former = before?.usage === undefined ? undefined : usageKey(before)
  // A document in the trash still uses storage, and so does one that was taken down.
  const key = isStored(head) ? usageKey(head) : undefined
  const deletes = former === undefined || isSame(former, key) ? [] : [former]
  if (key === undefined) return { head: rest, puts: [], deletes }
  if (isSame(former, key) && !isDue(head, puts)) return { head, puts: [], deletes }
  return { head: { ...rest, usage: head.bytes }, puts: [{ key, value: encodeRecord(head.bytes) }], deletes }
}

/** Counts the bytes of a document, page by page, if its head does not have the count yet. The count can miss changes that are made meanwhile. */
export const measure = async (storage: Storage, doc: string): Promise<number> => {
  let bytes = 0
  for (const kind of [...appended, ...replaced] as string[]) {
    if (kind === 'checkpoint' || kind === 'text' || kind === 'imported') {
      bytes += await bytesAt(storage, ['d', doc, kind])
      continue
    }
    let after: string | number | undefined
    for (;;) {
      const entries = await storage.list(['d', doc, kind], { limit: limits.usagePage, ...(after === undefined ? {} : { after }) })
      bytes += sum(entries.map(({ value }) => value.length))
      after = entries.at(-1)?.key.at(-1)
      if (entries.length < limits.usagePage) break
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return bytes
}

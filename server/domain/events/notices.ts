/**
 * The recipients of an event: mentioned people, authors whose annotations got a reply or a decision, and the reviewer. The commit that writes the
 * event also writes its recipients, as `['d', doc, 'notice', seq]`. For the document's owner, it adds an inbox entry.
 *
 * Inbox entries are numbered in the order of their commits, so a reader that continues from a number misses no entry.
 */
import { limits } from '../../../shared/limits.ts'
import { mentionOf } from '../../../shared/mentions.ts'
import { type Caller, authorOf, sameAuthor, splitActor, taskOf } from '../rights/caller.ts'
import { expiring } from '../records/expiry.ts'
import {
  type Author,
  type Comment,
  decodeRecord,
  encodeRecord,
  type Head,
  type InboxEntry,
  keys,
  type Notice,
  type Reply,
  type StoredEvent
} from '../records/keys.ts'
import type { Clock, Entry, Key, Put, Storage } from '../ports.ts'

/** Returns a name in the form used for comparison, which ignores case. */
export const sameMention = (name: string): string => name.toLowerCase()

/** The reader of an inbox. */
export interface Reader {
  readonly author: Author
  /** The name in the form of mentions, in lower case. Undefined if the reader has no name. */
  readonly name: string | undefined
  /** Id of the assignment whose link the reader uses. Null for any other link. */
  readonly task: string | null
}

const nameIn = (name: string | null | undefined): string | undefined => (name ? sameMention(mentionOf(name)) : undefined)

/** Returns the reader that corresponds to a caller. A guest who has not chosen a name gets the name for which the link was made. */
export const readerOf = (caller: Caller): Reader => {
  const author = authorOf(caller)
  return { author, name: nameIn(author.name ?? caller.linkName), task: taskOf(caller) }
}

const ownerOf = ({ owner: { kind, id, name } }: Head): Reader | undefined =>
  kind === 'anonymous' || id === undefined ? undefined : { author: { kind, id, name: name ?? null }, name: nameIn(name), task: null }

/** Whether the reader caused the event. In chats, guests are identified only by name. */
const isOwn = ({ author, name: own }: Reader, { by }: Notice, actor: string): boolean => {
  if (by !== undefined) return sameAuthor(by, author)
  const { kind, name } = splitActor(actor)
  return kind === author.kind && (kind === 'guest' ? nameIn(name) === own : actor.startsWith(`${kind}:${author.id} `))
}

/** Whether an event is for this reader. */
export const isFor = (reader: Reader, notice: Notice, { actor }: Pick<StoredEvent, 'actor'>): boolean => {
  const { names = [], people = [], except = [], task } = notice
  if (task !== undefined && task === reader.task) return true
  if (isOwn(reader, notice, actor)) return false
  const { author, name } = reader
  if (name !== undefined && names.includes(name)) return true
  return people.some((each) => sameAuthor(each, author)) && (name === undefined || !except.includes(name))
}

/** Returns everyone who wrote in a thread, without duplicates: first the author of the thread, then the people who replied, latest reply first. */
export const takingPart = ({
  author,
  replies = []
}: Pick<Comment, 'author'> & { readonly replies?: readonly Reply[] }): readonly Author[] => {
  const all = [author, ...replies.map((reply) => reply.author).toReversed()]
  const people: Author[] = []
  for (const each of all) if (people.length < limits.inboxPeopleMax && !people.some((other) => sameAuthor(each, other))) people.push(each)
  return people
}

/** An event of a transaction, together with its recipients. */
export interface Noticed {
  readonly event: StoredEvent
  readonly notice: Notice
}

/** Returns the newest number of an inbox; 0 if the inbox is empty. */
export const newestIn = async (storage: Storage, inbox: Key): Promise<number> => {
  const [last] = await storage.list(inbox, { reverse: true, limit: 1 })
  return last === undefined ? 0 : Number(last.key.at(-1))
}

/** Returns the oldest entries of an inbox, as many as exceed its limit. */
const overfull = async (storage: Storage, inbox: Key): Promise<Entry[]> => {
  const [last] = (await storage.list(inbox, { reverse: true, limit: limits.inboxEntriesMax })).slice(limits.inboxEntriesMax - 1)
  return last === undefined ? [] : storage.list(inbox, { before: Number(last.key.at(-1)) })
}

const lifetimeMs = limits.inboxDays * 24 * 3600 * 1000
/** The number of inbox numbers in each millisecond. No inbox gets that many entries in a millisecond. */
const numbersOfMs = 1024

/** Writes the notices of one process. */
export interface Notices {
  /** Prepares the notices of a commit. The returned function numbers the entries. Call it directly before the commit, without an `await` in between. */
  prepare(head: Head, noticed: readonly Noticed[]): Promise<() => Put[]>
}

export const createNotices = (storage: Storage, clock: Clock): Notices => {
  let last = 0
  const written = new Map<string, number>()

  /** Trims inboxes to their limit from time to time. */
  const trim = async (inbox: Key): Promise<void> => {
    const name = inbox.join(' ')
    const count = written.get(name) ?? 0
    if (written.size >= limits.listMax) written.clear()
    written.set(name, count + 1)
    if (count % limits.inboxTrimEvery !== 0) return
    const old = await overfull(storage, inbox)
    if (old.length > 0) await storage.commit({ deletes: old.map(({ key }) => key) })
  }

  return {
    async prepare(head, noticed) {
      const owner = ownerOf(head)
      const isOwners = new Set(noticed.filter(({ event, notice }) => owner !== undefined && isFor(owner, notice, event)))
      const inbox = owner === undefined || isOwners.size === 0 ? undefined : keys.inbox(owner.author.kind, owner.author.id)
      if (inbox !== undefined) {
        await trim(inbox)
        // New numbers must be above those already read, even if the clock was set back.
        last = Math.max(last, await newestIn(storage, inbox))
      }
      return () =>
        noticed.flatMap((each) => {
          const { event, notice } = each
          const place = keys.notice(head.id, event.seq)
          if (inbox === undefined || !isOwners.has(each)) return [{ key: place, value: encodeRecord(notice) }]
          last = Math.max(last + 1, clock.now() * numbersOfMs)
          const key = [...inbox, last]
          const entry: InboxEntry = { doc: head.id, seq: event.seq, expiresAt: event.at + lifetimeMs }
          return [{ key: place, value: encodeRecord({ ...notice, entry: key }) }, ...expiring(key, entry)]
        })
    }
  }
}

/** Returns an array with the key of the notice's inbox entry. The array is empty if there is none. */
export const entryOf = ({ key, value }: Entry): Key[] => {
  const entry = key[2] === 'notice' ? decodeRecord<Notice>(value).entry : undefined
  return entry === undefined ? [] : [entry]
}

/** Empties the inbox of an account that is being deleted. */
export const removeInbox = async (storage: Storage, kind: Author['kind'], id: string): Promise<void> => {
  for (;;) {
    const entries = await storage.list(keys.inbox(kind, id), { limit: limits.listMax })
    if (entries.length === 0) return
    await storage.commit({ deletes: entries.map(({ key }) => key) })
  }
}

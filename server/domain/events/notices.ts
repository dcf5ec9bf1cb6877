/**
 * Recipients of an event: mentioned people, authors of answered or decided annotations, and the reviewer. They are written in the commit of the
 * event, as `['d', doc, 'notice', seq]`. For the owner of the document, the commit also adds an inbox entry.
 *
 * The entries of an inbox are numbered in the order of their commits. So a reader that continues from a number misses none.
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

/** The comparable form of a name: case does not matter. */
export const sameMention = (name: string): string => name.toLowerCase()

/** The reader of an inbox. */
export interface Reader {
  readonly author: Author
  /** The name in the form of mentions, in lower case; undefined: none. */
  readonly name: string | undefined
  /** Id of the assignment whose link is used. */
  readonly task: string | null
}

const nameIn = (name: string | null | undefined): string | undefined => (name ? sameMention(mentionOf(name)) : undefined)

/** The reader of a caller. A guest without a chosen name has the one that their link was made for. */
export const readerOf = (caller: Caller): Reader => {
  const author = authorOf(caller)
  return { author, name: nameIn(author.name ?? caller.linkName), task: taskOf(caller) }
}

const ownerOf = ({ owner: { kind, id, name } }: Head): Reader | undefined =>
  kind === 'anonymous' || id === undefined ? undefined : { author: { kind, id, name: name ?? null }, name: nameIn(name), task: null }

/** Whether the reader caused the event. In chats, only the name identifies guests. */
const isOwn = ({ author, name: own }: Reader, { by }: Notice, actor: string): boolean => {
  if (by !== undefined) return sameAuthor(by, author)
  const { kind, name } = splitActor(actor)
  return kind === author.kind && (kind === 'guest' ? nameIn(name) === own : actor.startsWith(`${kind}:${author.id} `))
}

/** Whether an event is for somebody. */
export const isFor = (reader: Reader, notice: Notice, { actor }: Pick<StoredEvent, 'actor'>): boolean => {
  const { names = [], people = [], except = [], task } = notice
  if (task !== undefined && task === reader.task) return true
  if (isOwn(reader, notice, actor)) return false
  const { author, name } = reader
  if (name !== undefined && names.includes(name)) return true
  return people.some((each) => sameAuthor(each, author)) && (name === undefined || !except.includes(name))
}

/** Everybody who wrote in a thread, each once, latest first. */
export const takingPart = ({
  author,
  replies = []
}: Pick<Comment, 'author'> & { readonly replies?: readonly Reply[] }): readonly Author[] => {
  const all = [author, ...replies.map((reply) => reply.author).toReversed()]
  const people: Author[] = []
  for (const each of all) if (people.length < limits.inboxPeopleMax && !people.some((other) => sameAuthor(each, other))) people.push(each)
  return people
}

/** An event of a draft with its recipients. */
export interface Noticed {
  readonly event: StoredEvent
  readonly notice: Notice
}

/** The newest number of an inbox; 0: it is empty. */
export const newestIn = async (storage: Storage, inbox: Key): Promise<number> => {
  const [last] = await storage.list(inbox, { reverse: true, limit: 1 })
  return last === undefined ? 0 : Number(last.key.at(-1))
}

/** Entries beyond the bound, oldest first. */
const overfull = async (storage: Storage, inbox: Key): Promise<Entry[]> => {
  const [last] = (await storage.list(inbox, { reverse: true, limit: limits.inboxEntriesMax })).slice(limits.inboxEntriesMax - 1)
  return last === undefined ? [] : storage.list(inbox, { before: Number(last.key.at(-1)) })
}

const lifetimeMs = limits.inboxDays * 24 * 3600 * 1000
/** Numbers for one millisecond; more than there can be entries in it. */
const numbersOfMs = 1024

/** The writer of notices of one process. */
export interface Notices {
  /** Called before a commit. The returned function is called in the turn of the commit, and numbers the entries. */
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
        // A clock that was set back must not give numbers below those already read.
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

/** The entry that goes with a notice of a document. */
export const entryOf = ({ key, value }: Entry): Key[] => {
  const entry = key[2] === 'notice' ? decodeRecord<Notice>(value).entry : undefined
  return entry === undefined ? [] : [entry]
}

/** Empties the inbox of an account that ends. */
export const removeInbox = async (storage: Storage, kind: Author['kind'], id: string): Promise<void> => {
  for (;;) {
    const entries = await storage.list(keys.inbox(kind, id), { limit: limits.listMax })
    if (entries.length === 0) return
    await storage.commit({ deletes: entries.map(({ key }) => key) })
  }
}

/**
 * Mentions in the chats of a document become events, `chat.mentioned`: once a message that is new in the text has stood as it is for a
 * while, whoever wrote it, by page, API or tool.
 *
 * What is told is kept, so that it is told once: for each author, minute and name how many messages of different words stood in the text at
 * once. A message that moves, is copied, is edited, or comes back (undo, another start) makes that number no larger. Messages have no ids;
 * who deletes one and mentions the same person anew within the minute is not heard.
 */
import { hash } from 'node:crypto'
import { parseChat, plainAuthor } from '../../shared/fences/chat.ts'
import { fencesOf } from '../../shared/fences/fences.ts'
import { limits } from '../../shared/limits.ts'
import { mentionsOf } from '../../shared/mentions.ts'
import { healActor, nameOfActor, systemActor } from './caller.ts'
import type { Snapshot } from './journal.ts'
import { encodeRecord, keys } from './keys.ts'
import type { Draft, Ledger } from './ledger.ts'
import type { Clock, Key } from './ports.ts'
import type { Room } from './room.ts'

export interface Mentions {
  /** Tells at once what would be told later. */
  settle(): Promise<void>
  stop(): void
}

interface MentionsOptions {
  readonly room: Room
  /** What it says is no news. */
  readonly before: string
  readonly ledger: Ledger
  readonly clock: Clock
  readonly onProblem: (error: unknown) => void
}

/** A message in which somebody is mentioned. */
interface Said {
  readonly author: string
  readonly at: string
  readonly text: string
  readonly name: string
  /** Counted from 1. */
  readonly line: number
}

/** Messages by author, time and name mentioned, and in there by their words. */
type Index = ReadonlyMap<string, ReadonlyMap<string, Said>>

/** Spares texts without a chat the walk. */
const mayHold = /(?:```|~~~)[ \t]*chat/

const indexOf = (content: string): Index => {
  const index = new Map<string, Map<string, Said>>()
  if (!mayHold.test(content)) return index
  for (const fence of fencesOf(content).filter(({ kind }) => kind === 'chat')) {
    for (const entry of parseChat(fence).entries) {
      if (entry.kind !== 'message' || entry.imported) continue
      const { author, at, text } = entry
      for (const name of mentionsOf(text).slice(0, limits.mentionEventsMax)) {
        const id = hash('sha256', JSON.stringify([author, at, name.toLowerCase()]), 'base64url').slice(0, 22)
        const known = index.get(id) ?? new Map<string, Said>()
        if (!known.has(text)) known.set(text, { author, at, text, name, line: fence.line + entry.index + 2 })
        index.set(id, known)
      }
    }
  }
  return index
}

/** A message that is told of. */
interface Message extends Omit<Said, 'name'> {
  readonly mentions: { readonly id: string; readonly name: string }[]
}

/** How many messages mention a name: before, and now as far as they are told. */
interface Count {
  readonly id: string
  readonly before: number
  readonly after: number
}

export const createMentions = ({ room, before, ledger, clock, onProblem }: MentionsOptions): Mentions => {
  const doc = room.id
  let known = indexOf(before)
  /** Since when messages that are to be told stand as they do. */
  let waiting = new Map<string, number>()
  let actors = new Set<string>()
  let cancel: (() => void) | undefined

  /** Whose the message is, of those who wrote meanwhile. */
  const actorOf = (author: string): string => {
    const people = [...actors].filter((actor) => actor !== healActor)
    const own = people.find((actor) => plainAuthor(nameOfActor(actor)) === author)
    return own ?? (people.length === 1 ? people[0] : undefined) ?? systemActor
  }

  const write = async (to: Snapshot, counts: readonly Count[], messages: readonly Message[]): Promise<void> => {
    const actorsOf = messages.map(({ author }) => actorOf(author))
    const key = (id: string): Key => keys.mention(doc, id)
    const run = (draft: Draft): void => {
      const left = new Map<string, number>()
      for (const { id, before: had, after } of counts) {
        const heard = draft.read<number>(key(id)) ?? 0
        if (Math.max(had, after) > heard) draft.put(key(id), encodeRecord(Math.max(had, after)))
        left.set(id, after - Math.max(had, heard))
      }
      // Of several the last is the new one, and those before it are edited.
      const heard = messages.toReversed().map(({ mentions }) =>
        mentions.filter(({ id }) => {
          const rest = left.get(id) ?? 0
          left.set(id, rest - 1)
          return rest > 0
        })
      )
      messages.forEach(({ author, at, text, line }, index) => {
        const names = heard.at(-1 - index)?.map(({ name }) => name) ?? []
        if (names.length === 0) return
        const words = text.slice(0, limits.mentionTextCharsMax).toWellFormed()
        draft.event('chat.mentioned', actorsOf[index] ?? systemActor, { names, author, sentAt: at, text: words, line }, to.version)
      })
    }
    await room.durable(to.seq)
    await ledger.write(doc, 'system', run, { reads: counts.map(({ id }) => key(id)) })
  }

  /** Tells what is to be told now; `all`: what would be told later too. */
  const look = async (all: boolean): Promise<void> => {
    cancel?.()
    cancel = undefined
    if (room.failed) return
    const to = room.snapshot()
    const now = indexOf(to.content)
    const counts = new Map<string, Count>()
    const messages = new Map<string, Message>()
    const later = new Map<string, number>()
    for (const [id, texts] of now) {
      const had = known.get(id)
      let after = 0
      for (const [text, { name, ...said }] of texts) {
        const place = `${id} ${text}`
        const isNew = had?.has(text) !== true
        const since = waiting.get(place) ?? clock.now()
        if (isNew && !all && clock.now() - since < limits.healQuietMs) {
          later.set(place, since)
          continue
        }
        after += 1
        if (!isNew) continue
        counts.set(id, { id, before: had?.size ?? 0, after })
        const message = JSON.stringify([said.author, said.at, text])
        messages.set(message, { ...said, mentions: [...(messages.get(message)?.mentions ?? []), { id, name }] })
      }
      const count = counts.get(id)
      if (count !== undefined) counts.set(id, { ...count, after })
    }
    waiting = later
    const isSettled = later.size === 0
    if (isSettled) {
      // Those that go are remembered, in case they come back.
      for (const [id, { size }] of [...known].slice(-limits.listMax)) {
        const after = now.get(id)?.size ?? 0
        if (size > after && !counts.has(id)) counts.set(id, { id, before: size, after })
      }
      known = now
    }
    const writing = counts.size === 0 ? undefined : write(to, [...counts.values()], [...messages.values()].slice(-limits.mentionEventsMax))
    if (isSettled) actors = new Set()
    else plan()
    await writing
  }

  const plan = (): void => {
    cancel ??= clock.after(limits.healLookMs, () => {
      look(false).catch(onProblem)
    })
  }

  const stopUpdates = room.onUpdate((_update, actor) => {
    actors.add(actor)
    plan()
  })
  // A run that ended before it could tell.
  if (before !== room.snapshot().content) plan()

  return {
    settle: () => look(true),
    stop() {
      stopUpdates()
      cancel?.()
    }
  }
}

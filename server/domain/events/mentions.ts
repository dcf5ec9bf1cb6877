/**
 * Mentions in the chats of a document become events, `chat.mentioned`: once a message that is new in the text has stood as it is for a
 * while, whoever wrote it, by page, API or tool.
 *
 * Told mentions are recorded, so that each is told once: for each author, minute and name how many messages of different words stood in the text at
 * once. A message that moves, is copied, is edited, or comes back (undo, another start) makes that number no larger. Messages have no ids;
 * who deletes one and mentions the same person again within the minute is not heard.
 */
import { plainAuthor } from '../../../shared/fences/chat.ts'
import { limits } from '../../../shared/limits.ts'
import { healActor, nameOfActor, systemActor } from '../rights/caller.ts'
import type { Snapshot } from '../text/journal.ts'
import { encodeRecord, keys } from '../records/keys.ts'
import type { Draft, Ledger } from '../records/draft.ts'
import { type MentionIndex, mentionIndex, type Said } from './mention-index.ts'
import { sameMention } from './notices.ts'
import type { Clock, Key } from '../ports.ts'
import type { OpenDocument } from '../text/open-document.ts'
import type { Texts } from '../text/text-work.ts'

export interface Mentions {
  /** Tells at once what would be told later. */
  settle(): Promise<void>
  stop(): void
}

interface MentionsOptions {
  readonly room: OpenDocument
  /** The text before: its mentions are no news. */
  readonly before: string
  readonly ledger: Ledger
  readonly clock: Clock
  readonly texts: Texts
  readonly onProblem: (error: unknown) => void
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

export const createMentions = ({ room, before, ledger, clock, texts, onProblem }: MentionsOptions): Mentions => {
  const doc = room.id
  const indexOf = (content: string): Promise<MentionIndex> => texts.do(doc, 'mentionIndex', content)
  /** A small text is read in this very turn. */
  const indexAtOnce = (content: string): MentionIndex | undefined =>
    content.length <= limits.textInlineUnitsMax ? mentionIndex(content) : undefined
  /** Mentions that the text had before: kept as the text until they are first needed. */
  let known: MentionIndex | string = before
  /** Since when messages that are to be told stand as they do. */
  let waiting = new Map<string, number>()
  let actors = new Set<string>()
  let cancel: (() => void) | undefined

  /** The message's author, among those who wrote meanwhile. */
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
      // If there are several, the last is the new one, and the ones before it are edited.
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
        const payload = { names, author, sentAt: at, text: words, line }
        const event = draft.event('chat.mentioned', actorsOf[index] ?? systemActor, payload, to.version)
        draft.notify(event, { names: names.map(sameMention) })
      })
    }
    await room.durable(to.seq)
    await ledger.write(doc, 'system', run, { reads: counts.map(({ id }) => key(id)) })
  }

  /** Tells what is to be told now; `all`: what would be told later too. */
  const lookOnce = async (all: boolean): Promise<void> => {
    cancel?.()
    cancel = undefined
    if (room.failed) return
    const former = typeof known === 'string' ? (indexAtOnce(known) ?? (await indexOf(known))) : known
    const to = room.snapshot()
    const now = indexAtOnce(to.content) ?? (await indexOf(to.content))
    const counts = new Map<string, Count>()
    const messages = new Map<string, Message>()
    const later = new Map<string, number>()
    for (const [id, texts] of now) {
      const had = former.get(id)
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
      // Mentions that go are remembered, in case they come back.
      for (const [id, { size }] of [...former].slice(-limits.listMax)) {
        const after = now.get(id)?.size ?? 0
        if (size > after && !counts.has(id)) counts.set(id, { id, before: size, after })
      }
      known = now
    } else known = former
    const writing = counts.size === 0 ? undefined : write(to, [...counts.values()], [...messages.values()].slice(-limits.mentionEventsMax))
    // The next look asks for the authors of later edits.
    if (isSettled && room.seq === to.seq) actors = new Set()
    if (!isSettled) plan()
    await writing
  }

  let looking: Promise<void> | undefined
  /** One look after the other. */
  const look = (all: boolean): Promise<void> => {
    const mine = looking === undefined ? lookOnce(all) : looking.then(() => lookOnce(all))
    const done = mine
      .catch(() => undefined)
      .finally(() => {
        if (looking === done) looking = undefined
      })
    looking = done
    return mine
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

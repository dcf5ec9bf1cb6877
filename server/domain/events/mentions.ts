/**
 * Turns mentions in a document's chats into `chat.mentioned` events, once a new message has been unchanged for a while. It does not matter who wrote
 * the message, or whether it came from a page, the API or a tool.
 *
 * Reported mentions are recorded, so that each of them makes only one event. The record counts, for each author, minute and name, how many different
 * messages were in the text at the same time. Moving, copying, editing or restoring a message (undo, restart) does not increase that number. Messages
 * have no ids: if somebody deletes one and mentions the same person again within the minute, there is no second event.
 */
import { plainAuthor } from '../../../shared/fences/chat.ts'
import { limits } from '../../../shared/limits.ts'
import { isGuestNumber } from '../../../shared/names.ts'
import { tidyActor, nameOfActor, systemActor } from '../rights/caller.ts'
import type { Snapshot } from '../text/journal.ts'
import { encodeRecord, keys } from '../records/keys.ts'
import type { Transaction, Ledger } from '../records/transaction.ts'
import { type MentionIndex, mentionIndex, type MentioningMessage } from './mention-index.ts'
import { sameMention } from './notices.ts'
import type { Clock, Key } from '../ports.ts'
import type { OpenDocument } from '../text/open-document.ts'
import type { Texts } from '../text/text-work.ts'

export interface Mentions {
  /** Immediately reports all mentions that wait on this node. */
  settle(): Promise<void>
  stop(): void
}

interface MentionsOptions {
  readonly openDoc: OpenDocument
  /** The earlier text. Its mentions are not new. */
  readonly before: string
  /** The actors who wrote the changes since then. */
  readonly writers: ReadonlySet<string>
  readonly ledger: Ledger
  readonly clock: Clock
  readonly texts: Texts
  /** Whether other nodes may write the document too. */
  readonly isShared: boolean
  readonly onProblem: (error: unknown) => void
}

/** A message to report. */
interface Message extends Omit<MentioningMessage, 'name'> {
  readonly mentions: { readonly id: string; readonly name: string }[]
}

/** The number of messages that mention a name, in the earlier text (`before`) and in the current text (`after`). */
interface Count {
  readonly id: string
  readonly before: number
  readonly after: number
}

const withoutAuthor = ({ at, name, text }: MentioningMessage): string => JSON.stringify([at, name.toLowerCase(), text])

/** Returns the messages that are no longer in the text under the number of a guest. If the guest has taken a name, they are there under this name. */
function signedSince(former: MentionIndex, now: MentionIndex): ReadonlySet<string> {
  const messages = [...former].flatMap(([id, texts]) => [...texts.values()].filter(({ text }) => now.get(id)?.has(text) !== true))
  return new Set(messages.filter(({ author }) => isGuestNumber(author)).map(withoutAuthor))
}

export const createMentions = ({ openDoc, before, writers, ledger, clock, texts, isShared, onProblem }: MentionsOptions): Mentions => {
  const doc = openDoc.id
  const indexOf = (content: string): Promise<MentionIndex> => texts.do(doc, 'mentionIndex', content)
  /** Returns the index of the text if it is small enough to be read in this turn of the event loop. */
  const indexAtOnce = (content: string): MentionIndex | undefined =>
    content.length <= limits.textInlineUnitsMax ? mentionIndex(content) : undefined
  /** The mentions of the earlier text. Until they are first needed, this is the text itself. */
  let known: MentionIndex | string = before
  /** The time since which each waiting message has not changed. */
  let waiting = new Map<string, number>()
  let actors = new Set(writers)
  /**
   * Whether a page or program connected to this node has written since the last check. Otherwise another node reports the messages, unless that node
   * has ended.
   */
  let hasWritten = false
  let cancel: (() => void) | undefined
  let isLate = false

  /** Returns the actor who wrote a message: a recent editor with the name `author`, or else the only recent editor, or else the system. */
  const actorOf = (author: string): string => {
    const people = [...actors].filter((actor) => actor !== tidyActor)
    const own = people.find((actor) => plainAuthor(nameOfActor(actor)) === author)
    return own ?? (people.length === 1 ? people[0] : undefined) ?? systemActor
  }

  const write = async ({ version: seen }: Snapshot, counts: readonly Count[], messages: readonly Message[]): Promise<void> => {
    let version = seen
    const actorsOf = messages.map(({ author }) => actorOf(author))
    const key = (id: string): Key => keys.mention(doc, id)
    const run = (tx: Transaction): void => {
      const left = new Map<string, number>()
      for (const { id, before: had, after } of counts) {
        const heard = tx.read<number>(key(id)) ?? 0
        if (Math.max(had, after) > heard) tx.put(key(id), encodeRecord(Math.max(had, after)))
        left.set(id, after - Math.max(had, heard))
      }
      // If several messages match, the last one counts as new, and the earlier ones count as edited.
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
        const words = text.slice(0, limits.mentionTextUnitsMax).toWellFormed()
        const payload = { names, author, sentAt: at, text: words, line }
        const event = tx.event('chat.mentioned', actorsOf[index] ?? systemActor, payload, version)
        tx.notify(event, { names: names.map(sameMention) })
      })
    }
    // Other nodes may have written earlier updates, which change the number of this version. The event must name the version on disk.
    if (isShared) version = (await openDoc.settled(() => openDoc.snapshot())).version
    else await openDoc.durable()
    await ledger.write(doc, 'system', run, { reads: counts.map(({ id }) => key(id)) })
  }

  /** Reports the mentions that are due. With `all`, also reports the mentions that still wait. */
  const lookOnce = async (all: boolean): Promise<void> => {
    cancel?.()
    cancel = undefined
    if (openDoc.failed) return
    // Text that was only read has no new mentions.
    if (known === openDoc.snapshot().content) {
      actors = new Set()
      hasWritten = false
      return
    }
    const former = typeof known === 'string' ? (indexAtOnce(known) ?? (await indexOf(known))) : known
    const to = openDoc.snapshot()
    const now = indexAtOnce(to.content) ?? (await indexOf(to.content))
    const counts = new Map<string, Count>()
    const messages = new Map<string, Message>()
    const later = new Map<string, number>()
    const signed = signedSince(former, now)
    for (const [id, texts] of now) {
      const had = former.get(id)
      let [before, after] = [had?.size ?? 0, 0]
      for (const [text, message] of texts) {
        const { name, ...said } = message
        const place = `${id} ${text}`
        const isNew = had?.has(text) !== true
        const isSigned = isNew && signed.has(withoutAuthor(message))
        const since = waiting.get(place) ?? clock.now()
        if (isNew && !isSigned && !all && clock.now() - since < limits.tidyQuietMs) {
          later.set(place, since)
          continue
        }
        after += 1
        if (!isNew) continue
        if (isSigned) before += 1
        counts.set(id, { id, before, after })
        const key = JSON.stringify([said.author, said.at, text])
        if (!isSigned) messages.set(key, { ...said, mentions: [...(messages.get(key)?.mentions ?? []), { id, name }] })
      }
      const count = counts.get(id)
      if (count !== undefined) counts.set(id, { ...count, after })
    }
    waiting = later
    const isSettled = later.size === 0
    if (isSettled) {
      // Removed mentions are remembered, because undo can bring them back.
      for (const [id, { size }] of [...former].slice(-limits.listMax)) {
        const after = now.get(id)?.size ?? 0
        if (size > after && !counts.has(id)) counts.set(id, { id, before: size, after })
      }
      known = now
    } else known = former
    const writing = counts.size === 0 ? undefined : write(to, [...counts.values()], [...messages.values()].slice(-limits.mentionEventsMax))
    // The next check needs only the authors of later edits.
    if (isSettled && openDoc.tag === to.tag) {
      actors = new Set()
      hasWritten = false
    }
    if (!isSettled) plan()
    await writing
  }

  let looking: Promise<void> | undefined
  /** Runs the checks one after another. */
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

  /** Plans the next check. A late check gives the writer's node time to report the messages. */
  const plan = (late = false): void => {
    if (cancel !== undefined && (late || !isLate)) return
    cancel?.()
    isLate = late
    cancel = clock.after(late ? limits.announceLateMs : limits.tidyCheckMs, () => {
      look(false).catch(onProblem)
    })
  }

  const stopUpdates = openDoc.onUpdate((local) => {
    for (const writer of local) actors.add(writer)
    hasWritten = true
    plan()
  })
  const stopForeign = openDoc.onForeign((_head, foreign) => {
    for (const writer of foreign) actors.add(writer)
    if (foreign.size > 0) plan(true)
  })
  // The process that wrote the text may have ended before it could report its mentions.
  if (before !== openDoc.snapshot().content) plan(isShared)

  return {
    // A message from another node may still change, so only stable ones are reported.
    settle: () => look(hasWritten || !isShared),
    stop() {
      stopUpdates()
      stopForeign()
      cancel?.()
    }
  }
}

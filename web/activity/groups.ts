/**
 * Groups the feed for reading: by day, and within a day by author. Changes that an author made within half an hour share an entry. This module has no
 * user interface code.
 */
import type { EventFields } from '../../shared/events.ts'
import type { FeedEvent } from './event.ts'

export interface Entry {
  /** Newest first. An event that did not change the text is a separate entry. */
  readonly events: readonly FeedEvent[]
  readonly latest: FeedEvent
}

export interface Day {
  /** Start of the day in this device's time zone, in milliseconds since 1970. */
  readonly start: number
  readonly entries: readonly Entry[]
}

/** Longest time between two changes that share an entry, in milliseconds. */
const togetherMs = 30 * 60_000

const startOf = (instant: number): number => new Date(instant).setHours(0, 0, 0, 0)

/**
 * Returns the author of a text change. Several people who changed the text at once count as one author. Undefined for other events and for changes by
 * the service.
 */
function authorOf({ kind, actor, actorKind, payload }: FeedEvent): string | undefined {
  const { actors }: EventFields = payload
  if (kind !== 'content.changed' || (actorKind === 'system' && actors === undefined)) return undefined
  return JSON.stringify([actorKind, actor, actorKind === 'system' && actors !== undefined ? actors.toSorted() : []])
}

/** Whether another event says the same: a decision on suggestions is an event for each suggestion, and a text change. */
const isTold = ({ kind, payload }: FeedEvent): boolean => {
  const { suggestionIds, reopenedIds }: EventFields = payload
  return kind === 'content.changed' && (suggestionIds ?? reopenedIds) !== undefined
}

/** Whether `event` reports the mentions in the comment or reply that `before` reports. The server writes both in one commit. */
const isMentionIn = (event: FeedEvent, before: FeedEvent | undefined): boolean => {
  if (event.kind !== 'comment.mentioned' || before?.seq !== event.seq - 1 || !before.kind.startsWith('comment.')) return false
  const [mention, text]: EventFields[] = [event.payload, before.payload]
  return mention?.commentId === text?.commentId && mention?.replyId === text?.replyId && event.actor === before.actor
}

/**
 * Leaves out events that another one repeats: decisions that another event describes, comments whose mentions are the next event, and changes that
 * the author of a suggestion made soon after the last version. A page sends a suggestion in parts while its author types. `events` are newest first, and those after the cursor `seen` are new.
 */
export function withoutRepeats(events: readonly FeedEvent[], seen: number): readonly FeedEvent[] {
  /** The last event of each suggestion. */
  const last = new Map<string, FeedEvent>()
  const repeated = new Set<FeedEvent>()
  let previous: FeedEvent | undefined
  for (const event of events.toReversed()) {
    if (previous !== undefined && isMentionIn(event, previous)) repeated.add(previous)
    previous = event
    const { suggestionId }: EventFields = event.payload
    if (isTold(event)) repeated.add(event)
    if (suggestionId === undefined) continue
    const before = last.get(suggestionId)
    last.set(suggestionId, event)
    if (event.kind !== 'suggestion.edited' || before === undefined) continue
    const isVersion = before.kind === 'suggestion.created' || before.kind === 'suggestion.edited'
    const isSoon = event.ts - before.ts <= togetherMs && before.seq > seen === event.seq > seen
    if (isVersion && isSoon && before.actor === event.actor && before.actorKind === event.actorKind) repeated.add(event)
  }
  return events.filter((event) => !repeated.has(event))
}

/** Returns the events that undid a restore: a person restored the version that had been there just before it. */
export function undoneRestores(events: readonly FeedEvent[]): ReadonlySet<FeedEvent> {
  const restores = new Map<number, FeedEvent>()
  const undone = new Set<FeedEvent>()
  for (const event of events.toReversed()) {
    const { revision, revisionId }: EventFields = event.payload
    if (event.kind !== 'content.restored' || revision === undefined || revisionId === undefined) continue
    const before = restores.get(revision + 1)
    if (before !== undefined && before.actor === event.actor && before.actorKind === event.actorKind) undone.add(event)
    restores.set(revisionId, event)
  }
  return undone
}

/** Groups `events`, which are newest first. Events after the cursor `seen` are new. */
export function groupByDay(events: readonly FeedEvent[], seen: number): readonly Day[] {
  const days: { start: number; entries: { events: FeedEvent[]; latest: FeedEvent }[] }[] = []
  /**
   * The open entry of each author. If two people type at the same time, their events alternate. Each person keeps one entry until an event of another
   * kind arrives.
   */
  const places = new Map<string, number>()
  let wasNew = true
  for (const event of events) {
    const start = startOf(event.ts)
    let day = days.at(-1)
    if (day?.start !== start) {
      day = { start, entries: [] }
      days.push(day)
      places.clear()
    }
    const author = authorOf(event)
    // New events never share an entry with seen ones. An event that is not a text change also closes all open entries.
    if (author === undefined || wasNew !== event.seq > seen) places.clear()
    wasNew = event.seq > seen
    const place = author === undefined ? undefined : places.get(author)
    const entry = place === undefined ? undefined : day.entries[place]
    if (entry !== undefined && (entry.events.at(-1)?.ts ?? 0) - event.ts <= togetherMs) entry.events.push(event)
    else {
      if (author !== undefined) places.set(author, day.entries.length)
      day.entries.push({ events: [event], latest: event })
    }
  }
  return days
}

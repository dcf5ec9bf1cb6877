/** Groups the feed for reading: by day, with the changes of one author within half an hour as one entry. No user interface. */
import type { EventFields } from '../../shared/events.ts'
import type { FeedEvent } from './event.ts'

export interface Entry {
  /** Newest first; an event that is not a change of text is a separate entry. */
  readonly events: readonly FeedEvent[]
  readonly latest: FeedEvent
}

export interface Day {
  /** The first moment of the day, in this device's time zone. */
  readonly start: number
  readonly entries: readonly Entry[]
}

/** Changes this close together are one entry, in milliseconds. */
const togetherMs = 30 * 60_000

const startOf = (instant: number): number => new Date(instant).setHours(0, 0, 0, 0)

/**
 * Returns the author of a change of the text; undefined for other events and changes by the service. Several simultaneous people count as one author.
 */
function authorOf({ kind, actor, actorKind, payload }: FeedEvent): string | undefined {
  const { actors }: EventFields = payload
  if (kind !== 'content.changed' || (actorKind === 'system' && actors === undefined)) return undefined
  return JSON.stringify([actorKind, actor, actorKind === 'system' && actors !== undefined ? actors.toSorted() : []])
}

/** `events` newest first; those after the cursor `seen` are new. */
export function groupByDay(events: readonly FeedEvent[], seen: number): readonly Day[] {
  const days: { start: number; entries: { events: FeedEvent[]; latest: FeedEvent }[] }[] = []
  /** The current entry of each author, among adjacent entries that are only changes of the text: two people who type at the same time alternate. */
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
    // New events are separate from seen ones; other events separate the changes before and after them.
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

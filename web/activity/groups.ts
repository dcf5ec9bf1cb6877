/** The feed as it is read: by day, and what one author wrote within half an hour as one entry. No user interface. */
import type { EventFields } from '../../shared/events.ts'
import type { FeedEvent } from './event.ts'

export interface Entry {
  /** Newest first; all but changes of text stand alone. */
  readonly events: readonly FeedEvent[]
  readonly latest: FeedEvent
}

export interface Day {
  /** The first moment of the day, where this device is. */
  readonly start: number
  readonly entries: readonly Entry[]
}

/** Changes this close together are one entry, in milliseconds. */
const togetherMs = 30 * 60_000

const startOf = (instant: number): number => new Date(instant).setHours(0, 0, 0, 0)

/** The author of a change of the text; undefined: no change of the text, or one of the service. Several people at once are one author. */
function authorOf({ kind, actor, actorKind, payload }: FeedEvent): string | undefined {
  const { actors }: EventFields = payload
  if (kind !== 'content.changed' || (actorKind === 'system' && actors === undefined)) return undefined
  return JSON.stringify([actorKind, actor, actorKind === 'system' && actors !== undefined ? actors.toSorted() : []])
}

/** `events` newest first; those after the cursor `seen` are new. */
export function groupByDay(events: readonly FeedEvent[], seen: number): readonly Day[] {
  const days: { start: number; entries: { events: FeedEvent[]; latest: FeedEvent }[] }[] = []
  /** Where the entry of each author stands, among entries that are changes of the text alone: two people who type at once alternate. */
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
    // New events stand apart from seen ones; other events stand between what was written before and after them.
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

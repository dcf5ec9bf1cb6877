/** The feed as it is read: by day, and what one author wrote in a row as one entry. No user interface. */
import type { FeedEvent } from './feed.ts'

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

const belongs = ({ events, latest }: Entry, event: FeedEvent, seen: number): boolean => {
  const last = events.at(-1) ?? latest
  const same =
    latest.kind === 'content.changed' && event.kind === latest.kind && event.actor === latest.actor && event.actorKind === latest.actorKind
  // What is new stands apart from what is not.
  return same && event.actorKind !== 'system' && last.ts - event.ts <= togetherMs && last.seq > seen === event.seq > seen
}

/** `events` newest first; those after the cursor `seen` are new. */
export function groupByDay(events: readonly FeedEvent[], seen: number): readonly Day[] {
  const days: { start: number; entries: Entry[] }[] = []
  for (const event of events) {
    const start = startOf(event.ts)
    let day = days.at(-1)
    if (day?.start !== start) {
      day = { start, entries: [] }
      days.push(day)
    }
    const last = day.entries.at(-1)
    if (last !== undefined && belongs(last, event, seen)) day.entries[day.entries.length - 1] = { ...last, events: [...last.events, event] }
    else day.entries.push({ events: [event], latest: event })
  }
  return days
}

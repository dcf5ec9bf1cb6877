/**
 * The event feed of an open document, newest first. It loads older pages by cursor, receives new events by message, and counts those since the last
 * visit.
 */
import { batch, computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals'
import { operation } from '../client/operation.ts'
import { documentValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'
import type { View } from '../view/view.ts'
import type { ReviewedView } from '../review/annotations/review.ts'
import { displayName, type Person } from '../presence/people.ts'
import { isMadeHere, isOwnName } from '../presence/signature.ts'
import { type FeedEvent, isTidying } from './event.ts'
import { offerUndo } from './unguarded.ts'

const listEvents = operation<'listEvents'>('GET /api/docs/{id}/events')

/** A page that has an event feed. */
export interface FeedView extends ReviewedView {
  /** Undefined until the code of the feed has loaded. */
  readonly feed: ReadonlySignal<Feed | undefined>
}

export interface Feed {
  /** The newest events without a gap, newest first. Undefined until the first page has loaded. */
  readonly events: ReadonlySignal<readonly FeedEvent[] | undefined>
  readonly hasOlder: ReadonlySignal<boolean>
  readonly failure: ReadonlySignal<unknown>
  /** Whether others have done something since this person last looked at the feed. */
  readonly unread: ReadonlySignal<boolean>
  /** Events after this cursor are new to this device. */
  readonly seen: ReadonlySignal<number>
  isOwn(event: FeedEvent): boolean
  /** Loads the events that are newer than the loaded ones. */
  refresh(): Promise<void>
  older(): Promise<void>
  /** Marks all known events as seen. */
  look(): void
  close(): void
}

/** Number of events on the first page. Later pages have the largest size that the service allows. */
const firstPage = 60
/** Largest page that the service allows (limits.eventPageMax). With this size, pages of older events do not overlap. */
const olderPage = 200

export function openFeed({ session, here }: View): Feed {
  const { id, key } = session
  const events = signal<readonly FeedEvent[] | undefined>(undefined)
  const failure = signal<unknown>(undefined)
  const storageKey = documentValue('seen', id)
  const stored = readDevice(storageKey)
  const seen = signal(Number(stored) || 0)
  const latest = signal(seen.value)
  const unread = computed(() => latest.value > seen.value)
  const self = computed(() => here.value.find((person) => person.self))
  const isNameless = ({ kind, nameless }: Person): boolean => kind === 'guest' && nameless
  // An event by an unnamed guest has no name if the guest's number was not known. Such an event counts as this person's if everybody else who is
  // present has a name.
  const isOnlyNameless = computed(
    () => (self.value === undefined || isNameless(self.value)) && !here.value.some((person) => !person.self && isNameless(person))
  )

  const list = (since: number | 'latest') => listEvents({ id, key }, { since })
  const isOwn = ({ actor, actorKind, kind }: FeedEvent): boolean => {
    if (actor === null) return actorKind === 'guest' && (isOnlyNameless.value || (kind === 'doc.created' && isMadeHere(id)))
    return actorKind !== 'agent' && (displayName(actor) === self.value?.name || isOwnName(actor))
  }

  const mark = (seq: number): void => {
    seen.value = seq
    writeDevice(storageKey, String(seq))
  }
  const heard = (event: FeedEvent): void => {
    batch(() => {
      const current = events.value
      // Appends the event only if none is missing before it. Otherwise the feed loads all missing events.
      if (current !== undefined && event.seq === (current[0]?.seq ?? 0) + 1) events.value = [event, ...current]
      else if (current !== undefined && event.seq > (current[0]?.seq ?? 0)) void refresh()
      passOwn([event])
      latest.value = Math.max(latest.value, event.seq)
    })
  }

  async function refresh(): Promise<void> {
    try {
      const from = events.value?.[0]?.seq ?? Math.max(0, (await list('latest')).latest - firstPage)
      let since = from
      for (;;) {
        const answer = await list(since)
        const newest = events.value?.[0]?.seq ?? 0
        const fresh = answer.events.filter(({ seq }) => seq > newest).toReversed()
        batch(() => {
          if (fresh.length > 0 || events.value === undefined) events.value = [...fresh, ...(events.value ?? [])]
          latest.value = Math.max(latest.value, answer.latest)
          failure.value = undefined
        })
        since = answer.latest
        if (answer.capped !== true) return
      }
    } catch (error) {
      failure.value = error
    }
  }

  /**
   * Marks this person's next events as seen, together with events about tidying, up to the first event by somebody else. The feed may report this
   * person's last events only after the person has left the page.
   */
  const passOwn = (ascending: readonly FeedEvent[]): void => {
    for (const event of ascending) {
      if (event.seq === seen.value + 1 && (isOwn(event) || isTidying(event))) mark(event.seq)
    }
  }

  /** Loads the events since the last visit. On the first visit, no events count as new. */
  const ask = async (): Promise<void> => {
    try {
      const isFirst = stored === null && seen.value === 0
      const answer = await list(isFirst ? 'latest' : seen.value)
      batch(() => {
        if (isFirst) mark(answer.latest)
        passOwn(answer.events)
        latest.value = Math.max(latest.value, answer.latest)
      })
    } catch {
      // If the request fails, the feed asks again when the page next connects.
    }
  }

  const stops = [
    effect(() => {
      if (session.link.socket.value !== 'synced') return
      // Both functions read signals that they also set, so the effect would never stop running.
      untracked(() => void (events.value === undefined ? ask() : refresh()))
    }),
    session.onMessage((message) => {
      if (message.type !== 'event') return
      const { event } = message
      heard(event)
      if (!isOwn(event)) offerUndo(session, event)
    })
  ]

  return {
    events,
    hasOlder: computed(() => (events.value?.at(-1)?.seq ?? 0) > 1),
    failure,
    unread,
    seen,
    isOwn,
    refresh,
    async older() {
      const oldest = events.value?.at(-1)?.seq ?? 1
      try {
        const { events: found } = await list(Math.max(0, oldest - 1 - olderPage))
        batch(() => {
          const known = events.value ?? []
          const last = known.at(-1)?.seq ?? Infinity
          events.value = [...known, ...found.filter(({ seq }) => seq < last).toReversed()]
          failure.value = undefined
        })
      } catch (error) {
        failure.value = error
      }
    },
    look: () => mark(latest.value),
    close() {
      for (const stop of stops) stop()
    }
  }
}

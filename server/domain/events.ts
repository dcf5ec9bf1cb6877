/** The event feed: records with a dense cursor per document, and the long poll over them (specification, Events; api.md, Events). */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Input, Output } from '../../shared/operations/index.ts'
import { includesRole } from '../../shared/roles.ts'
import { type Caller, splitActor, taskOf } from './caller.ts'
import { decodeRecord, keys, type StoredEvent } from './keys.ts'
import type { Service } from './service.ts'

type Feed = Output<'listEvents'>
type PresentedEvent = Feed['events'][number]

/** How much of an event a caller reads: owners all of it, others of links no more than their roles, save of the one they use. */
type View = 'whole' | 'own' | 'bare'

const hiddenIn: Readonly<Record<View, readonly string[]>> = {
  whole: [],
  own: ['madeThrough', 'changedWith', 'endedWith'],
  bare: ['shareId', 'label', 'madeThrough', 'changedWith', 'endedWith']
}

const tellsOfLink = ({ kind }: StoredEvent): boolean => kind.startsWith('share.') || kind === 'task.created'

const viewFor = (caller: Caller, event: StoredEvent): View => {
  if (!tellsOfLink(event) || includesRole(caller.role, 'owner')) return 'whole'
  return caller.share !== null && event.payload['shareId'] === caller.share ? 'own' : 'bare'
}

const presentEvent = (event: StoredEvent, view: View): PresentedEvent => {
  const { kind, name } = splitActor(event.actor)
  return {
    seq: event.seq,
    id: event.seq,
    type: event.kind,
    kind: event.kind,
    ts: event.at,
    at: new Date(event.at).toISOString(),
    actor: name === '' ? null : name,
    actorKind: kind,
    ...(event.version === undefined ? {} : { version: event.version }),
    payload: Object.fromEntries(Object.entries(event.payload).filter(([field]) => !hiddenIn[view].includes(field)))
  }
}

/** Something that can end a wait early: the client went away, the link was revoked, the server stops. */
export interface WaitEnd {
  readonly signal: AbortSignal
}

/** Whether a caller is told of an event: the link of an assignment hears of no other assignment, and of no other link. */
const seesEvent = (caller: Caller, { kind, payload }: StoredEvent): boolean => {
  const own = taskOf(caller)
  if (own === null) return true
  if (kind.startsWith('task.')) return payload['taskId'] === own
  return !kind.startsWith('share.') || payload['shareId'] === caller.share
}

/** An event in each form in which somebody reads it, and who that is. */
export const formsOf = (event: StoredEvent): { readonly event: PresentedEvent; readonly sees: (caller: Caller) => boolean }[] =>
  (tellsOfLink(event) ? (['whole', 'own', 'bare'] as const) : (['whole'] as const)).map((view) => ({
    event: presentEvent(event, view),
    sees: (caller) => seesEvent(caller, event) && viewFor(caller, event) === view
  }))

const wanted = (input: Input<'listEvents'>): ((event: PresentedEvent) => boolean) => {
  const types = input.types?.split(',').map((type) => type.trim())
  return (event) =>
    (types === undefined || types.includes(event.kind)) && (input.excludeActor === undefined || event.actor !== input.excludeActor)
}

/** One page after the cursor. Events that the filter leaves out still move the cursor. */
const page = async (service: Service, caller: Caller, doc: string, since: number, input: Input<'listEvents'>): Promise<Feed> => {
  const entries = await service.storage.list(keys.events(doc), { after: since, limit: limits.eventPageMax })
  const events = entries.map((entry) => decodeRecord<StoredEvent>(entry.value))
  const shown = events.filter((event) => seesEvent(caller, event)).map((event) => presentEvent(event, viewFor(caller, event)))
  const capped = entries.length === limits.eventPageMax
  return { events: shown.filter(wanted(input)), latest: events.at(-1)?.seq ?? since, ...(capped ? { capped } : {}) }
}

const waiters = new WeakMap<Service, Map<string, number>>()

const countWaiter = (service: Service, doc: string, by: number): void => {
  const counts = waiters.get(service) ?? new Map<string, number>()
  waiters.set(service, counts)
  const count = (counts.get(doc) ?? 0) + by
  if (count > limits.eventWaitersMax) throw new ServiceError('rate_limited', { retryAfterSeconds: 5 })
  if (count <= 0) counts.delete(doc)
  else counts.set(doc, count)
}

/** Lists until something is found, the time is over, or the wait is ended. */
const wait = async (
  service: Service,
  caller: Caller,
  doc: string,
  since: number,
  input: Input<'listEvents'>,
  end: WaitEnd
): Promise<Feed> => {
  const deadline = service.clock.now() + (input.wait ?? 0) * 1000
  let wake = (): void => undefined
  const nudge = (): void => wake()
  countWaiter(service, doc, 1)
  // Subscribe before listing: an event committed between the two would otherwise wake nobody.
  const stop = service.storage.watch(keys.events(doc), nudge)
  end.signal.addEventListener('abort', nudge)
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      const found = await page(service, caller, doc, since, input)
      const left = deadline - service.clock.now()
      if (found.events.length > 0 || found.capped === true || left <= 0 || end.signal.aborted) return found
      since = found.latest
      const cancel = service.clock.after(left, nudge)
      await woken
      cancel()
    }
  } finally {
    stop()
    end.signal.removeEventListener('abort', nudge)
    countWaiter(service, doc, -1)
  }
}

export const listEvents = async (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'listEvents'>,
  end: WaitEnd
): Promise<Feed> => {
  const head = await service.ledger.head(doc)
  // Edits that a crash kept from being announced are announced by loading the document.
  if (head.announcedSeq < head.seq && service.live.find(doc) === undefined) (await service.live.open(doc)).release()
  const since = input.since === 'latest' ? head.event : (input.since ?? 0)
  // A cursor ahead of the newest event would never see one: it is brought back.
  const from = Math.min(since, head.event)
  if ((input.wait ?? 0) === 0) return input.since === 'latest' ? { events: [], latest: from } : page(service, caller, doc, from, input)
  return wait(service, caller, doc, from, input, end)
}

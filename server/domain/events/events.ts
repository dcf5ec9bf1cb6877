/**
 * The event feed: the events of each document, numbered without gaps, and the long poll that waits for new events (docs/api.md, Events and inbox).
 *
 * This folder contains the code for events: the feed of a document, the inbox, mentions, and the functions that wait for events.
 */
import type { EventFields, EventWords } from '../../../shared/events.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { includesRole } from '../../../shared/roles.ts'
import { type Caller, splitActor, taskOf, tidyActor } from '../rights/caller.ts'
import { isInTrash } from '../documents/deleted.ts'
import { wordsOf } from './event-words.ts'
import { decodeRecord, type Head, keys, type StoredEvent } from '../records/keys.ts'
import type { Service } from '../service.ts'
import { holding, type WaitEnd, waitUntil } from './waits.ts'

type Feed = Output<'listEvents'>
type PresentedEvent = Feed['events'][number]

/**
 * How much of an event a caller may read. `whole`: all fields, for owners and for events that are not about a link. `own`: no facts about other
 * links, for an event about the caller's own link. `bare`: only the role, for an event about another link.
 */
type View = 'whole' | 'own' | 'bare'

const hiddenIn: Readonly<Record<View, readonly string[]>> = {
  whole: [],
  own: ['madeThrough', 'changedWith', 'endedWith'],
  bare: ['shareId', 'label', 'madeThrough', 'changedWith', 'endedWith']
}

const tellsOfLink = ({ kind }: StoredEvent): boolean => kind.startsWith('share.') || kind === 'task.created'

const shareIdOf = ({ payload }: StoredEvent): string | undefined => ('shareId' in payload ? payload.shareId : undefined)

const viewFor = (caller: Caller, event: StoredEvent): View => {
  if (!tellsOfLink(event) || includesRole(caller.role, 'owner')) return 'whole'
  return caller.share !== null && shareIdOf(event) === caller.share ? 'own' : 'bare'
}

const presentEvent = (event: StoredEvent, view: View, words: EventWords = {}): PresentedEvent => {
  const { kind, name } = splitActor(event.actor)
  const shown = Object.entries(event.payload).filter(([field]) => !hiddenIn[view].includes(field))
  // The code only omits fields and adds text, so the payload keeps its type (`ShownPayload`).
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
    // Events of earlier releases name the server as the author.
    payload: { ...Object.fromEntries(shown), ...words, ...(event.actor === tidyActor && { actors: [] }) }
  } as PresentedEvent
}

/** Whether a caller sees an event. A reviewer with an assignment's link sees no other assignments and no other links. */
const seesEvent = (caller: Caller, event: StoredEvent): boolean => {
  const { kind } = event
  const { taskId }: EventFields = event.payload
  const own = taskOf(caller)
  if (own === null) return true
  if (kind.startsWith('task.')) return taskId === own
  return !kind.startsWith('share.') || shareIdOf(event) === caller.share
}

/** Returns an event in each of its forms. Each form comes with a function that tells whether a caller sees it. */
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

/** Returns one page after the cursor, without the text that its events concern. Events that the caller may not see still advance the cursor. */
const page = async (service: Service, caller: Caller, doc: string, since: number, input: Input<'listEvents'>): Promise<Feed> => {
  const entries = await service.storage.list(keys.events(doc), { after: since, limit: limits.eventPageMax })
  const events = entries.map((entry) => decodeRecord<StoredEvent>(entry.value))
  const shown = events
    .filter((event) => seesEvent(caller, event))
    .map((event) => ({ event, view: viewFor(caller, event) }))
    .filter(({ event, view }) => wanted(input)(presentEvent(event, view)))
  const told = shown.map(async ({ event, view }) => presentEvent(event, view, await wordsOf(service.storage, doc, event)))
  const capped = entries.length === limits.eventPageMax
  return { events: await Promise.all(told), latest: events.at(-1)?.seq ?? since, ...(capped ? { capped } : {}) }
}

/** Returns the head of a document that the caller may read. An owner may also read it in the trash. Throws `not_found` or `document_deleted`. */
const headFor = async ({ ledger }: Service, caller: Caller, doc: string): Promise<Head> => {
  const head = await ledger.findHead(doc)
  if (head !== undefined && isInTrash(head) && includesRole(caller.role, 'owner')) return head
  return ledger.head(doc)
}

/** Returns the cursor after which the feed begins. A cursor that is higher than the newest event is replaced with the newest event. */
const beginAt = async (service: Service, caller: Caller, doc: string, since: Input<'listEvents'>['since']): Promise<number> => {
  const head = await headFor(service, caller, doc)
  // A crash may have left edits unannounced. Loading the document announces them.
  if (head.deletedAt === null && head.announcedSeq < head.seq && service.live.find(doc) === undefined)
    (await service.live.open(doc)).release()
  return Math.min(since === 'latest' ? head.event : (since ?? 0), head.event)
}

export const listEvents = async (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'listEvents'>,
  end: WaitEnd
): Promise<Feed> => {
  const from = await beginAt(service, caller, doc, input.since)
  const { wait = 0 } = input
  if (wait === 0) return input.since === 'latest' ? { events: [], latest: from } : page(service, caller, doc, from, input)
  const prefix = keys.events(doc)
  const deadline = service.clock.now() + wait * 1000
  let since = from
  const look = async (): Promise<{ found: Feed; enough: boolean }> => {
    const found = await page(service, caller, doc, since, input)
    since = found.latest
    return { found, enough: found.events.length > 0 || found.capped === true }
  }
  return holding(service, prefix, () => waitUntil(service, { prefix, deadline, end }, look))
}

/** Feed pages, which are read on demand. */
export type Followed = AsyncGenerator<Feed, void>

/**
 * Follows the feed until `end`. The last page contains the events just before the end. Throws `not_found`, `document_deleted` or, while following,
 * `rate_limited`.
 */
export const followEvents = async (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'listEvents'>,
  end: WaitEnd
): Promise<Followed> => {
  const from = await beginAt(service, caller, doc, input.since)
  return pagesAfter(service, caller, doc, from, input, end)
}

async function* pagesAfter(
  service: Service,
  caller: Caller,
  doc: string,
  from: number,
  input: Input<'listEvents'>,
  end: WaitEnd
): Followed {
  const prefix = keys.events(doc)
  for (let since = from; ;) {
    const look = async (): Promise<{ found: Feed; enough: boolean }> => {
      const found = await page(service, caller, doc, since, input)
      return { found, enough: found.latest > since }
    }
    const found = await holding(service, prefix, () => waitUntil(service, { prefix, deadline: Infinity, end }, look))
    if (found.latest > since) yield found
    since = found.latest
    if (end.signal.aborted && found.capped !== true) return
  }
}

/**
 * The inbox: events that need somebody's attention, each with the text that it concerns and the call with which the reader can respond. An account or
 * agent reads the events of its own documents from one index. A person with a link reads the events for their name in that link's document. The
 * reader's current rights decide which entries are shown.
 */
import type { z } from 'zod'
import { ServiceError, signInHint } from '../../../shared/errors.ts'
import type { EventFields, EventKind } from '../../../shared/events.ts'
import { limits } from '../../../shared/limits.ts'
import type { Operation } from '../../../shared/operation.ts'
import { type Input, type OperationName, operations, type Output } from '../../../shared/operations/index.ts'
import { includesRole, type Role } from '../../../shared/roles.ts'
import { lowerRole, roleOn } from '../rights/authority.ts'
import { type Caller, documentOfLink, splitActor } from '../rights/caller.ts'
import { currentContent, titleOf } from '../text/content.ts'
import { beginning, wordsOf } from './event-words.ts'
import { decodeRecord, type Head, type InboxEntry, keys, type Notice, type StoredEvent, type Task } from '../records/keys.ts'
import { isFor, newestIn, readerOf } from './notices.ts'
import type { Entry, Key } from '../ports.ts'
import type { Service } from '../service.ts'
import { holding, type WaitEnd, waitUntil } from './waits.ts'

type Page = Output<'readInbox'>
type Item = Page['items'][number]

/**
 * The reason why an event needs somebody's attention, and the possible next actions. The inbox offers the first action that the reader's role
 * allows.
 */
interface Meaning {
  readonly reason: Item['reason']
  readonly next: (payload: EventFields) => readonly OperationName[]
}

const answerThread = ({ suggestionId }: EventFields): readonly OperationName[] =>
  suggestionId === undefined ? ['replyToComment', 'readComment'] : ['replyToSuggestion', 'readSuggestion']

const meanings: Partial<Readonly<Record<EventKind, Meaning>>> = {
  'chat.mentioned': { reason: 'mention', next: () => ['readContent'] },
  'comment.mentioned': { reason: 'mention', next: answerThread },
  'comment.replied': { reason: 'reply', next: answerThread },
  'suggestion.replied': { reason: 'reply', next: answerThread },
  'suggestion.accepted': { reason: 'decision', next: () => ['readSuggestion'] },
  'suggestion.rejected': { reason: 'decision', next: () => ['readSuggestion'] },
  'suggestion.reopened': { reason: 'decision', next: () => ['readSuggestion'] },
  'task.created': { reason: 'assignment', next: () => ['startTask'] },
  'task.reported': { reason: 'assignment', next: () => ['readTask'] },
  'task.closed': { reason: 'assignment', next: () => ['readTask'] }
}

const fill = (path: string, doc: string, payload: EventFields): string => {
  const values: Readonly<Record<string, unknown>> = { ...payload, id: doc }
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(values[name])))
}

/** Tools that read one record by its `id` argument. */
const readingTools: Partial<Readonly<Record<OperationName, string>>> = {
  readComment: 'list_comments',
  readSuggestion: 'list_suggestions'
}

/** Returns the required fields of a call's body. */
const neededFields = ({ rest, input }: Operation): string[] =>
  rest.method === 'GET'
    ? []
    : Object.entries(input.shape as Record<string, z.ZodType>)
        .filter(([field, schema]) => !rest.path.includes(`{${field}}`) && !schema.safeParse(undefined).success)
        .map(([field]) => field)

/** Returns the call with which the reader can respond, both as an HTTP request and as a tool call. */
const nextCall = (names: readonly OperationName[], role: Role, doc: string, payload: EventFields): Item['next'] => {
  const may = (name: OperationName): boolean => includesRole(role, (operations[name] as Operation).role ?? 'view')
  const name = names.find(may) ?? 'readContent'
  const operation: Operation = operations[name]
  const { rest, mcp = readingTools[name] } = operation
  const fields = neededFields(operation)
  const { line } = payload
  const query = name === 'readContent' && typeof line === 'number' ? `?lines=${line}-${line}` : ''
  return {
    operation: name,
    method: rest.method,
    path: `${fill(rest.path, doc, payload)}${query}`,
    ...(fields.length > 0 && { fields }),
    ...(mcp === undefined ? {} : { tool: mcp })
  }
}

interface Words {
  readonly text: string
  readonly quote?: string
  readonly cut?: string[]
}

const short = (text: string): Words => ({
  text: beginning(text, limits.eventBodyUnitsMax),
  ...(text.length > limits.eventBodyUnitsMax && { cut: ['text'] })
})

const taskWords = async ({ storage }: Service, doc: string, { kind, payload }: StoredEvent): Promise<Words> => {
  const { taskId = '', title: called = '' }: EventFields = payload
  const entry = await storage.get(keys.task(doc, taskId))
  if (entry === undefined) return short(called)
  const { title, instructions, report } = decodeRecord<Task>(entry.value)
  return short(kind === 'task.reported' && report !== null ? report.summary : [title, instructions].join('\n\n').trim())
}

/** Returns the text of an event, and the text of the document that it refers to. */
const wordsFor = async (service: Service, doc: string, event: StoredEvent): Promise<Words> => {
  if (event.kind === 'chat.mentioned') return short(event.payload.text)
  if (event.kind.startsWith('task.')) return taskWords(service, doc, event)
  const { body, quote, replacement, cut = [] } = await wordsOf(service.storage, doc, event)
  const isDecision = meanings[event.kind]?.reason === 'decision'
  const from = isDecision ? 'replacement' : 'body'
  const left = cut.filter((name) => name === from || name === 'quote').map((name) => (name === from ? 'text' : name))
  return { text: (isDecision ? replacement : body) ?? '', ...(quote === undefined ? {} : { quote }), ...(left.length > 0 && { cut: left }) }
}

const idsIn = ({ commentId, replyId, suggestionId, taskId, line }: EventFields): Partial<Item> =>
  Object.fromEntries(
    Object.entries({ commentId, replyId, suggestionId, taskId, line }).filter(
      ([, value]) => typeof value === 'string' || typeof value === 'number'
    )
  )

/** The document of an inbox item. */
type Titled = Item['doc']

const titled = async (service: Service, head: Head): Promise<Titled> => ({
  id: head.id,
  title: titleOf(head, await currentContent(service, head.id)),
  url: `${service.baseUrl}/d/${head.id}`
})

const present = async (service: Service, doc: Titled, role: Role, cursor: number, event: StoredEvent): Promise<Item | undefined> => {
  const meaning = meanings[event.kind]
  if (meaning === undefined) return undefined
  const { kind, name } = splitActor(event.actor)
  const { reason }: EventFields = event.payload
  return {
    cursor,
    reason: meaning.reason,
    kind: event.kind,
    at: new Date(event.at).toISOString(),
    actor: name === '' ? null : name,
    actorKind: kind,
    doc,
    ...(await wordsFor(service, doc.id, event)),
    ...(reason !== undefined && { why: reason }),
    ...idsIn(event.payload),
    next: nextCall(meaning.next(event.payload), role, doc.id, event.payload)
  }
}

const eventAt = async ({ storage }: Service, doc: string, seq: number): Promise<StoredEvent | undefined> => {
  const entry = await storage.get(keys.event(doc, seq))
  return entry && decodeRecord<StoredEvent>(entry.value)
}

/** Reads one entry of an index. Returns undefined if the caller may no longer read it. */
type Find = (entry: Entry) => Promise<Item | undefined>

/** An inbox that can be read: the prefix of its index, the number of its newest entry, and a function that reads an entry. */
interface Inbox {
  readonly prefix: Key
  readonly newest: number
  readonly find: Find
}

const inboxOfLink = async (service: Service, caller: Caller, doc: string): Promise<Inbox> => {
  const reader = readerOf(caller)
  const head = await service.ledger.head(doc)
  let shown: Promise<Titled> | undefined
  return {
    prefix: keys.notices(doc),
    newest: head.event,
    async find({ key, value }) {
      const cursor = Number(key.at(-1))
      const event = await eventAt(service, doc, cursor)
      if (event === undefined || !isFor(reader, decodeRecord<Notice>(value), event)) return undefined
      return present(service, await (shown ??= titled(service, head)), caller.role ?? 'view', cursor, event)
    }
  }
}

const inboxOfOwner = async (service: Service, caller: Caller, kind: 'account' | 'agent', id: string): Promise<Inbox> => {
  const prefix = keys.inbox(kind, id)
  const role = lowerRole('owner', caller.scope?.role ?? null) ?? 'owner'
  const shown = new Map<string, Promise<Titled | undefined>>()
  const find = async (doc: string): Promise<Titled | undefined> => {
    const head = await service.ledger.findHead(doc)
    const mayRead = head !== undefined && head.deletedAt === null && roleOn(doc, head, caller, null) !== null
    return mayRead ? titled(service, head) : undefined
  }
  const documentOf = (doc: string): Promise<Titled | undefined> => {
    const known = shown.get(doc) ?? find(doc)
    shown.set(doc, known)
    return known
  }
  return {
    prefix,
    newest: await newestIn(service.storage, prefix),
    async find({ key, value }) {
      const { doc, seq, expiresAt } = decodeRecord<InboxEntry>(value)
      const place = expiresAt > service.clock.now() ? await documentOf(doc) : undefined
      const event = place && (await eventAt(service, doc, seq))
      return event && place && present(service, place, role, Number(key.at(-1)), event)
    }
  }
}

/** Returns the caller's inbox. Throws `credential_required` if the caller has neither a link nor an account. */
const inboxOf = (service: Service, caller: Caller): Promise<Inbox> => {
  const { identity } = caller
  const doc = documentOfLink(caller)
  if (doc !== null) return inboxOfLink(service, caller, doc)
  if (identity.kind !== 'guest') return inboxOfOwner(service, caller, identity.kind, identity.id)
  throw new ServiceError('credential_required', { message: 'An inbox needs an account or a link.', hint: signInHint })
}

/** Returns one page after a cursor. Events that the caller may not read, and events for other readers, also advance the cursor. */
const page = async (service: Service, { prefix, find }: Inbox, since: number, max: number): Promise<Page> => {
  const entries = await service.storage.list(prefix, { after: since, limit: limits.inboxReadMax })
  const items: Item[] = []
  let latest = since
  for (const entry of entries) {
    if (items.length === max) return { items, latest, capped: true }
    const item = await find(entry)
    if (item !== undefined) items.push(item)
    latest = Number(entry.key.at(-1))
  }
  return { items, latest, ...(entries.length === limits.inboxReadMax && { capped: true }) }
}

export const readInbox = async (service: Service, caller: Caller, input: Input<'readInbox'>, end: WaitEnd): Promise<Page> => {
  const inbox = await inboxOf(service, caller)
  const { since: given = 0, wait = 0, limit = limits.inboxPageMax } = input
  let since = given === 'latest' ? inbox.newest : Math.min(given, inbox.newest)
  if (wait === 0) return given === 'latest' ? { items: [], latest: since } : page(service, inbox, since, limit)
  const deadline = service.clock.now() + wait * 1000
  const look = async (): Promise<{ found: Page; enough: boolean }> => {
    const found = await page(service, inbox, since, limit)
    since = found.latest
    return { found, enough: found.items.length > 0 || found.capped === true }
  }
  return holding(service, inbox.prefix, () => waitUntil(service, { prefix: inbox.prefix, deadline, end }, look))
}

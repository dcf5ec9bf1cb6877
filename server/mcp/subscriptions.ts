/**
 * Subscriptions to resources, in sessions (sessions.ts).
 *
 * Up to version 2025-11-25 of MCP (Resources; Streamable HTTP), a header names the session. The session ends when the connection closes, the link
 * ends, or the server stops. A request with the id of an ended session gets a 404, and the client begins a new session. From version 2026-07-28 on
 * (Subscriptions), a session is one request, `subscriptions/listen`, whose response is the stream.
 */
import { PassThrough } from 'node:stream'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { readCredentials } from '../auth/credentials.ts'
import { callerOfService } from '../domain/rights/access.ts'
import type { Caller } from '../domain/rights/caller.ts'
import { decodeRecord, keys, type StoredEvent } from '../domain/records/keys.ts'
import type { Context, Http } from '../http/context.ts'
import { admitReading } from './call.ts'
import type { Connection } from './connection.ts'
import { resultFields, type ServerInfo, subscriptionKey } from './modern.ts'
import { Refused, refusedFor } from './refused.ts'
import { namedBy } from './resources.ts'
import { createSessions, newSession, type Session } from './sessions.ts'

/** A request that opens a stream. */
interface Listening {
  readonly id: string | number
  readonly uris: readonly string[]
  readonly info: ServerInfo
}

export interface Subscriptions {
  /**
   * Begins a session and returns its id. Returns undefined if the connection names neither a document nor an account, because there is nothing to
   * watch.
   */
  begin(ctx: Context, connection: Connection): string | undefined
  /** Whether the connection can have a session. */
  canBegin(ctx: Context, connection: Connection): boolean
  /** Answers with a session's stream. Throws credential errors, `not_found` if the session has ended, or `rate_limited`. */
  open(ctx: Context, connection: Connection): Promise<void>
  /** Subscribes the session to a resource. Throws the errors of reading the resource, `not_found` if the session has ended, or `rate_limited`. */
  subscribe(ctx: Context, uri: string): Promise<void>
  /** Ends the subscription to a resource. Throws `not_found` if the session has ended, or `rate_limited`. */
  unsubscribe(ctx: Context, uri: string): Promise<void>
  /** Answers a request with a stream that announces changes to resources. Throws the errors of reading the resources, or `rate_limited`. */
  listen(ctx: Context, request: Listening): Promise<void>
}

const hasBearer = (http: Http, ctx: Context): boolean =>
  readCredentials(ctx.req.headers, new URLSearchParams(ctx.querystring), http.cookies.session).bearer !== undefined

/** Returns the caller of a connection that wants to listen: a reader of the connection's document, or an account. */
const listenerOf = async (http: Http, ctx: Context, { doc }: Connection): Promise<{ doc: string; caller: Caller }> => {
  if (doc !== undefined) return { doc, caller: await admitReading(http, ctx, { name: 'readContent', doc }) }
  const { bearer } = readCredentials(ctx.req.headers, new URLSearchParams(ctx.querystring), http.cookies.session)
  return { doc: '', caller: await callerOfService(http.service, { bearer, atMcp: true }) }
}

/** The next step for a client that tries to listen without a session. */
export const howToListen =
  'Connect with the document in the address (doc=ID) and its key, or with an account; initialize then returns Mcp-Session-Id: send it with every request, and open the stream with GET.'

const event = (message: object): string => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`

const updated = (uri: string, meta?: object): string =>
  event({ method: 'notifications/resources/updated', params: { ...(meta !== undefined && { _meta: meta }), uri } })

const streamHeaders = { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' }

/** A resource that the caller may read. */
interface WatchedResource {
  readonly uri: string
  readonly doc: string
  readonly caller: Caller
  /** The number of the newest event at the time of the request. */
  readonly since: number
  /** Prefixes of the event kinds that announce changes to this resource. */
  readonly kinds: readonly string[]
}

const tooMany = (): ServiceError =>
  new ServiceError('rate_limited', {
    message: `A session has at most ${limits.mcpSubscriptionsMax} subscriptions.`,
    retryAfterSeconds: 5
  })

export const createSubscriptions = (http: Http): Subscriptions => {
  const { service, registry } = http
  const { clock, storage } = service
  const sessions = createSessions({ clock, nodes: storage.nodes, notice: updated })

  /** Returns the session that a request names. Throws `not_found` or `rate_limited`. */
  const sessionOf = async (ctx: Context): Promise<[string, Session]> => {
    const id = ctx.get('Mcp-Session-Id')
    if (id === '') throw new ServiceError('invalid_request', { message: 'Notifications need a session and its stream.', hint: howToListen })
    return [id, await sessions.get(id)]
  }

  /** Announces commits that concern a resource, at a limited rate. Returns a function that stops the announcements. */
  const watch = (session: Session, id: string, uri: string, doc: string, since: number, kinds: readonly string[]): (() => void) => {
    let cursor = since
    let looking = false
    let again = false
    let stopped = false
    let cancel = (): void => undefined
    const look = async (): Promise<void> => {
      const entries = await storage.list(keys.events(doc), { after: cursor, limit: limits.eventPageMax })
      const events = entries.map((entry) => decodeRecord<StoredEvent>(entry.value))
      cursor = events.at(-1)?.seq ?? cursor
      again ||= entries.length === limits.eventPageMax
      if (stopped || !events.some(({ kind }) => kinds.some((begin) => kind.startsWith(begin)))) return
      sessions.notify(id, session, uri)
    }
    const wake = (): void => {
      again = true
      if (looking || stopped) return
      looking = true
      again = false
      look()
        .catch((error: unknown) => {
          http.log.error('subscription failed', { error })
          sessions.end(id)
        })
        .finally(() => {
          cancel = clock.after(limits.mcpNotifySeconds * 1000, () => {
            looking = false
            if (again) wake()
          })
        })
    }
    const stop = storage.watch(keys.events(doc), wake)
    // Catches up on events since the caller was admitted.
    wake()
    return () => {
      stopped = true
      cancel()
      stop()
    }
  }

  /** Returns the resource that a URI names, if the caller may read it. Throws the errors of reading the resource. */
  const watchedResource = async (ctx: Context, uri: string): Promise<WatchedResource> => {
    if (uri.length > limits.mcpUriUnitsMax)
      throw new ServiceError('invalid_request', { message: `A URI may be at most ${limits.mcpUriUnitsMax} characters long.` })
    const { doc, part } = namedBy(uri)
    const caller = await admitReading(http, ctx, { name: part.operation, doc })
    const { event: since } = await service.ledger.head(doc)
    return { uri, doc, caller, since, kinds: part.kinds }
  }

  /** Makes a session watch a resource until its credential ends. */
  const attach = (id: string, session: Session, { uri, doc, caller, since, kinds }: WatchedResource): void => {
    const stopWatching = watch(session, id, uri, doc, since, kinds)
    const forget = registry.add(doc, caller, () => {
      stop()
      // Ends the session if it no longer watches anything.
      if (session.watched.size === 0) sessions.end(id)
    })
    const stop = (): void => {
      stopWatching()
      forget()
      session.watched.delete(uri)
    }
    session.watched.set(uri, stop)
    sessions.watch(id, session, uri)
  }

  return {
    canBegin: (ctx, { doc }) => doc !== undefined || hasBearer(http, ctx),
    begin: (ctx, { doc }) => (doc === undefined && !hasBearer(http, ctx) ? undefined : sessions.newId()),
    async open(ctx, connection) {
      const { doc, caller } = await listenerOf(http, ctx, connection)
      const [id, session] = await sessionOf(ctx)
      // A session has only one stream. A client that opens another one has lost the previous stream.
      const stream = new PassThrough()
      await sessions.open(id, session, stream)
      session.forget()
      session.forget = registry.add(doc, caller, () => sessions.end(id))
      stream.once('close', () => session.stream === stream && sessions.end(id))
      ctx.res.once('close', () => session.stream === stream && sessions.end(id))
      ctx.status = 200
      ctx.type = 'text/event-stream'
      ctx.set({ ...streamHeaders, 'Mcp-Session-Id': id })
      ctx.body = stream
      sessions.beat(id, session)
    },
    async subscribe(ctx, uri) {
      const place = await watchedResource(ctx, uri)
      const [id, session] = await sessionOf(ctx)
      if (session.watched.has(uri)) return
      if (session.watched.size >= limits.mcpSubscriptionsMax) throw tooMany()
      attach(id, session, place)
    },
    async unsubscribe(ctx, uri) {
      const [id, session] = await sessionOf(ctx)
      sessions.unwatch(id, session, uri)
    },
    async listen(ctx, { id: request, uris, info }) {
      if (uris.length > limits.mcpSubscriptionsMax) throw tooMany()
      const places: WatchedResource[] = []
      for (const uri of uris) places.push(await watchedResource(ctx, uri))
      const about = { [subscriptionKey]: request }
      const stream = new PassThrough()
      const session = newSession((uri) => updated(uri, about), event({ id: request, result: resultFields(info, about) }))
      session.stream = stream
      const id = sessions.newId()
      sessions.add(id, session)
      stream.once('close', () => sessions.end(id))
      ctx.res.once('close', () => sessions.end(id))
      ctx.status = 200
      ctx.type = 'text/event-stream'
      ctx.set(streamHeaders)
      ctx.body = stream
      const notifications = uris.length === 0 ? {} : { resourceSubscriptions: uris }
      stream.write(event({ method: 'notifications/subscriptions/acknowledged', params: { _meta: about, notifications } }))
      for (const place of places) attach(id, session, place)
      // The client may have left while its rights were checked.
      if (places.length === 0 || ctx.res.destroyed) sessions.end(id)
      else sessions.beat(id, session)
    }
  }
}

/** Adds the handlers for subscription requests. */
export const addSubscriptions = (server: Server, http: Http, ctx: Context, subscriptions: Subscriptions): void => {
  const answered = async (work: () => Promise<void>): Promise<object> => {
    try {
      await work()
      return {}
    } catch (error) {
      throw error instanceof Refused ? error : refusedFor(error, http, ctx)
    }
  }
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => answered(() => subscriptions.subscribe(ctx, params.uri)) as never)
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => answered(() => subscriptions.unsubscribe(ctx, params.uri)) as never)
}

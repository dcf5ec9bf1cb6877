/**
 * The event feed as server-sent events (WHATWG HTML, 9.2), on the route of the long poll. Each event is one message, and its `id` is the cursor. A
 * message that has only an id moves the cursor past events that a filter left out. The last message is `event: end`, and says why the stream ended.
 *
 * The server buffers nothing for a reader: it reads the next page after the reader has received the previous page. It ends a stream whose reader
 * receives nothing for a while.
 */
import type { ServerResponse } from 'node:http'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Input } from '../../shared/operations/index.ts'
import type { Caller } from '../domain/rights/caller.ts'
import { type Followed, followEvents } from '../domain/events/events.ts'
import type { Clock } from '../domain/ports.ts'
import { eventRow } from './brief.ts'
import type { Context, Http } from './context.ts'
import { counted } from './perform.ts'

/** Whether a request asks for a stream. A client that accepts both formats equally gets JSON. */
export const asksForStream = (ctx: Context): boolean => ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream'

/** Returns the cursor from which a reconnecting client continues. Throws `invalid_request`. */
const lastSeen = (ctx: Context): number | undefined => {
  const given = ctx.get('Last-Event-ID')
  if (given === '') return undefined
  if (!/^\d{1,15}$/.test(given))
    throw new ServiceError('invalid_request', { details: [{ path: 'Last-Event-ID', message: 'must be the id of an event' }] })
  return Number(given)
}

/** Returns the input of a stream. Throws `invalid_request` if it contains `wait`, which has no meaning for a stream. */
export const streamInput = (ctx: Context, input: Input<'listEvents'>): Input<'listEvents'> => {
  if (input.wait !== undefined)
    throw new ServiceError('invalid_request', { details: [{ path: 'wait', message: 'is not allowed for a stream, which stays open' }] })
  const since = lastSeen(ctx)
  return since === undefined ? input : { ...input, since }
}

/** The number of open streams for each caller and document. */
const streams = new WeakMap<Http, Map<string, number>>()

/** Reserves a place for a stream. Returns a function that releases the place. Throws `rate_limited`. */
const takePlace = (http: Http, name: string): (() => void) => {
  const counts = streams.get(http) ?? new Map<string, number>()
  streams.set(http, counts)
  const count = counts.get(name) ?? 0
  if (count >= limits.eventStreamsMax)
    throw new ServiceError('rate_limited', {
      retryAfterSeconds: 5,
      message: `A caller may open at most ${limits.eventStreamsMax} streams of a document.`
    })
  counts.set(name, count + 1)
  return () => {
    const left = (counts.get(name) ?? 1) - 1
    if (left === 0) counts.delete(name)
    else counts.set(name, left)
  }
}

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // A proxy that buffers or compresses responses would delay events.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  // The connection is not used again after the stream.
  Connection: 'close',
  Vary: 'Accept'
}

const messageOf = (id: number, data?: unknown): string => `id: ${id}\n${data === undefined ? '' : `data: ${JSON.stringify(data)}\n`}\n`

/** An open stream. */
interface Stream {
  readonly response: ServerResponse
  readonly clock: Clock
  readonly end: AbortSignal
  /** Returns the reason why the stream ended; undefined while it continues. */
  readonly why: () => string | undefined
}

/**
 * Writes text to the stream. Resolves to true when the reader can receive more, or when the stream ends. Resolves to false if the reader received
 * nothing for too long, or has disconnected.
 */
const write = async ({ response, clock, end }: Stream, text: string): Promise<boolean> => {
  if (response.destroyed) return false
  if (response.write(text) || end.aborted) return true
  return new Promise((resolve) => {
    const settle = (taken: boolean) => (): void => {
      cancel()
      response.off('drain', drained)
      response.off('close', closed)
      end.removeEventListener('abort', drained)
      resolve(taken)
    }
    const drained = settle(true)
    const closed = settle(false)
    const cancel = clock.after(limits.eventStreamStallSecondsMax * 1000, closed)
    response.on('drain', drained)
    response.on('close', closed)
    end.addEventListener('abort', drained)
  })
}

/** Whether a stream may still send events. After the end, it may send the remaining events only if the document was deleted. */
const tells = ({ why }: Stream): boolean => why() === undefined || why() === 'document_deleted'

/** Writes pages of the feed until the feed ends. Returns false if the reader receives nothing, or has disconnected. */
const pump = async (stream: Stream, followed: Followed, isBrief: boolean): Promise<boolean> => {
  for await (const { events, latest } of followed) {
    const moved = events.at(-1)?.seq === latest ? [] : [messageOf(latest)]
    for (const text of [...events.map((event) => messageOf(event.seq, isBrief ? eventRow({ ...event }) : event)), ...moved]) {
      if (!tells(stream)) return true
      if (!(await write(stream, text))) return false
    }
  }
  return true
}

/** Writes a comment from time to time, so that proxies do not consider the stream idle. */
const beat = (response: ServerResponse, clock: Clock): (() => void) => {
  let cancel = (): void => undefined
  const arm = (): void => {
    cancel = clock.after(limits.eventStreamBeatSeconds * 1000, () => {
      // No heartbeat is queued for a reader that does not read.
      if (!response.writableNeedDrain) response.write(':\n\n')
      arm()
    })
  }
  arm()
  return () => cancel()
}

/** Sends a stream. It lasts until the caller's access ends, the client leaves, or the server stops. Throws only before the stream has begun. */
export const streamEvents = async (http: Http, ctx: Context, caller: Caller, doc: string, input: Input<'listEvents'>): Promise<void> => {
  const { service, registry } = http
  const { res } = ctx
  const controller = new AbortController()
  let why: string | undefined
  const leave = takePlace(http, `${doc} ${counted(caller, ctx.state.address)}`)
  const forget = registry.add(doc, caller, (code) => {
    why ??= code
    controller.abort()
  })
  res.once('close', () => controller.abort())
  let stopBeating = (): void => undefined
  try {
    const followed = await followEvents(service, caller, doc, input, { signal: controller.signal })
    if (why !== undefined) throw new ServiceError(why as ServiceError['code'])
    ctx.respond = false
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.statusCode = 200
    res.write(`retry: ${limits.eventStreamRetryMs}\n\n`)
    stopBeating = beat(res, service.clock)
    const stream = { response: res, clock: service.clock, end: controller.signal, why: () => why }
    const taken = await pump(stream, followed, input.brief === true).catch((error: unknown) => {
      http.log.warn('event stream failed', { requestId: ctx.state.requestId, error: String(error) })
      why ??= 'internal'
      return true
    })
    if (!taken || res.destroyed) return void res.destroy()
    res.end(`event: end\ndata: ${JSON.stringify({ reason: why === 'forbidden' ? 'role_changed' : why })}\n\n`)
    const cancel = service.clock.after(limits.eventStreamStallSecondsMax * 1000, () => res.destroy())
    res.once('close', cancel)
  } finally {
    stopBeating()
    forget()
    leave()
  }
}

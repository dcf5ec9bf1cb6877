/**
 * OpenTelemetry traces. Only the server loads this file, and only if a collector's address is set. Our own code chooses the names and numbers of a
 * span, which never contains a key, a token, a path, a query or text. A span belongs to the request in whose asynchronous context it begins.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Batch, Clock, SpanFacts, Storage, Trace } from '../domain/ports.ts'
import type { Context, Http } from '../http/context.ts'
import { createExporter, type ExporterOptions, type Span } from './otlp.ts'
import { createRoutes, knownMethods } from './routes.ts'

export interface TraceOptions extends Pick<ExporterOptions, 'endpoint' | 'headers' | 'warn'> {
  readonly serviceName: string
  readonly version: string
  /** Share of the traces that are sent, from 0 to 1. */
  readonly ratio: number
  readonly clock: Clock
}

export interface Traces {
  readonly trace: Trace
  /** Runs an HTTP request as a span, and continues its sender's trace. */
  readonly request: NonNullable<Http['traceRequest']>
  /** Returns a store that runs its commits as spans. */
  watched(storage: Storage): Storage
  /** Sends the waiting spans. Takes up to `limits.traceStopMsMax`. */
  stop(): Promise<void>
}

/** A span that has begun, or whose trace is not sampled. */
interface OpenSpan {
  readonly trace: string
  readonly id: string
  readonly sampled: boolean
  /**
   * Milliseconds since 1970, and of the monotonic clock. All spans of a trace in this process measure from this time, so that a child lies within its
   * parent.
   */
  readonly from: { readonly wall: number; readonly monotonic: number }
  ended: boolean
}

/** The span of another program that sent a request. */
interface Sender {
  readonly trace: string
  readonly id: string
  readonly sampled: boolean
}

/**
 * Reads a `traceparent` (W3C Trace Context, 3.2). Returns undefined if it is invalid: the request then begins a trace. A version above 00 may add fields
 * after a hyphen, which are not read. The version ff is invalid.
 */
export const readTraceParent = (header = ''): Sender | undefined => {
  const [first, more] = [header.slice(0, limits.traceParentChars), header.slice(limits.traceParentChars)]
  const [, version, trace, id, flags] =
    /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(first) ?? []
  if (trace === undefined || id === undefined || flags === undefined) return undefined
  if (more !== '' && (version === '00' || !more.startsWith('-'))) return undefined
  return { trace, id, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Whether a trace is sampled. The last bits of its id are random (W3C Trace Context, Level 2). A number can hold 52 of them exactly. */
const isSampled = (trace: string, ratio: number): boolean => Number.parseInt(trace.slice(-13), 16) / 2 ** 52 >= 1 - ratio

const bytesOf = ({ puts = [] }: Batch): number => puts.reduce((sum, { value }) => sum + value.byteLength, 0)

const errorOf = (error: unknown): string => (error instanceof ServiceError ? error.code : 'internal')

export const createTraces = ({ serviceName, version, ratio, clock, ...sending }: TraceOptions): Traces => {
  const exporter = createExporter({
    ...sending,
    clock,
    resource: { 'service.name': serviceName, 'service.version': version, 'process.pid': process.pid }
  })
  const current = new AsyncLocalStorage<OpenSpan>()
  const routeOf = createRoutes()

  const begin = (parent: OpenSpan | undefined, sender: Sender | undefined): OpenSpan => {
    const trace = parent?.trace ?? sender?.trace ?? randomBytes(16).toString('hex')
    return {
      trace,
      id: randomBytes(8).toString('hex'),
      sampled: (parent ?? sender)?.sampled ?? isSampled(trace, ratio),
      from: parent?.from ?? { wall: clock.now(), monotonic: performance.now() },
      ended: false
    }
  }

  const millisecondsAt = ({ from }: OpenSpan): number => from.wall + performance.now() - from.monotonic

  const run = async <Result>(
    parent: OpenSpan | undefined,
    sender: Sender | undefined,
    work: () => Promise<Result>,
    shown: () => Pick<Span, 'name' | 'facts' | 'error' | 'isRequest'>
  ): Promise<Result> => {
    const open = begin(parent, sender)
    const start = millisecondsAt(open)
    try {
      return await current.run(open, work)
    } finally {
      open.ended = true
      if (open.sampled)
        exporter.add({
          trace: open.trace,
          id: open.id,
          parent: parent?.id ?? sender?.id,
          start,
          end: millisecondsAt(open),
          ...shown()
        })
    }
  }

  const trace: Trace = (name, given, work) => {
    let facts: SpanFacts = given
    let error: string | undefined
    const parent = current.getStore()
    const add = (more: SpanFacts): void => void (facts = { ...facts, ...more })
    const noted = (): ReturnType<typeof work> =>
      work(add).catch((thrown: unknown) => {
        error = errorOf(thrown)
        throw thrown
      })
    // A document's timers inherit the context of the request that opened it. Their work is not part of that request.
    return run(parent?.ended === true ? undefined : parent, undefined, noted, () => ({ name, facts, error, isRequest: false }))
  }

  const shownRequest = (ctx: Context): Pick<Span, 'name' | 'facts' | 'error' | 'isRequest'> => {
    const method = knownMethods.has(ctx.method) ? ctx.method : '_OTHER'
    const matched = (ctx as { _matchedRoute?: unknown })._matchedRoute
    const route: SpanFacts = matched === undefined ? {} : { 'http.route': routeOf(matched) }
    return {
      name: [knownMethods.has(ctx.method) ? method : 'HTTP', ...Object.values(route)].join(' '),
      facts: {
        'http.request.method': method,
        ...route,
        'http.response.status_code': ctx.status,
        // The same id is in the log.
        'agmd.request_id': ctx.state.requestId
      },
      error: ctx.status >= 500 ? String(ctx.status) : undefined,
      isRequest: true
    }
  }

  return {
    trace,
    request: (ctx, next) =>
      run(
        undefined,
        readTraceParent(ctx.get('traceparent')),
        async () => void (await next()),
        () => shownRequest(ctx as unknown as Context)
      ),
    watched: (storage) => ({
      ...storage,
      commit: (batch) =>
        trace(
          'commit',
          {
            'agmd.commit.puts': batch.puts?.length ?? 0,
            'agmd.commit.deletes': batch.deletes?.length ?? 0,
            'agmd.commit.bytes': bytesOf(batch)
          },
          async (add) => {
            const done = await storage.commit(batch)
            if (!done) add({ 'agmd.commit.outcome': 'conflict' })
            return done
          }
        )
    }),
    stop: exporter.stop
  }
}

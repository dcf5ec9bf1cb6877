/**
 * Sends spans to an OpenTelemetry collector: OTLP over HTTP, as JSON (opentelemetry-proto, `ExportTraceServiceRequest`). Spans wait in a bounded
 * queue, and only one message is in flight at a time. No caller waits for it. If the collector does not accept a message, its spans are dropped.
 */
import { limits } from '../../shared/limits.ts'
import type { Clock, SpanFacts } from '../domain/ports.ts'

/** A span that has ended. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly trace: string
  /** 16 hexadecimal digits. */
  readonly id: string
  readonly parent: string | undefined
  readonly name: string
  readonly facts: SpanFacts
  /** The code of the error; undefined if there is none. */
  readonly error: string | undefined
  /** Whether the span is a request that this server answered. */
  readonly isRequest: boolean
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
}

export interface ExporterOptions {
  /** The address of the collector, without a slash at the end. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** The attributes that describe this server. */
  readonly resource: SpanFacts
  readonly clock: Clock
  readonly warn: (message: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface Exporter {
  /** Queues a span, or drops it if the queue is full. */
  add(span: Span): void
  /** Sends the waiting spans. Takes up to `limits.traceStopMsMax`. */
  stop(): Promise<void>
}

const attributes = (facts: SpanFacts): object[] =>
  Object.entries(facts).map(([key, value]) => ({
    key,
    // JSON cannot represent all 64-bit integers, so the protocol writes them as text.
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value }
  }))

const nanoseconds = (milliseconds: number): string => String(BigInt(Math.round(milliseconds * 1000)) * 1000n)

// Numbers that the protocol defines: SpanKind and StatusCode.
const internalKind = 1
const serverKind = 2
const errorStatus = 2

const encodeSpan = ({ trace, id, parent, name, facts, error, isRequest, start, end }: Span): object => ({
  traceId: trace,
  spanId: id,
  ...(parent !== undefined && { parentSpanId: parent }),
  name,
  kind: isRequest ? serverKind : internalKind,
  startTimeUnixNano: nanoseconds(start),
  endTimeUnixNano: nanoseconds(end),
  attributes: attributes(error === undefined ? facts : { ...facts, 'error.type': error }),
  status: error === undefined ? {} : { code: errorStatus }
})

const encode = (resource: SpanFacts, spans: readonly Span[]): string =>
  JSON.stringify({
    resourceSpans: [
      { resource: { attributes: attributes(resource) }, scopeSpans: [{ scope: { name: 'agmd' }, spans: spans.map(encodeSpan) }] }
    ]
  })

export const createExporter = ({ endpoint, headers, resource, clock, warn }: ExporterOptions): Exporter => {
  const waiting: Span[] = []
  const stopped = new AbortController()
  let sending: Promise<void> | undefined
  let cancel: (() => void) | undefined
  let isAway = false
  let dropped = 0

  const post = async (spans: readonly Span[]): Promise<void> => {
    const response = await fetch(`${endpoint}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: encode(resource, spans),
      redirect: 'error',
      signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(limits.traceSendSecondsMax * 1000)])
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the collector answered ${response.status}`)
  }

  const send = async (): Promise<void> => {
    const spans = waiting.splice(0, limits.traceBatchSpansMax)
    try {
      await post(spans)
      if (isAway) warn('the collector accepts traces again', { dropped })
      isAway = false
      dropped = 0
    } catch (error) {
      dropped += spans.length
      if (!isAway) warn('traces could not be sent; they are dropped until the collector accepts them', { error })
      isAway = true
    }
  }

  const sendNow = (): Promise<void> => {
    cancel?.()
    cancel = undefined
    sending = send().finally(() => {
      sending = undefined
      schedule()
    })
    return sending
  }

  // If the collector cannot be reached, it is tried only every few seconds, no matter how many spans wait.
  const schedule = (): void => {
    if (sending !== undefined || stopped.signal.aborted) return
    if (waiting.length >= limits.traceBatchSpansMax && !isAway) void sendNow()
    else if (waiting.length > 0) cancel ??= clock.after(limits.traceBatchSeconds * 1000, () => void sendNow())
  }

  return {
    add(span) {
      if (waiting.length >= limits.traceWaitingSpansMax) dropped += 1
      else waiting.push(span)
      schedule()
    },
    async stop() {
      const end = AbortSignal.timeout(limits.traceStopMsMax)
      end.addEventListener('abort', () => stopped.abort())
      while (!stopped.signal.aborted && (sending !== undefined || waiting.length > 0)) await (sending ?? sendNow())
      cancel?.()
      stopped.abort()
    }
  }
}

/** A collector of OpenTelemetry: a real HTTP server that reads spans as OTLP in JSON. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Value = { readonly stringValue: string } | { readonly intValue: string }

interface Attribute {
  readonly key: string
  readonly value: Value
}

/** A span as the protocol writes it. */
interface Sent {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number }
}

interface Message {
  readonly resourceSpans: readonly [
    {
      readonly resource: { readonly attributes: readonly Attribute[] }
      readonly scopeSpans: readonly [{ readonly spans: readonly Sent[] }]
    }
  ]
}

export interface ReceivedSpan extends Omit<Sent, 'attributes'> {
  readonly facts: Readonly<Record<string, string | number>>
}

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly resource: Readonly<Record<string, string | number>>
  readonly spans: readonly ReceivedSpan[]
}

export interface Collector {
  readonly url: string
  readonly messages: readonly Received[]
  spans(): readonly ReceivedSpan[]
  /** Decides how messages are answered from now on. The default returns 200. */
  answer(by: (response: ServerResponse) => void): void
  close(): Promise<void>
}

const factsOf = (attributes: readonly Attribute[]): Readonly<Record<string, string | number>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, 'intValue' in value ? Number(value.intValue) : value.stringValue]))

const received = (path: string, headers: IncomingHttpHeaders, body: string): Received => {
  const [{ resource, scopeSpans }] = (JSON.parse(body) as Message).resourceSpans
  const spans = scopeSpans[0].spans.map(({ attributes, ...span }) => ({ ...span, facts: factsOf(attributes) }))
  return { path, headers, body, resource: factsOf(resource.attributes), spans }
}

const accept = (response: ServerResponse): void => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')

export const startCollector = async (): Promise<Collector> => {
  const messages: Received[] = []
  let answer = accept
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      messages.push(received(request.url ?? '', request.headers, body))
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    spans: () => messages.flatMap(({ spans }) => spans),
    answer(by) {
      answer = by
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    }
  }
}

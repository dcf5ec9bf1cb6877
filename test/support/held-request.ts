/** Requests with a delayed body. The service admits them by their headers, and the test completes them. */
import { connect } from 'node:net'
import { until } from './world.ts'

export interface HeldRequest {
  /** Sends the rest of the body and returns the answer. */
  finish(): Promise<{ readonly status: number; readonly text: string }>
}

export interface RequestParts {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** Sends the headers and half of the body. Resolves after two more round trips, when the service has handled the headers. */
export const holdRequest = async (url: string, { method, path, headers, body }: RequestParts): Promise<HeldRequest> => {
  const { host, port } = new URL(url)
  const bytes = Buffer.from(body as string)
  const socket = connect(Number(port), '127.0.0.1')
  let received = ''
  let over = false
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('utf8')))
  socket.on('close', () => (over = true))
  socket.on('error', () => undefined)
  const all = { Host: host, Connection: 'close', Expect: '100-continue', 'Content-Length': String(bytes.length), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await until(() => over || received.includes('\r\n\r\n'), 'the leave to send the body')
  const half = Math.floor(bytes.length / 2)
  socket.write(bytes.subarray(0, half))
  for (const _trip of [1, 2]) await fetch(`${url}/api/health`).then((answer) => answer.text())
  return {
    async finish() {
      socket.write(bytes.subarray(half))
      await until(() => over, 'the answer', 30)
      const [, answer = received] = received.split(/^HTTP\/1\.1 100[^\r]*\r\n\r\n/)
      const [head = '', ...rest] = answer.split('\r\n\r\n')
      return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), text: rest.join('\r\n\r\n') }
    }
  }
}

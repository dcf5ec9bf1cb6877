/** A proxy between browser and server that can fail like a network, a proxy or a broken server. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import { frameKind } from '../../web/connection/durable-socket.ts'

export interface Proxy {
  readonly url: string
  /** Times at which the sockets were opened, in milliseconds. */
  readonly openedAt: readonly number[]
  /** Closes sockets with this code as soon as they carry text, before the server receives it. With 1006 there is no close frame. */
  closeOnText(code: number | undefined): void
  /** Delays each frame from the server by this many milliseconds, like a slow connection. */
  delay(milliseconds: number): void
  /** Holds all frames from the server until the returned function is called. They then arrive in order. */
  hold(): () => void
  /** Answers the requests that `own` accepts. In the meantime, sockets are refused with 503 or passed on. */
  answer(own: ((incoming: IncomingMessage, response: ServerResponse) => boolean) | undefined, sockets?: 'refused' | 'passed'): void
  stop(): Promise<void>
}

const cutOff = 1006
// An empty update contains only two counts.
const emptyUpdate = 2

/** Whether a frame carries text: it is an update, or a non-empty answer to a request by the server. */
function carriesText(frame: Uint8Array): boolean {
  const { type, detail } = frameKind(frame)
  return type === 0 && (detail === 2 || (detail === 1 && frame.at(-emptyUpdate - 1) !== emptyUpdate))
}

export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const openedAt: number[] = []
  const sockets = new Set<WebSocket>()
  let code: number | undefined
  let delayMs = 0
  let held: (() => void)[] | undefined
  let answer: ((incoming: IncomingMessage, response: ServerResponse) => boolean) | undefined
  let refusesSockets = false

  const http = createServer((incoming, response) => {
    if (answer?.(incoming, response) === true) return
    const { method, url: path, headers } = incoming
    const onward = request({ hostname, port, method, path, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(response)
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  })

  const wss = new WebSocketServer({ noServer: true })
  http.on('upgrade', (incoming, socket, head) => {
    if (refusesSockets) return socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    return wss.handleUpgrade(incoming, socket, head, (near) => {
      openedAt.push(performance.now())
      sockets.add(near)
      const { host, origin } = incoming.headers
      const far = new WebSocket(`ws://${hostname}:${port}${incoming.url}`, { headers: { host, origin } })
      const waiting: Buffer[] = []
      near.on('message', (data: Buffer) => {
        if (code !== undefined && carriesText(data)) {
          if (code === cutOff) near.terminate()
          else near.close(code, 'as asked')
          far.terminate()
        } else if (far.readyState === WebSocket.OPEN) far.send(data)
        else waiting.push(data)
      })
      far.on('open', () => waiting.splice(0).forEach((data) => far.send(data)))
      far.on('message', (data: Buffer) => {
        const pass = (): void => {
          if (near.readyState === WebSocket.OPEN) near.send(data)
        }
        if (held === undefined) setTimeout(pass, delayMs)
        else held.push(pass)
      })
      far.on('error', () => near.terminate())
      far.on('close', (farCode, reason) => {
        if (near.readyState !== WebSocket.OPEN) return
        if (farCode === cutOff || farCode === 1005) near.terminate()
        else near.close(farCode, reason)
      })
      near.on('close', () => {
        sockets.delete(near)
        far.terminate()
      })
    })
  })
  await new Promise<void>((resolve) => http.listen(0, 'localhost', resolve))
  return {
    url: `http://localhost:${(http.address() as AddressInfo).port}`,
    openedAt,
    closeOnText: (value) => (code = value),
    delay: (value) => (delayMs = value),
    hold() {
      held = []
      return () => {
        for (const pass of held ?? []) pass()
        held = undefined
      }
    },
    answer(own, of = 'refused') {
      answer = own
      refusesSockets = own !== undefined && of === 'refused'
    },
    async stop() {
      for (const socket of sockets) socket.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    }
  }
}

/** The bare parts compared with which the benchmarks measure: `node scripts/bench/support/bare.ts hocuspocus|ws|koa`. Ends with its parent. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import { Server } from '@hocuspocus/server'
import Koa from 'koa'
import { WebSocket, WebSocketServer } from 'ws'

const tell = (port: number): void => console.log(`listening ${port}`)

/** Hocuspocus as its manual starts it, in memory. */
const hocuspocus = async (): Promise<void> => {
  const server = new Server({ port: 0, address: '127.0.0.1', quiet: true })
  await server.listen()
  tell(server.address.port)
}

/** Everything to everybody else. */
const broadcast = (): void => {
  const server: WebSocketServer = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false }, () =>
    tell((server.address() as AddressInfo).port)
  )
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      for (const client of server.clients) if (client !== socket && client.readyState === WebSocket.OPEN) client.send(data)
    })
  )
}

/** A text of 10 KB from memory, and a body into it. */
const koa = (): void => {
  const app = new Koa()
  const router = new Router()
  let content = 'A line of forty characters, more or less.\n'.repeat(244)
  router.get('/text', (ctx) => {
    ctx.type = 'text/markdown; charset=utf-8'
    ctx.body = content
  })
  router.put('/text', async (ctx) => {
    const chunks: Buffer[] = []
    for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
    content = Buffer.concat(chunks).toString()
    ctx.body = { ok: true }
  })
  app.use(router.routes())
  const answer = app.callback()
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port))
}

const kinds: Record<string, () => unknown> = { hocuspocus, ws: broadcast, koa }
await kinds[process.argv[2] ?? '']?.()

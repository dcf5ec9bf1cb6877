/**
 * The bare servers that serve as baselines: `node scripts/bench/support/bare.ts hocuspocus|hocuspocus-sqlite|y-websocket|ws|koa`. The process exits when its
 * parent exits.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Router from '@koa/router'
import Koa from 'koa'
import { WebSocket, WebSocketServer } from 'ws'

const tell = (port: number): void => console.log(`listening ${port}`)

/** Starts Hocuspocus with its default settings. It stores nothing on disk. */
const hocuspocus = async (): Promise<void> => {
  const { Server } = await import('@hocuspocus/server')
  const server = new Server({ port: 0, address: '127.0.0.1', quiet: true })
  await server.listen()
  tell(server.address.port)
}

/** Starts Hocuspocus with its SQLite extension, which stores the entire document a few seconds after a change. */
const hocuspocusSqlite = async (): Promise<void> => {
  const { Server } = await import('@hocuspocus/server')
  const Y = await import('yjs')
  const folder = mkdtempSync(join(tmpdir(), 'agmd-bare-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
  const database = new DatabaseSync(join(folder, 'documents.sqlite'))
  database.exec('CREATE TABLE documents (name TEXT PRIMARY KEY, data BLOB NOT NULL)')
  const read = database.prepare('SELECT data FROM documents WHERE name = ?')
  const write = database.prepare('INSERT INTO documents VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET data = excluded.data')
  const server = new Server({
    port: 0,
    address: '127.0.0.1',
    quiet: true,
    onLoadDocument({ document, documentName }) {
      const row = read.get(documentName)
      if (row !== undefined) Y.applyUpdate(document, row['data'] as Uint8Array)
      return Promise.resolve()
    },
    onStoreDocument({ document, documentName }) {
      write.run(documentName, Y.encodeStateAsUpdate(document))
      return Promise.resolve()
    }
  })
  await server.listen()
  tell(server.address.port)
}

/** Starts the y-websocket server with LevelDB, as its manual recommends. It acknowledges nothing. */
const yWebsocket = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'agmd-bare-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
  // y-websocket reads this variable when it is loaded.
  process.env['YPERSISTENCE'] = folder
  const { setupWSConnection } = await import('y-websocket/bin/utils')
  const server: WebSocketServer = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false }, () =>
    tell((server.address() as AddressInfo).port)
  )
  server.on('connection', (socket, request) => setupWSConnection(socket, request))
}

/** Starts a WebSocket server that sends each message to all other clients. */
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

/** Starts a server that returns text of 10 KB from memory, and stores request bodies in memory. */
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

const kinds: Record<string, () => unknown> = {
  hocuspocus,
  'hocuspocus-sqlite': hocuspocusSqlite,
  'y-websocket': yWebsocket,
  ws: broadcast,
  koa
}
await kinds[process.argv[2] ?? '']?.()

/** Slow clients: connections that never complete a request are closed, and nobody else waits for them. */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const upgrade = (version: string, protocol: string): string =>
  `GET /collab HTTP/${version}\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
  `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: ${protocol}\r\n\r\n`

interface Slow {
  readonly answer: () => string
  readonly isCut: () => boolean
  end(): void
}

/** Opens a connection that sends `first` and then `drip` every quarter of a second, and never closes its side. */
const slow = (first: string, drip: string): Slow => {
  const socket: Socket = connect({ port: Number(new URL(world.listening).port), host: '127.0.0.1', allowHalfOpen: true })
  let answer = ''
  let isCut = false
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
  // The connection was reset or closed for writing, so the server has released it.
  socket.on('error', () => (isCut = true))
  socket.on('close', () => (isCut = true))
  if (first !== '') socket.write(first)
  const dripping = setInterval(() => {
    if (!socket.destroyed) socket.write(drip)
  }, 250)
  return {
    answer: () => answer,
    isCut: () => isCut,
    end() {
      clearInterval(dripping)
      socket.destroy()
    }
  }
}

const secondsMax = limits.headersSecondsMax + (limits.connectionCheckMs + limits.connectionLingerMs) / 1000 + 5

test.concurrent('[SOCKET-13] connections that send their headers slowly, or almost nothing, end within seconds', async () => {
  const first = 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
  const clients = [
    ...Array.from({ length: 400 }, () => slow(first, 'x')),
    slow('', '\r\n'),
    slow(upgrade('1.1', '13').slice(0, 90), 'A'),
    slow('POST /api/docs HTTP/1.1\r\nHost: localhost\r\nContent-Le', 'n')
  ]
  const begun = performance.now()
  expect((await world.ask('GET', '/api/health')).status).toBe(200)
  expect(performance.now() - begun).toBeLessThan(5000)
  await until(() => clients.every(({ isCut }) => isCut()), 'the end of each', secondsMax)
  expect(clients.filter(({ answer }) => !/^HTTP\/1\.1 4\d\d /.test(answer()))).toEqual([])
  for (const client of clients) client.end()
})

test.concurrent('[SOCKET-14] a refused upgrade ends its connection, whether or not the client closes it', async () => {
  const clients = [
    slow(upgrade('1.0', '13'), 'x'),
    slow(upgrade('1.1', '7'), 'x'),
    slow(upgrade('1.1', '13').replace('/collab', '/elsewhere'), 'x'),
    slow(upgrade('1.1', '13').replace('Upgrade: websocket', 'Upgrade: h2c'), 'x')
  ]
  await until(() => clients.every(({ isCut }) => isCut()), 'the end of each')
  for (const client of clients) {
    expect(client.answer()).toMatch(/^HTTP\/1\.1 4\d\d /)
    client.end()
  }
})

test.concurrent('[SOCKET-15] a socket that opens no document is closed after ten seconds', async () => {
  const client = slow(upgrade('1.1', '13'), '')
  await until(() => world.counts().sockets === 1, 'the socket')
  await until(() => world.counts().sockets === 0, 'its end', limits.socketHelloSecondsMax + limits.socketGoodbyeSecondsMax + 5)
  client.end()
})

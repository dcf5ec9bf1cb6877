/** The examples for reverse proxies in `deploy/`, each in front of a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../shared/limits.ts'
import { freePort } from './support/free-port.ts'
import { noProxy, type Proxy, type ProxyName, startProxy } from './support/proxies.ts'
import { startWorld, type World } from './support/world.ts'

const names: readonly ProxyName[] = ['nginx', 'caddy']

for (const name of names) {
  const missing = noProxy(name)
  if (missing !== undefined) process.stderr.write(`SKIPPED: ${missing}\n`)

  describe.skipIf(missing !== undefined)(name, () => {
    let world: World
    let proxy: Proxy

    beforeAll(async () => {
      const address = `127.0.0.1:${await freePort()}`
      world = await startWorld({
        env: {
          AGMD_BASE_URL: `http://${address}`,
          AGMD_TRUST_PROXY: '1',
          AGMD_RATE_LIMITS: 'on',
          AGMD_SOCKETS_PER_ADDRESS: '3',
          AGMD_METRICS_ADDRESSES: '127.0.0.1'
        }
      })
      proxy = await startProxy(name, { address, servers: [new URL(world.listening).host] })
    })

    afterAll(async () => {
      await world.stop()
      await proxy.stop()
    })

    test(`[PROXY-1] pages edit a document together through the proxy: ${name}`, async () => {
      const ana = await world.create('text')
      const editor = await ana.connect()
      editor.type(4, ' and more')
      await editor.saved()
      expect((await ana.read()).content).toBe('text and more')
      editor.close()
    })

    test(`[PROXY-2] events arrive through the proxy while the stream stays open: ${name}`, async () => {
      const ana = await world.create('text')
      const stopped = new AbortController()
      const headers = { Accept: 'text/event-stream', 'X-Share-Key': ana.key }
      const { body } = await fetch(`${world.url}/api/docs/${ana.doc}/events?since=latest`, { headers, signal: stopped.signal })
      const reader = (body as ReadableStream<Uint8Array>).getReader()
      await ana.ask('POST', '/comments', { json: { body: 'Hello', find: 'text', author: 'Ana' } })
      let received = ''
      while (!received.includes('comment.created')) received += Buffer.from((await reader.read()).value ?? []).toString()
      stopped.abort()
    })

    test(`[PROXY-3] the largest recording reaches the server through the proxy: ${name}`, async () => {
      const ana = await world.create('text')
      const body = new Uint8Array(limits.transcriptionBytesMax)
      const answer = await ana.ask('POST', '/media/transcribe', { body, type: 'audio/wav' })
      expect({ status: answer.status, code: answer.json?.code }).toEqual({ status: 403, code: expect.any(String) })
    })

    test(`[PROXY-4] a client cannot choose the address under which it is counted: ${name}`, async () => {
      const opened = await Promise.all(
        [1, 2, 3, 4].map((number) =>
          world.socket({ headers: { 'X-Forwarded-For': `192.0.2.${number}` } }).catch((error: Error) => error.message)
        )
      )
      // Three sockets per address are allowed.
      const refused = opened.filter((socket) => typeof socket === 'string')
      expect(refused).toEqual(['upgrade answered 429'])
      for (const socket of opened) if (typeof socket !== 'string') socket.close()
    })

    test(`[PROXY-6] the line for HSTS is disabled in the example, and works when it is enabled: ${name}`, async () => {
      expect((await fetch(`${world.url}/livez`)).headers.get('Strict-Transport-Security')).toBe('max-age=31536000')
    })

    test(`[PROXY-5] the proxy does not pass the metrics: ${name}`, async () => {
      expect((await fetch(`${world.listening}/metrics`)).status).toBe(200)
      expect((await fetch(`${world.url}/metrics`)).status).toBe(404)
    })
  })
}

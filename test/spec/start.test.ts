import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { start, startProcess } from '../support/start.ts'
import { settledWithin } from '../support/world.ts'

test('[START-1] whoever comes while the server starts is answered once it is ready', async () => {
  const port = await freePort()
  const starting = start({ env: { AGMD_PORT: String(port) } })
  const asked: Promise<number | 'refused'>[] = []
  let started = false
  void starting.then(() => (started = true))
  while (!started) {
    asked.push(
      fetch(`http://127.0.0.1:${port}/api/health`).then(
        ({ status }) => status,
        () => 'refused' as const
      )
    )
    await new Promise((resolve) => setImmediate(resolve))
  }
  const world = await starting
  const answers = await settledWithin(Promise.all(asked), 5000)
  if (answers === 'waiting') throw new Error('somebody was not answered')
  expect(new Set(answers).isSubsetOf(new Set([200, 'refused']))).toBe(true)
  expect(answers).toContain(200)
  await world.stop()
})

test('[START-2] a port that is taken is said in a sentence that names the setting, and the process ends with 1', async () => {
  const first = await start()
  const { port } = new URL(first.url)
  await expect(startProcess({ env: { AGMD_PORT: port } })).rejects.toThrow(
    `ended with 1: agmd cannot listen on 127.0.0.1:${port}: another program uses it. Set AGMD_PORT or AGMD_HOST to another one.\n`
  )
  await first.stop()
})

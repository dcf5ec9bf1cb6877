/** A real document that is edited through every interface at once: REST, two clients with the standard provider, and an agent. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { start } from '../support/start.ts'
import { createDocument, pause, putMarkdown, readMarkdown, seeded, type Target } from '../support/typist.ts'

const specification = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('commonmark-spec/package.json')), 'spec.txt'),
  'utf8'
)

interface Client {
  readonly provider: HocuspocusProvider
  readonly text: Y.Text
  close(): void
}

const until = async (condition: () => boolean): Promise<void> => {
  const end = performance.now() + 30_000
  while (!condition() && performance.now() < end) await pause(10)
  expect(condition()).toBe(true)
}

/** Opens a client that connects as a browser does. */
const open = async ({ url, doc, key }: Target): Promise<Client> => {
  const socket = new HocuspocusProviderWebsocket({ url: `${url.replace('http', 'ws')}/collab` })
  const document = new Y.Doc()
  const provider = new HocuspocusProvider({ websocketProvider: socket, name: doc, document, token: key })
  provider.attach()
  await until(() => provider.isSynced)
  return {
    provider,
    text: document.getText('content'),
    close() {
      provider.destroy()
      socket.destroy()
      document.destroy()
    }
  }
}

test('[FAULT-7] the CommonMark specification, edited by two clients and an agent at once, ends byte-equal everywhere', async () => {
  expect(specification.length).toBeGreaterThan(190_000)
  const world = await start()
  const target = await createDocument(world.url, specification)
  expect((await readMarkdown(target)).content).toBe(specification)
  const clients = [await open(target), await open(target)]
  for (const { text } of clients) expect(text.toString()).toBe(specification)
  const random = seeded(7)
  const marks: string[] = []
  const edit = async (client: Client, name: string): Promise<void> => {
    for (let n = 0; n < 150; n++) {
      const mark = `⟦${name}-${String(n).padStart(6, '0')}⟧`
      const content = client.text.toString()
      marks.push(mark)
      client.text.insert(content.indexOf('\n', random(content.length)) + 1, `${mark}\n`)
      await pause(random(10))
    }
  }
  const agent = async (): Promise<void> => {
    for (let n = 0; n < 40; n++) {
      const { content, version } = await readMarkdown(target)
      const mark = `⟦a0-${String(n).padStart(6, '0')}⟧`
      const { status } = await putMarkdown(target, `${content}${mark}\n`, version)
      expect([200, 409]).toContain(status)
      if (status === 200) marks.push(mark)
      await pause(20)
    }
    // The others have stopped writing, so one more edit must succeed.
    for (;;) {
      const { content, version } = await readMarkdown(target)
      if ((await putMarkdown(target, `${content}⟦a1-000000⟧\n`, version)).status === 200) break
    }
    marks.push('⟦a1-000000⟧')
  }
  await Promise.all([...clients.map((client, index) => edit(client, `c${index}`)), agent()])
  for (const { provider } of clients) await until(() => !provider.hasUnsyncedChanges)
  const { content } = await readMarkdown(target)
  for (const { text } of clients) await until(() => text.toString() === content)
  expect(marks.filter((mark) => content.split(mark).length !== 2)).toEqual([])
  // Without the marks, the text is unchanged.
  expect(content.replace(/⟦[a-z]\d-\d{6}⟧\n/g, '')).toBe(specification)
  for (const client of clients) client.close()
  await world.stop()
})

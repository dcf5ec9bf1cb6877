/** Widgets on published pages, which run on request and in isolation. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start, type World } from '../support/start.ts'
import { createDocument, launch, until } from './browser.ts'
import { type Elsewhere, startElsewhere } from './elsewhere.ts'

let world: World
let browser: Browser
let elsewhere: Elsewhere

beforeAll(async () => {
  world = await start()
  // Only the full browser isolates hostile content as users' browsers do.
  browser = await launch({ whole: true })
  elsewhere = await startElsewhere()
})

afterAll(async () => {
  await browser.close()
  elsewhere.stop()
  await world.stop()
})

const publish = async (text: string): Promise<string> => {
  const { id, key } = await createDocument(world.url, text)
  const answer = await fetch(`${world.url}/api/docs/${id}/publish`, { method: 'POST', headers: { 'x-share-key': key } })
  return ((await answer.json()) as { url: string }).url
}

/** Returns a widget that tries everything that is forbidden and writes the result. */
const hostile = (address: string): string => `<output id="o"></output>
<script>
const tries = {
  parent: () => parent.document.title,
  top: () => top.location.href,
  storage: () => localStorage.length,
  cookie: () => document.cookie,
  popup: () => { if (open('${address}/popup') === null) throw new Error('no window') },
  away: () => { top.location = '${address}/away' },
  network: () => fetch('${address}/fetch'),
  socket: () => new Promise((done, fail) => { const ws = new WebSocket('${address.replace('http', 'ws')}/socket'); ws.onopen = done; ws.onerror = fail }),
  picture: () => new Promise((done, fail) => { const i = new Image(); i.onload = done; i.onerror = fail; i.src = '${address}/picture' }),
  script: () => new Promise((done, fail) => { const s = document.createElement('script'); s.onload = done; s.onerror = fail; s.src = '${address}/script'; document.body.append(s) }),
  frame: () => new Promise((done, fail) => { document.addEventListener('securitypolicyviolation', fail); const f = document.createElement('iframe'); f.onload = done; f.src = '${address}/frame'; document.body.append(f) }),
  evaluate: () => new Function('return 1')()
}
const told = []
const run = async () => {
  for (const [name, work] of Object.entries(tries)) {
    try { await work(); told.push(name) } catch {}
  }
  o.value = 'could: ' + told.join() + '; state ' + JSON.stringify(agmd.state)
}
run()
</script>
<!-- state {"u":1} -->`

test('[FENCE-42] a widget on a published page gets the sheets of the page; its faults are reported at once', async () => {
  const sheet = '```sheet #s\n| a | b |\n|---|---|\n| 2 | =A2*3 |\n```\n\n'
  const reads =
    '<output id="o"></output><script>agmd.getData("#s").then((rows) => { o.value = JSON.stringify(rows); agmd.setState(1) })</script>'
  const widget = (title: string, html: string): string => `\`\`\`widget title=${title}\n${html}\n\`\`\`\n\n`
  const page = await browser.newPage()
  await page.goto(await publish(sheet + widget('Reads', reads) + widget('Throws', '<script>throw new Error("at once")</script>')))
  await page.getByRole('button', { name: 'Run this widget: Reads' }).click()
  await page.frameLocator('iframe.widget-frame').getByText('[["a","b"],["2","6"]]').waitFor()
  await page.getByText('Changes made here are not saved.').waitFor()
  await page.getByRole('button', { name: 'Run this widget: Throws' }).click()
  await page.getByText('The widget failed: Uncaught Error: at once').waitFor()
  await page.close()
})

test('[FENCE-36] a widget runs on request, has no access to the page around it, and stops on request', async () => {
  const { url: address, asked } = elsewhere
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(await publish(`\`\`\`widget height=100 title="Try"\n${hostile(address)}\n\`\`\`\n\nText.\n`))
  expect(await page.locator('iframe').count()).toBe(0)
  await page.getByRole('button', { name: 'Run this widget: Try' }).click()
  const frame = page.frameLocator('iframe.widget-frame')
  await until(
    async () =>
      (
        await frame
          .locator('output')
          .textContent({ timeout: 1000 })
          .catch(() => '')
      )?.startsWith('could') === true,
    'the widget'
  )
  expect(await frame.locator('output').textContent()).toBe('could: ; state {"u":1}')
  expect(asked).toEqual([])
  expect(page.url()).toContain('/pub/')
  expect(context.pages().length).toBe(1)
  await page.getByRole('button', { name: 'Stop: Try' }).click()
  expect(await page.locator('iframe').count()).toBe(0)
  expect(await page.locator('figure.component-widget pre').count()).toBe(1)

  // Opened directly, the widget page has no origin either.
  await page.goto(`${world.url}/embed/widget`)
  expect(await page.evaluate(() => globalThis.origin)).toBe('null')
  await context.close()
})

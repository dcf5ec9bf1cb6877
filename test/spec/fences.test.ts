import * as Y from 'yjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyEdits } from '../../shared/text/diff.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { told } from '../support/mcp.ts'
import { type Editor, type Json, startWorld, until, type World } from '../support/world.ts'
import { parseBoard } from '../../shared/fences/board.ts'
import { moveCard } from '../../shared/fences/board-edits.ts'
import { fencesOf } from '../../shared/fences/fences.ts'

const clock = testClock(Date.UTC(2026, 10, 20, 12))
let world: World
beforeAll(async () => {
  world = await startWorld({ clock })
})
afterAll(() => world.stop())

const board = '# Plan\n\n```board\n## Todo\n- [ ] One\n- [ ] Two\n- [ ] Three\n## Done\n```\n'
const tidy = board.replace('- [ ] Two\n', '').replace('## Done\n', '## Done\n- [x] Two\n')

/** Moves the second card to the last column, as a page does. */
const move = ({ ytext }: Editor): string => {
  const [fence] = fencesOf(ytext.toString())
  if (fence === undefined) throw new Error('no fence')
  const edits = moveCard(parseBoard(fence), { column: 0, card: 1 }, { column: 1, card: 0 })
  const after = applyEdits(ytext.toString(), edits)
  ytext.doc?.transact(() => {
    for (const { from, to, insert } of edits.toReversed()) {
      if (to > from) ytext.delete(from, to - from)
      if (insert !== '') ytext.insert(from, insert)
    }
  })
  return after
}

/** Places a page's cursor and waits until another page sees it. */
const stand = async (page: Editor, watcher: Editor, index: number): Promise<void> => {
  const place = Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(page.ytext, index))
  page.provider.setAwarenessField('cursor', { anchor: place, head: place })
  const shown = (): string =>
    JSON.stringify([...(watcher.provider.awareness?.getStates().values() ?? [])].map(({ cursor }) => cursor ?? null))
  await until(() => shown().includes(JSON.stringify(place)), 'the cursor')
}

const isOnServer = (who: { read(): Promise<{ content: string }> }, content: string): Promise<void> =>
  until(async () => (await who.read()).content === content, 'the text on the server')

test('[FENCE-30] two seconds after the last edit in a fence the server tidies it, once, and names nobody', async () => {
  const owner = await world.create(board)
  const page = await owner.connect({ name: 'Ana' })
  const left = move(page)
  expect(left).not.toBe(tidy)
  await isOnServer(owner, left)
  clock.advance(limits.tidyCheckMs)
  expect((await owner.read()).content).toBe(left)
  clock.advance(limits.tidyQuietMs)
  await isOnServer(owner, tidy)
  await until(() => page.ytext.toString() === tidy, 'the tidy text on the page')
  clock.advance(2000)
  const last = async (): Promise<Json> => (await owner.events()).events.at(-1)
  await until(async () => (await last()).actorKind === 'system', 'the event')
  expect(await last()).toMatchObject({ kind: 'content.changed', actor: null, payload: { actors: [] } })
  expect(JSON.stringify(await owner.events())).not.toContain('heal')
  // The history names only people and programs.
  clock.advance(limits.autosaveMaxMs)
  await until(async () => (await owner.revisions()).revisions[0].cause === 'autosave', 'the revision')
  expect((await owner.revisions()).revisions[0]).toMatchObject({ author: 'Ana', authors: ['Ana'] })
  const { lines } = (await owner.ask('GET', '/attribution')).json
  expect(JSON.stringify(lines)).not.toContain('heal')
})

test('[FENCE-31] a fence in which somebody writes, or that a program wrote, stays as it is', async () => {
  const owner = await world.create(board)
  const page = await owner.connect({ name: 'Ana' })
  const watcher = await owner.connect({ name: 'Bo' })
  await stand(page, watcher, board.indexOf('Three'))
  const left = move(page)
  await isOnServer(owner, left)
  clock.advance(60_000)
  expect((await owner.read()).content).toBe(left)
  await stand(page, watcher, 0)
  clock.advance(limits.tidyCheckMs)
  await isOnServer(owner, tidy)

  const spaced = board.replace('- [ ] One\n', '- [X] One  \n\n')
  const other = await world.create('text')
  const version = (await other.replace(spaced)).version
  clock.advance(60_000)
  expect((await other.read()).version).toBe(version)
})

const sheet =
  '# S\n\n```sheet #a\n| x | y |\n|---|---|\n| 2 | =A2*3 |\n| =TODAY() | =#b!A1&"\\|" |\n```\n\n## Other\n\n- ```sheet #b\n  a,=1/0\n  ```\n'
const values = sheet.replace('=A2*3', '6').replace('=TODAY()', '2026-11-20').replace('=#b!A1&"\\|"', 'a\\|').replace('=1/0', '#DIV/0!')

test('[FENCE-32] values=1 returns formulas as their displayed values, in any view, and keeps everything else in place', async () => {
  const owner = await world.create(sheet)
  const ask = async (query: Record<string, string>): Promise<string> => (await owner.ask('GET', '/content', { query })).text
  expect(await ask({ values: '1' })).toBe(values)
  expect(await ask({})).toBe(sheet)
  expect(await ask({ values: '0' })).toBe(sheet)
  expect(await (await fetch(`${world.url}/d/${owner.doc}.md?values=1&key=${owner.key}`)).text()).toBe(values)
  expect(await ask({ values: '1', section: 'Other' })).toBe(values.slice(values.indexOf('## Other')))
  expect(await ask({ values: '1', lines: '6' })).toContain('| 2 | 6 |')
  const { version } = await owner.read()
  await owner.replace(sheet.replace('| 2 |', '| 5 |'))
  const changed = await ask({ values: '1', since: version })
  expect(changed).toContain('-| 2 | 6 |')
  expect(changed).toContain('+| 5 | 15 |')
  const answer = await told(world.url, 'read_doc', { doc: owner.doc, key: owner.key, values: true })
  expect(JSON.stringify(answer)).toContain('| 5 | 15 |')
})

const published = async (text: string): Promise<{ html: string; policy: string }> => {
  const owner = await world.create(text)
  await owner.ask('POST', '/publish')
  const answer = await fetch(`${world.url}/pub/${owner.doc}`)
  return { html: await answer.text(), policy: answer.headers.get('content-security-policy') ?? '' }
}

test('[FENCE-33] published pages show boards, chats, computed sheets and charts without script or styles of their own', async () => {
  const { html, policy } = await published(
    `${board}\n\`\`\`chat\n[2026-11-20T10:02Z] @ana: **Yes** <b>\n\`\`\`\n\n${sheet}\n\`\`\`chart\ntitle: C <b>\ndata: #a\n\`\`\`\n`
  )
  expect(html).toContain('<li class="card card-open">')
  expect(html).toContain('<b>ana</b> <time datetime="2026-11-20T10:02:00.000Z">Nov 20, 2026, 10:02 UTC</time>')
  expect(html).toContain('<strong>Yes</strong> &lt;b&gt;')
  expect(html).toContain('<td class="right">6</td>')
  expect(html).toContain('class="sheet-error"')
  expect(html).toMatch(/<svg [^>]*role="img"[\s\S]*<title id="chart:\d+-title">C &lt;b&gt;<\/title>/)
  expect(html).not.toMatch(/<script|style=/)
  expect(policy).not.toContain('script-src')
})

test('[FENCE-34] a widget is its source, and a page with one has the script that runs it on request', async () => {
  const { html, policy } = await published('```widget height=90000 title="<b>"\n<script>evil()</script>\n<!-- state {"a":"\\""} -->\n```\n')
  expect(html).toContain(`data-height="${limits.widgetHeightMax}" data-state="{&quot;a&quot;:&quot;\\&quot;&quot;}"`)
  expect(html).toContain('&lt;script&gt;evil()&lt;/script&gt;')
  expect(html).toContain('<figcaption>&lt;b&gt;</figcaption>')
  expect(html).not.toContain('<script>')
  expect(policy).toContain("frame-src 'self'")
  expect(policy).toContain("script-src 'self'")
})

test('[FENCE-35] the page in which widgets run has no origin and no network, wherever it is opened', async () => {
  const answer = await fetch(`${world.url}/embed/widget`)
  expect(answer.status).toBe(200)
  const policy = (answer.headers.get('content-security-policy') ?? '').split('; ')
  expect(policy.toSorted()).toEqual(
    [
      'sandbox allow-scripts',
      "default-src 'none'",
      "script-src 'unsafe-inline'",
      "style-src 'unsafe-inline'",
      'img-src data: blob:',
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'"
    ].toSorted()
  )
  expect(answer.headers.get('permissions-policy')).toContain('camera=()')
  expect((await fetch(`${world.url}/embed/widget`, { method: 'POST' })).status).toBe(405)
})

/** Sharing in the browser: links, invitations for agents, and publishing. They also cover sharing with the keyboard, without a connection, and while access ends. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { look, lookAtSizes } from './appearance.ts'
import { chip, createDocument, createLink, readMarkdown, saved, until, type Document, ownPage } from './browser.ts'
import { choose, clipboard, command, tabTo } from './keyboard.ts'
import { onStage } from './stage.ts'
import { openNew } from './visits.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

/** Opens an address in a new context in which the clipboard can be read. */
const open = async (url: string, options = {}): Promise<{ context: BrowserContext; page: Page; heard: string[] }> => {
  const { context, page, heard } = await ownPage(browser, { permissions: ['clipboard-read', 'clipboard-write'], ...options })
  await page.goto(url)
  return { context, page, heard }
}

const dialog = (page: Page) => page.getByRole('dialog')

const sharesOf = async ({
  id,
  key
}: Document): Promise<{ id: string; label: string | null; role: string; expiresAt: string | null; revoked: boolean }[]> => {
  const response = await fetch(`${world.url}/api/docs/${id}/shares`, { headers: { 'x-share-key': key } })
  return ((await response.json()) as { shares: [] }).shares
}
const live = async (document: Document) => (await sharesOf(document)).filter(({ revoked }) => !revoked)

const revoke = ({ id, key }: Document, share: string): Promise<Response> =>
  fetch(`${world.url}/api/docs/${id}/shares/${share}`, { method: 'DELETE', headers: { 'x-share-key': key } })

test('[SHARING-1] [SHARING-12] [SHARING-14] with the keyboard alone: a link with role, name and expiry is created, copied, shown as a QR code, changed and revoked', async () => {
  const document = await createDocument(world.url, '# Shared')
  const { context, page, heard } = await open(document.url)
  await saved(page)
  await command(page, 'Share')
  await tabTo(page, 'Who is it for?')
  await page.keyboard.type('Bea')
  await page.keyboard.press('Tab')
  await choose(page, 'Can comment')
  await page.keyboard.press('Tab')
  await choose(page, 'In 7 days')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('The link for Bea is ready.').waitFor()
  const [made] = (await live(document)).filter(({ label }) => label === 'Bea')
  expect(made).toMatchObject({ role: 'comment' })
  const days = (Date.parse(made?.expiresAt ?? '') - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(6.9)
  expect(days).toBeLessThan(7)

  await tabTo(page, 'Copy link: Bea')
  await page.keyboard.press('Enter')
  await page.getByText('Link copied', { exact: true }).waitFor()
  const url = await clipboard(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('img', { name: 'QR code of the link: Bea' }).waitFor()
  const bea = await open(url)
  await chip(bea.page, 'readonly').waitFor()
  // The list shows that the link is in use.
  await page.getByText('in use now').waitFor()

  await tabTo(page, 'Change name or end: Bea')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => globalThis.document.activeElement?.closest('.share-row form') !== null)
  await page.keyboard.type('Beatrix')
  await context.setOffline(true)
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('alert').waitFor()
  await context.setOffline(false)
  await page.keyboard.press('Tab')
  await choose(page, 'Never')
  await tabTo(page, 'Save')
  await page.waitForFunction(() => globalThis.document.activeElement?.ariaDisabled !== 'true')
  await page.keyboard.press('Enter')
  await page.locator('.share-row', { hasText: 'Beatrix' }).waitFor()
  expect((await live(document)).filter(({ role }) => role === 'comment')).toMatchObject([{ label: 'Beatrix', expiresAt: null }])
  await page.waitForFunction(() => globalThis.document.activeElement?.classList.contains('share-change'))
  await chip(bea.page, 'readonly').waitFor()
  await page.getByText('in use now').waitFor()

  await tabTo(page, 'Revoke: Beatrix')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => globalThis.document.activeElement?.textContent === 'Cancel')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.locator('.share-row', { hasText: 'Beatrix' }).waitFor({ state: 'detached' })
  await chip(bea.page, 'ended').waitFor()
  // The focus goes to the next link of the list, or else to the one above.
  await page.waitForFunction(() => globalThis.document.activeElement?.closest('.share-row') !== null)
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  expect([...heard, ...bea.heard]).toEqual([])
  await context.close()
  await bea.context.close()
})

test('[LINK-4] [LINK-51] a link for everyone is one step, the person’s own is below, roles change in place, and a revocation lists the links that end with it', async () => {
  const document = await createDocument(world.url, '# Shared')
  const { context, page, heard } = await open(document.url)
  await saved(page)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByLabel('Role of the link to copy').selectOption('Can comment')
  const copy = page.locator('.share-quick .button')
  await copy.click()
  await until(async () => (await copy.textContent()) === 'Copied', 'the button that was pressed')
  const url = await clipboard(page)
  await until(async () => (await copy.textContent()) === 'Copy link', 'the button as it was')
  await copy.click()
  await until(async () => (await copy.textContent()) === 'Copied', 'the button again')
  expect(await clipboard(page)).toBe(url)
  await page.getByLabel('Role of the link to copy').selectOption('Can suggest')
  expect(await copy.textContent()).toBe('Copy link')
  const unnamed = async (): Promise<string[]> => (await live(document)).filter(({ label }) => label === null).map(({ role }) => role)
  expect(await unnamed()).toEqual(['comment'])
  expect(await page.getByText('Links you create here end').count()).toBe(0)
  const rows = page.locator('.share-row strong')
  expect(await rows.allTextContents()).toEqual(['Anyone with the link', 'Your own link'])
  await look(page, 'share-links')
  await page.getByLabel('Role of Anyone with the link').selectOption('Can read')
  await until(async () => (await unnamed())[0] === 'view', 'the new role')

  await page.getByLabel('Who is it for?').fill('Bea')
  await page.locator('.share-form').getByLabel('Role').selectOption('Owner')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('The link for Bea is ready.').waitFor()
  // The form for the next link does not keep the role of an owner.
  expect(await page.locator('.share-form').getByLabel('Role').inputValue()).toBe('edit')
  const bea = new URL(await page.getByLabel('New link').inputValue()).searchParams.get('key') ?? ''
  await fetch(`${world.url}/api/docs/${document.id}/shares`, {
    method: 'POST',
    headers: { 'x-share-key': bea, 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'edit', label: 'Cleo' })
  })
  await page.locator('.share-row', { hasText: 'Cleo' }).waitFor()
  await page.getByRole('button', { name: 'Revoke: Bea' }).click()
  await page.getByText('unless you choose “Revoke this link only”: Cleo.').waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  await look(page, 'share-links')
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  await fetch(`${world.url}/api/docs/${document.id}/shares`, {
    method: 'POST',
    headers: { 'x-share-key': document.key, 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'comment', label: 'Dora', expiresAt: new Date(Date.now() + 1000).toISOString() })
  })
  const doras = async () => (await live(document)).filter(({ label }) => label === 'Dora')
  await until(async () => (await doras()).every(({ expiresAt }) => Date.parse(expiresAt ?? '') < Date.now()), 'the end of the link')
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByText('Can comment · Ended').waitFor()
  await page.getByRole('button', { name: 'New link: Dora' }).click()
  await page.getByText('The link for Dora is ready.').waitFor()
  expect((await doras()).map(({ role }) => role)).toEqual(['comment', 'comment'])
  expect(heard).toEqual([])
  await context.close()
})

const run = (shell: string): Promise<string> => promisify(execFile)('bash', ['-ec', shell]).then(({ stdout }) => stdout)

test('[SHARING-2] [SHARING-10] with the keyboard alone: an agent is invited, and everything shown for it works, for each role', async () => {
  const document = await createDocument(world.url, '# For agents\n\nText.\n')
  const { context, page, heard } = await open(document.url)
  await saved(page)
  const found: Record<string, Record<string, string>> = {}
  for (const role of ['Can suggest', 'Can edit', 'Can comment', 'Can read']) {
    await command(page, 'Invite an agent')
    await tabTo(page, 'Name of the link')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(`"; rm -rf $HOME '<b>` + role)
    await tabTo(page, role)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: role }).waitFor()
    for (const name of ['Prompt', 'MCP', 'curl', 'Command line']) {
      await tabTo(page, `Copy: ${name}`)
      await page.keyboard.press('Enter')
      await page.getByText(`${name} copied`, { exact: true }).waitFor()
      ;(found[role] ??= {})[name] = await clipboard(page)
    }
    await page.getByRole('button', { name: 'Invite another' }).click()
    await page.keyboard.press('Escape')
  }
  expect((await live(document)).map(({ role }) => role).toSorted()).toEqual(['comment', 'edit', 'owner', 'suggest', 'view'])
  const given = Object.values(found).flatMap((texts) => Object.values(texts))
  expect(given.filter((text) => text.includes('rm -rf') || text.includes('For agents'))).toEqual([])

  for (const texts of Object.values(found)) {
    const said = await run(texts['curl'] ?? '')
    expect(said).toContain('# For agents')
    const config = JSON.parse(texts['MCP'] ?? '') as { mcpServers: { agmd: { url: string; headers: Record<string, string> } } }
    const { url, headers } = config.mcpServers.agmd
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as never)
    const tool = (await client.listTools()).tools.find(({ name }) => name.endsWith('read_doc'))
    expect(tool?.name).not.toContain('.')
    expect(client.getInstructions()).toContain(`the document ${document.id}:`)
    for (const given of [{ doc: document.id }, {}])
      expect(JSON.stringify(await client.callTool({ name: tool?.name ?? '', arguments: given }))).toContain('For agents')
    await client.close()
    // Every address in the prompt exists.
    const addresses = (texts['Prompt'] ?? '').match(/https?:\/\/[^\s:]+:\d+[^\s]*[^\s:.,]/g) ?? []
    expect(addresses).toHaveLength(2)
    for (const address of addresses) expect((await fetch(address, { headers: { accept: 'text/markdown' } })).status).toBe(200)
    expect(texts['Command line']).toContain(`agmd docs pull '${addresses[0]}'`)
    const [, installer = ''] = /^# Without agmd, install it first: curl -fsSL (\S+) \| sh$/m.exec(texts['Command line'] ?? '') ?? []
    expect(await (await fetch(installer)).text()).toMatch(/^#!\/bin\/sh/)
  }
  expect(await readMarkdown(world.url, document)).toContain('- a line by an agent')
  const ask = async (what: string): Promise<unknown[]> => {
    const response = await fetch(`${world.url}/api/docs/${document.id}/${what}`, { headers: { 'x-share-key': document.key } })
    return ((await response.json()) as Record<string, unknown[]>)[what] ?? []
  }
  expect(await ask('suggestions')).toHaveLength(1)
  expect(await ask('comments')).toHaveLength(1)
  expect(heard).toEqual([])
  await context.close()
})

test('[SHARING-3] [SHARING-11] [PUBLISH-23] [PUBLISH-43] [LINK-42] with the keyboard alone: a document is published, read by anyone, indexed if its owner wants, and unpublished', async () => {
  const news = '# News\n\nFor everyone.\n\n```chat\n[2026-11-20T10:02Z] @Bo: Hi\n```\n'
  const document = await createDocument(world.url, news)
  const { context, page, heard } = await open(document.url)
  await saved(page)
  await command(page, 'Publish')
  const turn = page.getByRole('switch', { name: 'Publish this document' })
  await turn.waitFor()
  await page.getByText('The page names no author. It shows the names in its chats.').waitFor()
  await page.getByText('Readers see changes when they load the page again.').waitFor()
  await tabTo(page, 'Publish this document')
  await page.keyboard.press('Space')
  const address = await page.getByLabel('Address of the published page').inputValue()
  const robots = async (): Promise<string | null> => (await fetch(address)).headers.get('x-robots-tag')
  expect(await robots()).toBe('noindex')
  await tabTo(page, 'Let search engines')
  await page.keyboard.press('Space')
  await until(async () => (await robots()) === null, 'search engines may index it')
  const reader = await open((await page.getByRole('link', { name: 'Open the published page' }).getAttribute('href')) ?? '')
  await reader.page.getByText('For everyone.').waitFor()
  const markdown = await fetch((await page.getByRole('link', { name: 'As Markdown' }).getAttribute('href')) ?? '')
  expect(await markdown.text()).toBe(news)
  // The next visit shows that the document is published. A person with a name can put it into the front matter.
  await page.keyboard.press('Escape')
  await page.evaluate(() => localStorage.setItem('agmd.name', 'Ana Lee'))
  await page.reload()
  await saved(page)
  await command(page, 'Publish')
  await page.getByText('The page names no author.').waitFor()
  await tabTo(page, 'Name Ana Lee as the author')
  await page.keyboard.press('Space')
  await page.locator('[role=switch]:focus').waitFor()
  await page.getByRole('checkbox', { name: 'Let search engines index the page', checked: true }).waitFor()
  await page.getByText('The page names Ana Lee as the author.').waitFor()
  await until(async () => (await (await fetch(`${address}.md`)).text()).startsWith('---\nauthor: "Ana Lee"\n---\n\n# News'), 'the author')
  await tabTo(page, 'Publish this document')
  await page.keyboard.press('Space')
  await page.getByText('The page goes offline immediately').waitFor()
  await tabTo(page, 'Unpublish')
  await page.keyboard.press('Enter')
  await page.getByRole('switch', { name: 'Publish this document', checked: false }).waitFor()
  expect((await fetch(address)).status).toBe(404)
  expect([...heard, ...reader.heard]).toEqual([])
  await context.close()
  await reader.context.close()
})

test('[SHARING-4] [SHARING-13] a lost connection in the dialog loses no input and creates no link twice', async () => {
  const document = await createDocument(world.url, '# Weak')
  const { context, page } = await open(document.url)
  await saved(page)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByLabel('Who is it for?').fill('Cleo')
  await page.locator('.share-form').getByLabel('Role').selectOption('suggest')
  await page.getByLabel('Ends').selectOption('day')
  // The server creates the link, but its answer is lost.
  await page.route('**/shares', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    await route.fetch()
    return route.abort()
  })
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('The server cannot be reached. Nothing is lost').waitFor()
  expect(await page.getByLabel('Who is it for?').inputValue()).toBe('Cleo')
  // After the dialog is closed and opened again, the form still has its values.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Share' }).click()
  expect(await page.getByLabel('Who is it for?').inputValue()).toBe('Cleo')
  expect(await page.locator('.share-form').getByLabel('Role').inputValue()).toBe('suggest')
  await page.unroute('**/shares')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('The link for Cleo is ready.').waitFor()
  // [SHARING-13] The next link has the same role, and no end.
  expect(await page.locator('.share-form').getByLabel('Role').inputValue()).toBe('suggest')
  expect(await page.getByLabel('Ends').inputValue()).toBe('never')
  expect((await live(document)).filter(({ label }) => label === 'Cleo')).toHaveLength(1)
  expect(await page.locator('.share-row', { hasText: 'Cleo' }).count()).toBe(1)

  await context.setOffline(true)
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await page.getByText('You are offline. You can copy existing links.').waitFor()
  await page.getByLabel('Who is it for?').fill('Dora')
  expect(await page.getByRole('button', { name: 'Create link' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Copy link: Cleo' }).click()
  await page.getByText('Link copied', { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Invite an agent' }).click()
  expect(await page.getByRole('button', { name: 'Can edit' }).isDisabled()).toBe(true)
  await page.getByRole('tab', { name: 'Publish' }).click()
  expect(await page.getByRole('switch').isDisabled()).toBe(true)
  await context.setOffline(false)
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await page.getByRole('tab', { name: 'Links' }).click()
  expect(await page.getByLabel('Who is it for?').inputValue()).toBe('Dora')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('The link for Dora is ready.').waitFor()
  // The new link is shown separately only once. The next time, it is only in the list.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.locator('.share-row', { hasText: 'Dora' }).waitFor()
  expect(await page.getByText('The link for Dora is ready.').count()).toBe(0)
  expect(await page.locator('.share-form').getByLabel('Role').inputValue()).toBe('edit')
  await context.close()
})

test('[SHARING-8] the focus stays on the pressed control, while it waits and when it is refused, and moves to a confirmation', async () => {
  const document = await createDocument(world.url, '# Focus')
  const { context, page } = await open(document.url)
  await saved(page)
  const focused = (): Promise<string | null> =>
    page
      .locator('dialog :focus')
      .textContent({ timeout: 1000 })
      .catch(() => null)
  const stays = (words: string): Promise<void> =>
    until(async () => (await focused())?.includes(words) === true, `the focus on ${words}`, 5000)
  const busy = { status: 429, contentType: 'application/problem+json', headers: { 'retry-after': '1' }, body: '{"code":"rate_limited"}' }
  await page.route(/\/(publish|shares)$/, (route) => (route.request().method() === 'GET' ? route.continue() : route.fulfill(busy)))
  await command(page, 'Publish')
  await tabTo(page, 'Publish this document')
  const refusal = page.locator('.notice.danger')
  await page.keyboard.press('Space')
  await refusal.waitFor()
  await stays('Publish this document')
  await page.getByRole('tab', { name: 'Invite an agent' }).click()
  await tabTo(page, 'Can edit')
  await page.keyboard.press('Enter')
  await refusal.waitFor()
  await stays('Can edit')
  await page.getByRole('tab', { name: 'Links' }).click()
  await tabTo(page, 'Create link')
  await page.keyboard.press('Enter')
  await stays('Create link')
  await page.unroute(/\/(publish|shares)$/)
  await page.getByRole('tab', { name: 'Publish' }).click()
  const turn = page.getByRole('switch', { name: 'Publish this document' })
  await turn.press('Space')
  await page.getByLabel('Address of the published page').waitFor()
  await stays('Publish this document')
  for (const answer of ['Cancel', 'Unpublish']) {
    await turn.press('Space')
    await page.getByRole('button', { name: answer }).press('Enter')
    await page.getByText('The page goes offline immediately').waitFor({ state: 'detached' })
    await stays('Publish this document')
  }
  await page.getByRole('switch', { checked: false }).waitFor()
  await context.close()
})

test('[SHARING-5] the dialog reports access that ends or shrinks during an action, and keeps working', async () => {
  const document = await createDocument(world.url, '# Ending')
  const link = await createLink(world.url, document, 'edit')
  const { context, page, heard } = await open(link.url)
  await saved(page)
  await page.getByRole('button', { name: 'Share' }).click()
  // An editor sees the links created on this page, but not the owner's list.
  await page.getByText('The owner of the document sees all links').waitFor()
  expect(await page.locator('.share-row').count()).toBe(0)
  expect(await page.locator('.share-form').getByLabel('Role').locator('option').count()).toBe(4)
  await page.getByLabel('Who is it for?').fill('Bea')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('The link for Bea is ready.').waitFor()
  expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(0)
  await page.getByLabel('Who is it for?').fill('Cleo')
  await revoke(document, link.id)
  await page.getByText('Your access to this document has ended.').first().waitFor()
  expect(await page.getByLabel('Who is it for?').inputValue()).toBe('Cleo')
  expect(await page.getByRole('button', { name: 'Create link' }).isDisabled()).toBe(true)
  for (const name of ['Invite an agent', 'Publish', 'Links']) await page.getByRole('tab', { name }).click()
  await page.getByRole('button', { name: 'Copy link: Bea' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Download my copy' }).waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[SHARING-6] names of links are shown unchanged, no matter what they contain', async () => {
  const document = await createDocument(world.url, '# Names')
  const names = ['<img src=x onerror=alert(1)>', '‮gnirts‬ \u200f عربي', 'W'.repeat(200), '{name} {count}', "O'Neil “x” & <b>"]
  for (const label of names)
    await fetch(`${world.url}/api/docs/${document.id}/shares`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-share-key': document.key },
      body: JSON.stringify({ role: 'view', label })
    })
  const { context, page, heard } = await open(document.url, { viewport: { width: 360, height: 740 } })
  page.on('dialog', (asked) => heard.push(`dialog: ${asked.message()}`))
  await saved(page)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.locator('.share-row').nth(5).waitFor()
  const shown = await page.locator('.share-who strong').allTextContents()
  expect(names.filter((name) => !shown.includes(name))).toEqual([])
  expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  expect(await page.locator('dialog').evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
  expect(heard).toEqual([])
  await context.close()
})

test('[SHARING-7] sharing on wide and narrow screens: no violations', async () => {
  const document = await createDocument(world.url, '# The Seven Lakes\n\nA walk in three days.\n')
  const { context, page, heard } = await open(document.url, { reducedMotion: 'reduce' })
  await saved(page)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('heading', { name: 'Links' }).waitFor()
  await lookAtSizes(page, 'share-empty')
  for (const [label, role, ends] of [
    ['Ana', 'comment', 'never'],
    ['Review agent', 'suggest', 'week'],
    ['Bea of the printing house in the north', 'edit', 'date']
  ] as const) {
    await page.getByLabel('Who is it for?').fill(label)
    await page.locator('.share-form').getByLabel('Role').selectOption(role)
    await page.getByLabel('Ends').selectOption(ends)
    if (ends === 'date') await page.getByLabel('End date').fill('2099-05-01')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText(`The link for ${label} is ready.`).waitFor()
  }
  await lookAtSizes(page, 'share')
  await page.getByRole('button', { name: 'QR code: Review agent' }).click()
  await page.getByRole('img', { name: 'QR code of the link: Review agent' }).waitFor()
  await page.getByRole('button', { name: 'Revoke: Ana' }).click()
  await page.getByText('Anyone using this link').scrollIntoViewIfNeeded()
  await lookAtSizes(page, 'share-revoke')
  await page.getByRole('tab', { name: 'Invite an agent' }).click()
  await lookAtSizes(page, 'agent-roles')
  await page.getByRole('button', { name: 'Can suggest' }).click()
  await page.getByRole('button', { name: 'Copy: Prompt' }).waitFor()
  await lookAtSizes(page, 'agent')
  await page.getByRole('tab', { name: 'Publish' }).click()
  await lookAtSizes(page, 'publish-off')
  await page.getByRole('switch').click()
  await page.getByLabel('Address of the published page').waitFor()
  await lookAtSizes(page, 'publish-on')
  await page.getByRole('switch').click()
  await page.getByText('The page goes offline immediately').waitFor()
  await lookAtSizes(page, 'publish-end')
  await context.setOffline(true)
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await page.getByText('You are offline.').waitFor()
  await page.getByRole('tab', { name: 'Links' }).click()
  await lookAtSizes(page, 'share-offline')
  expect(heard).toEqual([])
  await context.close()
})

test('[WHO-11] [LINK-52] an unnamed person who shares is asked for a name; a new link stays visible, even if an older list of links arrives late', async () => {
  const { context, page } = await openNew(browser, world.url, 'Shared.\n')
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/shares?ended=false', async (route) => {
    const response = await route.fetch()
    await held
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Share' }).click()
  const field = page.getByLabel('Your name, as others see it (optional)')
  await field.fill('Ana')
  // On a slow machine the dialog opens before the page may create links.
  await page.locator('button:not([aria-disabled=true])', { hasText: 'Create link' }).click()
  const ready = page.getByText('The link is ready.')
  await ready.waitFor()
  const whole = page.waitForResponse(/\/shares$/)
  release()
  await whole
  await page.getByRole('heading', { name: 'Existing links' }).waitFor()
  expect(await ready.count()).toBe(1)
  expect(await page.evaluate(() => localStorage.getItem('agmd.name'))).toBe('Ana')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('heading', { name: 'Existing links' }).waitFor()
  expect(await field.count()).toBe(0)
  await context.close()
})

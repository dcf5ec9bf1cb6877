/** Complete journeys. Two people and a program write, review and publish a document, first with and then without a mouse. */
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { World } from '../support/start.ts'
import { editorText, saved, until, type OwnPage, ownPage } from './browser.ts'
import { clipboard, command, tabTo } from './keyboard.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

async function person(name: string, url: string): Promise<OwnPage> {
  const own = await ownPage(browser, {
    name,
    viewport: { width: 1280, height: 860 },
    permissions: ['clipboard-read', 'clipboard-write'],
    reducedMotion: 'reduce'
  })
  await own.page.goto(url)
  return own
}

/** Connects a program with the configuration that the dialog offers for copying. Returns a function that calls its tools. */
async function agent(configuration: string): Promise<(tool: string, args: object) => Promise<Record<string, unknown>>> {
  const { mcpServers } = JSON.parse(configuration) as { mcpServers: { agmd: { url: string; headers: Record<string, string> } } }
  const { url, headers } = mcpServers.agmd
  const client = new Client({ name: 'reviewer', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as never)
  return async (tool, args) => {
    const answer = await client.callTool({ name: `svc_${tool}`, arguments: { ...args } })
    if (answer.isError === true) throw new Error(JSON.stringify(answer.content))
    return answer.structuredContent as Record<string, unknown>
  }
}

const card = (page: Page, words: string) => page.locator('.margin .card', { hasText: words })

test('[TOGETHER-1] two people and a program write, comment, suggest, accept, restore and publish', async () => {
  // Ana writes a document.
  const ana = await person('Ana', world.url)
  await ana.page.getByRole('button', { name: 'Start writing' }).click()
  await saved(ana.page)
  await ana.page.locator('.cm-content').click()
  await ana.page.keyboard.type('# Launch plan\n\nWe ship on Monday.\n\nThe importer reads every file twice.')
  await saved(ana.page)
  const id = /\/d\/([\w-]+)/.exec(ana.page.url())?.[1] ?? ''

  // Ana invites Bea to edit.
  await ana.page.getByRole('button', { name: 'Share', exact: true }).click()
  await ana.page.getByLabel('Who is it for?').fill('Bea')
  await ana.page.locator('.share-form').getByLabel('Role').selectOption({ label: 'Can edit' })
  await ana.page.getByRole('button', { name: 'Create link' }).click()
  await ana.page.getByRole('button', { name: 'Copy link: Bea' }).click()
  await ana.page.getByText('Link copied', { exact: true }).waitFor()
  const link = await clipboard(ana.page)
  await ana.page.keyboard.press('Escape')
  const bea = await person('Bea', link)
  await saved(bea.page)
  expect(await editorText(bea.page)).toContain('We ship on Monday.')
  await bea.page.locator('.annotations-button').waitFor()

  // Ana invites a program to make suggestions.
  await command(ana.page, 'Invite an agent')
  await ana.page
    .getByRole('radio', { name: /^Can suggest/ })
    .or(ana.page.getByRole('button', { name: /^Can suggest/ }))
    .first()
    .click()
  await ana.page.getByRole('button', { name: 'Copy: MCP' }).click()
  await ana.page.getByText('MCP copied', { exact: true }).waitFor()
  const ask = await agent(await clipboard(ana.page))
  await ana.page.keyboard.press('Escape')

  // Bea comments on a word.
  await bea.page.locator('.cm-line', { hasText: 'We ship on Monday.' }).click()
  await bea.page.keyboard.press('End')
  await bea.page.keyboard.press('ArrowLeft')
  await bea.page.keyboard.press('Control+Shift+ArrowLeft')
  await bea.page.keyboard.press('Control+Alt+KeyM')
  await bea.page.keyboard.type('That is a holiday.')
  await bea.page.keyboard.press('Control+Enter')
  await card(ana.page, 'That is a holiday.').waitFor()

  // The program reads the comments and makes suggestions.
  const read = await ask('read_doc', { doc: id })
  expect(read['content']).toContain('We ship on Monday.')
  const { comments } = (await ask('list_comments', { doc: id })) as { comments: { body: string; target: { quote: string } }[] }
  expect(comments.map(({ body, target }) => [body, target.quote])).toEqual([['That is a holiday.', 'Monday']])
  await ask('add_suggestion', { doc: id, operation: 'replace', find: 'Monday', text: 'Tuesday', note: 'As Bea said.', author: 'Checker' })
  await ask('add_suggestion', { doc: id, operation: 'delete', find: ' twice', author: 'Checker' })

  // Ana answers and resolves the comment, accepts one of the suggestions, and leaves the other one open.
  await card(ana.page, 'That is a holiday.').click()
  await ana.page.getByRole('textbox', { name: 'Reply' }).fill('Moved by a day.')
  await ana.page.getByRole('button', { name: 'Reply' }).click()
  await card(bea.page, 'That is a holiday.').click()
  await card(bea.page, 'Moved by a day.').getByRole('button', { name: 'Resolve' }).click()
  await ana.page.locator('.rm-comment').waitFor({ state: 'detached' })
  await card(ana.page, 'As Bea said.').getByRole('button', { name: 'Accept' }).click()
  await until(async () => (await editorText(bea.page)).includes('We ship on Tuesday.'), 'the accepted word at Bea')
  await card(ana.page, 'Checker').getByRole('button', { name: 'Reject', exact: true }).click()
  const statuses = async (): Promise<readonly string[]> => {
    const { suggestions } = (await ask('list_suggestions', { doc: id, status: 'all' })) as { suggestions: { status: string }[] }
    return suggestions.map(({ status }) => status).toSorted()
  }
  await until(async () => (await statuses()).join() === 'accepted,rejected', 'both decided')

  // Bea deletes too much text, and restores the previous version.
  await bea.page.locator('.cm-content').press('Control+a')
  await bea.page.keyboard.press('Delete')
  await until(async () => (await editorText(ana.page)) === '', 'the empty text at Ana')
  await saved(bea.page)
  await bea.page.keyboard.press('Control+Alt+h')
  await bea.page.locator('.timeline-item', { hasText: 'Created · Ana' }).waitFor()
  await bea.page.locator('.timeline-item').nth(1).click()
  await bea.page.locator('.history-text ins', { hasText: 'Tuesday' }).waitFor()
  await bea.page.getByRole('button', { name: 'Restore', exact: true }).click()
  const final = '# Launch plan\n\nWe ship on Tuesday.\n\nThe importer reads every file twice.'
  await until(async () => (await editorText(ana.page)).trimEnd() === final, 'the restored text at Ana')

  // Ana publishes the document, and anyone can read it.
  await command(ana.page, 'Publish')
  await ana.page.getByRole('switch', { name: 'Publish this document' }).click()
  const address = await ana.page.getByLabel('Address of the published page').inputValue()
  const reader = await person('', address)
  await reader.page.getByRole('heading', { name: 'Launch plan' }).waitFor()
  await reader.page.getByText('We ship on Tuesday.').waitFor()
  expect([...ana.heard, ...bea.heard, ...reader.heard]).toEqual([])
  for (const { context } of [ana, bea, reader]) await context.close()
})

test('[KEYS-1] without a mouse a document is created, formatted, and left by Escape and Tab', async () => {
  const { context, page, heard } = await person('Ana', world.url)
  await page.getByRole('button', { name: 'Start writing' }).waitFor()
  await tabTo(page, 'Start writing')
  await page.keyboard.press('Enter')
  await saved(page)
  await until(() => page.evaluate(() => globalThis.document.activeElement?.closest('.cm-content') !== null), 'the cursor in the text')
  await page.keyboard.type('Plan')
  await page.keyboard.press('Control+Alt+1')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('a bold')
  await page.keyboard.press('Control+Shift+ArrowLeft')
  await page.keyboard.press('Control+b')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('item')
  await page.keyboard.press('Control+Shift+9')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await editorText(page)) === '# Plan\na **bold**\n- [x] item', 'the formatted text').catch(async () => {
    expect(await editorText(page)).toBe('# Plan\na **bold**\n- [x] item')
  })
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => globalThis.document.activeElement?.closest('.cm-content') ?? null)).toBeNull()
  expect(heard).toEqual([])
  await context.close()
})

/**
 * Comments, suggestions and assignments in every window size and theme. The tests run axe, check the content policy, and take screenshots for people
 * (AGMD_TEST_SCREENS=1 writes them).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { look, sizes } from './appearance.ts'
import { complaints, createDocument, saved, until, type Document } from './browser.ts'
import { onStage } from './stage.ts'

const sample = readFileSync(join(import.meta.dirname, 'sample.md'), 'utf8')

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

async function post<Answer>(document: Document, path: string, author: string, body: unknown, key = document.key): Promise<Answer> {
  const response = await fetch(`${world.url}/api/docs/${document.id}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-share-key': key, 'x-agent-author': author },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

const lines = [
  { find: 'Field notes', author: 'Ana', body: 'Is this the title we publish under?' },
  { find: 'steps back', author: 'Bea', body: 'Lovely. Could the second half say when it comes back, too?' },
  { find: 'design notes', author: 'Chidi', body: 'The link is dead on my machine.' },
  { find: 'What we agreed', author: 'Ana', body: 'Date missing.' },
  { find: 'Markers hang', author: 'Dunja', body: 'On narrow pages as well?' },
  { find: 'shifts', author: 'Bea', body: 'Or “moves”.' },
  { find: 'nested lists', author: 'Émile', body: 'We should test this with a list of lists of lists.\n\nAnd with right-to-left text.' },
  { find: 'Write the plan', author: 'Ana', body: 'Done on Monday.' },
  { find: 'Publish', author: 'Bea', body: 'After the review, please.' },
  { find: 'First things', author: 'Chidi', body: 'Which?' },
  { find: 'quiet enough', author: 'Dunja', body: 'My favourite line.' },
  { find: 'Offline', author: 'Émile', body: 'Theirs says yes since last week.' },
  { find: 'The end', author: 'Ana', body: 'For now!' }
] as const

/** Creates a document with twenty comments and suggestions, one of them orphaned, and a report. */
async function reviewed(): Promise<Document> {
  const document = await createDocument(world.url, `${sample}\nThis sentence will go.\n`)
  for (const { find, author, body } of lines) await post(document, 'comments', author, { find, body, occurrence: 1 })
  const { id } = await post<{ id: string }>(document, 'comments', 'Bea', { find: 'until you need it', body: 'Who is “you” here?' })
  await post(document, `comments/${id}/replies`, 'Ana', { body: 'Whoever writes.' })
  await post(document, `comments/${id}/replies`, 'Chidi', { body: 'Then let us say so.' })
  await post(document, 'comments', 'Dunja', { find: 'This sentence will go.', body: 'Do we need this one?' })
  await post(document, 'comments', 'Émile', { body: 'Reads well as a whole.' })
  await post(document, 'suggestions', 'Bea', { operation: 'replace', find: 'comes back', text: 'returns', note: 'Shorter.' })
  await post(document, 'suggestions', 'Robot', { operation: 'delete', find: ' really' })
  await post(document, 'suggestions', 'Robot', { operation: 'insert', find: 'Second things', at: 'after', text: ', and third ones' })
  await post(document, 'edits', 'Ana', { edits: [{ find: '\nThis sentence will go.\n', replace: '' }] })
  const { task } = await post<{ task: { id: string; startingVersion: string; share: { url: string } } }>(document, 'tasks', 'Ana', {
    requestId: 'one',
    title: 'Check the facts of the table',
    instructions: 'Is every row true?\n\n- Offline\n- Agents and people'
  })
  const key = new URL(task.share.url).searchParams.get('key') ?? ''
  await post(document, `tasks/${task.id}/start`, 'Robot', {}, key)
  const made = await post<{ id: string }>(document, 'comments', 'Robot', { find: 'sometimes', body: 'Source?' }, key)
  await post(
    document,
    `tasks/${task.id}/report`,
    'Robot',
    { reviewedVersion: task.startingVersion, summary: 'Two rows hold, one needs a source.', commentIds: [made.id], suggestionIds: [] },
    key
  )
  return document
}

for (const viewport of sizes) {
  test(`[REVIEW-12] annotations, panels, suggesting and a report at ${viewport.width} px: no violations`, async () => {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
    await context.addInitScript(() => localStorage.setItem('agmd.name', 'Ana'))
    const page = await context.newPage()
    const heard = complaints(page)
    const isWide = viewport.width >= 1240
    const document = await reviewed()

    await page.goto(document.url)
    await saved(page)
    await page.locator('.rm-comment').first().waitFor()
    if (isWide) {
      await page.locator('.margin .card').first().waitFor()
      await page.locator('.margin .card', { hasText: 'Who is “you” here?' }).click()
      await page.locator('.margin .card', { hasText: 'Whoever writes.' }).waitFor()
    }
    await look(page, 'annotations')

    await page.getByRole('button', { name: /^Comments/ }).click()
    await page.locator('.side-panel .card').first().waitFor()
    await look(page, 'annotations-panel')

    await page.locator('.side-panel .card', { hasText: 'Do we need this one?' }).click()
    await page.getByText('The text was deleted.').waitFor()
    await look(page, 'annotation-orphaned')
    await page.getByRole('button', { name: 'Close' }).click()

    await page.locator('.cm-content').focus()
    await page.keyboard.press('Control+Shift+KeyE')
    await page.locator('.cm-line', { hasText: 'What we agreed' }).click()
    await page.keyboard.press('End')
    await page.keyboard.type(' on Monday')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await page.keyboard.press('Control+Backspace')
    await page.keyboard.type('gutter')
    await page.locator('.rm-own', { hasText: 'gutter' }).waitFor()
    expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width)
    // Controls that were dimmed while somebody typed become visible again.
    await page.mouse.move(viewport.width / 2, 300)
    await look(page, 'suggesting')

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Ask for a review' }).click()
    await page.locator('.task-report').waitFor()
    await until(async () => (await page.locator('.side-panel .tag[data-state=reported]').count()) === 1, 'the state of the assignment')
    await look(page, 'task-report')
    expect(heard).toEqual([])
    await context.close()
  })
}

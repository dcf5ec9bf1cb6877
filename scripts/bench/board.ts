/**
 * Measures a board of 1,000 cards on the page of a document. One figure is the time until the live view has painted the board, with all code loaded.
 * The baseline is a bare page that has the same cards as plain elements. The other figure is the time between frames while a card is dragged.
 */
import type { Page } from 'playwright-core'
import { launchBrowser, worked } from './support/painting.ts'
import { createDocument, ms, percentile, startProcess, table } from './support/support.ts'

const rounds = 8
const dragMoves = 90
/** Number of cards that fit into the window, across all columns. */
const cardsSeen = 100

const card = (index: number): string => `- [${' >x'[index % 3]}] Card number ${index} with some words @ana #tag${index % 7}\n`
const columns = Array.from({ length: 5 }, (_column, column) => {
  const cards = Array.from({ length: 200 }, (_card, index) => card(column * 200 + index))
  return `## Column ${column}\n${cards.join('')}`
})

const server = await startProcess()
const browser = await launchBrowser()

/** Returns the time from a click until this many cards are painted, in milliseconds. */
const opening = (page: Page, cards: number): Promise<number> =>
  page.evaluate(async (most) => {
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Source')
    const start = performance.now()
    if (button === undefined) throw new Error('there is no button of the views')
    button.click()
    const isThere = (): boolean => (document.querySelector('.md-component')?.shadowRoot?.querySelectorAll('.card').length ?? 0) >= most
    // A message that is sent before the browser paints a frame arrives after that frame has been painted.
    await new Promise((resolve) => {
      const channel = new MessageChannel()
      channel.port1.onmessage = resolve
      const look = (): void => {
        if (isThere()) channel.port2.postMessage(null)
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    return performance.now() - start
  }, cards)

/** Returns the time to paint the same number of plain elements, which are created by hand. */
const bare = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const start = performance.now()
    const list = document.createElement('ul')
    for (let index = 0; index < 1000; index++) {
      const item = document.createElement('li')
      item.append(document.createElement('button'), `Card number ${index} with some words`, document.createElement('button'))
      list.append(item)
    }
    document.body.replaceChildren(list)
    await new Promise((resolve) => {
      const channel = new MessageChannel()
      channel.port1.onmessage = resolve
      requestAnimationFrame(() => channel.port2.postMessage(null))
    })
    return performance.now() - start
  })

/** Returns the times between frames while a card is dragged, in milliseconds. */
async function dragging(page: Page): Promise<readonly number[]> {
  const box = await page.locator('.card').nth(1).boundingBox()
  if (box === null) throw new Error('the card is not drawn')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.evaluate(() => {
    const frames: number[] = []
    let last = performance.now()
    const next = (now: number): void => {
      frames.push(now - last)
      last = now
      requestAnimationFrame(next)
    }
    Object.assign(globalThis, { frames })
    requestAnimationFrame(next)
  })
  for (let move = 1; move <= dragMoves; move++) await page.mouse.move(x + move * 2, y + (move % 30) * 6)
  const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames)
  await page.mouse.up()
  return frames.slice(2)
}

const row = (name: string, times: readonly number[]): string[] => [name, ms(percentile(times, 0.5)), ms(percentile(times, 0.95))]

try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const created = await createDocument(server.url, `# Plan\n\n\`\`\`board\n${columns.join('')}\`\`\`\n`)
  await page.goto(`${server.url}/d/${created.doc}?key=${created.key}`)
  await page.locator('.card').first().waitFor()
  const [firsts, times, cpus]: [number[], number[], number[]] = [[], [], []]
  const toSource = async (): Promise<void> => {
    await page.locator('.top-bar').getByRole('button', { name: 'Source' }).click()
    await page.locator('.cm-source').waitFor()
  }
  for (let round = 0; round <= rounds; round++) {
    await toSource()
    firsts.push(await opening(page, cardsSeen))
    await toSource()
    const { took, cpu } = await worked(page, () => opening(page, 1000))
    // The first round is a warm-up.
    if (round > 0) {
      times.push(took)
      cpus.push(cpu)
    }
  }
  const frames = await dragging(page)
  const blank = await browser.newPage()
  const [plain, plainCpus]: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const { took, cpu } = await worked(blank, () => bare(blank))
    if (round > 0) {
      plain.push(took)
      plainCpus.push(cpu)
    }
  }
  console.log('board of 1,000 cards in the page, in ms')
  table(
    ['what', 'p50', 'p95'],
    [
      row('bare elements, painted', plain),
      row('… work of the page', plainCpus),
      row('board, first painted', firsts.slice(1)),
      row('board, all painted', times),
      row('… work of the page', cpus),
      row('between frames of a drag', frames)
    ]
  )
} finally {
  await browser.close()
  await server.stop()
}

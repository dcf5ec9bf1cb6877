/** Starts a browser and measures how long a page's main thread works. */
import { chromium, type Browser, type Page } from 'playwright-core'

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['AGMD_TEST_CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu']
  })

/**
 * Runs `work`. Returns the time that it reports and the time that the page's main thread worked meanwhile, both in milliseconds. The latter excludes
 * other programs on the machine.
 */
export async function worked(page: Page, work: () => Promise<number>): Promise<{ readonly took: number; readonly cpu: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const seconds = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
  }
  const before = await seconds()
  const took = await work()
  const cpu = ((await seconds()) - before) * 1000
  await session.detach()
  return { took, cpu }
}

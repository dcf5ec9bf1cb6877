/** What a person does who has no mouse. */
import type { Page } from 'playwright-core'

export const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

/** Goes on with Tab until the control of this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const names: string[] = []
  for (let pressed = 0; pressed < 60; pressed++) {
    const current = await page.evaluate(() => {
      const element = document.activeElement
      return element?.getAttribute('aria-label') ?? element?.closest('label')?.textContent ?? element?.textContent ?? ''
    })
    names.push(current)
    if (typeof name === 'string' ? current.trim().startsWith(name) : name.test(current)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`never reached ${String(name)}: ${names.join(' | ')}`)
}

/** Runs a command of the palette, by keyboard. */
export async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+p')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type(name)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
}

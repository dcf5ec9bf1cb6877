/** Lets a test act like a person without a mouse. */
import type { Page } from 'playwright-core'

export const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

/** Time that a control has to appear, in milliseconds. */
const appearMs = 15_000

/**
 * Presses Tab until the control with this name has the focus. If a panel is still loading, Tab passes through it again until the control has
 * appeared.
 */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const names: string[] = []
  const end = Date.now() + appearMs
  while (names.length < 60 || Date.now() < end) {
    const current = await page.evaluate(() => {
      const element = document.activeElement
      const [label] = (element as HTMLInputElement | null)?.labels ?? []
      return element?.getAttribute('aria-label') ?? label?.textContent ?? element?.textContent ?? ''
    })
    names.push(current)
    if (typeof name === 'string' ? current.trim().startsWith(name) : name.test(current)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`never reached ${String(name)}: ${names.slice(0, 60).join(' | ')}`)
}

/** Runs a command from the palette with the keyboard. */
export async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+p')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type(name)
  await page.locator('[role=option][aria-selected=true]', { hasText: name }).waitFor()
  await page.keyboard.press('Enter')
}

/** Selects an option of the focused select control with the down arrow. Typing the name would fail if a slow page paused between letters. */
export async function choose(page: Page, option: string): Promise<void> {
  const chosen = (): Promise<{ value: string | undefined; last: boolean }> =>
    page.evaluate(() => {
      const select = document.activeElement
      if (!(select instanceof HTMLSelectElement)) throw new Error(`the focus is on ${select?.tagName ?? 'nothing'}`)
      return { value: select.selectedOptions[0]?.label, last: select.selectedIndex === select.options.length - 1 }
    })
  await page.keyboard.press('Home')
  for (let now = await chosen(); now.value !== option; now = await chosen()) {
    if (now.last) throw new Error(`there is no option "${option}"`)
    await page.keyboard.press('ArrowDown')
  }
}

/**
 * Printing by keyboard or by the menu of the browser. The key renders the text first (print.ts), like the page's print command. It is not a shortcut
 * of that command, because the editor ignores Shift with letters, and Mod-Shift-P opens the palette. The browser's menu leaves no time to load the
 * code for rendering, so the code loads when the pointer leaves the page, as it does on its way to that menu. Without the code, the entire text is
 * printed as Markdown. The editor itself draws only the visible part.
 */
import type { Session } from '../session/session.ts'

/** Handles printing. Returns a function that stops it. */
export function keepPaperWhole(session: Session): () => void {
  let typeset: ((text: string) => unknown) | undefined
  const markdown = (text: string): void => {
    const sheet = document.createElement('pre')
    sheet.className = 'print-sheet'
    sheet.textContent = text
    document.body.append(sheet)
  }
  const before = (): void => {
    if (document.querySelector('.print-sheet') === null) (typeset ?? markdown)(session.text.toString())
  }
  const after = (): void => document.querySelector('.print-sheet')?.remove()
  const prepare = (): void => {
    import('./whole-text.ts')
      .then(async ({ prepareSheet }) => (typeset = await prepareSheet(session.text.toString())))
      .catch(() => undefined)
  }
  const { documentElement: page } = document
  const press = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = event
    if (key.toLowerCase() !== 'p' || !(ctrlKey || metaKey) || shiftKey || altKey) return
    event.preventDefault()
    // If the code cannot be loaded, the browser prints the Markdown, as its menu does.
    import('./print.ts').then(({ printDocument }) => printDocument(session)).catch(() => print())
  }
  addEventListener('beforeprint', before)
  addEventListener('afterprint', after)
  addEventListener('keydown', press)
  page.addEventListener('mouseleave', prepare, { once: true })
  return () => {
    removeEventListener('beforeprint', before)
    removeEventListener('afterprint', after)
    removeEventListener('keydown', press)
    page.removeEventListener('mouseleave', prepare)
  }
}

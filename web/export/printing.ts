/**
 * Printing with the keyboard or the browser's menu. The key renders the text first (print.ts), like the page's print command. It is not a shortcut of
 * that command, because the editor ignores Shift with letters, and Mod-Shift-P opens the palette. The browser's menu leaves no time to load the code
 * for rendering or to draw diagrams, so this happens when the page is idle, and again when the pointer or the focus leaves the page, as it does on
 * its way to that menu. Without the code, the entire text is printed as Markdown. The editor itself draws only the visible part.
 */
import type { Session } from '../session/session.ts'

let typeset: ((text: string) => unknown) | undefined

/** Loads the code that renders the current text, and draws its diagrams. Rejects if a part of it cannot be loaded. */
export async function preparePrinting({ text }: Session): Promise<void> {
  const { prepareSheet } = await import('./whole-text.ts')
  typeset = await prepareSheet(text.toString())
}

/** Handles printing. Returns a function that stops it. */
export function handlePrinting(session: Session): () => void {
  const markdown = (textContent: string): void =>
    document.body.append(Object.assign(document.createElement('pre'), { className: 'print-sheet', textContent }))
  const before = (): void => {
    if (document.querySelector('.print-sheet') === null) (typeset ?? markdown)(session.text.toString())
  }
  const after = (): void => document.querySelector('.print-sheet')?.remove()
  const prepare = (): void => void preparePrinting(session).catch(() => undefined)
  const press = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = event
    if (key.toLowerCase() !== 'p' || !(ctrlKey || metaKey) || shiftKey || altKey) return
    event.preventDefault()
    // If the code cannot be loaded, the browser prints the Markdown, as its menu does.
    import('./exports.ts').then(({ printDocument }) => printDocument(session)).catch(() => print())
  }
  const listening = new AbortController()
  addEventListener('beforeprint', before, listening)
  addEventListener('afterprint', after, listening)
  addEventListener('keydown', press, listening)
  addEventListener('blur', prepare, listening)
  document.documentElement.addEventListener('mouseleave', prepare, listening)
  return () => listening.abort()
}

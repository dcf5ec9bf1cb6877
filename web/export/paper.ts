/**
 * Printing by keyboard or by the menu of the browser. The key renders the text first (print.ts), like the page's print command. It is not a shortcut
 * of that command, because the editor ignores Shift with letters, and Mod-Shift-P opens the palette. The browser's menu leaves no time for rendering,
 * so it prints the entire text as Markdown. The editor itself draws only the visible part.
 */
import type { Session } from '../session/session.ts'

/** Handles printing. Returns a function that stops it. */
export function keepPaperWhole(session: Session): () => void {
  let sheet: HTMLElement | undefined
  const before = (): void => {
    if (document.querySelector('.print-sheet') !== null) return
    sheet = document.createElement('pre')
    sheet.className = 'print-sheet'
    sheet.textContent = session.text.toString()
    document.body.append(sheet)
  }
  const after = (): void => sheet?.remove()
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
  return () => {
    removeEventListener('beforeprint', before)
    removeEventListener('afterprint', after)
    removeEventListener('keydown', press)
  }
}

/**
 * Printing by the key and by the menu of the browser. The key sets the text first (print.ts), as our own command does; it is no key of the
 * command, because the editor takes Shift away from letters, and Mod-Shift-P is the palette. The menu leaves no time to set anything:
 * then paper gets the whole text as Markdown; the editor holds only the part that is seen.
 */
import type { Session } from '../session/session.ts'

/** Answers how to stop. */
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
    // A file that cannot be fetched is printed as the menu prints it.
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

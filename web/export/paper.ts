/**
 * Who prints by the menu of the browser gets the whole text, too, as Markdown: the editor holds only the part that is seen, and there is no
 * time to set it. Our own command sets it first (print.ts).
 */
import type { Session } from '../document/session.ts'

/** Answers how to stop. */
export function keepPaperWhole({ text }: Session): () => void {
  let sheet: HTMLElement | undefined
  const before = (): void => {
    if (document.querySelector('.print-sheet') !== null) return
    sheet = document.createElement('pre')
    sheet.className = 'print-sheet'
    sheet.textContent = text.toString()
    document.body.append(sheet)
  }
  const after = (): void => sheet?.remove()
  addEventListener('beforeprint', before)
  addEventListener('afterprint', after)
  return () => {
    removeEventListener('beforeprint', before)
    removeEventListener('afterprint', after)
  }
}

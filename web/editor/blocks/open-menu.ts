/** Opens the menu of a block, whose code loads on first use. */
import type { EditorView } from '@codemirror/view'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'

/** Opens the menu for the selected blocks, next to `anchor` or to the line of the caret. With `isWhole`, the selection is cleared when it closes. */
export function openBlockMenu(view: EditorView, anchor?: HTMLElement, isWhole?: boolean): true {
  import('./menu.tsx').then(
    (menu) => menu.openBlockMenu(view, anchor, isWhole),
    () => toast(t('This part of the page could not be loaded. It loads when you are back online.'))
  )
  return true
}

/**
 * Returns the focus to the text when a dialog, menu or panel that was opened from the text with the mouse closes, or when the person presses Esc at
 * its button. The person was working in the text, not at the button.
 */
import { effect, untracked } from '@preact/signals'
import type { Editor } from '../editor/setup/editor.ts'
import type { Page } from '../commands/page.ts'

const bars = '.top-bar, .toolbar, .status-line'
const dialogs = 'dialog, [popover]'
const panels = '.side-panel, .outline'
/** Elements that a person may press on the way from the text to a dialog, menu or panel. */
const onTheWay = `${bars}, ${dialogs}, ${panels}`

/**
 * Selects in the page what is selected in the editor. A closed dialog returns the focus to the text, and the browser then puts the caret at the start
 * of the text.
 */
function restoreSelection(view: Editor['view']): void {
  const { anchor, head } = view.state.selection.main
  const [from, to] = [view.domAtPos(anchor), view.domAtPos(head)]
  getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset)
}

/** Starts watching the focus. Returns a function that stops it. */
export function backToText({ dialog, panel, outline, mode }: Page, { view }: Editor): () => void {
  let isFromText = false
  const pressed = ({ target, pointerType }: PointerEvent): void => {
    const isOnTheWay = target instanceof Element && target.closest(onTheWay) !== null
    isFromText = isOnTheWay && pointerType !== 'touch' && (isFromText || view.hasFocus)
  }
  /** Returns the focus if it is in the bars of the page or in the closed part. An action of that part may have moved the focus elsewhere. */
  const goBack = (closed: string): void => {
    if (!isFromText || dialog.value !== undefined || mode.value === 'read') return
    const { activeElement, body } = document
    if (activeElement !== null && activeElement !== body && activeElement.closest(`${bars}, ${closed}`) === null) return
    isFromText = false
    view.focus()
    restoreSelection(view)
  }
  const keyed = ({ key, target }: KeyboardEvent): void => {
    // If the person used the keyboard to reach a button, the focus returns to that button.
    if (/^(?:Tab|F6)$/.test(key) && target instanceof Element && target.closest(`${dialogs}, ${panels}`) === null) isFromText = false
  }
  const escaped = ({ key, target, defaultPrevented }: KeyboardEvent): void => {
    if (key === 'Escape' && !defaultPrevented && target instanceof Element && target.closest(bars) !== null) goBack(bars)
  }
  const toggled = (event: Event): void => {
    if ((event as ToggleEvent).newState === 'closed') goBack(bars)
  }
  const onClose = (isOpen: () => boolean, part: string): (() => void) =>
    effect(() => {
      if (!isOpen()) untracked(() => goBack(part))
    })
  const stops = [
    onClose(() => dialog.value !== undefined, dialogs),
    onClose(() => panel.value !== undefined, panels),
    onClose(() => outline.value, panels)
  ]
  const listening = new AbortController()
  const early = { capture: true, signal: listening.signal }
  addEventListener('pointerdown', pressed, early)
  addEventListener('keydown', keyed, early)
  addEventListener('toggle', toggled, early)
  addEventListener('keydown', escaped, listening)
  return () => {
    for (const stop of stops) stop()
    listening.abort()
  }
}

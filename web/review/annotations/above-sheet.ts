/** Keeps the text of the active annotation visible in narrow windows, where the panel is a sheet over the lower part of the text (panel.css). */
import { effect, untracked } from '@preact/signals'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { composerId } from './items.ts'
import type { State } from './state.ts'

/** Windows in which panels are sheets. Low windows have panels next to the text. */
export const sheets = matchMedia('(max-width: 560px), (max-width: 900px) and (min-height: 481px)')

/** Touch screens on which a panel leaves little of the text visible. */
export const touchSheets = matchMedia('(max-width: 900px) and (pointer: coarse)')

/** Space between the text of the active annotation and the sheet, in pixels. */
const gap = 24

const sheetHeight = (): number => (sheets.matches ? (document.querySelector<HTMLElement>('.side-panel')?.offsetHeight ?? 0) : 0)

/** Makes every scroll treat the text below a sheet as hidden. */
export const aboveSheet: Extension = EditorView.scrollMargins.of(() => ({ bottom: sheetHeight() }))

/** Scrolls to the text of an annotation when its card opens in a sheet. Returns a function that stops this. */
export const keepAboveSheet = ({ page, editor, active, positions }: State): (() => void) =>
  effect(() => {
    const id = active.value
    if (id === undefined || id === composerId || page.panel.value !== 'annotations' || !sheets.matches) return
    const at = positions.spanOf(id)?.from
    if (at === undefined || page.mode.peek() === 'read') return
    // The editor scrolls in the next frame, when the sheet is drawn.
    untracked(() => editor.view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'nearest', yMargin: gap }) }))
  })

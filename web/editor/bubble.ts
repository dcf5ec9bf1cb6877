/** A few buttons above the selection. Touch devices have none: the toolbar is just as near there, and the system shows its own bubble. */
import { Facet, StateEffect, StateField, type EditorState, type Extension, type Transaction } from '@codemirror/state'
import { ViewPlugin, showTooltip, type Tooltip, type TooltipView } from '@codemirror/view'
import { t } from '../text/t.ts'
import { drawIcon } from './draw-icon.ts'
import { chosenCells } from './chosen-cells.ts'

export interface BubbleButton {
  readonly title: string
  /** Title and shortcut. */
  readonly about: string
  /** Path data. */
  readonly icon: string
  isPossible(): boolean
  run(): void
}

/** Delay after the last change of the selection, in milliseconds, so that the buttons do not flash while a person selects. */
const restMs = 250

const setShown = StateEffect.define<boolean>()

function draw(buttons: readonly BubbleButton[]): TooltipView {
  const dom = document.createElement('div')
  dom.className = 'bubble'
  dom.setAttribute('role', 'toolbar')
  dom.setAttribute('aria-label', t('Actions for the selection'))
  for (const { title, about, icon, isPossible, run } of buttons) {
    if (!isPossible()) continue
    const button = dom.appendChild(document.createElement('button'))
    button.type = 'button'
    button.className = 'button quiet icon-only'
    // Keyboard users have shortcuts, the toolbar and the palette.
    button.tabIndex = -1
    button.title = about
    button.setAttribute('aria-label', title)
    button.append(drawIcon(icon))
    // Keeps the selection.
    button.addEventListener('mousedown', (event) => event.preventDefault())
    button.addEventListener('click', run)
  }
  return { dom, offset: { x: 0, y: 8 } }
}

/** Says that a selection has its actions elsewhere, so it gets no buttons. */
export const hasOwnActions = Facet.define<(state: EditorState) => boolean>()

const worthIt = (state: EditorState): boolean => {
  const { main } = state.selection
  if (state.facet(hasOwnActions).some((has) => has(state))) return false
  // Selected cells are not one text that could be made bold.
  return !main.empty && chosenCells(state) === undefined && state.sliceDoc(main.from, Math.min(main.to, main.from + 1000)).trim() !== ''
}

/** Whether a command inserted text and selected it to be typed over: buttons would then cover the line above. */
export const isPlaced = (transactions: readonly Transaction[]): boolean =>
  transactions.some((transaction) => transaction.isUserEvent('input.insert'))

/** `onRight` calls a listener when the available actions may have changed, and returns a function that removes it. */
export function selectionBubble(buttons: readonly BubbleButton[], onRight: (listener: () => void) => () => void): Extension {
  const tooltipOf = (state: EditorState): Tooltip => ({
    pos: state.selection.main.from,
    end: state.selection.main.to,
    above: true,
    create: () => draw(buttons)
  })
  const field = StateField.define<Tooltip | null>({
    create: () => null,
    update(value, transaction) {
      for (const effect of transaction.effects)
        if (effect.is(setShown)) return effect.value && worthIt(transaction.state) ? tooltipOf(transaction.state) : null
      if (transaction.selection !== undefined || transaction.docChanged) return null
      return value
    },
    provide: (self) => showTooltip.from(self)
  })
  const plugin = ViewPlugin.define((view) => {
    let isDown = false
    let wasPlaced = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        if (isDown || !view.hasFocus || !worthIt(view.state) || matchMedia('(pointer: coarse)').matches) return
        if (!buttons.some((button) => button.isPossible())) return
        view.dispatch({ effects: setShown.of(true) })
      }, restMs)
    }
    const press = (): void => void (isDown = true)
    const release = (): void => {
      if (isDown) show()
      isDown = false
    }
    view.contentDOM.addEventListener('pointerdown', press)
    addEventListener('pointerup', release)
    // Draws again with the buttons that are still allowed, or for the first time: a right may arrive after the selection.
    const endRight = onRight(() => {
      if (view.state.field(field) !== null) view.dispatch({ effects: setShown.of(false) })
      if (!wasPlaced) show()
    })
    // The selection may already exist when this part of the page loads.
    show()
    return {
      update(update) {
        if (update.selectionSet || update.docChanged) {
          wasPlaced = isPlaced(update.transactions)
          if (wasPlaced) clearTimeout(timer)
          else show()
        }
        if (update.focusChanged && !view.hasFocus && view.state.field(field) !== null)
          queueMicrotask(() => view.dispatch({ effects: setShown.of(false) }))
      },
      destroy() {
        clearTimeout(timer)
        endRight()
        view.contentDOM.removeEventListener('pointerdown', press)
        removeEventListener('pointerup', release)
      }
    }
  })
  return [field, plugin]
}

/** A few buttons above what was selected. Not under a finger: there the toolbar is as near, and the system has a bubble of its own. */
import { StateEffect, StateField, type EditorState, type Extension, type Transaction } from '@codemirror/state'
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

/** After the last change of the selection, in milliseconds: it does not flash up while one selects. */
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
    // By keyboard: shortcuts, toolbar and palette.
    button.tabIndex = -1
    button.title = about
    button.setAttribute('aria-label', title)
    button.append(drawIcon(icon))
    // The selection stays.
    button.addEventListener('mousedown', (event) => event.preventDefault())
    button.addEventListener('click', run)
  }
  return { dom, offset: { x: 0, y: 8 } }
}

const worthIt = (state: EditorState): boolean => {
  const { main } = state.selection
  // Cells are no text to be made bold as one.
  return !main.empty && chosenCells(state) === undefined && state.sliceDoc(main.from, Math.min(main.to, main.from + 1000)).trim() !== ''
}

/** Whether a command selected what it inserted, to be typed over: buttons would cover what stands above it. */
export const isPlaced = (transactions: readonly Transaction[]): boolean =>
  transactions.some((transaction) => transaction.isUserEvent('input.insert'))

/** `onRight` has a listener called when what is possible may have changed, and answers with what ends that. */
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
    // Drawn again with the buttons that are left, or for the first time: a right may come after the selection.
    const endRight = onRight(() => {
      if (view.state.field(field) !== null) view.dispatch({ effects: setShown.of(false) })
      if (!wasPlaced) show()
    })
    // This part of the page may come after the selection, too.
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

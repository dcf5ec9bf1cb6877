/**
 * The bubble with a few buttons above a selection. Touch devices have none: their toolbar is just as near, and the system shows its own
 * bubble.
 */
import { Facet, StateEffect, StateField, type EditorState, type Extension, type Transaction } from '@codemirror/state'
import { ViewPlugin, showTooltip, type EditorView, type Tooltip, type TooltipView } from '@codemirror/view'
import { t } from '../text/t.ts'
import { drawIcon } from './draw-icon.ts'
import { chosenCells } from './chosen-cells.ts'

export interface BubbleButton {
  readonly title: string
  /** The title and the shortcut of the command. */
  readonly about: string
  /** The path data of the icon. */
  readonly icon: string
  isPossible(): boolean
  /** Whether the selection already has the format of the button. */
  isOn(): boolean
  run(): void
}

/** Delay after the last change to the selection, in milliseconds. It keeps the buttons from flickering while a person selects text. */
const restMs = 250

const setShown = StateEffect.define<boolean>()

/** The position of text that is not drawn. It is outside the window, so the bubble is hidden. */
const outside = { left: 0, right: 0, top: -1, bottom: -1 }

/**
 * Returns the coordinates of a selection, with the left edge that it had at first. A format puts visible marks before the words, which would move
 * the buttons under the pointer.
 */
function steadyCoords(view: EditorView): NonNullable<TooltipView['getCoords']> {
  let indent: number | undefined
  return (position) => {
    const coords = view.coordsAtPos(position)
    if (coords === null) return outside
    const { left } = view.contentDOM.getBoundingClientRect()
    indent ??= coords.left - left
    return { ...coords, left: left + indent }
  }
}

function draw(buttons: readonly BubbleButton[], view: EditorView): TooltipView {
  const dom = document.createElement('div')
  dom.className = 'bubble'
  dom.setAttribute('role', 'toolbar')
  dom.setAttribute('aria-label', t('Actions for the selection'))
  const marks: (() => void)[] = []
  for (const { title, about, icon, isPossible, isOn, run } of buttons) {
    if (!isPossible()) continue
    const button = dom.appendChild(document.createElement('button'))
    button.type = 'button'
    button.className = 'button quiet icon-only'
    // Keyboard users have shortcuts, the toolbar and the palette.
    button.tabIndex = -1
    button.title = about
    button.setAttribute('aria-label', title)
    marks.push(() => (button.ariaPressed = isOn() ? 'true' : null))
    button.append(drawIcon(icon))
    // Without this, pressing a button would clear the selection.
    button.addEventListener('mousedown', (event) => event.preventDefault())
    button.addEventListener('click', run)
  }
  const mark = (): void => marks.forEach((each) => each())
  mark()
  // The formats of the selection are known after the update.
  return { dom, offset: { x: 0, y: 8 }, getCoords: steadyCoords(view), update: () => queueMicrotask(mark) }
}

/** Returns true if the actions for a selection are elsewhere. Such a selection gets no bubble. */
export const hasOwnActions = Facet.define<(state: EditorState) => boolean>()

const worthIt = (state: EditorState): boolean => {
  const { main } = state.selection
  if (state.facet(hasOwnActions).some((has) => has(state))) return false
  // Selected cells are not one range of text that could be made bold.
  return !main.empty && chosenCells(state) === undefined && state.sliceDoc(main.from, Math.min(main.to, main.from + 1000)).trim() !== ''
}

/**
 * Whether a command inserted text and selected it, or a key selected the next cell of a table. Typing replaces the selected text, and the bubble would
 * cover the line above.
 */
export const isPlaced = (transactions: readonly Transaction[]): boolean =>
  transactions.some((transaction) => transaction.isUserEvent('input.insert') || transaction.isUserEvent('select.cell'))

/** Creates the bubble. `onRight` registers a listener for changes to the available commands, and returns a function that removes it. */
export function selectionBubble(buttons: readonly BubbleButton[], onRight: (listener: () => void) => () => void): Extension {
  const tooltipOf = ({ selection: { main } }: EditorState, create: Tooltip['create']): Tooltip => ({
    pos: main.from,
    end: main.to,
    above: true,
    create
  })
  const field = StateField.define<Tooltip | null>({
    create: () => null,
    update(value, transaction) {
      for (const effect of transaction.effects)
        if (effect.is(setShown))
          return effect.value && worthIt(transaction.state)
            ? tooltipOf(transaction.state, value?.create ?? ((view) => draw(buttons, view)))
            : null
      // A format keeps the selected words, and the bubble stays for the next one.
      if (value !== null && transaction.isUserEvent('input.format') && worthIt(transaction.state))
        return tooltipOf(transaction.state, value.create)
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
    // Draws the buttons that are now allowed. The person's rights may arrive after the selection.
    const endRight = onRight(() => {
      if (view.state.field(field) !== null) view.dispatch({ effects: setShown.of(false) })
      if (!wasPlaced) show()
    })
    // Text may already be selected when this part of the page loads.
    show()
    return {
      update(update) {
        if (update.selectionSet || update.docChanged) {
          // The browser may report the same selection again.
          const isSame = !update.docChanged && update.startState.selection.eq(update.state.selection)
          wasPlaced = (wasPlaced && isSame) || isPlaced(update.transactions)
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

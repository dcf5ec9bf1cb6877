/**
 * The handle in the margin next to the block under the pointer. A click opens the block's menu, and a drag moves the block to the line that marks the
 * target. Only pointer movements update the handle, never a key. It lies over the text, so nothing moves when it appears. Narrow windows have no
 * handle.
 */
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view'
import { t } from '../../text/t.ts'
import { mayStand, moveBlocks, type Chosen } from './commands.ts'
import { openBlockMenu } from './menu.tsx'
import { indexAt, siblingsOf, unitAt, type Unit } from './units.ts'

/** Distance after which a press becomes a drag, in pixels. */
const dragFrom = 5
/** Narrowest window with a margin for the handle, in pixels. */
const windowMin = 700
const [width, height, distance] = [20, 26, 34]
/** Width of a list item's marker, in `em` (style/editor.css). */
const signWidth = 1.6
/** Distance from the upper and lower edge within which the text scrolls, in pixels, and its highest speed, in pixels per frame. */
const [edge, speedMax] = [48, 18]

const isWithin = ({ state }: EditorView, { from, to }: Unit): boolean => state.selection.main.head > from && state.selection.main.head < to

/** Position of a handle in the scrolled content, in pixels. */
interface HandlePosition {
  readonly left: number
  readonly top: number
}

interface Drag {
  chosen: Chosen
  /** The index of the target, or undefined until the pointer has moved far enough. */
  to: number | undefined
  y: number
  frame: number
}

class BlockHandle {
  readonly #view: EditorView
  readonly #dom = document.createElement('div')
  readonly #handle = this.#dom.appendChild(document.createElement('button'))
  readonly #line = this.#dom.appendChild(document.createElement('div'))
  #unit: Unit | undefined
  #drag: Drag | undefined
  /** Whether the next click ends a drag and must be ignored. */
  #dragged = false

  constructor(view: EditorView) {
    this.#view = view
    this.#dom.className = 'block-handles'
    this.#handle.type = 'button'
    this.#handle.className = 'block-handle'
    // Keyboard users open the menu with the palette or a shortcut.
    this.#handle.tabIndex = -1
    this.#handle.title = t('Drag to move, click for the menu')
    this.#handle.setAttribute('aria-label', t('Block'))
    this.#line.className = 'block-drop'
    this.#hide()
    this.#line.hidden = true
    this.#handle.addEventListener('mousedown', (event) => event.preventDefault())
    this.#handle.addEventListener('pointerenter', () => this.#unit !== undefined && this.#outline(this.#unit))
    this.#handle.addEventListener('pointerdown', (event) => this.#press(event))
    this.#handle.addEventListener('click', () => this.#open())
    view.scrollDOM.append(this.#dom)
    view.scrollDOM.addEventListener('pointermove', this.#moved)
    view.scrollDOM.addEventListener('pointerleave', this.#hide)
    view.contentDOM.addEventListener('focusout', this.#left)
  }

  update({ docChanged, changes, geometryChanged }: ViewUpdate): void {
    if (!docChanged) {
      if (geometryChanged) this.#follow()
      return
    }
    if (this.#drag === undefined) {
      if (this.#unit !== undefined) this.#hide()
      return
    }
    // If others type during a drag, the same block is still dragged.
    const drag = this.#drag
    const { units, run } = drag.chosen
    const chosen = this.#chosenAt(changes.mapPos(units[run.first]?.from ?? 0, 1))
    if (chosen === undefined) return this.#end()
    drag.chosen = chosen
    cancelAnimationFrame(drag.frame)
    if (drag.to !== undefined) drag.frame = requestAnimationFrame(() => this.#drag === drag && this.#updateTarget(drag))
  }

  /** Returns the block that begins at a position, together with its siblings. */
  #chosenAt(from: number): Chosen | undefined {
    const units = siblingsOf(this.#view.state, from, from, { isDrag: true })
    const first = indexAt(units, from)
    return units[first]?.from === from ? { units, run: { first, last: first } } : undefined
  }

  destroy(): void {
    this.#end()
    this.#view.scrollDOM.removeEventListener('pointermove', this.#moved)
    this.#view.scrollDOM.removeEventListener('pointerleave', this.#hide)
    this.#view.contentDOM.removeEventListener('focusout', this.#left)
    this.#dom.remove()
  }

  readonly #hide = (): void => {
    if (this.#drag !== undefined) return
    this.#unit = undefined
    this.#handle.hidden = true
  }

  /**
   * Hides the handle when the focus goes elsewhere, for example to a comment whose card moves the text. The handle stays while the focus is in its
   * menu.
   */
  readonly #left = ({ relatedTarget }: FocusEvent): void => {
    if (!(relatedTarget instanceof Element && relatedTarget.closest('.pop, .block-handles') !== null)) this.#hide()
  }

  readonly #moved = ({ target, pointerType, clientY }: PointerEvent): void => {
    const view = this.#view
    if (pointerType !== 'mouse' || this.#drag !== undefined || view.state.readOnly || innerWidth < windowMin) return
    if (target instanceof Node && this.#dom.contains(target)) return
    const block = view.lineBlockAtHeight(clientY - view.documentTop)
    const unit = unitAt(view.state, block.from)
    if (unit === undefined) return this.#hide()
    if (unit.from !== this.#unit?.from || unit.to !== this.#unit.to) this.#show(unit)
  }

  /** Moves the handle with its block when a picture loads or a panel opens. */
  #follow(): void {
    const unit = this.#unit
    if (unit === undefined || this.#drag !== undefined) return
    this.#view.requestMeasure({
      key: this,
      read: () => (this.#unit === unit && this.#drag === undefined ? this.#placeOf(unit) : undefined),
      write: (place) => {
        if (place !== undefined) this.#put(place)
      }
    })
  }

  /** Returns the origin of the coordinates of a `Place`. */
  #origin(): { readonly x: number; readonly y: number } {
    const { left, top } = this.#view.scrollDOM.getBoundingClientRect()
    return { x: this.#view.scrollDOM.scrollLeft - left, y: this.#view.scrollDOM.scrollTop - top }
  }

  /** Returns the left edge of a block in the window: the edge of the text column, or of an item's marker. */
  #leftOf({ from, item }: Unit): number {
    const content = this.#view.contentDOM
    const left = content.getBoundingClientRect().left + parseFloat(getComputedStyle(content).paddingLeft)
    const { node, offset } = this.#view.domAtPos(from)
    const inside = node.childNodes[offset] ?? node
    const line = item === undefined ? null : (inside instanceof Element ? inside : inside.parentElement)?.closest('.cm-line')
    if (line == null) return left
    const { paddingInlineStart, fontSize } = getComputedStyle(line)
    return line.getBoundingClientRect().left + parseFloat(paddingInlineStart) - signWidth * parseFloat(fontSize)
  }

  #show(unit: Unit): void {
    this.#unit = unit
    this.#put(this.#placeOf(unit))
    this.#handle.hidden = false
  }

  /** Returns the position of a block's handle. Reads the layout, which the editor does not allow during an update. */
  #placeOf(unit: Unit): HandlePosition {
    const view = this.#view
    const { x, y } = this.#origin()
    const block = view.lineBlockAt(unit.from)
    const caret = view.coordsAtPos(unit.from)
    const top = view.documentTop + block.top
    // The handle is next to the first line of text, regardless of the space above a heading.
    const middle = caret === null || caret.bottom - caret.top > 60 || caret.top < top - 2 ? top + 16 : (caret.top + caret.bottom) / 2
    return { left: Math.max(2, this.#leftOf(unit) + x - distance), top: middle + y - height / 2 }
  }

  #put({ left, top }: HandlePosition): void {
    this.#handle.style.left = `${left}px`
    this.#handle.style.top = `${top}px`
    this.#handle.style.width = `${width}px`
    this.#handle.style.height = `${height}px`
  }

  #open(): void {
    const isDrag = this.#dragged
    this.#dragged = false
    const unit = this.#unit
    if (isDrag || unit === undefined) return
    const view = this.#view
    const { from, to } = view.state.selection.main
    // A selection that already includes this block and others does not change.
    if (from > unit.to || to < unit.from || (from >= unit.from && to <= unit.to))
      view.dispatch({ selection: { anchor: unit.from }, userEvent: 'select' })
    // The caret never rests in a drawn component, so the entire component is selected while its menu is open.
    const isWhole = view.state.selection.main.empty && view.state.selection.main.head !== unit.from && !isWithin(view, unit)
    if (isWhole) view.dispatch({ selection: { anchor: unit.from, head: unit.to }, userEvent: 'select' })
    openBlockMenu(view, this.#handle, isWhole)
  }

  #press(event: PointerEvent): void {
    const unit = this.#unit
    if (event.button !== 0 || unit === undefined || this.#view.state.readOnly) return
    event.preventDefault()
    const chosen = this.#chosenAt(unit.from)
    if (chosen === undefined) return
    this.#dragged = false
    this.#outline(unit)
    const { dom } = this.#view
    const begun = event.clientY
    const drag: Drag = { chosen, to: undefined, y: begun, frame: 0 }
    this.#drag = drag
    this.#handle.setPointerCapture(event.pointerId)
    const move = ({ clientY }: PointerEvent): void => {
      drag.y = clientY
      if (drag.to === undefined && Math.abs(clientY - begun) < dragFrom) return
      if (drag.to === undefined) dom.classList.add('block-dragging')
      this.#updateTarget(drag)
    }
    const up = (last: PointerEvent): void => {
      const { to } = drag
      const isOver = this.#drag !== drag
      this.#dragged = to !== undefined
      this.#end()
      if (!isOver && last.type === 'pointerup' && to !== undefined) this.#drop(drag.chosen, to)
    }
    this.#listeners = { move, up }
    this.#handle.addEventListener('pointermove', move)
    this.#handle.addEventListener('pointerup', up)
    this.#handle.addEventListener('pointercancel', up)
    addEventListener('keydown', this.#escape, true)
  }

  #listeners: { readonly move: (event: PointerEvent) => void; readonly up: (event: PointerEvent) => void } | undefined

  #drop(chosen: Chosen, to: number): void {
    moveBlocks(this.#view, chosen, to, false)
    this.#view.focus()
  }

  readonly #escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    this.#dragged = true
    this.#end()
  }

  /** Marks the block while the pointer is on its handle or drags it. Lines without blank lines between them are one block. */
  #outline(unit: Unit): void {
    const view = this.#view
    const { x, y } = this.#origin()
    const [top, bottom] = [view.lineBlockAt(unit.from).top, view.lineBlockAt(unit.to).bottom].map((at) => at + view.documentTop + y)
    this.#handle.style.setProperty('--block-top', `${(top ?? 0) - parseFloat(this.#handle.style.top)}px`)
    this.#handle.style.setProperty('--block-height', `${(bottom ?? 0) - (top ?? 0)}px`)
    const right = view.contentDOM.getBoundingClientRect().right - parseFloat(getComputedStyle(view.contentDOM).paddingRight)
    this.#handle.style.setProperty('--block-width', `${right + x - parseFloat(this.#handle.style.left) - distance}px`)
  }

  /** Finds the target under the pointer, and scrolls near the edges. */
  #updateTarget(drag: Drag): void {
    const view = this.#view
    const { units, run } = drag.chosen
    const at = drag.y - view.documentTop
    const block = view.lineBlockAtHeight(at)
    const index = Math.min(indexAt(units, block.from), units.length - 1)
    const middle = this.#middleOf(units[index])
    let to = at > middle ? index + 1 : index
    // If the blocks must not split a list, the target is the nearer end of that list.
    while (!mayStand(units, run, to)) to += at > middle ? 1 : -1
    drag.to = to
    this.#mark(drag.chosen, to)
    cancelAnimationFrame(drag.frame)
    const { top, bottom } = view.scrollDOM.getBoundingClientRect()
    const beyond = drag.y < top + edge ? drag.y - top - edge : drag.y > bottom - edge ? drag.y - bottom + edge : 0
    if (beyond === 0) return
    drag.frame = requestAnimationFrame(() => {
      view.scrollDOM.scrollTop += Math.max(-speedMax, Math.min(speedMax, beyond / 3))
      if (this.#drag === drag) this.#updateTarget(drag)
    })
  }

  #middleOf(unit: Unit | undefined): number {
    if (unit === undefined) return 0
    return (this.#view.lineBlockAt(unit.from).top + this.#view.lineBlockAt(unit.to).bottom) / 2
  }

  /** Draws a line between two blocks at the target. There is no line where the block would not move. */
  #mark({ units, run }: Chosen, to: number): void {
    const view = this.#view
    this.#line.hidden = to >= run.first && to <= run.last + 1
    const [above, below, own] = [units[to - 1], units[to], units[run.first]]
    if (own === undefined) return
    const { x, y } = this.#origin()
    const bottom = above === undefined ? undefined : view.lineBlockAt(above.to).bottom
    const top = below === undefined ? undefined : view.lineBlockAt(below.from).top
    const at = ((bottom ?? top ?? 0) + (top ?? bottom ?? 0)) / 2
    const left = this.#leftOf(own)
    const right = view.contentDOM.getBoundingClientRect().right - parseFloat(getComputedStyle(view.contentDOM).paddingRight)
    this.#line.style.left = `${left + x}px`
    this.#line.style.width = `${right - left}px`
    this.#line.style.top = `${at + view.documentTop + y - 1.5}px`
  }

  #end(): void {
    const drag = this.#drag
    if (drag === undefined) return
    this.#drag = undefined
    cancelAnimationFrame(drag.frame)
    this.#line.hidden = true
    this.#view.dom.classList.remove('block-dragging')
    if (this.#listeners !== undefined) {
      this.#handle.removeEventListener('pointermove', this.#listeners.move)
      this.#handle.removeEventListener('pointerup', this.#listeners.up)
      this.#handle.removeEventListener('pointercancel', this.#listeners.up)
    }
    removeEventListener('keydown', this.#escape, true)
  }
}

export const blockHandles = ViewPlugin.fromClass(BlockHandle)

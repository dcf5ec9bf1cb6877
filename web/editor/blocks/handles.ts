/**
 * The handle in the margin next to the block under the pointer. A click opens the block's menu, and a drag moves the block to the line that marks the
 * target (drag.ts, which loads with the first handle). Only pointer movements update the handle, never a key. It lies over the text, so nothing moves when it appears. Narrow windows have no
 * handle.
 */
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view'
import { t } from '../../text/t.ts'
import type { BlockDrag } from './drag.ts'
import { collapsiblesOf } from '../collapsible-parts.ts'
import { openBlockMenu } from './open-menu.ts'
import { draggedBlocks, stretchOf, type Stretch } from './dragged.ts'
import { unitAt, type Unit } from './units.ts'

/** Narrowest window with a margin for the handle, in pixels. */
const windowMin = 700
const [width, height, distance] = [20, 26, 34]
const quoteMarkWidth = 8
/** Space between the handle and the marks of a heading, in pixels. */
const markGap = 4
/** Width of a list item's marker, in `em` (style/editor.css). */
const signWidth = 1.6

const isWithin = ({ state }: EditorView, { from, to }: Unit): boolean => state.selection.main.head > from && state.selection.main.head < to

/** Position of a handle in the scrolled content, in pixels. */
interface HandlePosition {
  readonly left: number
  readonly top: number
}

const loadDrag = async (): Promise<typeof BlockDrag> => (await import('./drag.ts')).BlockDrag

class BlockHandle {
  readonly #view: EditorView
  readonly #dom = document.createElement('div')
  readonly #handle = this.#dom.appendChild(document.createElement('button'))
  readonly #line = this.#dom.appendChild(document.createElement('div'))
  #unit: Unit | undefined
  #drag: BlockDrag | undefined
  /** The last movement of the pointer. */
  #pointer: PointerEvent | undefined
  #isPressed = false
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
    this.#handle.addEventListener('pointerenter', this.#entered)
    this.#handle.addEventListener('pointerdown', (event) => this.#press(event))
    this.#handle.addEventListener('pointerup', () => (this.#isPressed = false))
    this.#handle.addEventListener('click', () => this.#open())
    view.scrollDOM.append(this.#dom)
    view.scrollDOM.addEventListener('pointermove', this.#moved)
    view.scrollDOM.addEventListener('pointerleave', this.#hide)
    view.contentDOM.addEventListener('focusout', this.#left)
  }

  update(update: ViewUpdate): void {
    if (this.#drag !== undefined) return this.#drag.update(update)
    if (update.docChanged && this.#unit !== undefined) this.#hide()
    else if (update.geometryChanged || update.selectionSet) this.#follow()
  }

  destroy(): void {
    this.#drag?.end()
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

  readonly #moved = (event: PointerEvent): void => {
    const { target, pointerType, clientY } = event
    const view = this.#view
    this.#pointer = event
    if (pointerType !== 'mouse' || this.#drag !== undefined || view.state.readOnly || innerWidth < windowMin) return
    if (target instanceof Node && this.#dom.contains(target)) return
    const block = view.lineBlockAtHeight(clientY - view.documentTop)
    const unit = unitAt(view.state, block.from)
    if (unit === undefined) return this.#hide()
    if (unit.from !== this.#unit?.from || unit.to !== this.#unit.to) this.#show(unit)
  }

  /** Moves the handle with its block when a picture loads, a panel opens, or the marks of a heading become visible. */
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
    loadDrag().catch(() => undefined)
  }

  /** Returns the position of a block's handle. Reads the layout, which the editor does not allow during an update. */
  #placeOf(unit: Unit): HandlePosition {
    const view = this.#view
    const { x, y } = this.#origin()
    // The opening tag of collapsible text is hidden, and its title is the first visible line.
    const from = collapsiblesOf(view.state).find(({ opening }) => opening.from === unit.from)?.words.from ?? unit.from
    const block = view.lineBlockAt(from)
    const caret = view.coordsAtPos(from)
    const top = view.documentTop + block.top
    // The handle is next to the first line of text, regardless of the space above a heading.
    const middle = caret === null || caret.bottom - caret.top > 60 || caret.top < top - 2 ? top + 16 : (caret.top + caret.bottom) / 2
    // The marks of a quote or a heading are in the margin while the caret is there.
    const markWidth = unit.name === 'Blockquote' ? quoteMarkWidth : 0
    const beforeMarks = (unit.name.startsWith('ATXHeading') ? (caret?.left ?? Infinity) : Infinity) - width - markGap
    const left = Math.min(this.#leftOf(unit) - distance - markWidth, beforeMarks)
    return { left: Math.max(2, left + x), top: middle + y - height / 2 }
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
    this.#dragged = false
    this.#isPressed = true
    this.#handle.setPointerCapture(event.pointerId)
    loadDrag().then(
      (Drag) => {
        if (this.#isPressed && this.#unit === unit && this.#drag === undefined) this.#drag = this.#begun(Drag, unit, event)
      },
      () => undefined
    )
  }

  #begun(Drag: typeof BlockDrag, unit: Unit, event: PointerEvent): BlockDrag | undefined {
    const chosen = draggedBlocks(this.#view.state, unit)
    if (chosen === undefined) return undefined
    this.#outline(stretchOf(chosen))
    const drag = new Drag(this.#view, { handle: this.#handle, line: this.#line }, chosen, {
      event,
      origin: () => this.#origin(),
      leftOf: (other) => this.#leftOf(other),
      edge: this.#leftOf(unit) - event.clientX,
      onEnd: (isMoved) => {
        this.#drag = undefined
        this.#dragged = isMoved
      }
    })
    // The pointer may have moved while the code was loading.
    if (this.#pointer !== undefined && this.#pointer.timeStamp > event.timeStamp) drag.move(this.#pointer)
    return drag
  }

  readonly #entered = (): void => {
    const chosen = this.#unit === undefined ? undefined : draggedBlocks(this.#view.state, this.#unit)
    if (chosen !== undefined) this.#outline(stretchOf(chosen))
  }

  /** Marks the blocks while the pointer is on the handle or drags it. Lines without blank lines between them are one block. */
  #outline({ from, to }: Stretch): void {
    const view = this.#view
    const { x, y } = this.#origin()
    const [top, bottom] = [view.lineBlockAt(from).top, view.lineBlockAt(to).bottom].map((at) => at + view.documentTop + y)
    this.#handle.style.setProperty('--block-top', `${(top ?? 0) - parseFloat(this.#handle.style.top)}px`)
    this.#handle.style.setProperty('--block-height', `${(bottom ?? 0) - (top ?? 0)}px`)
    const right = view.contentDOM.getBoundingClientRect().right - parseFloat(getComputedStyle(view.contentDOM).paddingRight)
    this.#handle.style.setProperty('--block-width', `${right + x - parseFloat(this.#handle.style.left) - distance}px`)
  }
}

export const blockHandles = ViewPlugin.fromClass(BlockHandle)

/**
 * One drag of blocks by their handle. A line marks the target. Blocks that are dropped between two items of a list divide the list. It loads with the
 * first handle.
 */
import type { EditorView, ViewUpdate } from '@codemirror/view'
import { dispatchStep, moveBlocks, type Chosen } from './commands.ts'
import { blocksAt, stretchOf } from './dragged.ts'
import { itemsMoved, type Drop } from './item-moves.ts'
import { itemTarget, outsideDrop } from './item-target.ts'
import { isNested } from './items.ts'
import { indexAt, siblingsOf, type Unit } from './units.ts'

/** Distance after which a press becomes a drag, in pixels. */
const dragFrom = 5
/** Width of a list item's marker, in `em` (style/editor.css). */
const signWidth = 1.6
/** Distance from the upper and lower edge within which the text scrolls, in pixels, and its highest speed, in pixels per frame. */
const [edge, speedMax] = [48, 18]

interface Parts {
  readonly handle: HTMLElement
  /** The line that marks the target. */
  readonly line: HTMLElement
}

interface DragInput {
  /** The press that begins the drag. */
  readonly event: PointerEvent
  /** Returns the origin of the coordinates of the line. */
  readonly origin: () => { readonly x: number; readonly y: number }
  /** Returns the left edge of a block in the window. */
  readonly leftOf: (unit: Unit) => number
  /** Distance of the left edge of the blocks from the pointer, in pixels. */
  readonly edge: number
  /** Called when the drag has ended. `isMoved` is false if it was only a click. */
  readonly onEnd: (isMoved: boolean) => void
}

export class BlockDrag {
  readonly #view: EditorView
  readonly #parts: Parts
  readonly #input: DragInput
  #chosen: Chosen
  /** The index of the target, or undefined until the pointer has moved far enough. */
  #to: number | undefined
  /** The target of list items that get another level or another kind of list. */
  #drop: Drop | undefined
  #y: number
  /** The left edge of the blocks, as far as the pointer has moved from the handle. */
  #left: number
  #frame = 0
  #isOver = false

  constructor(view: EditorView, parts: Parts, chosen: Chosen, input: DragInput) {
    this.#view = view
    this.#parts = parts
    this.#input = input
    this.#chosen = chosen
    this.#y = input.event.clientY
    this.#left = input.edge + input.event.clientX
    parts.handle.addEventListener('pointermove', this.move)
    parts.handle.addEventListener('pointerup', this.#up)
    parts.handle.addEventListener('pointercancel', this.#up)
    addEventListener('keydown', this.#escape, true)
  }

  /** If others type during a drag, the same blocks are still dragged. */
  update({ docChanged, changes }: ViewUpdate): void {
    if (!docChanged) return
    const { from, to } = stretchOf(this.#chosen)
    const chosen = blocksAt(this.#view.state, { from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) })
    if (chosen === undefined) return this.end()
    this.#chosen = chosen
    this.#drop = undefined
    cancelAnimationFrame(this.#frame)
    if (this.#to !== undefined) this.#frame = requestAnimationFrame(() => this.#updateTarget())
  }

  end(isMoved = this.#to !== undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    const { handle, line } = this.#parts
    cancelAnimationFrame(this.#frame)
    line.hidden = true
    this.#view.dom.classList.remove('block-dragging')
    handle.removeEventListener('pointermove', this.move)
    handle.removeEventListener('pointerup', this.#up)
    handle.removeEventListener('pointercancel', this.#up)
    removeEventListener('keydown', this.#escape, true)
    this.#input.onEnd(isMoved)
  }

  readonly move = ({ clientX, clientY }: PointerEvent): void => {
    const { event, edge: distance } = this.#input
    this.#y = clientY
    this.#left = distance + clientX
    if (this.#to === undefined) {
      if (Math.hypot(clientX - event.clientX, clientY - event.clientY) < dragFrom) return
      this.#view.dom.classList.add('block-dragging')
    }
    this.#updateTarget()
  }

  readonly #up = ({ type }: PointerEvent): void => {
    const to = this.#to
    this.end()
    if (type === 'pointerup' && to !== undefined) this.#dropAt(to)
  }

  readonly #escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    this.end(true)
  }

  #dropAt(to: number): void {
    const drop = this.#drop
    const spec = drop && itemsMoved(this.#view.state, this.#chosen, drop)
    if (spec !== undefined) dispatchStep(this.#view, spec)
    else if (drop === undefined) moveBlocks(this.#view, this.#chosen, to, false)
    this.#view.focus()
  }

  /** Finds the target under the pointer, and scrolls near the edges. */
  #updateTarget(): void {
    if (this.#isOver) return
    if (!this.#targetItems()) this.#targetBlocks()
    this.#scroll()
  }

  /** Finds the target of list items over a list. Returns false elsewhere, and for other blocks. */
  #targetItems(): boolean {
    const view = this.#view
    const { leftOf } = this.#input
    const step = signWidth * parseFloat(getComputedStyle(view.contentDOM).fontSize)
    const target = itemTarget(view, this.#chosen, { y: this.#y - view.documentTop, left: this.#left }, { leftOf, step })
    this.#drop = target?.to === undefined ? target?.drop : undefined
    if (target === undefined) return false
    const { run } = this.#chosen
    this.#to = target.to ?? run.first
    this.#parts.line.hidden = target.to !== undefined && target.to >= run.first && target.to <= run.last + 1
    this.#drawLine(target.left, target.top)
    return true
  }

  #targetBlocks(): void {
    const view = this.#view
    const { state } = view
    const { units: siblings, run } = this.#chosen
    const own = siblings[run.first]
    // An item of an inner list leaves all lists.
    const leaves = own !== undefined && isNested(state, own)
    const units = leaves ? siblingsOf(state, 0, state.doc.length) : siblings
    const at = this.#y - view.documentTop
    const index = Math.min(indexAt(units, view.lineBlockAtHeight(at).from), units.length - 1)
    const to = at > this.#middleOf(units[index]) ? index + 1 : index
    this.#to = to
    this.#drop = leaves ? outsideDrop(state, units, to) : undefined
    this.#mark(units, to)
    this.#parts.line.hidden = !leaves && to >= run.first && to <= run.last + 1
  }

  #scroll(): void {
    const view = this.#view
    cancelAnimationFrame(this.#frame)
    const y = this.#y
    const { top, bottom } = view.scrollDOM.getBoundingClientRect()
    const beyond = y < top + edge ? y - top - edge : y > bottom - edge ? y - bottom + edge : 0
    if (beyond === 0) return
    this.#frame = requestAnimationFrame(() => {
      view.scrollDOM.scrollTop += Math.max(-speedMax, Math.min(speedMax, beyond / 3))
      this.#updateTarget()
    })
  }

  #middleOf(unit: Unit | undefined): number {
    if (unit === undefined) return 0
    return (this.#view.lineBlockAt(unit.from).top + this.#view.lineBlockAt(unit.to).bottom) / 2
  }

  /** Draws a line between two blocks at the target. */
  #mark(units: readonly Unit[], to: number): void {
    const view = this.#view
    const [above, below] = [units[to - 1], units[to]]
    const beside = above ?? below
    if (beside === undefined) return
    const bottom = above === undefined ? undefined : view.lineBlockAt(above.to).bottom
    const top = below === undefined ? undefined : view.lineBlockAt(below.from).top
    const own = this.#chosen.units[this.#chosen.run.first]
    const left = this.#input.leftOf(this.#drop === undefined && own !== undefined ? own : { ...beside, item: undefined })
    this.#drawLine(left, ((bottom ?? top ?? 0) + (top ?? bottom ?? 0)) / 2)
  }

  /** Draws the line at a left edge in the window and a height in the document. */
  #drawLine(left: number, at: number): void {
    const view = this.#view
    const { x, y } = this.#input.origin()
    const { style } = this.#parts.line
    const right = view.contentDOM.getBoundingClientRect().right - parseFloat(getComputedStyle(view.contentDOM).paddingRight)
    style.left = `${left + x}px`
    style.width = `${right - left}px`
    style.top = `${at + view.documentTop + y - 1.5}px`
  }
}

/**
 * Handles for the row and the column of the cell under the pointer or the caret. A click opens the menu, and a drag moves the row or column. The
 * buttons to the right of the table and below it add a column and a row. All of these lie over the text, so that the text does not move.
 */
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view'
import { t } from '../../text/t.ts'
import { rowOf } from '../table-rows.ts'
import { moveColumnTo, moveRowTo } from '../table-moves.ts'
import { addColumn, addRow, tableAt } from '../tables.ts'
import { cellElement, cellOf } from '../table-geometry.ts'
import { openMenu } from './menu.tsx'
import { selectRow } from './row-selection.ts'

/** Distance after which a press becomes a drag, in pixels. */
const dragFrom = 5

/** The shorter side of each handle, in pixels. It is the minimum target size (WCAG 2.2, 2.5.8). */
const thick = 24

interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

interface Boxes {
  readonly row: Box
  readonly column: Box
  readonly addRow: Box
  /** Position of the button that adds a column. Absent if the right edge of the table is out of view or too close to the edge of the window. */
  readonly addColumn: Box | undefined
}

function put(element: HTMLElement, box: Box | undefined): void {
  element.hidden = box === undefined
  if (box === undefined) return
  element.style.left = `${box.left}px`
  element.style.top = `${box.top}px`
  element.style.width = `${box.width}px`
  element.style.height = `${box.height}px`
}

/** Thickness of the line that marks the target of a drag, in pixels. */
const line = 3

/** Returns the index of the element whose middle is nearest to a position on one axis. */
function nearest(elements: readonly Element[], at: number, axis: 'x' | 'y'): number {
  let best = { index: 0, distance: Infinity }
  elements.forEach((element, index) => {
    const box = element.getBoundingClientRect()
    const distance = Math.abs((axis === 'x' ? box.left + box.width / 2 : box.top + box.height / 2) - at)
    if (distance < best.distance) best = { index, distance }
  })
  return best.index
}

const isFromTheRight = (element: Element): boolean => getComputedStyle(element).direction === 'rtl'

/** Returns the outer edges of the cells of a row, and their visible parts `start` and `end`, from left to right. */
function edges(row: Element, frame: DOMRect): Readonly<Record<'first' | 'last' | 'start' | 'end', number>> {
  const boxes = [...row.querySelectorAll(':scope > .md-cell')].map((cell) => cell.getBoundingClientRect())
  const first = Math.min(...boxes.map(({ left }) => left))
  const last = Math.max(...boxes.map(({ right }) => right))
  return { first, last, start: Math.max(frame.left, first), end: Math.min(frame.right, last) }
}

class Handles {
  readonly #view: EditorView
  readonly #dom = document.createElement('div')
  readonly #row = this.#button('grid-handle grid-handle-row')
  readonly #column = this.#button('grid-handle grid-handle-column')
  readonly #addRow = this.#button('grid-add grid-add-row')
  readonly #addColumn = this.#button('grid-add grid-add-column')
  readonly #mark = this.#dom.appendChild(document.createElement('div'))
  /** The cell under the pointer. */
  #hovered: HTMLElement | null = null
  /** The last position of the pointer. When a table scrolls, the browser reports a movement at the same position. */
  #pointer = { x: -1, y: -1 }
  /** Whether the next click ends a drag and must be ignored. */
  #dragged = false

  constructor(view: EditorView) {
    this.#view = view
    this.#dom.className = 'grid-handles'
    this.#mark.className = 'grid-mark'
    this.#mark.hidden = true
    for (const handle of [this.#row, this.#column]) handle.setAttribute('aria-haspopup', 'menu')
    this.#addRow.setAttribute('aria-label', t('Add row'))
    this.#addColumn.setAttribute('aria-label', t('Add column'))
    this.#addRow.addEventListener('click', () => this.#addAtEnd('row'))
    this.#addColumn.addEventListener('click', () => this.#addAtEnd('column'))
    this.#row.addEventListener('pointerdown', (event) => this.#press(event, 'row'))
    this.#column.addEventListener('pointerdown', (event) => this.#press(event, 'column'))
    // If `pointerup` opened the menu, the browser would close it immediately.
    this.#row.addEventListener('click', (event) => this.#openRow(event.shiftKey))
    this.#column.addEventListener('click', () => this.#openColumn())
    this.#dom.addEventListener('mousedown', (event) => event.preventDefault())
    // With Tab, a person gets from the text to the handles of the caret's cell.
    this.#dom.addEventListener('focusout', this.#draw)
    this.#dom.addEventListener('focusin', ({ target }) => {
      if (target instanceof Element && target.matches(':focus-visible')) this.#left()
    })
    view.scrollDOM.append(this.#dom)
    view.scrollDOM.addEventListener('pointermove', this.#moved)
    view.scrollDOM.addEventListener('pointerleave', this.#left)
    view.contentDOM.addEventListener('scroll', this.#draw, true)
    this.#draw()
  }

  update({ selectionSet, focusChanged, geometryChanged, transactions }: ViewUpdate): void {
    // A key moved the caret to a cell, and the handles follow it, wherever the pointer rests.
    if (transactions.some((transaction) => transaction.isUserEvent('select.cell'))) this.#hovered = null
    if (selectionSet || focusChanged || geometryChanged) this.#draw()
  }

  /** A suggestion in a cell can widen the table without changing the text. */
  docViewUpdate(): void {
    this.#draw()
  }

  destroy(): void {
    this.#view.scrollDOM.removeEventListener('pointermove', this.#moved)
    this.#view.scrollDOM.removeEventListener('pointerleave', this.#left)
    this.#view.contentDOM.removeEventListener('scroll', this.#draw, true)
    this.#dom.remove()
  }

  #button(name: string): HTMLButtonElement {
    const button = this.#dom.appendChild(document.createElement('button'))
    button.type = 'button'
    button.className = name
    button.hidden = true
    return button
  }

  readonly #moved = ({ target, pointerType, clientX: x, clientY: y }: PointerEvent): void => {
    if (pointerType !== 'mouse' || !this.#mark.hidden || (this.#pointer.x === x && this.#pointer.y === y)) return
    this.#pointer = { x, y }
    if (target instanceof Node && this.#dom.contains(target)) return
    const cell = target instanceof Element ? target.closest<HTMLElement>('.md-cell') : null
    if (cell === this.#hovered) return
    this.#hovered = cell
    this.#draw()
  }

  readonly #left = (): void => {
    if (this.#hovered === null) return
    this.#hovered = null
    this.#draw()
  }

  readonly #draw = (): void => {
    this.#view.requestMeasure({ key: this, read: () => this.#read(), write: (boxes) => this.#write(boxes) })
  }

  /** Returns the cell that the handles belong to. */
  #cell(): HTMLElement | null {
    const view = this.#view
    if (view.state.readOnly) return null
    if (this.#hovered?.isConnected === true) return this.#hovered
    const { head } = view.state.selection.main
    // Checked first, because most lines are not part of a table.
    const isHere = view.hasFocus || this.#dom.contains(document.activeElement)
    return isHere && tableAt(view.state) !== undefined ? cellElement(view, head) : null
  }

  #read(): Boxes | undefined {
    const cell = this.#cell()
    const line = cell?.closest<HTMLElement>('.md-grid-row')
    const table = cell?.closest<HTMLElement>('.md-table-scroll')
    if (cell === null || line == null || table == null) return undefined
    const outer = this.#view.scrollDOM.getBoundingClientRect()
    const [x, y] = [this.#view.scrollDOM.scrollLeft - outer.left, this.#view.scrollDOM.scrollTop - outer.top]
    const [frame, row, box] = [table.getBoundingClientRect(), line.getBoundingClientRect(), cell.getBoundingClientRect()]
    const { start, end, first, last } = edges(line, frame)
    const middle = Math.max(frame.left, Math.min((box.left + box.right) / 2, frame.right))
    const column = { left: middle + x - 16, top: frame.top + y - thick / 2, width: 32, height: thick }
    const isReversed = isFromTheRight(line)
    const all = { left: (isReversed ? end : start) + x - thick / 2, top: row.top + y + row.height / 2 - 16, width: thick, height: 32 }
    const addRow = { left: start + x, top: frame.bottom + y + 2, width: end - start, height: thick }
    const isWhole = isReversed
      ? first >= frame.left - 1 && start - 3 - thick >= outer.left
      : last <= frame.right + 1 && end + 3 + thick <= outer.right
    const left = (isReversed ? start - 3 - thick : end + 3) + x
    const addColumn = isWhole ? { left, top: frame.top + y, width: thick, height: frame.height } : undefined
    return { row: all, column, addRow, addColumn }
  }

  #write(boxes: Boxes | undefined): void {
    put(this.#row, boxes?.row)
    put(this.#column, boxes?.column)
    put(this.#addRow, boxes?.addRow)
    put(this.#addColumn, boxes?.addColumn)
    const shown = boxes === undefined ? undefined : cellOf(this.#view, this.#cell())
    if (shown === undefined) return
    this.#column.setAttribute('aria-label', t('Column {number}', { number: shown.column + 1 }))
    const place = tableAt(this.#view.state, shown.content.from)
    const number = place === undefined ? 0 : Math.max(0, place.row.line.number - place.first - 1)
    this.#row.setAttribute('aria-label', number === 0 ? t('Header row') : t('Row {number}', { number }))
  }

  /** Puts the caret into the cell that the handles belong to, unless it is already there. */
  #enter(): boolean {
    const view = this.#view
    const shown = cellOf(view, this.#cell())
    if (shown === undefined) return false
    const { head } = view.state.selection.main
    const { from, to } = shown.content
    if (head < from || head > to) view.dispatch({ selection: { anchor: from }, userEvent: 'select' })
    return true
  }

  #openColumn(): void {
    if (!this.#endsDrag() && this.#enter()) openMenu(this.#view, 'column', this.#column)
  }

  /** Selects a row and opens its menu. With Shift, the selection instead extends to this row, as in a spreadsheet. */
  #openRow(isShift: boolean): void {
    const view = this.#view
    const shown = this.#endsDrag() ? undefined : cellOf(view, this.#cell())
    if (shown === undefined) return
    const { state } = view
    const isExtended = isShift && tableAt(state)?.first === tableAt(state, shown.content.from)?.first
    selectRow(view, state.doc.lineAt(shown.content.from).number, isExtended)
    if (isExtended) view.focus()
    else openMenu(view, 'row', this.#row)
  }

  #endsDrag(): boolean {
    const isDrag = this.#dragged
    this.#dragged = false
    return isDrag
  }

  #addAtEnd(of: 'row' | 'column'): void {
    const view = this.#view
    if (!this.#enter()) return
    const place = tableAt(view.state)
    if (place === undefined) return
    const number = of === 'row' ? Math.max(place.last, place.first + 1) : place.first
    const cell = of === 'row' ? rowOf(view.state.doc.line(number)).cells[0] : rowOf(view.state.doc.line(number)).cells.at(-1)
    if (cell !== undefined) view.dispatch({ selection: { anchor: cell.to } })
    if (of === 'row') addRow('below')(view)
    else addColumn('after')(view)
    view.focus()
  }

  #press(event: PointerEvent, of: 'row' | 'column'): void {
    if (event.button !== 0) return
    event.preventDefault()
    // This press extends the selection of rows.
    if (event.shiftKey && of === 'row') return
    const handle = of === 'row' ? this.#row : this.#column
    const axis = of === 'row' ? 'y' : 'x'
    const begun = of === 'row' ? event.clientY : event.clientX
    const table = this.#cell()?.closest<HTMLElement>('.md-table-scroll') ?? null
    if (table === null || !this.#enter()) return
    handle.setPointerCapture(event.pointerId)
    let target: number | undefined
    this.#dragged = false
    const lines = (): Element[] => [...table.querySelectorAll('.md-grid-row:not(.md-grid-head)')]
    const heads = (): Element[] => [...(table.querySelector('.md-grid-row')?.querySelectorAll(':scope > .md-cell') ?? [])]
    const cell = this.#cell()
    const own =
      of === 'row'
        ? lines().findIndex((row) => row.contains(cell))
        : [...(cell?.parentElement?.children ?? [])].findIndex((each) => each === cell)
    const move = (to: PointerEvent): void => {
      const at = of === 'row' ? to.clientY : to.clientX
      if (target === undefined && Math.abs(at - begun) < dragFrom) return
      const elements = of === 'row' ? lines() : heads()
      target = nearest(elements, at, axis)
      const chosen = elements[target]
      if (chosen === undefined) return
      const [outer, frame, box] = [this.#view.scrollDOM, table, chosen].map((element) => element.getBoundingClientRect()) as [
        DOMRect,
        DOMRect,
        DOMRect
      ]
      const [x, y] = [this.#view.scrollDOM.scrollLeft - outer.left, this.#view.scrollDOM.scrollTop - outer.top]
      const { start, end: stop } = edges(chosen.closest('.md-grid-row') ?? chosen, frame)
      const isAfter = target > own
      const isRight = isAfter !== (of === 'column' && isFromTheRight(chosen))
      put(
        this.#mark,
        target === own
          ? undefined
          : of === 'row'
            ? { left: start + x, top: (isAfter ? box.bottom : box.top) + y - line / 2, width: stop - start, height: line }
            : { left: (isRight ? box.right : box.left) + x - line / 2, top: frame.top + y, width: line, height: frame.height }
      )
    }
    const end = (last: PointerEvent): void => {
      handle.removeEventListener('pointermove', move)
      handle.removeEventListener('pointerup', end)
      handle.removeEventListener('pointercancel', end)
      this.#mark.hidden = true
      if (last.type === 'pointercancel') return
      this.#dragged = target !== undefined
      const place = tableAt(this.#view.state)
      if (place === undefined || target === undefined) return
      const onto = of === 'row' ? lines()[target] : undefined
      if (of === 'column') moveColumnTo(this.#view, place, place.column, target)
      else if (onto !== undefined) {
        const to = this.#view.state.doc.lineAt(this.#view.posAtDOM(onto)).number
        moveRowTo(this.#view, place, to)
      }
      this.#view.focus()
    }
    handle.addEventListener('pointermove', move)
    handle.addEventListener('pointerup', end)
    handle.addEventListener('pointercancel', end)
  }
}

export const gridHandles = ViewPlugin.fromClass(Handles)

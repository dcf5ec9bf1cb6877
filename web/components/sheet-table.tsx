/** The table of a sheet, with its heads, its visible rows, and the buttons that add a row or a column. */
import type { JSX, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type CellPosition, isSame, nameOf } from '../../shared/components/cell-range.ts'
import { limits } from '../../shared/limits.ts'
import { t } from '../text/t.ts'
import { GridRow, type Shown } from './sheet-grid.tsx'
import { Head, type HeadActions } from './sheet-heads.tsx'
import type { SheetModel, SheetPartInput } from './sheet-model.ts'
import { byRow, none } from './sheet-selected.ts'
import { RowGap, spansOf, useSheetWindow, WidthRow } from './sheet-window.tsx'

const touch = matchMedia('(pointer: coarse)')

interface SheetHeadInput {
  readonly width: number
  readonly longest: readonly string[]
  /** The first and the last of the columns that are selected as a whole. */
  readonly selected: readonly [number, number] | undefined
  readonly actions: HeadActions
}

const SheetHead = ({ width, longest, selected: [from, to] = [0, -1], actions }: SheetHeadInput): JSX.Element => (
  <thead>
    <tr role='row'>
      <th class='sheet-number' aria-hidden='true' />
      {Array.from({ length: width }, (_cell, column) => (
        <Head key={column} axis='column' index={column} isSelected={column >= from && column <= to} actions={actions} />
      ))}
    </tr>
    <WidthRow texts={longest} />
  </thead>
)

/** Moves the focus to the selected cell after each drawing, because the cell may be new. */
function useCellFocus({ isDrawing, session }: SheetModel, element: RefObject<HTMLElement | null>): void {
  isDrawing.current = true
  // Reading the signal makes the grid draw again after a request for the focus.
  void session.asked.value
  useLayoutEffect(() => {
    isDrawing.current = false
    if (!session.wantsFocus.current || session.begun.value !== undefined) return
    session.wantsFocus.current = false
    const cell = element.current?.querySelector<HTMLElement>(`[data-cell="${nameOf(session.to.value)}"]`)
    // A selected row or column may begin outside the visible area, so the first cell is scrolled into view only as far as needed.
    const isWhole = session.whole.value !== undefined
    const field = cell?.querySelector('input') ?? cell
    field?.focus({ preventScroll: isWhole })
    if (isWhole) cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
}

/** Scrolls to a cell that the person selects for a formula with the keyboard. */
function usePointedInView(corner: CellPosition | undefined, element: RefObject<HTMLElement | null>): void {
  const name = corner === undefined ? '' : nameOf(corner)
  useLayoutEffect(() => {
    if (name !== '') element.current?.querySelector(`[data-cell="${name}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [name])
}

/** Keeps the browser from also marking text in the cells that a person drags over. */
function useUnmarkedText(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = element
    const keepUnmarked = (event: Event): void => {
      if (!(event.target instanceof HTMLInputElement)) event.preventDefault()
    }
    current?.addEventListener('selectstart', keepUnmarked)
    return () => current?.removeEventListener('selectstart', keepUnmarked)
  }, [])
}

/** The buttons at the edges add a row or a column, as they do for a table in the text. */
function AddButton({ input, model: { table, session }, axis }: SheetPartInput & { readonly axis: 'row' | 'column' }): JSX.Element {
  const { texts, width } = table.value
  const at = axis === 'row' ? texts.length : width
  const isFull = at >= (axis === 'row' ? limits.sheetRowsMax : limits.sheetColumnsMax)
  const isShown = input.refusal.value === undefined && input.around.picker.value === undefined && !isFull
  const add = (): void => {
    session.dispatch({ kind: 'shape', change: { axis, kind: 'insert', at, count: 1 } })
    session.go(axis === 'row' ? { row: at, column: 0 } : { row: session.at.peek().row, column: at })
  }
  return (
    <button type='button' class='sheet-add' hidden={!isShown} aria-label={axis === 'row' ? t('Add row') : t('Add column')} onClick={add} />
  )
}

/** The grid itself. It draws only the rows near the visible area. */
export function SheetTable({ input, model, label }: SheetPartInput & { readonly label: string }): JSX.Element {
  const { cells, session, actions } = model
  const scroller = useRef<HTMLDivElement>(null)
  useCellFocus(model, scroller)
  useUnmarkedText(scroller)
  const { seen, rowHeight, follow, come } = useSheetWindow(scroller)
  const { height, width } = session.size.value
  const [at, to] = [session.at.value, session.to.value]
  const whole = session.whole.value
  const { top, bottom, first, last } = model.area.value
  const { around, sheetIndex } = input
  const edited = session.begun.value
  // A composition of an input method needs a field that has the focus. On a touch screen, that field would open the keyboard.
  const acceptsText =
    input.refusal.value === undefined &&
    around.picker.value === undefined &&
    around.writer.value === undefined &&
    edited === undefined &&
    isSame(at, to) &&
    !touch.matches
  /** The cells selected for the formula that is being edited. The field appears on their sheet. */
  const pointed = around.pointed.value
  const isElsewhere = edited !== undefined && pointed !== undefined && pointed.sheet !== sheetIndex.value
  const cellsOf = (row: number): readonly Shown[] => {
    const shown = cells.grid.value[row] ?? []
    const cell = isElsewhere && row === edited.row ? shown[edited.column] : undefined
    return cell === undefined ? shown : shown.with(edited?.column ?? 0, { ...cell, text: session.draft.value.text, error: undefined })
  }
  const corner = pointed?.sheet === sheetIndex.value ? pointed.other : to
  usePointedInView(pointed?.sheet === sheetIndex.value ? corner : undefined, scroller)
  const selectedIn = byRow(input.selected.value)
  const proposedIn = byRow(model.proposed.value)
  const { rows, columns } = seen.value
  const isDrawn = (row: number): boolean => (row >= rows[0] && row < rows[1]) || [at.row, to.row, corner.row, edited?.row].includes(row)
  return (
    <div class='sheet-scroll' ref={scroller} onScroll={follow}>
      <div class='sheet-body'>
        <table
          class='sheet'
          role='grid'
          aria-label={label}
          aria-rowcount={height}
          aria-colcount={width}
          aria-readonly={input.refusal.value !== undefined}
          aria-multiselectable
        >
          <SheetHead
            width={width}
            longest={cells.longest.value}
            selected={whole === 'column' ? [first, last] : undefined}
            actions={actions.heads}
          />
          <tbody>
            {spansOf(height, isDrawn).map(({ from: row, length, isDrawn: drawn }) =>
              drawn ? (
                <GridRow
                  key={row}
                  row={row}
                  cells={cellsOf(row)}
                  current={row === at.row ? at.column : -1}
                  end={row === corner.row ? corner.column : -1}
                  columns={columns}
                  come={come}
                  isWhole={whole === 'row' && row >= top && row <= bottom}
                  from={row >= top && row <= bottom ? first : 0}
                  to={row >= top && row <= bottom ? last : -1}
                  edited={row === edited?.row && !isElsewhere ? edited.column : -1}
                  entry={acceptsText && row === at.row ? at.column : -1}
                  held={input.held.value}
                  selected={selectedIn.get(row) ?? none}
                  proposed={proposedIn.get(row) ?? none}
                  sheet={sheetIndex.value}
                  actions={actions}
                />
              ) : (
                <RowGap
                  key={`gap ${row}`}
                  from={row}
                  texts={cells.texts.value.slice(row, row + length)}
                  rowHeight={rowHeight.value}
                  come={come}
                />
              )
            )}
          </tbody>
        </table>
        <AddButton input={input} model={model} axis='column' />
        <AddButton input={input} model={model} axis='row' />
      </div>
    </div>
  )
}

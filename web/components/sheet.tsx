/**
 * Sheets: a grid that a person navigates with the arrow keys, edits by typing, and copies and pastes as in other spreadsheets. The text contains the
 * formulas, and the grid shows their results.
 */
import { useComputed, useSignalEffect } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { cornersOf, nameOf, type CellPosition, rangeName, rowsIn, textAt } from '../../shared/components/cell-range.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'
import { tableOf } from '../../shared/fences/sheet-edits.ts'
import type { Table } from '../../shared/fences/table.ts'
import { limits } from '../../shared/limits.ts'
import { locale, t } from '../text/t.ts'
import { GoneWords, WhichStays } from './drafts.tsx'
import type { ComponentInput } from './input.ts'
import { CellField, GridRow, type Shown } from './sheet-grid.tsx'
import { Head, type HeadActions } from './sheet-heads.tsx'
import { SheetMenu } from './sheet-menu.tsx'
import { nobody, selectedByRow, useSelectedShown } from './sheet-selected.ts'
import { shownNumber } from './shown-number.ts'
import { createSheetModel, type SheetModel, type TableOf } from './sheet-model.ts'
import type { Picker } from './sheets-around.ts'
import { RowGap, spansOf, useSheetWindow, WidthRow } from './sheet-window.tsx'

interface PartInput {
  readonly input: ComponentInput
  readonly model: SheetModel
}

/** Shows the name of the selected cells, and the first of them with its formula and its error. While the person selects cells for a formula of another sheet, it shows that formula. */
function SheetBar({ input, model }: PartInput): JSX.Element {
  const picker = input.around.picker.value
  return picker !== undefined && picker.sheet.value === input.sheetIndex.value ? (
    <PickBar picker={picker} input={input} model={model} />
  ) : (
    <CellBar input={input} model={model} />
  )
}

/** Shows what the person is selecting cells for. */
function PickBar({ picker, input, model: { session } }: PartInput & { readonly picker: Picker }): JSX.Element {
  const range = { sheet: input.sheetIndex.value, ...cornersOf(session.area.value) }
  return (
    <div class='sheet-bar sheet-pick'>
      <span class='sheet-name' dir='auto'>
        {t('Select the data for {name}', { name: picker.name })}
      </span>
      <button type='button' class='frame-button primary' onClick={() => picker.take(range)}>
        {t('Use {cells}', { cells: rangeName(range) })}
      </button>
      <button type='button' class='frame-button' onClick={() => picker.cancel()}>
        {t('Cancel')}
      </button>
    </div>
  )
}

/** Shows the text of the selected cell. A press opens the cell, with the caret at the end of its text. */
function FormulaLine({ model: { table, cells, session } }: { readonly model: SheetModel }): JSX.Element {
  const at = session.at.value
  const edited = session.begun.value
  const isWritten = edited?.row === at.row && edited.column === at.column
  const text = textAt(table.value, at)
  const isNumber = cells.grid.value[at.row]?.[at.column]?.isNumber === true && !text.startsWith('=')
  return (
    <code class='sheet-formula' dir='auto' onClick={() => void session.dispatch({ kind: 'edit', place: at })}>
      {isWritten ? session.draft.value.text : isNumber ? shownNumber(text, locale) : text}
    </code>
  )
}

function CellBar({ input, model }: PartInput): JSX.Element {
  const { cells, session, menu } = model
  const { around, sheetIndex } = input
  const at = session.at.value
  const fault = cells.grid.value[at.row]?.[at.column]?.error
  const writer = around.pointed.value?.sheet === sheetIndex.value ? around.writer.value : undefined
  if (writer !== undefined && writer.sheet.value !== sheetIndex.value)
    return (
      <div class='sheet-bar sheet-writer'>
        <span class='sheet-name'>{writer.name()}</span>
        <CellField label={writer.name()} on={sheetIndex.value} actions={writer.actions} />
      </div>
    )
  return (
    <div class='sheet-bar'>
      <span class='sheet-name'>{rangeName(cornersOf(session.area.value))}</span>
      <FormulaLine model={model} />
      {fault !== undefined && <span class='sheet-fault'>{fault}</span>}
      <button
        type='button'
        class='frame-button'
        disabled={input.refusal.value !== undefined}
        aria-haspopup='menu'
        onClick={({ currentTarget }) => (menu.value = currentTarget)}
      >
        {t('Rows and columns')}
      </button>
    </div>
  )
}

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
    cell?.focus({ preventScroll: isWhole })
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

/** Number of frames to wait for a component that is being scrolled into view. */
const framesMax = 120

/** Selects cells that another component requested, once this sheet is part of the page. */
function useWanted({ around, sheetIndex }: ComponentInput, { session }: SheetModel, element: RefObject<HTMLElement | null>): void {
  useSignalEffect(() => {
    const range = around.wanted.value
    if (range === undefined || range.sheet !== sheetIndex.value) return
    let frames = 0
    const select = (): void => {
      if (around.wanted.peek() !== range || frames++ > framesMax) return
      if ((element.current?.getClientRects().length ?? 0) === 0) return void requestAnimationFrame(select)
      around.wanted.value = undefined
      session.go(range.one)
      session.go(range.other, true)
    }
    requestAnimationFrame(select)
  })
}

/** The buttons at the edges add a row or a column, as they do for a table in the text. */
function AddButton({ input, model: { table, session }, axis }: PartInput & { readonly axis: 'row' | 'column' }): JSX.Element {
  const { texts, width } = table.value
  const at = axis === 'row' ? texts.length : width
  const isFull = at >= (axis === 'row' ? limits.sheetRowsMax : limits.sheetColumnsMax)
  const isShown = input.refusal.value === undefined && input.around.picker.value === undefined && !isFull
  const add = (): void => {
    session.dispatch({ kind: 'shape', change: { axis, kind: 'insert', at, count: 1 } })
    const { row, column } = session.at.peek()
    session.go(axis === 'row' ? { row: at, column } : { row, column: at })
  }
  return (
    <button type='button' class='sheet-add' hidden={!isShown} aria-label={axis === 'row' ? t('Add row') : t('Add column')} onClick={add} />
  )
}

function SheetTable({ input, model, label }: PartInput & { readonly label: string }): JSX.Element {
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
  const selectedIn = selectedByRow(input.selected.value)
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
                  held={input.held.value}
                  selected={selectedIn.get(row) ?? nobody}
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

/** Shows the sum and other figures of the selected numbers. */
function SheetSum({ model: { cells, area } }: PartInput): JSX.Element {
  const values = rowsIn(area.value, (place) => cells.valueOf(place)).flat()
  const numbers = values.filter((value) => typeof value === 'number')
  const sum = numbers.reduce((total, number) => total + number, 0)
  return (
    <p class='sheet-sum'>
      {numbers.length > 1 &&
        t('Sum {sum} · average {average} · {count} numbers', {
          sum: sum.toLocaleString(locale),
          average: (sum / numbers.length).toLocaleString(locale, { maximumFractionDigits: 4 }),
          count: numbers.length
        })}
    </p>
  )
}

/** Explains text that looks like a number with a decimal comma: in the selected cell, or else in the first such cell. */
function CommaHint({ input, model: { cells, session } }: PartInput): JSX.Element {
  const numberAt = ({ row, column }: CellPosition): string | undefined => cells.grid.value[row]?.[column]?.asNumber
  const at = session.at.value
  const place = numberAt(at) === undefined ? cells.hinted.value : at
  const number = place === undefined || input.refusal.value !== undefined ? undefined : numberAt(place)
  return (
    <div role='status'>
      {place !== undefined && number !== undefined && (
        <p class='component-note'>
          {t('{cell} is text, because numbers have a decimal point here. Write {number} to make it a number.', {
            cell: nameOf(place),
            number
          })}
        </p>
      )}
    </div>
  )
}

/** Asks what to do with drafts whose cell or column someone else has changed. */
function SheetDrafts({ model: { session } }: PartInput): JSX.Element {
  const asked = session.conflict.value
  const gone = session.gone.value
  return (
    <>
      {asked !== undefined && (
        <WhichStays
          changed={[{ name: nameOf(asked), mine: asked.mine, theirs: asked.theirs }]}
          onMine={() => session.dispatch({ kind: 'keep', whose: 'mine' })}
          onTheirs={() => session.dispatch({ kind: 'keep', whose: 'theirs' })}
        />
      )}
      {gone !== undefined && <GoneWords words={gone} onClose={() => session.dispatch({ kind: 'close gone' })} />}
    </>
  )
}

interface GridInput {
  readonly input: ComponentInput
  readonly tableOf: TableOf
  readonly label: string
  /** Whether the first cell takes the focus. */
  readonly takesFocus?: boolean
}

/** The grid of a sheet, or of another component that contains a table. */
export function CellGrid({ input, tableOf, label, takesFocus = false }: GridInput): JSX.Element {
  const element = useRef<HTMLDivElement>(null)
  const model = useMemo(() => createSheetModel(input, tableOf), [input])
  const { table, cells, session, menu, act } = model
  useWanted(input, model, element)
  const selectedShown = useSelectedShown(input, model)
  useSignalEffect(() => session.follow())
  useSignalEffect(() => {
    if (!input.begins.value) return
    input.begins.value = false
    session.dispatch({ kind: 'begin' })
  })
  useLayoutEffect(() => {
    if (takesFocus && session.begun.peek() === undefined) session.focus()
    // Releases the part that this page holds, because the grid may be removed together with its field.
    return () => void session.dispatch({ kind: 'leave' })
  }, [])
  const anchor = menu.value
  const isPicked = input.around.picker.value !== undefined && input.sheetIndex.value >= 0
  return (
    <div
      class={isPicked ? 'sheet-live picking' : 'sheet-live'}
      ref={element}
      {...selectedShown}
      onKeyDown={session.keyDown}
      onCopy={model.copy}
      onCut={model.copy}
      onPaste={model.paste}
    >
      <SheetBar input={input} model={model} />
      <SheetTable input={input} model={model} label={label} />
      <SheetSum input={input} model={model} />
      <CommaHint input={input} model={model} />
      <SheetDrafts input={input} model={model} />
      {anchor !== undefined && (
        <SheetMenu
          at={session.at.value}
          table={table.value}
          area={session.area.value}
          whole={session.whole.value}
          anchor={anchor}
          shape={(change) => void session.dispatch({ kind: 'shape', change })}
          act={(edits) => {
            const done = act(edits)
            session.focus()
            return done
          }}
          valueOf={(place) => cells.valueOf(place)}
          onClose={() => (menu.value = undefined)}
        />
      )}
    </div>
  )
}

const tableOfSheet = (fence: Fence): Table => tableOf(parseSheet(fence))

export function Sheet({ input }: { input: ComponentInput }): JSX.Element {
  const notes = useComputed(() => parseSheet(input.fence.value).notes)
  return (
    <>
      <CellGrid input={input} tableOf={tableOfSheet} label={t('Sheet')} />
      {notes.value.map(({ line }) => (
        <p class='component-note' key={line.from}>
          {line.text.trim()}
        </p>
      ))}
    </>
  )
}

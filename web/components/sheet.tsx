/** Sheets: a grid that is gone through with arrows, written by typing, and copied and pasted as spreadsheets do. Formulas stay in the text; what they give is shown. */
import { useSignalEffect } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { lettersOfColumn } from '../../shared/fences/formula/parse.ts'
import { locale, t } from '../text/t.ts'
import { GoneWords, WhichStays } from './drafts.tsx'
import type { ComponentInput } from './input.ts'
import { GridRow, nameOf, placeOf, textAt } from './sheet-grid.tsx'
import { SheetMenu } from './sheet-menu.tsx'
import { createSheetModel, type SheetModel } from './sheet-model.ts'
import { rowsIn } from './sheet-selection.ts'
import { RowGap, spansOf, useSheetWindow, WidthRow } from './sheet-window.tsx'

interface PartInput {
  readonly input: ComponentInput
  readonly model: SheetModel
}

/** The cell with the focus, its formula and what is wrong with it. */
function SheetBar({ input, model: { sheet, cells, selection, menu } }: PartInput): JSX.Element {
  const at = selection.at.value
  const fault = cells.grid.value[at.row]?.[at.column]?.error
  return (
    <div class='sheet-bar'>
      <span class='sheet-name'>{nameOf(at)}</span>
      <code class='sheet-formula' dir='auto'>
        {textAt(sheet.value, at)}
      </code>
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

const SheetHead = ({ width, longest }: { width: number; longest: readonly string[] }): JSX.Element => (
  <thead>
    <tr role='row'>
      <th class='sheet-number' aria-hidden='true' />
      {Array.from({ length: width }, (_cell, column) => (
        <th key={column} class='sheet-number' role='columnheader' scope='col'>
          {lettersOfColumn(column)}
        </th>
      ))}
    </tr>
    <WidthRow texts={longest} />
  </thead>
)

/** The cell that is gone to gets the focus once it is drawn: it may be a new one. */
function useCellFocus({ isDrawing, selection, editing }: SheetModel, element: RefObject<HTMLElement | null>): void {
  isDrawing.current = true
  // What is asked for is done when the grid was drawn next.
  void selection.asked.value
  useLayoutEffect(() => {
    isDrawing.current = false
    if (!selection.wantsFocus.current || editing.editing.value !== undefined) return
    selection.wantsFocus.current = false
    const cell = element.current?.querySelector<HTMLElement>(`[data-cell="${nameOf(selection.to.value)}"]`)
    cell?.focus()
  })
}

function SheetTable({ input, model }: PartInput): JSX.Element {
  const { sheet, cells, selection, editing, deeds } = model
  const scroller = useRef<HTMLDivElement>(null)
  useCellFocus(model, scroller)
  const { seen, rowHeight, follow, come } = useSheetWindow(scroller)
  const { height, width } = selection.size.value
  const [at, to] = [selection.at.value, selection.to.value]
  const { top, bottom, first, last } = model.area.value
  const here = editing.editing.value
  const edited = here && placeOf(sheet.value, here)
  const { rows, columns } = seen.value
  const isDrawn = (row: number): boolean => (row >= rows[0] && row < rows[1]) || row === at.row || row === to.row || row === edited?.row
  return (
    <div class='sheet-scroll' ref={scroller} onScroll={follow}>
      <table
        class='sheet'
        role='grid'
        aria-label={t('Sheet')}
        aria-rowcount={height}
        aria-colcount={width}
        aria-readonly={input.refusal.value !== undefined}
        aria-multiselectable
      >
        <SheetHead width={width} longest={cells.longest.value} />
        <tbody>
          {spansOf(height, isDrawn).map(({ from: row, length, isDrawn: drawn }) =>
            drawn ? (
              <GridRow
                key={row}
                row={row}
                cells={cells.grid.value[row] ?? []}
                current={row === at.row ? at.column : -1}
                end={row === to.row ? to.column : -1}
                columns={columns}
                come={come}
                from={row >= top && row <= bottom ? first : 0}
                to={row >= top && row <= bottom ? last : -1}
                edited={row === edited?.row ? edited.column : -1}
                held={input.held.value}
                deeds={deeds}
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
    </div>
  )
}

/** What the numbers that are selected come to. */
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

/** What is asked and told of texts that were being written while others changed the sheet. */
function SheetDrafts({ model: { editing, selection } }: PartInput): JSX.Element {
  const asked = editing.conflict.value
  return (
    <>
      {asked !== undefined && (
        <WhichStays
          changed={[{ name: nameOf(asked), mine: asked.mine, theirs: asked.theirs }]}
          onMine={() => editing.keepMine()}
          onTheirs={() => (editing.conflict.value = undefined)}
        />
      )}
      {editing.gone.value !== undefined && (
        <GoneWords
          words={editing.gone.value}
          onClose={() => {
            editing.gone.value = undefined
            selection.focus()
          }}
        />
      )}
    </>
  )
}

export function Sheet({ input }: { input: ComponentInput }): JSX.Element {
  const element = useRef<HTMLDivElement>(null)
  const model = useMemo(
    () => createSheetModel(input, () => element.current?.querySelector<HTMLInputElement>('.sheet-field') ?? null),
    [input]
  )
  const { sheet, cells, selection, editing, menu, act, reshape } = model
  useSignalEffect(() => editing.followRemoval())
  useSignalEffect(() => {
    if (!input.begins.value) return
    input.begins.value = false
    editing.begin()
  })
  const anchor = menu.value
  return (
    <div class='sheet-live' ref={element} onKeyDown={model.keyDown} onCopy={model.copy} onCut={model.copy} onPaste={model.paste}>
      <SheetBar input={input} model={model} />
      <SheetTable input={input} model={model} />
      <SheetSum input={input} model={model} />
      <SheetDrafts input={input} model={model} />
      {sheet.value.notes.map(({ line }) => (
        <p class='component-note' key={line.from}>
          {line.text.trim()}
        </p>
      ))}
      {anchor !== undefined && (
        <SheetMenu
          at={selection.at.value}
          width={selection.size.value.width}
          anchor={anchor}
          reshape={reshape}
          act={act}
          valueOf={(place) => cells.valueOf(place)}
          onClose={() => (menu.value = undefined)}
        />
      )}
    </div>
  )
}

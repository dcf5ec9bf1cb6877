/**
 * Sheets: a grid that a person navigates with the arrow keys, edits by typing, and copies and pastes as in other spreadsheets. The text contains the
 * formulas, and the grid shows their results.
 */
import { useComputed, useSignalEffect } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { type CellPosition, nameOf, rowsIn } from '../../shared/components/cell-range.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'
import { tableOf } from '../../shared/fences/sheet-edits.ts'
import type { Table } from '../../shared/fences/table.ts'
import { locale, t } from '../text/t.ts'
import { GoneWords, offerLost, WhichStays } from './drafts.tsx'
import { commenting } from './commenting.ts'
import type { ComponentInput } from './input.ts'
import { SheetBar } from './sheet-bar.tsx'
import { SheetMenu } from './sheet-menu.tsx'
import { createSheetModel, type SheetModel, type SheetPartInput } from './sheet-model.ts'
import type { TableOf } from './sheet-proposed.ts'
import { useSelectedShown } from './sheet-selected.ts'
import { SheetTable } from './sheet-table.tsx'
import { shownNumber } from './shown-number.ts'

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

/** Shows the sum and other figures of the selected numbers. */
function SheetSum({ model: { cells, area } }: SheetPartInput): JSX.Element {
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
function CommaHint({ input, model: { cells, session } }: SheetPartInput): JSX.Element {
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
            number: shownNumber(number, locale)
          })}
        </p>
      )}
    </div>
  )
}

/** Asks what to do with drafts whose cell or column someone else has changed. */
function SheetDrafts({ model: { session } }: SheetPartInput): JSX.Element {
  const asked = session.conflict.value
  return (
    <>
      {asked !== undefined && (
        <WhichStays
          changed={[{ name: nameOf(asked), mine: asked.mine, theirs: asked.theirs }]}
          onMine={() => session.dispatch({ kind: 'keep', whose: 'mine' })}
          onTheirs={() => session.dispatch({ kind: 'keep', whose: 'theirs' })}
        />
      )}
      {session.gone.value.map((words, index) => (
        <GoneWords key={index} words={words} part='cell' onClose={() => session.dispatch({ kind: 'close gone', index })} />
      ))}
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
    return () => offerLost(session.dispatch({ kind: 'leave' }).lost)
  }, [])
  const anchor = menu.value
  const comment = input.fence.value.kind === 'sheet' ? commenting(input) : undefined
  const commentOnCell = (): void => {
    const cell = element.current?.querySelector(`[data-cell="${nameOf(session.at.peek())}"]`)
    if (cell != null) comment?.(cell)
  }
  const isPicked = input.around.picker.value !== undefined && input.sheetIndex.value >= 0
  const grid = (
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
      {anchor !== undefined && (
        <SheetMenu
          at={session.at.value}
          table={table.value}
          area={session.area.value}
          whole={session.whole.value}
          anchor={anchor}
          shape={(change) => void session.dispatch({ kind: 'shape', change })}
          fillDown={() => void session.dispatch({ kind: 'fill', axis: 'row' })}
          act={(edits) => {
            const done = act(edits)
            session.focus()
            return done
          }}
          valueOf={(place) => cells.valueOf(place)}
          onComment={comment && commentOnCell}
          onClose={() => (menu.value = undefined)}
        />
      )}
    </div>
  )
  // Keys and copied text in the messages about drafts must not act on cells, so the messages are outside the grid.
  return (
    <>
      {grid}
      <SheetDrafts input={input} model={model} />
    </>
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

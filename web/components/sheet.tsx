/** Sheets: a grid that is gone through with arrows, written by typing, and copied and pasted as spreadsheets do. Formulas stay in the text; what they give is shown. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Fence } from '../../shared/fences/fences.ts'
import { lettersOfColumn } from '../../shared/fences/formula/parse.ts'
import { pointable } from '../../shared/fences/formula/point.ts'
import type { Change } from '../../shared/fences/formula/rewrite.ts'
import { Day, Failure, type Scalar } from '../../shared/fences/formula/values.ts'
import { parseSheet, type Sheet as SheetShape } from '../../shared/fences/sheet.ts'
import { followChange, formatTsv, pasteSize, pasteTsv, setCell, setCells } from '../../shared/fences/sheet-edits.ts'
import { limits } from '../../shared/limits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { locale, t, tn } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { GoneWords, WhichStays } from './drafts.tsx'
import type { ComponentInput } from './input.ts'
import {
  type Deeds,
  type Editing,
  GridRow,
  headingsOf,
  isRemoved,
  lineAt,
  nameOf,
  type Place,
  placeOf,
  type Shown,
  textAt,
  type Typed
} from './sheet-grid.tsx'
import { SheetMenu } from './sheet-menu.tsx'
import { RowGap, spansOf, useSheetWindow, WidthRow } from './sheet-window.tsx'

/** The clipboard of this page has formulas as well. */
const cellsType = 'text/x-agmd-cells'

const steps: Readonly<Record<string, Place>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 }
}

const order = (one: number, other: number): readonly [number, number] => [Math.min(one, other), Math.max(one, other)]

/** Cells that were pointed at for the formula that is being written, and where they stand in it. */
interface Pointed {
  readonly one: Place
  readonly other: Place
  readonly text: string
  readonly from: number
  readonly to: number
}

export function Sheet({ input }: { input: ComponentInput }): JSX.Element {
  const { fence, refusal, said, held, sheets, sheetIndex } = input
  const element = useRef<HTMLDivElement>(null)
  const sheet = useComputed(() => parseSheet(fence.value))
  const current = useSignal<Place>({ row: 0, column: 0 })
  const end = useSignal<Place>({ row: 0, column: 0 })
  const editing = useSignal<Editing | undefined>(undefined)
  const typed = useRef<Typed>({ text: '', from: 0, to: 0 })
  /** While the grid is drawn a field loses the focus because its row moves: nobody left it. */
  const isDrawing = useRef(false)
  isDrawing.current = true
  const pointed = useSignal<Pointed | undefined>(undefined)
  const conflict = useSignal<(Place & { readonly mine: string; readonly theirs: string }) | undefined>(undefined)
  /** What was written in a cell whose column others removed. */
  const gone = useSignal<string | undefined>(undefined)
  const menu = useSignal<HTMLElement | undefined>(undefined)
  const moves = useRef(false)
  /** The row behind the last that Enter or Tab have begun: part of the text with the first that is written in it. */
  const begunRow = useSignal(-1)
  /** The cell that the cursor stays in because the sheet is full: what is typed next does not write over it. */
  const fullAt = useRef('')
  const scroller = useRef<HTMLDivElement>(null)
  const { seen, rowHeight, follow, come } = useSheetWindow(scroller)
  const mayChange = refusal.value === undefined

  const size = useComputed(() => ({
    height: Math.min(Math.max(sheet.value.rows.length, 1) + Number(begunRow.value === sheet.value.rows.length), limits.sheetRowsMax),
    width: Math.min(Math.max(sheet.value.width, 1), limits.sheetColumnsMax)
  }))
  const { height, width } = size.value
  const valueOf = ({ row, column }: Place): Scalar =>
    sheetIndex.value < 0 ? null : sheets.value.workbook.valueAt(sheetIndex.value, row, column)
  const shownOf = (place: Place): Shown => {
    const [value, text] = [valueOf(place), textAt(sheet.value, place)]
    const isComputed = text.startsWith('=') && sheetIndex.value >= 0
    return {
      text: isComputed ? sheets.value.workbook.textAt(sheetIndex.value, place.row, place.column) : text,
      side: sheet.value.sides[place.column],
      isNumber: typeof value === 'number' || value instanceof Day,
      error: value instanceof Failure ? value.reason || value.error : undefined
    }
  }
  // Not with every step through the cells.
  const grid = useComputed(() =>
    Array.from({ length: size.value.height }, (_row, row) =>
      Array.from({ length: size.value.width }, (_cell, column) => shownOf({ row, column }))
    )
  )
  const texts = useComputed(() => grid.value.map((cells) => cells.map(({ text }) => text)))
  const longest = useComputed(() => {
    const found = Array.from({ length: size.value.width }, () => '')
    for (const cells of texts.value)
      cells.forEach((text, column) => {
        if (text.length > (found[column]?.length ?? 0)) found[column] = text
      })
    return found
  })
  const inside = ({ row, column }: Place): Place => ({
    row: Math.min(Math.max(0, row), height - 1),
    column: Math.min(Math.max(0, column), width - 1)
  })
  const focus = (): void => {
    moves.current = true
  }
  const go = (place: Place, isRange = false): void => {
    end.value = inside(place)
    fullAt.current = ''
    if (end.value.row !== begunRow.peek()) begunRow.value = -1
    if (!isRange) current.value = end.value
    focus()
  }
  const at = inside(current.value)
  const to = inside(end.value)
  const [one, other] = pointed.value === undefined ? [at, to] : [pointed.value.one, pointed.value.other]
  const [top, bottom] = order(one.row, other.row)
  const [first, last] = order(one.column, other.column)
  const places = (): Place[] =>
    Array.from({ length: bottom - top + 1 }, (_row, down) =>
      Array.from({ length: last - first + 1 }, (_cell, across) => ({ row: top + down, column: first + across }))
    ).flat()

  // After the grid was drawn: the cell may be a new one.
  useLayoutEffect(() => {
    isDrawing.current = false
    if (!moves.current || editing.value !== undefined) return
    moves.current = false
    const cell = element.current?.querySelector<HTMLElement>(`[data-cell="${nameOf(inside(end.value))}"]`)
    cell?.focus()
  })

  const act = (edits: (now: SheetShape, others: readonly SheetShape[]) => readonly Edit[]): boolean =>
    input.act((now: Fence, all) => {
      const others = all.filter(({ kind, from }) => kind === 'sheet' && from !== now.from).map(parseSheet)
      return edits(parseSheet(now), others).toSorted((one, other) => one.from - other.from)
    })

  /** Rows or columns come or go: formulas of other sheets follow. */
  const reshape = (edits: (now: SheetShape) => readonly Edit[], change: Change): void => {
    act((now, others) => {
      const own = edits(now)
      const { id } = now.fence
      return own.length === 0 || id === undefined ? own : [...own, ...others.flatMap((other) => followChange(other, id, change))]
    })
    focus()
  }

  const stop = (): void => {
    editing.value = undefined
    pointed.value = undefined
    input.hold(undefined)
  }
  useSignalEffect(() => {
    const [now, begun] = [sheet.value, editing.peek()]
    if (begun === undefined || !isRemoved(now, begun)) return
    const { text } = typed.current
    stop()
    if (text.trim() === begun.before) focus()
    else gone.value = text
  })

  const deeds = useRef<Deeds | undefined>(undefined)
  const edit = (place: Place, text?: string): void => {
    // Who presses twice in a field, or points twice, has one open.
    if (!mayChange || editing.peek() !== undefined) return
    const holder = held.peek().get(nameOf(place))
    if (holder !== undefined) return toast(t('{name} is editing this', { name: holder.name }))
    const before = textAt(sheet.peek(), place)
    const written = text ?? before
    current.value = place
    end.value = place
    typed.current = { text: written, from: written.length, to: written.length }
    editing.value = { ...place, before, line: lineAt(sheet.peek(), place.row), headings: headingsOf(sheet.peek()) }
    input.hold(nameOf(place))
  }
  useSignalEffect(() => {
    if (!input.begins.value) return
    input.begins.value = false
    edit({ row: 0, column: 0 })
    // Typing replaces it.
    typed.current = { ...typed.current, from: 0 }
  })
  const commit = (text: string, step: Place): void => {
    const begun = editing.peek()
    if (begun === undefined) return
    stop()
    const place = placeOf(sheet.peek(), begun)
    const theirs = textAt(sheet.peek(), place)
    if (text.trim() !== begun.before) {
      if (theirs !== begun.before && theirs !== text.trim()) conflict.value = { ...place, mine: text.trim(), theirs }
      else
        act((now) => {
          const { row, column } = placeOf(now, begun)
          return setCell(now, row, column, text)
        })
    }
    if (step.row !== 0 || step.column !== 0) goOn(place, step, text.trim() !== '')
  }
  /** From a cell that was written: at the end of a row to the next one, at the end of the sheet to a row that this begins. */
  const goOn = (from: Place, step: Place, isWritten: boolean): void => {
    const lastRow = Math.max(sheet.peek().rows.length - 1, isWritten || from.row === 0 ? from.row : 0)
    let [row, column] = [from.row + step.row, from.column + step.column]
    if (column >= width) [row, column] = [row + 1, 0]
    else if (column < 0 && row > 0) [row, column] = [row - 1, width - 1]
    if (row <= Math.max(lastRow, from.row)) return go({ row, column })
    // A row in which nothing was written begins no other.
    if (from.row > lastRow) return go(from)
    if (row >= limits.sheetRowsMax) {
      go(from)
      fullAt.current = nameOf(from)
      return undefined
    }
    begunRow.value = row
    current.value = { row, column }
    end.value = { row, column }
    return focus()
  }
  const keep = ({ value, selectionStart, selectionEnd }: HTMLInputElement): void => {
    typed.current = { text: value, from: selectionStart ?? value.length, to: selectionEnd ?? value.length }
  }
  const fieldOf = (): HTMLInputElement | null => element.current?.querySelector<HTMLInputElement>('.sheet-field') ?? null
  /** Where a cell that is pointed at would go in the field. In the place of the one before while the cursor is still behind that. */
  const spotIn = ({ value, selectionStart, selectionEnd }: HTMLInputElement) => {
    const last = pointed.peek()
    const again = last?.text === value && selectionStart === last.to && selectionEnd === last.to ? last : undefined
    const [from, to] = [again?.from ?? selectionStart ?? 0, again?.to ?? selectionEnd ?? 0]
    return { again, from, to, takes: pointable(value, from, to) }
  }
  const point = (place: Place, isRange: boolean): boolean => {
    const field = fieldOf()
    if (field === null) return false
    const { again, from, to, takes } = spotIn(field)
    if (takes === undefined) return false
    const start = isRange && takes === 'range' ? (again?.one ?? place) : place
    const [[up, down], [left, right]] = [order(start.row, place.row), order(start.column, place.column)]
    const [corner, opposite] = [nameOf({ row: up, column: left }), nameOf({ row: down, column: right })]
    const name = corner === opposite ? corner : `${corner}:${opposite}`
    field.setRangeText(name, from, to, 'end')
    pointed.value = { one: start, other: place, text: field.value, from, to: from + name.length }
    deeds.current?.typing(field)
    return true
  }
  deeds.current = {
    press(place, isRange) {
      const field = fieldOf()
      if (field === null) go(place, isRange)
      else if (spotIn(field).takes === undefined) queueMicrotask(() => go(place))
    },
    over(place) {
      const field = fieldOf()
      if (field === null) go(place, true)
      else if (spotIn(field).again !== undefined) point(place, true)
    },
    point,
    pointed() {
      pointed.value = undefined
    },
    focused(place) {
      const { row, column } = end.peek()
      if (row === place.row && column === place.column) return
      fullAt.current = ''
      if (place.row !== begunRow.peek()) begunRow.value = -1
      current.value = place
      end.value = place
    },
    edit,
    commit,
    typed: () => typed.current,
    typing(field) {
      keep(field)
      const begun = editing.peek()
      if (begun !== undefined) input.hold(nameOf(placeOf(sheet.peek(), begun)))
    },
    left(field) {
      keep(field)
      if (!isDrawing.current) commit(field.value, { row: 0, column: 0 })
    },
    cancel() {
      stop()
      focus()
    }
  }
  // Rows are not drawn anew because what they call is.
  const stable = useMemo((): Deeds => {
    const now = (): Deeds => deeds.current as Deeds
    return {
      press: (place, isRange) => now().press(place, isRange),
      point: (place, isRange) => now().point(place, isRange),
      pointed: () => now().pointed(),
      over: (place) => now().over(place),
      focused: (place) => now().focused(place),
      edit: (place, text) => now().edit(place, text),
      commit: (text, step) => now().commit(text, step),
      typed: () => now().typed(),
      typing: (field) => now().typing(field),
      left: (field) => now().left(field),
      cancel: () => now().cancel()
    }
  }, [])

  const clear = (): void => {
    if (mayChange)
      act((now) =>
        setCells(
          now,
          places().map((place) => ({ ...place, text: '' }))
        )
      )
    focus()
  }

  const tell = (words: string): void => {
    said.value = words
    toast(words)
  }

  const keyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || editing.peek() !== undefined || event.target instanceof HTMLButtonElement) return
    const step = steps[event.key]
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    const from = inside(end.value)
    if (step !== undefined && isPlain) {
      const place = { row: from.row + step.row, column: from.column + step.column }
      // Out of the grid at its edges one comes with Esc and Tab.
      go(place, event.shiftKey)
    } else if (event.key === 'Home' && !event.altKey) go({ row: isPlain ? from.row : 0, column: 0 }, event.shiftKey)
    else if (event.key === 'End' && !event.altKey) go({ row: isPlain ? from.row : height - 1, column: width - 1 }, event.shiftKey)
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      current.value = { row: 0, column: 0 }
      go({ row: height - 1, column: width - 1 }, true)
    } else if ((event.key === 'Enter' || event.key === 'F2') && isPlain) edit(at)
    else if ((event.key === 'Delete' || event.key === 'Backspace') && isPlain) clear()
    else if (mayChange && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) menu.value = event.target as HTMLElement
    else if (isPlain && event.key.length === 1 && mayChange) {
      if (fullAt.current === nameOf(at))
        tell(tn(limits.sheetRowsMax, 'This sheet is full. The limit is 1 row.', 'This sheet is full. The limit is {count} rows.'))
      else edit(at, event.key)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  const copy = (event: ClipboardEvent): void => {
    if (editing.peek() !== undefined || event.clipboardData === null) return
    const tsv = (text: (place: Place) => string): string =>
      formatTsv(
        Array.from({ length: bottom - top + 1 }, (_row, down) =>
          Array.from({ length: last - first + 1 }, (_cell, across) => text({ row: top + down, column: first + across }))
        )
      )
    event.clipboardData.setData(
      'text/plain',
      tsv(({ row, column }) => texts.peek()[row]?.[column] ?? '')
    )
    event.clipboardData.setData(
      cellsType,
      tsv((place) => textAt(sheet.peek(), place))
    )
    if (event.type === 'cut') clear()
    event.preventDefault()
    event.stopPropagation()
  }
  const paste = (event: ClipboardEvent): void => {
    if (editing.peek() !== undefined || event.clipboardData === null || !mayChange) return
    const text = event.clipboardData.getData(cellsType) || event.clipboardData.getData('text/plain')
    const { rows, rowsFit, columns, columnsFit } = pasteSize(top, first, text)
    if (text !== '' && act((now) => pasteTsv(now, top, first, text))) {
      if (rowsFit === rows && columnsFit === columns) said.value = t('Pasted')
      else if (input.suggests())
        // Behind the notice of what is suggested.
        queueMicrotask(() =>
          tell(
            t('Suggested {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', {
              rowsFit,
              rows,
              columnsFit,
              columns
            })
          )
        )
      else
        tell(
          t('Pasted {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', {
            rowsFit,
            rows,
            columnsFit,
            columns
          })
        )
    }
    event.preventDefault()
    event.stopPropagation()
    focus()
  }

  const numbers = places().flatMap((place) => {
    const value = valueOf(place)
    return typeof value === 'number' ? [value] : []
  })
  const sum = numbers.reduce((total, number) => total + number, 0)
  const here = editing.value
  const edited = here && placeOf(sheet.value, here)
  const { rows, columns } = seen.value
  const isDrawn = (row: number): boolean => (row >= rows[0] && row < rows[1]) || row === at.row || row === to.row || row === edited?.row
  const asked = conflict.value
  const formula = textAt(sheet.value, at)
  const fault = grid.value[at.row]?.[at.column]?.error
  const anchor = menu.value
  return (
    <div class='sheet-live' ref={element} onKeyDown={keyDown} onCopy={copy} onCut={copy} onPaste={paste}>
      <div class='sheet-bar'>
        <span class='sheet-name'>{nameOf(at)}</span>
        <code class='sheet-formula' dir='auto'>
          {formula}
        </code>
        {fault !== undefined && <span class='sheet-fault'>{fault}</span>}
        <button
          type='button'
          class='frame-button'
          disabled={!mayChange}
          aria-haspopup='menu'
          onClick={({ currentTarget }) => (menu.value = currentTarget)}
        >
          {t('Rows and columns')}
        </button>
      </div>
      <div class='sheet-scroll' ref={scroller} onScroll={follow}>
        <table
          class='sheet'
          role='grid'
          aria-label={t('Sheet')}
          aria-rowcount={height}
          aria-colcount={width}
          aria-readonly={!mayChange}
          aria-multiselectable
        >
          <thead>
            <tr role='row'>
              <th class='sheet-number' aria-hidden='true' />
              {Array.from({ length: width }, (_cell, column) => (
                <th key={column} class='sheet-number' role='columnheader' scope='col'>
                  {lettersOfColumn(column)}
                </th>
              ))}
            </tr>
            <WidthRow texts={longest.value} />
          </thead>
          <tbody>
            {spansOf(height, isDrawn).map(({ from: row, length, isDrawn: drawn }) =>
              drawn ? (
                <GridRow
                  key={row}
                  row={row}
                  cells={grid.value[row] ?? []}
                  current={row === at.row ? at.column : -1}
                  end={row === to.row ? to.column : -1}
                  columns={columns}
                  come={come}
                  from={row >= top && row <= bottom ? first : 0}
                  to={row >= top && row <= bottom ? last : -1}
                  edited={row === edited?.row ? edited.column : -1}
                  held={held.value}
                  deeds={stable}
                />
              ) : (
                <RowGap
                  key={`gap ${row}`}
                  from={row}
                  texts={texts.value.slice(row, row + length)}
                  rowHeight={rowHeight.value}
                  come={come}
                />
              )
            )}
          </tbody>
        </table>
      </div>
      <p class='sheet-sum'>
        {numbers.length > 1 &&
          t('Sum {sum} · average {average} · {count} numbers', {
            sum: sum.toLocaleString(locale),
            average: (sum / numbers.length).toLocaleString(locale, { maximumFractionDigits: 4 }),
            count: numbers.length
          })}
      </p>
      {asked !== undefined && (
        <WhichStays
          changed={[{ name: nameOf(asked), mine: asked.mine, theirs: asked.theirs }]}
          onMine={() => {
            act((now) => setCell(now, asked.row, asked.column, asked.mine))
            conflict.value = undefined
          }}
          onTheirs={() => (conflict.value = undefined)}
        />
      )}
      {gone.value !== undefined && (
        <GoneWords
          words={gone.value}
          onClose={() => {
            gone.value = undefined
            focus()
          }}
        />
      )}
      {sheet.value.notes.map(({ line }) => (
        <p class='component-note' key={line.from}>
          {line.text.trim()}
        </p>
      ))}
      {anchor !== undefined && (
        <SheetMenu
          at={at}
          width={width}
          anchor={anchor}
          reshape={reshape}
          act={act}
          valueOf={valueOf}
          onClose={() => (menu.value = undefined)}
        />
      )}
    </div>
  )
}

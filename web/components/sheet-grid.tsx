/** The grid of a sheet: its rows and cells, and the field that one is written in. */
import { Component, type JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { lettersOfColumn } from '../../shared/fences/formula/parse.ts'
import type { Sheet, Side } from '../../shared/fences/sheet.ts'
import type { Person } from '../presence/people.ts'
import { t } from '../text/t.ts'
import { followPart } from './drafts.tsx'
import { CellGap, spansOf } from './sheet-window.tsx'

export interface Place {
  readonly row: number
  readonly column: number
}

export interface Shown {
  readonly text: string
  readonly side: Side
  readonly isNumber: boolean
  /** Why there is an error; undefined: there is none. */
  readonly error: string | undefined
}

export interface Editing extends Place {
  /** What the cell said when it was begun; its line and the headings, by which it is found when rows or columns have come or gone. */
  readonly before: string
  readonly line: string
  readonly headings: readonly string[]
}

/** What is in the field, and what of it is selected. */
export interface Typed {
  readonly text: string
  readonly from: number
  readonly to: number
}

export const nameOf = ({ row, column }: Place): string => `${lettersOfColumn(column)}${row + 1}`
export const textAt = (sheet: Sheet, { row, column }: Place): string => sheet.rows[row]?.cells[column]?.text ?? ''
export const lineAt = (sheet: Sheet, row: number): string => sheet.rows[row]?.line.text ?? ''

export const headingsOf = (sheet: Sheet): string[] => sheet.rows[0]?.cells.map(({ text }) => text) ?? []

/** Where a cell is now: its line may have moved, or have been changed where it is. */
export function placeOf(sheet: Sheet, { row, column, line, headings }: Editing): Place {
  if (lineAt(sheet, row) === line) return { row, column }
  const moved = sheet.rows.findIndex((each) => each.line.text === line)
  if (moved !== -1) return { row: moved, column }
  // In the heading itself the words that are changed say nothing of where they are.
  return { row, column: row === 0 ? column : (followPart(headings, column, headingsOf(sheet)) ?? column) }
}

/** Whether others removed the column of a cell. */
export function isRemoved(sheet: Sheet, { row, column, line, headings }: Editing): boolean {
  if (column >= headings.length || sheet.rows.some((each) => each.line.text === line)) return false
  const now = headingsOf(sheet)
  return row === 0 ? column >= now.length : followPart(headings, column, now) === undefined
}

interface RowInput {
  readonly row: number
  readonly cells: readonly Shown[]
  /** Column of the cell with the focus; -1: in another row. */
  readonly current: number
  /** Selected columns of this row: from, to; empty when there are none. */
  readonly from: number
  readonly to: number
  /** Column that the selection ends in, when it does in this row: it is drawn. */
  readonly end: number
  /** Columns that are drawn: from, and to before. */
  readonly columns: readonly [number, number]
  readonly come: (place: Place) => void
  /** Column of the cell that is written; -1: none of this row. */
  readonly edited: number
  readonly held: ReadonlyMap<string, Person>
  readonly deeds: Deeds
}

/** What is done with cells; stays the same for as long as the grid is there. */
export interface Deeds {
  press(place: Place, extends_: boolean): void
  /** Puts a cell that is pressed into the formula that is being written; false: none can come there. */
  point(place: Place, extends_: boolean): boolean
  over(place: Place): void
  focused(place: Place): void
  edit(place: Place, text?: string): void
  commit(text: string, step: Place): void
  /** What is in the field as it is drawn: it may be drawn anew, elsewhere, while one writes in it. */
  typed(): Typed
  typing(field: HTMLInputElement): void
  left(field: HTMLInputElement): void
  /** What was pointed at last stays in the formula, whatever is pointed at next. */
  pointed(): void
  cancel(): void
}

const same = (one: readonly Shown[], other: readonly Shown[]): boolean =>
  one === other ||
  (one.length === other.length &&
    one.every((cell, index) => {
      const next = other[index]
      return cell.text === next?.text && cell.side === next.side && cell.isNumber === next.isNumber && cell.error === next.error
    }))

/** A class, because of many rows only those are drawn anew that have changed. */
export class GridRow extends Component<RowInput> {
  override shouldComponentUpdate(next: RowInput): boolean {
    const { cells, held, ...rest } = this.props
    return (
      !same(cells, next.cells) ||
      held !== next.held ||
      rest.edited !== next.edited ||
      rest.columns !== next.columns ||
      rest.current !== next.current ||
      rest.end !== next.end ||
      rest.from !== next.from ||
      rest.to !== next.to
    )
  }

  override render({ row, cells, current, from, to, end, columns, come, edited, held, deeds }: RowInput): JSX.Element {
    const isDrawn = (column: number): boolean =>
      (column >= columns[0] && column < columns[1]) || column === current || column === end || column === edited
    return (
      <tr role='row' aria-rowindex={row + 1}>
        <th class='sheet-number' role='rowheader' scope='row'>
          {row + 1}
        </th>
        {spansOf(cells.length, isDrawn).map((span) => {
          const place = { row, column: span.from }
          const { column } = place
          const cell = cells[column]
          if (!span.isDrawn || cell === undefined) {
            const texts = cells.slice(column, column + span.length).map((each) => each.text)
            return <CellGap key={`gap ${column}`} from={place} texts={texts} come={come} />
          }
          const { text, side, isNumber, error } = cell
          const holder = held.get(nameOf(place))
          const isEdited = column === edited
          const alignment = side ?? (isNumber ? 'right' : '')
          return (
            <td
              key={column}
              role='gridcell'
              aria-colindex={column + 1}
              aria-selected={column >= from && column <= to}
              class={`${alignment}${error === undefined ? '' : ' sheet-error'}${row === 0 ? ' sheet-heading' : ''}${holder === undefined ? '' : ' held'}`}
              style={holder === undefined ? {} : { '--hue': `var(--hue-${holder.hue})` }}
              title={holder === undefined ? error : t('{name} is editing this', { name: holder.name })}
              data-cell={nameOf(place)}
              tabIndex={column === current ? 0 : -1}
              onPointerDown={(event) => !isEdited && event.button === 0 && deeds.press(place, event.shiftKey)}
              onMouseDown={(event) => {
                // The field keeps the focus.
                if (!isEdited && event.button === 0 && deeds.point(place, event.shiftKey)) event.preventDefault()
              }}
              onFocus={() => deeds.focused(place)}
              onPointerEnter={(event) => event.buttons === 1 && deeds.over(place)}
              onDblClick={() => deeds.edit(place)}
            >
              {isEdited ? <CellField place={place} deeds={deeds} /> : text}
            </td>
          )
        })}
      </tr>
    )
  }
}

function CellField({ place, deeds }: { place: Place; deeds: Deeds }): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const { from, to } = deeds.typed()
    field.current?.focus()
    field.current?.setSelectionRange(from, to)
  }, [])
  return (
    <input
      class='sheet-field'
      type='text'
      dir='auto'
      aria-label={t('Cell {name}', { name: nameOf(place) })}
      defaultValue={deeds.typed().text}
      spellcheck={false}
      ref={field}
      onInput={({ currentTarget }) => deeds.typing(currentTarget)}
      onPointerDown={() => deeds.pointed()}
      onBlur={({ currentTarget }) => deeds.left(currentTarget)}
      onKeyDown={(event) => {
        if (event.isComposing) return
        const { value } = event.currentTarget
        if (event.key === 'Enter') deeds.commit(value, { row: event.shiftKey ? -1 : 1, column: 0 })
        else if (event.key === 'Tab') deeds.commit(value, { row: 0, column: event.shiftKey ? -1 : 1 })
        else if (event.key === 'Escape') deeds.cancel()
        else return event.stopPropagation()
        event.preventDefault()
        event.stopPropagation()
      }}
    />
  )
}

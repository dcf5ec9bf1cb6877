/** The grid of a sheet: its rows and cells, and the field that one is written in. */
import { Component, type JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { lettersOfColumn } from '../../shared/fences/formula/parse.ts'
import { type Place, steps } from '../../shared/components/sheet-selection.ts'
import type { Side } from '../../shared/fences/sheet.ts'
import type { Table } from '../../shared/fences/table.ts'
import type { Person } from '../presence/people.ts'
import { t } from '../text/t.ts'
import { CellGap, spansOf } from './sheet-window.tsx'

export type { Place }

export interface Shown {
  readonly text: string
  readonly side: Side
  readonly isNumber: boolean
  /** Why there is an error; undefined: there is none. */
  readonly error: string | undefined
}

/** The content of the field, and its selection. */
export interface Typed {
  readonly text: string
  readonly from: number
  readonly to: number
}

export const nameOf = ({ row, column }: Place): string => `${lettersOfColumn(column)}${row + 1}`
export const textAt = ({ texts }: Table, { row, column }: Place): string => texts[row]?.[column] ?? ''

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
  /** Index of the sheet. */
  readonly sheet: number
  readonly deeds: Deeds
}

/** The actions in the field of a cell that is being written. */
export interface FieldDeeds {
  /** The content of the field as it is drawn: it may be drawn again, elsewhere, while one writes in it. */
  typed(): Typed
  drawn(field: HTMLInputElement): void
  typing(field: HTMLInputElement): void
  /** The focus went elsewhere. `on`: the sheet that the field was drawn on. */
  left(field: HTMLInputElement, on: number): void
  /** The reference pointed at last stays in the formula, whatever is pointed at next. */
  pointed(): void
  commit(text: string, step: Place): void
  cancel(): void
  /** Points at the next cell into a direction, or at all up to it; false: no cell can come where the cursor is. */
  step(field: HTMLInputElement, step: Place, isRange: boolean): boolean
  /** Points at a cell of the next sheet; false as above. */
  change(field: HTMLInputElement, direction: 1 | -1): boolean
  /** From now on the arrows to the sides point at cells, or go through the words. */
  turn(): void
}

/** The actions on cells; the object stays the same for as long as the grid is there. */
export interface Deeds {
  readonly field: FieldDeeds
  press(place: Place, isRange: boolean, isTouch: boolean): void
  /** Puts a cell that is pressed into the formula that is being written; false: none can come there. */
  point(place: Place, isRange: boolean): boolean
  over(place: Place): void
  focused(place: Place): void
  edit(place: Place): void
}

const same = (one: readonly Shown[], other: readonly Shown[]): boolean =>
  one === other ||
  (one.length === other.length &&
    one.every((cell, index) => {
      const next = other[index]
      return cell.text === next?.text && cell.side === next.side && cell.isNumber === next.isNumber && cell.error === next.error
    }))

/** A class, because of many rows only those are drawn again that have changed. */
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

  override render({ row, cells, current, from, to, end, columns, come, edited, held, sheet, deeds }: RowInput): JSX.Element {
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
              onPointerDown={(event) =>
                !isEdited && event.button === 0 && deeds.press(place, event.shiftKey, event.pointerType === 'touch')
              }
              onMouseDown={(event) => {
                // The field keeps the focus.
                if (!isEdited && event.button === 0 && deeds.point(place, event.shiftKey)) event.preventDefault()
              }}
              onFocus={() => deeds.focused(place)}
              // A finger that is drawn over cells scrolls.
              onPointerEnter={(event) => event.buttons === 1 && event.pointerType !== 'touch' && deeds.over(place)}
              onDblClick={() => deeds.edit(place)}
            >
              {isEdited ? <CellField label={t('Cell {name}', { name: nameOf(place) })} on={sheet} deeds={deeds.field} /> : text}
            </td>
          )
        })}
      </tr>
    )
  }
}

interface FieldInput {
  readonly label: string
  /** The sheet that it is drawn on. */
  readonly on: number
  readonly deeds: FieldDeeds
}

/** Whether a key did something of its own in the field. */
function fieldKey(event: KeyboardEvent, field: HTMLInputElement, deeds: FieldDeeds): boolean {
  const { key, shiftKey, altKey } = event
  const isPlain = !event.ctrlKey && !event.metaKey && !altKey
  const step = steps[key]
  if (key === 'Enter') deeds.commit(field.value, { row: shiftKey ? -1 : 1, column: 0 })
  else if (key === 'Tab') deeds.commit(field.value, { row: 0, column: shiftKey ? -1 : 1 })
  else if (key === 'Escape') deeds.cancel()
  else if (key === 'F2') deeds.turn()
  else if (step !== undefined && step.row !== 0 && altKey) return deeds.change(field, step.row === 1 ? 1 : -1)
  else return step !== undefined && isPlain && deeds.step(field, step, shiftKey)
  return true
}

/** The field of the cell that is written. It is drawn on the sheet whose cells are pointed at for its formula. */
export function CellField({ label, on, deeds }: FieldInput): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const { current } = field
    if (current === null) return
    const { from, to } = deeds.typed()
    deeds.drawn(current)
    current.focus()
    current.setSelectionRange(from, to)
  }, [])
  return (
    <input
      class='sheet-field'
      type='text'
      dir='auto'
      aria-label={label}
      defaultValue={deeds.typed().text}
      spellcheck={false}
      ref={field}
      onInput={({ currentTarget }) => deeds.typing(currentTarget)}
      onPointerDown={() => deeds.pointed()}
      onBlur={({ currentTarget }) => deeds.left(currentTarget, on)}
      onKeyDown={(event) => {
        if (event.isComposing) return
        if (fieldKey(event, event.currentTarget, deeds)) event.preventDefault()
        event.stopPropagation()
      }}
    />
  )
}

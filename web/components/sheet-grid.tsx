/** The grid of a sheet: its rows, its cells, and the field of the cell that is being edited. */
import { Component, type JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { nameOf, type CellPosition } from '../../shared/components/cell-range.ts'
import type { Key } from '../../shared/components/key.ts'
import type { Side } from '../../shared/fences/sheet.ts'
import type { Person } from '../presence/people.ts'
import { locale, t } from '../text/t.ts'
import { Head, type HeadActions } from './sheet-heads.tsx'
import { Proposed } from './proposed.tsx'
import { shownNumber } from './shown-number.ts'
import { CellGap, spansOf } from './sheet-window.tsx'

export interface Shown {
  readonly text: string
  readonly side: Side
  readonly isNumber: boolean
  /** The reason for an error; undefined if there is none. */
  readonly error: string | undefined
  /**
   * The number to write instead of text with a decimal comma, which formulas do not read as a number. Undefined if the cell needs no such hint.
   */
  readonly asNumber: string | undefined
}

/** Returns the text of a cell as its reader sees it. */
export const shownText = ({ text, isNumber }: Shown): string => (isNumber ? shownNumber(text, locale) : text)

interface RowInput {
  readonly row: number
  readonly cells: readonly Shown[]
  /** Column of the focused cell, or -1 if it is in another row. */
  readonly current: number
  /** First selected column of this row. `to` is the last one. The range is empty if nothing is selected. */
  readonly from: number
  readonly to: number
  /** Column of the selection's last cell if it is in this row. This cell is always drawn. */
  readonly end: number
  /** Whether the person has selected the entire row, and not only all its cells. */
  readonly isWhole: boolean
  /** Range of the drawn columns: the first one, and the one after the last. */
  readonly columns: readonly [number, number]
  readonly come: (place: CellPosition) => void
  /** Column of the cell that is being edited, or -1 if it is not in this row. */
  readonly edited: number
  /** Column of the cell that accepts text although it is not being edited, or -1 if it is not in this row. */
  readonly entry: number
  readonly held: ReadonlyMap<string, Person>
  /** The cells of this row that others have selected. */
  readonly selected: ReadonlyMap<string, Person>
  /** The texts that open suggestions propose for cells of this row. */
  readonly proposed: ReadonlyMap<string, string>
  /** Index of the sheet in the text. */
  readonly sheet: number
  readonly actions: GridActions
}

/** The actions of the field in which a cell is edited. */
export interface FieldActions {
  /** Writes the draft into a field that has been drawn. During editing, the field may be drawn again in another place. */
  drawn(field: HTMLInputElement): void
  /** Called after each change of the text. The first change opens the cell for editing. */
  typing(field: HTMLInputElement): void
  /** Called when the field loses the focus. `on` is the sheet that showed the field. */
  left(field: HTMLInputElement, on: number): void
  /** Keeps the last inserted reference, so that the next one does not replace it. */
  pointed(): void
  /** Handles a key. Returns false if the browser should handle it. */
  key(key: Key, field: HTMLInputElement): boolean
}

/** The actions on the cells of a grid. The object stays the same as long as the grid exists. */
export interface GridActions {
  readonly field: FieldActions
  readonly heads: HeadActions
  press(place: CellPosition, isRange: boolean, isTouch: boolean): void
  /** Inserts a reference to the pressed cell into the formula that is being edited. Returns false if no reference can be inserted. */
  point(place: CellPosition, isRange: boolean): boolean
  over(place: CellPosition): void
  /** Called when a cell receives the focus. `isCell`: the cell itself has it, and not the field in it. */
  focused(place: CellPosition, isCell: boolean): void
  edit(place: CellPosition): void
}

const same = (one: readonly Shown[], other: readonly Shown[]): boolean =>
  one === other ||
  (one.length === other.length &&
    one.every((cell, index) => {
      const next = other[index]
      return (
        cell.text === next?.text &&
        cell.side === next.side &&
        cell.isNumber === next.isNumber &&
        cell.error === next.error &&
        cell.asNumber === next.asNumber
      )
    }))

/** Draws a row. It is a class because `shouldComponentUpdate` skips rows that have not changed; a sheet may have many rows. */
export class GridRow extends Component<RowInput> {
  override shouldComponentUpdate(next: RowInput): boolean {
    const { cells, held, selected, proposed, ...rest } = this.props
    return (
      !same(cells, next.cells) ||
      held !== next.held ||
      (selected !== next.selected && selected.size + next.selected.size > 0) ||
      (proposed !== next.proposed && proposed.size + next.proposed.size > 0) ||
      rest.edited !== next.edited ||
      rest.entry !== next.entry ||
      rest.columns !== next.columns ||
      rest.current !== next.current ||
      rest.end !== next.end ||
      rest.from !== next.from ||
      rest.isWhole !== next.isWhole ||
      rest.to !== next.to
    )
  }

  override render({
    row,
    cells,
    current,
    from,
    to,
    end,
    isWhole,
    columns,
    come,
    edited,
    entry,
    held,
    selected,
    proposed,
    sheet,
    actions
  }: RowInput): JSX.Element {
    const isDrawn = (column: number): boolean =>
      (column >= columns[0] && column < columns[1]) || column === current || column === end || column === edited
    return (
      <tr role='row' aria-rowindex={row + 1}>
        <Head axis='row' index={row} isSelected={isWhole} actions={actions.heads} />
        {spansOf(cells.length, isDrawn).map((span) => {
          const place = { row, column: span.from }
          const { column } = place
          const cell = cells[column]
          if (!span.isDrawn || cell === undefined) {
            const texts = cells.slice(column, column + span.length).map((each) => each.text)
            return <CellGap key={`gap ${column}`} from={place} texts={texts} come={come} />
          }
          const { text, side, isNumber, error, asNumber } = cell
          const hint =
            asNumber === undefined
              ? undefined
              : t('Formulas skip this text. Write {number} to make it a number.', { number: shownNumber(asNumber, locale) })
          const holder = held.get(nameOf(place))
          const person = holder ?? selected.get(nameOf(place))
          const isEdited = column === edited
          const [words, young] = [shownText(cell), proposed.get(nameOf(place))]
          const suggested = young === undefined ? undefined : t('Suggested: {what}', { what: young || '–' })
          const alignment = side ?? (isNumber ? 'right' : '')
          return (
            <td
              key={column}
              role='gridcell'
              aria-colindex={column + 1}
              aria-selected={column >= from && column <= to}
              class={`${alignment}${error === undefined ? '' : ' sheet-error'}${hint === undefined ? '' : ' sheet-hint'}${row === 0 ? ' sheet-heading' : ''}${column === current ? ' sheet-at' : ''}${holder !== undefined ? ' held' : person === undefined ? '' : ' theirs'}`}
              style={person === undefined ? {} : { '--hue': `var(--hue-${person.hue})` }}
              title={
                holder === undefined ? (error ?? suggested ?? hint ?? person?.name) : t('{name} is editing this', { name: holder.name })
              }
              data-cell={nameOf(place)}
              tabIndex={column === current && column !== entry ? 0 : -1}
              onPointerDown={(event) =>
                !isEdited && event.button === 0 && event.pointerType !== 'touch' && actions.press(place, event.shiftKey, false)
              }
              // A swipe scrolls. The browser then cancels the pointer instead of releasing it.
              onPointerUp={(event) => {
                if (isEdited || event.pointerType !== 'touch') return
                // The first tap selects the cell, and the second one opens it.
                const isSecond = event.currentTarget.matches(':focus-within')
                actions.press(place, event.shiftKey, true)
                if (isSecond) actions.edit(place)
              }}
              onMouseDown={(event) => {
                // The default action would take the focus from the field.
                if (!isEdited && event.button === 0 && actions.point(place, event.shiftKey)) event.preventDefault()
              }}
              onFocus={() => actions.focused(place, true)}
              // On a touch screen, dragging scrolls.
              onPointerEnter={(event) => event.buttons === 1 && event.pointerType !== 'touch' && actions.over(place)}
              onDblClick={() => actions.edit(place)}
            >
              {isEdited ? undefined : young === undefined ? words : <Proposed old={words} young={young} />}
              {(isEdited || column === entry) && (
                <CellField
                  key='field'
                  label={[t('Cell {name}', { name: nameOf(place) }), isEdited ? '' : text, suggested].filter(Boolean).join(', ')}
                  on={sheet}
                  actions={actions.field}
                  {...(!isEdited && { onFocus: () => actions.focused(place, false) })}
                />
              )}
            </td>
          )
        })}
      </tr>
    )
  }
}

interface FieldInput {
  readonly label: string
  /** Index of the sheet that shows the field. */
  readonly on: number
  readonly actions: FieldActions
  /** Present if the cell is selected but not being edited. The field is then invisible and waits for text. */
  readonly onFocus?: () => void
}

/**
 * The field of the cell that is being edited. It appears on the sheet in which the person selects cells for the formula. The selected cell has the
 * field before editing begins, because a composition of an input method (IME) cannot move to another element.
 */
export function CellField({ label, on, actions, onFocus }: FieldInput): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  const isWaiting = onFocus !== undefined
  useLayoutEffect(() => {
    const { current } = field
    if (current === null) return
    if (isWaiting) {
      current.value = ''
      return
    }
    current.focus()
    actions.drawn(current)
  }, [isWaiting])
  return (
    <input
      class={isWaiting ? 'sheet-entry' : 'sheet-field'}
      type='text'
      dir='auto'
      aria-label={label}
      autocomplete='off'
      spellcheck={false}
      ref={field}
      onFocus={onFocus}
      onInput={({ currentTarget }) => actions.typing(currentTarget)}
      onPointerDown={() => actions.pointed()}
      onBlur={({ currentTarget }) => actions.left(currentTarget, on)}
      onKeyDown={(event) => {
        if (event.isComposing || isWaiting) return
        if (!actions.key(event, event.currentTarget)) return
        event.preventDefault()
        event.stopPropagation()
      }}
    />
  )
}

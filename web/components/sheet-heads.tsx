/** The column letters and row numbers of a sheet. */
import type { JSX } from 'preact'
import type { Axis } from '../../shared/components/cell-range.ts'
import { lettersOfColumn } from '../../shared/fences/formula/parse.ts'

/** A column letter or a row number. */
export interface HeadOf {
  readonly axis: Axis
  readonly index: number
}

/** The actions on the column letters and row numbers of a grid. The object stays the same as long as the grid exists. */
export interface HeadActions {
  /** Begins to drag the selected rows or columns, if the pointer is on one of them. */
  grab(head: HeadOf, event: PointerEvent): void
  press(head: HeadOf, isRange: boolean): void
  /** Selects only the grabbed row or column, because the pointer did not move. */
  release(head: HeadOf): void
  over(head: HeadOf): void
  /** Opens the menu of the selected rows or columns. Returns false if the person may not change them. */
  menu(head: HeadOf, anchor: HTMLElement): boolean
  focus(): void
}

interface HeadInput extends HeadOf {
  readonly isSelected: boolean
  readonly actions: HeadActions
}

export function Head({ axis, index, isSelected, actions }: HeadInput): JSX.Element {
  const head: HeadOf = { axis, index }
  return (
    <th
      class='sheet-number'
      role={axis === 'row' ? 'rowheader' : 'columnheader'}
      scope={axis === 'row' ? 'row' : 'col'}
      aria-selected={isSelected || undefined}
      data-row={axis === 'row' ? index : undefined}
      data-column={axis === 'column' ? index : undefined}
      tabIndex={-1}
      onPointerDown={(event) => actions.grab(head, event)}
      onMouseDown={(event) => {
        if (event.button !== 0) return
        // The browser must not move the focus: it stays in the field of a formula, or the session moves it to a cell.
        event.preventDefault()
        actions.press(head, event.shiftKey)
      }}
      onClick={() => actions.release(head)}
      // On a touch screen, dragging scrolls.
      onPointerEnter={(event) => event.buttons === 1 && event.pointerType !== 'touch' && actions.over(head)}
      onContextMenu={(event) => {
        if (actions.menu(head, event.currentTarget)) event.preventDefault()
      }}
      onFocus={() => actions.focus()}
    >
      {axis === 'row' ? index + 1 : lettersOfColumn(index)}
    </th>
  )
}

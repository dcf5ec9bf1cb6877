/** The selection of a sheet on the page. It exposes the session as signals and manages the focus. */
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import {
  beginSheet,
  inside,
  type Place,
  type SheetEvent,
  type SheetOutcome,
  sheetStep,
  sizeOf
} from '../../shared/components/sheet-selection.ts'
import type { Table } from '../../shared/fences/table.ts'

export interface Selection {
  /** Number of rows and columns, including a row or column that was begun after the last one. */
  readonly size: ReadonlySignal<{ readonly height: number; readonly width: number }>
  /** The focused cell. */
  readonly at: ReadonlySignal<Place>
  /** The corner of the selection opposite the focused cell. */
  readonly to: ReadonlySignal<Place>
  /** Whether the selected cell should take the focus once it is drawn. `asked` counts the requests. */
  readonly wantsFocus: { current: boolean }
  readonly asked: ReadonlySignal<number>
  focus(): void
  go(place: Place, isRange?: boolean): void
  put(place: Place): void
  focused(place: Place): void
  /** Applies an event to the session. The caller carries out the edits, the action and the announcement of the outcome. */
  dispatch(event: SheetEvent): SheetOutcome
}

export function createSelection(table: ReadonlySignal<Table>): Selection {
  const state = signal(beginSheet)
  const wantsFocus = { current: false }
  const asked = signal(0)
  const focus = (): void => {
    wantsFocus.current = true
    asked.value += 1
  }
  const dispatch: Selection['dispatch'] = (event) => {
    const outcome = sheetStep(state.peek(), event, table.peek())
    state.value = outcome.state
    if (outcome.focus === true) focus()
    return outcome
  }
  return {
    size: computed(() => sizeOf(state.value, table.value)),
    at: computed(() => inside(state.value, table.value, state.value.from)),
    to: computed(() => inside(state.value, table.value, state.value.end)),
    wantsFocus,
    asked,
    focus,
    go: (place, isRange = false) => void dispatch({ kind: 'go', place, isRange }),
    put: (place) => void dispatch({ kind: 'put', place }),
    focused: (place) => void dispatch({ kind: 'focused', place }),
    dispatch
  }
}

/** Cells that are pointed at for the formula that is being written. */
import { signal, type ReadonlySignal } from '@preact/signals'
import { pointable } from '../../shared/fences/formula/point.ts'
import { nameOf, type Place } from './sheet-grid.tsx'
import { areaBetween } from './sheet-selection.ts'

/** What was pointed at last, and where it stands in the field. */
interface Pointed {
  readonly one: Place
  readonly other: Place
  readonly text: string
  readonly from: number
  readonly to: number
}

export interface Pointing {
  readonly pointed: ReadonlySignal<Pointed | undefined>
  /** Whether a cell can come where the cursor is in the field. */
  takes(field: HTMLInputElement): boolean
  /** Whether the cursor is still behind what was pointed at last. */
  goesOn(field: HTMLInputElement): boolean
  /** Puts a cell into the formula; false: none can come there. */
  point(field: HTMLInputElement, place: Place, isRange: boolean): boolean
  /** What was pointed at stays in the formula, whatever is pointed at next. */
  keep(): void
}

export function createPointing(): Pointing {
  const pointed = signal<Pointed | undefined>(undefined)

  /** Where a cell that is pointed at would go. In the place of the one before while the cursor is still behind that. */
  const spotIn = ({ value, selectionStart, selectionEnd }: HTMLInputElement) => {
    const last = pointed.peek()
    const again = last?.text === value && selectionStart === last.to && selectionEnd === last.to ? last : undefined
    const [from, to] = [again?.from ?? selectionStart ?? 0, again?.to ?? selectionEnd ?? 0]
    return { again, from, to, takes: pointable(value, from, to) }
  }
  return {
    pointed,
    takes: (field) => spotIn(field).takes !== undefined,
    goesOn: (field) => spotIn(field).again !== undefined,
    point(field, place, isRange) {
      const { again, from, to, takes } = spotIn(field)
      if (takes === undefined) return false
      const start = isRange && takes === 'range' ? (again?.one ?? place) : place
      const { top, bottom, first, last } = areaBetween(start, place)
      const [corner, opposite] = [nameOf({ row: top, column: first }), nameOf({ row: bottom, column: last })]
      const name = corner === opposite ? corner : `${corner}:${opposite}`
      field.setRangeText(name, from, to, 'end')
      pointed.value = { one: start, other: place, text: field.value, from, to: from + name.length }
      return true
    },
    keep() {
      pointed.value = undefined
    }
  }
}

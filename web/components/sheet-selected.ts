/** Shows which cells other people have selected, and shows them the selected cell of this person. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { nameOf } from '../../shared/components/cell-range.ts'
import type { Person } from '../presence/people.ts'
import type { ComponentInput } from './input.ts'
import type { SheetModel } from './sheet-model.ts'

export const nobody: ReadonlyMap<string, Person> = new Map()

/** Returns the cells that others have selected, by row. A row whose cells nobody selects is then not drawn again. */
export function selectedByRow(selected: ReadonlyMap<string, Person>): ReadonlyMap<number, ReadonlyMap<string, Person>> {
  const found = new Map<number, Map<string, Person>>()
  for (const [cell, person] of selected) {
    const row = Number(cell.replace(/^[A-Z]+/, '')) - 1
    found.set(row, (found.get(row) ?? new Map<string, Person>()).set(cell, person))
  }
  return found
}

/** Shows other people the selected cell while the sheet has the focus. */
export function useSelectedShown(
  input: ComponentInput,
  { session }: SheetModel
): { onFocusIn(): void; onFocusOut(event: FocusEvent): void } {
  const hasFocus = useSignal(false)
  const cell = useComputed(() => (hasFocus.value ? nameOf(session.at.value) : undefined))
  const shown = useRef<string>(undefined)
  const show = (next: string | undefined): void => {
    if (next !== shown.current) input.select(next)
    shown.current = next
  }
  useSignalEffect(() => show(cell.value))
  useEffect(() => () => show(undefined), [])
  return {
    onFocusIn() {
      hasFocus.value = true
    },
    onFocusOut({ currentTarget, relatedTarget }) {
      const isInside = relatedTarget instanceof Node && currentTarget instanceof Node && currentTarget.contains(relatedTarget)
      // A person who uses another window comes back to the same cell.
      if (!isInside && document.hasFocus()) hasFocus.value = false
    }
  }
}

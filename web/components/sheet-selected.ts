/** Shows which cells other people have selected, and shows them the selected cell of this person. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { nameOf } from '../../shared/components/cell-range.ts'
import type { ComponentInput } from './input.ts'
import type { SheetModel } from './sheet-model.ts'

export const none: ReadonlyMap<string, never> = new Map<string, never>()

/** Groups values of cells, for example the people who have selected them, by row. A row without such values is then not drawn again. */
export function byRow<Value>(values: ReadonlyMap<string, Value>): ReadonlyMap<number, ReadonlyMap<string, Value>> {
  const found = new Map<number, Map<string, Value>>()
  for (const [cell, value] of values) {
    const row = Number(cell.replace(/^[A-Z]+/, '')) - 1
    found.set(row, (found.get(row) ?? new Map<string, Value>()).set(cell, value))
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

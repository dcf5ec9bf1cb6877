/** The values that open suggestions propose for the cells of a sheet. */
import { computed, type ReadonlySignal } from '@preact/signals'
import { nameOf, textAt } from '../../shared/components/cell-range.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import { valueOfCell } from '../../shared/fences/formula/values.ts'
import type { Table } from '../../shared/fences/table.ts'
import { locale } from '../text/t.ts'
import type { ComponentInput } from './input.ts'
import { shownNumber } from './shown-number.ts'
import { suggestionsFor } from './suggestions.ts'

/** Reads a component as a table. Returns undefined if changes by others made it something else. */
export type TableOf = (fence: Fence) => Table | undefined

const shown = (text: string): string => (typeof valueOfCell(text) === 'number' ? shownNumber(text, locale) : text)

/** Returns the proposed texts by the names of their cells. A suggestion that adds or removes rows or columns has none, because it moves cells. */
export function proposedCells(input: ComponentInput, tableOf: TableOf): ReadonlySignal<ReadonlyMap<string, string>> {
  const { changed } = suggestionsFor(input)
  return computed(() => {
    const found = new Map<string, string>()
    for (const each of changed.value) {
      const [before, after] = [tableOf(each.before), tableOf(each.after)]
      if (before === undefined || after === undefined) continue
      if (before.texts.length !== after.texts.length || before.width !== after.width) continue
      for (const row of after.texts.keys())
        for (let column = 0; column < after.width; column++) {
          const place = { row, column }
          const text = textAt(after, place)
          if (text !== textAt(before, place)) found.set(nameOf(place), shown(text))
        }
    }
    return found
  })
}

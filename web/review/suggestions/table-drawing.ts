/** Loads the module that draws suggestions for tables, with the first suggestion that might change one. Until then, suggestions are drawn as text. */
import { type EditorState, type Extension, type RangeSet, StateEffect, StateField } from '@codemirror/state'
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view'
import type { MarkedRange } from './marked-range.ts'
import type * as TableMarks from './table-marks.ts'

const loaded = StateEffect.define<typeof TableMarks>()

export const tableMarksField = StateField.define<typeof TableMarks | undefined>({
  create: () => undefined,
  update: (value, { effects }) => effects.reduce((last, each) => (each.is(loaded) ? each.value : last), value)
})

/** Returns the module if it has loaded. */
export const tableMarksIn = (state: EditorState): typeof TableMarks | undefined => state.field(tableMarksField, false)

function areForTables(set: RangeSet<MarkedRange>): boolean {
  for (const cursor = set.iter(); cursor.value !== null; cursor.next()) if (cursor.value.annotation.text.includes('|')) return true
  return false
}

export const loadTableMarks = (rangesIn: (state: EditorState) => RangeSet<MarkedRange>): Extension =>
  ViewPlugin.fromClass(
    class {
      #last: RangeSet<MarkedRange> | undefined
      #isAsked = false

      constructor(view: EditorView) {
        this.#look(view)
      }

      update({ view }: ViewUpdate): void {
        this.#look(view)
      }

      #look(view: EditorView): void {
        const set = rangesIn(view.state)
        if (this.#isAsked || set === this.#last || tableMarksIn(view.state) !== undefined) return
        this.#last = set
        if (!areForTables(set)) return
        this.#isAsked = true
        import('./table-marks.ts').then(
          (module) => view.dom.isConnected && view.dispatch({ effects: loaded.of(module) }),
          () => undefined
        )
      }
    }
  )

/** Libraries that colour code and set formulas in the text: fetched when a text has some, for every editor of the page. */
import { StateEffect } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { lazyLibraries } from '../../markdown/libraries.ts'

/** A library came: what is shown without it may be drawn again. */
export const libraryCame = StateEffect.define<null>()

const views = new Set<EditorView>()

export const libraries = lazyLibraries(() => {
  for (const view of views) view.dispatch({ effects: libraryCame.of(null) })
})

export const watchLibraries = (view: EditorView): void => void views.add(view)
export const unwatchLibraries = (view: EditorView): void => void views.delete(view)

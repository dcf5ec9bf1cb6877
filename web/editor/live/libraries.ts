/** Loads the libraries that colour code and typeset formulas once a text needs them, for all editors of the page. */
import { StateEffect } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { lazyLibraries } from '../../markdown/libraries.ts'

/** A library was loaded, so that its drawings can be drawn again. */
export const libraryCame = StateEffect.define<null>()

const views = new Set<EditorView>()

export const libraries = lazyLibraries(() => {
  for (const view of views) view.dispatch({ effects: libraryCame.of(null) })
})

export const watchLibraries = (view: EditorView): void => void views.add(view)
export const unwatchLibraries = (view: EditorView): void => void views.delete(view)

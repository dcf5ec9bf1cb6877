/** Loads the libraries that color code and typeset formulas when a document needs them. All editors of the page share them. */
import { StateEffect } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { lazyLibraries } from '../../markdown/libraries.ts'

/** Reports that a library has loaded, so that the drawings that need it are drawn again. */
export const libraryCame = StateEffect.define<null>()

const views = new Set<EditorView>()

export const libraries = lazyLibraries(() => {
  for (const view of views) view.dispatch({ effects: libraryCame.of(null) })
})

export const watchLibraries = (view: EditorView): void => void views.add(view)
export const unwatchLibraries = (view: EditorView): void => void views.delete(view)

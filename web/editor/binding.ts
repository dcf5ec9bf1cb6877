/**
 * Maps positions between the text of the document and the text in the editor. The two differ while edits are only suggested
 * (web/review/suggestions/suggesting.ts).
 */
import { Annotation, Facet, type EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { UndoManager } from 'yjs'

/** The steps of one kind, such as changes to the text, or decisions. */
export interface Steps {
  /** Returns the time at which the newest step was made. Undefined if there is no step. */
  madeAt(): number | undefined
  /** Returns the time at which the last step was taken back. Undefined if there is nothing to repeat. */
  undoneAt(): number | undefined
  /** Takes back the newest step. Returns false if that changed nothing. The step is removed in both cases. */
  undo(): boolean
  /** Repeats the step that was taken back last. Returns false if that changed nothing. The step is removed in both cases. */
  redo(): boolean
}

/** Undo and redo of all steps of this page, and not only of changes to the text. */
export interface OwnUndo {
  /** Returns false if there is nothing to do. */
  undo(): boolean
  redo(): boolean
  /** Returns the time of the last step that undo can take back, as a count of steps. */
  last(): number
  /** Adds another kind of steps. */
  add(steps: Steps): void
  /** Returns the time of a new step that is not a change to the text. There is then nothing to redo. Text that is typed from now on is another step. */
  made(): number
  /** Returns the time at which a step is taken back or repeated. */
  now(): number
  /**
   * Called when the person takes back or repeats a step for which the service writes the text. It may write text of earlier steps again. Presses of the
   * undo and redo keys wait until `done` is settled.
   */
  rewrites(done?: Promise<unknown>): void
}

export interface TextMap {
  /** Maps an offset in the document's text to an offset in the editor's text. */
  shown(at: number): number
  /** Maps an offset in the editor's text to an offset in the document's text. */
  stored(at: number): number
}

const same: TextMap = { shown: (at) => at, stored: (at) => at }

/** The map in use. Offsets are equal unless an extension provides another map. */
export const textMap = Facet.define<TextMap, TextMap>({ combine: ([map]) => map ?? same })

/** Whether the text in the editor is not the text of the document, because edits are only suggested. */
export const isSuggesting = (state: EditorState): boolean => state.facet(textMap) !== same

/** Undo and redo of a page that has steps besides its changes to the text. */
export const ownUndo = Facet.define<OwnUndo, OwnUndo | undefined>({ combine: ([own]) => own })

/**
 * Ticks or unticks the task whose character is at an offset of the editor's text, in another way than by a change of that text. Returns false if it
 * does not.
 */
export const taskTick = Facet.define<(view: EditorView, letter: number) => boolean, (view: EditorView, letter: number) => boolean>({
  combine: ([tick]) => tick ?? (() => false)
})

/** Ends the current undo step, so that the next change begins a new one. */
export const endStep = Facet.define<(view: EditorView) => void, (view: EditorView) => void>({
  combine: ([end]) => end ?? (() => undefined)
})

/** Marks a change that becomes part of the last undo step, such as the removal of everything that this step inserted. */
export const inLastStep = Annotation.define<true>()

/** Makes the changes of `run` one undo step, separate from text typed just before or after it. */
export function asOneStep<Made>(view: EditorView, run: () => Made): Made {
  view.state.facet(endStep)(view)
  const made = run()
  view.state.facet(endStep)(view)
  return made
}

/** The steps of the changes to the document's text. */
export const textSteps = Facet.define<UndoManager, UndoManager | undefined>({ combine: ([undo]) => undo })

/** Turns interactions with a component into changes to the editor. Each interaction of a person is one transaction and one undo step. */
import type { EditorView } from '@codemirror/view'
import * as Y from 'yjs'
import { type Result, resultOf } from '../../shared/components/result.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import { applyEdits, type Edit } from '../../shared/text/diff.ts'
import { endStep, textSteps } from '../editor/binding.ts'
import type { ComponentInput } from './input.ts'

/** Merges edits into one change of all the lines that they touch, because people accept or reject an interaction as a whole. */
export const asOne = (source: string, edits: readonly Edit[]): Edit => {
  const [first, last] = [edits[0] as Edit, edits.at(-1) as Edit]
  const from = source.lastIndexOf('\n', first.from - 1) + 1
  const end = source.indexOf('\n', last.to)
  const to = end === -1 ? source.length : end
  const inside = edits.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }))
  return { from, to, insert: applyEdits(source.slice(from, to), inside) }
}

type Step = Y.UndoManager['undoStack'][number]

/** The undo steps of components, for each page. */
const stepsOf = new WeakMap<Y.UndoManager, WeakSet<Step>>()

/** Marks the last undo step as one of a component. Its undo does not go back to the caret, which may be far away in the text. */
function forgetCaret(undo: Y.UndoManager): void {
  const steps = stepsOf.get(undo) ?? new WeakSet()
  const note = (step: Step | undefined): void => {
    if (step === undefined) return
    steps.add(step)
    step.meta.clear()
  }
  if (!stepsOf.has(undo))
    undo.doc.on('afterTransaction', ({ origin }) => {
      const taken = origin === undo ? undo.currStackItem : null
      if (taken !== null && steps.has(taken)) note((undo.undoing ? undo.redoStack : undo.undoStack).at(-1))
    })
  stepsOf.set(undo, steps)
  note(undo.undoStack.at(-1))
}

/** Applies edits to the editor. Returns false if the person may not write or if there is nothing to change. */
export function actOn(view: EditorView, edits: readonly Edit[]): boolean {
  if (view.state.readOnly || edits.length === 0) return false
  const before = view.state.doc
  const end = view.state.facet(endStep)
  end(view)
  view.dispatch({
    changes: [...edits],
    userEvent: 'input.fence'
  })
  const undo = view.state.facet(textSteps)
  if (undo !== undefined && view.state.doc !== before) forgetCaret(undo)
  end(view)
  return view.state.doc !== before
}

/** Makes the last undo step a part of the steps that wrote the text that it replaced. If they are undone, the new text goes as well. */
export function joinEarlierSteps({ undoStack }: Y.UndoManager): void {
  const last = undoStack.pop()
  if (last === undefined) return
  const replaced = [...last.deletions.clients].flatMap(([client, ranges]) => ranges.map(({ clock }) => Y.createID(client, clock)))
  for (const step of undoStack)
    if (replaced.some((id) => Y.isDeleted(step.insertions, id))) step.insertions = Y.mergeDeleteSets([step.insertions, last.insertions])
}

/** Applies edits that the page makes by itself. They are no undo steps, because the person would not see these steps being undone. */
export function actUnasked(view: EditorView, edits: readonly Edit[]): boolean {
  const undo = view.state.facet(textSteps)
  let isDone = false
  for (const edit of edits.toReversed()) {
    if (!actOn(view, [edit])) continue
    isDone = true
    if (undo !== undefined) joinEarlierSteps(undo)
  }
  return isDone
}

/** Applies a change that a session requested to the current state of the component. `edits` returns undefined if the part no longer exists. */
export function applyChange(input: ComponentInput, edits: (now: Fence) => readonly Edit[] | undefined): Result {
  const asked: (readonly Edit[] | undefined)[] = []
  const isDone = input.act((now) => {
    const wanted = edits(now)
    asked.push(wanted)
    return wanted ?? []
  })
  return asked.length === 0 ? 'closed' : resultOf(asked[0], isDone)
}

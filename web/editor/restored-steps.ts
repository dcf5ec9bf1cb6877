/**
 * Undo and redo next to text that a decision on a suggestion removed and restored. The service writes restored text again, so Yjs takes it for other
 * text: undo would find nothing to remove, and redo would insert words in the wrong order. These steps are therefore taken back by comparing texts.
 * The result is exact. If others have changed the same place, Yjs takes the step back.
 */
import type { Text } from '@codemirror/state'
import type * as Y from 'yjs'
import { coarseDiff, diff, type Edit, followed } from '../../shared/text/diff.ts'
import type { Step } from './undo-gaps.ts'

/** Number of steps, in each direction, whose texts are kept. */
const stepsMax = 200

/** The text before and after a step. */
interface Change {
  readonly before: Text
  readonly after: Text
}

/** Returns the edits of `now` that take a change back. Undefined if others have changed the same place. */
function editsBack({ before, after }: Change, now: string): readonly Edit[] | undefined {
  const [old, young] = [before.toString(), after.toString()]
  return followed(diff(young, old), coarseDiff(young, now))
}

export interface RestoredSteps {
  /** Called when the person undoes or repeats a decision, because the service may then write the text of the current steps again. */
  mark(): void
  /** Returns false if the text of a decision must arrive before the next step can be taken back exactly. */
  fits(which: 'undo' | 'redo'): boolean
  /** Takes back the last step. Returns false if Yjs must do it. */
  undo(): boolean
  /** Repeats the step that was taken back last. Returns false if Yjs must do it. */
  redo(): boolean
  close(): void
}

/** `now` returns the text of the document. `onChanged` is called with the offset of the end of the changed place. */
export function openRestoredSteps(undo: Y.UndoManager, text: Y.Text, now: () => Text, onChanged: (at: number) => void): RestoredSteps {
  const changes = new WeakMap<Step, Change>()
  const marked = new WeakSet<Step>()
  let last = now()

  const added = ({ stackItem }: { readonly stackItem: Step }): void => {
    changes.set(stackItem, { before: last, after: now() })
    for (const { [undo.undoStack.length - stepsMax]: old } of [undo.undoStack, undo.redoStack]) if (old !== undefined) changes.delete(old)
  }
  const updated = ({ stackItem }: { readonly stackItem: Step }): void => {
    const change = changes.get(stackItem)
    if (change?.after === last) changes.set(stackItem, { before: change.before, after: now() })
    // Others have changed the text during the step.
    else changes.delete(stackItem)
  }
  const follow = (): void => void (last = now())
  undo.on('stack-item-added', added)
  undo.on('stack-item-updated', updated)
  text.doc?.on('afterTransaction', follow)

  /** Returns the edits for the next step. Undefined if Yjs must take it back, because it is not a marked one or others have changed its place. */
  const editsFor = (stack: readonly Step[]): { readonly isMarked: boolean; readonly edits?: readonly Edit[] | undefined } => {
    const step = stack.at(-1)
    const change = step && changes.get(step)
    if (step === undefined || change === undefined || !marked.has(step)) return { isMarked: false }
    return { isMarked: true, edits: editsBack(change, now().toString()) }
  }
  const take = (stack: Step[], opposite: readonly Step[], flag: 'undoing' | 'redoing'): boolean => {
    const { edits } = editsFor(stack)
    if (edits === undefined) return false
    stack.pop()
    undo[flag] = true
    try {
      text.doc?.transact(() => {
        for (const { from, to, insert } of edits.toReversed()) {
          text.delete(from, to - from)
          text.insert(from, insert)
        }
      }, undo)
    } finally {
      undo[flag] = false
    }
    const made = opposite.at(-1)
    if (made !== undefined) marked.add(made)
    onChanged(edits.reduce((shift, { from, to, insert }) => shift + insert.length - (to - from), edits.at(-1)?.to ?? 0))
    return true
  }

  return {
    mark() {
      for (const step of [...undo.undoStack, ...undo.redoStack]) marked.add(step)
    },
    fits(which) {
      const { isMarked, edits } = editsFor(which === 'undo' ? undo.undoStack : undo.redoStack)
      return !isMarked || edits !== undefined
    },
    undo: () => take(undo.undoStack, undo.redoStack, 'undoing'),
    redo: () => take(undo.redoStack, undo.undoStack, 'redoing'),
    close() {
      undo.off('stack-item-added', added)
      undo.off('stack-item-updated', updated)
      text.doc?.off('afterTransaction', follow)
    }
  }
}

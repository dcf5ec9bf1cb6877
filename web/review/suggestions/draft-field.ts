/** The changes that a person has typed while suggesting, and the text of the document to which they apply. */
import { Annotation, ChangeSet, StateField, type EditorState, type Text } from '@codemirror/state'
import type { Range } from '../../../shared/text/targets.ts'
import { textMap } from '../../editor/binding.ts'
import { suggestedChanges } from './annotation-ranges.ts'
import { byWord, closest, hunksOf, withoutSame, type Hunk } from './hunks.ts'

interface Drafts {
  /** The text of the document. */
  readonly base: Text
  /** The changes from the document's text to the text in the editor. */
  readonly changes: ChangeSet
}

/** A change to the document by others: the new text, and the changes from it to the text in the editor. */
export const ofOthers = Annotation.define<Drafts>()
/** The changes that remain after other changes have been sent or withdrawn. */
export const left = Annotation.define<ChangeSet>()

const known = new WeakMap<ChangeSet, Drafts>()

/** Returns the changes in a form that maps positions. The result stays the same object until the changes change. */
function closestOf({ base, changes }: Drafts): Drafts {
  const found = known.get(changes) ?? { base, changes: closest(base, changes) }
  known.set(changes, found)
  return found
}

export const draftField = StateField.define<Drafts>({
  create: ({ doc }) => ({ base: doc, changes: ChangeSet.empty(doc.length) }),
  update(drafts, transaction) {
    const { base, changes } = drafts
    const rest = transaction.annotation(left)
    if (rest !== undefined) return { base, changes: rest }
    const theirs = transaction.annotation(ofOthers)
    if (theirs !== undefined) return theirs
    return transaction.docChanged ? { base, changes: withoutSame(base, changes.compose(transaction.changes)) } : drafts
  },
  provide: (self) => [
    suggestedChanges.compute([self], (state) => closestOf(state.field(self))),
    textMap.computeN([suggestedChanges], (state) => {
      const changes = state.facet(suggestedChanges)?.changes ?? ChangeSet.empty(state.doc.length)
      return [{ shown: (at) => changes.mapPos(Math.min(at, changes.length), 1), stored: (at) => storedAt(changes, at) }]
    })
  ]
})

function storedAt(changes: ChangeSet, at: number): number {
  return changes.invertedDesc.mapPos(Math.min(at, changes.newLength), -1)
}

/** Returns the text of the document, which may differ from the text in the editor. */
export const storedText = (state: EditorState): Text => state.field(draftField, false)?.base ?? state.doc

/** Returns the typed changes that have not been sent. */
export function draftsOf(state: EditorState): readonly Hunk[] {
  const found = state.field(draftField, false)
  return found === undefined ? [] : byWord(found.base, hunksOf(found.base, found.changes))
}

/** Whether a range of the document's text touches no change in the editor. */
export const isUnchanged = (state: EditorState, { from, to }: Range): boolean =>
  state.field(draftField, false)?.changes.touchesRange(from, to) === false

/** Follows the words of annotations that are deleted and return, or go elsewhere. This part of the page loads after the annotations. */
import type { Transaction } from '@codemirror/state'
import type { EditorView, ViewUpdate } from '@codemirror/view'
import { ySyncAnnotation } from 'y-codemirror.next'
import type * as Y from 'yjs'
import { textSteps } from '../../editor/binding.ts'
import { countIn, documentChangeOf, setAnnotations, storedRangesIn } from '../suggestions/annotation-ranges.ts'
import { storedText } from '../suggestions/draft-field.ts'
import type { Annotation } from '../suggestions/marked-range.ts'
import { openCarrying } from './carrying.ts'
import { openReturning } from './returning.ts'

export interface Following {
  /** Notes the characters of the annotations that this person deletes. Call it before the binding deletes them in the document. */
  note(update: ViewUpdate): void
  /** Brings annotations back whose text returned or moved in a transaction. Returns false if there are none. */
  bringBack(transaction: Transaction): boolean
}

/** `annotationsOf` returns which of these annotations, by id, are open and have no range. */
export function openFollowing(
  view: EditorView,
  text: Y.Text,
  annotationsOf: (ids: ReadonlyMap<string, unknown>) => ReadonlyMap<string, Annotation>
): Following {
  const returning = openReturning()
  const { note, carry } = openCarrying(text)
  let isPasting = false
  // Components handle their own pastes, which the editor does not see. Nearly every paste makes its change at once.
  view.dom.addEventListener(
    'paste',
    () => {
      isPasting = true
      setTimeout(() => (isPasting = false))
    },
    true
  )
  return {
    note,
    bringBack(transaction) {
      const change = documentChangeOf(transaction)
      if (change === undefined || change.empty) return false
      const { startState, state } = transaction
      // Few changes delete the text of an annotation, so the ranges are seldom compared.
      const there = countIn(state) < countIn(startState) ? storedRangesIn(state) : undefined
      const gone = there === undefined ? [] : [...storedRangesIn(startState)].filter(([id]) => !there.has(id))
      const isOwn = transaction.annotation(ySyncAnnotation) === undefined
      const steps = state.facet(textSteps)
      // Undo and redo may take back a cut and a paste one after the other.
      const isPaste = isPasting || transaction.isUserEvent('input.paste') || steps?.undoing === true || steps?.redoing === true
      const back = new Map(returning.follow({ before: storedText(startState), change, gone, isOwn, isPaste }))
      if (back.size === 0) return false
      const annotations = annotationsOf(back)
      const put = [...back].flatMap(([id, span]) => {
        const annotation = annotations.get(id)
        return annotation === undefined ? [] : [{ annotation, id, span }]
      })
      if (put.length === 0) return false
      view.dispatch({ effects: setAnnotations.of(put) })
      if (isOwn && view.state.doc === state.doc) carry(state.doc, put)
      return true
    }
  }
}

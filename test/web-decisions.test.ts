/** The undo and redo keys for decisions on suggestions. */
import { history, redo, redoDepth, undo, undoDepth } from '@codemirror/commands'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView, ViewUpdate } from '@codemirror/view'
import { EditorView as View } from '@codemirror/view'
import { expect, test } from 'vitest'
import { undoSteps } from '../web/editor/binding.ts'
import { openDecisions } from '../web/review/annotations/decisions.ts'

/** A page on which a person types and decides. Everything that the service would do is recorded in `asked`. */
function page() {
  let state = EditorState.create({ extensions: [history({ newGroupDelay: 0 }), undoSteps.of(() => undoDepth(state))] })
  const asked: string[] = []
  const gone = new Set<string>()
  const view = {
    get state() {
      return state
    }
  } as EditorView
  const decide = (action: 'accept' | 'reject' | 'reopen', ids: readonly string[]): void => {
    asked.push(`${action} ${ids.join()}`)
    decisions.asked(action, ids)
  }
  const decisions = openDecisions({ view, decide, isOpen: (id) => !gone.has(id) })
  const listeners = EditorState.create({ extensions: decisions.extension }).facet(View.updateListener)
  const dispatch = (...specs: TransactionSpec[]): void => {
    const transaction = state.update(...specs)
    state = transaction.state
    for (const listen of listeners) listen({ transactions: [transaction] } as unknown as ViewUpdate)
  }
  /** Undo and redo of the binding have no user event. */
  const run = (command: typeof undo): boolean => command({ state, dispatch: (transaction) => (state = transaction.state) })
  return {
    asked,
    gone,
    decide,
    type: (text: string) => dispatch({ changes: { from: state.doc.length, insert: text }, userEvent: 'input.type' }),
    undo: () => decisions.undo() || run(undo),
    redo: () => decisions.redo() || (redoDepth(state) > 0 && run(redo)),
    text: () => state.doc.toString(),
    close: decisions.close
  }
}

test('[UNDO-10] redo repeats an undone decision, in the order of the typing before and after it', () => {
  const { asked, decide, type, undo: back, redo: again, text, close } = page()
  type('a')
  decide('accept', ['s1'])
  type('b')
  for (const step of ['a', 'a', '']) expect([back(), text()]).toEqual([true, step])
  expect(asked).toEqual(['accept s1', 'reopen s1'])
  expect([again(), text(), asked.length]).toEqual([true, 'a', 2])
  expect([again(), text(), asked.at(-1)]).toEqual([true, 'a', 'accept s1'])
  expect([again(), text(), again()]).toEqual([true, 'ab', false])
  // The decision that was made again can be undone again.
  expect([back(), back(), asked.at(-1), text()]).toEqual([true, true, 'reopen s1', 'a'])
  close()
})

test('[UNDO-10] several undone decisions are made again one by one, the last undone first', () => {
  const { asked, decide, undo: back, redo: again, close } = page()
  decide('accept', ['s1', 's2'])
  decide('reject', ['s3'])
  back()
  back()
  expect([again(), again(), again()]).toEqual([true, true, false])
  expect(asked.slice(4)).toEqual(['accept s1,s2', 'reject s3'])
  close()
})

test('[UNDO-10] there is nothing to redo after typing, after a later decision, and for a suggestion that others decided', () => {
  const { asked, gone, decide, type, undo: back, redo: again, close } = page()
  decide('accept', ['s1'])
  back()
  type('a')
  back()
  expect([again(), again()]).toEqual([true, false])
  decide('accept', ['s1'])
  back()
  decide('reject', ['s1'])
  expect(again()).toBe(false)
  back()
  gone.add('s1')
  expect(again()).toBe(false)
  expect(asked).toEqual(['accept s1', 'reopen s1', 'accept s1', 'reopen s1', 'reject s1', 'reopen s1'])
  close()
})

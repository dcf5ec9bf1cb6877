/** The undo and redo keys for decisions on suggestions, together with the changes to the text. */
import { history, isolateHistory } from '@codemirror/commands'
import { EditorState, Text, Transaction, type TransactionSpec } from '@codemirror/state'
import type { EditorView, ViewUpdate } from '@codemirror/view'
import { signal } from '@preact/signals'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { endStep, textSteps } from '../web/editor/binding.ts'
import { openRestoredSteps } from '../web/editor/restored-steps.ts'
import { openUndoOrder } from '../web/editor/undo-order.ts'
import { restoreStepsOf } from '../web/history/restore-steps.ts'
import { openDecisions } from '../web/review/annotations/decisions.ts'
import type { Suggestion } from '../web/review/outbox/records.ts'
import { openRefusedDecisions } from '../web/review/outbox/refused-decisions.ts'
import type { Output } from '../shared/operations/index.ts'
import { leftWords } from '../web/review/outbox/refusals.ts'
import { openTypedSteps } from '../web/review/suggestions/typed-steps.ts'
import { twoCopies } from './support/two-copies.ts'

/** A page on which a person types and decides. Everything that the service would do is recorded in `asked`. */
function page() {
  const text = new Y.Doc().getText()
  const undo = new Y.UndoManager(text)
  const state = EditorState.create({ extensions: [textSteps.of(undo), endStep.of(() => undo.stopCapturing())] })
  const asked: string[] = []
  const gone = new Set<string>()
  /** Suggestions that others decided. */
  const decided = new Map<string, 'accept' | 'reject'>()
  let canEdit = true
  const decide = (action: 'accept' | 'reject' | 'reopen', ids: readonly string[]): void => {
    asked.push(`${action} ${ids.join()}`)
    decisions.asked(action, ids)
  }
  const order = openUndoOrder({ view: { state }, canEdit: () => canEdit })
  const decisions = openDecisions({ order, decide, isOpen: (id) => !gone.has(id), decisionOn: (id) => decided.get(id) })
  return {
    asked,
    gone,
    decided,
    decide,
    order,
    /** Each call is a step of its own. */
    type(typed: string) {
      undo.stopCapturing()
      text.insert(text.length, typed)
    },
    lower: () => (canEdit = false),
    undo: order.undo,
    redo: order.redo,
    text: () => text.toString(),
    close() {
      decisions.close()
      order.close()
      undo.destroy()
    }
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

test('[REVIEW-130] the notice says how many of several suggestions could not be decided, and names each reason once', () => {
  const changed = { code: 'target_changed', message: 'The target has changed.' }
  expect(leftWords('accept', [changed])).toBe('1 could not be accepted: the text has changed.')
  const opposite = { code: 'already_decided', message: 'It was decided.' }
  const newer = { code: 'suggestion_changed', message: 'It has changed.' }
  expect(leftWords('accept', [changed, opposite, changed, newer])).toBe(
    '4 could not be accepted: the text has changed; someone else made the opposite decision; the suggestion has changed.'
  )
  expect(leftWords('reject', [opposite, { code: 'other', message: 'The server said no.' }])).toBe(
    '2 could not be rejected: someone else made the opposite decision; The server said no.'
  )
  expect(leftWords('reopen', [changed])).toBe('1 could not be undone: the text has changed.')
})

test('[SUGG-92] [SUGG-93] a rejection also applies if the author types on meanwhile; any other decision on a changed suggestion says why not', () => {
  const suggestions = signal<ReadonlyMap<string, Suggestion>>(new Map())
  const put = (step: number, text: string): Suggestion => {
    const suggestion = { id: 's1', status: 'pending', operation: 'insert', original: '', step, text } as Suggestion
    suggestions.value = new Map([['s1', suggestion]])
    return suggestion
  }
  const said: string[] = []
  const refused = openRefusedDecisions({
    suggestions,
    onSuggestion: (suggestion) => suggestion && put(suggestion.step ?? 0, suggestion.text),
    onDecided: (action) => said.push(action),
    onUndecided: (_ids, words) => said.push(words ?? ''),
    rejectAgain: (ids, reason) => said.push(`again ${ids.join()} ${suggestions.value.get('s1')?.step} ${reason}`)
  })
  /** Decides on the version `seen`. The service refuses, because it has another text. */
  const answer = (action: 'accept' | 'reject', step: number, text: string): string | undefined => {
    const decided = { kind: 'decide', action, suggestions: ['s1'], steps: { s1: step }, reason: 'why' } as const
    const suggestion = { ...put(step + 1, text) }
    const results = [{ suggestionId: 's1', ok: false, code: 'target_changed', message: 'It has changed.', suggestion }]
    refused.take(decided, { ok: false, results } as unknown as Output<'decideSuggestions'>)
    return said.pop()
  }
  put(1, 'Alpha bra')
  refused.clear(['s1'])
  expect(answer('reject', 1, 'Alpha bravo')).toBe('again s1 2 why')
  expect(refused.refusals.value.size).toBe(0)
  const why = 'The suggestion has changed. Check it again.'
  expect(answer('accept', 2, 'Alpha bravo c')).toBe(why)
  expect(refused.refusals.value.get('s1')).toBe(why)
  expect(answer('reject', 3, 'Other words')).toBe(why)
  // It does not go on forever.
  put(1, 'Alpha')
  refused.clear(['s1'])
  const answers = Array.from({ length: 8 }, (_each, index) => answer('reject', index + 1, `Alpha${'!'.repeat(index)}`))
  expect(answers.map((each) => each === why)).toEqual([false, false, false, false, false, true, true, true])
})

test('[UNDO-32] after a new step of any kind, nothing that was undone before can be redone', () => {
  const { decide, type, undo: back, redo: again, text, close } = page()
  type('a')
  type('b')
  back()
  decide('accept', ['s1'])
  expect([again(), text()]).toEqual([false, 'a'])
  expect([back(), again(), again(), text()]).toEqual([true, true, false, 'a'])
  close()
})

test('[UNDO-33] a person who may no longer edit cannot undo or redo changes to the text', () => {
  const { asked, decide, type, lower, undo: back, redo: again, text, close } = page()
  type('a')
  decide('accept', ['s1'])
  type('b')
  back()
  lower()
  expect([again(), text()]).toEqual([false, 'a'])
  expect([back(), asked.at(-1)]).toEqual([true, 'reopen s1'])
  expect([back(), text()]).toEqual([false, 'a'])
  close()
})

test('[UNDO-30] typing in one suggestion before and after a decision is undone and redone in order', () => {
  let state = EditorState.create({
    extensions: [history(), endStep.of((editor) => editor.dispatch({ annotations: isolateHistory.of('full') }))]
  })
  const view = {
    get state() {
      return state
    },
    dispatch(...specs: [Transaction] | TransactionSpec[]) {
      const [first] = specs
      const transaction = first instanceof Transaction ? first : state.update(...(specs as TransactionSpec[]))
      state = transaction.state
      typed.follow({ state, docChanged: transaction.docChanged, transactions: [transaction] } as unknown as ViewUpdate)
    }
  } as EditorView
  const order = openUndoOrder({ view, canEdit: () => true })
  const typed = openTypedSteps(view, order)
  order.add(typed)
  const asked: string[] = []
  const decide = (action: 'accept' | 'reject' | 'reopen', ids: readonly string[]): void => {
    asked.push(action)
    decisions.asked(action, ids)
  }
  const decisions = openDecisions({ order, decide, isOpen: () => true, decisionOn: () => undefined })
  const type = (insert: string): void => view.dispatch({ changes: { from: state.doc.length, insert }, userEvent: 'input.type' })
  const now = (): string => `${state.doc.toString()} ${asked.at(-1) ?? ''}`
  type('a')
  decide('accept', ['s1'])
  type('b')
  const steps = (step: () => boolean): string[] => [1, 2, 3].map(() => (step() ? now() : 'nothing'))
  expect(steps(order.undo)).toEqual(['a accept', 'a reopen', ' reopen'])
  expect(steps(order.redo)).toEqual(['a reopen', 'a accept', 'ab accept'])
  expect([order.redo(), order.undo(), now()]).toEqual([false, true, 'a accept'])
  // The history keeps about 100 steps. The decision is older than all of them.
  for (let step = 0; step < 130; step++) {
    view.state.facet(endStep)(view)
    type('c')
  }
  for (let step = 0; step < 200 && asked.at(-1) === 'accept'; step++) order.undo()
  expect(now()).toMatch(/^ac* reopen$/)
  expect(order.undo()).toBe(false)
  decisions.close()
})

test('[UNDO-41] presses of the undo and redo keys wait while the service carries out a decision, and keep their order', async () => {
  const { own: text, other, exchange } = twoCopies('apples')
  const theirs = (from: number, length: number, by: string): void => {
    exchange()
    other.doc?.transact(() => {
      other.delete(from, length)
      other.insert(from, by)
    })
    exchange()
  }
  const undo = new Y.UndoManager(text, { captureTimeout: 0 })
  const state = EditorState.create({ extensions: [textSteps.of(undo), endStep.of(() => undo.stopCapturing())] })
  let isDeciding = false
  const now = (): Text => Text.of(text.toString().split('\n'))
  const restored = openRestoredSteps(undo, text, now, () => undefined)
  const order = openUndoOrder({ view: { state }, canEdit: () => true, restored, isDeciding: () => isDeciding })
  const asked: string[] = []
  const decisions = openDecisions({
    order,
    decide(action, ids) {
      asked.push(action)
      isDeciding = true
      decisions.asked(action, ids)
    },
    isOpen: () => true,
    decisionOn: () => undefined
  })
  const settle = (): void => {
    isDeciding = false
    order.settled()
  }
  decisions.asked('accept', ['s1'])
  theirs(0, 6, 'kiwi')
  text.insert(4, '!')
  for (let press = 0; press < 2; press++) order.undo()
  expect([text.toString(), asked]).toEqual(['kiwi', ['reopen']])
  // Two presses wait for the service.
  for (let press = 0; press < 2; press++) expect(order.redo()).toBe(true)
  expect(asked).toEqual(['reopen'])
  theirs(0, 4, 'apples')
  settle()
  expect([text.toString(), asked]).toEqual(['apples', ['reopen', 'accept']])
  // The confirmation arrives before the text.
  settle()
  expect(text.toString()).toBe('apples')
  theirs(0, 6, 'kiwi')
  await Promise.resolve()
  expect(text.toString()).toBe('kiwi!')
  // A new step ends the waiting.
  order.undo()
  order.undo()
  order.redo()
  exchange()
  text.insert(0, '-')
  theirs(1, 4, 'apples')
  settle()
  expect([text.toString(), asked.at(-1)]).toEqual(['-apples', 'reopen'])
  decisions.close()
  order.close()
  undo.destroy()
})

test('[UNDO-42] undo takes back the reopening of a suggestion that was decided elsewhere, and redo reopens it again', () => {
  const { asked, decided, decide, type, undo: back, redo: again, text, close } = page()
  type('a')
  decided.set('s1', 'accept').set('s2', 'reject')
  decide('reopen', ['s1', 's2'])
  type('b')
  expect([back(), text()]).toEqual([true, 'a'])
  for (const wanted of ['reject s2', 'accept s1']) expect([back(), asked.at(-1)]).toEqual([true, wanted])
  expect([back(), text(), back()]).toEqual([true, '', false])
  expect([again(), text()]).toEqual([true, 'a'])
  for (const wanted of ['reopen s1', 'reopen s2']) expect([again(), asked.at(-1)]).toEqual([true, wanted])
  expect([again(), text(), again()]).toEqual([true, 'ab', false])
  expect([back(), back(), asked.at(-1)]).toEqual([true, true, 'reject s2'])
  close()
})

test('[UNDO-43] undo and redo take back restores of versions in the order of all steps, and wait for the service', async () => {
  const { asked, decide, type, order, undo: back, redo: again, text, close } = page()
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) await Promise.resolve()
  }
  let isRefused = false
  const told = (what: string): Promise<void> => {
    asked.push(what)
    return isRefused ? Promise.reject(new Error('refused')) : Promise.resolve()
  }
  const restores = restoreStepsOf(order)
  expect(restoreStepsOf(order)).toBe(restores)
  const step = { back: () => told('back'), again: () => told('again') }
  type('a')
  restores.add(step)
  type('b')
  decide('accept', ['s1'])
  for (let press = 0; press < 4; press++) back()
  // The last press waits for the service.
  expect([text(), asked]).toEqual(['a', ['accept s1', 'reopen s1', 'back']])
  await settle()
  expect(text()).toBe('')
  for (let press = 0; press < 4; press++) again()
  expect([text(), asked.at(-1)]).toEqual(['a', 'again'])
  await settle()
  expect([text(), asked.at(-1)]).toEqual(['ab', 'accept s1'])
  // A refused undo cannot be repeated. The notice can undo a restore that is not the newest step.
  isRefused = true
  restores.takeBack(step)
  await settle()
  const { length } = asked
  expect([back(), back(), text(), back(), text(), back()]).toEqual([true, true, 'a', true, '', false])
  expect(asked.slice(length)).toEqual(['reopen s1'])
  close()
})

/** Undo and redo of typing next to text that the service removed and wrote again. */
import { Text } from '@codemirror/state'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { openRestoredSteps } from '../web/editor/restored-steps.ts'
import { twoCopies } from './support/two-copies.ts'

const plan = 'I like apples and pears.'

/** A page on which a person types, and the copy of the service, which writes the text of decisions. */
function pages(start = plan) {
  const { own, other, exchange } = twoCopies(start)
  const undo = new Y.UndoManager(own, { captureTimeout: 0 })
  const carets: number[] = []
  const steps = openRestoredSteps(
    undo,
    own,
    () => Text.of(own.toString().split('\n')),
    (at) => carets.push(at)
  )
  const replace = (text: Y.Text, words: string, by: string): void => {
    const at = text.toString().indexOf(words)
    text.doc?.transact(() => {
      text.delete(at, words.length)
      text.insert(at, by)
    })
    exchange()
  }
  const done = (isDone: boolean): boolean => {
    exchange()
    return isDone
  }
  return {
    steps,
    carets,
    text: () => own.toString(),
    write: (words: string, by: string) => replace(own, words, by),
    /** The text of a decision, or of somebody else. */
    theirs: (words: string, by: string) => replace(other, words, by),
    back: () => done(steps.undo() || undo.undo() !== null),
    again: () => done(steps.redo() || undo.redo() !== null)
  }
}

test.each([
  ['typed after it', 'plums', 'plums, yellow'],
  ['typed before it', 'plums', 'yellow, plums'],
  ['typed within it', 'plums', 'pluXXms'],
  ['deleted', 'plums', ''],
  ['partly deleted', 'plums', 'plu'],
  ['enclosed in marks', 'plums', '**plums**'],
  ['replaced', 'plums', 'figs'],
  ['deleted with the words around it', 'like plums and', 'love']
])('[UNDO-40] redo repeats a change to accepted words after the acceptance was undone and repeated: %s', (_kind, words, by) => {
  const { steps, text, write, theirs, back, again } = pages()
  theirs('apples', 'plums')
  const accepted = text()
  write(words, by)
  const changed = text()
  for (let round = 0; round < 3; round++) {
    expect([back(), text()]).toEqual([true, accepted])
    steps.mark()
    theirs('plums', 'apples')
    steps.mark()
    theirs('apples', 'plums')
    expect([again(), text()]).toEqual([true, changed])
  }
})

test('[UNDO-40] undo removes words that the person typed, although a decision replaced and restored them', () => {
  const { steps, text, write, theirs, back, again } = pages('I like fruit')
  write('fruit', 'apples')
  write('like', 'love')
  theirs('apples', 'plums')
  steps.mark()
  theirs('plums', 'apples')
  expect([back(), text()]).toEqual([true, 'I like apples'])
  expect([back(), text()]).toEqual([true, 'I like fruit'])
  for (const words of ['I like apples', 'I love apples']) expect([again(), text()]).toEqual([true, words])
})

test('[UNDO-40] undo and redo keep what others write elsewhere, and what they write in the same place', () => {
  const { steps, text, write, theirs, back, again, carets } = pages()
  theirs('apples', 'plums')
  write('plums', 'plums, yellow')
  back()
  steps.mark()
  theirs('plums', 'apples')
  theirs('I', 'Now I')
  steps.mark()
  theirs('apples', 'plums')
  expect([again(), text(), carets.at(-1)]).toEqual([true, 'Now I like plums, yellow and pears.', 'Now I like plums, yellow'.length])
  theirs('yellow', 'green')
  back()
  expect(text()).toContain('plums')
  expect(text()).toContain('green')
})

test('[UNDO-40] while the text of a decision has not arrived, the next step does not fit', () => {
  const { steps, text, write, theirs, back, again } = pages()
  theirs('apples', 'figs?')
  write('figs?', 'figs?, yellow')
  back()
  expect(steps.fits('redo')).toBe(true)
  steps.mark()
  theirs('figs?', 'apples')
  expect(steps.fits('redo')).toBe(false)
  expect(steps.fits('undo')).toBe(true)
  theirs('apples', 'figs?')
  expect([steps.fits('redo'), again(), text()]).toEqual([true, true, 'I like figs?, yellow and pears.'])
})

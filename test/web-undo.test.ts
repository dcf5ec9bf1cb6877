/** Undo of deletions whose place in the text others have removed. */
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { exactUndo } from '../web/editor/exact-undo.ts'
import { stepRules } from '../web/editor/replaced-values.ts'
import { twoCopies } from './support/two-copies.ts'

const plan = '# Trip\n\nalpha beta gamma delta.\n\nLast line.'

/** A page on which a person deleted words, and the copy of somebody else. */
function pages(...deleted: readonly string[]) {
  const { own, other, exchange } = twoCopies(plan)
  const undo = new Y.UndoManager(own, { captureTimeout: 0 })
  exactUndo(own, undo, stepRules)
  for (const words of deleted) own.delete(own.toString().indexOf(words), words.length)
  exchange()
  const change = (run: () => void): void => {
    other.doc?.transact(run)
    exchange()
  }
  return { own, other, undo, change }
}

test.each([['gamma '], ['# Trip'], ['Last line.']])(
  '[UNDO-11] undo does not restore %j if all the text around it was removed and written again',
  (deleted) => {
    const { own, other, undo, change } = pages(deleted)
    const rest = own.toString()
    change(() => other.delete(0, other.length))
    change(() => other.insert(0, `${rest}!`))
    undo.undo()
    expect(own.toString()).toBe(`${rest}!`)
  }
)

test('[UNDO-11] several deleted words of one lost place are left out, and a step elsewhere is undone', () => {
  const { own, other, undo, change } = pages('Last', 'alpha', 'gamma ')
  const line = ' beta delta.'
  const at = other.toString().indexOf(line)
  change(() => {
    other.delete(at, line.length)
    other.insert(at, line)
  })
  for (let step = 0; step < 3; step++) undo.undo()
  // The line break before the first word has stayed.
  expect(own.toString()).toBe(plan.replace('gamma ', ''))
})

test('[UNDO-11] undo restores a text that the person deleted completely, even if others have written since', () => {
  const { own, other, undo, change } = pages(plan)
  change(() => other.insert(0, 'New.'))
  undo.undo()
  expect([`${plan}New.`, `New.${plan}`]).toContain(own.toString())
})

test('[UNDO-11] undo restores deleted words between words that their remover brought back, and next to words that stayed', () => {
  const { own, other, undo, change } = pages('gamma ')
  const others = new Y.UndoManager(other, { captureTimeout: 0 })
  change(() => other.delete(0, other.length))
  others.undo()
  change(() => undefined)
  undo.undo()
  expect(own.toString()).toBe(plan)
  own.delete(own.toString().indexOf('gamma '), 6)
  change(() => undefined)
  change(() => other.delete(other.toString().indexOf('beta '), 5))
  undo.undo()
  expect(own.toString()).toBe(plan.replace('beta ', ''))
})

test('[EDIT-94] undo does not restore a value that somebody else has replaced, and restores one that somebody else has removed', () => {
  const values = (start: string, mine: string, theirs: string | undefined, isBlind: boolean) => {
    const { own, other, undo, change } = pages()
    // The service keeps the value of the higher id.
    Object.assign(own.doc ?? {}, { clientID: 1 })
    change(() => other.insert(0, start))
    const at = start.indexOf('10')
    const replace = (text: typeof own, old: string, young: string): void => {
      text.delete(text.toString().indexOf(old, at), old.length)
      text.insert(at, young)
    }
    own.doc?.transact(() => replace(own, '10', mine))
    if (isBlind) {
      other.doc?.transact(() => replace(other, '10', theirs ?? ''))
      change(() => undefined)
      // The service removes one of the values.
      change(() => other.delete(other.toString().indexOf(mine, at), mine.length))
    } else {
      change(() => undefined)
      change(() => (theirs === undefined ? other.delete(at, mine.length) : replace(other, mine, theirs)))
    }
    undo.undo()
    return own.toString().slice(0, start.length)
  }
  for (const start of ['| 10 | 4 |', '10,4', '- [10] task', '|10|'])
    for (const isBlind of [true, false]) expect(values(start, '25', '30', isBlind)).toBe(start.replace('10', '30'))
  expect(values('| 10 | 4 |', '25', undefined, false)).toBe('| 10 | 4 |')
  expect(values('| 10 km | 4 |', '25', undefined, false)).toBe('| 10 km | 4 |')
  // Words that others wrote next to the place are no replacement of a value.
  expect(values('one 10 two', '25', '30', false)).toBe('one 1030 t')
})

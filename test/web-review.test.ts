/** Where comments stand beside the text, how places are named, and what typing that only proposes comes to. */
import { ChangeSet, Text } from '@codemirror/state'
import { expect, test } from 'vitest'
import { findWords } from '../shared/text/anchors.ts'
import { bareOf, findShown } from '../web/reading/find-words.ts'
import { byWord, hunksOf, operationOf } from '../web/review/hunks.ts'
import { pushedApart } from '../web/review/layout.ts'
import { findTarget, near, targetOf } from '../web/review/targets.ts'

const card = (at: number, height = 100): { at: number; height: number } => ({ at, height })

test('[REVIEW-20] cards stand at their words, pushed apart where they would overlap; the one that is looked at stands where it belongs', () => {
  expect(pushedApart([card(0), card(500)], -1)).toEqual([0, 500])
  expect(pushedApart([card(0), card(20), card(30)], -1)).toEqual([0, 108, 216])
  expect(pushedApart([card(300), card(320), card(330)], 2)).toEqual([114, 222, 330])
  expect(pushedApart([card(300), card(320), card(330)], 1)).toEqual([212, 320, 428])
  // Never above the page: then the one that is looked at gives way, too.
  expect(pushedApart([card(10), card(20), card(30)], 2)).toEqual([0, 108, 216])
  expect(pushedApart([], -1)).toEqual([])
  for (let round = 0; round < 200; round++) {
    const cards = Array.from({ length: 12 }, (_each, index) =>
      card(index * 37 + ((round * 31 + index * 17) % 90), 20 + ((round + index * 7) % 60))
    )
    const sorted = cards.toSorted((one, other) => one.at - other.at)
    const tops = pushedApart(sorted, (round % 13) - 1)
    for (const [index, top] of tops.entries()) {
      expect(top).toBeGreaterThanOrEqual(0)
      if (index > 0) expect(top).toBeGreaterThanOrEqual((tops[index - 1] ?? 0) + (sorted[index - 1]?.height ?? 0) + 8)
    }
  }
})

const changed = (text: string, ...edits: readonly { from: number; to?: number; insert?: string }[]) => {
  const base = Text.of(text.split('\n'))
  const changes = edits.reduce<ChangeSet>(
    (before, edit) =>
      before.compose(ChangeSet.of([{ from: edit.from, to: edit.to ?? edit.from, insert: edit.insert ?? '' }], before.newLength)),
    ChangeSet.empty(base.length)
  )
  return byWord(base, hunksOf(base, changes)).map(({ original, text: proposed, from, to }) => ({ original, text: proposed, from, to }))
}

test('[REVIEW-21] what is typed comes to one change a run, of whole words where words changed; what says the same is none', () => {
  expect(changed('every file twice, slow', { from: 11, to: 16 }, { from: 11, insert: 'o' }, { from: 12, insert: 'nce' })).toEqual([
    { original: 'twice', text: 'once', from: 11, to: 16 }
  ])
  expect(changed('one two three', { from: 4, to: 8 })).toEqual([{ original: 'two ', text: '', from: 4, to: 8 }])
  expect(changed('one two', { from: 7, insert: ' three' })).toEqual([{ original: '', text: ' three', from: 7, to: 7 }])
  expect(changed('one two', { from: 4, to: 7 }, { from: 4, insert: 'two' })).toEqual([])
  expect(changed('one two', { from: 3, insert: 'x' }, { from: 3, to: 4 })).toEqual([])
  // Two changes of one word are one; those of two words are two.
  expect(changed('recieve it', { from: 3, to: 4, insert: 'e' }, { from: 4, to: 5, insert: 'i' })).toEqual([
    { original: 'ie', text: 'ei', from: 3, to: 5 }
  ])
  expect(changed('abcdefg', { from: 1, to: 2, insert: 'x' }, { from: 5, to: 6, insert: 'y' })).toEqual([
    { original: 'bcdef', text: 'xcdey', from: 1, to: 6 }
  ])
  expect(changed('one two three', { from: 0, insert: 'x' }, { from: 5, insert: 'y' })).toHaveLength(2)
  // Pasted over all: only the words that differ.
  expect(changed('a cat sat here', { from: 0, to: 14, insert: 'a dog sat here' })).toEqual([
    { original: 'cat', text: 'dog', from: 2, to: 5 }
  ])
  expect(operationOf({ original: '', text: 'x' })).toBe('insert')
  expect(operationOf({ original: 'x', text: '' })).toBe('delete')
  expect(operationOf({ original: 'x', text: 'y' })).toBe('replace')
})

test('[REVIEW-22] a place is named by words that stand there alone, else by which of several it is; the service finds the same', () => {
  const lines = Array.from({ length: 300 }, (_each, index) => `line ${index % 3} 😀 of many`).join('\n')
  for (const text of ['one two one two', 'a', lines, `${lines}\n${lines}`, '😀😀😀😀']) {
    for (let from = 0; from < text.length; from += 7) {
      const range = { from, to: Math.min(text.length, from + 5) }
      const target = targetOf(text, range)
      if (target === null) throw new Error('it has words')
      const found = findWords(text, target)
      expect(found).toEqual({ range: findTarget(text, target) })
      // Whole characters.
      expect(target.find.isWellFormed()).toBe(true)
      expect(target.find).toContain(text.slice(range.from, range.to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ''))
    }
    for (const at of [0, 1, text.length]) {
      const target = targetOf(text, { from: at, to: at })
      const found = target && findTarget(text, target)
      expect(found?.from === at || text.slice(at - 1, at + 1) === '😀', `${at} of ${text.slice(0, 20)}`).toBe(true)
    }
  }
  expect(targetOf('', { from: 0, to: 0 })).toBeNull()
})

test('[REVIEW-23] words that the service saw elsewhere are found where they are now, if they are near', () => {
  const text = Text.of(['one two three two', 'four'])
  expect(near(text, { from: 4, to: 7 }, 'two')).toEqual({ from: 4, to: 7 })
  expect(near(text, { from: 5, to: 8 }, 'two')).toEqual({ from: 4, to: 7 })
  expect(near(text, { from: 12, to: 15 }, 'two')).toEqual({ from: 14, to: 17 })
  expect(near(text, { from: 18, to: 22 }, 'gone')).toEqual({ from: 18, to: 22 })
  expect(near(text, { from: 90, to: 95 }, 'gone')).toEqual({ from: 22, to: 22 })
})

test('[REVIEW-29] words of a source are found in the text that was made of it, or not at all', () => {
  /** What is found for the part of the source between bars. */
  const found = (marked: string, shown: string): string | undefined => {
    const [before = '', words = '', after = ''] = marked.split('|')
    const span = { from: before.length, to: before.length + words.length }
    const range = findShown(bareOf(before + words + after), span, bareOf(shown))
    return range && shown.slice(range.from, range.to)
  }
  expect(found('Some |**bold** words|, [here](x)', 'Some bold words, here')).toBe('bold words')
  expect(found('Some **bo|ld** wo|rds', 'Some bold words')).toBe('ld wo')
  expect(found('- |one\n- two|\n', 'one\ntwo\n')).toBe('one\ntwo')
  expect(found('|日本語|と 👍', '日本語と 👍')).toBe('日本語')
  // The second of two; one that is shown only once, or hidden in an address, is not told.
  expect(found('cat, then a |cat|', 'cat, then a cat')).toBe('cat')
  expect(findShown(bareOf('cat cat'), { from: 4, to: 7 }, bareOf('cat, cat'))).toEqual({ from: 5, to: 8 })
  expect(found('[|cat|](/cat) cat', 'cat cat')).toBeUndefined()
  // Marks of the language at the ends belong to it, those of Markdown do not.
  expect(found('It |is (so).|', 'It is (so).')).toBe('is (so).')
  expect(found('a |"**quoted**"|.', 'a "quoted".')).toBe('"quoted"')
  expect(found('|**Bold.** Then|', 'Bold. Then')).toBe('Bold. Then')
  expect(found('$|x^2|$', '𝑥2')).toBeUndefined()
  expect(found('a |*|b* c', 'a b c')).toBeUndefined()
  expect(found('a |gone|', 'a')).toBeUndefined()
})

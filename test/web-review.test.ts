/** The positions of comments next to the text, the words that identify a place, and the suggestions that typing produces. */
import { ChangeSet, EditorState, Text, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { computed, signal } from '@preact/signals'
import { expect, test } from 'vitest'
import { findWords } from '../shared/text/targets.ts'
import { bareOf, findShown } from '../web/reading/find-words.ts'
import { annotationRanges } from '../web/review/suggestions/annotation-ranges.ts'
import { followed, type Sent } from '../web/review/suggestions/accepted.ts'
import { tickOf } from '../web/review/suggestions/task-change.ts'
import { showInvitation } from '../web/review/cards/invitation.ts'
import { blocksOf, inlineOf, type Inline, plainWords } from '../web/review/cards/comment-markdown.ts'
import { wordsOfEdit } from '../web/review/suggestions/change-words.ts'
import { byWord, hunksOf, operationOf } from '../web/review/suggestions/hunks.ts'
import { pushedApart } from '../web/review/cards/layout.ts'
import { orderMessages } from '../web/review/outbox/messages.ts'
import { restOf } from '../web/review/suggestions/rest-of.ts'
import type { LiveMessage } from '../shared/live-protocol.ts'
import type { Comment, Suggestion, Task } from '../web/review/outbox/records.ts'
import type { PanelName } from '../web/view/view.ts'
import type { Item } from '../web/review/annotations/items.ts'
import { openPositions } from '../web/review/annotations/positions.ts'
import type { Proposal } from '../web/review/outbox/shown-records.ts'
import type { Store } from '../web/review/outbox/store.ts'
import { openHalfWritten } from '../web/review/annotations/half-written.ts'
import { openRejecting } from '../web/review/annotations/reason.ts'
import { findTarget, near, targetOf } from '../web/review/suggestions/targets.ts'
import type { SuggestAction } from '../web/review/outbox/entry.ts'

/** A session storage in memory. */
function tabStore(): { readonly values: Map<string, string>; storage(): Storage } {
  const values = new Map<string, string>()
  const storage = (): Storage =>
    ({
      getItem: (name: string) => values.get(name) ?? null,
      setItem: (name: string, value: string) => void values.set(name, value),
      removeItem: (name: string) => void values.delete(name)
    }) as unknown as Storage
  return { values, storage }
}

test('[REVIEW-71] half-written replies and edits survive a reload of the tab, and are removed when they are sent', () => {
  const { values, storage } = tabStore()
  const before = openHalfWritten('d1', storage)
  before.write('reply', 'entry', 'I thi')
  before.write('edit', 'c2', 'Mine')
  before.write('reply', 'c3', '  ')
  before.renamed('entry', 'c1')
  expect(openHalfWritten('d2', storage).ids.value.size).toBe(0)
  const after = openHalfWritten('d1', storage)
  expect(after.ids.value).toEqual(new Set(['c1', 'c2']))
  expect([after.textOf('reply', 'c1'), after.textOf('edit', 'c1'), after.textOf('edit', 'c2')]).toEqual(['I thi', '', 'Mine'])
  after.write('reply', 'c1', '')
  after.write('edit', 'c2', '')
  expect([values.size, after.ids.value.size]).toEqual([0, 0])
  values.set('agmd.replies.d1', '[["reply c1"],7]')
  expect(openHalfWritten('d1', storage).ids.value.size).toBe(0)
})

test('[REVIEW-42] a half-written reason survives a reload of the page, and nothing more', () => {
  const { values, storage } = tabStore()
  const before = openRejecting('d1', storage)
  expect(before.rejecting.value).toBeUndefined()
  before.rejecting.value = { id: 's1', reason: signal('') }
  before.rejecting.value.reason.value = 'The tests need'
  before.close()
  expect(openRejecting('d2', storage).rejecting.value).toBeUndefined()
  const after = openRejecting('d1', storage)
  expect(after.rejecting.value).toMatchObject({ id: 's1', reason: { value: 'The tests need' } })
  // The rejection was sent or canceled.
  after.rejecting.value = undefined
  expect(values.size).toBe(0)
  const refused = openRejecting('d1', () => {
    throw new Error('storage is off')
  })
  refused.rejecting.value = { id: 's1', reason: signal('kept for this page') }
  values.set('agmd.reason.d1', '{"id":7}')
  expect(openRejecting('d1', storage).rejecting.value).toBeUndefined()
})

test.each([
  ['open', true, false, 'tasks'],
  ['started', true, false, 'tasks'],
  ['reported', true, false, undefined],
  ['closed', true, false, undefined],
  ['open', false, false, undefined],
  ['open', true, true, undefined]
] as const)(
  '[REVIEW-60] an assignment that is %s, with its link (%s), for the owner (%s), opens the panel %s, once the assignments are known',
  (status, isOfLink, isOwner, shown) => {
    const panel = signal<PanelName | undefined>(undefined)
    const state = signal<'reading' | 'ready' | 'failed'>('reading')
    const tasks = signal<readonly Task[]>([])
    const stop = showInvitation({ panel }, { state, tasks, isOwner: computed(() => isOwner) })
    tasks.value = [{ id: 't', status, ...(isOfLink && { share: { revoked: false } }) } as Task]
    expect(panel.value).toBeUndefined()
    state.value = 'ready'
    expect(panel.value).toBe(shown)
    // A closed panel stays closed.
    panel.value = undefined
    tasks.value = [...tasks.value]
    expect(panel.value).toBeUndefined()
    stop()
  }
)

const card = (at: number, height = 100): { at: number; height: number } => ({ at, height })

test('[REVIEW-20] cards are at their words, moved apart where they would overlap; the active one is at its exact place', () => {
  expect(pushedApart([card(0), card(500)], -1)).toEqual([8, 500])
  expect(pushedApart([card(0), card(20), card(30)], -1)).toEqual([8, 116, 224])
  expect(pushedApart([card(300), card(320), card(330)], 2)).toEqual([114, 222, 330])
  expect(pushedApart([card(300), card(320), card(330)], 1)).toEqual([212, 320, 428])
  // No card is placed above the top of the page, so even the active card moves down.
  expect(pushedApart([card(10), card(20), card(30)], 2)).toEqual([8, 116, 224])
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

test('[SUGG-27] the marks of a format are one change, and are told as the format', () => {
  const around = (mark: string) => changed('one two three', { from: 4, insert: mark }, { from: 13 + mark.length, insert: mark })
  expect(around('**')).toEqual([{ original: 'two three', text: '**two three**', from: 4, to: 13 }])
  expect(changed('a **b c**', { from: 2, to: 4 }, { from: 5, to: 7 })).toEqual([{ original: '**b c**', text: 'b c', from: 2, to: 9 }])
  // Other text, and marks on two lines, are separate changes.
  expect(around('x')).toHaveLength(2)
  expect(changed('one\ntwo', { from: 0, insert: '*' }, { from: 8, insert: '*' })).toHaveLength(2)
  const told = (original: string, text: string) => wordsOfEdit(Text.of([original]), { from: 0, to: original.length, insert: text })
  expect(told('two three', '**two three**')).toBe('Bold: “two three”')
  expect(told('two', '~~***two***~~')).toBe('Strikethrough, Bold, Italic: “two”')
  expect(told('`two`', 'two')).toBe('Remove formatting: “two”')
  expect(told('two', '**three**')).toBeUndefined()
  expect(told('two', '**two*')).toBeUndefined()
  expect(told('two', '**')).toBeUndefined()
})

test('[GRID-60] changes to the columns of a table, and moves of its rows, are one change with words of its own', () => {
  const table = ['Intro', '', '| a | b |', '| --- | --- |', '| 1 | 2 |', '| 3 | 4 |', '', 'End']
  const text = table.join('\n')
  /** Returns the changes that replace some lines, each of which is given as a pair of the old and the new text. */
  const lines = (...pairs: readonly (readonly [old: string, young: string])[]) =>
    changed(
      text,
      ...pairs
        .map(([old, insert]) => ({ from: text.indexOf(old), to: text.indexOf(old) + old.length, insert }))
        .toSorted((one, other) => other.from - one.from)
    )
  const words = (found: ReturnType<typeof changed>) =>
    found.map(({ from, to, text: insert }) => wordsOfEdit(Text.of(table), { from, to, insert }))
  const deleted = lines([' b |', ''], [' --- |\n| 1', '\n| 1'], [' 2 |', ''], [' 4 |', ''])
  expect(deleted).toEqual([{ original: ' b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |', text: '\n| --- |\n| 1 |\n| 3 |', from: 12, to: 50 }])
  expect(words(deleted)).toEqual(['Delete 1 column'])
  const added = lines(['| a', '|  | a'], ['| --- | -', '| --- | --- | -'], ['| 1', '|  | one'], ['| 3', '|  | 3'])
  expect(words(added)).toEqual(['Add 1 column'])
  expect(lines(['\n| 1 | 2 |', ''], ['4 |', '4 |\n| 1 | 2 |'])).toHaveLength(1)
  // Cells, rows that are added or deleted, and bars in other text are separate changes.
  expect(lines(['1', '7'], ['3', '8'])).toHaveLength(2)
  expect(lines(['\n| 1 | 2 |', ''], ['4 |', '4 |\n|  |  |'])).toHaveLength(2)
  expect(lines(['1', '7'], ['| 4 |', '| 4 |\n|  |  |'])).toHaveLength(2)
  expect(changed('a | b\nc | d', { from: 8, to: 11 }, { from: 1, to: 4 })).toHaveLength(2)
  expect(words(lines(['b', 'x']))).toEqual([undefined])
})

test('[REVIEW-111] changes of headings, lists, tables and line breaks are told in words', () => {
  const told = (before: string, after: string) => {
    let [from, to] = [0, 0]
    while (from < before.length && before[from] === after[from]) from++
    while (to < Math.min(before.length, after.length) - from && before.at(-1 - to) === after.at(-1 - to)) to++
    return wordsOfEdit(Text.of(before.split('\n')), { from, to: before.length - to, insert: after.slice(from, after.length - to) })
  }
  expect(told('End here.', '## End here.')).toBe('Heading 2: “End here.”')
  expect(told('# End here.', '### End here.')).toBe('Heading 3: “End here.”')
  expect(told('# End here.', 'End here.')).toBe('Plain text: “End here.”')
  expect(told('one', '- one')).toBe('Bulleted list: “one”')
  expect(told('one\ntwo', '1. one\n2. two')).toBe('Numbered list: “one”, “two”')
  expect(told('- one', '- [ ] one')).toBe('Task list: “one”')
  expect(told('one', '> one')).toBe('Quote: “one”')
  expect(told('- one\n- two', '- one\n  - two')).toBe('Indent: “two”')
  expect(told('one two', 'one\n\ntwo')).toBe('Split the paragraph')
  expect(told('- one two', '- one\n- two')).toBe('Split the list item')
  expect(told('one\n\ntwo', 'one two')).toBe('Join with the line above')
  expect(told('- one\n- two', '- one two')).toBe('Join with the line above')
  expect(told('one\ntwo', 'one\n\ntwo')).toBe('New empty line')
  expect(told('one\n\ntwo', 'one\ntwo')).toBe('Delete an empty line')
  expect(told('- one', '- one\n- [ ] stove')).toBe('New task: “stove”')
  expect(told('- one\n- two\n- three', '- three')).toBe('Delete list items: “one”, “two”')
  expect(told('one\n\nthree', 'one\n\n## Two\n\nthree')).toBe('New heading: “Two”')
  expect(told('one\n\n---\n', 'one\n')).toBe('Delete the divider')
  const table = '| Item | Shop |\n|---|---|\n| Salt | Coop |'
  expect(told(table, `${table}\n| Eggs | Migros |`)).toBe('New row: Eggs, Migros')
  expect(told(table, `${table}\n|  |  |`)).toBe('New empty row')
  expect(told('one\n', `one\n\n${table}\n`)).toBe('New table')
  // Words are shown as they are, and markers in code mean nothing.
  expect(told('one', 'one two')).toBeUndefined()
  expect(told('one', 'one\n\ntwo')).toBeUndefined()
  expect(told('- one', '- two')).toBeUndefined()
  expect(told('```sh\necho\n```', '```sh\n# echo\n```')).toBeUndefined()
})

test('[REVIEW-21] typing makes one change per run, of whole words if words changed; typing the same text is no change', () => {
  expect(changed('every file twice, slow', { from: 11, to: 16 }, { from: 11, insert: 'o' }, { from: 12, insert: 'nce' })).toEqual([
    { original: 'twice', text: 'once', from: 11, to: 16 }
  ])
  expect(changed('one two three', { from: 4, to: 8 })).toEqual([{ original: 'two ', text: '', from: 4, to: 8 }])
  expect(changed('one two', { from: 7, insert: ' three' })).toEqual([{ original: '', text: ' three', from: 7, to: 7 }])
  expect(changed('one two', { from: 4, to: 7 }, { from: 4, insert: 'two' })).toEqual([])
  expect(changed('one two', { from: 3, insert: 'x' }, { from: 3, to: 4 })).toEqual([])
  // Two changes to one word are joined, and changes to two words are separate.
  expect(changed('recieve it', { from: 3, to: 4, insert: 'e' }, { from: 4, to: 5, insert: 'i' })).toEqual([
    { original: 'ie', text: 'ei', from: 3, to: 5 }
  ])
  expect(changed('abcdefg', { from: 1, to: 2, insert: 'x' }, { from: 5, to: 6, insert: 'y' })).toEqual([
    { original: 'bcdef', text: 'xcdey', from: 1, to: 6 }
  ])
  expect(changed('one two three', { from: 0, insert: 'x' }, { from: 5, insert: 'y' })).toHaveLength(2)
  // Pasting over everything changes only the words that differ.
  expect(changed('a cat sat here', { from: 0, to: 14, insert: 'a dog sat here' })).toEqual([
    { original: 'cat', text: 'dog', from: 2, to: 5 }
  ])
  expect(operationOf({ original: '', text: 'x' })).toBe('insert')
  expect(operationOf({ original: 'x', text: '' })).toBe('delete')
  expect(operationOf({ original: 'x', text: 'y' })).toBe('replace')
})

test('[REVIEW-22] a place is identified by words that occur only there, else by their number; the service finds the same', () => {
  const lines = Array.from({ length: 300 }, (_each, index) => `line ${index % 3} 😀 of many`).join('\n')
  for (const text of ['one two one two', 'a', lines, `${lines}\n${lines}`, '😀😀😀😀']) {
    for (let from = 0; from < text.length; from += 7) {
      const range = { from, to: Math.min(text.length, from + 5) }
      const target = targetOf(text, range)
      if (target === null) throw new Error('it has words')
      const found = findWords(text, target)
      expect(found).toEqual({ range: findTarget(text, target) })
      // The quoted text contains complete characters.
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

test('[REVIEW-23] words that the service saw elsewhere are found at their current place, if it is near', () => {
  const text = Text.of(['one two three two', 'four'])
  expect(near(text, { from: 4, to: 7 }, 'two')).toEqual({ from: 4, to: 7 })
  expect(near(text, { from: 5, to: 8 }, 'two')).toEqual({ from: 4, to: 7 })
  expect(near(text, { from: 12, to: 15 }, 'two')).toEqual({ from: 14, to: 17 })
  expect(near(text, { from: 18, to: 22 }, 'gone')).toEqual({ from: 18, to: 22 })
  expect(near(text, { from: 90, to: 95 }, 'gone')).toEqual({ from: 22, to: 22 })
})

test('[REVIEW-29] words of a source are found in the rendered text, or not at all', () => {
  /** Returns the words in the rendered text that match the source between the bars. */
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
  // The second occurrence is found. A word that is shown only once, or that is part of an address, cannot be matched.
  expect(found('cat, then a |cat|', 'cat, then a cat')).toBe('cat')
  expect(findShown(bareOf('cat cat'), { from: 4, to: 7 }, bareOf('cat, cat'))).toEqual({ from: 5, to: 8 })
  expect(found('[|cat|](/cat) cat', 'cat cat')).toBeUndefined()
  // Punctuation at the ends belongs to the sentence, and Markdown marks do not.
  expect(found('It |is (so).|', 'It is (so).')).toBe('is (so).')
  expect(found('a |"**quoted**"|.', 'a "quoted".')).toBe('"quoted"')
  expect(found('|**Bold.** Then|', 'Bold. Then')).toBe('Bold. Then')
  expect(found('$|x^2|$', '𝑥2')).toBeUndefined()
  expect(found('a |*|b* c', 'a b c')).toBeUndefined()
  expect(found('a |gone|', 'a')).toBeUndefined()
})

const textOf = (words: string): Text => Text.of(words.split('\n'))
const sentOf = (base: Text, from: number, to: number, text: string, draft = 'one'): Sent => ({
  draft,
  from,
  to,
  original: base.sliceString(from, to),
  text
})

test('[SUGG-6] a suggestion accepted while it is typed becomes text: later typing becomes a new one next to it, nothing is lost or duplicated', () => {
  const base = textOf('The fox jumps.')
  const typed = ChangeSet.of([{ from: 3, insert: ' quick brown' }], base.length)
  const theirs = ChangeSet.of([{ from: 3, insert: ' quick bro' }], base.length)
  const found = followed(base, typed, theirs, [sentOf(base, 3, 3, ' quick bro')])
  expect(found.accepted).toHaveLength(1)
  expect(found.shown.empty).toBe(true)
  expect(byWord(theirs.apply(base), hunksOf(theirs.apply(base), found.changes))).toMatchObject([{ original: '', text: 'wn', from: 13 }])

  // A replacement is next to another person's change, which is elsewhere in the same step.
  const replaced = ChangeSet.of([{ from: 4, to: 7, insert: 'red hen' }], base.length)
  const both = ChangeSet.of(
    [
      { from: 0, insert: 'Look: ' },
      { from: 4, to: 7, insert: 'red' }
    ],
    base.length
  )
  const next = followed(base, replaced, both, [sentOf(base, 4, 7, 'red h'), sentOf(base, 4, 7, 'red')])
  expect(next.shown.apply(replaced.apply(base)).toString()).toBe('Look: The red hen jumps.')
  expect(hunksOf(both.apply(base), next.changes)).toMatchObject([{ original: '', text: ' hen' }])

  // Text that others insert here remains ordinary text, and the draft remains a draft.
  const other = followed(base, typed, ChangeSet.of([{ from: 3, insert: ' sly' }], base.length), [sentOf(base, 3, 3, ' quick bro')])
  expect(other.accepted).toEqual([])
  expect(other.shown.apply(typed.apply(base)).toString()).toContain(' sly')
})

test('[SUGG-44] a suggestion that is accepted together with others in one place while it is typed appears once', () => {
  const base = textOf('We go home.')
  const at = 10
  for (const [typed, own, inserted, others, shown] of [
    [' now', ' now', ' soon now', [' soon'], 'We go home soon now.'],
    [' now and', ' now', ' soon now then', [' soon', ' not', ' then'], 'We go home soon now and then.'],
    [' now', ' no', ' no now', [' now'], 'We go home now now.']
  ] as const) {
    const changes = ChangeSet.of([{ from: at, insert: typed }], base.length)
    const theirs = ChangeSet.of([{ from: at, insert: inserted }], base.length)
    const found = followed(base, changes, theirs, [sentOf(base, at, at, own)], () => others)
    expect(found.accepted).toHaveLength(1)
    expect(found.shown.apply(changes.apply(base)).toString()).toBe(shown)
    expect(found.changes.apply(theirs.apply(base)).toString()).toBe(shown)
  }
  // Text that is not made of whole suggestions was typed.
  const changes = ChangeSet.of([{ from: at, insert: ' now' }], base.length)
  const theirs = ChangeSet.of([{ from: at, insert: ' soon now' }], base.length)
  expect(followed(base, changes, theirs, [sentOf(base, at, at, ' now')], () => [' so']).accepted).toEqual([])
})

test('[SUGG-9] others type in the place of half-typed words, or of a half-typed line, and accept them where the service has them', () => {
  for (const [text, at] of [
    [' too', 3],
    ['\nnew', 9]
  ] as const) {
    const base = textOf('one\ntwo')
    const typed = ChangeSet.of([{ from: 3, insert: `${text} long` }], base.length)
    const theirs = ChangeSet.of([{ from: 3, insert: ', more' }], base.length)
    const { changes, shown } = followed(base, typed, theirs, [sentOf(base, 3, 3, text)])
    const after = theirs.apply(base)
    expect(hunksOf(after, changes)).toMatchObject([{ from: at, original: '', text: `${text} long` }])
    expect(shown.apply(typed.apply(base)).toString()).toBe(changes.apply(after).toString())
    const next = followed(after, changes, ChangeSet.of([{ from: at, insert: text }], after.length), [sentOf(after, at, at, text)])
    expect(next.accepted).toHaveLength(1)
    expect(next.shown.empty).toBe(true)
  }
})

test('[SUGG-6] whatever is typed and accepted, the editor shows the text with the remaining suggestions', () => {
  for (let seed = 1; seed <= 400; seed++) {
    let state = seed * 2654435761
    const random = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return (state >>> 8) % below
    }
    const base = textOf('one two three four five six\nseven eight nine')
    const [one, other] = [random(20), 24 + random(12)]
    const ends = [one + random(4), other + random(4)]
    const words = ['a b', 'cd e']
    // The versions of both suggestions that were sent, and the text typed after them.
    const sent = [sentOf(base, one, ends[0] ?? 0, words[0] ?? '', 'one'), sentOf(base, other, ends[1] ?? 0, words[1] ?? '', 'other')]
    const changes = ChangeSet.of(
      sent.map(({ from, to, text }, index) => ({ from, to, insert: text + 'xyz'.slice(0, random(4)) + index })),
      base.length
    )
    const isTaken = [random(2) === 0, random(2) === 0]
    const accepted = sent.filter((_each, index) => isTaken[index]).map(({ from, to, text }) => ({ from, to, insert: text }))
    const far = random(2) === 0 ? [{ from: base.length, insert: ' ten' }] : []
    const theirs = ChangeSet.of([...accepted, ...far], base.length)
    const found = followed(base, changes, theirs, sent)
    const shown = found.shown.apply(changes.apply(base)).toString()
    expect(found.changes.apply(theirs.apply(base)).toString(), `seed ${seed}`).toBe(shown)
    expect(shown, `seed ${seed}`).toBe(changes.apply(base).toString() + (far.length > 0 ? ' ten' : ''))
    expect(found.accepted, `seed ${seed}`).toHaveLength(accepted.length)
  }
})

test('[SUGG-22] the editor shows the current text with the draft in it, no matter what others change around it', () => {
  const words = ['x', 'word ', 'ab', ' ']
  for (let seed = 1; seed <= 4000; seed++) {
    let state = seed * 2654435761
    const random = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return (state >>> 8) % below
    }
    const base = textOf('abxx ab wordx xword ab'.slice(0, 6 + random(16)))
    const change = (): { from: number; to: number; insert: string } => {
      const from = random(base.length + 1)
      return { from, to: Math.min(base.length, from + random(4)), insert: random(4) === 0 ? '' : (words[random(words.length)] ?? '') }
    }
    // Overlapping changes cannot form a change set.
    const several = (): ChangeSet => {
      let to = -1
      const apart = [change(), change(), change()]
        .toSorted((one, other) => one.from - other.from)
        .filter((each) => each.from > to && (to = each.to) >= 0)
      return ChangeSet.of(apart, base.length, '\n')
    }
    const [changes, theirs] = [several(), several()]
    const own: Sent[] = []
    changes.iterChanges((from, to, _from, _to, insert) =>
      own.push(sentOf(base, from, to, insert.toString().slice(0, 1 + random(insert.length + 1)), `draft ${from}`))
    )
    const found = followed(base, changes, theirs, own)
    expect(found.changes.apply(theirs.apply(base)).toString(), `seed ${seed}`).toBe(found.shown.apply(changes.apply(base)).toString())
  }
})

/** Opens the positions of one suggestion in an editor without a page. */
function positionsIn(doc: string, isAllSent = true) {
  let state = EditorState.create({ doc, extensions: annotationRanges(() => undefined) })
  const view = {
    get state() {
      return state
    },
    dispatch(...specs: TransactionSpec[]) {
      state = state.update(...specs).state
    }
  } as unknown as EditorView
  const positions = openPositions(
    view,
    { edited: signal(new Set<string>()), proposals: signal<readonly Proposal[]>([]) } as unknown as Store,
    signal(new Set<string>()),
    () => [],
    () => isAllSent
  )
  const spanAfter = (said: Partial<Suggestion>) => {
    const suggestion = { id: 's', status: 'pending', author: 'Ana', ...said } as Suggestion
    positions.update([{ kind: 'proposal', id: 's', span: undefined, proposal: { suggestion } } as unknown as Item])
    return positions.spanOf('s')
  }
  return { view, positions, spanAfter }
}

test('[SUGG-24] words that a typed suggestion no longer replaces are not shown as deleted, and its position follows the text', () => {
  const { view, positions, spanAfter } = positionsIn('book early because prices rise')
  // "because" is typed again, letter by letter: the page receives the states after "beca" and after "becausely".
  expect(spanAfter({ operation: 'delete', original: 'use', text: '', from: 15, to: 18 })).toEqual({ from: 15, to: 18 })
  expect(spanAfter({ operation: 'insert', original: '', text: 'l', from: 18, to: 18 })).toEqual({ from: 18, to: 18 })
  // The service does not know yet that this page typed a letter at the beginning.
  view.dispatch({ changes: { from: 0, insert: 'X' } })
  expect(spanAfter({ operation: 'insert', original: '', text: 'ly', from: 18, to: 18 })).toEqual({ from: 19, to: 19 })
  expect(spanAfter({ operation: 'replace', original: 'because', text: 'as', from: 11, to: 18 })).toEqual({ from: 12, to: 19 })
  positions.close()
})

test('[SUGG-31] the first position from the service replaces one from an earlier visit, unless the page has unsent changes', () => {
  for (const isAllSent of [true, false]) {
    const { view, positions, spanAfter } = positionsIn('book early', isAllSent)
    const insertion = { operation: 'insert', original: '', text: ' soon' } as const
    positions.made('s', { from: 10, to: 10 })
    expect(spanAfter({ ...insertion, from: null, to: null })).toEqual({ from: 10, to: 10 })
    expect(spanAfter({ ...insertion, from: 4, to: 4 })).toEqual(isAllSent ? { from: 4, to: 4 } : { from: 10, to: 10 })
    // From then on, the editor follows the text.
    view.dispatch({ changes: { from: 0, insert: 'X' } })
    const now = isAllSent ? 5 : 11
    expect(spanAfter({ ...insertion, from: 4, to: 4 })).toEqual({ from: now, to: now })
    positions.close()
  }
})

test('[SUGG-7] the rest of a suggestion decided in transit becomes a new one at the current place of its words', () => {
  const before = 'The fox jumps over the dog.'
  const actionOf = (from: number, to: number, text: string): SuggestAction => ({
    kind: 'suggest',
    operation: operationOf({ original: before.slice(from, to), text }),
    original: before.slice(from, to),
    text,
    target: targetOf(before, { from, to }),
    note: '',
    draft: { id: 'draft', step: 4 }
  })
  const decided = (status: string, text: string): Suggestion => ({ status, text }) as Suggestion
  const apply = (text: string, { target, original, text: proposed }: SuggestAction): string => {
    const range = target === null ? { from: 0, to: 0 } : findTarget(text, target)
    expect(range && text.slice(range.from, range.to)).toBe(original)
    return text.slice(0, range?.from) + proposed + text.slice(range?.to)
  }
  for (const [from, to, accepted, typed] of [
    [3, 3, ' quick', ' quick brown'],
    [0, 0, 'Look: t', 'Look: there is more. '],
    [4, 7, 'hen', 'hen and chicken'],
    [4, 7, 'hen', 'old']
  ] as const) {
    const now = before.slice(0, from) + accepted + before.slice(to)
    const rest = restOf(now, actionOf(from, to, typed), decided('accepted', accepted))
    expect(rest?.draft).toMatchObject({ step: 1 })
    expect(rest && apply(now, rest)).toBe(before.slice(0, from) + typed + before.slice(to))
  }
  const again = restOf(before, actionOf(3, 3, ' quick brown'), decided('rejected', ' quick'))
  expect(again && apply(before, again)).toBe('The quick brown fox jumps over the dog.')
  expect(again?.draft?.id).not.toBe('draft')
  expect(restOf('Other words.', actionOf(4, 7, 'hens'), decided('accepted', 'hen'))).toBeUndefined()
})

test('[REPLY-2] comments are Markdown: emphasis, code, links, lists and names; no pictures, no HTML, no disguised links', () => {
  expect(blocksOf('A **bold** and *thin* word, ~~gone~~, `x * y * z`, see [the plan](https://example.org/a) now.')).toEqual([
    {
      kind: 'text',
      inner: [
        'A ',
        { kind: 'strong', inner: ['bold'] },
        ' and ',
        { kind: 'em', inner: ['thin'] },
        ' word, ',
        { kind: 'del', inner: ['gone'] },
        ', ',
        { kind: 'code', text: 'x * y * z' },
        ', see ',
        { kind: 'link', href: 'https://example.org/a', inner: ['the plan'] },
        ' now.'
      ]
    }
  ])
  expect(blocksOf('Two:\n- one\n- **two** @Ana-Lena\n\n3. three\n\n```\n**code**\n```\nEnd')).toEqual([
    { kind: 'text', inner: ['Two:'] },
    {
      kind: 'list',
      ordered: false,
      start: 1,
      items: [['one'], [{ kind: 'strong', inner: ['two'] }, ' ', { kind: 'mention', name: 'Ana-Lena' }]]
    },
    { kind: 'list', ordered: true, start: 3, items: [['three']] },
    { kind: 'code', text: '**code**' },
    { kind: 'text', inner: ['End'] }
  ])
  expect(inlineOf('See https://example.org/x_y_z?q=1).')).toEqual([
    'See ',
    { kind: 'link', href: 'https://example.org/x_y_z?q=1', inner: ['https://example.org/x_y_z?q=1'] },
    ').'
  ])
  // This text is shown as written.
  for (const plain of [
    '2 * 3 * 4',
    'snake_case_name',
    '<b onclick=x>no</b>',
    '[x](javascript:alert(1))',
    '[x](/d/secret)',
    '**open',
    '# No heading',
    'a ** b **'
  ])
    expect(inlineOf(plain).join(''), plain).toBe(plain)
  const [picture] = blocksOf('![cat](https://example.org/cat.png)')
  expect(JSON.stringify(picture)).not.toContain('image')
})

test('[REPLY-3] parsing hostile comments takes time linear in their length, and loses no letter', () => {
  const lettersOf = (inner: readonly Inline[]): string =>
    inner
      .map((part) => {
        if (typeof part === 'string') return part
        if (part.kind === 'code') return part.text
        return part.kind === 'mention' ? `@${part.name}` : lettersOf(part.inner)
      })
      .join('')
  for (const unit of ['*', '_', '**a', '*a_b', '[', '](', '`', '``a`', '~~', 'http://', '@a', '[a](', '- ', '**a**']) {
    const text = unit.repeat(10_000 / unit.length)
    const letters = (words: string): string => words.replaceAll(/[^a-z]/g, '')
    expect(letters(lettersOf(inlineOf(text))), unit).toBe(letters(text))
    expect(blocksOf(text.replaceAll(/(.{10})/g, '$1\n')).length, unit).toBeGreaterThan(0)
  }
})

test('[REVIEW-43] a card quotes the words of the text without their Markdown', () => {
  expect(plainWords('**bold words** plain')).toBe('bold words plain')
  expect(plainWords('## A *heading*\n\n- [ ] a `task`, 2 * 3\n1. [link](https://example.org/)')).toBe('A heading\n\na task, 2 * 3\nlink')
  expect(plainWords('snake_case and 5 * 4 * 3')).toBe('snake_case and 5 * 4 * 3')
})

test('[REVIEW-69] messages keep their order when they arrive before and after the answer to a request', () => {
  const handled: LiveMessage[] = []
  let isSending = false
  const sent = new Set<string>()
  const { hear, release } = orderMessages({
    isSending: () => isSending,
    isConcerned: (id) => sent.has(id),
    handle: (message) => void handled.push(message)
  })
  const comment = (id: string, status: Comment['status']): LiveMessage => ({ type: 'comment', comment: { id, status } as Comment })
  const replied = comment('c1', 'open')
  const other = comment('c2', 'open')
  const resolved = comment('c1', 'resolved')
  const deleted: LiveMessage = { type: 'comment.deleted', commentId: 'c1' }

  isSending = true
  sent.add('c1')
  hear(other)
  expect(handled).toEqual([other])
  hear(replied)
  // The answer has arrived, but the page still stores it.
  sent.delete('c1')
  hear(resolved)
  hear(deleted)
  expect(handled).toEqual([other])
  release()
  expect(handled).toEqual([other])
  isSending = false
  release()
  expect(handled).toEqual([other, replied, resolved, deleted])
  hear(replied)
  expect(handled).toHaveLength(5)
})

test('[REVIEW-115] a suggested tick is recognized even if the suggestion replaces other words of the line with themselves', () => {
  const doc = textOf('Do:\n- [ ] post the letter\n> 1. [x] buy')
  const [first, second] = [doc.line(2).from, doc.line(3).from]
  const at = (from: number, words: string, insert: string) => tickOf(doc, { from, to: from + words.length, insert })
  expect(at(first + 3, ' ', 'x')).toMatchObject({ at: first + 3, words: first + 6, isDone: true })
  expect(at(first + 2, '[ ] post', '[x] post')).toMatchObject({ at: first + 3, letter: 'x', words: first + 6, isDone: true })
  expect(at(second, '> 1. [x] buy', '> 1. [ ] buy')).toMatchObject({ at: second + 6, letter: ' ', isDone: false })
  for (const insert of ['[x] send', '[ ] post', '[y] post', '[x]  post', '[x] post\n- [ ] new'])
    expect(at(first + 2, '[ ] post', insert)).toBeUndefined()
  expect(at(first + 3, '', 'x')).toBeUndefined()
})

/** The positions of comments next to the text, the words that identify a place, and the suggestions that typing produces. */
import { ChangeSet, EditorState, Text, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { computed, signal } from '@preact/signals'
import { expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import type { Role } from '../shared/roles.ts'
import { findWords } from '../shared/text/targets.ts'
import { bareOf, findShown } from '../web/reading/find-words.ts'
import { openAddress } from '../web/review/annotations/address.ts'
import type { Navigation } from '../web/review/annotations/navigation.ts'
import type { State } from '../web/review/annotations/state.ts'
import { annotationRanges, rangesIn, setAnnotations } from '../web/review/suggestions/annotation-ranges.ts'
import { followed, type Sent } from '../web/review/suggestions/accepted.ts'
import { tickOf } from '../web/review/suggestions/task-change.ts'
import { showInvitation } from '../web/review/cards/invitation.ts'
import { blocksOf, inlineOf, type Inline, plainWords } from '../web/review/cards/comment-markdown.ts'
import { tableChange } from '../web/review/suggestions/table-change.ts'
import { wordsOfEdit } from '../web/review/suggestions/change-words.ts'
import { byWord, hunksOf, operationOf } from '../web/review/suggestions/hunks.ts'
import { pushedApart } from '../web/review/cards/layout.ts'
import { notePlace } from '../web/review/outbox/named-places.ts'
import { type CharacterPosition, placesOf } from '../shared/text/characters.ts'
import { orderMessages } from '../web/review/outbox/messages.ts'
import { restOf } from '../web/review/suggestions/rest-of.ts'
import type { LiveMessage } from '../shared/live-protocol.ts'
import type { Comment, Suggestion, Task } from '../web/review/outbox/records.ts'
import type { PanelName, View } from '../web/view/view.ts'
import type { Item } from '../web/review/annotations/items.ts'
import { readOnlyHandlers } from '../web/review/annotations/read-only.ts'
import { openMarginRoom } from '../web/review/annotations/margin-room.ts'
import { movedWithin } from '../web/review/annotations/moved-words.ts'
import { openReturning } from '../web/review/annotations/returning.ts'
import { openPositions } from '../web/review/annotations/positions.ts'
import { type Proposal, withReplyEntries } from '../web/review/outbox/shown-records.ts'
import type { Store } from '../web/review/outbox/store.ts'
import { editOf, openHalfWritten } from '../web/review/annotations/half-written.ts'
import { openRejecting } from '../web/review/annotations/reason.ts'
import { findTarget, near, targetOf } from '../web/review/suggestions/targets.ts'
import type { OutboxEntry, SuggestAction } from '../web/review/outbox/entry.ts'

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

test('[REVIEW-183] a half-written edit of a reply survives a reload, belongs to its card, and moves with it', () => {
  const { storage } = tabStore()
  const before = openHalfWritten('d1', storage)
  before.write(editOf('r1'), 'entry', 'Yes, but')
  before.write('reply', 'entry', 'Or')
  before.renamed('entry', 'c1')
  const after = openHalfWritten('d1', storage)
  expect([[...after.ids.value], after.editedReplies('c1'), after.editedReplies('1')]).toEqual([['c1'], ['r1'], []])
  expect(after.textOf(editOf('r1'), 'c1')).toBe('Yes, but')
  expect(after.take('c1')).toEqual(['Yes, but', 'Or'])
  expect([after.ids.value.size, after.take('c1')]).toEqual([0, []])
})

test('[REVIEW-182] waiting edits and deletions of replies are shown in order, and refused ones are not', () => {
  const replies = [
    { id: 'r1', body: 'one' },
    { id: 'r2', body: 'two' }
  ] as unknown as Comment['replies']
  const entry = (action: object, refusal?: string): OutboxEntry => ({ action: { on: 'c1', ...action }, refusal }) as unknown as OutboxEntry
  const edit = (body: string) => ({ kind: 'editReply', reply: 'r1', body })
  const shown = (...entries: OutboxEntry[]): string[] => withReplyEntries(replies, entries).map(({ body }) => body)
  expect(shown(entry(edit('uno')), entry(edit('eins')))).toEqual(['eins', 'two'])
  expect(shown(entry(edit('eins'), 'Too long.'), entry({ kind: 'deleteReply', reply: 'r2' }))).toEqual(['one'])
  expect(withReplyEntries(replies, [])).toBe(replies)
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

test('[GRID-60] [GRID-63] changes to the columns of a table, and moves of its rows, are one change with words of its own', () => {
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
  expect(words(deleted)).toEqual(['Delete column “b”'])
  const added = lines(['| a', '|  | a'], ['| --- | -', '| --- | --- | -'], ['| 1', '|  | one'], ['| 3', '|  | 3'])
  expect(words(added)).toEqual(['Add 1 column; Change 1 cell: 1 → one'])
  const rows = lines(
    ['| b', '| b | c'],
    ['| ---', '| --- | ---'],
    ['| 1 | 2 |', '| 5 | 6 |  |\n| 7 | 8 |  |'],
    ['| 3 | 4 |', '| 3 | 4 | 9 |']
  )
  expect(words(rows)).toEqual(['Add column “c”: 9; Delete row: 1, 2; New row: 5, 6; 7, 8'])
  const fewer = lines([' b |', ''], [' --- |\n| 1 | 2 |', ''], [' 4 |', ''])
  expect(words(fewer)).toEqual(['Delete column “b”; Delete row: 1, 2'])
  const rowMoved = lines(['\n| 1 | 2 |', ''], ['4 |', '4 |\n| 1 | 2 |'])
  expect(words(rowMoved)).toEqual(['Move row: 1, 2'])
  expect(words(lines(['| a | b |', '| b | a |'], ['| 1 | 2 |', '| 2 | 1 |'], ['| 3 | 4 |', '| 4 | 3 |']))).toEqual(['Move column “a”'])
  // Cells, rows that are added or deleted, and bars in other text are separate changes.
  expect(lines(['1', '7'], ['3', '8'])).toHaveLength(2)
  expect(lines(['\n| 1 | 2 |', ''], ['4 |', '4 |\n|  |  |'])).toHaveLength(2)
  expect(lines(['1', '7'], ['| 4 |', '| 4 |\n|  |  |'])).toHaveLength(2)
  expect(changed('a | b\nc | d', { from: 8, to: 11 }, { from: 1, to: 4 })).toHaveLength(2)
  expect(words(lines(['b', 'x']))).toEqual([undefined])
})

test('[GRID-82] a suggestion that changes rows or columns of a table changes cells, and adds rows and columns in their places', () => {
  const table = 'Intro\n\n| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n\nEnd'
  /** Returns what a suggestion changes if it replaces one string with another: edits, columns and rows. */
  const change = (original: string, insert: string, text = table) => {
    const from = text.indexOf(original)
    const found = tableChange(Text.of(text.split('\n')), from, from + original.length, insert)
    if (found === undefined) return undefined
    const start = text.lastIndexOf('\n', from - 1) + 1
    const edits = found.edits.map(({ from: at, to, insert: words }) => `${text.slice(start + at, start + to)}→${words}`)
    const columns = found.columns.map(({ before, cells }) => `${before}: ${cells.join()}`)
    const rows = found.rows.map(({ after, cells, added }) => `${after}: ${[...cells, ...added].join()}`)
    return [edits.join(' '), columns.join('; '), rows.join('; ')]
  }
  const [wide, wider] = [
    '| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |',
    '| a | c | b |\n| - | - | - |\n| 1 | x | 2 |\n| 3 |  | 4 |\n| 5 |  | 6 |'
  ]
  expect(change(wide, wider)).toEqual(['', '1: c,x,,', ''])
  expect(change(wider, wide, wider)).toEqual(['c→ x→', '', ''])
  // The first column moves, a row is replaced, and another one is added.
  expect(change(wide, '| b | a |\n| - | - |\n| 2 | 1 |\n| 8 | 7 |\n| 6 | 5 |\n| 10 | 9 |')).toEqual([
    'a→ 1→ 3→ 4→ 5→',
    '2: a,1,,5',
    '3: ,8,7; 4: ,10,9'
  ])
  expect(change('| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |', '| 5 | 6 |\n| 1 | 2 |\n| 3 | 44 |')).toEqual(['→4 5→ 6→', '', '-1: 5,6'])
  // A new row is between the others, wherever its line break is.
  for (const [original, insert] of [
    ['| 3 |', '| x | y |\n| 3 |'],
    [' 2 |', ' 2 |\n| x | y |'],
    ['3 | 4', 'x | y |\n| 3 | 4']
  ] as const)
    expect(change(original, insert)?.slice(0, 2)).toEqual(['', ''])
  expect(change('| 3 |', '| x | y |\n| 3 |')?.[2]).toBe('-1: x,y')
  // Other text is not a table, and neither is one without its delimiter row.
  expect(change('Intro', 'a | b\nc | d')).toBeUndefined()
  expect(change('| a | b |\n| - | - |', '| a | b |')).toBeUndefined()
  expect(change('1', '7')).toBeUndefined()
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
function positionsIn(doc: string, isAllSent = true, ytext = new Y.Doc().getText()) {
  let state = EditorState.create({ doc, extensions: annotationRanges(() => undefined) })
  const view = {
    dom: new EventTarget(),
    get state() {
      return state
    },
    dispatch(...specs: TransactionSpec[]) {
      state = state.update(...specs).state
    }
  } as unknown as EditorView
  const positions = openPositions(
    view,
    ytext,
    { edited: signal(new Set<string>()), proposals: signal<readonly Proposal[]>([]) } as unknown as Store,
    signal(new Set<string>()),
    () => [],
    () => isAllSent
  )
  let last: readonly Item[] = []
  const spanAfter = (said: Partial<Suggestion>, place?: CharacterPosition) => {
    const suggestion = { id: 's', status: 'pending', author: 'Ana', original: '', ...said } as Suggestion
    notePlace({ type: 'suggestion', suggestion, ...(place && { place }) } as LiveMessage)
    last = [{ kind: 'proposal', id: 's', span: undefined, proposal: { suggestion } } as unknown as Item]
    positions.update(last)
    return positions.spanOf('s')
  }
  return { view, positions, spanAfter, again: () => positions.update(last) }
}

test.each([
  ['Ana', 'Bob'],
  ['Bob', 'Ana']
])(
  '[SUGG-130] deletions that begin at the same place are in the order in which they were suggested, also if %s arrives before %s',
  (...ids) => {
    let state = EditorState.create({ doc: 'every file twice', extensions: annotationRanges(() => undefined) })
    for (const id of ids) {
      const annotation = { id, kind: 'delete', author: id, text: '', madeAt: id === 'Ana' ? 1000 : 2000 } as const
      state = state.update({ effects: setAnnotations.of([{ annotation, span: { from: 0, to: 10 } }]) }).state
    }
    expect([...rangesIn(state).keys()]).toEqual(['Ana', 'Bob'])
  }
)

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

test('[SUGG-94] a message that arrives before or after a change to the text does not move a suggestion to other characters', () => {
  const server = new Y.Doc()
  server.getText().insert(0, 'november quebec')
  const page = new Y.Doc()
  const sync = (from: Y.Doc, to: Y.Doc): void => Y.applyUpdate(to, Y.encodeStateAsUpdate(from, Y.encodeStateVector(to)))
  sync(server, page)
  const text = page.getText()
  const { view, positions, spanAfter, again } = positionsIn('november quebec', false, text)
  text.observe(({ delta }) => {
    let at = 0
    for (const { retain = 0, delete: removed = 0, insert } of delta) {
      if (typeof insert === 'string') view.dispatch({ changes: { from: at, insert } })
      if (removed > 0) view.dispatch({ changes: { from: at, to: at + removed } })
      at += retain + (typeof insert === 'string' ? insert.length : 0)
    }
  })
  /** The message of the service about an insertion at an offset of its text, and later about the same insertion with more letters. */
  const report = (at: number, proposed: string) => {
    const [place] = placesOf(server.getText(), server.getText().toString(), [{ from: at, to: at }])
    return spanAfter({ operation: 'insert', text: proposed, from: at, to: at }, place)
  }
  // This person has typed a letter that the service does not have.
  text.insert(0, 'X')
  expect(report(8, ' S')).toEqual({ from: 9, to: 9 })
  sync(page, server)
  // The page lacks what another person typed, and the service reports a place in it.
  server.getText().insert(0, 'Last ')
  server.getText().insert(server.getText().length, ' end')
  expect(report(14, ' S5')).toEqual({ from: 9, to: 9 })
  report(server.getText().length, ' S51')
  // The page waits for the text. It does not report new positions each time, because everything that reads them would run again without end.
  const { value: moved } = positions.moved
  again()
  expect(positions.moved.value).toBe(moved)
  sync(server, page)
  again()
  expect(view.state.doc.toString()).toBe('Last Xnovember quebec end')
  expect(positions.spanOf('s')).toEqual({ from: 25, to: 25 })
  positions.close()
})

test('[REVIEW-190] annotations return with their deleted text at once, but not with the same text elsewhere', () => {
  const returning = openReturning()
  let doc = Text.of(['one a word', 'two a word'])
  const apply = (from: number, to: number, insert: string, gone: readonly (readonly [string, { from: number; to: number }])[] = []) => {
    const change = ChangeSet.of({ from, to, insert: Text.of(insert.split('\n')) }, doc.length)
    const back = returning.follow({ before: doc, change, gone, isOwn: true, isPaste: false })
    doc = change.apply(doc)
    return back
  }
  const gone = [
    ['comment', { from: 4, to: 5 }],
    ['insertion', { from: 10, to: 10 }]
  ] as const
  expect(apply(0, 11, '', gone)).toEqual([])
  expect(doc.toString()).toBe('two a word')
  expect(apply(10, 10, '!')).toEqual([])
  expect(apply(11, 11, 'one a word\n')).toEqual([])
  const back = [
    ['comment', { from: 4, to: 5 }],
    ['insertion', { from: 10, to: 10 }]
  ]
  expect(apply(0, 0, 'one a word\n')).toEqual(back)
  // The letter after the deleted one is the same by chance.
  expect(apply(0, doc.length, 'aab')).toEqual([])
  expect(apply(0, 1, '', [['comment', { from: 0, to: 1 }]])).toEqual([])
  expect(apply(2, 2, 'c')).toEqual([])
  expect(apply(0, 0, 'a')).toEqual([['comment', { from: 0, to: 1 }]])
})

test('[COMMENT-31] annotations go with words that their person cuts and pastes, and not with a copy or with words of others', () => {
  const there = (from: number, to: number) => [['c', { from, to }]] as const
  /** Deletes the range of an annotation. Returns functions that insert text, and delete the range again as undo does. */
  const cut = (text: string, from: number, to: number, isOwn = true) => {
    const returning = openReturning()
    let doc = Text.of(text.split('\n'))
    const apply = (changed: { from: number; to?: number; insert?: Text }, own: boolean, isPaste: boolean) => {
      const change = ChangeSet.of(changed, doc.length)
      const gone = changed.to === undefined ? [] : there(changed.from, changed.to)
      const back = returning.follow({ before: doc, change, gone, isOwn: own, isPaste })
      doc = change.apply(doc)
      return back
    }
    expect(apply({ from, to }, isOwn, false)).toEqual([])
    return {
      insert: (at: number, words: string, isPaste = true) => apply({ from: at, insert: Text.of(words.split('\n')) }, true, isPaste),
      undo: (start: number, end: number) => apply({ from: start, to: end }, false, false)
    }
  }
  const go = 'a Go b Go'
  expect(cut(go, 2, 4).insert(7, 'Go')).toEqual(there(7, 9))
  expect(cut(go, 2, 4).insert(7, 'Go', false)).toEqual([])
  expect(cut(go, 2, 4, false).insert(7, 'Go')).toEqual([])
  expect(cut(go, 2, 4).insert(7, 'Goal')).toEqual([])
  // A list item gets the marker of the list in which it is pasted.
  expect(cut('- Go\n', 0, 4).insert(1, '1. Go\n')).toEqual(there(1, 6))
  const { insert, undo } = cut(go, 2, 4)
  expect(insert(2, 'Go')).toEqual(there(2, 4))
  expect(insert(9, 'Go')).toEqual([])
  // After an undo of the paste, the words are still cut.
  expect(undo(2, 4)).toEqual([])
  expect(insert(0, 'Go')).toEqual(there(0, 2))
})

test('[COMMENT-32] annotations go with the line that a change moves, even if its words are short or repeated', () => {
  const moved = (deleted: string, words: string, inserted: string): string | undefined => {
    const from = deleted.lastIndexOf(words)
    const span = movedWithin(deleted, { from, to: from + words.length }, inserted)
    return span && `${inserted.slice(0, span.from)}<${inserted.slice(span.from, span.to)}>${inserted.slice(span.to)}`
  }
  expect(moved('- [ ] Go\n', 'Go', '- [x] Go\n')).toBe('- [x] <Go>\n')
  expect(moved('- [ ] Go\n  now\n', 'now', '\n- [x] Go\n  now')).toBe('\n- [x] Go\n  <now>')
  expect(moved('| a | =B1 | c |\n', 'c', '| a | =B2 | c |\n')).toBe('| a | =B2 | <c> |\n')
  expect(moved('- a\n- a\n', 'a', '1. a\n2. a\n')).toBe('1. a\n2. <a>\n')
  expect(moved('- a\n- a\n', 'a', '- a\n')).toBeUndefined()
  expect(moved('- a\n', 'a', '- b\n')).toBeUndefined()
  expect(moved('- a\n', 'a', 'a')).toBe('<a>')
  // A move of columns writes each row again.
  expect(moved('| a | b | c |', 'b', '| b | c | a |')).toBe('| <b> | c | a |')
  expect(moved('a | b', 'a', 'b | a')).toBe('b | <a>')
  expect(moved('| a | a | c |', 'a', '| a | c | a |')).toBeUndefined()
})

test('[REVIEW-191] [REVIEW-220] the space for cards does not open while a person types or selects, and stays a moment without cards', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const card = { kind: 'comment', span: { from: 0, to: 1 }, thread: { comment: { resolved: false } } } as unknown as Item
  const items = signal<readonly Item[]>([])
  const active = signal<string | undefined>(undefined)
  const store = { state: signal<'reading' | 'ready'>('reading') }
  let isDown = false
  const input = { items, staying: signal(new Set<string>()), active, store, isPressed: () => isDown }
  const { wantsMargin, used, close } = openMarginRoom('d1', input)
  const after = (milliseconds: number): boolean | undefined => {
    vi.advanceTimersByTime(milliseconds)
    return wantsMargin.value
  }
  expect(wantsMargin.value).toBeUndefined()
  store.state.value = 'ready'
  expect(wantsMargin.value).toBe(false)
  used()
  items.value = [card]
  expect(after(900)).toBe(false)
  used()
  expect([after(900), after(100)]).toEqual([false, true])
  // A paragraph is deleted, and comes back.
  items.value = []
  expect(after(3000)).toBe(true)
  items.value = [card]
  expect(after(10_000)).toBe(true)
  items.value = []
  expect(after(4000)).toBe(false)
  // A comment that the person begins has its card at once.
  used()
  items.value = [card]
  active.value = 'composer'
  expect(wantsMargin.value).toBe(true)
  // While a button of the mouse is down, the space neither closes nor opens. Afterward, the person can first continue the selection.
  isDown = true
  for (const there of [[], [card]]) {
    active.value = undefined
    items.value = there
    expect(after(9900)).toBe(there.length === 0)
    isDown = false
    used()
    expect([after(900), after(100)]).toEqual([there.length === 0, there.length > 0])
    isDown = true
  }
  close()
  vi.useRealTimers()
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

test('[REVIEW-121] the first key in text that a person may not change says what the person may do, and again after the text was left', () => {
  const role = signal<Role | null>('comment')
  const session = { role, link: { ended: signal(undefined) } } as unknown as View['session']
  const said: string[] = []
  const { beforeinput, blur } = readOnlyHandlers(session, (words) => void said.push(words))
  const press = (readOnly = true): void => beforeinput(undefined, { state: { readOnly } as EditorState })
  press()
  press()
  expect(said).toEqual(['You can comment but not edit this.'])
  blur()
  press()
  role.value = 'view'
  press()
  expect(said.slice(1)).toEqual(['You can comment but not edit this.', 'You can view but not edit this.'])
  // There is no notice while the role is unknown, or for people who may write.
  for (const other of [null, 'suggest', 'edit'] as const) {
    role.value = other
    press()
  }
  role.value = 'comment'
  press(false)
  expect(said).toHaveLength(3)
  press()
  expect(said).toHaveLength(4)
})

test('[SUGG-7] [SUGG-91] the rest of a suggestion accepted or rejected in transit becomes a new one at the current place of its words', () => {
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
  const again = restOf(before, actionOf(3, 3, ' quick brown'), decided('pending', ' quick'))
  expect(again && apply(before, again)).toBe('The quick brown fox jumps over the dog.')
  expect(again?.draft?.id).not.toBe('draft')
  expect(restOf('Other words.', actionOf(4, 7, 'hens'), decided('accepted', 'hen'))).toBeUndefined()
  // If others rejected the earlier version, only the words that they could not see are sent.
  for (const [from, to, rejected, typed, expected] of [
    [3, 3, ' quick bro', ' quick brown', 'The brown fox jumps'],
    [4, 7, 'hen', 'hen and chicken', 'The fox and chicken jumps'],
    [4, 7, 'he', 'hen', 'The hen jumps']
  ] as const) {
    const rest = restOf(before, actionOf(from, to, typed), decided('rejected', rejected))
    expect(rest && apply(before, rest)).toContain(expected)
  }
  expect(restOf(before, actionOf(3, 3, ' quick'), decided('rejected', ' quick'))).toBeUndefined()
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

test('[REVIEW-231] a card quotes the title of a component, or the name of its kind', () => {
  const quotes = [
    '```chart',
    '```chart\ntype: bar\ntitle: Sales\n```',
    '> ~~~board #launch',
    '```widget title="Price list"',
    '```chart\ntitle:\n'
  ]
  expect(quotes.map(plainWords)).toEqual(['Chart', 'Sales', 'Board', 'Price list', 'Chart'])
  expect(['```js', '```constructor'].map(plainWords)).toEqual(['```js', '```constructor'])
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

test('[REVIEW-224] a comment that is stored at the same moment does not end the search for the comment of the address', async () => {
  vi.stubGlobal('location', { hash: '#comment-asked', href: 'http://localhost/d/d1#comment-asked', origin: 'http://localhost' })
  let followLink = (): void => undefined
  vi.stubGlobal('addEventListener', (_name: string, listener: () => void) => (followLink = listener))
  vi.stubGlobal('removeEventListener', () => undefined)
  try {
    const [active, items] = [signal<string | undefined>('entry'), signal<readonly { readonly id: string }[]>([])]
    const recordIds = signal<ReadonlyMap<string, string>>(new Map())
    const shown: string[] = []
    const store = { state: signal('ready'), read: () => undefined, decided: { more: () => undefined }, recordIds }
    const state = { page: { session: { id: 'd1' } }, store, items, active } as unknown as State
    const address = openAddress(state, { show: (id) => void shown.push(id) } as Navigation)
    await Promise.resolve()
    followLink()
    recordIds.value = new Map([['entry', 'stored']])
    active.value = 'stored'
    items.value = [{ id: 'stored' }, { id: 'asked' }]
    expect(shown).toEqual(['asked'])
    address.close()
    // If the person opens another comment meanwhile, the page stays there.
    items.value = []
    active.value = undefined
    const other = openAddress(state, { show: (id) => void shown.push(id) } as Navigation)
    await Promise.resolve()
    active.value = 'another'
    items.value = [{ id: 'asked' }, { id: 'another' }]
    expect(shown).toEqual(['asked'])
    other.close()
    // The same applies if the current lists arrive after an earlier copy of them.
    store.state.value = 'reading'
    const late = openAddress(state, { show: (id) => void shown.push(id) } as Navigation)
    store.state.value = 'ready'
    await Promise.resolve()
    expect(shown).toEqual(['asked'])
    late.close()
  } finally {
    vi.unstubAllGlobals()
  }
})

/** Rules of components that need no page. */
import { signal } from '@preact/signals'
import { expect, test } from 'vitest'
import { columnAt, columnMove, columnRemoval, columnStep, titlesOf } from '../shared/components/board.ts'
import { withOwnIds } from '../shared/components/own-ids.ts'
import { type Board, parseBoard } from '../shared/fences/board.ts'
import { fencesOf } from '../shared/fences/fences.ts'
import { applyEdits } from '../shared/text/diff.ts'
import { whenUndone } from '../web/components/notices.ts'

const boardOf = (...lines: readonly string[]): Board => {
  const [fence] = fencesOf(`\`\`\`board\n${lines.join('\n')}\n\`\`\`\n`)
  if (fence === undefined) throw new Error('no board')
  return parseBoard(fence)
}
const namesAfter = (now: Board, edits: readonly { from: number; to: number; insert: string }[]): string[] => {
  const [fence] = fencesOf(applyEdits(now.fence.source, edits))
  return fence === undefined ? [] : titlesOf(parseBoard(fence))
}
const drawn = boardOf('## A', '- [ ] one', '## B', '## C')

test.each([
  [0, 2, ['B', 'A', 'C'], 1],
  [0, 3, ['B', 'C', 'A'], 2],
  [2, 0, ['C', 'A', 'B'], 0],
  [1, 0, ['B', 'A', 'C'], 0]
])('[COMP-63] column %i goes before %i', (column, to, names, place) => {
  const move = columnMove(drawn, drawn, column, to)
  expect(move).toMatchObject({ column: place, count: 3 })
  expect(namesAfter(drawn, move?.edits ?? [])).toEqual(names)
})

test('[COMP-63] a column stays where it is dropped on itself', () => {
  for (const to of [1, 2]) expect(columnMove(drawn, drawn, 1, to)).toBeUndefined()
})

test('[COMP-63] both columns are found again on a board that others changed since', () => {
  const now = boardOf('## New', '## C', '## A', '- [ ] one', '## B')
  const move = columnMove(drawn, now, 0, 2)
  expect(namesAfter(now, move?.edits ?? [])).toEqual(['New', 'A', 'C', 'B'])
  expect(move?.column).toBe(1)
  // The column before which it was to go is gone: it goes before the next one that is there.
  const without = boardOf('## C', '## A')
  expect(namesAfter(without, columnMove(drawn, without, 0, 1)?.edits ?? [])).toEqual(['A', 'C'])
  expect(columnMove(drawn, boardOf('## B', '## C'), 0, 2)).toBeUndefined()
})

test('[COMP-63] keys move a column by one place and not beyond the ends', () => {
  const steps = [0, 1, 2].map((column) => [columnStep(drawn, column, 'ArrowLeft'), columnStep(drawn, column, 'ArrowRight')])
  expect(steps).toEqual([
    [undefined, 2],
    [0, 3],
    [1, undefined]
  ])
})

test('[COMP-63] a dropped column goes before the first one whose middle is behind the pointer', () => {
  const boxes = [0, 100, 200].map((left) => ({ left, right: left + 90 }))
  expect([-5, 44, 46, 150, 260].map((x) => columnAt(boxes, x))).toEqual([0, 0, 1, 2, 3])
})

test('[COMP-67] a column that got a card meanwhile is not deleted', () => {
  expect(namesAfter(drawn, columnRemoval(drawn, drawn, 1))).toEqual(['A', 'C'])
  expect(columnRemoval(drawn, boardOf('## A', '- [ ] one', '## B', '- [ ] two', '## C'), 1)).toEqual([])
})

test('[COMP-71] a change is taken back once its component reads as before, empty lines aside', () => {
  const fenceOf = (...lines: readonly string[]) => boardOf(...lines).fence
  const before = fenceOf('## A', '- [ ] one', '- [ ] two')
  const fence = signal(before)
  let undone = 0
  const stop = whenUndone(fence, before, () => (undone += 1))
  // Nothing was changed yet, where it shows a moment later.
  expect(undone).toBe(0)
  fence.value = fenceOf('## A', '', '- [ ] two')
  fence.value = fenceOf('## A', '- [ ] two')
  expect(undone).toBe(0)
  fence.value = fenceOf('## A', '', '- [ ] one', '- [ ] two')
  expect(undone).toBe(1)
  stop()
})

test.each([
  ['```board #launch\n```', ['launch'], '```board #launch-2\n```'],
  ['```board #launch-2\n```', ['launch', 'launch-2'], '```board #launch-3\n```'],
  ['```sheet title="see #s here" #s\n| #s |\n```', ['s'], '```sheet title="see #s here" #s-2\n| #s |\n```'],
  ['```sheet #a\n```\n\n```sheet #b\n```', ['a', 'b', 'a-2'], '```sheet #a-3\n```\n\n```sheet #b-2\n```'],
  ['```board\n```', ['board'], '```board\n```'],
  ['Text #launch', ['launch'], 'Text #launch']
])('[COMP-72] %j in a document with %j', (text, ids, wanted) => {
  expect(withOwnIds(text, ids.map((id) => `\`\`\`board #${id}\n\`\`\`\n`).join('\n'))).toBe(wanted)
})

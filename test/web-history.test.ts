/** The version history as the page shows it. */
import { expect, test } from 'vitest'
import { authoredRuns } from '../web/history/authored.ts'
import { changedSize } from '../web/history/changed-size.ts'
import { compare } from '../web/history/rows.ts'

const run = (line: number, lastLine: number, author: string) => ({
  line,
  lastLine,
  author,
  authorKind: 'guest' as const,
  authors: [author],
  at: null
})

test('[HISTORY-18] blank lines have no author', () => {
  const text = ['# Plan', '', '', 'One', '', 'two', ' ', 'Three']
  const runs = [run(1, 2, 'Ana'), run(3, 3, 'Ben'), run(4, 7, 'Ana'), run(8, 8, 'Ben')]
  expect(authoredRuns(runs, text).map(({ lines, text: own }) => [lines.author, own])).toEqual([
    ['Ana', '# Plan'],
    ['Ana', 'One\n\ntwo'],
    ['Ben', 'Three']
  ])
})

test('[HISTORY-25] a version removed no more than there was before it', () => {
  const shown = (size: number, added: number, removed: number, before?: number): string => {
    const changed = changedSize({ size, added, removed }, before)
    return `+${changed.added} -${changed.removed}`
  }
  // 42 characters were typed and deleted again before the first version was saved.
  expect(shown(215, 257, 42, 0)).toBe('+215 -0')
  expect(shown(20, 30, 20, 10)).toBe('+20 -10')
  expect(shown(113, 17, 16, 112)).toBe('+17 -16')
  // Versions in between were deleted.
  expect(shown(20, 5, 0, 50)).toBe('+0 -30')
  expect(shown(215, 257, 42)).toBe('+257 -42')
})

test('[HISTORY-26] a paragraph that is added or deleted after a line is one change', () => {
  const changes = (before: string, after: string): string[] => {
    const { rows, changes: found } = compare(before, after)
    const changed = rows.filter((row) => row.changed).map(({ pieces }) => pieces.map(({ text }) => text).join(''))
    expect(rows.filter(({ begins }) => begins)).toHaveLength(found)
    return [`${found}`, ...changed.filter((text) => text !== '')]
  }
  expect(changes('One.', 'One.\n\nTwo.')).toEqual(['1', 'Two.'])
  expect(changes('One.\n\nTwo.', 'One.')).toEqual(['1', 'Two.'])
  expect(changes('One.\n\nTwo.\n\nFour.', 'One.\n\nTwo.\n\nThree.\n\nFour.')).toEqual(['1', 'Three.'])
  expect(changes('One.\n\nFour.', 'One.\n\nTwo.\n\nThree.\n\nFour.')).toEqual(['2', 'Two.', 'Three.'])
  expect(changes('', 'One.\n\nTwo.')).toEqual(['2', 'One.', 'Two.'])
  // A line that is divided or joined is changed.
  expect(changes('One two.', 'One\n two.')).toEqual(['1', 'One'])
  expect(changes('One two.', 'One\n\ntwo.')).toEqual(['1', 'One '])
  // A change of blank lines alone is a change, too.
  expect(changes('One.', 'One.\n')).toHaveLength(2)
  expect(changes('One.\n\n\nTwo.', 'One.\n\nTwo.')[0]).toBe('1')
  expect(changes('One.\n\nTwo.', 'One.\n\n\n\nTwo.')[0]).toBe('1')
  expect(changes('One\ntwo.', 'One two.')).toEqual(['1', 'One', ' two.'])
})

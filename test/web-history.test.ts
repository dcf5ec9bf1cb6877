/** The version history as the page shows it. */
import { expect, test } from 'vitest'
import { authoredRuns } from '../web/history/authored.ts'

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

/** People who set the same value without knowing of each other (server/live/doubled-values.ts). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Y from 'yjs'
import { applyEdits, type Edit } from '../../shared/text/diff.ts'
import { fencesOf } from '../../shared/fences/fences.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'
import { insertRow, moveRow, setCell } from '../../shared/fences/sheet-edits.ts'
import { moveCard, renameCard } from '../../shared/fences/board-edits.ts'
import { parseBoard } from '../../shared/fences/board.ts'
import { exactUndo } from '../../web/editor/exact-undo.ts'
import { stepRules } from '../../web/editor/replaced-values.ts'
import { type Editor, startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** Changes the text as a control of a page does, in one transaction. */
const control = (ydoc: Y.Doc, edits: readonly Edit[]): void => {
  const text = ydoc.getText('content')
  ydoc.transact(() => {
    for (const { from, to, insert } of edits.toReversed()) {
      if (to > from) text.delete(from, to - from)
      if (insert !== '') text.insert(from, insert)
    }
  })
}

/** A task that everybody checks off. Once it has one mark, the server has removed all doubled values. */
const task = '\n- [ ] last\n'

/** Connects several people, one after the other, who made these changes offline. */
const gathered = async (start: string, changes: readonly (readonly ((text: string) => readonly Edit[])[])[]) => {
  const owner = await world.create(start + task)
  const { ydoc } = await owner.connect()
  const copies = changes.map((own) => {
    const copy = new Y.Doc()
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(ydoc))
    const text = copy.getText('content')
    exactUndo(text, new Y.UndoManager(text), stepRules)
    for (const change of own) control(copy, change(copy.getText('content').toString()))
    const at = copy.getText('content').toString().lastIndexOf('[ ]') + 1
    control(copy, [{ from: at, to: at + 1, insert: 'x' }])
    return copy
  })
  const pages: Editor[] = []
  for (const copy of copies) pages.push(await owner.connect({ ydoc: copy }))
  await Promise.all(pages.map((page) => page.saved()))
  return { owner, pages }
}

/** Returns the text that everybody has after several people made these changes offline. */
const merged = async (start: string, ...changes: readonly ((text: string) => readonly Edit[])[][]): Promise<string> => {
  const { owner, pages } = await gathered(start, changes)
  const done = task.replace('[ ]', '[x]')
  await until(async () => (await owner.read()).content.endsWith(done), 'one mark')
  const { content } = await owner.read()
  await Promise.all(pages.map((page) => page.shows(content)))
  return content.slice(0, -done.length)
}

const sets =
  (row: number, column: number, value: string) =>
  (text: string): readonly Edit[] =>
    setCell(parseSheet(fencesOf(text)[0] as never), row, column, value)
const wraps =
  (word: string, mark: string) =>
  (text: string): Edit[] => {
    const from = text.indexOf(word)
    return [
      { from, to: from, insert: mark },
      { from: from + word.length, to: from + word.length, insert: mark }
    ]
  }
const begins =
  (line: string, mark: string) =>
  (text: string): Edit[] => [{ from: text.indexOf(line), to: text.indexOf(line), insert: mark }]

const tick = (text: string): Edit[] => [{ from: text.indexOf('[ ]') + 1, to: text.indexOf('[ ]') + 2, insert: 'x' }]
const untick = (text: string): Edit[] => [{ from: text.indexOf('[x]') + 1, to: text.indexOf('[x]') + 2, insert: ' ' }]

const sheet = '```sheet\n| n | |\n|---|---|\n| 10 |  |\n```\n'

test('[EDIT-90] a task that several people check off at the same time has one mark', async () => {
  expect(await merged('- [ ] task\n', [tick], [tick])).toBe('- [x] task\n')
  expect(await merged('> 1. [ ] task\n', [tick], [tick], [tick])).toBe('> 1. [x] task\n')
  expect(await merged('- [ ] task\n', [tick, untick, tick], [tick])).toBe('- [x] task\n')
})

test('[EDIT-91] a sheet cell that several people set at the same time has the value of one of them', async () => {
  for (const old of ['10', ''])
    for (const [one, other] of [
      ['25', '30'],
      ['100', '200'],
      ['15', '12']
    ] as const) {
      const column = old === '' ? 1 : 0
      const text = await merged(sheet, [sets(1, column, '7'), sets(1, column, one)], [sets(1, column, other)])
      const at = (value: string): string => applyEdits(sheet, sets(1, column, value)(sheet))
      expect([at(one), at(other)]).toContain(text)
    }
  // Looking for the cell in long text would make others wait.
  const long = await merged(`${'word '.repeat(27_000)}\n\n${sheet}`, [sets(1, 0, '25')], [sets(1, 0, '30')])
  expect(long).toMatch(/\| (?:2530|3025) \|/)
})

test('[EDIT-92] a format that several people apply at the same time has its marks once', async () => {
  expect(await merged('the price.\n', [wraps('price', '**')], [wraps('price', '**')])).toBe('the **price**.\n')
  expect(await merged('One.\n\nEnd.\n', [begins('End', '# ')], [begins('End', '# ')])).toBe('One.\n\n# End.\n')
  const level = await merged('One.\n\nEnd.\n', [begins('End', '## ')], [begins('End', '### ')])
  expect(['One.\n\n## End.\n', 'One.\n\n### End.\n']).toContain(level)
})

test('[EDIT-93] text that several people type at the same place is kept', async () => {
  const both = async (start: string, line: string, one: string, other: string): Promise<void> => {
    const text = await merged(start, [begins(line, one)], [begins(line, other)])
    expect([one + other, other + one].map((each) => start.replace(line, each + line))).toContain(text)
  }
  await both('Say |.\n', '|', 'xx', 'xx')
  await both('| a |\n| - |\n| END |\n', 'END', '25', '30')
  await both('```sheet\n| n |\n|---|\n| 1END |\n```\n', 'END', '25', '30')
  await both('[END] no task\n', 'END', 'x', 'x')
  await both('One\n\n\n\nTwo\n', '\nTwo', '- ', '- ')
})

test('[FENCE-61] [FENCE-62] a card that several people move or rename while offline is in one place', async () => {
  const board = '```board\n## To do\n- [ ] Beta\n- [ ] Alpha\n## In progress\n## Done\n```\n'
  const drags =
    (column: number) =>
    (text: string): readonly Edit[] =>
      moveCard(parseBoard(fencesOf(text)[0] as never), { column: 0, card: 1 }, { column, card: 0 })
  const renames = (text: string): readonly Edit[] => renameCard(parseBoard(fencesOf(text)[0] as never), { column: 0, card: 1 }, 'Fix login')
  const lines = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('-'))
  expect(lines(await merged(board, [drags(1)], [drags(2)]))).toEqual(['- [ ] Beta', '- [x] Alpha'])
  expect(lines(await merged(board, [renames], [drags(2)]))).toEqual(['- [ ] Beta', '- [x] Fix login'])
  expect(lines(await merged(board, [drags(1)], [renames]))).toEqual(['- [ ] Beta', '- [>] Fix login'])
})

// ——— formulas ———

const totals = (...rows: string[]): string => `\`\`\`sheet
| Item | Qty | Price | Total |
|---|--:|--:|--:|
${rows.join('\n')}
\`\`\`
`
const goods = ['| Pens | 12 | 3.5 | =B2*C2 |', '| Ink | 2 | 10 | =B3*C3 |', '| Cap | 7 | 1 | =B4*C4 |', '| All |  | =D3 | =SUM(D2:D4) |']
const moves =
  (from: number, to: number) =>
  (text: string): readonly Edit[] =>
    moveRow(parseSheet(fencesOf(text)[0] as never), from, to)
const inserts =
  (at: number) =>
  (text: string): readonly Edit[] =>
    insertRow(parseSheet(fencesOf(text)[0] as never), at)

/** Waits until a sheet has these rows below its heading, after several people made these changes offline. */
const haveRows = async (rows: readonly string[], ...changes: readonly ((text: string) => readonly Edit[])[][]): Promise<void> => {
  const { owner } = await gathered(totals(...goods), changes)
  let found: string[] = []
  const isDone = async (): Promise<boolean> => {
    const { content } = await owner.read()
    found = content.split('\n').filter((line) => line.startsWith('| '))
    return found.slice(1).join('\n') === rows.join('\n')
  }
  await until(isDone, 'the rows').catch(() => expect(found.slice(1)).toEqual(rows))
}

test('[FENCE-73] formulas name the same cells if one person moves a row offline and another one inserts a row', async () => {
  const rows = [
    '|  |  |  |  |',
    '| Pens | 12 | 3.5 | =B3*C3 |',
    '| Cap | 7 | 1 | =B4*C4 |',
    '| Ink | 2 | 10 | =B5*C5 |',
    '| All |  | =D5 | =SUM(D3:D5) |'
  ]
  await haveRows(rows, [moves(3, 2)], [inserts(1)])
  await haveRows(rows, [inserts(1)], [moves(3, 2)])
})

test('[FENCE-73] formulas that a person writes offline follow rows that others have moved', async () => {
  const writes = [sets(4, 1, '=D2'), sets(3, 1, '=B2')]
  const rows = [
    '| Ink | 2 | 10 | =B2*C2 |',
    '| Pens | 12 | 3.5 | =B3*C3 |',
    '| Cap | =B3 | 1 | =B4*C4 |',
    '| All | =D3 | =D2 | =SUM(D2:D4) |'
  ]
  await haveRows(rows, [moves(2, 1)], writes)
  await haveRows(rows, writes, [moves(2, 1)])
})

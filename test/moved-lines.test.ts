/** Cards, rows and blocks that several people move, change or undo without knowing of each other. `npm run fuzz fences` runs more seeds. */
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import { addCard, deleteCard, moveCard, renameCard, setState } from '../shared/fences/board-edits.ts'
import { type Board, type CardPosition, parseBoard } from '../shared/fences/board.ts'
import { deleteRow, insertRow, moveColumn, moveRow, setCell } from '../shared/fences/sheet-edits.ts'
import { parseSheet, type Sheet } from '../shared/fences/sheet.ts'
import type { Edit } from '../shared/text/diff.ts'
import { moveBlocks } from '../web/editor/blocks/commands.ts'
import { indexAt, siblingsOf } from '../web/editor/blocks/units.ts'
import { markdown } from '../web/editor/language.ts'
import { createWriters } from '../server/live/writers.ts'
import { moveRowTo } from '../web/editor/table-moves.ts'
import { tableAt, type TablePosition } from '../web/editor/tables.ts'
import { aloneHolds, fenceIn, movesHold, type Page, Together } from './fuzz/moved-lines.ts'

const seeds = 40

test.each(['board', 'sheet'] as const)(
  '[FENCE-60] a %s that people edit and move lines in, online and offline, has each line once',
  (kind) => {
    for (let seed = 1; seed <= seeds; seed++) expect(() => movesHold(kind, seed)).not.toThrow()
  }
)

test('[BLOCK-48] the service changes nothing for a person who is alone and types, deletes, moves lines, and uses undo and redo', () => {
  for (let seed = 1; seed <= 500; seed++) for (const isMet of [false, true]) aloneHolds(seed, isMet)
})

test('[BLOCK-48] a person is not alone if others wrote, also before the person loads the page again, or while the person was offline', () => {
  const server = new Y.Doc()
  const here = new Set<unknown>(['ana', 'bo'])
  const writers = createWriters(server.store, (page) => here.has(page))
  const write = (page: string): void => {
    server.once('afterTransaction', (transaction: Y.Transaction) => writers.wrote(page, transaction))
    server.getText('content').insert(0, page)
  }
  const vector = (): Uint8Array => Y.encodeStateVector(server)
  write('ana')
  expect(writers.isAlone()).toBe(true)
  write('bo')
  expect(writers.isAlone()).toBe(false)
  here.delete('ana')
  writers.arrived(vector())
  expect(writers.isAlone()).toBe(false)
  here.delete('bo')
  writers.arrived(vector())
  write('ana')
  expect(writers.isAlone()).toBe(true)
  const old = vector()
  write('ana')
  writers.arrived(old)
  write('bo')
  here.clear()
  writers.arrived(vector())
  expect(writers.isAlone()).toBe(false)
})

/** Seeds that once failed, with a description of each bug. */
test.each([
  [58, 'a line that was moved in front of an old place counted as restored there'],
  [77, 'words that two people wrote at one place stood behind a heading'],
  [253, 'the new mark of a moved card stood behind it'],
  [369, 'the new word of a moved card stood behind it'],
  [1330, 'a mark was left behind by a card that was moved twice']
] as const)('[FENCE-60] board, seed %i: %s', (seed, _what) => {
  expect(() => movesHold('board', seed)).not.toThrow()
})

const start = 'before\n\n```board\n## To do\n- [ ] Alpha\n- [ ] Beta\n## In progress\n## Done\n```\n\nbehind\n'
const boardWith = (todo: string, doing: string, done: string): string =>
  `before\n\n\`\`\`board\n## To do\n${todo}## In progress\n${doing}## Done\n${done}\`\`\`\n\nbehind\n`
const beta = '- [ ] Beta\n'

const two = (text: string, ids: readonly number[]): { readonly all: Together; readonly ann: Page; readonly sue: Page } => {
  const all = new Together(text, ['ann', 'sue'], ids)
  const [ann, sue] = all.pages as [Page, Page]
  return { all, ann, sue }
}
/** Returns the text without the empty line that the service leaves below a heading. */
const shown = ({ content }: Together): string => content.replaceAll(/(## .*\n)\n/g, '$1')

const find = (board: Board, title: string): CardPosition => {
  for (const [column, { cards }] of board.columns.entries())
    for (const [card, each] of cards.entries()) if (each.title.text === title) return { column, card }
  throw new Error(`there is no card ${title}`)
}
const act = (page: Page, change: (board: Board) => readonly Edit[]): void => page.change(change(parseBoard(fenceIn(page.text.toString()))))
const drag = (page: Page, column: number, title = 'Alpha'): void =>
  act(page, (board) => moveCard(board, find(board, title), { column, card: 0 }))

const orders = [
  [1, 2],
  [2, 1]
] as const

test.each(orders)('[FENCE-61] a card that two people move at the same time is in one place (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two(start, ids)
  drag(ann, 2)
  drag(sue, 1)
  all.end()
  expect(shown(all)).toBe(boardWith(beta, '', '- [x] Alpha\n'))
  // A copy that somebody added on purpose stays.
  act(ann, (board) => addCard(board, 0, 'Alpha'))
  drag(ann, 1)
  drag(sue, 0, 'Beta')
  all.end()
  expect(all.content.match(/Alpha/g)).toHaveLength(2)
})

test.each(orders)('[FENCE-62] changes of a card follow it to the place to which somebody else has moved it (ids %i and %i)', (...ids) => {
  for (const isLate of [true, false]) {
    const { all, ann, sue } = two(start, ids)
    all.goOffline(isLate ? ann : sue)
    act(ann, (board) => renameCard(board, find(board, 'Alpha'), 'Fix login'))
    act(ann, (board) => setState(board, find(board, 'Fix login'), 'doing'))
    drag(sue, 2)
    all.settle()
    all.tidy()
    all.end()
    expect(shown(all)).toBe(boardWith(beta, '', '- [x] Fix login\n'))
  }
})

test('[FENCE-63] a row that two people move is there once, with the values that others have set', () => {
  const sheet = '```sheet\n| n | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |\n```\n'
  const { all, ann, sue } = two(sheet, [1, 2])
  const change = (page: Page, edits: (text: string) => readonly Edit[]): void => page.change(edits(page.text.toString()))
  all.goOffline(sue)
  change(ann, (text) => moveRow(parseSheet(fenceIn(text)), 1, 4))
  change(ann, (text) => setCell(parseSheet(fenceIn(text)), 2, 1, '9'))
  change(sue, (text) => moveRow(parseSheet(fenceIn(text)), 1, 3))
  change(sue, (text) => setCell(parseSheet(fenceIn(text)), 1, 1, '7'))
  all.end()
  expect(all.content.match(/\| a \| 1 \|/g)).toHaveLength(1)
  expect(all.content.match(/\| b \| (?:2|7) \|/g)).toHaveLength(1)
  expect(all.content.match(/\| c \| 9 \|/g)).toHaveLength(1)
})

test.each(orders)('[FENCE-61] a row that two people move in front of a formula is there once (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two('```sheet\n| n | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | =B3 |\n```\n', ids)
  actOnSheet(ann, (sheet) => moveRow(sheet, 1, 3))
  actOnSheet(sue, (sheet) => moveRow(sheet, 1, 3))
  all.end()
  expect(all.content.match(/\| a \|/g)).toHaveLength(1)
})

test.each(orders)('[EDIT-95] undo leaves a card where somebody else has moved it since (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two(start, ids)
  drag(ann, 2)
  all.settle()
  drag(sue, 1)
  all.settle()
  ann.undo.undo()
  all.end()
  expect(shown(all)).toBe(boardWith(beta, '- [>] Alpha\n', ''))
  sue.undo.undo()
  all.end()
  expect(shown(all)).toBe(boardWith(beta, '', '- [x] Alpha\n'))
})

test.each(orders)('[EDIT-96] if two people move a card and undo it at the same time, the card is back once (ids %i and %i)', (...ids) => {
  for (const isKnown of [true, false]) {
    const { all, ann, sue } = two(start, ids)
    drag(ann, 2)
    drag(sue, 1)
    if (isKnown) all.settle()
    ann.undo.undo()
    sue.undo.undo()
    all.end()
    expect(shown(all)).toBe(boardWith(`- [ ] Alpha\n${beta}`, '', ''))
    ann.undo.redo()
    sue.undo.redo()
    all.end()
    expect(all.content.match(/Alpha/g)).toHaveLength(1)
    expect(all.content).toContain('\n```\n\nbehind')
  }
})

/** Two people edit a sheet, and the service tidies it after each step. */
const sums = (rows: string): string => `\`\`\`sheet
| Item | Qty | Price | Total |
|---|--:|--:|--:|
${rows}\`\`\`
`
const sheetRows = '| Pens | 12 | 3.5 | =B2*C2 |\n| Ink | 2 | 10 | =B3*C3 |\n| Cap | 7 | 1 | =B4*C4 |\n| All | | | =SUM(D2:D4) |\n'

test('[FENCE-64] a row that is rewritten next to the old place of a moved row stays, and its undo restores it', () => {
  const { all, ann, sue } = two(sums(sheetRows), [1, 2])
  const change = (page: Page, edits: (text: string) => readonly Edit[]): void => {
    page.change(edits(page.text.toString()))
    all.settle()
    all.tidy()
    all.settle()
  }
  change(ann, (text) => moveRow(parseSheet(fenceIn(text)), 3, 2))
  const { content } = all
  for (const page of [ann, sue]) {
    change(page, (text) => moveColumn(parseSheet(fenceIn(text)), 2, 1))
    expect(all.content.match(/\| (?:Pens|Cap|Ink|All) \|.*\n/g)).toHaveLength(4)
    page.undo.undo()
    all.settle()
    expect(all.content).toBe(content)
  }
})

test('[FENCE-64] undo after two moves of a column restores the rows as they were between', () => {
  const { all, ann } = two(sums(sheetRows), [1, 2])
  const texts = [2, 1].map((column) => {
    const before = all.content
    ann.change(moveColumn(parseSheet(fenceIn(ann.text.toString())), column + 1, column))
    all.settle()
    return before
  })
  for (const text of texts.toReversed()) {
    ann.undo.undo()
    all.settle()
    expect(all.content).toBe(text)
  }
})

test.each(orders)('[FENCE-64] words at the end of a card stay there if the card below it was moved away (ids %i and %i)', (...ids) => {
  for (const isOther of [false, true]) {
    const { all, ann, sue } = two(start, ids)
    drag(ann, 2, 'Beta')
    all.settle()
    all.tidy()
    all.settle()
    act(isOther ? sue : ann, (board) => renameCard(board, find(board, 'Alpha'), 'Alpha more'))
    all.end()
    expect(shown(all)).toBe(boardWith('- [ ] Alpha more\n', '', '- [x] Beta\n'))
  }
})

test.each(orders)('[FENCE-64] words at the end of a card stay there if the card below it was deleted (ids %i and %i)', (...ids) => {
  for (const isOther of [false, true]) {
    const { all, ann, sue } = two(start, ids)
    act(ann, (board) => deleteCard(board, find(board, 'Beta')))
    all.settle()
    all.tidy()
    all.settle()
    act(isOther ? sue : ann, (board) => renameCard(board, find(board, 'Alpha'), 'Alpha more'))
    all.end()
    expect(shown(all)).toBe(boardWith('- [ ] Alpha more\n', '', ''))
  }
})

test.each(orders)(
  '[FENCE-70] a change of a card is kept while somebody else moves or deletes it and undoes that (ids %i and %i)',
  (...ids) => {
    for (const isMove of [true, false])
      for (const isEarly of [true, false]) {
        const { all, ann, sue } = two(start, ids)
        act(sue, (board) => renameCard(board, find(board, 'Alpha'), 'Fix Alpha'))
        if (isEarly) while (all.receive(sue));
        if (isMove) drag(ann, 2)
        else act(ann, (board) => deleteCard(board, find(board, 'Alpha')))
        ann.undo.undo()
        all.end()
        expect(shown(all)).toBe(boardWith(`- [ ] Fix Alpha\n${beta}`, '', ''))
      }
  }
)

test.each(orders)(
  '[FENCE-70] the new name of a card is kept while somebody else moves or deletes it and undoes that offline (ids %i and %i)',
  (...ids) => {
    for (const [isEarly, isMove] of [
      [false, true],
      [true, true],
      [false, false],
      [true, false]
    ]) {
      const { all, ann, sue } = two(boardWith(`${beta}- [ ] Alpha\n  details\n`, '', ''), ids)
      all.goOffline(ann)
      act(ann, (board) =>
        isMove ? moveCard(board, find(board, 'Alpha'), { column: 0, card: 0 }) : deleteCard(board, find(board, 'Alpha'))
      )
      ann.undo.undo()
      act(sue, (board) => renameCard(board, find(board, 'Alpha'), 'New'))
      act(sue, (board) => setState(board, find(board, 'New'), 'doing'))
      if (isEarly) all.settle()
      all.end()
      expect(shown(all)).toBe(boardWith(`${beta}- [ ] New\n  details\n`, '', ''))
    }
  }
)

const rows = '```sheet\n| n | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |\n```\n'
const rowsOf = ({ content }: Together): string[] => content.split('\n').slice(3, -2)
const actOnSheet = (page: Page, edits: (sheet: ReturnType<typeof parseSheet>) => readonly Edit[]): void =>
  page.change(edits(parseSheet(fenceIn(page.text.toString()))))

test.each(orders)('[FENCE-71] a row that was moved to the place of a restored row is on a line of its own (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two(rows, ids)
  actOnSheet(ann, (sheet) => setCell(sheet, 1, 1, '75'))
  all.settle()
  actOnSheet(ann, (sheet) => moveRow(sheet, 1, 3))
  ann.undo.undo()
  actOnSheet(sue, (sheet) => moveRow(sheet, 2, 1))
  all.end()
  expect(rowsOf(all).toSorted()).toEqual(['| a | 75 |', '| b | 2 |', '| c | 3 |'])
})

test.each(orders)(
  '[FENCE-71] a copy of a moved row is removed without a restored row that it was joined with (ids %i and %i)',
  (...ids) => {
    const all = new Together(rows, ['ann', 'sue', 'kim'], [...ids, 3])
    const [ann, sue, kim] = all.pages as [Page, Page, Page]
    actOnSheet(ann, (sheet) => moveRow(sheet, 3, 1))
    actOnSheet(kim, (sheet) => moveRow(sheet, 3, 2))
    actOnSheet(sue, (sheet) => moveRow(sheet, 1, 3))
    sue.undo.undo()
    all.end()
    expect(rowsOf(all).toSorted()).toEqual(['| a | 1 |', '| b | 2 |', '| c | 3 |'])
  }
)

test.each(orders)('[FENCE-72] a row that two people move is there once, also if one of them had deleted it (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two(rows, ids)
  actOnSheet(ann, (sheet) => deleteRow(sheet, 1))
  ann.undo.undo()
  actOnSheet(ann, (sheet) => moveRow(sheet, 1, 3))
  actOnSheet(sue, (sheet) => moveRow(sheet, 1, 4))
  actOnSheet(sue, (sheet) => deleteRow(sheet, 3))
  sue.undo.undo()
  all.end()
  expect(rowsOf(all).toSorted()).toEqual(['| a | 1 |', '| b | 2 |', '| c | 3 |'])
})

test('[FENCE-74] after a row was moved, a cell that is set twice offline changes only itself', () => {
  const { all, ann } = two(rows, [1, 2])
  actOnSheet(ann, (sheet) => moveRow(sheet, 3, 1))
  all.goOffline(ann)
  actOnSheet(ann, (sheet) => setCell(sheet, 2, 1, '32'))
  actOnSheet(ann, (sheet) => setCell(sheet, 2, 1, '75'))
  all.end()
  expect(rowsOf(all)).toEqual(['| c | 3 |', '| a | 75 |', '| b | 2 |'])
})

test.each(orders)('[FENCE-76] a cell that two people set has one of the values if one of them moves the row (ids %i and %i)', (...ids) => {
  for (const isUndone of [false, true])
    for (const isFirst of [false, true]) {
      const { all, ann, sue } = two(rows, ids)
      actOnSheet(ann, (sheet) => setCell(sheet, 2, 1, '72'))
      actOnSheet(sue, (sheet) => setCell(sheet, 2, 1, '1'))
      if (isFirst) while (all.receive(sue));
      actOnSheet(ann, (sheet) => moveRow(sheet, 2, 1))
      if (isUndone) ann.undo.undo()
      all.end()
      const moved = isUndone ? ['| a | 1 |', '| b | 1 |', '| c | 3 |'] : ['| b | 1 |', '| a | 1 |', '| c | 3 |']
      expect(rowsOf(all)).toEqual(moved)
    }
})

test.each(orders)('[FENCE-77] a row that was added behind a removed line break is on a line of its own (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two(rows, ids)
  actOnSheet(ann, (sheet) => setCell(sheet, 4, 0, 'd'))
  actOnSheet(sue, (sheet) => moveRow(sheet, 2, 4))
  actOnSheet(sue, (sheet) => moveRow(sheet, 3, 2))
  while (all.receive(sue));
  all.tidy()
  all.end()
  expect(rowsOf(all)).toEqual(['| a | 1 |', '| b | 2 |', '| c | 3 |', '| d |  |'])
})

test.each(orders)('[FENCE-77] a card stays where it was moved to if the line break before it was removed (ids %i and %i)', (...ids) => {
  const all = new Together(boardWith(`- [ ] Alpha\n${beta}`, '- [>] Gamma\n', ''), ['ann', 'sue', 'kim'], [...ids, 3])
  const [ann, sue, kim] = all.pages as [Page, Page, Page]
  act(sue, (board) => moveCard(board, find(board, 'Gamma'), { column: 0, card: 1 }))
  drag(kim, 1)
  drag(ann, 2, 'Beta')
  while (all.receive(ann));
  all.tidy()
  all.end()
  const lines = all.content.split('\n').filter((line) => /^(?:##|-)/.test(line))
  expect(lines).toEqual(['## To do', '- [ ] Gamma', '## In progress', '- [>] Alpha', '## Done', '- [x] Beta'])
})

test.each(orders)('[FENCE-78] words in a new card that undo removes are on a line of their own (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two(start, ids)
  act(ann, (board) => addCard(board, 0, 'Gamma'))
  all.settle()
  act(sue, (board) => renameCard(board, find(board, 'Gamma'), 'Write'))
  ann.undo.undo()
  all.end()
  expect(all.content).toContain('- [ ] Beta\nWrite\n## In progress\n')
})

test.each(orders)(
  '[FENCE-71] a value in a restored row is there once if somebody else has also inserted a row there (ids %i and %i)',
  (...ids) => {
    const { all, ann, sue } = two(rows, ids)
    actOnSheet(ann, (sheet) => setCell(sheet, 1, 1, '43'))
    all.settle()
    actOnSheet(ann, (sheet) => moveRow(sheet, 1, 4))
    ann.undo.undo()
    actOnSheet(sue, (sheet) => setCell(sheet, 1, 1, '9'))
    actOnSheet(sue, (sheet) => moveRow(sheet, 2, 1))
    all.end()
    expect(rowsOf(all).toSorted()).toEqual(['| a | 9 |', '| b | 2 |', '| c | 3 |'])
  }
)

test.each(orders)(
  '[EDIT-112] undo of a move restores the row if the value of somebody else arrived at its old place (ids %i and %i)',
  (...ids) => {
    const { all, ann, sue } = two(rows, ids)
    actOnSheet(sue, (sheet) => setCell(sheet, 2, 1, '37'))
    while (all.receive(sue));
    actOnSheet(ann, (sheet) => moveRow(sheet, 2, 1))
    while (all.show(ann));
    ann.undo.undo()
    all.end()
    expect(rowsOf(all)).toEqual(['| a | 1 |', '| b | 37 |', '| c | 3 |'])
  }
)

test.each(orders)('[FENCE-71] redo of a move puts a row on a line of its own after the service has tidied (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two(rows, ids)
  actOnSheet(ann, (sheet) => moveRow(sheet, 2, 1))
  actOnSheet(ann, (sheet) => moveRow(sheet, 2, 1))
  actOnSheet(sue, (sheet) => moveRow(sheet, 2, 1))
  ann.undo.undo()
  all.end()
  ann.undo.redo()
  all.end()
  expect(rowsOf(all).toSorted()).toEqual(['| a | 1 |', '| b | 2 |', '| c | 3 |'])
})

test.each(orders)('[FENCE-83] undo of a value leaves the row alone if somebody else moved it and undid that (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two(rows, ids)
  actOnSheet(sue, (sheet) => moveRow(sheet, 1, 3))
  sue.undo.undo()
  actOnSheet(ann, (sheet) => setCell(sheet, 1, 1, '14'))
  all.settle()
  ann.undo.undo()
  all.end()
  expect(rowsOf(all)).toEqual([expect.stringMatching(/^\| a \| (?:1|14) \|$/), '| b | 2 |', '| c | 3 |'])
})

test.each(orders)('[FENCE-83] undo of a value leaves the text alone if its row was moved twice (ids %i and %i)', (...ids) => {
  const { all, ann, sue } = two(rows, ids)
  actOnSheet(ann, (sheet) => setCell(sheet, 1, 1, '14'))
  actOnSheet(ann, (sheet) => moveRow(sheet, 1, 3))
  all.settle()
  actOnSheet(sue, (sheet) => moveRow(sheet, 2, 4))
  all.settle()
  ann.undo.undo()
  all.end()
  expect(rowsOf(all).filter((line) => line !== '')).toEqual(['| b | 2 |', '| c | 3 |', '| a | 14 |'])
})

test.each(orders)(
  '[FENCE-84] a row that one person deletes and another one moves is there once after undo of the deletion (ids %i and %i)',
  (...ids) => {
    for (const isUndone of [true, false]) {
      const { all, ann, sue } = two(rows, ids)
      actOnSheet(sue, (sheet) => moveRow(sheet, 1, 3))
      if (isUndone) sue.undo.undo()
      actOnSheet(ann, (sheet) => deleteRow(sheet, 1))
      all.settle()
      actOnSheet(sue, (sheet) => setCell(sheet, isUndone ? 1 : 2, 1, '14'))
      all.settle()
      ann.undo.undo()
      all.end()
      expect(rowsOf(all).toSorted()).toEqual(['| a | 14 |', '| b | 2 |', '| c | 3 |'])
    }
  }
)

test.each(orders)(
  '[FENCE-70] a value stays in its cell while somebody else deletes the row and undoes that offline (ids %i and %i)',
  (...ids) => {
    for (const isEarly of [false, true]) {
      const { all, ann, sue } = two(rows, ids)
      all.goOffline(ann)
      actOnSheet(ann, (sheet) => deleteRow(sheet, 1))
      ann.undo.undo()
      actOnSheet(sue, (sheet) => setCell(sheet, 1, 1, '30'))
      if (isEarly) all.settle()
      all.end()
      expect(rowsOf(all)).toEqual(['| a | 30 |', '| b | 2 |', '| c | 3 |'])
    }
  }
)

test.each(orders)(
  '[FENCE-60] a row stays whole if one person moves it while another one undoes and redoes a move (ids %i and %i)',
  (...ids) => {
    const { all, ann, sue } = two(rows, ids)
    actOnSheet(ann, (sheet) => moveRow(sheet, 3, 1))
    actOnSheet(sue, (sheet) => setCell(sheet, 3, 1, '17'))
    all.settle()
    all.tidy()
    all.settle()
    actOnSheet(sue, (sheet) => moveRow(sheet, 1, 4))
    ann.undo.undo()
    ann.undo.redo()
    all.end()
    expect(rowsOf(all)).toContain('| c | 17 |')
    expect(rowsOf(all).filter((line) => line !== '')).toHaveLength(3)
  }
)

test('[FENCE-46] undo of a deletion after undo and redo restores the row on a line of its own', () => {
  const { all, ann } = two(rows, [1, 2])
  for (const row of [3, 2]) {
    actOnSheet(ann, (sheet) => deleteRow(sheet, row))
    ann.undo.undo()
    ann.undo.redo()
    all.settle()
    all.tidy()
    all.settle()
  }
  for (const line of ['| b | 2 |', '| c | 3 |']) {
    ann.undo.undo()
    all.settle()
    expect(rowsOf(all)).toContain(line)
  }
  expect(rowsOf(all)).toHaveLength(3)
})

test.each(orders)(
  '[FENCE-63] each of two people keeps the value that they set in a row, which one of them moves offline (ids %i and %i)',
  (...ids) => {
    for (const isEarly of [false, true]) {
      const { all, ann, sue } = two('```sheet\n| n | v | w |\n|---|---|---|\n| a | 1 | 2 |\n| b | 3 | 4 |\n```\n', ids)
      all.goOffline(ann)
      actOnSheet(ann, (sheet) => moveRow(sheet, 1, 3))
      actOnSheet(ann, (sheet) => setCell(sheet, 2, 2, '9'))
      actOnSheet(sue, (sheet) => setCell(sheet, 1, 1, '7'))
      if (isEarly) all.settle()
      all.end()
      expect(rowsOf(all)).toEqual(['| b | 3 | 4 |', '| a | 7 | 9 |'])
    }
  }
)

const columns = ['n', 'v', 'note'] as const
const wide = '```sheet\n| n | v | note |\n|---|--:|---|\n| a | 1 |  |\n| b | 2 |  |\n| c | 3 |  |\n```\n'
const columnOf = (page: Page, name: string): number =>
  parseSheet(fenceIn(page.text.toString())).rows[0]?.cells.findIndex(({ text }) => text === name) ?? -1

describe.each(orders)('ids %i and %i', (...ids) => {
  /** Returns the cells below each heading after one person moved a column and another one set a cell. */
  const cellsAfter = (when: string, steps: number, [from, to]: readonly [number, number], name: string): string[] => {
    const { all, ann, sue } = two(wide, ids)
    const set = (): void => actOnSheet(sue, (sheet) => setCell(sheet, 2, columnOf(sue, name), 'NEW'))
    if (when.endsWith('offline')) all.goOffline(when === 'she is offline' ? ann : sue)
    if (when !== 'after the move' && when !== 'before the move arrives') set()
    if (when === 'at the same time') while (all.receive(sue));
    actOnSheet(ann, (sheet) => moveColumn(sheet, from, to))
    if (when === 'after the move') {
      all.settle()
      set()
      all.settle()
    }
    if (steps > 0) ann.undo.undo()
    if (steps > 1) ann.undo.redo()
    if (when === 'before the move arrives') {
      while (all.receive(ann));
      set()
    }
    all.end()
    const { rows } = parseSheet(fenceIn(all.content))
    expect(all.content).toMatch(/^```sheet\n(?:\|.*\|\n){5}```\n$/)
    expect(all.content).toMatch(/\| (?:b|NEW) \|/)
    return columns.map((each) =>
      rows
        .slice(1)
        .map(({ cells }) => cells[columnOf(sue, each)]?.text)
        .join()
    )
  }
  const moves = [
    [1, 0],
    [0, 3],
    [1, 3]
  ] as const
  const times = ['at the same time', 'after the move', 'before the move arrives', 'she is offline', 'the other one is offline'] as const

  test.each(times)('[FENCE-79] a value that somebody sets while a column is moved stays in its cell: %s', (when) => {
    for (const move of moves)
      for (const steps of [0, 1, 2]) {
        expect(cellsAfter(when, steps, move, 'n')).toEqual(['a,NEW,c', '1,2,3', ',,'])
        expect(cellsAfter(when, steps, move, 'v')).toEqual(['a,b,c', '1,NEW,3', ',,'])
        expect(cellsAfter(when, steps, move, 'note')).toEqual(['a,b,c', '1,2,3', ',NEW,'])
      }
  })

  test('[FENCE-81] undo of a move of a column changes nothing if somebody else has moved a row or a column since', () => {
    for (const change of [moveRow, moveColumn]) {
      const { all, ann, sue } = two(wide, ids)
      actOnSheet(ann, (sheet) => moveColumn(sheet, 1, 0))
      all.settle()
      actOnSheet(sue, (sheet) => change(sheet, 2, 1))
      all.settle()
      const { content } = all
      ann.undo.undo()
      all.end()
      expect(all.content.replaceAll('\n\n', '\n')).toBe(content.replaceAll('\n\n', '\n'))
    }
  })

  test('[FENCE-85] redo of a column move keeps a value that somebody else set since', () => {
    const { all, ann, sue } = two(wide, ids)
    actOnSheet(ann, (sheet) => moveColumn(sheet, 1, 0))
    all.settle()
    actOnSheet(sue, (sheet) => setCell(sheet, 3, 1, '9'))
    all.settle()
    ann.undo.undo()
    all.settle()
    const undone = all.content
    ann.undo.redo()
    all.end()
    expect(all.content).toBe(undone)
    expect(undone).toContain('| 9 | 3 |')
  })

  /** Moves a column, changes the sheet by somebody else, and undoes the move, `steps` times back and forth. Returns the cells below each heading. */
  const cellsWith = (
    change: (sue: Page) => void,
    [from, to]: readonly [number, number],
    steps: number,
    when: 'after' | 'late' | 'offline' = 'after'
  ): string[] => {
    const { all, ann, sue } = two(wide, ids)
    for (const text of ['x', '']) actOnSheet(sue, (sheet) => setCell(sheet, 1, 2, text))
    all.settle()
    if (when === 'offline') all.goOffline(sue)
    actOnSheet(ann, (sheet) => moveColumn(sheet, from, to))
    all.settle()
    change(sue)
    if (when === 'offline') all.goOnline(sue)
    if (when !== 'late') all.settle()
    for (let step = 0; step < steps; step++) {
      if (step % 2 === 0) ann.undo.undo()
      else ann.undo.redo()
      all.settle()
    }
    all.end()
    expect(all.content).toMatch(/^```sheet\n(?:\|.*\|\n)+```\n$/)
    const { rows } = parseSheet(fenceIn(all.content))
    return columns.map((each) =>
      rows
        .slice(1)
        .map(({ cells }) => cells[columnOf(ann, each)]?.text)
        .join()
    )
  }
  const allMoves = [0, 1, 2].flatMap((from) => [0, 1, 2, 3].flatMap((to) => (to === from || to === from + 1 ? [] : [[from, to] as const])))

  const lists = [
    ['a', 'b', 'c'],
    ['1', '2', '3'],
    ['', '', '']
  ] as const
  const added = ['d', '4', 'new'] as const
  const addRow = (page: Page, row: number): void => {
    if (row < 4) actOnSheet(page, (sheet) => insertRow(sheet, row))
    for (const [at, name] of columns.entries()) actOnSheet(page, (sheet) => setCell(sheet, row, columnOf(page, name), added[at] ?? ''))
  }
  /** Returns the cells below each heading if somebody has added that row, `count` times. */
  const cellsAdded = (row: number, count: number): string[] =>
    lists.map((list, at) => {
      const cells = [...list, ...(row === 5 ? [''] : [])]
      return cells.toSpliced(row - 1, 0, ...Array.from({ length: count }, () => added[at] ?? '')).join()
    })

  test.each([1, 2, 3, 4, 5])(
    '[FENCE-86] undo of a column move moves the cells of rows that somebody else has added as row %i since',
    (row) => {
      for (const move of allMoves)
        for (const count of row < 4 ? [1, 2] : [1])
          for (const steps of [0, 1, 2, 3]) {
            const add = (sue: Page): void => Array.from({ length: count }).forEach(() => addRow(sue, row))
            expect([move, steps, ...cellsWith(add, move, steps)]).toEqual([move, steps, ...cellsAdded(row, count)])
          }
    }
  )

  test('[FENCE-86] undo of a column move leaves the cells of a row alone whose author did not know of the move', () => {
    for (const row of [1, 2, 3, 4, 5])
      for (const move of allMoves)
        for (const steps of [1, 3]) {
          const add = (sue: Page): void => addRow(sue, row)
          expect([row, move, steps, ...cellsWith(add, move, steps, 'offline')]).toEqual([row, move, steps, ...cellsAdded(row, 1)])
        }
  })

  test('[FENCE-86] undo of two column moves moves the cells of a row that somebody else has added since', () => {
    const { all, ann, sue } = two(wide, ids)
    for (const column of [1, 2]) actOnSheet(ann, (sheet) => moveColumn(sheet, column, 0))
    all.settle()
    addRow(sue, 4)
    all.settle()
    const rowNow = (): string => parseSheet(fenceIn(all.content)).rows[4]?.line.text ?? ''
    const seen = [rowNow()]
    for (const step of [ann.undo.undo, ann.undo.undo, ann.undo.redo, ann.undo.redo]) {
      step.call(ann.undo)
      all.settle()
      seen.push(rowNow())
    }
    const [both, one, none] = ['| new | 4 | d |', '| 4 | d | new |', '| d | 4 | new |']
    expect(seen).toEqual([both, one, none, one, both])
  })

  test('[FENCE-87] undo of a column move leaves a cell empty that somebody else has emptied since', () => {
    for (const [column, name] of columns.entries())
      for (const row of [1, 2, 3])
        for (const move of allMoves)
          for (const when of ['after', 'late', 'offline'] as const)
            for (const steps of [0, 1]) {
              const wanted = lists.map((list, at) => (at === column ? list.toSpliced(row - 1, 1, '') : list).join())
              const empty = (sue: Page): void => actOnSheet(sue, (sheet) => setCell(sheet, row, columnOf(sue, name), ''))
              expect([name, row, move, when, steps, ...cellsWith(empty, move, steps, when)]).toEqual([
                name,
                row,
                move,
                when,
                steps,
                ...wanted
              ])
            }
  })

  test('[FENCE-88] redo repeats each of several steps that moved columns or set cells, as often as they are undone', () => {
    for (const first of allMoves)
      for (const second of allMoves) {
        const { all, ann, sue } = two(wide, ids)
        actOnSheet(sue, (sheet) => setCell(sheet, 1, 2, 'x'))
        all.settle()
        const texts = [all.content]
        for (const edits of [
          (sheet: Sheet) => moveColumn(sheet, ...first),
          (sheet: Sheet) => setCell(sheet, 2, 1, 'NEW'),
          (sheet: Sheet) => moveColumn(sheet, ...second)
        ]) {
          actOnSheet(ann, edits)
          all.settle()
          texts.push(all.content)
        }
        const seen = ['undo', 'undo', 'undo', 'redo', 'redo', 'redo', 'undo', 'undo', 'undo'].map((step) => {
          ann.undo[step === 'undo' ? 'undo' : 'redo']()
          all.settle()
          return texts.indexOf(all.content)
        })
        expect([first, second, ...seen]).toEqual([first, second, 2, 1, 0, 1, 2, 3, 2, 1, 0])
      }
  })

  test('[FENCE-89] a value that a person set in a column that they moved appears nowhere if redo of the move changes nothing', () => {
    for (const row of [1, 2, 3])
      for (const [move, name] of allMoves.flatMap((each) => columns.map((column) => [each, column] as const))) {
        const { all, ann, sue } = two(wide, ids)
        actOnSheet(ann, (sheet) => moveColumn(sheet, ...move))
        actOnSheet(ann, (sheet) => setCell(sheet, row, columnOf(ann, name), 'NEW'))
        ann.undo.undo()
        ann.undo.undo()
        all.settle()
        actOnSheet(sue, (sheet) => setCell(sheet, 1, 1, '9'))
        all.settle()
        const { content } = all
        ann.undo.redo()
        ann.undo.redo()
        all.end()
        expect(all.content).toBe(content)
      }
  })

  test('[FENCE-89] an earlier value of a row appears nowhere if undo of a column move changes nothing', () => {
    for (const row of [1, 2, 3])
      for (const [move, name] of allMoves.flatMap((each) => columns.map((column) => [each, column] as const))) {
        for (const change of [moveRow, moveColumn]) {
          const { all, ann, sue } = two(wide, ids)
          actOnSheet(ann, (sheet) => setCell(sheet, row, columnOf(ann, name), 'NEW'))
          actOnSheet(ann, (sheet) => moveColumn(sheet, ...move))
          all.settle()
          actOnSheet(sue, (sheet) => change(sheet, 2, 1))
          all.end()
          const { content } = all
          ann.undo.undo()
          ann.undo.undo()
          all.end()
          expect(all.content.replaceAll('\n\n', '\n')).toBe(content.replaceAll('\n\n', '\n'))
        }
      }
  })

  test('[FENCE-82] a sheet whose columns two people move at the same time has each row once, in the same order', () => {
    const { all, ann, sue } = two(wide, ids)
    actOnSheet(ann, (sheet) => moveColumn(sheet, 1, 0))
    actOnSheet(sue, (sheet) => moveColumn(sheet, 2, 0))
    all.end()
    expect([
      '| v | n | note |,|--:|---|---|,| 1 | a |  |,| 2 | b |  |,| 3 | c |  |',
      '| note | n | v |,|---|---|--:|,|  | a | 1 |,|  | b | 2 |,|  | c | 3 |'
    ]).toContain(all.content.split('\n').slice(1, -2).join())
  })
})

test.each(orders)(
  '[EDIT-110] undo of a move leaves each line of the page alone if somebody else changed the card (ids %i and %i)',
  (...ids) => {
    const { all, ann, sue } = two(start, ids)
    drag(ann, 2)
    act(sue, (board) => renameCard(board, find(board, 'Alpha'), 'Alphabet'))
    all.settle()
    ann.undo.undo()
    expect(parseBoard(fenceIn(ann.text.toString())).columns.map(({ title }) => title.text)).toEqual(['To do', 'In progress', 'Done'])
    drag(ann, 2, 'Beta')
    all.end()
    expect(shown(all)).toBe(boardWith('- [ ] Alphabet\n', '', '- [x] Beta\n'))
  }
)

test('[EDIT-111] undo of the addition of a card that somebody else has moved away joins no lines', () => {
  const { all, ann, sue } = two(start, [2, 1])
  act(ann, (board) => addCard(board, 2, 'Gamma'))
  all.settle()
  drag(sue, 1, 'Gamma')
  drag(ann, 0, 'Gamma')
  all.settle()
  all.tidy()
  all.settle()
  ann.undo.undo()
  all.end()
  expect(shown(all)).toBe(boardWith(`- [ ] Alpha\n${beta}`, '- [>] Gamma\n', ''))
})

// ——— blocks, list items and rows of tables ———

/** Carries out a command of the editor with the text of a page. */
const command = (page: Page, anchor: string, run: (view: EditorView) => boolean): void => {
  const doc = page.text.toString()
  let state = EditorState.create({ doc, selection: { anchor: doc.indexOf(anchor) }, extensions: [markdown()] })
  ensureSyntaxTree(state, doc.length, 60_000)
  const edits: Edit[] = []
  const view = {
    get state() {
      return state
    },
    dispatch(spec: TransactionSpec) {
      const transaction = state.update(spec)
      transaction.changes.iterChanges((from, to, _from, _to, insert) => edits.push({ from, to, insert: insert.toString() }))
      state = transaction.state
    }
  }
  expect(run(view as unknown as EditorView)).toBe(true)
  page.change(edits)
}
const dragBlock = (page: Page, words: string, to: number): void =>
  command(page, words, (view) => {
    const { state } = view
    const at = state.selection.main.head
    const units = siblingsOf(state, at)
    const index = indexAt(units, at)
    return moveBlocks(view, { units, run: { first: index, last: index } }, to, false)
  })
const dragRow = (page: Page, words: string, to: number): void =>
  command(page, words, (view) => moveRowTo(view, tableAt(view.state) as TablePosition, to))
const type = (page: Page, after: string, words: string): void => {
  const at = page.text.toString().indexOf(after) + after.length
  page.change([{ from: at, to: at, insert: words }])
}

const texts = [
  [
    'a paragraph, typing in the middle',
    'alpha para\n\nbeta para\n\ngamma para here',
    (page: Page) => dragBlock(page, 'gamma', 0),
    'gamma para',
    'gamma para ONE TWO here\n\nalpha para\n\nbeta para'
  ],
  [
    'a paragraph, typing at the end',
    'alpha para\n\nbeta para\n\ngamma para',
    (page: Page) => dragBlock(page, 'gamma', 0),
    'gamma para',
    'gamma para ONE TWO\n\nalpha para\n\nbeta para'
  ],
  [
    'an item with a number',
    '1. alpha\n2. beta\n3. gamma item\n4. delta\n',
    (page: Page) => dragBlock(page, 'gamma', 0),
    'gamma',
    '1. gamma ONE TWO item\n2. alpha\n3. beta\n4. delta\n'
  ],
  [
    'a row of a table',
    '| a | b |\n|---|---|\n| one | 1 |\n| two | 2 |\n| three | 3 |\n| four | 4 |\n',
    (page: Page) => dragRow(page, 'four', 3),
    '| four',
    '| a | b |\n|---|---|\n| four ONE TWO | 4 |\n| one | 1 |\n| two | 2 |\n| three | 3 |\n'
  ]
] as const

describe.each(orders)('ids %i and %i', (...ids) => {
  test.each(texts)(
    '[BLOCK-41] [GRID-110] words follow to the place to which somebody else dragged %s',
    (_name, start, drag, after, end) => {
      for (const kind of ['typed on the way', 'typed offline', 'dragged offline']) {
        const { all, ann, sue } = two(start, ids)
        if (kind !== 'typed on the way') all.goOffline(kind === 'typed offline' ? ann : sue)
        type(ann, after, ' ONE')
        if (kind === 'typed on the way') all.settle()
        drag(sue)
        if (kind === 'typed on the way') while (all.receive(sue));
        type(ann, `${after} ONE`, ' T')
        type(ann, `${after} ONE T`, 'WO')
        all.end()
        expect(`${kind}: ${all.content}`).toBe(`${kind}: ${end}`)
        for (const { text } of all.pages) expect(text.toString()).toBe(all.content)
      }
    }
  )

  test('[BLOCK-42] words at the beginning of a paragraph follow to the place to which somebody else dragged it', () => {
    for (const kind of ['typed on the way', 'typed offline', 'dragged offline']) {
      const { all, ann, sue } = two('alpha para\n\nbeta para\n\ngamma para', ids)
      if (kind !== 'typed on the way') all.goOffline(kind === 'typed offline' ? ann : sue)
      type(ann, 'beta para\n\n', 'ONE ')
      if (kind === 'dragged offline') all.settle()
      dragBlock(sue, 'gamma', 0)
      if (kind === 'typed on the way') while (all.receive(sue));
      type(ann, 'beta para\n\nONE ', 'TWO ')
      all.end()
      expect(`${kind}: ${all.content}`).toBe(`${kind}: ONE TWO gamma para\n\nalpha para\n\nbeta para`)
    }
  })

  test('[BLOCK-42] a new paragraph stays at the old place of the one that somebody else dragged away from below it', () => {
    for (const isOffline of [false, true]) {
      const { all, ann, sue } = two('alpha para\n\nbeta para\n\ngamma para\n\ndelta para', ids)
      if (isOffline) all.goOffline(ann)
      type(ann, 'beta para\n\n', 'ONE\n\n')
      dragBlock(sue, 'gamma', 0)
      all.end()
      expect(all.content).toBe('gamma para\n\nalpha para\n\nbeta para\n\nONE\n\ndelta para')
    }
  })

  const inserts = [
    ['above the dragged paragraph', 'alpha\n\nbeta\n\ngamma\n\ndelta', 'beta\n\n', 'ONE\n\n', 'gamma\n\nalpha\n\nbeta\n\nONE\n\ndelta'],
    ['below the first paragraph', 'alpha\n\nbeta\n\ngamma', 'alpha', '\n\nONE', 'gamma\n\nalpha\n\nONE\n\nbeta'],
    ['above the last item', '- alpha\n- beta\n- gamma', 'beta\n', '- ONE\n', '- gamma\n- alpha\n- beta\n- ONE\n'],
    ['above an item', '- alpha\n- beta\n- gamma\n- delta\n', 'beta\n', '- ONE\n', '- gamma\n- alpha\n- beta\n- ONE\n- delta\n']
  ] as const
  test.each(inserts)('[BLOCK-43] a line that somebody inserts %s is joined with no other line', (_name, start, after, words, end) => {
    for (const kind of ['online', 'typed offline', 'dragged offline'])
      for (const isFirst of [false, true]) {
        const { all, ann, sue } = two(start, ids)
        if (kind !== 'online') all.goOffline(kind === 'typed offline' ? ann : sue)
        type(ann, after, words)
        dragBlock(sue, 'gamma', 0)
        if (isFirst) while (all.receive(sue));
        all.end()
        expect(`${kind}: ${all.content}`).toBe(`${kind}: ${end}`)
      }
  })

  const dragged = [
    ['a paragraph', 'alpha is a longer line\n\nbeta is a longer line\n\ngamma\n\ndelta is a longer line\n\nepsilon is a longer line'],
    [
      'a paragraph of two lines',
      'alpha is a longer line\n\nbeta is a longer line\n\ngamma\nsecond\n\ndelta is a longer line\n\nepsilon is a longer line'
    ],
    ['an item', '- alpha is a longer line\n- beta is a longer line\n- gamma\n- delta is a longer line\n- epsilon is a longer line'],
    [
      'an item with others below it',
      '- alpha is a longer line\n- beta is a longer line\n- gamma\n  - inner\n- delta is a longer line\n- epsilon is a longer line'
    ]
  ] as const
  test.each(dragged)('[BLOCK-47] %s that two people drag at the same time is there once', (_name, start) => {
    const lines = (text: string): string[] =>
      text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .toSorted()
    for (const kind of ['online', 'one of them offline'])
      for (const [steps, to] of [
        [0, 4],
        [1, 4],
        [2, 4],
        [0, 5],
        [1, 5],
        [2, 5]
      ] as const) {
        const { all, ann, sue } = two(start, ids)
        if (kind !== 'online') all.goOffline(ann)
        dragBlock(ann, 'gamma', 0)
        dragBlock(sue, 'gamma', to)
        if (steps > 0) ann.undo.undo()
        if (steps > 1) sue.undo.undo()
        all.end()
        expect(`${kind} ${steps} ${to} ${lines(all.content).join()}`).toEqual(`${kind} ${steps} ${to} ${lines(start).join()}`)
        for (const { text } of all.pages) expect(text.toString()).toBe(all.content)
      }
  })

  test('[BLOCK-43] a line that somebody inserts below a paragraph that was dragged down is joined with no other line', () => {
    const { all, ann, sue } = two('alpha\n\nbeta is longer\n\ngamma\n', ids)
    type(ann, 'alpha', '\n\nONE')
    dragBlock(sue, 'alpha', 2)
    all.end()
    expect(all.content.trim()).toBe('ONE\n\nbeta is longer\n\nalpha\n\ngamma')
  })

  test.each([
    ['the middle', 'gam', 'gamma para'],
    ['the beginning', 'beta\n\n', 'gamma para']
  ])('[BLOCK-44] Enter in %s of a paragraph that somebody else has dragged away loses no words', (_name, after, end) => {
    const { all, ann, sue } = two('alpha\n\nbeta\n\ngamma para\n\ndelta', ids)
    dragBlock(sue, 'gamma', 0)
    while (all.receive(sue));
    type(ann, after, '\n')
    all.receive(ann)
    type(ann, after, '\n')
    all.end()
    expect(all.content).toMatch(new RegExp(`^${end}\\n\\nalpha\\n\\nbeta\\n+delta$`))
  })

  test('[BLOCK-44] words before a dragged paragraph return to the old place if their author then types Enter', () => {
    const { all, ann, sue } = two('alpha\n\nbeta\n\ngamma\n\ndelta', ids)
    dragBlock(sue, 'gamma', 0)
    while (all.receive(sue));
    for (const [at, letter] of Array.from('ONE\n\n').entries()) {
      type(ann, `beta\n\n${'ONE\n'.slice(0, at)}`, letter)
      all.receive(ann)
      while (all.repair());
    }
    all.end()
    expect(all.content).toMatch(/^gamma\n\nalpha\n\nbeta\n\nONE\n+delta$/)
  })

  test('[BLOCK-41] words stay at the end of a block from below which somebody else has dragged another one', () => {
    const { all, ann, sue } = two('alpha para\n\nbeta para\n\ngamma para', ids)
    dragBlock(sue, 'gamma', 0)
    sue.undo.undo()
    sue.undo.redo()
    all.settle()
    type(ann, 'beta para', ' ONE')
    type(ann, 'beta para ONE', ' TWO')
    all.end()
    expect(all.content).toBe('gamma para\n\nalpha para\n\nbeta para ONE TWO')
  })
})

/** Rows of Markdown tables as text. */
import { ChangeSet, Text } from '@codemirror/state'
import { expect, test } from 'vitest'
import { columnsFor } from '../web/editor/grid/widths.ts'
import { longestRun, sortedOrder } from '../web/editor/table-order.ts'
import { escapeCell, markdownTable, tabbedRows } from '../web/editor/paste/table-text.ts'
import { addCell, alignCell, cellAt, isDelimiter, lineUp, removeCell, rowOf, moveCell, type Row } from '../web/editor/table-rows.ts'

const docOf = (text: string): Text => Text.of(text.split('\n'))
const rowsOf = (doc: Text): Row[] => Array.from({ length: doc.lines }, (_, at) => rowOf(doc.line(at + 1)))

/** A table after `change` of each row. */
function changed(text: string, change: (row: Row, doc: Text) => Parameters<typeof ChangeSet.of>[0]): string {
  const doc = docOf(text)
  return ChangeSet.of(
    rowsOf(doc).map((row) => change(row, doc)),
    doc.length
  )
    .apply(doc)
    .toString()
}

const table = '| a | b |\n| --- | --- |\n| 1 |'
const bare = 'a | b\n--- | ---\n1 | 2'

test('[WRITE-6] cells are what stands between bars, escaped bars and the edges aside', () => {
  const doc = docOf(String.raw`> | a \| b | c |`)
  const row = rowOf(doc.line(1))
  expect(row.cells.map(({ from, to }) => doc.sliceString(from, to))).toEqual([String.raw` a \| b `, ' c '])
  expect([row.lead, row.closed, cellAt(row, doc.length)]).toEqual(['> ', true, 1])
  expect(rowOf(docOf('a|b').line(1)).cells).toHaveLength(2)
  expect(['|---|', ':-: | -:', '| - |', '> | --- | --- |'].map(isDelimiter)).toEqual([true, true, true, true])
  expect(['| a |', '', '| |', '|'].map(isDelimiter)).toEqual([false, false, false, false])
})

test('[WRITE-7] a column is added, taken out and moved in every row with the fewest characters', () => {
  expect(changed(table, (row) => addCell(row, 1))).toBe('| a |  | b |\n| --- | --- | --- |\n| 1 |  |')
  expect(changed(table, (row) => addCell(row, 2))).toBe('| a | b |  |\n| --- | --- | --- |\n| 1 |')
  expect(changed(bare, (row) => addCell(row, 0))).toBe('|  |a | b\n| --- |--- | ---\n|  |1 | 2')
  expect(changed(bare, (row) => addCell(row, 2))).toBe('a | b |  |\n--- | --- | --- |\n1 | 2 |  |')
  expect(changed(table, (row) => removeCell(row, 1))).toBe('| a |\n| --- |\n| 1 |')
  expect(changed(bare, (row) => removeCell(row, 1))).toBe('a \n--- \n1 ')
  expect(changed(table, (row, doc) => moveCell(doc, row, 1, 0))).toBe('| b | a |\n| --- | --- |\n| 1 |')
})

test('[WRITE-8] alignment is one delimiter; columns are lined up when asked, wide characters counted as wide', () => {
  const doc = docOf('| ----- |')
  const cell = rowOf(doc.line(1)).cells[0]!
  const aligned = (alignment: 'left' | 'center' | 'right' | 'none'): string =>
    ChangeSet.of(alignCell(doc, cell, alignment), doc.length)
      .apply(doc)
      .toString()
  expect(['left', 'center', 'right', 'none'].map((each) => aligned(each as 'left'))).toEqual([
    '| :---- |',
    '| :---: |',
    '| ----: |',
    '| ----- |'
  ])
  const crooked = docOf('|name|n|\n|:-|-|\n|日本|1|')
  expect(
    ChangeSet.of(lineUp(crooked, rowsOf(crooked)), crooked.length)
      .apply(crooked)
      .toString()
  ).toBe('| name | n   |\n| :--- | --- |\n| 日本 | 1   |')
})

test('[WRITE-9] what a spreadsheet copies is a table: quoted cells, bars and line ends; indented text is not', () => {
  expect(tabbedRows('a\tb\n1\t"2\n""x"""\n')).toEqual([
    ['a', 'b'],
    ['1', '2\n"x"']
  ])
  expect(tabbedRows('a\t\n\tb')).toEqual([
    ['a', ''],
    ['', 'b']
  ])
  for (const text of ['no tabs', '\tindented\n\tcode', 'a\tb\nc']) expect(tabbedRows(text)).toBeUndefined()
  expect(escapeCell(' a|b\nc ')).toBe(String.raw`a\|b<br>c`)
  expect(markdownTable([['a', 'b'], ['1']])).toBe('| a | b |\n| --- | --- |\n| 1 |  |')
})

test('[GRID-4] rows are ordered by a column: numbers by what they are, words as people do, empty ones last', () => {
  const order = (texts: readonly string[], descending = false): string[] =>
    sortedOrder(texts, descending).map((index) => texts[index] ?? '')
  expect(order(['10', '9', '', '1,5', '−2', '1,000'])).toEqual(['−2', '1,5', '9', '10', '1,000', ''])
  expect(order(['10 €', '9 €', ''], true)).toEqual(['10 €', '9 €', ''])
  expect(order(['b10', 'B9', 'ä', '3'])).toEqual(['3', 'ä', 'B9', 'b10'])
  // Equal ones keep their order in either direction.
  expect(sortedOrder(['a', 'A', 'a'], true)).toEqual([0, 1, 2])
  // Of five rows only the one that is out of order moves.
  expect([...longestRun([1, 2, 3, 0, 4])].toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4])
  expect(longestRun([2, 1, 0]).size).toBe(1)
  expect(longestRun([]).size).toBe(0)
})

test('[GRID-5] a cell is moved by itself: those that it passes stay as they are', () => {
  const row = '| a | b | c | d |'
  const moved = (column: number, to: number): string => changed(row, (found, doc) => moveCell(doc, found, column, to))
  expect([moved(0, 2), moved(3, 1), moved(1, 2), moved(2, 0)]).toEqual([
    '| b | c | a | d |',
    '| a | d | b | c |',
    '| a | c | b | d |',
    '| c | a | b | d |'
  ])
  const doc = docOf(row)
  const touched: number[] = []
  ChangeSet.of(moveCell(doc, rowOf(doc.line(1)), 0, 2), doc.length).iterChangedRanges((from, to) => touched.push(to - from))
  // One cell goes out and comes in again.
  expect(touched).toEqual([4, 0])
  expect(changed('a | b | c', (found, text) => moveCell(text, found, 2, 0))).toBe(' c|a | b ')
})

test('[GRID-8] columns are as wide as their texts ask for, within bounds', () => {
  const columns = columnsFor([
    ['id', 'words'],
    ['1', 'x'.repeat(500)],
    ['[a](https://example.org/very-long-address)', 'one<br>two']
  ])
  const [narrow, wide] = [...columns.matchAll(/minmax\((\d+)px,(\d+)px\)/g)].map(([, least, most]) => [Number(least), Number(most)])
  expect(narrow).toEqual([52, 52])
  expect(wide).toEqual([150, 560])
})

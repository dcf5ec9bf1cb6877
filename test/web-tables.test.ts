/** Rows of Markdown tables as text. */
import { ChangeSet, Text } from '@codemirror/state'
import { expect, test } from 'vitest'
import {
  addCell,
  alignCell,
  cellAt,
  escapeCell,
  isDelimiter,
  lineUp,
  markdownTable,
  removeCell,
  rowOf,
  moveCell,
  tabbedRows,
  type Row
} from '../web/editor/table-rows.ts'

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

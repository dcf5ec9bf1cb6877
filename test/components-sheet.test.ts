/** The rules of sheets that need no page: one person's session in a grid (shared/components/sheet-session.ts). */
import { expect, test } from 'vitest'
import { type Area, areaBetween, type Axis, copied, type CellPosition, textAt } from '../shared/components/cell-range.ts'
import type { Key } from '../shared/components/key.ts'
import { areaOf, inside, sizeOf } from '../shared/components/sheet-selection.ts'
import { sheetStep } from '../shared/components/sheet-session.ts'
import {
  beginSheet,
  growsOn,
  type SheetEvent,
  type SheetOutcome,
  type SheetState,
  type SheetWorld,
  takesCells
} from '../shared/components/sheet-state.ts'
import { refusalOf, stepOf } from '../shared/components/sheet-shape.ts'
import { fencesOf } from '../shared/fences/fences.ts'
import { parseChart } from '../shared/fences/chart.ts'
import { chartTableOf } from '../shared/fences/chart-data.ts'
import { type Change, formulaCopied } from '../shared/fences/formula/rewrite.ts'
import { tableOf } from '../shared/fences/sheet-edits.ts'
import { parseSheet } from '../shared/fences/sheet.ts'
import type { Table } from '../shared/fences/table.ts'
import { limits } from '../shared/limits.ts'
import { applyEdits } from '../shared/text/diff.ts'
import { announced } from '../web/components/sheet-words.ts'
import { fenceOf, plainKey } from './support/components.ts'

const read = (text: string): Table => tableOf(parseSheet(fenceOf(text)))
const sheetOf = (...rows: readonly string[]): Table => read(`\`\`\`sheet\n${rows.join('\n')}\n\`\`\`\n`)
const three = sheetOf('| A | B | C |', '|---|---|---|', '| 1 | 2 | 3 |', '| 4 | =A2 | 6 |')
const place = (row: number, column: number): CellPosition => ({ row, column })
const [tab, back, enter] = [place(0, 1), place(0, -1), place(1, 0)]

/** A person's grid, with the person's steps and the writes that result from them. `index` is the index of the sheet in the text. */
class Grid {
  text: string
  index: number
  state: SheetState = beginSheet
  last: SheetOutcome = { state: beginSheet }
  /** The tables before each write of this person. */
  readonly written: string[] = []
  held: SheetWorld['held'] = new Map()
  /** The sheets that the page does not draw. */
  readonly hidden = new Set<number>()
  mayChange = true
  isPicking = false
  isWriting = false
  isSuggesting = false
  hasDecimalComma = false
  hasGermanNames = false

  constructor(text: Table | string = three, index = 0) {
    this.text = typeof text === 'string' ? text : text.fence.source
    this.index = index
  }

  get sheets() {
    return fencesOf(this.text)
      .filter(({ kind }) => kind === 'sheet')
      .map(parseSheet)
  }

  get table(): Table {
    const sheet = this.sheets[Math.max(0, this.index)]
    if (sheet === undefined) throw new Error('there is no sheet')
    return tableOf(sheet)
  }

  get texts(): Table['texts'] {
    return this.table.texts
  }

  get size() {
    return sizeOf(this.state.selection, this.table)
  }

  get at(): CellPosition {
    return inside(this.state.selection, this.table, this.state.selection.from)
  }

  get to(): CellPosition {
    return inside(this.state.selection, this.table, this.state.selection.end)
  }

  /** The text of the field, with `|` at the ends of its selection. */
  get field(): string | undefined {
    const { begun, draft } = this.state
    if (begun === undefined) return undefined
    const { text, from, to } = draft
    return from === to ? `${text.slice(0, from)}|${text.slice(from)}` : `${text.slice(0, from)}|${text.slice(from, to)}|${text.slice(to)}`
  }

  /** The message of the last step. */
  get said(): string | undefined {
    const { announcement } = this.last
    return announcement && announced(announcement, false)
  }

  step(event: SheetEvent): this {
    const { index, table, sheets, mayChange, isPicking, isWriting, isSuggesting, hasDecimalComma, hasGermanNames, held } = this
    const world = { table, sheets, index, mayChange, isPicking, isWriting, isSuggesting, hasDecimalComma, hasGermanNames, held }
    const outcome = sheetStep(this.state, event, world)
    this.last = outcome
    this.state = outcome.state
    if (outcome.edits !== undefined) {
      this.written.push(this.text)
      const edits = outcome.edits(table, fencesOf(this.text))
      this.text = applyEdits(
        this.text,
        edits.toSorted((one, other) => one.from - other.from)
      )
    }
    if (outcome.next !== undefined) this.step(outcome.next)
    if (outcome.action?.kind === 'show') {
      const { sheets: wanted } = outcome.action
      const sheet = wanted.find((each) => !this.hidden.has(each)) ?? wanted.at(-1) ?? 0
      this.step({ kind: 'sheet shown', sheet, draft: this.state.draft })
    }
    return this
  }

  go(row: number, column: number, isRange = false): this {
    return this.step({ kind: 'go', place: place(row, column), isRange })
  }

  goOn(step: CellPosition, isWritten = true): this {
    return this.step({ kind: 'go on', place: this.at, step, isWritten, isElsewhere: false })
  }

  /** Presses a key in the grid, or in the field while a cell is being edited. */
  key(key: string, held: Partial<Key> = {}): this {
    const pressed = { ...plainKey, ...held, key }
    const { begun, draft } = this.state
    return this.step(begun === undefined ? { kind: 'key', key: pressed } : { kind: 'field key', key: pressed, draft })
  }

  /** Types text at the caret of the field. The first letter opens the cell if none is being edited. */
  type(text: string): this {
    if (this.state.begun === undefined) return this.key(text.slice(0, 1)).type(text.slice(1))
    const { draft } = this.state
    const at = draft.from + text.length
    return this.step({
      kind: 'typed',
      draft: { text: draft.text.slice(0, draft.from) + text + draft.text.slice(draft.to), from: at, to: at }
    })
  }

  /** Moves the caret of the field. */
  cursor(at: number): this {
    const { draft } = this.state
    return this.step({ kind: 'typed', draft: { ...draft, from: at, to: at } })
  }

  /** Clicks a cell of a sheet while a formula is being edited. A formula that takes no reference is saved. */
  click(sheet: number, row: number, column: number, isRange = false): this {
    const { draft } = this.state
    if (takesCells(this.state)) return this.step({ kind: 'point', draft, sheet, place: place(row, column), isRange })
    const shown = this.state.pointing.pointed?.sheet ?? this.index
    return this.step({ kind: 'left', draft, on: shown, isMoved: false })
  }

  /** Other people change the text. */
  others(find: string, replace: string): this {
    expect(this.text).toContain(find)
    this.text = this.text.replace(find, replace)
    return this.step({ kind: 'changed', draft: this.state.draft })
  }
}

test.each([
  [[tab, enter], place(2, 0)],
  [[tab, tab, enter], place(2, 0)],
  [[tab, back, enter], place(2, 0)],
  [[enter], place(2, 0)],
  [[tab, tab, tab, enter], place(3, 0)],
  [[tab, tab, tab, tab, enter], place(3, 0)]
])('[COMP-60] after %j the cursor is at %j', (taken, wanted) => {
  const grid = new Grid().go(1, 0)
  for (const step of taken) grid.goOn(step)
  expect(grid.at).toEqual(wanted)
})

test('[COMP-60] a cell reached in another way begins its row', () => {
  expect(new Grid().go(1, 0).goOn(tab).go(1, 2).goOn(enter).at).toEqual(place(2, 2))
})

test.each<readonly [string, Partial<Key>, CellPosition, CellPosition]>([
  ['ArrowRight', {}, place(1, 2), place(1, 2)],
  ['ArrowUp', {}, place(0, 1), place(0, 1)],
  ['ArrowDown', { shiftKey: true }, place(1, 1), place(2, 1)],
  ['Home', {}, place(1, 0), place(1, 0)],
  ['Home', { ctrlKey: true, shiftKey: true }, place(1, 1), place(0, 0)],
  ['End', {}, place(1, 2), place(1, 2)],
  ['End', { ctrlKey: true }, place(2, 2), place(2, 2)],
  ['a', { ctrlKey: true }, place(1, 1), place(1, 1)],
  ['a', { metaKey: true }, place(1, 1), place(1, 1)]
])('[COMP-8] %s with %j selects from %j to %j', (key, held, from, to) => {
  const grid = new Grid().go(1, 1).key(key, held)
  expect([grid.at, grid.to, grid.last.focus, grid.last.isTaken]).toEqual([from, to, true, true])
})

test('[COMP-80] a letter selects its column and a number its row; dragging, Shift and keys extend the selection', () => {
  const grid = new Grid()
  const press = (axis: 'row' | 'column', index: number, isRange = false) => grid.step({ kind: 'head', axis, index, isRange })
  const selects = (area: Area, focus: CellPosition, said: string): void =>
    expect([areaOf(grid.state.selection, grid.table), grid.to, grid.last.focus, grid.said]).toEqual([area, focus, true, said])
  const columns = (first: number, last: number): Area => ({ top: 0, bottom: 2, first, last })
  const rows = (top: number, bottom: number): Area => ({ top, bottom, first: 0, last: 2 })
  press('column', 1)
  selects(columns(1, 1), place(0, 1), 'Column B selected')
  press('column', 2, true)
  selects(columns(1, 2), place(0, 2), 'Columns B to C selected')
  // A drag may reach the cells below the letters.
  grid.step({ kind: 'over', place: place(2, 0) })
  selects(columns(0, 1), place(0, 0), 'Columns A to B selected')
  grid.key('ArrowRight', { shiftKey: true }).key('End', { shiftKey: true })
  selects(columns(1, 2), place(0, 2), 'Columns B to C selected')
  grid.key('ArrowDown', { shiftKey: true })
  selects(columns(1, 2), place(0, 2), 'Columns B to C selected')
  // Others add a row and a column.
  grid.others('| 1 | 2 | 3 |', '| 1 | 2 | 3 | 4 |\n| 5 |')
  expect(areaOf(grid.state.selection, grid.table)).toEqual({ ...columns(1, 2), bottom: 3 })
  grid.others('| 1 | 2 | 3 | 4 |\n| 5 |', '| 1 | 2 | 3 |')
  press('row', 2)
  selects(rows(2, 2), place(2, 0), 'Row 3 selected')
  press('row', 1, true)
  selects(rows(1, 2), place(1, 0), 'Rows 2 to 3 selected')
  // Without Shift, an arrow key selects a cell again, and so does a drag over cells.
  expect([grid.key('ArrowRight').at, grid.said, grid.state.selection.whole]).toEqual([place(1, 1), undefined, undefined])
  grid.step({ kind: 'over', place: place(2, 2) })
  expect(areaOf(grid.state.selection, grid.table)).toEqual({ top: 1, bottom: 2, first: 1, last: 2 })
  grid.key(' ', { ctrlKey: true })
  selects(columns(1, 2), place(2, 2), 'Columns B to C selected')
  expect(grid.key(' ', { shiftKey: true }).state.selection.whole).toBeUndefined()
  expect(areaOf(grid.state.selection, grid.table)).toEqual({ ...columns(0, 2) })
  grid.go(2, 1).key(' ', { shiftKey: true })
  selects(rows(2, 2), place(2, 1), 'Row 3 selected')
  // A space without Ctrl or Shift is text. Picked cells can be entire columns.
  expect(grid.key(' ').field).toBe(' |')
  const picking = new Grid()
  picking.isPicking = true
  expect(areaOf(picking.go(1, 1).key(' ', { ctrlKey: true }).state.selection, picking.table)).toEqual(columns(1, 1))
  // A tap begins another range.
  picking.step({ kind: 'press', place: place(2, 2), isRange: false, isTouch: true })
  expect([picking.at, picking.to]).toEqual([place(2, 2), place(2, 2)])
})

test('[COMP-121] Ctrl+A selects all cells, and typing replaces only the cell that had the focus; Delete clears all in one step', () => {
  const all: Area = { top: 0, bottom: 2, first: 0, last: 2 }
  const grid = new Grid().go(1, 1).key('a', { ctrlKey: true })
  expect([areaOf(grid.state.selection, grid.table), grid.said]).toEqual([all, 'All cells selected'])
  expect(grid.key('x').field).toBe('x|')
  grid.key('Enter')
  expect([grid.texts[1], grid.at]).toEqual([['1', 'x', '3'], place(2, 1)])
  grid.key('a', { ctrlKey: true }).key('Delete')
  expect([grid.texts.flat().join(''), grid.written.length, grid.at]).toEqual(['', 2, place(2, 1)])
  // Shift with an arrow key then selects from that cell.
  grid.key('a', { ctrlKey: true }).key('ArrowUp', { shiftKey: true })
  expect(areaOf(grid.state.selection, grid.table)).toEqual({ top: 1, bottom: 2, first: 1, last: 1 })
})

test('[COMP-80] copying, pasting and deleting apply to entire rows and columns', () => {
  const grid = new Grid('```sheet\n| A | B |\n|---|---|\n| 1 | 2 |\n| 3 |\n```\n')
  const area = (): Area => areaOf(grid.state.selection, grid.table)
  grid.step({ kind: 'head', axis: 'column', index: 0, isRange: false })
  const cells = copied(area(), (each) => textAt(grid.table, each))
  expect(cells).toBe('A\n1\n3')
  grid.step({ kind: 'head', axis: 'column', index: 1, isRange: false }).key('Delete')
  // Cells that do not exist are not written.
  expect(grid.text).toBe('```sheet\n| A |  |\n|---|---|\n| 1 |  |\n| 3 |\n```\n')
  grid.step({ kind: 'paste', area: area(), text: cells })
  expect([grid.texts, grid.written.length]).toEqual([
    [
      ['A', 'A'],
      ['1', '1'],
      ['3', '3']
    ],
    2
  ])
})

test('[COMP-82] rows and columns are added, deleted and moved in one step, and the right ones stay selected', () => {
  const five = sheetOf('| A | B | C | D | E |', '|---|---|---|---|---|', '| 1 | 2 | 3 | 4 | =A2 |', '| 6 |', '| 7 |')
  const selected = (axis: Axis, from: number, to: number): Grid =>
    new Grid(five).step({ kind: 'head', axis, index: from, isRange: false }).step({ kind: 'head', axis, index: to, isRange: true })
  const done = (grid: Grid, change: Change) => {
    const { texts, state, said, written } = grid.step({ kind: 'shape', change })
    const { top, bottom, first, last } = areaOf(state.selection, grid.table)
    const isColumn = state.selection.whole === 'column'
    const shown = change.axis === 'column' ? texts[0]?.join('') : texts.map(([text]) => text).join('')
    return [shown, isColumn ? [first, last] : [top, bottom], said, written.length]
  }
  const column = { axis: 'column' } as const
  const row = { axis: 'row' } as const
  expect(done(selected('column', 1, 2), { ...column, kind: 'move', from: 1, count: 2, to: 5 })).toEqual([
    'ADEBC',
    [3, 4],
    'Moved to column D',
    1
  ])
  expect(done(selected('column', 2, 3), { ...column, kind: 'delete', at: 2, count: 2 })).toEqual(['ABE', [2, 2], '2 columns deleted', 1])
  expect(done(selected('column', 3, 4), { ...column, kind: 'delete', at: 3, count: 2 })).toEqual(['ABC', [2, 2], '2 columns deleted', 1])
  expect(done(selected('column', 1, 2), { ...column, kind: 'insert', at: 3, count: 1 })).toEqual(['ABCDE', [3, 3], 'Column added', 1])
  expect(done(selected('column', 4, 4), { ...column, kind: 'insert', at: 5, count: 1 })).toEqual(['ABCDE', [5, 5], 'Column added', 1])
  expect(done(selected('row', 1, 2), { ...row, kind: 'move', from: 1, count: 2, to: 4 })).toEqual(['A716', [2, 3], 'Moved to row 3', 1])
  expect(done(selected('row', 1, 1), { ...row, kind: 'delete', at: 1, count: 1 })).toEqual(['A67', [1, 1], 'Row deleted', 1])
  expect(done(selected('row', 1, 1), { ...row, kind: 'insert', at: 1, count: 1 })).toEqual(['A167', [1, 1], 'Row added', 1])
  // After an action in the menu of cells, the cells stay selected, even if they move.
  const cells = new Grid(five)
    .go(1, 1)
    .go(2, 2, true)
    .step({ kind: 'shape', change: { ...row, kind: 'move', from: 1, count: 2, to: 4 } })
  expect([cells.at, cells.to]).toEqual([place(2, 1), place(3, 2)])
  cells.step({ kind: 'shape', change: { ...column, kind: 'delete', at: 1, count: 2 } })
  expect([cells.at, cells.to, cells.texts[0]]).toEqual([place(2, 1), place(3, 2), ['A', 'D', 'E']])
  // The first row contains the names of the columns and must stay in its place. One column must remain.
  const refused = (grid: Grid, change: Change) => [refusalOf(grid.table, change), grid.step({ kind: 'shape', change }).last.edits]
  for (const [change, reason] of [
    [{ ...row, kind: 'delete', at: 0, count: 2 }, 'heading'],
    [{ ...row, kind: 'move', from: 0, count: 1, to: 3 }, 'heading'],
    [{ ...row, kind: 'move', from: 2, count: 1, to: 0 }, 'edge'],
    [stepOf({ top: 1, bottom: 2, first: 0, last: 0 }, 'row', -1), 'edge'],
    [stepOf({ top: 2, bottom: 3, first: 0, last: 0 }, 'row', 1), 'edge'],
    [stepOf({ top: 0, bottom: 3, first: 0, last: 1 }, 'column', -1), 'edge'],
    [{ ...column, kind: 'move', from: 1, count: 2, to: 2 }, 'edge'],
    [{ ...row, kind: 'insert', at: 0, count: 1 }, 'edge'],
    [{ ...column, kind: 'delete', at: 0, count: 5 }, 'last']
  ] as const)
    expect(refused(new Grid(five), change)).toEqual([reason, undefined])
  // In the data of a chart, columns of objects without all keys stay in their places. A full sheet gets no more columns.
  const chart = chartTableOf(parseChart(fenceOf('```chart\n[{"m": "a"}, {"v": 2, "m": "b"}]\n```\n'))) as Table
  expect(refusalOf(chart, { ...column, kind: 'move', from: 0, count: 1, to: 2 })).toBe('edge')
  expect(refusalOf(chart, { ...row, kind: 'move', from: 1, count: 1, to: 3 })).toBeUndefined()
  const full = sheetOf(`${'| A '.repeat(limits.sheetColumnsMax)}|`, '| 1 |')
  expect([
    refusalOf(full, { ...column, kind: 'insert', at: 1, count: 1 }),
    refusalOf(full, { ...row, kind: 'insert', at: 1, count: 1 })
  ]).toEqual(['edge', undefined])
  // An empty sheet gets its first row.
  expect(new Grid('```sheet\n```\n').step({ kind: 'shape', change: { ...row, kind: 'insert', at: 0, count: 1 } }).texts).toHaveLength(1)
  const reader = selected('column', 1, 1)
  reader.mayChange = false
  expect(reader.step({ kind: 'shape', change: { ...column, kind: 'delete', at: 1, count: 1 } }).last).toEqual({ state: reader.state })
  // A suggestion changes neither the sheet nor the selection.
  const suggesting = selected('column', 1, 1)
  suggesting.isSuggesting = true
  suggesting.step({ kind: 'shape', change: stepOf(areaOf(suggesting.state.selection, five), 'column', 1) })
  expect([suggesting.at, suggesting.last.edits === undefined]).toEqual([place(0, 1), false])
})

test('[COMP-83] Alt with an arrow key moves selected rows or columns; formulas and charts name the same cells', () => {
  const source =
    '```sheet #s\n| A | B | C |\n|---|---|---|\n| 1 | 2 | =A2+B2 |\n| 4 | 5 | =SUM(A2:B3) |\n```\n\n```sheet\n| T |\n|---|\n| =#s!A2 |\n```\n\n```chart\ndata: #s!A1:B3\n```\n'
  const grid = new Grid(source)
  grid.step({ kind: 'head', axis: 'column', index: 0, isRange: false }).key('ArrowRight', { altKey: true })
  expect(grid.text).toBe(
    source
      .replace('| A | B |', '| B | A |')
      .replace('| 1 | 2 | =A2+B2 |\n| 4 | 5 |', '| 2 | 1 | =B2+A2 |\n| 5 | 4 |')
      .replace('=#s!A2', '=#s!B2')
  )
  grid.key('ArrowRight', { altKey: true })
  expect([grid.texts.at(-1), grid.at, grid.state.selection.whole]).toEqual([['5', '=SUM(A2:A3)', '4'], place(0, 2), 'column'])
  expect(grid.text).toContain('data: #s!A1:A3')
  // At the edge, the sheet handles the key, but nothing changes. If columns are selected, the sheet ignores the keys that move rows. Shift makes no
  // difference.
  expect([grid.key('ArrowRight', { altKey: true }).last.isTaken, grid.last.edits]).toEqual([true, undefined])
  expect(grid.key('ArrowDown', { altKey: true }).last).toEqual({ state: grid.state })
  grid.step({ kind: 'head', axis: 'row', index: 1, isRange: false }).key('ArrowDown', { altKey: true, shiftKey: true })
  expect([grid.texts.map(([text]) => text), grid.at.row, grid.text.includes('=#s!C3')]).toEqual([['B', '5', '2'], 2, true])
  grid.mayChange = false
  expect(grid.key('ArrowUp', { altKey: true }).last).toEqual({ state: grid.state })
})

test('[COMP-8] arrows stay within the sheet, even after others made it smaller', () => {
  const grid = new Grid().go(2, 2)
  grid.mayChange = false
  expect(grid.key('ArrowDown').key('ArrowRight').at).toEqual(place(2, 2))
  grid.text = sheetOf('| A | B |', '|---|---|', '| 1 | 2 |').fence.source
  expect([grid.at, grid.key('ArrowUp').at]).toEqual([place(1, 1), place(0, 1)])
})

test('[COMP-8] keys open a cell, clear the selected ones and open the menu', () => {
  const opened = (key: string) => new Grid().go(1, 1).key(key)
  for (const key of ['F2', 'Enter']) expect([opened(key).field, opened(key).last.hold]).toEqual(['2|', 'B2'])
  expect([opened('7').field, opened('7').last.isTaken]).toEqual(['7|', true])
  for (const key of ['Delete', 'Backspace']) expect(opened(key).texts[1]).toEqual(['1', '', '3'])
  const grid = new Grid().go(1, 1)
  expect(grid.key('F10', { shiftKey: true }).last.action).toEqual({ kind: 'menu' })
  expect(grid.key('ContextMenu').last.action).toEqual({ kind: 'menu' })
  // The grid does not handle the keys of the page.
  for (const [key, held] of [
    ['z', { ctrlKey: true }],
    ['Tab', {}],
    ['F10', {}],
    ['ArrowLeft', { altKey: true }]
  ] as const)
    expect(grid.key(key, held).last).toEqual({ state: grid.state })
})

test('[COMP-5] if nothing may be changed, a letter opens no cell and no key a menu', () => {
  const grid = new Grid()
  grid.mayChange = false
  for (const key of ['7', 'ContextMenu']) expect(grid.key(key).last.isTaken).toBeUndefined()
  const { edits } = grid.step({ kind: 'clear', area: areaBetween(place(0, 0), place(1, 1)) }).last
  expect(edits).toBeUndefined()
})

test('[COMP-8] cells are copied with their formulas, pasted from a corner, and cleared', () => {
  const grid = new Grid()
  const area = areaBetween(place(2, 1), place(1, 0))
  const tsv = copied(area, ({ row, column }) => three.texts[row]?.[column] ?? '')
  expect(tsv).toBe('1\t2\n4\t=A2')
  grid.step({ kind: 'paste', area: areaBetween(place(2, 1), place(2, 1)), text: tsv })
  expect(grid.texts).toEqual([
    ['A', 'B', 'C'],
    ['1', '2', '3'],
    ['4', '1', '2'],
    ['', '4', '=A2']
  ])
  expect(grid.last).toMatchObject({ focus: true, announcement: { kind: 'pasted', rows: 2, rowsFit: 2, columns: 2, columnsFit: 2 } })
  grid.step({ kind: 'clear', area })
  expect(grid.texts).toEqual([
    ['A', 'B', 'C'],
    ['', '', '3'],
    ['', '', '2'],
    ['', '4', '=A2']
  ])
  expect(grid.step({ kind: 'paste', area, text: '' }).last).toEqual({ state: grid.state, focus: true, isTaken: true })
})

const priced = '```sheet #p\n| Item | Price | Twice |\n|---|---|---|\n| A | 1 | =B2*2 |\n| B | 2 |  |\n| C | 3 |  |\n```\n'
const cellC = (grid: Grid): (string | undefined)[] => grid.texts.map((row) => row[2])

test.each([
  ['=B2*2', place(1, 0), '=B3*2'],
  ['=b2+$B2+B$2+$B$2', place(2, 1), '=C4+$B4+C$2+$B$2'],
  ['=SUM(B$2:B2)&"B2"', place(1, 0), '=SUM(B$2:B3)&"B2"'],
  ['=#other!A1*B2', place(0, -1), '=#REF!*A2'],
  ['=#other!$A1', place(0, -1), '=#other!$A1'],
  ['=SUM(A1:B2)', place(-1, 0), '=SUM(#REF!)'],
  ['=#other!B2+C3', place(limits.sheetRowsMax - 2, 0), '=#other!B200+#REF!'],
  ['=AX1', place(0, 1), '=#REF!'],
  ['=B2*?', place(1, 0), '=B2*?']
])('[COMP-84] %s copied by %j becomes %s', (formula, by, expected) => {
  expect(formulaCopied(formula, by)).toBe(expected)
})

test('[COMP-84] [COMP-85] [COMP-86] copied formulas name the cells next to them; cut ones and foreign text stay', () => {
  const paste = (index: number, area: Area, text: string, copiedFrom?: CellPosition) =>
    new Grid(priced, index).step({ kind: 'paste', area, text, copiedFrom })
  const [one, rest] = [areaBetween(place(2, 2), place(2, 2)), areaBetween(place(2, 2), place(4, 2))]
  expect(cellC(paste(0, one, '=B2*2', place(1, 2)))).toEqual(['Twice', '=B2*2', '=B3*2', ''])
  expect(cellC(paste(0, rest, '=B2*2', place(1, 2)))).toEqual(['Twice', '=B2*2', '=B3*2', '=B4*2', '=B5*2'])
  expect(cellC(paste(0, one, '=B2*2'))).toEqual(['Twice', '=B2*2', '=B2*2', ''])
  expect(cellC(paste(-1, one, '=B2*2', place(1, 2)))).toEqual(['Twice', '=B2*2', '=B2*2', ''])
  // Two columns in a selection of one column keep their width, and three rows do not fill two.
  expect(paste(0, areaBetween(place(2, 0), place(3, 0)), 'x\t=B2', place(1, 0)).texts.slice(2)).toEqual([
    ['x', '=B3', ''],
    ['x', '=B4', '']
  ])
  expect(paste(0, areaBetween(place(1, 0), place(2, 0)), '7\n8\n9').texts.map(([text]) => text)).toEqual(['Item', '7', '8', '9'])
})

test('[COMP-87] Ctrl+D and Ctrl+R fill the selection from its first row or column', () => {
  const [ctrl, command] = [{ ctrlKey: true }, { metaKey: true }]
  const down = new Grid(priced).go(1, 2).go(3, 2, true).key('d', ctrl)
  expect([cellC(down), down.written.length, down.said]).toEqual([['Twice', '=B2*2', '=B3*2', '=B4*2'], 1, 'Filled'])
  expect(cellC(new Grid(priced).go(2, 2).key('d', command))).toEqual(['Twice', '=B2*2', '=B3*2', ''])
  const across = new Grid(priced).go(1, 1).go(2, 2, true).key('r', ctrl)
  expect(across.texts.slice(1, 3)).toEqual([
    ['A', '1', '1'],
    ['B', '2', '2']
  ])
  // The page keeps the key if there is nothing to fill, and for readers.
  const heading = new Grid(priced).go(0, 1)
  expect(heading.key('d', ctrl).last).toEqual({ state: heading.state })
  expect(heading.key('r', ctrl).last).toEqual({ state: heading.state })
  const reader = new Grid(priced).go(1, 2).go(3, 2, true)
  reader.mayChange = false
  expect(reader.key('d', ctrl).last).toEqual({ state: reader.state })
  // In the data of a chart, text that looks like a formula is plain text.
  expect(cellC(new Grid(priced, -1).go(1, 2).go(2, 2, true).key('d', ctrl))).toEqual(['Twice', '=B2*2', '=B2*2', ''])
})

test.each([
  ['7,50', '7.50'],
  ['-,5', '-0.5'],
  ['1.234,56', '1234.56'],
  ['1 234,5 %', '1234.5%'],
  ['1,234', '1.234'],
  ['1.234.567', '1234567'],
  ['1.200', '1200'],
  ['-1.200 %', '-1200 %'],
  ['0.125', '0.125'],
  ['1.2000', '1.2000'],
  ['7.50', '7.50'],
  ['12,50 €', '12.50 €'],
  ['-€ 1.234,5', '-€ 1234.5'],
  ['$-1.200', '$-1200'],
  ['1.200 €', '1200 €'],
  ['€,', '€,'],
  ['1,2,3', '1,2,3'],
  ['12.34,5', '12.34,5'],
  ['1.234 567,8', '1.234 567,8'],
  ['1,5 kg', '1,5 kg'],
  ['=SUM(1,5)', '=SUM(1,5)'],
  ['24.11.2026', '24.11.2026']
])('[COMP-88] typed where the decimal sign is a comma, %s is stored as %s', (typed, stored) => {
  const typing = (hasDecimalComma: boolean, index = 0) => {
    const grid = new Grid(three, index).go(1, 1)
    grid.hasDecimalComma = hasDecimalComma
    return grid.key('F2').step({ kind: 'field key', key: { ...plainKey, key: 'Enter' }, draft: { text: typed, from: 0, to: 0 } })
      .texts[1]?.[1]
  }
  expect([typing(true), typing(true, -1), typing(false)]).toEqual([stored, stored, typed])
})

test('[COMP-123] where the decimal sign is a comma, a number is opened with a comma and stored with a point', () => {
  const opened = (before: string) => {
    const grid = new Grid(sheetOf('| A |', '|---|', `| ${before} |`)).go(1, 0)
    grid.hasDecimalComma = true
    const { field } = grid.key('F2')
    grid.key('Enter')
    return [field, grid.texts[1]?.[0], grid.written.length]
  }
  expect(['2.50', '-0.5%', '1.200', '$2.5', '1.200 €', '.5', '1,234', '1.2.3'].map(opened)).toEqual([
    ['2,50|', '2.50', 0],
    ['-0,5%|', '-0.5%', 0],
    ['1,200|', '1.200', 0],
    ['$2,5|', '$2.5', 0],
    ['1,200 €|', '1.200 €', 0],
    ['.5|', '.5', 0],
    ['1,234|', '1,234', 0],
    ['1.2.3|', '1.2.3', 0]
  ])
  // A cell whose column others remove was only opened.
  const grid = new Grid(sheetOf('| A | B |', '|---|---|', '| 1 | 2.50 |')).go(1, 1)
  grid.hasDecimalComma = true
  grid.key('F2').others('| A | B |\n|---|---|\n| 1 | 2.50 |', '| A |\n|---|\n| 1 |')
  expect(grid.state.gone).toEqual([])
})

test('[COMP-89] a cell that was only opened keeps its text, and thousands that others wrote stay thousands', () => {
  const changed = (before: string, typed: string) => {
    const grid = new Grid(sheetOf('| A |', '|---|', `| ${before} |`)).go(1, 0)
    grid.hasDecimalComma = true
    return grid.key('F2').step({ kind: 'left', draft: { text: typed, from: 0, to: 0 }, on: 0, isMoved: false }).texts[1]?.[0]
  }
  expect([changed('7,50', '7,50'), changed('7,50', '7,60'), changed('1,234', '1,235')]).toEqual(['7,50', '7.60', '1,235'])
  expect([changed('1.200', '1.200'), changed('1.200', '1,201'), changed('$1,200', '$1,300')]).toEqual(['1.200', '1.201', '$1,300'])
})

test('[COMP-189] a number with a comma that is typed over the same text is stored as a number', () => {
  const retyped = (before: string) => {
    const grid = new Grid(sheetOf('| A |', '|---|', `| ${before} |`)).go(1, 0)
    grid.hasDecimalComma = true
    const draft = { text: before, from: 0, to: 0 }
    return grid.step({ kind: 'entered', typed: draft }).step({ kind: 'left', draft, on: 0, isMoved: false }).texts[1]?.[0]
  }
  expect(['1,5', '1,234', '1.200', 'Pens'].map(retyped)).toEqual(['1.5', '1,234', '1200', 'Pens'])
})

/** Types text into a cell of a sheet, in a language with a decimal comma unless told otherwise. */
const stored = (typed: string, { before = '', hasDecimalComma = true, hasGermanNames = false, index = 0 } = {}) => {
  const grid = new Grid(sheetOf('| A |', '|---|', `| ${before} |`), index).go(1, 0)
  grid.hasDecimalComma = hasDecimalComma
  grid.hasGermanNames = hasGermanNames
  return grid.key('F2').step({ kind: 'left', draft: { text: typed, from: 0, to: 0 }, on: index, isMoved: false }).texts[1]?.[0]
}

test.each([
  ['=B2*1,5', '=B2*1.5'],
  ['=1,5e3+,5', '=1.5e3+.5'],
  ['=B2*1.5', '=B2*1.5'],
  ['=(1,5+B2)*ABS(2)', '=(1.5+B2)*ABS(2)'],
  ['=SUM(1,5)', '=SUM(1,5)'],
  ['=SUM(B2,5)', '=SUM(B2,5)'],
  ['=SUM((1,5+B2)*2,3)', '=SUM((1.5+B2)*2,3)'],
  ['=ROUND(1.55,1)*2,5', '=ROUND(1.55,1)*2.5'],
  ['=B2, 5', '=B2, 5'],
  ['="1,5"&2,5', '="1,5"&2.5'],
  ['="1,5', '="1,5']
])('[COMP-93] the formula %s, typed where the decimal sign is a comma, is stored as %s', (typed, wanted) => {
  expect([stored(typed), stored(typed, { hasDecimalComma: false }), stored(typed, { index: -1 })]).toEqual([wanted, typed, typed])
})

test.each([
  ['=ROUND(1,55;1)', '=ROUND(1.55,1)'],
  ['=IF(B2>1,5; SUM(B2;,5) ;"a;b")', '=IF(B2>1.5, SUM(B2,.5) ,"a;b")'],
  ['=SUM(1,5;ROUND(2,5))', '=SUM(1.5,ROUND(2,5))'],
  ['=SUM(B2;1,5', '=SUM(B2,1.5)'],
  ['=1;5', '=1;5']
])('[COMP-94] the formula %s, typed where the decimal sign is a comma, is stored as %s', (typed, wanted) => {
  expect(stored(typed)).toBe(wanted)
})

test.each([
  ['=SUMME(B2:B3)', '=SUM(B2:B3)'],
  ['=summe(B2', '=SUM(B2)'],
  ['=WENN(B2>1,5;RUNDEN(B2;1);"SUMME")', '=IF(B2>1.5,ROUND(B2,1),"SUMME")'],
  ['=RANG.GLEICH(B2;B2:B4)+ANZAHL2(B2:B4)', '=RANK(B2,B2:B4)+COUNTA(B2:B4)'],
  ['=LÄNGE(#Tag!A1)*WAHR', '=LEN(#Tag!A1)*TRUE'],
  ['=SUM(B2)+SUMMEN(B2)', '=SUM(B2)+SUMMEN(B2)'],
  ['SUMME(B2)', 'SUMME(B2)']
])('[COMP-100] the formula %s, typed on a German page, is stored as %s', (typed, wanted) => {
  const hasGermanNames = true
  expect([stored(typed, { hasGermanNames }), stored(typed, { hasGermanNames, index: -1 })]).toEqual([wanted, typed])
  expect(stored('=SUMME(B2)')).toBe('=SUMME(B2)')
  expect(stored('=SUMME(B2)', { before: '=SUMME(B2)', hasGermanNames })).toBe('=SUMME(B2)')
})

test.each(['=ROUND(1,55;1)', '=B2*1,5', '=ROUND(B2,2)', '=SUM(B2'])(
  '[COMP-89] the formula %s keeps its text when it is only opened',
  (before) => {
    expect([stored(before, { before }), stored(` ${before} `, { before })]).toEqual([before, before])
  }
)

test('[COMP-90] pasted text of another program keeps a comma that may separate thousands', () => {
  const pasted = (isForeign: boolean, hasDecimalComma: boolean) => {
    const grid = new Grid(priced)
    grid.hasDecimalComma = hasDecimalComma
    return grid.step({ kind: 'paste', area: areaBetween(place(1, 0), place(1, 0)), text: '7,50\t1,234\t1.200\t12,50 €', isForeign })
      .texts[1]
  }
  expect(pasted(true, true)).toEqual(['7.50', '1,234', '1200', '12.50 €'])
  for (const [isForeign, hasDecimalComma] of [
    [true, false],
    [false, true]
  ] as const)
    expect(pasted(isForeign, hasDecimalComma)).toEqual(['7,50', '1,234', '1.200', '12,50 €'])
})

test('[COMP-99] Ctrl with an arrow key moves along filled cells or over empty ones, and Shift extends the selection', () => {
  const gaps = sheetOf('| A | B | C |', '|---|---|---|', '| 1 | | 3 |', '| 4 | | |', '| | | |', '| 5 | | 6 |')
  const grid = new Grid(gaps).go(0, 0)
  const after = (key: string, held: Partial<Key> = {}) => [grid.key(key, { ctrlKey: true, ...held }).at, grid.to]
  expect(after('ArrowDown')).toEqual([place(2, 0), place(2, 0)])
  expect(after('ArrowDown')).toEqual([place(4, 0), place(4, 0)])
  expect(after('ArrowRight')).toEqual([place(4, 2), place(4, 2)])
  expect(after('ArrowUp', { shiftKey: true })).toEqual([place(4, 2), place(1, 2)])
  grid.go(3, 1)
  expect(after('ArrowRight', { ctrlKey: false, metaKey: true })).toEqual([place(3, 2), place(3, 2)])
  // The last cell stays selected, and no row or column begins.
  expect(after('ArrowRight')).toEqual([place(3, 2), place(3, 2)])
  expect(grid.size).toEqual({ height: 5, width: 3 })
})

test('[COMP-29] Enter in the last row and Tab in the last cell begin a row, which must get some text', () => {
  for (const [column, step, next] of [
    [1, enter, 1],
    [2, tab, 0]
  ] as const) {
    const grid = new Grid().go(2, column).goOn(step)
    expect([grid.at, grid.size.height]).toEqual([place(3, next), 4])
    // If nothing was written, no other row is started, and the new row disappears when the person leaves it.
    expect(grid.goOn(enter, false).at).toEqual(place(3, next))
    expect(grid.key('ArrowUp').size.height).toBe(3)
  }
  const grown = new Grid().go(2, 1).goOn(enter)
  grown.text = sheetOf('| A | B | C |', '|---|---|---|', '| 1 | 2 | 3 |', '| 4 | =A2 | 6 |', '|  | 7 |  |').fence.source
  expect(grown.goOn(enter).at).toEqual(place(4, 1))
})

test('[COMP-74] an arrow beyond the last row or column begins one, which disappears if it is left empty', () => {
  for (const [key, back, at, size] of [
    ['ArrowDown', 'ArrowUp', place(3, 2), { height: 4, width: 3 }],
    ['ArrowRight', 'ArrowLeft', place(2, 3), { height: 3, width: 4 }]
  ] as const) {
    const grid = new Grid().go(2, 2).key(key)
    expect([grid.at, grid.to, grid.size]).toEqual([at, at, size])
    // Typed text is inserted into the new cell, and the same key does not begin another cell.
    expect(grid.key(key).key('9').state.begun).toMatchObject(at)
    expect(grid.key('Escape').key(back).size).toEqual({ height: 3, width: 3 })
    // Extending a selection stays within the sheet, and so does selecting cells for a formula in another sheet.
    expect(new Grid().go(2, 2).key(key, { shiftKey: true }).to).toEqual(place(2, 2))
    const picking = new Grid().go(2, 2)
    picking.isPicking = true
    expect(picking.key(key).at).toEqual(place(2, 2))
  }
  // If a person adds a row while a new column is still empty, the row replaces that column.
  const corner = new Grid().go(2, 2).key('ArrowRight').goOn(tab, false)
  expect([corner.at, corner.size]).toEqual([place(3, 0), { height: 4, width: 3 }])
})

test('[COMP-29] in a full sheet the typed text is not overwritten until the person returns to it', () => {
  const grid = new Grid(sheetOf('| A |', '|---|', ...Array.from({ length: limits.sheetRowsMax - 1 }, () => '| x |')))
  const last = place(limits.sheetRowsMax - 1, 0)
  grid.key('End', { ctrlKey: true }).goOn(enter)
  expect(grid.at).toEqual(last)
  expect(grid.key('9').last).toMatchObject({ announcement: { kind: 'full' }, isTaken: true })
  expect(grid.said).toBe('This sheet is full. The limit is 200 rows.')
  expect(grid.state.begun).toBeUndefined()
  expect(grid.key('ArrowUp').key('ArrowDown').key('9').state.begun).toMatchObject(last)
})

test('[COMP-29] if a paste is larger than the sheet allows, the page says how much fits', () => {
  const text = Array.from({ length: 300 }, () => Array.from({ length: 60 }, () => 'x').join('\t')).join('\n')
  const grid = new Grid().step({ kind: 'paste', area: areaBetween(place(2, 0), place(2, 0)), text })
  expect(grid.last.announcement).toEqual({ kind: 'pasted', rows: 300, rowsFit: limits.sheetRowsMax - 2, columns: 60, columnsFit: 50 })
  expect(grid.said).toBe('Pasted 198 of 300 rows and 50 of 60 columns. The rest does not fit.')
  expect(grid.size).toEqual({ height: limits.sheetRowsMax, width: limits.sheetColumnsMax })
})

test('[COMP-52] while a person picks cells Enter takes, Esc cancels, Alt changes the sheet, and no key changes a cell', () => {
  const grid = new Grid().go(1, 1)
  grid.isPicking = true
  const actionOf = (key: string, held?: Partial<Key>) => grid.key(key, held).last.action
  expect([actionOf('Enter'), actionOf('Escape')]).toEqual([{ kind: 'pick' }, { kind: 'cancel' }])
  expect(actionOf('ArrowDown', { altKey: true })).toEqual({ kind: 'sheet', direction: 1 })
  expect(actionOf('ArrowUp', { altKey: true })).toEqual({ kind: 'sheet', direction: -1 })
  for (const key of ['7', 'F2', 'Delete']) expect(grid.key(key).last).toEqual({ state: grid.state, isTaken: true })
  expect(grid.key('ArrowRight', { shiftKey: true }).to).toEqual(place(1, 2))
})

test('[COMP-8] a focused cell is selected; extending a selection keeps its corner', () => {
  const grid = new Grid()
    .go(1, 0)
    .go(2, 2, true)
    .step({ kind: 'focused', place: place(2, 2) })
  expect([grid.at, grid.to]).toEqual([place(1, 0), place(2, 2)])
  grid.step({ kind: 'focused', place: place(1, 1) })
  expect([grid.at, grid.to, grid.last.focus]).toEqual([place(1, 1), place(1, 1), undefined])
})

// ——— the cell that is being edited ———

test.each<readonly [string, Partial<Key>, CellPosition]>([
  ['Enter', {}, place(2, 1)],
  ['Enter', { shiftKey: true }, place(0, 1)],
  ['Tab', {}, place(1, 2)],
  ['Tab', { shiftKey: true }, place(1, 0)]
])('[COMP-8] in a field %s with %j saves the text and goes to %j', (key, held, at) => {
  const grid = new Grid().go(1, 1).type('9').key(key, held)
  expect([grid.texts[1], grid.at, grid.field, grid.last.focus, grid.written.length]).toEqual([['1', '9', '3'], at, undefined, true, 1])
})

test('[COMP-8] Esc discards the text, and text that stays the same is not stored', () => {
  const grid = new Grid().go(1, 1).type('9').key('Escape')
  expect([grid.texts[1], grid.at, grid.field, grid.last.focus, grid.last.hold]).toEqual([
    ['1', '2', '3'],
    place(1, 1),
    undefined,
    true,
    null
  ])
  expect([grid.key('F2').key('Enter').written, grid.at]).toEqual([[], place(2, 1)])
})

test('[COMP-8] a field that loses the focus is saved, unless it was moved with its row or to another sheet', () => {
  const left = (on: number, isMoved: boolean): Grid => {
    const grid = new Grid().go(1, 1).type('9')
    return grid.step({ kind: 'left', draft: grid.state.draft, on, isMoved })
  }
  expect([left(0, false).texts[1], left(0, false).at]).toEqual([['1', '9', '3'], place(1, 1)])
  for (const grid of [left(0, true), left(1, false)]) expect([grid.written, grid.field]).toEqual([[], '9|'])
})

test('[COMP-8] a new sheet opens its first cell, so that typing replaces its content', () => {
  const grid = new Grid().step({ kind: 'begin' })
  expect(grid.field).toBe('|A|')
  expect(grid.type('B').key('Enter').texts[0]).toEqual(['B', 'B', 'C'])
  expect(new Grid().type('x').step({ kind: 'begin' }).field).toBe('x|')
})

test('[COMP-8] while a cell is being edited the clipboard acts on its text', () => {
  const grid = new Grid().type('9')
  const paste = { kind: 'paste', area: areaBetween(place(0, 0), place(0, 0)), text: 'x' } as const
  expect(grid.step(paste).last).toEqual({ state: grid.state })
  grid.key('Escape').isPicking = true
  expect(grid.step(paste).last).toEqual({ state: grid.state })
  // The field of another sheet's formula may appear above this sheet.
  grid.isPicking = false
  grid.isWriting = true
  expect(grid.step(paste).last).toEqual({ state: grid.state })
})

test('[COMP-8] undo in the middle of a sheet leaves the caret inside it', () => {
  const grid = new Grid().go(2, 1).key('ArrowDown').type('7').key('Enter')
  expect([grid.texts.length, grid.at]).toEqual([4, place(4, 1)])
  grid.text = grid.written[0] ?? ''
  expect([grid.texts.length, grid.at]).toEqual([3, place(2, 1)])
})

test('[COMP-9] a cell that somebody else is editing does not open', () => {
  const grid = new Grid()
  grid.held = new Map([['B2', { name: 'Ben' }]])
  expect(grid.go(1, 1).key('F2').last.announcement).toEqual({ kind: 'held', name: 'Ben' })
  expect(grid.said).toBe('Ben is editing this')
  expect([grid.field, grid.key('ArrowRight').key('F2').field]).toEqual([undefined, '3|'])
})

test('[COMP-160] text that a selected cell receives opens the cell and replaces its content, as far as the person may change it', () => {
  const typed = { text: '日本', from: 2, to: 2 }
  const grid = new Grid().go(1, 1).step({ kind: 'entered', typed })
  expect([grid.field, grid.key('Enter').texts[1]]).toEqual(['日本|', ['1', '日本', '3']])
  grid.held = new Map([['C3', { name: 'Ben' }]])
  expect([grid.go(2, 2).step({ kind: 'entered', typed }).field, grid.said]).toEqual([undefined, 'Ben is editing this'])
  grid.isPicking = true
  expect(grid.go(1, 0).step({ kind: 'entered', typed }).field).toBeUndefined()
})

test.each([
  ['mine', '10'],
  ['theirs', '']
] as const)('[COMP-9] of two changes to a cell the person keeps %s', (whose, text) => {
  const grid = new Grid().go(1, 0).key('F2').type('0').others('| 1 | 2 |', '|  | 2 |').key('Enter')
  // The draft is not stored before the person has chosen.
  expect([grid.written, grid.state.conflict]).toEqual([[], { ...place(1, 0), mine: '10', theirs: '' }])
  expect([grid.step({ kind: 'keep', whose }).texts[1]?.[0], grid.state.conflict]).toEqual([text, undefined])
})

test('[COMP-9] if others wrote the same text, or only the person changed the cell, no question is asked', () => {
  const same = new Grid().go(1, 0).key('F2').type('0').others('| 1 | 2 |', '| 10 | 2 |').key('Enter')
  expect([same.state.conflict, same.texts[1]]).toEqual([undefined, ['10', '2', '3']])
  const unchanged = new Grid().go(1, 0).key('F2').others('| 1 | 2 |', '| 5 | 2 |').key('Enter')
  expect([unchanged.state.conflict, unchanged.texts[1]]).toEqual([undefined, ['5', '2', '3']])
})

test('[COMP-38] a draft stays with its cell, no matter what others do to rows and columns', () => {
  const source = '```sheet\n| A | B |\n|---|---|\n| one | 1 |\n| two | 2 |\n```\n'
  const grid = new Grid(source).go(2, 0).key('F2').type(' and a half').cursor(13)
  grid.others('| one | 1 |', '| new | 0 |\n| one | 1 |')
  expect([grid.state.begun, grid.field]).toMatchObject([place(3, 0), 'two and a hal|f'])
  grid.type('l').others('| new | 0 |\n', '')
  expect([grid.state.begun, grid.field]).toMatchObject([place(2, 0), 'two and a hall|f'])
  grid.others('| A | B |\n|---|---|\n| one | 1 |\n| two | 2 |', '| N | A | B |\n|---|---|---|\n|  | one | 1 |\n|  | two | 2 |')
  expect(grid.state.begun).toMatchObject(place(2, 1))
  expect([grid.key('Enter').texts[2], grid.at]).toEqual([['', 'two and a hallf', '2'], place(3, 1)])
})

test('[COMP-38] if others remove the column, a draft with new text remains, and an unchanged cell closes', () => {
  const removed = (grid: Grid): Grid =>
    grid.others('| A | B | C |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | =A2 | 6 |', '| A | C |\n|---|---|\n| 1 | 3 |\n| 4 | 6 |')
  const typed = removed(new Grid().go(1, 1).type('words'))
  expect([typed.state.gone, typed.field, typed.last.focus, typed.last.hold]).toEqual([['words'], undefined, undefined, null])
  expect([typed.step({ kind: 'close gone', index: 0 }).state.gone, typed.last.focus]).toEqual([[], true])
  const unchanged = removed(new Grid().go(1, 1).key('F2'))
  expect([unchanged.state.gone, unchanged.field, unchanged.last.focus]).toEqual([[], undefined, true])
})

test('[COMP-221] if others remove the row, a draft with new text remains, and the row below stays as it is', () => {
  const source = '```sheet\n| Item | Cost |\n|---|---|\n| Tea | 1 |\n| Milk | 2 |\n| Sum | =SUM(B2:B3) |\n```\n'
  const removed = (grid: Grid): Grid => grid.others('| Milk | 2 |\n| Sum | =SUM(B2:B3) |', '| Sum | =SUM(B2:B2) |')
  const typed = removed(new Grid(source).go(2, 1).type('555'))
  expect([typed.state.gone, typed.field, typed.texts]).toEqual([
    ['555'],
    undefined,
    [
      ['Item', 'Cost'],
      ['Tea', '1'],
      ['Sum', '=SUM(B2:B2)']
    ]
  ])
  expect(removed(new Grid(source).go(2, 1).key('F2')).state.gone).toEqual([])
  // The last row is a new one, which others cannot remove.
  const added = new Grid(source).go(4, 0).type('Cake')
  removed(added)
  expect([added.state.gone, added.field]).toEqual([[], 'Cake|'])
})

test('[COMP-238] if others remove the rows of two cells that a person edits, both drafts remain, each until the person discards it', () => {
  const lines = ['| Tea | 1 |', '| Milk | 2 |', '| Cake | 3 |', '| Sum |  |']
  const grid = new Grid(`\`\`\`sheet\n| Item | Cost |\n|---|---|\n${lines.join('\n')}\n\`\`\`\n`)
  grid.go(2, 1).type('555').others(`${lines[1]}\n`, '')
  grid.go(2, 1).type('666').others(`${lines[2]}\n`, '')
  expect([grid.state.gone, grid.field]).toEqual([['555', '666'], undefined])
  expect(grid.go(1, 1).type('7').step({ kind: 'leave' }).last.lost).toBe('555\n666\n7')
  expect(grid.step({ kind: 'close gone', index: 0 }).state.gone).toEqual(['666'])
})

test('[COMP-51] references in an unfinished formula follow their cells, and the caret stays', () => {
  const source = '```sheet\n| A | B |\n|---|---|\n| one | 1 |\n| two | =B2*2 |\n```\n\n```sheet #t\n| N |\n|---|\n| 7 |\n```\n'
  const grid = new Grid(source).go(2, 1).key('F2').type('+B2+#t!A2+').cursor(8)
  // Others add a row with the menu, and the stored formulas follow.
  grid.others('| one | 1 |\n| two | =B2*2 |', '|  |  |\n| one | 1 |\n| two | =B3*2 |')
  expect([grid.state.begun, grid.field]).toMatchObject([place(3, 1), '=B3*2+B3|+#t!A2+'])
  grid.others('| N |\n|---|\n| 7 |', '| X | N |\n|---|---|\n|  | 7 |')
  expect(grid.type('+1').field).toBe('=B3*2+B3+1|+#t!B2+')
  // Only the references of the stored formula have changed, so the page does not ask which text to keep.
  grid.step({ kind: 'typed', draft: { text: '=B3*2+B3+1+#t!B2', from: 0, to: 0 } }).key('Enter')
  expect([grid.state.conflict, grid.texts[3]]).toEqual([undefined, ['two', '=B3*2+B3+1+#t!B2']])
})

test('[COMP-51] [COMP-233] if others sort the rows, references to the row of the formula follow it, and so does the selection', () => {
  const source = '```sheet\n| A | B |\n|---|---|\n| 2 | x |\n| 1 | y |\n```\n'
  const grid = new Grid(source).go(1, 1).type('=A2+A3').others('| 2 | x |\n| 1 | y |', '| 1 | y |\n| 2 | x |')
  expect([grid.state.begun, grid.field]).toMatchObject([place(2, 1), '=A3+A3|'])
  expect([grid.at, grid.to]).toEqual([place(2, 1), place(2, 1)])
})

test.each([
  ['=SUM(A2', '=SUM(A2)'],
  ['=(1+ROUND(A2;1', '=(1+ROUND(A2;1))'],
  ['=SUM(A2)', '=SUM(A2)'],
  ['=SUM(A2,', '=SUM(A2,)'],
  ['=IF(A2="(",1', '=IF(A2="(",1)'],
  ['=SUM(A2:', '=SUM(A2:'],
  ['(see below', '(see below']
])('[COMP-77] the formula %j is stored as %j', (typed, stored) => {
  const storedIn = (index: number) =>
    new Grid('```sheet\n| A | B |\n|---|---|\n| one | 1 |\n```\n', index).go(1, 1).type(typed).key('Enter').texts[1]?.[1]
  // In the data of a chart every value is plain text.
  expect([storedIn(0), storedIn(-1)]).toEqual([stored, typed])
})

test('[COMP-51] a reference that was picked just before is replaced, even after others have moved its cell', () => {
  const grid = new Grid('```sheet\n| A | B |\n|---|---|\n| one | 1 |\n| two | 2 |\n```\n').go(2, 0).type('=').click(0, 1, 1)
  expect(grid.others('| one | 1 |', '| new | 0 |\n| one | 1 |').field).toBe('=B3|')
  expect(grid.key('ArrowDown').field).toBe('=B4|')
})

// ——— cells that are selected for a formula ———

const pointed = '```sheet\n| A | B | C |\n|---|---|---|\n| 1 | 2 |  |\n| 3 | 4 |  |\n```\n'

const several =
  '```sheet\n| C |\n|---|\n| 5 |\n```\n\n```sheet #costs\n| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n```\n\n' +
  '```sheet title="Far away"\n| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n```\n'

test('[COMP-41] clicked cells and ranges are inserted at the caret, and replace a reference that was picked just before', () => {
  const grid = new Grid(pointed).go(1, 2).type('=').click(0, 1, 0)
  expect(grid.field).toBe('=A2|')
  expect(grid.click(0, 1, 1).field).toBe('=B2|')
  // The person drags from one cell to another.
  grid.type('+sum(').click(0, 2, 1)
  expect([growsOn(grid.state, 0), growsOn(grid.state, 1)]).toEqual([true, false])
  expect(grid.click(0, 1, 0, true).field).toBe('=B2+sum(A2:B3|')
  expect(grid.click(0, 1, 0).click(0, 2, 0, true).field).toBe('=B2+sum(A2:A3|')
  // After a colon, the person selects the other end of the range.
  expect(grid.type(',A2:').click(0, 1, 1).field).toBe('=B2+sum(A2:A3,A2:B2|')
  grid.type(')').click(0, 2, 0)
  expect([grid.field, grid.texts[1]?.[2], grid.at]).toEqual([undefined, '=B2+sum(A2:A3,A2:B2)', place(1, 2)])
})

test('[COMP-41] a reference stays when the person moves the caret, and text that is not a formula takes none', () => {
  const grid = new Grid(pointed).go(1, 2).type('=').click(0, 1, 0).step({ kind: 'keep reference' })
  expect(takesCells(grid.state)).toBe(false)
  // The field stays on the other sheet in which the person selects cells.
  const far = new Grid(several).go(1, 0).type('=').click(1, 1, 0).step({ kind: 'keep reference' })
  expect([takesCells(far.state), far.state.pointing.pointed?.sheet]).toEqual([false, 1])
  expect(new Grid(pointed).go(2, 2).type('x').click(0, 1, 0).texts[2]).toEqual(['3', '4', 'x'])
  // The table of a chart has no formulas.
  expect(new Grid(pointed, -1).type('=').key('ArrowDown').last.isTaken).toBeUndefined()
})

test('[COMP-50] cells of other sheets are named by the id of their sheet, and a sheet without an id gets one with the formula', () => {
  const grid = new Grid(several).go(1, 0).type('=sum(').click(1, 2, 1).click(1, 1, 0, true)
  expect(grid.field).toBe('=sum(#costs!A2:B3|')
  expect(grid.type(')+').click(2, 1, 1).field).toBe('=sum(#costs!A2:B3)+#far-away!B2|')
  expect(grid.text).toBe(several)
  grid.key('Enter')
  expect(grid.text).toBe(several.replace('| 5 |', '| =sum(#costs!A2:B3)+#far-away!B2 |').replace('sheet title', 'sheet #far-away title'))
  expect(grid.written).toEqual([several])
  // The field was on another sheet, so the page returns to the sheet of the formula.
  expect([grid.last.action, grid.at]).toEqual([{ kind: 'go back' }, place(2, 0)])
})

test('[COMP-50] arrow keys pick cells within a sheet, Shift extends the range, and Alt changes the sheet', () => {
  const grid = new Grid(several).go(1, 0).type('=').key('ArrowUp')
  expect([grid.field, grid.last.announcement]).toEqual(['=A1|', { kind: 'pointed', text: 'A1' }])
  expect(grid.key('ArrowUp', { altKey: true }).field).toBe('=#far-away!A1|')
  grid.key('ArrowDown').key('ArrowDown', { shiftKey: true }).key('ArrowRight', { shiftKey: true })
  expect([grid.field, grid.last.announcement]).toEqual(['=#far-away!A2:B3|', { kind: 'pointed', text: '#far-away!A2:B3' }])
  // Arrows stay within the sheet. Back in its own sheet, the person starts from the edited cell.
  expect(grid.key('ArrowRight').key('ArrowRight').field).toBe('=#far-away!B3|')
  expect(grid.key('ArrowDown', { altKey: true }).field).toBe('=A2|')
  grid.hidden.add(1)
  expect(grid.key('ArrowDown', { altKey: true }).field).toBe('=#far-away!A1|')
  grid.key('Escape')
  expect([grid.text, grid.last]).toMatchObject([several, { action: { kind: 'go back' }, focus: true, hold: null }])
})

test('[COMP-50] in an opened formula the left and right arrows move within the text until F2', () => {
  const grid = new Grid(several).go(1, 0).key('F2')
  grid.step({ kind: 'typed', draft: { text: '=', from: 1, to: 1 } })
  expect(grid.key('ArrowRight').last.isTaken).toBeUndefined()
  expect(grid.key('F2').key('ArrowRight').field).toBe('=A2|')
  expect(grid.type('x').key('ArrowDown').last.isTaken).toBeUndefined()
})

test('[COMP-50] the other end of a range is in the same sheet', () => {
  const grid = new Grid(several).go(1, 0).type('=#costs!A2:').click(2, 1, 1)
  expect(grid.field).toBe('=#costs!A2:|')
  expect(grid.click(1, 1, 1).field).toBe('=#costs!A2:B2|')
})

test('[COMP-50] the second of two sheets with the same id cannot be referred to', () => {
  const grid = new Grid(several.replace('title="Far away"', '#costs')).go(1, 0).type('=').click(2, 1, 1)
  expect([grid.field, grid.said]).toEqual(['=|', 'Two sheets are called #costs. Rename one of them in its source.'])
  expect(grid.click(1, 1, 1).field).toBe('=#costs!B2|')
})

test('[COMP-50] an id that another person gives a sheet meanwhile is used', () => {
  const grid = new Grid(several).go(1, 0).type('=').click(2, 1, 1).others('sheet title', 'sheet #other title').key('Enter')
  expect(grid.texts[1]).toEqual(['=#other!B2'])
})

test('[COMP-52] by touch, a person picks the two corners of a range one after the other', () => {
  // The cells that the chart draws are selected first.
  const grid = new Grid().go(0, 0).go(2, 1, true)
  grid.isPicking = true
  const press = (row: number, column: number) => grid.step({ kind: 'press', place: place(row, column), isRange: false, isTouch: true })
  press(1, 1)
  press(2, 2)
  expect([grid.at, grid.to]).toEqual([place(1, 1), place(2, 2)])
  press(0, 0)
  expect([grid.at, grid.to]).toEqual([place(0, 0), place(0, 0)])
})

test('[COMP-52] while a person picks cells no cell opens', () => {
  const grid = new Grid()
  grid.isPicking = true
  expect(grid.step({ kind: 'edit', place: place(1, 1) }).field).toBeUndefined()
})

/** The rules of sheets that need no page: the state of one person's session in a grid (shared/components/sheet-selection.ts). */
import { expect, test } from 'vitest'
import {
  areaBetween,
  beginSheet,
  copied,
  inside,
  type Place,
  type SheetEvent,
  type SheetOutcome,
  type SheetState,
  sheetStep,
  sizeOf
} from '../shared/components/sheet-selection.ts'
import type { Key } from '../shared/components/key.ts'
import { tableOf } from '../shared/fences/sheet-edits.ts'
import { parseSheet } from '../shared/fences/sheet.ts'
import type { Table } from '../shared/fences/table.ts'
import { limits } from '../shared/limits.ts'
import { applyEdits } from '../shared/text/diff.ts'
import { fenceOf, plainKey } from './support/components.ts'

const read = (text: string): Table => tableOf(parseSheet(fenceOf(text)))
const sheetOf = (...rows: readonly string[]): Table => read(`\`\`\`sheet\n${rows.join('\n')}\n\`\`\`\n`)
const three = sheetOf('| A | B | C |', '|---|---|---|', '| 1 | 2 | 3 |', '| 4 | =A2 | 6 |')
const place = (row: number, column: number): Place => ({ row, column })
const [tab, back, enter] = [place(0, 1), place(0, -1), place(1, 0)]

/** A person's grid, with the person's steps and the writes that result from them. */
class Grid {
  state: SheetState = beginSheet
  last: SheetOutcome = { state: beginSheet }
  table: Table
  mayChange = true
  isPicked = false

  constructor(table: Table = three) {
    this.table = table
  }

  get at(): Place {
    return inside(this.state, this.table, this.state.from)
  }

  get to(): Place {
    return inside(this.state, this.table, this.state.end)
  }

  step(event: SheetEvent): this {
    this.last = sheetStep(this.state, event, this.table)
    this.state = this.last.state
    const { edits } = this.last
    if (edits !== undefined) this.table = read(applyEdits(this.table.fence.source, edits(this.table)))
    return this
  }

  go(row: number, column: number, isRange = false): this {
    return this.step({ kind: 'go', place: place(row, column), isRange })
  }

  goOn(step: Place, isWritten = true): this {
    return this.step({ kind: 'go on', place: this.at, step, isWritten })
  }

  key(key: string, held: Partial<Key> = {}): this {
    const { mayChange, isPicked } = this
    return this.step({ kind: 'key', key: { ...plainKey, ...held, key }, mayChange, isPicked })
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

test.each<readonly [string, Partial<Key>, Place, Place]>([
  ['ArrowRight', {}, place(1, 2), place(1, 2)],
  ['ArrowUp', {}, place(0, 1), place(0, 1)],
  ['ArrowDown', { shiftKey: true }, place(1, 1), place(2, 1)],
  ['Home', {}, place(1, 0), place(1, 0)],
  ['Home', { ctrlKey: true, shiftKey: true }, place(1, 1), place(0, 0)],
  ['End', {}, place(1, 2), place(1, 2)],
  ['End', { ctrlKey: true }, place(2, 2), place(2, 2)],
  ['a', { ctrlKey: true }, place(0, 0), place(2, 2)],
  ['a', { metaKey: true }, place(0, 0), place(2, 2)]
])('[COMP-8] %s with %j selects from %j to %j', (key, held, from, to) => {
  const grid = new Grid().go(1, 1).key(key, held)
  expect([grid.at, grid.to, grid.last.focus, grid.last.isTaken]).toEqual([from, to, true, true])
})

test('[COMP-8] arrows stay within the sheet, also after others made it smaller', () => {
  const grid = new Grid().go(2, 2)
  grid.mayChange = false
  expect(grid.key('ArrowDown').key('ArrowRight').at).toEqual(place(2, 2))
  grid.table = sheetOf('| A | B |', '|---|---|', '| 1 | 2 |')
  expect([grid.at, grid.key('ArrowUp').at]).toEqual([place(1, 1), place(0, 1)])
})

test('[COMP-8] keys write a cell, clear the selected ones and open the menu', () => {
  const grid = new Grid().go(1, 1)
  const actionOf = (key: string, held?: Partial<Key>) => grid.key(key, held).last.action
  expect(actionOf('F2')).toEqual({ kind: 'edit', place: place(1, 1) })
  expect(actionOf('Enter')).toEqual({ kind: 'edit', place: place(1, 1) })
  expect(actionOf('7')).toEqual({ kind: 'edit', place: place(1, 1), text: '7' })
  expect([actionOf('Delete'), actionOf('Backspace')]).toEqual([{ kind: 'clear' }, { kind: 'clear' }])
  expect([actionOf('F10', { shiftKey: true }), actionOf('ContextMenu')]).toEqual([{ kind: 'menu' }, { kind: 'menu' }])
  // Keys of the page stay with the page.
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
  const { edits } = grid.step({ kind: 'clear', area: areaBetween(place(0, 0), place(1, 1)), mayChange: false }).last
  expect(edits).toBeUndefined()
})

test('[COMP-8] cells are copied with their formulas, pasted from a corner, and cleared', () => {
  const grid = new Grid()
  const area = areaBetween(place(2, 1), place(1, 0))
  const tsv = copied(area, ({ row, column }) => three.texts[row]?.[column] ?? '')
  expect(tsv).toBe('1\t2\n4\t=A2')
  grid.step({ kind: 'paste', area: areaBetween(place(2, 1), place(2, 1)), text: tsv })
  expect(grid.table.texts).toEqual([
    ['A', 'B', 'C'],
    ['1', '2', '3'],
    ['4', '1', '2'],
    ['', '4', '=A2']
  ])
  expect(grid.last).toMatchObject({ focus: true, announcement: { kind: 'pasted', rows: 2, rowsFit: 2, columns: 2, columnsFit: 2 } })
  grid.step({ kind: 'clear', area, mayChange: true })
  expect(grid.table.texts).toEqual([
    ['A', 'B', 'C'],
    ['', '', '3'],
    ['', '', '2'],
    ['', '4', '=A2']
  ])
  expect(grid.step({ kind: 'paste', area, text: '' }).last).toEqual({ state: grid.state, focus: true })
})

test('[COMP-29] Enter in the last row and Tab in the last cell begin a row, which must get some text', () => {
  for (const [column, step, next] of [
    [1, enter, 1],
    [2, tab, 0]
  ] as const) {
    const grid = new Grid().go(2, column).goOn(step)
    expect([grid.at, sizeOf(grid.state, three).height]).toEqual([place(3, next), 4])
    // If nothing was written, no further row begins, and the new row disappears when the person leaves it.
    expect(grid.goOn(enter, false).at).toEqual(place(3, next))
    expect(sizeOf(grid.key('ArrowUp').state, three).height).toBe(3)
  }
  const grown = new Grid().go(2, 1).goOn(enter)
  grown.table = sheetOf('| A | B | C |', '|---|---|---|', '| 1 | 2 | 3 |', '| 4 | =A2 | 6 |', '|  | 7 |  |')
  expect(grown.goOn(enter).at).toEqual(place(4, 1))
})

test('[COMP-74] an arrow beyond the last row or column begins one, which disappears if it is left empty', () => {
  for (const [key, back, at, size] of [
    ['ArrowDown', 'ArrowUp', place(3, 2), { height: 4, width: 3 }],
    ['ArrowRight', 'ArrowLeft', place(2, 3), { height: 3, width: 4 }]
  ] as const) {
    const grid = new Grid().go(2, 2).key(key)
    expect([grid.at, grid.to, sizeOf(grid.state, three)]).toEqual([at, at, size])
    // Typed text goes into the new cell, and the same key does not begin another cell.
    expect(grid.key(key).key('9').last.action).toEqual({ kind: 'edit', place: at, text: '9' })
    expect(sizeOf(grid.key(back).state, three)).toEqual({ height: 3, width: 3 })
    // Extending a selection stays within the sheet, and so does selecting cells for a formula in another sheet.
    expect(new Grid().go(2, 2).key(key, { shiftKey: true }).to).toEqual(place(2, 2))
    const picking = new Grid().go(2, 2)
    picking.isPicked = true
    expect(picking.key(key).at).toEqual(place(2, 2))
  }
  // A row that begins next to a begun column replaces that column.
  const corner = new Grid().go(2, 2).key('ArrowRight').goOn(tab, false)
  expect([corner.at, sizeOf(corner.state, three)]).toEqual([place(3, 0), { height: 4, width: 3 }])
})

test('[COMP-29] in a full sheet the typed text is not overwritten until the person returns to it', () => {
  const grid = new Grid(sheetOf('| A |', '|---|', ...Array.from({ length: limits.sheetRowsMax - 1 }, () => '| x |')))
  const last = place(limits.sheetRowsMax - 1, 0)
  grid.key('End', { ctrlKey: true }).goOn(enter)
  expect(grid.at).toEqual(last)
  expect(grid.key('9').last).toMatchObject({ announcement: { kind: 'full' }, isTaken: true })
  expect(grid.last.action).toBeUndefined()
  expect(grid.key('ArrowUp').key('ArrowDown').key('9').last.action).toEqual({ kind: 'edit', place: last, text: '9' })
})

test('[COMP-29] if a paste is larger than the sheet allows, the page says how much fits', () => {
  const text = Array.from({ length: 300 }, () => Array.from({ length: 60 }, () => 'x').join('\t')).join('\n')
  const grid = new Grid().step({ kind: 'paste', area: areaBetween(place(2, 0), place(2, 0)), text })
  expect(grid.last.announcement).toEqual({ kind: 'pasted', rows: 300, rowsFit: limits.sheetRowsMax - 2, columns: 60, columnsFit: 50 })
  expect(sizeOf(grid.state, grid.table)).toEqual({ height: limits.sheetRowsMax, width: limits.sheetColumnsMax })
})

test('[COMP-52] while a person picks cells Enter takes, Esc cancels, Alt changes the sheet, and no key changes a cell', () => {
  const grid = new Grid().go(1, 1)
  grid.isPicked = true
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

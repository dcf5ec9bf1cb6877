/** Where the selection of a sheet goes. */
import { signal } from '@preact/signals'
import { expect, test } from 'vitest'
import { fencesOf } from '../shared/fences/fences.ts'
import { tableOf } from '../shared/fences/sheet-edits.ts'
import { parseSheet } from '../shared/fences/sheet.ts'
import { createSelection } from '../web/components/sheet-selection.ts'

const sheet = '```sheet\n| A | B | C |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n```\n'
const [tab, back, enter] = [
  { row: 0, column: 1 },
  { row: 0, column: -1 },
  { row: 1, column: 0 }
]

test.each([
  [[tab, enter], { row: 2, column: 0 }],
  [[tab, tab, enter], { row: 2, column: 0 }],
  [[tab, back, enter], { row: 2, column: 0 }],
  [[enter], { row: 2, column: 0 }],
  [[tab, tab, tab, enter], { row: 3, column: 0 }],
  [[tab, tab, tab, tab, enter], { row: 3, column: 0 }]
])('[COMP-60] after %j the cursor is at %j', (steps, wanted) => {
  const [fence] = fencesOf(sheet)
  if (fence === undefined) throw new Error('no sheet')
  const selection = createSelection(signal(tableOf(parseSheet(fence))))
  selection.go({ row: 1, column: 0 })
  for (const step of steps) selection.goOn(selection.at.peek(), step, true)
  expect(selection.at.peek()).toEqual(wanted)
})

test('[COMP-60] a cell that was gone to otherwise begins its row', () => {
  const [fence] = fencesOf(sheet)
  if (fence === undefined) throw new Error('no sheet')
  const selection = createSelection(signal(tableOf(parseSheet(fence))))
  selection.go({ row: 1, column: 0 })
  selection.goOn({ row: 1, column: 0 }, tab, true)
  selection.go({ row: 1, column: 2 })
  selection.goOn({ row: 1, column: 2 }, enter, true)
  expect(selection.at.peek()).toEqual({ row: 2, column: 2 })
})

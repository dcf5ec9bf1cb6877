/** Descriptions of component changes, computed from the edits that interactions make. */
import { pasting } from '../shared/components/sheet-copies.ts'
import { expect, test } from 'vitest'
import * as boards from '../shared/fences/board-edits.ts'
import { parseBoard } from '../shared/fences/board.ts'
import { chartTableOf } from '../shared/fences/chart-data.ts'
import { parseChart, setChart } from '../shared/fences/chart.ts'
import { appendMessage, editMessage, type Message, parseChat } from '../shared/fences/chat.ts'
import { type Fence, fencesOf } from '../shared/fences/fences.ts'
import * as sheets from '../shared/fences/sheet-edits.ts'
import { parseSheet } from '../shared/fences/sheet.ts'
import { describedEdit } from '../shared/fences/described-change.ts'
import { applyEdits, type Edit } from '../shared/text/diff.ts'

/** Describes edits in the form that suggestions have: one edit of all touched lines. */
const told = (kind: string, lines: readonly string[], edits: (fence: Fence) => readonly Edit[]) => {
  const text = `# Plan\n\n\`\`\`${kind} #x\n${lines.join('\n')}\n\`\`\`\n\nAfter\n`
  const fences = fencesOf(text)
  const [fence] = fences as [Fence]
  const all = edits(fence)
  const [from, to] = [all[0]?.from ?? 0, all.at(-1)?.to ?? 0]
  const insert = applyEdits(
    text.slice(from, to),
    all.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }))
  )
  return describedEdit(fences, { from, to, insert })
}

test('[FENCE-37] a change that is one interaction is described in terms of its component, any other is not', () => {
  const cards = ['## Todo', '- [ ] Write @ana', '- [ ] Test', '## Done', '- [x] Name']
  const board = (edits: (board: ReturnType<typeof parseBoard>) => readonly Edit[]) =>
    told('board', cards, (fence) => edits(parseBoard(fence)))
  const [first, second] = [
    { column: 0, card: 0 },
    { column: 0, card: 1 }
  ]
  expect(board((now) => boards.moveCard(now, first, { column: 1, card: 1 }))).toEqual({ kind: 'card.move', name: 'Write', column: 'Done' })
  expect(board((now) => boards.moveCard(now, first, { column: 0, card: 2 }))).toMatchObject({ kind: 'card.order' })
  expect(board((now) => boards.cycleState(now, second))).toEqual({ kind: 'card.mark', name: 'Test', state: 'doing' })
  expect(board((now) => boards.addCard(now, 0, 'New one'))).toEqual({ kind: 'card.add', name: 'New one', column: 'Todo' })
  expect(board((now) => boards.renameCard(now, second, 'Try'))).toEqual({ kind: 'card.change', name: 'Test' })
  expect(board((now) => boards.deleteCard(now, second))).toEqual({ kind: 'card.delete', name: 'Test' })
  expect(board((now) => boards.addColumn(now, 'Later'))).toEqual({ kind: 'column.add', name: 'Later' })
  expect(board((now) => boards.renameColumn(now, 0, 'Next'))).toEqual({ kind: 'column.rename', name: 'Todo', to: 'Next' })
  expect(board(({ fence }) => [{ from: fence.bodyFrom, to: fence.bodyTo, insert: '## A\n- [ ] One\n- [ ] Two\n' }])).toBeUndefined()
  // The edit reaches beyond the fence.
  expect(board(({ fence }) => [{ from: fence.from, to: fence.bodyFrom, insert: 'Words\n' }])).toBeUndefined()

  const messages = ['[2026-11-20T10:02Z] @Ana: Yes', '[2026-11-20T10:03Z] @Ben: No']
  const chat = (edits: (chat: ReturnType<typeof parseChat>) => readonly Edit[]) =>
    told('chat', messages, (fence) => edits(parseChat(fence)))
  expect(chat((now) => appendMessage(now, { author: 'Bo', time: 0, text: 'Hi' }))).toEqual({ kind: 'message.add', text: 'Hi' })
  expect(chat((now) => editMessage(now, now.entries[1] as Message, 'Maybe'))).toEqual({ kind: 'message.change', text: 'Maybe' })
  expect(chat((now) => editMessage(now, now.entries[1] as Message, ''))).toEqual({ kind: 'message.delete', text: 'No' })

  const rows = ['| Item | Qty |', '|---|---|', '| Pens | 1 |', '| Ink | =B2*2 |']
  const sheet = (edits: (sheet: ReturnType<typeof parseSheet>) => readonly Edit[]) =>
    told('sheet', rows, (fence) => edits(parseSheet(fence)))
  expect(sheet((now) => sheets.setCell(now, 1, 1, '5'))).toEqual({ kind: 'cell.set', name: 'B2', text: '5' })
  expect(
    sheet((now) =>
      sheets.setCells(
        now,
        pasting({ top: 1, bottom: 1, first: 0, last: 0 }, { text: 'a\tb\nc\td' }, { index: 0, hasDecimalComma: false }).cells
      )
    )
  ).toEqual({
    kind: 'cells.set',
    count: 4
  })
  expect(sheet((now) => sheets.insertRow(now, 1))).toEqual({ kind: 'rows.add', count: 1 })
  expect(sheet((now) => sheets.deleteRow(now, 1))).toEqual({ kind: 'rows.delete', count: 1 })
  expect(sheet((now) => sheets.insertColumn(now, 1))).toEqual({ kind: 'columns.add', count: 1 })
  expect(sheet((now) => sheets.deleteColumn(now, 0))).toEqual({ kind: 'columns.delete', count: 1 })

  const data = ['type: bar', '', 'Month, Visits', 'Jan, 1', 'Feb, 2']
  const chart = (edits: (chart: ReturnType<typeof parseChart>) => readonly Edit[]) =>
    told('chart', data, (fence) => edits(parseChart(fence)))
  expect(chart((now) => setChart(now, 'type', 'pie'))).toEqual({ kind: 'setting', name: 'type', text: 'pie' })
  expect(chart((now) => chartTableOf(now)?.setCells([{ row: 1, column: 1, text: '7' }]) ?? [])).toEqual({
    kind: 'cell.set',
    name: 'Visits, Jan',
    text: '7'
  })
  expect(chart((now) => chartTableOf(now)?.deleteRow(2) ?? [])).toEqual({ kind: 'rows.delete', count: 1 })
})

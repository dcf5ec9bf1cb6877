/** The rules of components that need no page. */
import { signal } from '@preact/signals'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { withOwnIds } from '../shared/components/own-ids.ts'
import { chartData, chartRows, isProblem, parseChart } from '../shared/fences/chart.ts'
import { chartTable } from '../shared/fences/chart-svg.ts'
import { documentSheets } from '../shared/fences/document-sheets.ts'
import { Failure } from '../shared/fences/formula/values.ts'
import { tableOf } from '../shared/fences/sheet-edits.ts'
import { fencesOf } from '../shared/fences/fences.ts'
import { fill } from '../shared/words.ts'
import { joinEarlierSteps } from '../web/components/act.ts'
import { closeEmoji, emojiLike } from '../web/components/chat-emoji.ts'
import { whenUndone } from '../web/components/notices.ts'
import { rangeOfPart } from '../web/components/part-range.ts'
import { createCells } from '../web/components/sheet-cells.ts'
import { shownNumber } from '../web/components/shown-number.ts'
import { de } from '../web/text/de.ts'
import { fenceIn } from './support/components.ts'

test.each([
  ['good :smile:', 'good 😄'],
  [':+1:', '👍'],
  ['a:smile:', 'a:smile:'],
  ['at 10:30:', 'at 10:30:'],
  [':nothing_like_it:', ':nothing_like_it:']
])('[WRITE-261] the message %j of a chat becomes %j', (typed, expected) => {
  const field = {
    value: typed,
    selectionStart: typed.length,
    setRangeText(text: string, from: number, to: number) {
      this.value = this.value.slice(0, from) + text + this.value.slice(to)
    }
  }
  closeEmoji(field as unknown as HTMLTextAreaElement)
  expect(field.value).toBe(expected)
})

test('[WRITE-261] two letters after a colon offer emoji in a chat, and a smiley offers none', () => {
  expect(emojiLike('good :tad')).toEqual([{ label: '🎉 tada', text: '🎉', length: 4 }])
  expect(emojiLike('good :sm').map(({ label }) => label)).toEqual(['😄 smile', '😏 smirk', '😅 sweat_smile'])
  for (const text of ['good :p', 'good:smile', ':']) expect(emojiLike(text)).toEqual([])
})

test('[COMP-71] a change counts as undone once its component reads as before, except for empty lines', () => {
  const fenceOf = (...lines: readonly string[]) => fenceIn('board', ...lines)
  const before = fenceOf('## A', '- [ ] one', '- [ ] two')
  const fence = signal(before)
  let undone = 0
  const stop = whenUndone(fence, before, () => (undone += 1))
  // The change appears slightly later, so nothing has changed yet.
  expect(undone).toBe(0)
  fence.value = fenceOf('## A', '', '- [ ] two')
  fence.value = fenceOf('## A', '- [ ] two')
  expect(undone).toBe(0)
  fence.value = fenceOf('## A', '', '- [ ] one', '- [ ] two')
  expect(undone).toBe(1)
  stop()
})

test('[UNDO-21] undo never restores the name that a guest had before, and takes back a message with the new name', () => {
  const text = new Y.Doc().getText()
  text.insert(0, 'Above.\n')
  const undo = new Y.UndoManager(text, { captureTimeout: 0 })
  text.insert(text.length, '@Guest 86: Hello\n')
  text.insert(0, 'Title. ')
  text.doc?.transact(() => {
    const at = text.toString().indexOf('Guest 86')
    text.delete(at, 'Guest 86'.length)
    text.insert(at, 'Olga')
  })
  joinEarlierSteps(undo)
  const seen = [text.toString()]
  for (const step of ['undo', 'undo', 'redo', 'redo'] as const) {
    undo[step]()
    seen.push(text.toString())
  }
  expect(seen).toEqual([
    'Title. Above.\n@Olga: Hello\n',
    'Above.\n@Olga: Hello\n',
    'Above.\n',
    'Above.\n@Olga: Hello\n',
    'Title. Above.\n@Olga: Hello\n'
  ])
})

test.each([
  ['```board #launch\n```', ['launch'], '```board #launch-2\n```'],
  ['```board #launch-2\n```', ['launch', 'launch-2'], '```board #launch-3\n```'],
  ['```sheet title="see #s here" #s\n| #s |\n```', ['s'], '```sheet title="see #s here" #s-2\n| #s |\n```'],
  ['```sheet #a\n```\n\n```sheet #b\n```', ['a', 'b', 'a-2'], '```sheet #a-3\n```\n\n```sheet #b-2\n```'],
  ['```board\n```', ['board'], '```board\n```'],
  ['Text #launch', ['launch'], 'Text #launch']
])('[COMP-72] %j in a document with %j', (text, ids, wanted) => {
  expect(withOwnIds(text, ids.map((id) => `\`\`\`board #${id}\n\`\`\`\n`).join('\n'))).toBe(wanted)
})

test.each([
  ['965.5', '965,5'],
  ['-1,234.5', '-1.234,5'],
  ['.5 %', ',5 %'],
  ['€ 2.50', '€ 2,50'],
  ['1.5e-7', '1,5e-7'],
  ['12', '12'],
  ['2026-11-23', '2026-11-23'],
  ['1.2.3', '1.2.3'],
  ['1, 2', '1, 2']
])('[COMP-76] a German reader sees %s as %s', (text, german) => {
  expect([shownNumber(text, 'de-DE'), shownNumber(text, 'en-US')]).toEqual([german, text])
})

test('[COMP-95] the reason for the failure of a formula is a sentence with values, which the page translates', () => {
  const sheets = documentSheets([fenceIn('sheet', '| A |', '|---|', '| =SUMME(1) |', '| ="a"*1 |', '| =1/0 |', '| =#b!A1 |')], 0)
  const [sheet] = sheets.sheets
  if (sheet === undefined) throw new Error('there is no sheet')
  const size = signal({ height: sheet.rows.length, width: 1 })
  const { grid } = createCells({ sheets: signal(sheets), sheetIndex: signal(0) }, signal(tableOf(sheet)), size)
  expect(grid.value.map(([cell]) => cell?.error)).toEqual([
    undefined,
    'There is no function SUMME. Use SUM.',
    '"a" is not a number.',
    'The formula divides by zero.',
    'There is no sheet #b.'
  ])
  const german = [1, 2, 3, 4].map((row) => {
    const value = sheets.workbook.valueAt(0, row, 0)
    return value instanceof Failure ? fill(String(de[value.sentence]), value.values, 'de') : value
  })
  expect(german).toEqual([
    'Es gibt keine Funktion SUMME. Nimm SUM.',
    '„a“ ist keine Zahl.',
    'Die Formel teilt durch null.',
    'Es gibt kein Tabellenblatt #b.'
  ])
})

test('[COMP-91] text that looks like a number with a decimal comma is marked, if the sheet has formulas or its column has numbers', () => {
  const marksOf = (...rows: readonly string[]) => {
    const sheets = documentSheets([fenceIn('sheet', ...rows)], 0)
    const [sheet] = sheets.sheets
    if (sheet === undefined) throw new Error('there is no sheet')
    const size = signal({ height: sheet.rows.length, width: 1 })
    const cells = createCells({ sheets: signal(sheets), sheetIndex: signal(0) }, signal(tableOf(sheet)), size)
    return cells.grid.value.map(([cell]) => cell?.asNumber)
  }
  expect(marksOf('| A |', '|---|', '| 7,50 |', '| 1,234 |', '| 7.5 |', '| x |', '| =SUM(A2:A4) |')).toEqual([
    undefined,
    '7.50',
    undefined,
    undefined,
    undefined,
    undefined
  ])
  expect(marksOf('| A |', '|---|', '| 7,50 |')).toEqual([undefined, undefined])
  expect(marksOf('| A |', '|---|', '| 12,50 € |', '| $3.00 |')).toEqual([undefined, '12.50 €', undefined])
  // Another number in the column shows that the column has numbers.
  expect(marksOf('| A |', '|---|', '| 7,50 |', '| 3 |')).toEqual([undefined, '7.50', undefined])
})

test('[COMP-76] a chart draws its numbers as they are written for its reader, dates aside', () => {
  const drawn = (format: string): string => {
    const fence = fenceIn('chart', 'type: bar', `format: ${format}`, '', 'a, b', 'x, 0.5', 'y, 1.5')
    const chart = { ...parseChart(fence), written: (number: string) => shownNumber(number, 'de') }
    const rows = chartRows(chart, { rowsOf: () => undefined, ids: [] })
    const data = isProblem(rows) ? rows : chartData(chart, rows)
    return isProblem(data) ? data.problem : chartTable(chart, data)
  }
  expect(drawn('0.00')).toContain('1,50')
  expect(drawn('')).toContain('>1,5<')
  expect(drawn('mm.yyyy')).not.toMatch(/\d,\d/)
})

test.each([
  ['a card', '```board\n## Todo\n- [ ] Write it #now\n```', { place: '0:0', column: '0' }, 'Write it'],
  ['a card without words', '```board\n## Todo\n- [ ] #now\n```', { place: '0:0', column: '0' }, '- [ ] #now'],
  ['a column', '```board\n## Todo\n- [ ] Write it\n```', { column: '0' }, 'Todo'],
  ['a card that is gone', '```board #b\n## Todo\n```', { place: '1:0' }, '```board #b'],
  ['a cell', '```sheet\n| A | B |\n|---|---|\n| 1 | 2 3 |\n```', { cell: 'B2' }, '2 3'],
  ['a quoted cell of a CSV', '```sheet\nA,B\n"x, y",2\n```', { cell: 'A2' }, '"x, y"'],
  ['an empty cell', '```sheet\n| A | B |\n| 1 |  |\n```', { cell: 'B2' }, '| 1 |  |'],
  ['a cell below the last row', '```sheet\n| A |\n| 1 |\n```', { cell: 'A3' }, '```sheet'],
  ['a chart', '```chart\ntype: pie\ntitle: Stock\n\na,b\nx,1\n```', {}, 'Stock'],
  ['a message', '```chat\n[2026-11-20T10:02Z] @Ana: Yes\n```', { line: '0' }, '[2026-11-20T10:02Z] @Ana: Yes'],
  ['a widget', '```widget title=Count\n<b>1</b>\n```', {}, '```widget title=Count']
] as const)('[COMP-135] a comment on %s is on its source', (_what, source, part, expected) => {
  const [fence] = fencesOf(`Words\n\n${source}\n`)
  if (fence === undefined) throw new Error('there is no fence')
  const { from, to } = rangeOfPart(fence, part)
  expect(fence.source.slice(from, to)).toBe(expected)
})

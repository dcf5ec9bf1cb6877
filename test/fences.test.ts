import { createRequire } from 'node:module'
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { expect, test } from 'vitest'
import * as boards from '../shared/fences/board-edits.ts'
import { type Board, cardsShown, detailsOf, parseBoard, repeatedCards, stateOfColumn } from '../shared/fences/board.ts'
import { chartTableOf } from '../shared/fences/chart-data.ts'
import { chartSvg } from '../shared/fences/chart-svg.ts'
import { type DataSettings, followData, namedCells, namedColumns, setData } from '../shared/fences/chart-pick.ts'
import {
  bodyRows,
  type ChartData,
  chartData,
  chartRows,
  chartTypes,
  parseChart,
  type Rows,
  rowsOfCsv,
  setChart
} from '../shared/fences/chart.ts'
import { appendMessage, editMessage, type Message, parseChat } from '../shared/fences/chat.ts'
import { type Fence, fenceAt, fenceKinds, fencesOf, parseInfo } from '../shared/fences/fences.ts'
import { followed, type Reading } from '../shared/fences/followed.ts'
import { type Change, type Draft, draftAfter, type CellPosition, positionAfter } from '../shared/fences/formula/rewrite.ts'
import { createWorkbook } from '../shared/fences/formula/workbook.ts'
import { tidyEdits } from '../shared/fences/tidy.ts'
import * as sheets from '../shared/fences/sheet-edits.ts'
import { formatTsv, parseTsv } from '../shared/fences/sheet-edits.ts'
import { parseSheet, type Sheet, textsOf } from '../shared/fences/sheet.ts'
import type { Table } from '../shared/fences/table.ts'
import { parseWidget, setWidgetState } from '../shared/fences/widget.ts'
import { limits } from '../shared/limits.ts'
import { renderComponent } from '../shared/markdown/components.ts'
import { createRenderer } from '../shared/markdown/render.ts'
import { mentionOf, mentionPlaces, mentionsOf } from '../shared/mentions.ts'
import { applyEdits, type Edit } from '../shared/text/diff.ts'

const { tests: examples } = createRequire(import.meta.url)('commonmark-spec') as { tests: { markdown: string }[] }
const markdownIt = new MarkdownIt({ html: false })

/** Returns the first line, the kind and the content of each component fence, according to markdown-it. */
const asRendered = (text: string): [number, string, string][] =>
  markdownIt
    .parse(text, {})
    .filter(({ type, info }) => type === 'fence' && (fenceKinds as readonly string[]).includes(parseInfo(info).kind))
    .map(({ map, info, content }) => [map?.[0] ?? -1, parseInfo(info).kind, content.trimEnd()])

const asFound = (text: string): [number, string, string][] =>
  fencesOf(text).map(({ line, kind, lines }) => [
    line,
    kind,
    lines
      .map(({ text: content }) => `${content}\n`)
      .join('')
      .trimEnd()
  ])

const page = createRenderer({ fence: renderComponent })

/** Returns the only fence of the text. */
const one = (text: string): Fence => {
  const [fence, ...others] = fencesOf(text)
  if (fence === undefined || others.length > 0) throw new Error(`not one fence: ${text}`)
  return fence
}

test('[FENCE-1] fences are found where the renderer finds them: in quotes, lists, longer and unclosed ones', () => {
  for (const { markdown } of examples) {
    const text = markdown.replaceAll(/(`{3,}|~{3,})(?!`|~)[ ]*\w*/g, '$1board').replaceAll('→', '\t')
    expect([text, asFound(text)]).toEqual([text, asRendered(text)])
  }
  const indented = '> \n    > ~~~chat'
  expect(asFound(indented)).toEqual(asRendered(indented))
  const piece = fc.constantFrom(
    '> ',
    '>',
    '- ',
    '* ',
    '1. ',
    '2. ',
    '10) ',
    '  ',
    '    ',
    '```',
    '````',
    '~~~',
    '```board',
    '```sheet #a',
    '~~~chat',
    'text',
    '\n',
    '\n',
    '\n',
    '\n\n',
    '# ',
    '---',
    '`',
    '| a |',
    'board'
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      expect([text, asFound(text)]).toEqual([text, asRendered(text)])
    }),
    { numRuns: 3000 }
  )
})

/** Removes the fence lines of the text and restores them. Nothing between them may be lost. */
const printed = (text: string): string => {
  let result = ''
  let at = 0
  for (const { bodyFrom, bodyTo, lines } of fencesOf(text)) {
    result += text.slice(at, bodyFrom)
    for (const { start, from, to, text: content } of lines) {
      expect(text.slice(from, to)).toBe(content)
      result += text.slice(start, from) + content + text.slice(to, Math.min(to + 1, bodyTo))
    }
    at = bodyTo
  }
  return result + text.slice(at)
}

const words = fc.constantFrom(
  '## ',
  '- [ ] ',
  '- [xx] ',
  '- ',
  '  ',
  '\t',
  '@ana',
  '#tag',
  'word',
  ' ',
  '\n',
  '\n',
  '\n',
  '|',
  '| a | b |',
  '|---|',
  '\\|',
  '\\',
  '=A1',
  '"',
  ',',
  ';',
  '[2026-11-20T10:02Z] @ana: ',
  '--- ',
  '{{a|b|c}}',
  'type: bar',
  'data: #x',
  '[',
  '{"a":1}',
  '<!-- state {} -->',
  '```',
  '````',
  '> ',
  '😀',
  '%%',
  ': '
)
const bodies = fc.array(words, { maxLength: 40 }).map((parts) => parts.join(''))

/** Returns the numbers of the lines of a board. Every line belongs to an element or is empty. */
const linesOfBoard = (fence: Fence): number[] => {
  const { notes, columns } = parseBoard(fence)
  const inColumn = columns.flatMap(({ index, cards, notes: own }) => [
    index,
    ...own.map((note) => note.index),
    ...cards.flatMap((card) => [card.index, ...card.details.map((_line, at) => card.index + 1 + at)])
  ])
  return [...notes.map(({ index }) => index), ...inColumn].toSorted((one, other) => one - other)
}

const linesOfChat = (fence: Fence): number[] =>
  parseChat(fence).entries.flatMap((entry) => (entry.kind === 'message' ? entry.lines.map((_line, at) => entry.index + at) : [entry.index]))

const linesOfSheet = (fence: Fence): number[] => {
  const { rows, dashes, notes } = parseSheet(fence)
  return [...rows, ...(dashes === undefined ? [] : [dashes]), ...notes].map(({ index }) => index).toSorted((one, other) => one - other)
}

test('[FENCE-2] printing gives the source: no character is lost, and every nonblank line belongs to an element', () => {
  fc.assert(
    fc.property(fc.constantFrom(...fenceKinds), bodies, fc.constantFrom('', '> ', '- '), (kind, body, quote) => {
      const text = `${quote}\`\`\`\`\`${kind} #id title="A b"\n${body}\n\`\`\`\`\`\nafter`
      expect(printed(text)).toBe(text)
      for (const fence of fencesOf(text)) {
        const spoken = fence.lines.flatMap((line, index) => (line.text.trim() === '' ? [] : [index]))
        const covered =
          fence.kind === 'board'
            ? linesOfBoard(fence)
            : fence.kind === 'chat'
              ? linesOfChat(fence)
              : fence.kind === 'sheet'
                ? linesOfSheet(fence)
                : spoken
        expect(new Set(covered).size).toBe(covered.length)
        expect(spoken.filter((index) => !covered.includes(index))).toEqual([])
        // Components with any text can be rendered and parsed.
        page.render(text)
      }
    }),
    { numRuns: 300 }
  )
})

test('[FENCE-3] an info string has kind, id and attributes, also quoted', () => {
  const { kind, id, attributes } = parseInfo('widget #roi-1 height=220 title="ROI calculator" wide x=\'a b\'')
  expect([kind, id, [...attributes]]).toEqual([
    'widget',
    'roi-1',
    [
      ['height', '220'],
      ['title', 'ROI calculator'],
      ['wide', ''],
      ['x', 'a b']
    ]
  ])
  const fences = fencesOf('a\n```board #one\nx\n```\nb\n```ts\n```board\n```\n~~~chat\nopen')
  expect(fences.map(({ kind: each, line, closing }) => [each, line, closing !== undefined])).toEqual([
    ['board', 1, true],
    ['chat', 8, false]
  ])
  expect(fenceAt(fences, 5)?.id).toBe('one')
  expect(fenceAt(fences, 0)).toBeUndefined()
})

/** Returns text after edits to its only fence. */
const after = (text: string, change: (fence: Fence) => readonly Edit[]): string => applyEdits(text, change(one(text)))

const board = [
  '> ```board #launch',
  '> Notes.',
  '> ## Todo',
  '> - [ ] Write importer @ana #backend',
  '>   More.',
  '> - Plain',
  '> ## Doing',
  '> ## Done',
  '> ```',
  ''
].join('\n')
const onBoard = (change: (board: Board) => readonly Edit[]): string => after(board, (fence) => change(parseBoard(fence)))

test('[FENCE-4] a board has columns, cards with marker, assignee and tags, details, notes', () => {
  const { notes, columns } = parseBoard(one(board))
  expect(notes.map(({ line }) => line.text)).toEqual(['Notes.'])
  expect(columns.map(({ title, cards }) => [title.text, cards.length])).toEqual([
    ['Todo', 2],
    ['Doing', 0],
    ['Done', 0]
  ])
  const [card, plain] = columns[0]?.cards ?? []
  expect(card).toMatchObject({
    state: 'open',
    title: { text: 'Write importer' },
    assignees: [{ name: 'ana' }],
    tags: [{ name: 'backend' }]
  })
  expect(card && detailsOf(card)).toBe('More.')
  expect(plain).toMatchObject({ state: 'open', marker: undefined, title: { text: 'Plain' } })
  const stateOf = (marker: string): string | undefined =>
    parseBoard(one(`\`\`\`board\n## A\n- [${marker}] x\n\`\`\``)).columns[0]?.cards[0]?.state
  expect(['x', 'X', '>', ' ', '', '>x', 'xx', 'x>', 'x '].map(stateOf)).toEqual([
    'done',
    'done',
    'doing',
    'open',
    'open',
    'done',
    'done',
    'doing',
    'open'
  ])
})

test('[FENCE-16] if there are more cards than a page shows, each column gets its share', () => {
  const shown = (counts: readonly number[], most: number): number[] =>
    cardsShown(parseBoard(one(`\`\`\`board\n${counts.map((count) => `## A\n${'- x\n'.repeat(count)}`).join('')}\`\`\``)), most)
  expect(shown([3, 0, 5], 100)).toEqual([3, 0, 5])
  expect(shown([30, 1, 50], 21)).toEqual([10, 1, 10])
  expect(shown([5, 40, 8], 20)).toEqual([5, 8, 7])
  expect(shown([], 20)).toEqual([])
})

test('[FENCE-5] each interaction with a board makes a few edits inside the fence; a moved card leaves its line ending behind', () => {
  const first = { column: 0, card: 0 }
  expect(onBoard((each) => boards.cycleState(each, first))).toBe(board.replace('[ ] Write', '[>] Write'))
  expect(onBoard((each) => boards.setState(each, { column: 0, card: 1 }, 'done'))).toBe(board.replace('- Plain', '- [x] Plain'))
  expect(onBoard((each) => boards.moveCard(each, first, { column: 2, card: 0 }))).toBe(
    board
      .replace('> - [ ] Write importer @ana #backend\n>   More.\n', '> \n> \n')
      .replace('> ## Done\n', '> ## Done\n> - [x] Write importer @ana #backend\n>   More.\n')
  )
  expect(onBoard((each) => boards.moveCard(each, { column: 0, card: 1 }, first))).toBe(
    board.replace('> - Plain\n', '> \n').replace('> - [ ] Write', '> - Plain\n> - [ ] Write')
  )
  expect(onBoard((each) => boards.addCard(each, 1, 'New\nwith ```\n```'))).toBe(
    board.replace('> ## Doing\n', '> ## Doing\n> - [>] New\n>   with ```\n>     ```\n')
  )
  expect(onBoard((each) => boards.renameCard(each, first, 'Write the importer'))).toBe(
    board.replace('Write importer', 'Write the importer')
  )
  expect(onBoard((each) => boards.setAssignee(each, first, '@Bo B.'))).toBe(board.replace('@ana', '@Bo-B'))
  expect(onBoard((each) => boards.setAssignee(each, first, undefined))).toBe(board.replace(' @ana', ''))
  expect(onBoard((each) => boards.setAssignee(each, { column: 0, card: 1 }, 'ana'))).toBe(board.replace('Plain', 'Plain @ana'))
  expect(onBoard((each) => boards.addTag(each, first, 'ui'))).toBe(board.replace('#backend', '#backend #ui'))
  expect(onBoard((each) => boards.removeTag(each, first, 'backend'))).toBe(board.replace(' #backend', ''))
  expect(onBoard((each) => boards.setDetails(each, first, 'More.\nAnd more.'))).toBe(board.replace('>   More.', '>   More.\n>   And more.'))
  expect(onBoard((each) => boards.deleteCard(each, { column: 0, card: 1 }))).toBe(board.replace('- Plain', ''))
  expect(onBoard((each) => boards.addColumn(each, 'Later'))).toBe(board.replace('> ## Done\n', '> ## Done\n> ## Later\n'))
  expect(onBoard((each) => boards.renameColumn(each, 1, 'In progress'))).toBe(board.replace('Doing', 'In progress'))
  expect(onBoard((each) => boards.moveColumn(each, 2, 1))).toBe(
    board.replace('> ## Done\n', '> \n').replace('> ## Doing', '> ## Done\n> ## Doing')
  )
  expect(onBoard((each) => boards.deleteColumn(each, 1))).toBe(board.replace('## Doing', ''))
  for (const nothing of [
    boards.cycleState(parseBoard(one(board)), { column: 9, card: 0 }),
    boards.addCard(parseBoard(one(board)), 0, '  ')
  ])
    expect(nothing).toEqual([])
  expect(['Done', 'Completed', 'Shipped!', 'Doing', 'In progress', 'Todo', 'Undone'].map(stateOfColumn)).toEqual([
    'done',
    'done',
    'done',
    'doing',
    'doing',
    'open',
    'open'
  ])
  expect(repeatedCards(parseBoard(one('```board\n## A\n- [ ] x #t\n## B\n- [x] x #t\n- y\n```')))).toEqual([
    [
      { column: 0, card: 0 },
      { column: 1, card: 0 }
    ]
  ])
})

const chat =
  '```chat\n[2026-11-20T10:02Z] @ana: Can we ship?\n  **Soon**.\n--- 2026-11-21\n{{Bo|Yes|10:03}}\n> Cy | No | 10:04\nstray\n```\n'

test('[FENCE-6] a chat is parsed with its days and the formats of Obsidian Chat View; messages are appended whole and edited in place', () => {
  const { entries } = parseChat(one(chat))
  expect(entries).toMatchObject([
    { kind: 'message', author: 'ana', time: Date.UTC(2026, 10, 20, 10, 2), text: 'Can we ship?\n**Soon**.', imported: false },
    { kind: 'day', text: '2026-11-21' },
    { kind: 'message', author: 'Bo', text: 'Yes', at: '10:03', imported: true },
    { kind: 'message', author: 'Cy', text: 'No', at: '10:04', imported: true },
    { kind: 'note' }
  ])
  const time = Date.UTC(2026, 10, 21, 9, 0, 30)
  const send = (author: string, text: string): string => after(chat, (fence) => appendMessage(parseChat(fence), { author, time, text }))
  expect(send('Bo: B', 'Yes\n```\n\nx')).toBe(chat.replace('stray\n', 'stray\n[2026-11-21T09:00Z] @Bo B: Yes\n    ```\n\n  x\n'))
  expect(send('bo', ' \n ')).toBe(chat)
  const edit = (text: string): string => after(chat, (fence) => editMessage(parseChat(fence), parseChat(fence).entries[0] as Message, text))
  expect(edit('Can they ship?\nNever.\nReally.')).toBe(chat.replace('we', 'they').replace('  **Soon**.', '  Never.\n  Really.'))
  expect(edit('Can we ship?')).toBe(chat.replace('  **Soon**.', ''))
  expect(edit('')).toBe(chat.replace('[2026-11-20T10:02Z] @ana: Can we ship?\n  **Soon**.', '\n'))
  expect(after('```chat', (fence) => appendMessage(parseChat(fence), { author: 'a', time, text: 'b' }))).toBe(
    '```chat\n[2026-11-21T09:00Z] @a: b'
  )
  expect(mentionsOf('@ana and (@bo-b), not a@b.c; @ana.')).toEqual(['ana', 'bo-b'])
  expect(mentionPlaces('Hi\n`x @y` @ana, @Bo')).toEqual([
    { name: 'ana', from: 10, to: 14 },
    { name: 'Bo', from: 16, to: 19 }
  ])
  expect(mentionsOf('`@a` ``@b ` @c`` @d `@e\n` @f ` `` @g ` ``')).toEqual(['d', 'e'])
  expect(mentionsOf(`${'`a``'.repeat(50_000)}@a`)).toEqual(['a'])
  expect([' Ana  Lena ', '-Bo (Dev).', 'अनिता', 'Cafe\u0301'].map(mentionOf)).toEqual(['Ana-Lena', 'Bo-Dev', 'अनिता', 'Cafe\u0301'])
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const written = mentionOf(name)
      expect(mentionsOf(`@${written}, yes`)).toEqual(written === '' ? [] : [written])
    })
  )
})

const sheet = [
  '```sheet #s',
  '| Item  | Qty | Sum    |',
  '|-------|----:|--------|',
  '| a\\|b  |   1 | =B2*2  |',
  '| c     |   3 | =B3+C2 |',
  '| All   |     | =SUM(C2:C3) |',
  '```',
  ''
].join('\n')
const onSheet = (change: (sheet: Sheet) => readonly Edit[], text = sheet): string => after(text, (fence) => change(parseSheet(fence)))
const gridOf = (text: string): string[][] => textsOf(parseSheet(one(text)))

test('[FENCE-7] a sheet is a table or CSV; a change to a cell replaces only that cell', () => {
  expect(parseSheet(one(sheet))).toMatchObject({ width: 3, sides: [undefined, 'right', undefined], notes: [] })
  expect(gridOf(sheet)[1]).toEqual(['a|b', '1', '=B2*2'])
  expect(onSheet((each) => sheets.setCell(each, 1, 1, '12'))).toBe(sheet.replace('|   1 |', '|   12 |'))
  expect(onSheet((each) => sheets.setCell(each, 3, 1, 'x|y\nz'))).toBe(sheet.replace('| All   |     |', '| All   | x\\|y z    |'))
  expect(gridOf(onSheet((each) => sheets.setCell(each, 2, 4, 'far')))[2]).toEqual(['c', '3', '=B3+C2', '', 'far'])
  expect(gridOf(onSheet((each) => sheets.setCell(each, 4, 0, 'new'))).at(-1)).toEqual(['new', '', ''])
  const csv = '```sheet\na,b\n"x, ""y""",2\n```\n'
  expect(gridOf(csv)).toEqual([
    ['a', 'b'],
    ['x, "y"', '2']
  ])
  expect(onSheet((each) => sheets.setCell(each, 1, 1, 'p,q'), csv)).toBe(csv.replace(',2', ',"p,q"'))
  expect(gridOf(onSheet((each) => sheets.setCell(each, 0, 0, 'a|b'), csv))[0]).toEqual(['a¦b', 'b'])
  fc.assert(
    fc.property(
      fc.constantFrom(sheet, csv),
      fc.nat(3),
      fc.nat(4),
      fc.array(fc.constantFrom('|', '\\', '"', ',', ' ', 'a', '=', '`', '-', ':', '😀', '\n')).map((parts) => parts.join('')),
      (text, row, column, value) => {
        fc.pre(!(row === 0 && /[|]/.test(value)))
        const changed = onSheet((each) => sheets.setCell(each, row, column, value), text)
        expect(gridOf(changed)[row]?.[column] ?? '').toBe(value.replaceAll(/\n+/g, ' ').trim())
      }
    ),
    { numRuns: 1000 }
  )
})

test('[FENCE-43] a row or column added between a sum and its range becomes part of the range', () => {
  const sums =
    '```sheet\n| a | b | c |\n| - | - | - |\n| 1 | 2 | =SUM(A2:B2) |\n| =SUM(A2:A2) | =SUM(B1:B2)+B2 | =SUM(#other!A2:A2) |\n```\n'
  const cells = (text: string): string[] => gridOf(text).flatMap((row) => row.filter((cell) => cell.startsWith('=')))
  expect(cells(onSheet((each) => sheets.insertRow(each, 2), sums))).toEqual([
    '=SUM(A2:B2)',
    '=SUM(A2:A3)',
    '=SUM(B1:B3)+B2',
    '=SUM(#other!A2:A2)'
  ])
  expect(cells(onSheet((each) => sheets.insertColumn(each, 2), sums))).toEqual([
    '=SUM(A2:C2)',
    '=SUM(A2:A2)',
    '=SUM(B1:B2)+B2',
    '=SUM(#other!A2:A2)'
  ])
  expect(cells(onSheet((each) => sheets.insertRow(each, 3), sums))).toEqual([
    '=SUM(A2:B2)',
    '=SUM(A2:A2)',
    '=SUM(B1:B2)+B2',
    '=SUM(#other!A2:A2)'
  ])
})

test('[FENCE-8] formulas follow rows and columns that are added, deleted, moved or sorted', () => {
  const formulas = (text: string): string[] => gridOf(text).flatMap((row) => row.filter((cell) => cell.startsWith('=')))
  expect(formulas(onSheet((each) => sheets.insertRow(each, 2)))).toEqual(['=B2*2', '=B4+C2', '=SUM(C2:C4)'])
  expect(formulas(onSheet((each) => sheets.deleteRow(each, 1)))).toEqual(['=B2+#REF!', '=SUM(C2:C2)'])
  expect(formulas(onSheet((each) => sheets.moveRow(each, 2, 1)))).toEqual(['=B2+C3', '=B3*2', '=SUM(C2:C3)'])
  expect(formulas(onSheet((each) => sheets.insertColumn(each, 1)))).toEqual(['=C2*2', '=C3+D2', '=SUM(D2:D3)'])
  expect(formulas(onSheet((each) => sheets.deleteColumn(each, 1)))).toEqual(['=#REF!*2', '=#REF!+B2', '=SUM(B2:B3)'])
  expect(formulas(onSheet((each) => sheets.moveColumn(each, 2, 0)))).toEqual(['=C2*2', '=C3+A2', '=SUM(A2:A3)'])
  expect(gridOf(onSheet((each) => sheets.moveColumn(each, 2, 0)))[0]).toEqual(['Sum', 'Item', 'Qty'])
  expect(parseSheet(one(onSheet((each) => sheets.insertColumn(each, 3)))).width).toBe(4)
  expect(onSheet((each) => sheets.deleteRow(each, 0))).toBe(sheet)
  const workbook = createWorkbook([{ id: 's', rows: gridOf(sheet) }], 0)
  const sorted = onSheet((each) => sheets.sortRows(each, 1, true, (row, column) => workbook.valueAt(0, row, column)))
  expect(gridOf(sorted).map(([name]) => name)).toEqual(['Item', 'c', 'a|b', 'All'])
  expect(formulas(sorted)).toEqual(['=B2+C2', '=B3*2', '=SUM(C2:C3)'])
  const other = '```sheet #t\n| x | =#s!B3 | =SUM(#s!B2:B4) | =B3 |\n```\n'
  const change = { axis: 'row', kind: 'delete', at: 2, count: 1 } as const
  expect(formulas(onSheet((each) => sheets.followChange(each, 's', change), other))).toEqual(['=#REF!', '=SUM(#s!B2:B3)', '=B3'])
  const aligned = onSheet(sheets.alignColumns)
  expect(gridOf(aligned)).toEqual(gridOf(sheet))
  expect(
    new Set(
      aligned
        .split('\n')
        .slice(1, 6)
        .map(({ length }) => length)
    ).size
  ).toBe(1)
  // No change affects the values of the remaining cells.
  const values = (text: string): string[] => {
    const grid = gridOf(text)
    const computed = createWorkbook([{ id: 's', rows: grid }], 0)
    return grid.flatMap((row, at) => row.map((_cell, column) => computed.textAt(0, at, column))).filter((cell) => cell !== '')
  }
  for (const change of [sheets.insertRow, sheets.insertColumn])
    for (const at of [1, 2, 3]) expect(values(onSheet((each) => change(each, at)))).toEqual(values(sheet))
  for (const [from, to] of [
    [1, 3],
    [2, 1],
    [3, 1],
    [1, 4]
  ] as const) {
    expect(values(onSheet((each) => sheets.moveColumn(each, from - 1, to - 1))).toSorted()).toEqual(values(sheet).toSorted())
  }
})

test('[FENCE-48] neighboring rows and columns are moved and deleted together, and ranges keep naming the cells that stay', () => {
  // Column A contains the names of the rows. Column B has a formula in the first row below the heading, which refers to a cell or a range of column A.
  const list = (formula: string, order = ['r2', 'r3', 'r4', 'r5', 'r6', 'r7']): string =>
    `\`\`\`sheet\n| n | f |\n|---|---|\n${order.map((name) => `| ${name} | ${name === 'r2' ? formula : name} |\n`).join('')}\`\`\`\n`
  const formula = (text: string): string | undefined => gridOf(text).find(([name]) => name === 'r2')?.[1]
  const order = (text: string): string =>
    gridOf(text)
      .flatMap(([name = '']) => name)
      .join(' ')
  // Rows are numbered as people see them: each case moves rows `from` to `last` before the row `to`.
  const moved = (from: number, last: number, to: number, written: string) =>
    onSheet((each) => sheets.moveRow(each, from - 1, to - 1, last - from + 1), list(written))
  expect(order(moved(3, 4, 7, '=A3'))).toBe('n r2 r5 r6 r3 r4 r7')
  expect(order(moved(5, 7, 3, '=A3'))).toBe('n r2 r5 r6 r7 r3 r4')
  for (const [from, last, to, before, after] of [
    // All moved.
    [3, 4, 7, '=SUM(A3:A4)', '=SUM(A5:A6)'],
    [5, 7, 3, '=SUM($A$5:A6)', '=SUM($A$3:A4)'],
    [5, 7, 3, '=A6+A4+A7', '=A4+A7+A5'],
    // One end moves out of the range.
    [5, 6, 8, '=SUM(A3:A5)', '=SUM(A3:A4)'],
    [3, 4, 8, '=SUM(A4:A6)', '=SUM(A3:A4)'],
    // Rows move within the range, including to or from one of its ends.
    [3, 4, 7, '=SUM(A3:A6)', '=SUM(A3:A6)'],
    [5, 6, 3, '=SUM(A3:A6)', '=SUM(A3:A6)'],
    // Other rows move between the ends of the range, or past the range.
    [6, 7, 4, '=SUM(A3:A5)', '=SUM(A3:A7)'],
    [6, 7, 3, '=SUM(A3:A5)', '=SUM(A5:A7)'],
    [3, 3, 8, '=SUM(A4:A5)', '=SUM(A3:A4)']
  ] as const)
    expect([from, last, to, formula(moved(from, last, to, before))]).toEqual([from, last, to, after])
  // The heading stays first, and rows cannot move into themselves.
  for (const [from, last, to] of [
    [1, 2, 5],
    [3, 3, 1],
    [3, 4, 4],
    [3, 4, 5],
    [6, 8, 3]
  ] as const)
    expect(moved(from, last, to, '=A3')).toBe(list('=A3'))
  expect(onSheet((each) => sheets.deleteRow(each, 2, 2), list('=SUM(A3:A7)'))).toBe(
    list('=SUM(A3:A5)').replace('| r3 | r3 |\n| r4 | r4 |', '\n')
  )
  expect(formula(onSheet((each) => sheets.deleteRow(each, 5, 3), list('=A3')))).toBe('=A3')
  const wide = '```sheet\n| A | B | C | D |\n| :-- | --- | --- | --: |\n| 1 | 2 | 3 | =A2+C2 |\n| 4 |\n```\n'
  expect(onSheet((each) => sheets.moveColumn(each, 0, 3, 2), wide)).toBe(
    '```sheet\n| C | A | B | D |\n| --- | :-- | --- | --: |\n| 3 | 1 | 2 | =B2+A2 |\n|   | 4 |   |\n```\n'
  )
  expect(gridOf(onSheet((each) => sheets.moveColumn(each, 2, 0, 2), wide))[1]).toEqual(['3', '=C2+A2', '1', '2'])
  expect(onSheet((each) => sheets.deleteColumn(each, 1, 2), wide)).toBe(
    '```sheet\n| A | D |\n| :-- | --: |\n| 1 | =A2+#REF! |\n| 4 |\n```\n'
  )
  expect(onSheet((each) => sheets.deleteColumn(each, 0, 3), wide)).toBe('```sheet\n| D |\n| --: |\n| =#REF!+#REF! |\n|  |\n```\n')
  expect(onSheet((each) => sheets.deleteColumn(each, 0, 4), wide)).toBe(wide)
  const csv = '```sheet\na,b,c\n1,2,3\n4,5\n```\n'
  expect(onSheet((each) => sheets.deleteColumn(each, 0, 2), csv)).toBe('```sheet\nc\n3\n""\n```\n')
  expect(onSheet((each) => sheets.deleteColumn(each, 1, 2), csv)).toBe('```sheet\na\n1\n4\n```\n')
  expect(onSheet((each) => sheets.moveColumn(each, 0, 3, 2), csv)).toBe('```sheet\nc,a,b\n3,1,2\n,4,5\n```\n')
  // The same functions change the data of charts.
  const chart = (text: string, edits: (table: Table) => readonly Edit[]): string =>
    after(`\`\`\`chart\n\n${text}\n\`\`\`\n`, (fence) => edits(chartTableOf(parseChart(fence)) as Table)).slice(10, -5)
  expect(chart('m,v\na,1\nb,2\nc,3', (each) => each.moveRow(2, 1, 2))).toBe('m,v\nb,2\nc,3\na,1\n\n')
  expect(chart('m,v\na,1', (each) => each.moveRow(0, 2))).toBe('m,v\na,1')
  const objects = '[{"m": "a", "v": 1, "w": 2}, {"w": 4, "m": "b"}, {"m": "c"}]'
  expect(chart(objects, (each) => each.moveRow(2, 1, 2))).toBe('[{"w": 4, "m": "b"}, {"m": "c"}, {"m": "a", "v": 1, "w": 2}]')
  expect(chart(objects, (each) => each.moveRow(1, 0))).toBe(objects)
  expect(chart(objects, (each) => each.moveColumn(1, 0, 2))).toBe('[{"v": 1, "w": 2, "m": "a"}, {"w": 4, "m": "b"}, {"m": "c"}]')
  expect(chart(objects, (each) => each.deleteRow(1, 2))).toBe('[{"m": "c"}]')
  expect(chart(objects, (each) => each.deleteRow(2, 2))).toBe('[{"m": "a", "v": 1, "w": 2}]')
  expect(chart(objects, (each) => each.deleteColumn(1, 2))).toBe('[{"m": "a"}, {"m": "b"}, {"m": "c"}]')
  expect(chart(objects, (each) => each.deleteColumn(0, 3))).toBe(objects)
  const lists = '[["m", "v", "w"], ["a", 1, 2], ["b"]]'
  expect(chart(lists, (each) => each.moveColumn(1, 3))).toBe('[["m", "w", "v"], ["a", 2, 1], ["b"]]')
  // In a short list, a value cannot be moved behind missing values.
  expect(chart(lists, (each) => each.moveColumn(0, 3))).toBe(lists)
  expect(chart('[{"m": "a"}, {"v": 2, "m": "b"}]', (each) => each.moveColumn(0, 2))).toBe('[{"m": "a"}, {"v": 2, "m": "b"}]')
})

test('[FENCE-44] references in an unfinished formula follow rows and columns like stored formulas', () => {
  const rows = Array.from({ length: 5 }, (_row, row) => Array.from({ length: 4 }, (_cell, column) => `${row}-${column}`))
  const written = (formula: string): string =>
    `\`\`\`sheet #s\n${rows
      .with(3, (rows[3] ?? []).with(2, formula))
      .map((cells) => `| ${cells.join(' | ')} |\n`)
      .join('')}\`\`\`\n`
  const readingOf = (text: string): Reading => ({ texts: gridOf(text), lines: one(text).lines.length })
  const isOwn = (id: string | undefined): boolean => id === undefined || id === 's'
  /** Returns the draft in cell C4 after a change to the sheet, and the position of the draft. */
  const drafted = (text: string, before: string, now: string, offsets: readonly number[] = []) => {
    const { changes, rowOf, columnOf } = followed(readingOf(before), readingOf(now))
    let [draft, place]: [Draft, CellPosition | undefined] = [
      { text, offsets },
      { row: 3, column: 2 }
    ]
    for (const change of changes) {
      draft = draftAfter(draft, change, isOwn, place)
      place = place && positionAfter(change, place)
    }
    expect(place ?? {}).toEqual(place === undefined ? {} : { row: rowOf(3), column: columnOf(2) })
    return { ...draft, place }
  }
  const does = fc.constantFrom(
    sheets.insertRow,
    sheets.deleteRow,
    sheets.insertColumn,
    sheets.deleteColumn,
    sheets.moveRow,
    sheets.moveColumn
  )
  const cell = fc.constantFrom('A1', '$B$3', 'C2', 'D5', '#s!B2', '#t!B2')
  const range = fc.constantFrom('A1:B2', 'C1:C3', 'D2:A5', 'B3:B5')
  fc.assert(
    fc.property(does, fc.nat(6), fc.nat(6), cell, range, (does_, from, to, one_, other) => {
      const isMove = does_ === sheets.moveRow || does_ === sheets.moveColumn
      // If two neighbors swap, either of them may be the one that moved.
      fc.pre(!isMove || (to !== from - 1 && to !== from + 2))
      const formula = `=SUM(${other})+${one_}`
      const before = written(formula)
      const now = onSheet((each) => does_(each, from, to), before)
      const { text, place } = drafted(formula, before, now)
      if (place !== undefined) expect(text).toBe(gridOf(now)[place.row]?.[place.column])
    }),
    { numRuns: 500 }
  )
  // The caret keeps its position in the text. A formula that ends inside quotes is adjusted up to the quotes.
  const [plain, later] = [written('x'), onSheet((each) => sheets.insertRow(each, 1), written('x'))]
  expect(drafted('=A9+SUM(B2:', plain, later, [3, 4, 11])).toMatchObject({ text: '=A10+SUM(B3:', offsets: [4, 5, 12] })
  expect(drafted('=B2&"und B2', plain, later)).toMatchObject({ text: '=B3&"und B2' })
  expect(drafted('B2', plain, later)).toMatchObject({ text: 'B2' })
  // The draft also follows several neighbors that move together.
  for (const [move, text] of [
    [sheets.moveRow, '=A4+B2'],
    [sheets.moveColumn, '=A2+C4']
  ] as const)
    expect(
      drafted(
        '=A2+B4',
        plain,
        onSheet((each) => move(each, 1, move === sheets.moveRow ? 5 : 4, 2), plain)
      )
    ).toMatchObject({ text })
  // References to rows do not follow a sort.
  const sorted = onSheet((each) => sheets.sortRows(each, 0, true, (row) => row), plain)
  expect(followed(readingOf(plain), readingOf(sorted))).toMatchObject({ changes: [] })
  expect(followed(readingOf(plain), readingOf(sorted)).rowOf(3)).toBe(2)
  // Text that changes at the same time does not turn the row into a different row.
  const changed = onSheet((each) => sheets.setCell(each, 2, 1, 'else'), later)
  expect(drafted('=D3', plain, changed).text).toBe('=D4')
})

test('[FENCE-75] rows at the end that compute over the rows above stay at the end when rows are sorted', () => {
  const sorted = (...last: readonly string[]): string[] => {
    const text = `\`\`\`sheet #s\n| Item | Qty |\n| --- | --- |\n| b | 3 |\n| c | 2 |\n| a | 9 |\n${last.join('\n')}\n\`\`\`\n`
    const workbook = createWorkbook([{ id: 's', rows: gridOf(text) }], 0)
    const after = onSheet((each) => sheets.sortRows(each, 0, false, (row, column) => workbook.valueAt(0, row, column)), text)
    return gridOf(after).map((row) => row.join(' '))
  }
  const rows = ['Item Qty', 'a 9', 'b 3', 'c 2']
  expect(sorted('| All | =SUM(B2:B4) |')).toEqual([...rows, 'All =SUM(B2:B4)'])
  expect(sorted('| =COUNTA(A4:A2) | =SUM(#s!B2:B4)/A5 |')).toEqual([...rows, '=COUNTA(A4:A2) =SUM(#s!B2:B4)/A5'])
  // Other totals and empty rows follow.
  const totals = ['|  |  |', '| All | =SUM(B2:B4) |', '| 9 % | =B6*1.09 |', '| All | =AVERAGE(B2:B4) |', '|  |  |']
  expect(sorted(...totals)).toEqual([...rows, ' ', 'All =SUM(B2:B4)', '9 % =B6*1.09', 'All =AVERAGE(B2:B4)', ' '])
  // These formulas belong to their rows, or to the table of another sheet.
  for (const formula of ['=B4+1', '=SUM(B$2:B5)', '=SUM(B3:B4)', '=SUM(#t!B2:B4)', '=SUM(B2'])
    expect(sorted(`| aa | ${formula} |`)[2]).toMatch(/^aa =/)
})

test('[FENCE-9] cells are copied and pasted as in spreadsheets: tabs, lines, quotes', () => {
  expect(parseTsv('a\tb\r\nc\t"d ""e""\nf"\n')).toEqual([
    ['a', 'b'],
    ['c', 'd "e"\nf']
  ])
  expect(parseTsv('')).toEqual([['']])
  expect(
    formatTsv([
      ['a', 'b\tc'],
      ['"d', 'e']
    ])
  ).toBe('a\t"b\tc"\n"""d"\te')
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.constantFrom('a', 'b c', '"', '\t', '\n', 'x"y'), { minLength: 2, maxLength: 3 }), {
        minLength: 1,
        maxLength: 3
      }),
      (rows) => {
        expect(parseTsv(formatTsv(rows))).toEqual(rows)
      }
    )
  )
})

test('[FENCE-11] charts draw CSV, JSON and sheets; their settings change line by line', () => {
  const text = '```chart\ntype: line\ntitle: Visitors <b>\n\nMonth, Visits, Signups\nJan, 120, 8\nFeb, 180, 15\n```\n'
  const chart = parseChart(one(text))
  expect(chart.type).toBe('line')
  expect(chartData(chart, bodyRows(chart) as Rows)).toEqual({
    axis: 'Month',
    labels: ['Jan', 'Feb'],
    series: [
      { name: 'Visits', values: [120, 180] },
      { name: 'Signups', values: [8, 15] }
    ],
    left: 0,
    warnings: []
  })
  expect(after(text, (fence) => setChart(parseChart(fence), 'type', 'pie'))).toBe(text.replace('line', 'pie'))
  expect(after(text, (fence) => setChart(parseChart(fence), 'title', ''))).toBe(text.replace('title: Visitors <b>\n', ''))
  expect(after(text, (fence) => setChart(parseChart(fence), 'stack', 'true'))).toBe(text.replace('<b>\n', '<b>\nstack: true\n'))
  const json = parseChart(one('```chart\ntype: bar\n[{"a":"x","b":1},{"a":"y","b":2}]\n```'))
  expect(bodyRows(json)).toEqual([
    ['a', 'b'],
    ['x', '1'],
    ['y', '2']
  ])
  expect(rowsOfCsv('a;b\r\nx;"1;5"\r\n')).toEqual([
    ['a', 'b'],
    ['x', '1;5']
  ])
  expect(bodyRows(parseChart(one('```chart\n\n[1,\n```')))).toMatchObject({ problem: 'json', line: { text: '[1,' } })
  expect(chartData(parseChart(one('```chart\ny: Nothing\n\na,b\n1,2\n```')), [['a', 'b']])).toMatchObject({
    problem: 'column',
    name: 'Nothing',
    line: { text: 'y: Nothing' }
  })

  for (const type of chartTypes)
    for (const more of ['', 'stack: true\n', 'horizontal: true\nstack: true\n', 'min: 50\nmax: 100\nformat: 0.0%\n']) {
      const one_ = parseChart(one(`\`\`\`chart\ntype: ${type}\ntitle: <i>"&\n${more}\nx, a<b, c\n1, 2, -3\n"<u>", , 4\n3, 0, 1e9\n\`\`\``))
      const svg = chartSvg(one_, chartData(one_, bodyRows(one_) as Rows) as ChartData, 'id')
      expect(svg).toMatch(
        /^<svg [^>]*role="img" aria-labelledby="id-title id-desc"[^>]*><title id="id-title">&lt;i&gt;&quot;&amp;<\/title><desc /
      )
      expect(svg).not.toMatch(/NaN|undefined|Infinity|style=|<[biu]>|<script/)
    }
})

test('[FENCE-41] numbers of any magnitude are drawn', () => {
  for (const type of chartTypes)
    for (const more of ['', 'stack: true\n', 'horizontal: true\n']) {
      const chart = parseChart(one(`\`\`\`chart\ntype: ${type}\n${more}\nx, a\n1, 1e308\n2, -1e308\n3, 5\n\`\`\``))
      expect(chartSvg(chart, chartData(chart, bodyRows(chart) as Rows) as ChartData, 'id')).not.toMatch(/NaN|undefined|Infinity/)
    }
})

test('[FENCE-15] the data of a chart is edited as a table: in CSV and JSON one cell is one small edit', () => {
  const table = (text: string, edits: (table: Table) => readonly Edit[]): string =>
    after(text, (fence) => edits(chartTableOf(parseChart(fence)) as Table))
  const csv = '```chart\ntype: line\n\nMonth, Visits\nJan, 120\nFeb, 180\n```\n'
  expect(table(csv, (each) => each.setCells([{ row: 1, column: 1, text: '1,5' }]))).toBe(csv.replace('120', '"1,5"'))
  expect(table(csv, (each) => each.setCells([{ row: 0, column: 1, text: 'All' }]))).toBe(csv.replace('Visits', 'All'))
  expect(table(csv, (each) => each.insertRow(each.texts.length))).toBe(csv.replace('180\n', '180\n,\n'))
  expect(table(csv, (each) => each.deleteRow(1))).toBe(csv.replace('Jan, 120', ''))
  expect(table(csv, (each) => each.deleteRow(0))).toBe(csv)
  const json = '> ```chart\n> [\n>   {"a": "x", "b": 1},\n>   {"a": "y\\"]", "c": {"d": [2]}}\n> ]\n> ```\n'
  const rows = chartTableOf(parseChart(one(json)))
  expect(rows?.texts).toEqual([
    ['a', 'b', 'c'],
    ['x', '1', ''],
    ['y"]', '', '']
  ])
  expect([rows?.mayChange(2, 1), rows?.mayChange(2, 2), rows?.mayChange(0, 0)]).toEqual([true, false, true])
  expect(table(json, (each) => each.setCells([{ row: 1, column: 1, text: '-2.5' }]))).toBe(json.replace('"b": 1', '"b": -2.5'))
  expect(table(json, (each) => each.setCells([{ row: 2, column: 0, text: '007' }]))).toBe(json.replace('"y\\"]"', '"007"'))
  expect(table(json, (each) => each.setCells([{ row: 2, column: 1, text: '4' }]))).toBe(json.replace('}}', '}, "b": 4}'))
  expect(table(json, (each) => each.setCells([{ row: 2, column: 2, text: '4' }]))).toBe(json)
  expect(table(json, (each) => each.setCells([{ row: 0, column: 0, text: 'name' }]))).toBe(json.replaceAll('"a"', '"name"'))
  expect(table(json, (each) => each.insertRow(each.texts.length))).toBe(json.replace(']}}\n', ']}},\n>   {"a": "", "b": "", "c": ""}\n'))
  expect(table(json, (each) => each.deleteRow(1))).toBe(json.replace('{"a": "x", "b": 1},\n>   ', ''))
  const lists = '```chart\n\n[["a","b"],["x",1],["y"]]\n```\n'
  expect(table(lists, (each) => each.setCells([{ row: 2, column: 1, text: '3' }]))).toBe(lists.replace('["y"]', '["y", 3]'))
  expect(table(lists, (each) => each.deleteRow(2))).toBe(lists.replace(',["y"]', ''))
  // The test changes several cells, including some beyond the existing ones, and then inserts and reorders rows and columns.
  const cells = (...texts: readonly (readonly [number, number, string])[]) => texts.map(([row, column, text]) => ({ row, column, text }))
  expect(table(json, (each) => each.setCells(cells([1, 2, '5'], [1, 3, '6'], [3, 0, 'z'], [3, 1, '8'])))).toBe(
    json.replace('"b": 1}', '"b": 1, "c": 5, "D": 6}').replace(']}}\n', ']}},\n>   {"a": "z", "b": 8, "c": ""}\n')
  )
  expect(table(json, (each) => each.insertRow(2))).toBe(json.replace('1},\n', '1},\n>   {"a": "", "b": "", "c": ""},\n'))
  expect(table(json, (each) => each.insertColumn(1))).toBe(json.replace('"b": 1', '"": "", "b": 1').replace('}}', '}, "": ""}'))
  expect(table(json, (each) => each.deleteColumn(0))).toBe(json.replace('"a": "x", ', '').replace('"a": "y\\"]", ', ''))
  expect(table(json, (each) => each.sortRows(0, true, (row) => row))).toBe(
    json.replace('{"a": "x", "b": 1},\n>   {"a": "y\\"]", "c": {"d": [2]}}', '{"a": "y\\"]", "c": {"d": [2]}},\n>   {"a": "x", "b": 1}')
  )
  expect(table(lists, (each) => each.setCells(cells([2, 1, '3'], [2, 2, '4'], [3, 0, 'z'])))).toBe(
    lists.replace('["y"]]', '["y", 3, 4], ["z", ""]]')
  )
  expect(table(lists, (each) => each.insertColumn(1))).toBe('```chart\n\n[["a","", "b"],["x","", 1],["y", ""]]\n```\n')
  expect(table(lists, (each) => each.deleteColumn(0))).toBe('```chart\n\n[["b"],[1],[]]\n```\n')
  expect(table(csv, (each) => each.insertColumn(1))).toBe('```chart\ntype: line\n\nMonth,, Visits\nJan,, 120\nFeb,, 180\n```\n')
  expect(table(csv, (each) => each.sortRows(1, true, (row) => row))).toBe(csv.replace('Jan, 120\nFeb, 180', 'Feb, 180\nJan, 120'))
  expect(chartTableOf(parseChart(one('```chart\ndata: #a\n```')))).toBeUndefined()
  // For any JSON and any cell, reading returns the written value, and nothing else changes.
  const cell = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null))
  const lists_ = fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c d', '"'), cell, { minKeys: 1 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(lists_, fc.nat(3), fc.nat(3), fc.string({ maxLength: 8 }), fc.constantFrom(0, 2), (value, row, column, said, indent) => {
      const text = `\`\`\`chart\n${JSON.stringify(value, undefined, indent)}\n\`\`\`\n`
      const before = (chartTableOf(parseChart(one(text))) as Table).texts
      const [at, of] = [1 + (row % value.length), column % (before[0]?.length ?? 1)]
      const now = chartTableOf(parseChart(one(table(text, (each) => each.setCells([{ row: at, column: of, text: said }]))))) as Table
      const named = (rows_: readonly (readonly string[])[]) =>
        rows_.slice(1).map((cells) => Object.fromEntries(cells.map((each, index) => [rows_[0]?.[index], each])))
      const expected = named(before)
      Object.assign(expected[at - 1] ?? {}, { [before[0]?.[of] ?? '']: said.trim() })
      expect(named(now.texts)).toEqual(expected)
    }),
    {
      numRuns: 200,
      examples: [
        [[{ a: '' }], 0, 0, '0E0', 0],
        [[{ a: 1 }], 0, 0, '-0', 0],
        [[{ a: '' }], 0, 0, '1e999', 0]
      ]
    }
  )
})

test('[FENCE-45] a chart draws cells of a sheet, with the headings of their columns, and keeps drawing the same cells', () => {
  const sheetOf = (text: string): Sheet => parseSheet(fencesOf(text)[0] as Fence)
  const source = '```sheet #s\n| Item | Qty | Cost |\n| --- | --- | --- |\n| a | 1 | 10 |\n| b | 2 | 20 |\n| All | 3 | 30 |\n```\n'
  const rows = textsOf(sheetOf(source))
  const drawn = (data: string) =>
    chartRows(parseChart(one(`\`\`\`chart\ndata: ${data}\n\`\`\`\n`)), { rowsOf: (id) => (id === 's' ? rows : undefined), ids: ['s'] })
  const below = [
    ['Item', 'Qty'],
    ['a', '1'],
    ['b', '2']
  ]
  expect(drawn('#s!A1:B3')).toEqual(below)
  expect(drawn('#s!$B$3:A2')).toEqual(below)
  // A single column still has labels.
  expect(drawn('#s!C2:C3')).toEqual([
    ['Item', 'Cost'],
    ['a', '10'],
    ['b', '20']
  ])
  expect(drawn('#s!A2')).toEqual([
    ['', 'Item'],
    ['1', 'a']
  ])
  expect(drawn('#t!A1:B2')).toMatchObject({ problem: 'sheet', name: '#t', others: ['#s'] })
  for (const wrong of ['#s!', '#s!Total', '#s!A1:B2,C3', '#s!A1 + 1']) expect(drawn(wrong)).toMatchObject({ problem: 'cells', name: wrong })

  // Complete columns are named by their headings, so that later rows are included. Other ranges are named by their cells.
  const area = (top: number, bottom: number, first: number, last: number) => namedCells('s', rows, { top, bottom, first, last })
  expect(area(0, 3, 0, 2)).toEqual({ data: '#s' })
  expect(area(1, 3, 0, 1)).toEqual({ data: '#s', x: 'Item', y: 'Qty' })
  expect(area(0, 2, 0, 2)).toEqual({ data: '#s!A1:C3' })
  expect(area(0, 3, 2, 2)).toEqual({ data: '#s!C1:C4' })
  expect(namedCells('s', [['a', 'b, c', 'A', '']], { top: 0, bottom: 0, first: 0, last: 1 })).toEqual({ data: '#s!A1:B1' })

  // The chart shows the same range that the person selected.
  const columns = (text: string): unknown =>
    namedColumns(parseChart(fencesOf(`\`\`\`chart\n${text}\n\`\`\`\n`)[0] as Fence), ['Item', 'Qty', 'Price'], 3)
  expect(columns('data: #s\nx: Item\ny: Qty')).toEqual({ first: 0, last: 1 })
  expect(columns('data: #s\nx: qty\ny: Price')).toEqual({ first: 1, last: 2 })
  expect(columns('data: #s')).toEqual({ first: 0, last: 2 })
  expect(columns('data: #s\nx: Item')).toEqual({ first: 0, last: 2 })

  const set = (text: string, wanted: DataSettings): string => after(text, (fence) => setData(parseChart(fence), wanted))
  expect(set('```chart\ntype: line\n\na, b\n1, 2\n```\n', { data: '#s', x: 'Item', y: 'Qty' })).toBe(
    '```chart\ntype: line\ndata: #s\nx: Item\ny: Qty\n```\n'
  )
  expect(set('> ```chart\n> x: Old\n> data: #t\n> title: T\n> y: Gone\n> ```\n', { data: '#s!A1:B3' })).toBe(
    '> ```chart\n> data: #s!A1:B3\n> title: T\n> ```\n'
  )
  expect(set('```chart\na,b\n1,2\n```\n', { data: '#s' })).toBe('```chart\ndata: #s\n```\n')
  expect(set('```chart\n```\n', { data: '#s' })).toBe('```chart\ndata: #s\n```\n')
  expect(set('```chart\ndata:\n\n[broken\n```\n', { data: '#s' })).toBe('```chart\ndata: #s\n```\n')

  const follow = (data: string, change: Change): string =>
    after(`\`\`\`chart\ndata: ${data}\n\`\`\`\n`, (fence) => followData(parseChart(fence), 's', change)).split('\n')[1] ?? ''
  expect(follow('#s!A1:B3', { axis: 'row', kind: 'insert', at: 1, count: 1 })).toBe('data: #s!A1:B4')
  // A row that is inserted directly after the last one belongs to the range.
  expect(follow('#s!A1:B3', { axis: 'row', kind: 'insert', at: 3, count: 1 })).toBe('data: #s!A1:B4')
  expect(follow('#s!A1:B3', { axis: 'column', kind: 'delete', at: 0, count: 1 })).toBe('data: #s!A1:A3')
  expect(follow('#s!B2', { axis: 'row', kind: 'delete', at: 1, count: 1 })).toBe('data: #REF!')
  expect(follow('#t!A1:B3', { axis: 'row', kind: 'insert', at: 1, count: 1 })).toBe('data: #t!A1:B3')
  expect(follow('#s', { axis: 'row', kind: 'insert', at: 1, count: 1 })).toBe('data: #s')
  expect(drawn('#REF!')).toMatchObject({ problem: 'cells' })
})

test('[FENCE-12] a widget has a height within limits and a one-line state that is replaced as a whole', () => {
  const text = '```widget height=2200 title="ROI"\n<b>x</b>\n<!-- state {"u":1} -->\n```\n'
  const widget = parseWidget(one(text))
  expect(widget).toMatchObject({ html: '<b>x</b>', title: 'ROI', height: limits.widgetHeightMax, state: { json: '{"u":1}' } })
  expect(after(text, (fence) => setWidgetState(parseWidget(fence), { u: '-->' }))).toBe(text.replace('{"u":1}', '{"u":"--\\u003e"}'))
  const plain = '```widget\n<b>x</b>\n```\n'
  expect(after(plain, (fence) => setWidgetState(parseWidget(fence), [1]))).toBe(plain.replace('</b>\n', '</b>\n<!-- state [1] -->\n'))
  expect(setWidgetState(parseWidget(one(plain)), 'x'.repeat(5000))).toEqual([])
  expect(setWidgetState(parseWidget(one(plain)), undefined)).toEqual([])
  expect(parseWidget(one('```widget height=x\n<!-- state {bad -->\n```'))).toMatchObject({
    height: limits.widgetHeightDefault,
    state: undefined
  })
})

test('[FENCE-13] tidying after concurrent edits changes whitespace and markers, no words, and only once', () => {
  const tidied = (text: string): string => after(text, tidyEdits)
  expect(tidied('```board\n\n## A\n\n\n- [xx] a  \n\n- [>x] b\n\n  c\n\n\n## B\n\n```\n')).toBe(
    '```board\n\n## A\n\n- [x] a\n- [x] b\n\n  c\n\n## B\n```\n'
  )
  expect(tidied('> ```chat\n> [2026-11-20T10:02Z] @a: b\n>\n>   c\n> \n> \n> x\n> ```\n')).toBe(
    '> ```chat\n> [2026-11-20T10:02Z] @a: b\n>\n>   c\n> x\n> ```\n'
  )
  expect(tidied('```sheet\n| a |\n\n| b |\n\n```\n')).toBe('```sheet\n| a |\n| b |\n```\n')
  for (const clean of [board, chat, sheet, '```widget\n\n\n```', '```chart\n\n\na\n```']) expect(tidied(clean)).toBe(clean)
  fc.assert(
    fc.property(fc.constantFrom(...fenceKinds), bodies, (kind, body) => {
      const [fence] = fencesOf(`\`\`\`\`\`${kind}\n${body}\n\`\`\`\`\`\n`)
      const text = fence?.source ?? ''
      const once = applyEdits(text, fence === undefined ? [] : tidyEdits(fence))
      expect(once.replaceAll(/\[[ xX>]*\]|\s/g, '')).toBe(text.replaceAll(/\[[ xX>]*\]|\s/g, ''))
      expect(tidyEdits(fencesOf(once)[0] as Fence)).toEqual([])
    }),
    { numRuns: 1000 }
  )
})

test('[FENCE-50] empty lines between columns stay where they are when cards and columns are added and moved', () => {
  const tidied = (text: string, change: (board: Board) => readonly Edit[]): string =>
    after(
      after(text, (fence) => change(parseBoard(fence))),
      tidyEdits
    )
  const spaced = '```board\n## A\n- [ ] a\n\n## B\n\n## C\n- [ ] c\n```\n'
  const first = { column: 0, card: 0 }
  expect(tidied(spaced, (each) => boards.addCard(each, 0, 'new\nmore'))).toBe(spaced.replace('a\n', 'a\n- [ ] new\n  more\n'))
  expect(tidied(spaced, (each) => boards.moveCard(each, { column: 2, card: 0 }, { column: 0, card: 1 }))).toBe(
    spaced.replace('- [ ] c\n', '').replace('a\n', 'a\n- [ ] c\n')
  )
  expect(tidied(spaced, (each) => boards.moveCard(each, first, { column: 2, card: 0 }))).toBe(
    spaced.replace('- [ ] a\n', '').replace('## C\n', '## C\n- [ ] a\n')
  )
  expect(tidied(spaced, (each) => boards.addColumn(each, 'D'))).toBe(spaced.replace('c\n', 'c\n\n## D\n'))
  expect(tidied(spaced, (each) => boards.moveColumn(each, 2, 0))).toBe('```board\n## C\n- [ ] c\n\n## A\n- [ ] a\n\n## B\n```\n')
  expect(tidied(spaced, (each) => boards.moveColumn(each, 0, 3))).toBe('```board\n\n## B\n\n## C\n- [ ] c\n\n## A\n- [ ] a\n```\n')
  expect(tidied(spaced, (each) => boards.deleteColumn(each, 1))).toBe(spaced.replace('\n## B\n', ''))
  const quoted = spaced.replaceAll(/^(?=.)/gm, '> ').replaceAll('\n\n', '\n>\n')
  expect(tidied(quoted, (each) => boards.addCard(each, 0, 'new'))).toBe(quoted.replace('a\n', 'a\n> - [ ] new\n'))
  // A board without empty lines gets none.
  const close = '```board\n## A\n- [ ] a\n## B\n- [ ] b\n## C\n```\n'
  expect(tidied(close, (each) => boards.addColumn(each, 'D'))).toBe(close.replace('## C\n', '## C\n## D\n'))
  expect(tidied(close, (each) => boards.moveColumn(each, 2, 1))).toBe('```board\n## A\n- [ ] a\n## C\n## B\n- [ ] b\n```\n')
})

test('[FENCE-90] a card that is added or moved to the end of a column is directly after its last card', () => {
  const spaced = '```board\n## A\n\n- [ ] a\n\n## B\n\n- [ ] b\n\n## C\n```\n'
  expect(after(spaced, (fence) => boards.addCard(parseBoard(fence), 0, 'new\nmore'))).toBe(
    spaced.replace(' a\n', ' a\n- [ ] new\n  more\n')
  )
  const moved = after(spaced, (fence) => boards.moveCard(parseBoard(fence), { column: 0, card: 0 }, { column: 1, card: 1 }))
  expect(moved).toBe(spaced.replace('- [ ] a\n', '\n').replace(' b\n', ' b\n- [ ] a\n'))
})

test('[FENCE-51] tidying keeps an empty line between two columns only if most columns have one', () => {
  const tidied = (text: string): string => after(text, tidyEdits)
  const close = '```board\n## A\n- a\n## B\n- b\n## C\n```\n'
  expect(tidied(close.replace('- b\n', '- b\n\n'))).toBe(close)
  const spaced = '```board\n## A\n- a\n\n## B\n- b\n\n## C\n## D\n```\n'
  expect(tidied(spaced)).toBe(spaced)
  // Two columns do not show which value is usual.
  expect(tidied('```board\n## A\n- a\n\n## B\n```\n')).toBe('```board\n## A\n- a\n\n## B\n```\n')
})

test('[FENCE-14] large and broken fences are parsed and changed in bounded time', () => {
  const start = performance.now()
  const many = `\`\`\`board\n## Todo\n${Array.from({ length: 50_000 }, (_card, index) => `- [ ] Card ${index} @ana #tag\n`).join('')}## Done\n`
  const parsed = parseBoard(one(many))
  expect(parsed.columns[0]?.cards.length).toBe(50_000)
  expect(boards.moveCard(parsed, { column: 0, card: 25_000 }, { column: 1, card: 0 }).length).toBe(2)
  expect(page.render(many).html.match(/<li class="card/g)?.length).toBe(limits.boardCardsMax)
  for (const text of [
    '```board\n'.repeat(20_000),
    '> '.repeat(20_000),
    `${'- '.repeat(2000)}\`\`\`board`,
    `\`\`\`sheet\n${'|'.repeat(200_000)}\n`,
    `\`\`\`sheet\n${'"'.repeat(100_000)}\n`,
    `\`\`\`chat\n${'[@:'.repeat(50_000)}\n`,
    `\`\`\`board\n## a\n- ${'@a '.repeat(50_000)}x\n`,
    `\`\`\`board\n## a\n- ${'a.'.repeat(50_000)}!\n- @${'a.'.repeat(50_000)}!\n`,
    `\`\`\`chart\n\n${'['.repeat(50_000)}`,
    `\`\`\`widget ${'a="'.repeat(20_000)}\n${'<!-- state '.repeat(20_000)}`,
    '<!--'.repeat(50_000),
    '$$\n'.repeat(30_000)
  ])
    for (const fence of fencesOf(text)) {
      parseBoard(fence)
      parseChat(fence)
      parseSheet(fence)
      parseChart(fence)
      parseWidget(fence)
      tidyEdits(fence)
    }
  expect(performance.now() - start).toBeLessThan(20_000)
})

test('[FENCE-38] a chart reports surprises in its drawing, and lists the existing sheets', () => {
  const warnings = (...lines: readonly string[]) => {
    const chart = parseChart(fencesOf(`\`\`\`chart\n${lines.join('\n')}\n\`\`\`\n`)[0] as Fence)
    const data = chartData(chart, bodyRows(chart) as Rows)
    return 'warnings' in data ? data.warnings.map(({ warning, count, name }) => `${warning} ${count} ${name}`) : data.problem
  }
  expect(warnings('type: scatter', '', 'Day, Visits', '2026-01-01, 3', '2026-01-02, 4', '7, 5')).toEqual(['order 2 2026-01-01'])
  expect(warnings('type: scatter', '', 'x, y', '1, 3', '2.5, 4')).toEqual([])
  expect(warnings('type: pie', '', 'Item, Cost, More', 'a, 3, 1', 'b, -4, 2')).toEqual(['negative 1 b', 'series 1 More'])
  expect(warnings('type: pie', '', 'Item, Cost', ...Array.from({ length: 53 }, (_row, row) => `n${row}, 1`))).toEqual(['legend 3 n50'])
  expect(warnings('type: bar', '', 'Item, Cost', 'a, #DIV/0!', 'b, some', 'c, 2', 'd,')).toEqual(['words 2 #DIV/0!'])
  expect(warnings('type: Bar', 'min: 0', 'max: 10', '', 'Item, Cost', 'a, 3')).toEqual([])
  expect(warnings('type: bogus', 'min: 100', 'max: 10', '', 'Item, Cost', 'a, 3')).toEqual(['type 1 bogus', 'range 1 100 to 10'])

  const text = '```sheet #budget\n| a | b |\n| 1 | =1/0 |\n```\n\n```sheet #costs\n| =#budjet!A1 |\n```\n\n```chart\ndata: #budjet\n```\n'
  const shown = page.render(text).html
  expect(shown).toContain('There is no sheet #budjet. The document has #budget, #costs.')
  expect(shown).toContain('<p class="component-note">B2: #DIV/0! The formula divides by zero.</p>')
})

test('[FENCE-39] a chart without data starts as a table of two columns', () => {
  for (const lines of [[], ['type: bar'], ['type: bar', '']]) {
    const source = `\`\`\`chart\n${lines.map((line) => `${line}\n`).join('')}\`\`\`\n`
    const table = (text: string): Table => chartTableOf(parseChart(fencesOf(text)[0] as Fence)) as Table
    const named = applyEdits(source, table(source).setCells([{ row: 0, column: 0, text: 'Month' }]))
    const both = applyEdits(named, table(named).setCells([{ row: 0, column: 1, text: 'Visits' }]))
    expect(table(applyEdits(both, table(both).insertRow(1))).texts).toEqual([
      ['Month', 'Visits'],
      ['', '']
    ])
    expect(table(applyEdits(source, table(source).setCells([{ row: 0, column: 1, text: 'a,b' }]))).texts).toEqual([['', 'a,b']])
    expect(table(applyEdits(source, table(source).insertRow(1))).texts).toHaveLength(2)
  }
})

test('[FENCE-40] the legend and table of a pie mark values without a slice', () => {
  const pie = ['type: pie', '', 'Item, Cost, More', 'a, 3, 1', 'zero, 0, 2', 'below, -4, 3', 'none, x, 4', 'b, 1, 5']
  const fence = (type: string): string => `\`\`\`chart\n${pie.with(0, `type: ${type}`).join('\n')}\n\`\`\`\n`
  for (const type of ['pie', 'donut']) {
    const { html } = page.render(fence(type))
    const legend = Array.from(html.matchAll(/<li><span class="swatch ([^"]*)"><\/span>([^<]*)/g), ([, colour, name]) => `${colour} ${name}`)
    expect(legend).toEqual([
      'series-0 a',
      'swatch-none zero (no slice)',
      'swatch-none below (no slice)',
      'swatch-none none (no slice)',
      'series-4 b'
    ])
    // The chart is drawn twice, the second time for narrow windows.
    expect(Array.from(html.matchAll(/class="(series-\d)"><path class="slice"/g), ([, colour]) => colour)).toEqual([
      'series-0',
      'series-4',
      'series-0',
      'series-4'
    ])
    const rows = Array.from(html.matchAll(/<th scope="row">(.*?)<\/tr>/g), ([, row = '']) => row.replaceAll(/<[^>]*>+/g, '|'))
    expect(rows).toEqual(['a||3||1|', 'zero||0 (no slice)||2|', 'below||-4 (no slice)||3|', 'none||(no slice)||4|', 'b||1||5|'])
  }
  expect(page.render(fence('bar')).html).not.toContain('no slice')
})

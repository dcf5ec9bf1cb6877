/** Rows of Markdown tables as text. */
import { deleteCharBackward } from '@codemirror/commands'
import { ensureSyntaxTree } from '@codemirror/language'
import { ChangeSet, EditorState, Text, type TransactionSpec } from '@codemirror/state'
import { Direction, EditorView, keymap, type Command } from '@codemirror/view'
import { expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { endStep, textMap } from '../web/editor/binding.ts'
import { toggleMarker } from '../web/editor/commands-inline.ts'
import { marking } from '../web/editor/mark-blocks.ts'
import { isAddedTextNew } from '../web/editor/added-text.ts'
import { annotationRanges, setAnnotations } from '../web/review/suggestions/annotation-ranges.ts'
import type { PlaceKind } from '../web/review/suggestions/marked-range.ts'
import { table as layOut } from '../web/editor/grid/layout.ts'
import { caretPlace } from '../web/editor/grid/edges.ts'
import { grids } from '../web/editor/grid/grids.ts'
import { keepCells } from '../web/editor/grid/keep-cells.ts'
import { barInCell, typedRows } from '../web/editor/grid/typed-bars.ts'
import { columnsFor } from '../web/editor/grid/widths.ts'
import { continueList } from '../web/editor/commands-list.ts'
import { rowSelection, selectRow } from '../web/editor/grid/row-selection.ts'
import { outerBars } from '../web/editor/grid/outer-bars.ts'
import { typeInCell } from '../web/editor/grid/type-in-cell.ts'
import { markdown } from '../web/editor/language.ts'
import { LiveContext } from '../web/editor/context.ts'
import { deleteRow, moveColumn, moveRowTo, sortRows } from '../web/editor/table-moves.ts'
import { lineUp } from '../web/editor/line-up.ts'
import { longestRun, sortedOrder } from '../web/editor/table-order.ts'
import { fillCells } from '../web/editor/paste/fill-cells.ts'
import { escapeCell, markdownTable, tabbedRows } from '../web/editor/paste/table-text.ts'
import { separatedTable } from '../web/editor/paste/separated-table.ts'
import { addCell, alignCell, cellAt, isDelimiter, removeCell, rowOf, moveCell, type Row } from '../web/editor/table-rows.ts'
import { wordsAtCaret } from '../web/review/annotations/words-at-caret.ts'
import { addColumn, cellBelow, deleteColumn, nextCell, previousCell, tableAt } from '../web/editor/tables.ts'

const docOf = (text: string): Text => Text.of(text.split('\n'))
const rowsOf = (doc: Text): Row[] => Array.from({ length: doc.lines }, (_, at) => rowOf(doc.line(at + 1)))

/** Returns a table after a change to each of its rows. */
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

test('[WRITE-6] cells are the parts between bars, with escaped bars and missing edges', () => {
  const doc = docOf(String.raw`> | a \| b | c |`)
  const row = rowOf(doc.line(1))
  expect(row.cells.map(({ from, to }) => doc.sliceString(from, to))).toEqual([String.raw` a \| b `, ' c '])
  expect([row.lead, row.closed, cellAt(row, doc.length)]).toEqual(['> ', true, 1])
  expect(rowOf(docOf('a|b').line(1)).cells).toHaveLength(2)
  expect(['|---|', ':-: | -:', '| - |', '> | --- | --- |'].map(isDelimiter)).toEqual([true, true, true, true])
  expect(['| a |', '', '| |', '|'].map(isDelimiter)).toEqual([false, false, false, false])
})

test('[WRITE-232] Tab, Shift-Tab and Enter in a table end the undo step', () => {
  const text = '| a | b |\n| --- | --- |\n| c |  |'
  let state = EditorState.create({ doc: text, selection: { anchor: 2 }, extensions: [markdown(), endStep.of(() => steps.push('end'))] })
  ensureSyntaxTree(state, text.length, 60_000)
  const steps: string[] = []
  const view = {
    get state() {
      return state
    },
    dispatch(spec: TransactionSpec) {
      ;({ state } = state.update(spec))
      ensureSyntaxTree(state, state.doc.length, 60_000)
      steps.push(state.doc.lineAt(state.selection.main.head).text)
    }
  } as unknown as EditorView
  for (const command of [nextCell, previousCell, cellBelow, nextCell, nextCell]) command(view)
  // The last one adds a row.
  expect(steps).toEqual(['| a | b |', '| a | b |', '| c |  |', '| c |  |', '|  |  |'].flatMap((line) => ['end', line]))
})

test('[WRITE-7] a column is added, removed and moved in every row with the fewest characters', () => {
  expect(changed(table, (row) => addCell(row, 1))).toBe('| a |  | b |\n| --- | --- | --- |\n| 1 |  |')
  expect(changed(table, (row) => addCell(row, 2))).toBe('| a | b |  |\n| --- | --- | --- |\n| 1 |')
  expect(changed(bare, (row) => addCell(row, 0))).toBe('|  |a | b\n| --- |--- | ---\n|  |1 | 2')
  expect(changed(bare, (row) => addCell(row, 2))).toBe('a | b |  |\n--- | --- | --- |\n1 | 2 |  |')
  expect(changed(table, (row) => removeCell(row, 1))).toBe('| a |\n| --- |\n| 1 |')
  expect(changed(bare, (row) => removeCell(row, 1))).toBe('a \n--- \n1 ')
  expect(changed(table, (row, doc) => moveCell(doc, row, 1, 0))).toBe('| b | a |\n| --- | --- |\n|  | 1 |')
})

test('[WRITE-8] alignment changes one delimiter; columns are lined up on request, wide characters counting as wide', () => {
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

test('[WRITE-9] cells copied from a spreadsheet are a table: quoted cells, bars and line endings; indented text is not', () => {
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

test.each([
  ['a,b\n1,2\n', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
  ['\nName;Price\nTea;1,50\n\n', '| Name | Price |\n| --- | --- |\n| Tea | 1,50 |'],
  ['a\tb, c\n1\t2', '| a | b, c |\n| --- | --- |\n| 1 | 2 |'],
  [
    'a,b,c\n"x, y","he said ""no""","two\nlines"\n1',
    '| a | b | c |\n| --- | --- | --- |\n| x, y | he said "no" | two<br>lines |\n| 1 |  |  |'
  ],
  ['a,b\n"open,2\n5" wide,""', '| a | b |\n| --- | --- |\n| "open | 2 |\n| 5" wide |  |'],
  ['a|b\n*c*', '| a\\|b |\n| --- |\n| *c* |'],
  ['\n,,\n', '']
])('[WRITE-116] the file %j becomes the table %j', (text, expected) => {
  expect(separatedTable(text, false)).toBe(expected)
})

test('[WRITE-116] tabs separate the cells of a .tsv file; a file that is too large becomes no table', () => {
  expect(separatedTable('a,b\n1,2', true)).toBe('| a,b |\n| --- |\n| 1,2 |')
  expect(separatedTable('a,b\n'.repeat(10_000), false)).toMatch(/^\| a \| b \|/)
  expect(separatedTable('a,b\n'.repeat(10_001), false)).toBeUndefined()
  // Short rows are filled, so one long row makes the entire table wide.
  expect(separatedTable(`${'a,'.repeat(2000)}b\n${'c\n'.repeat(10)}`, false)).toBeUndefined()
  expect(separatedTable('a'.repeat(500_001), false)).toBeUndefined()
})

test('[GRID-4] rows are sorted by a column: numbers by value, words alphabetically, empty ones last', () => {
  const order = (texts: readonly string[], descending = false): string[] =>
    sortedOrder(texts, descending).map((index) => texts[index] ?? '')
  expect(order(['10', '9', '', '1,5', '−2', '1,000'])).toEqual(['−2', '1,5', '9', '10', '1,000', ''])
  expect(order(['10 €', '9 €', ''], true)).toEqual(['10 €', '9 €', ''])
  expect(order(['b10', 'B9', 'ä', '3'])).toEqual(['3', 'ä', 'B9', 'b10'])
  // Equal cells keep their order, in both directions.
  expect(sortedOrder(['a', 'A', 'a'], true)).toEqual([0, 1, 2])
  // Only one of the five rows is out of order, so only that one moves.
  expect([...longestRun([1, 2, 3, 0, 4])].toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4])
  expect(longestRun([2, 1, 0]).size).toBe(1)
  expect(longestRun([]).size).toBe(0)
})

test('[GRID-5] a cell moves by itself: those that it passes stay unchanged', () => {
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
  // One cell is removed and inserted again.
  expect(touched).toEqual([4, 0])
  expect(changed('a | b | c', (found, text) => moveCell(text, found, 2, 0))).toBe(' c|a | b ')
})

test('[GRID-9] a column moves in shorter rows as well: only that cell changes its column', () => {
  const moved = (row: string, column: number, to: number): string => changed(row, (found, doc) => moveCell(doc, found, column, to))
  expect(moved('| a | b |', 0, 3)).toBe('| b |  |  | a |')
  expect(moved('| a | b |', 1, 2)).toBe('| a |  | b |')
  expect(moved('a | b', 0, 2)).toBe(' b |  | a |')
  expect(moved('a | b', 1, 2)).toBe('a  |  | b |')
  // A missing cell moves as an empty cell.
  expect(moved('| a | b |', 3, 0)).toBe('|  | a | b |')
  expect(moved('| a | b |', 2, 3)).toBe('| a | b |')
  expect(moved('|  | b |', 0, 3)).toBe('| b |')
})

/** Returns the state after a command that runs with the caret in a cell. */
function stateAfter(text: string, at: string, run: (view: EditorView) => boolean): EditorState {
  let state = EditorState.create({ doc: text, selection: { anchor: text.indexOf(at) }, extensions: [markdown()] })
  const view = {
    get state() {
      return state
    },
    dispatch: (spec: TransactionSpec) => void (state = state.update(spec).state)
  }
  run(view as unknown as EditorView)
  return state
}

const after = (...input: Parameters<typeof stateAfter>): string => stateAfter(...input).doc.toString()

test('[GRID-4] [GRID-5] the head stays; moving a row removes and inserts one line', () => {
  const head = '| n |\n| - |\n'
  expect(after(`${head}| 3 |\n| 1 |\n| 2 |`, '3', sortRows(false))).toBe(`${head}| 1 |\n| 2 |\n| 3 |`)
  const to = (cell: string, target: number) =>
    after(`${head}| 3 |\n| 1 |\n| 2 |`, cell, (view) => {
      const place = tableAt(view.state)
      return place !== undefined && moveRowTo(view, place, target)
    })
  expect([to('3', 5), to('2', 3), to('3', 4), to('1', 3)]).toEqual(
    ['1 2 3', '2 3 1', '1 3 2', '1 3 2'].map((rows) => `${head}| ${rows.split(' ').join(' |\n| ')} |`)
  )
  // The head and the delimiter row stay in place.
  expect([to('n', 4), to('3', 2), to('3', 6)]).toEqual(Array.from({ length: 3 }, () => `${head}| 3 |\n| 1 |\n| 2 |`))
})

test('[GRID-12] the caret stays in a row that is moved, at the same letter', () => {
  const rows = ['one', 'two', 'three', 'four'].map((word) => `| ${word} |`)
  for (const [word, target] of [
    ['one', 6],
    ['four', 3],
    ['two', 4]
  ] as const) {
    const { doc, selection } = stateAfter(`| n |\n| - |\n${rows.join('\n')}`, word.slice(1), (view) => {
      const place = tableAt(view.state)
      return place !== undefined && moveRowTo(view, place, target)
    })
    expect(doc.lineAt(selection.main.head).number).toBe(target)
    expect(doc.sliceString(selection.main.head).startsWith(word.slice(1))).toBe(true)
  }
})

test('[GRID-15] pasted cells that are wider than the table add their columns to every row, even to rows that were short', () => {
  const pasted = after('| a | b |\n| - | - |\n| 1 | 2 |\n| 3 |\n| 5 | 6 |', '1 | 2', (view) => fillCells(view, [['p', 'q', 'r']]))
  expect(pasted).toBe('| a | b |  |\n| - | - | --- |\n| p | q | r |\n| 3 |  |  |\n| 5 | 6 |  |')
  const fitting = after('| a | b |\n| - | - |\n| 1 | 2 |\n| 3 |', '1 | 2', (view) => fillCells(view, [['p', 'q']]))
  expect(fitting).toBe('| a | b |\n| - | - |\n| p | q |\n| 3 |')
})

test.each([
  ['a column that is deleted', deleteColumn],
  ['a column that is added', addColumn('before')],
  ['a column that is moved', moveColumn(1)],
  ['rows that are sorted', sortRows(true)]
])('[GRID-12] after %s the caret is in a cell without a selection', (_what, command) => {
  const doc = '| name | size |\n| - | - |\n| one | 2 |\n| two | 3 |'
  let state = EditorState.create({ doc, selection: { anchor: doc.indexOf('one') }, extensions: [markdown()] })
  ensureSyntaxTree(state, doc.length)
  const view = {
    get state() {
      return state
    },
    textDirectionAt: () => Direction.LTR,
    dispatch: (spec: TransactionSpec) => (state = state.update(spec).state)
  }
  expect(command(view as unknown as EditorView)).toBe(true)
  expect(state.doc.toString()).not.toBe(doc)
  expect(state.selection.main.empty).toBe(true)
  expect(tableAt(state)).toBeDefined()
})

test('[GRID-11] bold over a rectangle formats each nonempty cell, and removes the format if all have it', () => {
  const cells = '| a | b | c |\n| - | - | - |\n| one | **two** | x |\n|  | three | y |'
  const toggle = (text: string): string => {
    let state = EditorState.create({
      doc: text,
      selection: { anchor: text.indexOf('one') + 1, head: text.indexOf('three') + 2 },
      extensions: [markdown(), marking]
    })
    const view = {
      get state() {
        return state
      },
      dispatch: (spec: TransactionSpec) => void (state = state.update(spec).state)
    }
    toggleMarker('**')(view as unknown as EditorView)
    return state.doc.toString()
  }
  const bold = cells.replace('one', '**one**').replace('three', '**three**')
  expect(toggle(cells)).toBe(bold)
  expect(toggle(bold)).toBe(cells.replace('**two**', 'two'))
})

test('[GRID-8] wherever the person scrolls, the first 300 rows set the columns', () => {
  const rows = Array.from({ length: 600 }, (_, row) => `| ${row === 250 ? 'x'.repeat(30) : row === 400 ? 'y'.repeat(60) : row} |`)
  const state = EditorState.create({ doc: ['| n |', '| - |', ...rows].join('\n'), extensions: [markdown()] })
  const tree = ensureSyntaxTree(state, state.doc.length, 5000)
  const node = tree?.topNode.getChild('Table')
  const stylesAt = (line: number): unknown => {
    const { from, to } = state.doc.line(line)
    const live = new LiveContext(state, { from, to }, [])
    if (node != null) layOut(node, live)
    return live.finish().find(({ value }) => value.spec.attributes?.style)?.value.spec.attributes.style
  }
  const styles = [1, 4, 300, 403, 600].map(stylesAt)
  expect(new Set(styles).size).toBe(1)
  expect(styles[0]).toBe(`--columns:${columnsFor([['x'.repeat(30)]])}`)
})

test('[GRID-24] a column has space for suggested text and the initials of its author, as soon as there is a suggestion', () => {
  const doc = '| Item | Cost |\n| - | - |\n| Flight | 420 |\n| Hotel | 600 |'
  const before = EditorState.create({ doc, extensions: [markdown(), annotationRanges(() => undefined)] })
  const tree = ensureSyntaxTree(before, doc.length, 5000)
  const node = tree?.topNode.getChild('Table')
  const styleIn = (state: EditorState): unknown => {
    const live = new LiveContext(state, { from: 0, to: doc.length }, [])
    if (node != null) layOut(node, live)
    return live.finish().find(({ value }) => value.spec.attributes?.style)?.value.spec.attributes.style
  }
  const withSuggestion = (kind: PlaceKind, text: string): EditorState => {
    const at = doc.indexOf('420') + '420'.length
    const annotation = { id: 's', kind, author: 'Sam', text }
    return before.update({ effects: setAnnotations.of([{ annotation, span: { from: at, to: at } }]) }).state
  }
  const after = withSuggestion('insert', '5 for all')
  expect(styleIn(before)).toBe(
    `--columns:${columnsFor([
      ['Item', 'Cost'],
      ['Flight', '420']
    ])}`
  )
  expect(styleIn(after)).toBe(
    `--columns:${columnsFor([
      ['Item', 'Cost'],
      ['Flight', '4205 for all000']
    ])}`
  )
  expect(styleIn(withSuggestion('comment', ''))).toBe(styleIn(before))
  expect([isAddedTextNew(before, after), isAddedTextNew(after, after.update({}).state)]).toEqual([true, false])
})

/** Returns a view without a page, for commands that only read and change its state. */
function viewOn(start: EditorState, direction = Direction.LTR): EditorView {
  let state = start
  return {
    get state() {
      return state
    },
    textDirectionAt: () => direction,
    dispatch(...specs: TransactionSpec[]) {
      state = state.update(...specs).state
    }
  } as unknown as EditorView
}

test('[WRITE-13] moving, typing and drawing in a table of 20,000 rows read as many lines as in one of 400', () => {
  const linesRead = (rows: number): number => {
    const text = ['| a | b |', '| --- | --- |', ...Array.from({ length: rows }, (_, row) => `| row ${row} | words |`)].join('\n')
    const view = viewOn(EditorState.create({ doc: text, selection: { anchor: 3 }, extensions: [markdown(), barInCell] }))
    const tree = ensureSyntaxTree(view.state, text.length, 60_000)
    const node = tree?.topNode.getChild('Table')
    if (node == null) throw new Error('no table')
    const reads = [vi.spyOn(Text.prototype, 'line'), vi.spyOn(Text.prototype, 'lineAt')]
    try {
      for (const command of [nextCell, nextCell, nextCell, cellBelow, previousCell]) expect(command(view)).toBe(true)
      for (const type of view.state.facet(EditorView.inputHandler)) type(view, 40, 40, '|', () => view.state.update({}))
      layOut(node, new LiveContext(view.state, { from: 0, to: 2000 }, []))
      return reads.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    } finally {
      for (const read of reads) read.mockRestore()
    }
  }
  expect(linesRead(20_000)).toBe(linesRead(400))
})

/** Types letters one by one, with `↵` as Enter and `⇥` as Tab, and returns the text, in which `^` marks the caret. */
function typedBy(keys: string, start = '^', isLive = true): string {
  const anchor = start.indexOf('^')
  const enter = { key: 'Enter', run: (view: EditorView) => cellBelow(view) || continueList(view) }
  const tab = { key: 'Tab', run: nextCell }
  const extensions = [keymap.of([enter, tab]), markdown(), typedRows, isLive ? [outerBars, typeInCell, barInCell] : []]
  const view = viewOn(EditorState.create({ doc: start.slice(0, anchor) + start.slice(anchor + 1), selection: { anchor }, extensions }))
  for (const key of keys) {
    const name = { '↵': 'Enter', '⇥': 'Tab' }[key]
    const bindings = view.state
      .facet(keymap)
      .flat()
      .filter((binding) => binding.key === name)
    const { head } = view.state.selection.main
    const insert = name === 'Enter' ? '\n' : key
    const plain = () => view.state.update({ ...view.state.replaceSelection(insert), userEvent: 'input.type' })
    const isHandled =
      name === undefined
        ? view.state.facet(EditorView.inputHandler).some((type) => type(view, head, head, key, plain))
        : bindings.some(({ run }) => run?.(view) === true)
    if (!isHandled) view.dispatch(plain())
  }
  const { head } = view.state.selection.main
  return `${view.state.sliceDoc(0, head)}^${view.state.sliceDoc(head)}`
}

const typedHead = '| Item | Price |↵| --- | --- |↵'
const head = '| Item | Price |\n| --- | --- |\n'

test.each([true, false])('[WRITE-122] a table that is typed as Markdown has the typed rows (in the live view: %s)', (isLive) => {
  expect(typedBy(typedHead, '^', isLive)).toBe(`${head}| ^ |  |`)
  expect(typedBy(`${typedHead}| Bread | 3 |↵| Milk | 2 |↵↵after`, '^', isLive)).toBe(`${head}| Bread | 3 |\n| Milk | 2 |\n\nafter^`)
  expect(typedBy(`${typedHead}|Bread|3|↵||2`, '^', isLive)).toBe(`${head}| Bread | 3 |\n|  | 2^ |`)
  // The closing bar may be missing.
  expect(typedBy(`${typedHead}| Bread | 3↵| Milk`, '^', isLive)).toBe(`${head}| Bread | 3 |\n| Milk^ |  |`)
})

test.each([
  ['> | a | b |\n> | - | - |^', '↵| 1 | 2 |↵| 3', '> | a | b |\n> | - | - |\n> | 1 | 2 |\n> | 3^ |  |'],
  // A bar in any cell of an empty row begins the row.
  [`${head}| 1 | 2^ |`, '↵| 3 | 4 |', `${head}| 1 | 2 |\n| 3 | 4^ |`],
  // A backslash keeps a bar of such a row, and so does a caret within the text of a cell.
  [`${head}| ^ |  |`, '| a \\| b | c', `${head}| a \\| b | c^ |`]
])('[WRITE-122] in %j, the keys %j give %j', (before, keys, after) => {
  expect(typedBy(keys, before)).toBe(after)
})

test('[WRITE-31] in a row that was not begun with a bar, a bar is a letter of its cell', () => {
  expect(typedBy(`${typedHead}yes | no|`)).toBe(`${head}| yes \\| no\\|^ |  |`)
  expect(typedBy(`${typedHead}a⇥|`)).toBe(`${head}| a | \\|^ |`)
  // A row that the person has left and entered again is a row like any other.
  expect(typedBy(`${typedHead}| a⇥⇥b⇥c⇥|`)).toBe(`${head}| a |  |\n| b | c |\n| ^ |  |`)
})

/** Types letters in a table of the live view, where the selection is, with `⌫` as Delete, and returns its state. */
function typedInto(doc: string, selection: { readonly anchor: number; readonly head?: number }, keys: string): EditorState {
  const view = viewOn(EditorState.create({ doc, selection, extensions: [markdown(), grids, typedRows, outerBars, typeInCell, barInCell] }))
  for (const key of keys) {
    const { from, to } = view.state.selection.main
    ensureSyntaxTree(view.state, view.state.doc.length, 5000)
    const insert = key === '⌫' ? '' : key
    const plain = () => view.state.update({ ...view.state.replaceSelection(insert), userEvent: insert === '' ? 'delete' : 'input.type' })
    if (insert === '' || !view.state.facet(EditorView.inputHandler).some((type) => type(view, from, to, key, plain))) view.dispatch(plain())
  }
  return view.state
}

const columnWords = ['one two', 'c d', 'e f']

/** Selects in a cell, by offsets in its words, types, and returns the row, the words of its cells, and whether the caret is in that row. */
function cellsTyped(lines: readonly string[], number: number, from: number, [anchor, head]: readonly [number, number], typed: string) {
  const start = lines.slice(0, number - 1).join('\n').length + (number > 1 ? 1 : 0) + from
  const state = typedInto(lines.join('\n'), { anchor: start + anchor, head: start + head }, typed)
  const { line, cells } = rowOf(state.doc.line(number))
  const words = cells.map((cell) => state.sliceDoc(cell.from, cell.to).trim())
  return { text: line.text, words, column: tableAt(state)?.row.line.number === number ? tableAt(state)?.column : undefined }
}

test.each(
  ['one two|c d|e f', 'one two | c d | e f'].flatMap((row) =>
    ['', '|', '> ', '> | '].flatMap((before) => ['', '|', '   ', ' |  '].map((after) => `${before}${row}${after}`))
  )
)('[GRID-26] in a row like %j, typed words are in the cell at the caret, in order', (shape) => {
  const lines = [shape, `${shape.startsWith('>') ? '> ' : ''}--- | --- | ---`, shape, shape]
  for (const [column, word] of columnWords.entries()) {
    const from = shape.indexOf(word)
    const [middle, end] = [word.indexOf(' ') + 1, word.length]
    // The caret is at the start, in the middle or at the end of the words, or after the spaces behind them. Or all words are selected.
    const places: [number, number][] = [
      [0, 0],
      [middle, middle],
      [end, end],
      [0, end]
    ]
    const [spaces = ''] = /^ +$/.exec(shape.slice(from + end)) ?? []
    if (spaces !== '') places.push([end + spaces.length, end + spaces.length])
    for (const place of places)
      for (const typed of [' and some words', 'and some words ', '⌫a b', '⌫ a b', '1. - # 2', '> x', '   - a'])
        for (const number of [1, 3, 4]) {
          const { text, ...found } = cellsTyped(lines, number, from, place, typed)
          const words = `${(word + spaces).slice(0, place[0])}${typed.replace('⌫', '')}${word.slice(place[1])}`.trim()
          expect(found, JSON.stringify([place, typed, text])).toEqual({ words: columnWords.with(column, words), column })
        }
  }
})

/** Returns the text if a person types words while another one runs a command at the same place, before either change has been sent. */
function whileTyping(doc: string, at: number, words: string, run: Command): string {
  const [typist, other] = [new Y.Doc(), new Y.Doc()]
  typist.getText().insert(0, doc)
  Y.applyUpdate(other, Y.encodeStateAsUpdate(typist))
  typist.getText().insert(at, words)
  const view = viewOn(EditorState.create({ doc, selection: { anchor: at }, extensions: [markdown(), outerBars] }))
  const { dispatch } = view
  view.dispatch = (...specs: readonly unknown[]) => {
    let moved = 0
    view.state.update(...(specs as TransactionSpec[])).changes.iterChanges((from, to, _from, _to, inserted) => {
      other.getText().delete(from + moved, to - from)
      other.getText().insert(from + moved, inserted.toString())
      moved += inserted.length + from - to
    })
    dispatch(...(specs as TransactionSpec[]))
  }
  run(view)
  Y.applyUpdate(other, Y.encodeStateAsUpdate(typist))
  return other.getText().toString()
}

test.each(
  ['| a | bc | d |', '| a | bc | d', 'a | bc | d', '|a|bc|d|', 'a|bc|d', '| a | bc |', '| a | bc', 'a | bc', 'a|bc'].flatMap((shape) =>
    ['a', 'bc', 'd'].filter((word) => shape.includes(word)).map((word) => [shape, word] as const)
  )
)('[GRID-29] if the column of %j with %j is deleted, words that others type there stay in a cell next to it', (shape, word) => {
  const before = rowOf(docOf(shape).line(1))
  const { length } = before.cells
  const doc = [shape, Array.from({ length }, () => '---').join(' | '), shape].join('\n')
  const from = doc.lastIndexOf(word)
  for (const at of [from, from + word.length - 1, from + word.length]) {
    const state = EditorState.create({ doc: whileTyping(doc, at, 'xyz', deleteColumn), extensions: [markdown()] })
    ensureSyntaxTree(state, state.doc.length)
    const rows = rowsOf(state.doc).map(({ cells }) => cells.map((cell) => state.sliceDoc(cell.from, cell.to)))
    expect([rows.map((cells) => cells.length), tableAt(state, state.doc.length)?.first], state.doc.toString()).toEqual([
      [1, 1, 1].fill(length - 1),
      1
    ])
    expect(rows[2]?.findIndex((cell) => cell.includes('xyz'))).toBe(Math.min(length - 2, cellAt(before, shape.indexOf(word))))
  }
})

test('[GRID-29] a column that is deleted leaves the empty cells of rows without outer bars', () => {
  const removed = (word: string): string => {
    const doc = 'a |  | c\n--- | --- | ---\na |  | c'
    const view = viewOn(EditorState.create({ doc, selection: { anchor: doc.lastIndexOf(word) }, extensions: [markdown(), outerBars] }))
    deleteColumn(view)
    return view.state.doc.toString()
  }
  expect(removed('a')).toBe('|   | c\n --- | ---\n|   | c')
  expect(removed('c')).toBe('a |   |\n--- | --- \na |   |')
})

test.each([
  // The row is between others, the first one, the last one, or the only one.
  ['| a | b |\n| - | - |\n| c | d |\n| e | f |\n', 'e', '| a | b |\n| - | - |\n| c | d xyz|\n'],
  ['| a | b |\n| - | - |\n| c | d |\n| e | f |', 'f', '| a | b |\n| - | - |\n| c | d xyz|'],
  ['| a | b |\n| - | - |\n| c | d |\n| e | f |', 'd', '| a | b |\n| - | - |\n|xyz e | f |'],
  ['| a | b |\n| - | - |\n| c | d |\n\nafter', 'c', '| a | b |\n| - | - |\nxyz\n\nafter'],
  ['a | b\n--- | ---\nc | d\ne | f', 'f', 'a | b\n--- | ---\nc | dxyz'],
  ['a | b\n--- | ---\nc | d\ne | f', 'd', 'a | b\n--- | ---\nxyze | f'],
  ['> | a |\n> | - |\n> | c |\n> | e |', 'c', '> | a |\n> | - |\n> |xyz e |']
])('[GRID-31] if the row of %j with %j is deleted, words that others type there become %j', (doc, word, expected) => {
  for (const at of [doc.indexOf(word), doc.indexOf(word) + 1]) expect(whileTyping(doc, at, 'xyz', deleteRow)).toBe(expected)
  expect(whileTyping(doc, doc.indexOf(word), '', deleteRow)).toBe(expected.replace('xyz', ''))
})

test('[GRID-31] a suggestion that deletes a row deletes its line', () => {
  const doc = '| a |\n| - |\n| b |\n| c |'
  const state = EditorState.create({
    doc,
    selection: { anchor: doc.length },
    extensions: [markdown(), textMap.of({ shown: (at) => at, stored: (at) => at })]
  })
  const deleted: string[] = []
  const dispatch = (spec: TransactionSpec): void =>
    state.update(spec).changes.iterChanges((from, to) => void deleted.push(state.sliceDoc(from, to)))
  deleteRow({ state, dispatch } as unknown as EditorView)
  expect(deleted).toEqual(['\n| c |'])
})

test('[GRID-80] [GRID-81] Backspace deletes rows that their handles selected and a table of which all cells are selected; other cells are emptied', () => {
  const doc = '| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n\nafter'
  const pressed = (key: string, select: (view: EditorView) => void, text = doc): string => {
    const view = viewOn(EditorState.create({ doc: text, extensions: [markdown(), grids, rowSelection] }))
    ensureSyntaxTree(view.state, text.length)
    select(view)
    const bindings = view.state.facet(keymap).flat()
    expect(bindings.some((binding) => binding.key === key && binding.run?.(view) === true)).toBe(true)
    return view.state.doc.toString()
  }
  const rows = (first: number, last: number) => (view: EditorView) => {
    selectRow(view, first, false)
    if (last !== first) selectRow(view, last, true)
  }
  const cells = (from: string, to: string) => (view: EditorView) =>
    view.dispatch({ selection: { anchor: doc.indexOf(from), head: doc.indexOf(to) + 1 }, userEvent: 'select' })
  for (const key of ['Backspace', 'Delete']) {
    expect(pressed(key, rows(4, 4))).toBe(doc.replace('| 3 | 4 |\n', ''))
    expect(pressed(key, rows(5, 4))).toBe(doc.replace('| 3 | 4 |\n| 5 | 6 |\n', ''))
    expect(pressed(key, rows(3, 4))).toBe(doc.replace('| 1 | 2 |\n| 3 | 4 |\n', ''))
    expect(pressed(key, rows(3, 5))).toBe(doc.replace('| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n', '\n'))
    // The header row stays.
    expect(pressed(key, rows(1, 1))).toBe(doc.replace('| a | b |', '|  |  |'))
    // Cells that were selected as text are only emptied, and so are cells of one column after a handle selected their rows.
    expect(pressed(key, cells('3', '4'))).toBe(doc.replace('| 3 | 4 |', '|  |  |'))
    expect(pressed(key, (view) => (rows(4, 4)(view), cells('3', '5')(view)))).toBe(doc.replace('3', '').replace('5', ''))
  }
  expect(pressed('Backspace', cells('a', '6'))).toBe('\n\nafter')
  expect(pressed('Delete', cells('a', '6'))).toBe('|  |  |\n| - | - |\n|  |  |\n|  |  |\n|  |  |\n\nafter')
  expect(pressed('Backspace', rows(3, 3), '| a |\n| - |\n| 1 |\n| 2 |')).toBe('| a |\n| - |\n| 2 |')
})

test('[GRID-87] in a table that runs from right to left, a column that moves to the left becomes a later column', () => {
  const moved = (direction: Direction, side: 1 | -1): string => {
    const view = viewOn(
      EditorState.create({ doc: '| א | b | c |\n| - | - | - |', selection: { anchor: 7 }, extensions: [markdown()] }),
      direction
    )
    moveColumn(side)(view)
    return view.state.doc.line(1).text
  }
  expect([moved(Direction.LTR, -1), moved(Direction.LTR, 1)]).toEqual(['| b | א | c |', '| א | c | b |'])
  expect([moved(Direction.RTL, -1), moved(Direction.RTL, 1)]).toEqual(['| א | c | b |', '| b | א | c |'])
})

test('[GRID-28] Enter goes to the end of the cell below and selects nothing; Tab selects the words of a cell', () => {
  expect(typedBy('↵x', `${head}| yak^ | 1 |\n| zebra | 2 |`)).toBe(`${head}| yak | 1 |\n| zebrax^ | 2 |`)
  expect(typedBy('↵x', '| yak^ | 1 |\n| --- | --- |\n| zebra | 2 |')).toBe('| yak | 1 |\n| --- | --- |\n| zebrax^ | 2 |')
  expect(typedBy('⇥x', `${head}| yak^ | 1 |\n| zebra | 2 |`)).toBe(`${head}| yak | x^ |\n| zebra | 2 |`)
})

test('[GRID-27] Backspace deletes typed spaces, but neither the space before a bar nor the bar', () => {
  const back = (before: string): string => {
    const anchor = before.indexOf('^')
    const doc = before.slice(0, anchor) + before.slice(anchor + 1)
    const state = EditorState.create({ doc, selection: { anchor }, extensions: [markdown(), grids] })
    const view = viewOn(state)
    deleteCharBackward(view)
    return `${view.state.sliceDoc(0, view.state.selection.main.head)}^${view.state.sliceDoc(view.state.selection.main.head)}`
  }
  const head = 'a | b\n--- | ---\n'
  expect(back(`${head}| c  ^ | d |`)).toBe(`${head}| c ^ | d |`)
  expect(back(`${head}c | d  ^`)).toBe(`${head}c | d ^`)
  for (const kept of ['| c | ^d |', '| c |^ d |', '| ^ | d |', '^| c | d |']) expect(back(head + kept)).toBe(head + kept)
})

test('[GRID-14] a caret never rests before the first bar of a row', () => {
  const doc = 'Above\n\n| a | b |\n| - | - |\n| c | d |\n| e | f |'
  const state = EditorState.create({ doc, extensions: [markdown()] })
  ensureSyntaxTree(state, doc.length, 5000)
  const at = (line: number): number => state.doc.line(line).from
  const places = (isForward: boolean) => [3, 5, 6].map((line) => caretPlace(state, at(line), isForward))
  expect(places(true)).toEqual(['a', 'c', 'e'].map((word) => doc.indexOf(`| ${word}`) + 2))
  expect(places(false)).toEqual([at(2), doc.indexOf('b |') + 1, doc.indexOf('d |') + 1])
  const first = EditorState.create({ doc: doc.slice(7), extensions: [markdown()] })
  ensureSyntaxTree(first, 100, 5000)
  expect([caretPlace(first, 0, false), caretPlace(first, 3, true), caretPlace(state, 2, true)]).toEqual([2, 3, 2])
})

test('[GRID-13] the server gives a column the width that the editor’s typeface needs', () => {
  // A browser measured these widths, with padding: 33.75, 38.25, 40.5 and 27 pixels.
  expect(columnsFor([['Cost', 'Hotel', 'Name', 'Age']])).toBe([60, 65, 67, 53].map((width) => `minmax(${width}px,${width}px)`).join(' '))
})

test('[GRID-8] columns are as wide as their text needs, within bounds', () => {
  const columns = columnsFor([
    ['id', 'words'],
    ['1', 'x'.repeat(500)],
    ['[a](https://example.org/very-long-address)', 'one<br>two']
  ])
  const [narrow, wide] = [...columns.matchAll(/minmax\((\d+)px,(\d+)px\)/g)].map(([, least, most]) => [Number(least), Number(most)])
  expect(narrow).toEqual([52, 52])
  expect(wide).toEqual([150, 560])
})

test('[GRID-85] an address gives its column space for some of its letters', () => {
  const rest = '/and/many/more/parts?'.repeat(9)
  const shown = columnsFor([['Link'], [`see https://example.com/a/path/that/${rest}`]])
  expect(shown).toBe(columnsFor([['Link'], ['see https://example.com/a/path/that/…']]))
  expect(columnsFor([['Link'], [`[words](https://example.com${rest})`]])).toBe(columnsFor([['Link'], ['words']]))
})

test('[GRID-21] [GRID-23] a picture has space in its column, and a column without text is not tiny', () => {
  const picture = '![a very long alternative text that nobody sees](/f/a.png)'
  expect(columnsFor([['a'], [picture]])).toBe(columnsFor([['a'], [picture.replace('nobody sees', '')]]))
  expect(columnsFor([['a'], ['![a](/f/a.png)']])).toBe('minmax(150px,266px)')
  expect(columnsFor([['a'], ['![a\\|90](/f/a.png)']])).toBe('minmax(116px,116px)')
  expect(
    columnsFor([
      ['', 'a', ''],
      ['', '', 'b'],
      ['', '', '']
    ])
  ).toBe('minmax(52px,120px) minmax(52px,120px) minmax(52px,52px)')
})

test('[GRID-17] a column has the width that the editor’s typeface needs, even if the browser measures a narrower one', async () => {
  const plain = columnsFor([['new']])
  const context = { font: '', measureText: () => ({ width: 20 }) }
  vi.stubGlobal('document', { createElement: () => ({ getContext: () => context }), documentElement: {} })
  vi.stubGlobal('getComputedStyle', () => ({ getPropertyValue: () => 'sans-serif' }))
  vi.resetModules()
  const { columnsFor: measured } = await import('../web/editor/grid/widths.ts')
  expect(measured([['new']])).toBe(plain)
  // A browser that measures wider letters uses their width, and so do letters that the typeface lacks.
  context.measureText = () => ({ width: 90 })
  expect(measured([['wide']])).toBe('minmax(116px,116px)')
  context.measureText = () => ({ width: 30 })
  expect(measured([['ภาษาไทย']])).toBe('minmax(56px,56px)')
  vi.unstubAllGlobals()
})

/** Makes one change to a document with a table, in which `[` and `]` mark the selection or `^` the caret. Returns the document with the new selection. */
function keptFor(marked: string, event: string, insert: string, place?: string): string {
  const [anchor, end] = [marked.search(/[[^]/), marked.indexOf(']')]
  const doc = marked.replace(/[[^]/, '').replace(']', '')
  const selection = { anchor, head: end < 0 ? anchor : end - 1 }
  const view = viewOn(EditorState.create({ doc, selection, extensions: [markdown(), grids, keepCells] }))
  ensureSyntaxTree(view.state, doc.length, 5000)
  const from = place === undefined ? undefined : doc.indexOf(place)
  const change = from === undefined ? view.state.replaceSelection(insert) : { changes: { from, to: from + (place?.length ?? 0), insert } }
  view.dispatch({ ...change, userEvent: event })
  const { main } = view.state.selection
  const text = view.state.doc.toString()
  return `${text.slice(0, main.from)}${main.empty ? '^' : '['}${text.slice(main.from, main.to)}${main.empty ? '' : ']'}${text.slice(main.to)}`
}

const grid = '| a | b |\n| - | - |\n| c | d |'

test('[GRID-70] text that is pasted, dropped, replaced or completed in a cell stays in it: line breaks become <br>, and bars get a backslash', () => {
  for (const event of ['input.paste', 'input.drop', 'input.complete', 'input.type'])
    expect(keptFor('| a | b |\n| - | - |\n| c^ | d |', event, 'x | y\n\nz\n')).toBe('| a | b |\n| - | - |\n| cx \\| y<br>z^ | d |')
  expect(keptFor(`${grid}^`, 'input.replace.all', 'x|y', 'c')).toBe('| a | b |\n| - | - |\n| x\\|y | d |^')
  expect(keptFor('| a | b |\n| - | - |\n| c\\^|d |', 'input.paste', '|\\')).toBe('| a | b |\n| - | - |\n| c\\|\\ ^|d |')
  expect(keptFor('| a | b |\n| - | - |\n^| c | d |', 'input.paste', 'x')).toBe('| a | b |\n| - | - |\n| x^c | d |')
  // A bar that is already escaped, text outside tables, and a bar that a person types stay as they are.
  expect(keptFor('| a | b |\n| - | - |\n| c^ | d |', 'input.paste', 'x\\|y')).toBe('| a | b |\n| - | - |\n| cx\\|y^ | d |')
  expect(keptFor(`^\n\n${grid}`, 'input.paste', 'x|\ny')).toBe(`x|\ny^\n\n${grid}`)
  expect(keptFor('| a | b |\n| - | - |\n| c^ | d |', 'input.type', '|')).toBe('| a | b |\n| - | - |\n| c|^ | d |')
})

test('[GRID-71] a selection between text and a table loses its words, and the table stays whole', () => {
  const above = (start: string, cells = '| [a]') => `So${start}me\n\nother\n\n${cells}`
  const from = above('[', '| a | b |\n| - | - |\n| c] | d |')
  const to = '\n\n|  |  |\n| - | - |\n|  | d |'
  expect(keptFor(from, 'delete.cut', '')).toBe(`So^${to}`)
  for (const event of ['input.type', 'input.paste']) expect(keptFor(from, event, 'x|y')).toBe(`Sox|y^${to}`)
  const below = '| a | b |\n| - | - |\n| c | [d |\n\nOth]er'
  expect(keptFor(below, 'delete.selection', '')).toBe('| a | b |\n| - | - |\n| c | ^ |\n\ner')
  expect(keptFor(below, 'input.paste', 'x\ny')).toBe('| a | b |\n| - | - |\n| c | x<br>y^ |\n\ner')
  expect(keptFor(below.replace('[d', 'd['), 'input', '\n')).toBe('| a | b |\n| - | - |\n| c | d^ |\n\ner')
  // An entire table is deleted.
  expect(keptFor(`So[me\n\n${grid}\n\nOth]er`, 'delete.selection', '')).toBe('So^er')
})

test('[GRID-88] keys and pasted text change only the selected cells, and not those between them in the text', () => {
  const cells = (one: string, other: string) => `| a | b |\n| - | - |\n| 1 | ${one} |\n| 3 | ${other} |`
  for (const event of ['delete.selection', 'delete.group', 'delete.cut'])
    expect(keptFor(cells('[2', '4]'), event, '').replaceAll(/[[\]^]/g, '')).toBe(cells('', ''))
  expect(keptFor(cells('[2', '4]'), 'input.drop', ' x|y\n')).toBe(cells('x\\|y^', ''))
  // A single value fills all of them.
  expect(keptFor(cells('[2', '4]'), 'input.paste', 'x').replaceAll(/[[\]]/g, '')).toBe(cells('x', 'x'))
  // The selection begins in its last column.
  expect(keptFor('| a | b |\n| - | - |\n| 1 | [2 |\n| 3] | 4 |', 'delete.selection', '').replaceAll(/[[\]^]/g, '')).toBe(
    '| a | b |\n| - | - |\n|  |  |\n|  |  |'
  )
  const pasted = viewOn(
    EditorState.create({ doc: '| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |', selection: { anchor: 26, head: 34 }, extensions: [markdown()] })
  )
  ensureSyntaxTree(pasted.state, pasted.state.doc.length)
  fillCells(pasted, [['x', 'y']])
  expect(pasted.state.doc.line(3).text).toBe('| x | y |')
})

test('[GRID-74] a comment without a selection is on the words of the cell at the caret, or else on the line', () => {
  const on = (marked: string): string => {
    const anchor = marked.indexOf('^')
    const state = EditorState.create({ doc: marked.replace('^', ''), selection: { anchor }, extensions: [markdown()] })
    ensureSyntaxTree(state, marked.length, 5000)
    const { from, to } = wordsAtCaret(state)
    return state.sliceDoc(from, to)
  }
  const head = '| a | b |\n| - | - |\n'
  expect([on(`${head}| one | tw^o |`), on(`${head}| one | ^ |`), on('some ^words')]).toEqual(['two', '| one |  |', 'some words'])
})

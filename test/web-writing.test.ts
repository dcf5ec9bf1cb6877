/** Typing: the resulting text, the position of the caret, and completions. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EditorSelection, EditorState, type Extension, type StateCommand, Text, Transaction, type TransactionSpec } from '@codemirror/state'
import { syntaxTree } from '@codemirror/language'
import { history, insertNewline, undo } from '@codemirror/commands'
import { expect, test } from 'vitest'
import { commandOf, slashMenu } from '../web/commands/all.ts'
import { namesOf } from '../web/commands/names.ts'
import { isPossible } from '../web/view/command.ts'
import type { Page } from '../web/commands/page.ts'
import { endAbove } from '../web/editor/dropped-files.ts'
import { backspaceAtCode, deleteAtCode } from '../web/editor/code-edges.ts'
import { intoCode } from '../web/editor/code-arrows.ts'
import { belowCode, continueCode, indentCode, leaveCode, outdentCode } from '../web/editor/commands-code.ts'
import { continueList, deleteMarker } from '../web/editor/commands-list.ts'
import { joinAbove, joinBelow, removeEmptyItem } from '../web/editor/join-blocks.ts'
import { indentItem, otherMarker, outdentEmpty, outdentItem, outdentParagraph } from '../web/editor/list-levels.ts'
import { insertLink, toggleMarker } from '../web/editor/commands-inline.ts'
import { longerFences } from '../web/editor/longer-fences.ts'
import { marking } from '../web/editor/mark-blocks.ts'
import { codeAround } from '../web/editor/in-code.ts'
import { codeAt } from '../web/editor/copy-code.ts'
import { belowRows } from '../web/editor/grid/below.ts'
import { typeInCell } from '../web/editor/grid/type-in-cell.ts'
import { belowLast } from '../web/editor/grid/press-below.ts'
import { footnote } from '../web/editor/footnote.ts'
import { inserts } from '../web/editor/inserts.ts'
import { formatsAt } from '../web/editor/formats.ts'
import { bracketsNear, emojiTyped, linkTo } from '../web/editor/completions.ts'
import { addressOf, asTarget, linkAt, withoutLink } from '../web/editor/live/link-at.ts'
import { alternativeWords, pictureAt, type PictureAt } from '../web/editor/live/picture-at.ts'
import { droppedPicture } from '../web/editor/live/dropped-picture.ts'
import { pastedPicture } from '../web/editor/live/pasted-picture.ts'
import { pictureChanges, pictureSaved, widthChanges } from '../web/editor/live/picture-changes.ts'
import { beyond, chosenPicture, typedAfter } from '../web/editor/live/picture-chosen.ts'
import { addressWritten, pictureFrom, samePicture, stepOf, widthAfter } from '../web/editor/live/picture-size.ts'
import { belowTag } from '../web/editor/below-collapsible.ts'
import { collapsible } from '../web/editor/live/collapsible.ts'
import { collapsiblesIn, mayChangeTags, moved } from '../web/editor/collapsible-parts.ts'
import { safeAddress } from '../web/editor/live/inline.ts'
import { numberedNotes, numbersIn, otherEnd } from '../web/editor/live/note-numbers.ts'
import { markdown, markdownParser } from '../web/editor/language.ts'
import { firstPlace, resting } from '../web/editor/resting.ts'
import { homeOf, linesBetween, lineWords, linkOfWords } from '../web/editor/line-words.ts'
import { keepTab } from '../web/editor/tab-stays.ts'
import { absolute, wrapped } from '../web/editor/copied-html.ts'
import { isOwnCopy } from '../web/editor/own-copy.ts'
import { setextHeading } from '../web/editor/live/blocks.ts'
import { LiveContext } from '../web/editor/context.ts'
import { itemTyped, markTyped, taskTyped, typedMarks } from '../web/editor/typed-marks.ts'
import { leaveSlot, slots } from '../web/editor/slots.ts'
import { typingSteps } from '../web/editor/typing-steps.ts'
import { insertTable } from '../web/editor/commands-insert.ts'
import { decorateRange } from '../web/editor/live/live.ts'
import { pictureWords } from '../shared/markdown/pictures.ts'
import { createRenderer } from '../shared/markdown/render.ts'
import { formatEnds, markComposed } from '../web/editor/caret-formats.ts'
import { emptyMarks } from '../web/editor/empty-marks.ts'
import { hunksOf } from '../web/review/suggestions/hunks.ts'
import { isPlaced } from '../web/editor/bubble.ts'
import { isHidden } from '../web/editor/find/hidden.ts'
import { best } from '../web/base/match.ts'
import { de } from '../web/text/de.ts'
import { type Command, Direction, EditorView, keymap } from '@codemirror/view'
import * as Y from 'yjs'

/** Creates a state from text in which `‹` and `›` mark the selection, or `|` the caret. */
function stateOf(marked: string, extension: Extension = []): EditorState {
  const from = marked.includes('‹') ? marked.indexOf('‹') : marked.indexOf('|')
  const to = marked.includes('›') ? marked.indexOf('›') - 1 : from
  return EditorState.create({
    doc: marked.replaceAll(marked.includes('‹') ? /[‹›]/g : '|', ''),
    selection: { anchor: from, head: to },
    extensions: [markdown(), extension]
  })
}

test.each([
  ['wo|rds', undefined],
  ['a `co|de` b', 'span'],
  ['a `co‹de` b›', undefined],
  ['a `code`| b', undefined],
  ['```ts\nlet |a\n```', 'block'],
  ['```ts\n‹let a\nlet b›\n```', 'block'],
  ['‹words\n\n```ts\nlet› a\n```', undefined],
  ['words\n\n    inde|nted', 'block']
])('[WRITE-41] the selection of %j is in: %s', (marked, expected) => {
  expect(codeAround(stateOf(marked))).toBe(expected)
})

test('[WRITE-41] inline marks are not offered in code, marks of lines and blocks not in code blocks', () => {
  const page = (inCode: 'span' | 'block' | undefined) =>
    ({ inCode: { value: inCode }, inComponent: { value: false }, canType: { value: true }, mode: { value: 'live' } }) as unknown as Page
  const offered = (inCode: 'span' | 'block' | undefined) =>
    ['bold', 'link', 'code', 'heading.1', 'list.task', 'insert.table', 'insert.date'].filter((id) =>
      isPossible(commandOf(id), page(inCode))
    )
  expect(offered(undefined)).toEqual(['bold', 'link', 'code', 'heading.1', 'list.task', 'insert.table', 'insert.date'])
  expect(offered('span')).toEqual(['code', 'heading.1', 'list.task', 'insert.table', 'insert.date'])
  expect(offered('block')).toEqual(['insert.date'])
})

test('[WRITE-41] the code command removes the backticks around the caret', () => {
  let state = stateOf('a ``co|de words`` b', marking)
  const view = { state, dispatch: (spec: object) => (state = state.update(spec).state) } as unknown as EditorView
  expect(toggleMarker('`')(view)).toBe(true)
  expect([state.doc.toString(), state.selection.main.head]).toEqual(['a code words b', 4])
})

const asked = '<details>\n<summary>Why *so*?</summary>\n\nBecause\n\n</details>'

/** Returns the state in the notation of `stateOf`. */
function marked(state: EditorState): string {
  const { from, to } = state.selection.main
  const text = state.doc.toString()
  return from === to ? `${text.slice(0, from)}|${text.slice(to)}` : `${text.slice(0, from)}‹${text.slice(from, to)}›${text.slice(to)}`
}

function after(before: string, command: StateCommand, extension: Extension = []): string | undefined {
  let state = stateOf(before, extension)
  // A command of a view dispatches a change, and a command of a state dispatches a transaction.
  const dispatch = (change: object): void => void (state = change instanceof Transaction ? change.state : state.update(change).state)
  return command({ state, dispatch }) ? marked(state) : undefined
}

test('[WRITE-57] [COMP-182] the buttons appear for a person’s selection, not for text that a command inserted for overtyping, or a cell that Tab reached', () => {
  const state = stateOf('a|')
  const spec = { changes: { from: 1, insert: 'bc' }, selection: { anchor: 1, head: 3 } }
  for (const userEvent of ['input.insert', 'select.cell']) expect(isPlaced([state.update({ ...spec, userEvent })])).toBe(true)
  for (const userEvent of ['select.pointer', 'input.format', 'input.type'])
    expect(isPlaced([state.update({ ...spec, userEvent })])).toBe(false)
})

test('[WRITE-56] highlights, search matches and comments have their own colors, light and dark', () => {
  const read = (name: string): string => readFileSync(join(import.meta.dirname, '../web/style', name), 'utf8')
  const valuesOf = (name: string): string[] =>
    [...read('tokens.css').matchAll(new RegExp(`--${name}: (#\\w+);`, 'g'))].map(([, value = '']) => value)
  const colours = ['mark', 'find-soft', 'comment-soft'].map(valuesOf)
  // Each color has three values: for the light theme, for the system's dark theme, and for the chosen dark theme.
  expect(colours.map(({ length }) => length)).toEqual([3, 3, 3])
  for (const at of [0, 1, 2]) expect(new Set(colours.map((values) => values[at])).size).toBe(3)
  expect(read('prose.css')).toMatch(/\nmark \{\n {2}background: var\(--mark\)/)
  expect(read('editor.css')).toMatch(/\.md-highlight \{[^}]*background: var\(--mark\)/)
  expect(read('editor.css')).toMatch(/\.cm-searchMatch \{[^}]*background: var\(--find-soft\)/)
})

test('[WRITE-135] on a German page, the block menu finds entries by German and English names and by words of their Markdown', () => {
  const german = (sentence: string) => String(de[sentence] ?? sentence)
  const entries = slashMenu.map((id) => commandOf(id))
  const found = (query: string) => best(query, entries, (entry) => namesOf(entry, german)).map(({ id }) => id)
  expect(slashMenu.map((id) => found(commandOf(id).title)[0])).toEqual(slashMenu)
  // The German title of a chart begins with the English word for a diagram.
  expect(found('diagra')[0]).toBe('insert.chart')
  expect(slashMenu.map((id) => found(german(commandOf(id).title))[0])).toEqual(slashMenu)
  expect(found('sheet')).toEqual(['insert.sheet'])
  expect(found('chart')[0]).toBe('insert.chart')
  expect(found('heading').slice(0, 3)).toEqual(['heading.1', 'heading.2', 'heading.3'])
  expect(['divider', 'picture', 'mermaid', 'spreadsheet', 'trenn'].map((query) => found(query)[0])).toEqual([
    'insert.rule',
    'insert.file',
    'insert.diagram',
    'insert.sheet',
    'insert.rule'
  ])
})

test('[WRITE-43] entries that begin with the letters come first, then those with such words; each has its Markdown', () => {
  const entries = slashMenu.map((id) => commandOf(id))
  const found = (query: string) => best(query, entries, (entry) => namesOf(entry)).map(({ title }) => title)
  expect(found('ta').slice(0, 2)).toEqual(['Table', 'Task list'])
  expect(found('ta').indexOf('Chat')).toBeLessThan(found('ta').indexOf('Quote'))
  expect(found('li')[0]).toBe('Link')
  expect(
    found('li')
      .slice(1, 3)
      .every((title) => title.endsWith(' list'))
  ).toBe(true)
  expect(found('head').slice(0, 3)).toEqual(['Heading 1', 'Heading 2', 'Heading 3'])
  expect(found('pict')[0]).toBe('Picture, sound or video')
  for (const { id, typed, needs } of entries) expect(typed !== undefined || needs !== undefined || id === 'insert.date', id).toBe(true)
  expect(entries.filter(({ needs }) => needs !== undefined).map(({ id }) => id)).toEqual(slashMenu.filter((id) => id.startsWith('media.')))
})

test.each([
  ['|', ':|'],
  ['a (|', 'a (:|'],
  ['word|', 'word :|'],
  ['‹word›', ':|']
])('[WRITE-134] the emoji command in %j gives %j', (before, expected) => {
  let state = stateOf(before)
  const dispatch = (...specs: TransactionSpec[]) => (state = state.update(...specs).state)
  expect(inserts.emoji({ state, dispatch } as unknown as EditorView)).toBe(true)
  expect(marked(state)).toBe(expected)
})

test.each(['a ==b *c*== d', 'H~2~O x^2^', 'a == b ==', '==a `b== c`', '==a `==` b==', '`==a==`', 'a ~b~ a^b c^', '==[l](/x)=='])(
  '[WRITE-45] the editor and the renderer parse %j alike',
  (text) => {
    const names = { Highlight: 'mark', Subscript: 'sub', Superscript: 'sup' } as const
    const found: string[] = []
    markdownParser.parse(text).iterate({
      enter({ name }) {
        if (Object.hasOwn(names, name)) found.push(names[name as keyof typeof names])
      }
    })
    expect(found).toEqual(
      [
        ...createRenderer()
          .render(text)
          .html.matchAll(/<(mark|sub|sup)>/g)
      ].map(([, tag]) => tag)
    )
  }
)

test.each([
  ['[]|', '- [ ] |'],
  ['  []|words', '  - [ ] |words'],
  ['- []|', '- [ ] |'],
  ['3. [x]|', '3. [x] |'],
  ['> []|', '> - [ ] |'],
  ['[ ]|', '- [ ] |'],
  ['  [ ]|words', '  - [ ] |words'],
  // The marker of the list above would continue that list.
  ['- a\n  - b\n\n[]|', '- a\n  - b\n\n* [ ] |'],
  ['* a\n\n[]|', '* a\n\n- [ ] |'],
  ['1. a\n\n[]|', '1. a\n\n- [ ] |'],
  ['- a\n\nb\n\n[]|', '- a\n\nb\n\n- [ ] |'],
  ['- [ ]|', undefined],
  ['a [ ]|', undefined],
  ['a []|', undefined],
  ['```\n[]|\n```', undefined]
])('[WRITE-46] a space after %j makes: %s', (before, expected) => {
  const state = stateOf(before)
  const spec = taskTyped(state, state.selection.main.head)
  expect(spec === undefined ? undefined : marked(state.update(spec).state)).toBe(expected)
})

test.each([
  ['a\n-|', 'a\n\n- |'],
  ['a\nb\n-|', 'a\nb\n\n- |'],
  ['> a\n> -|', '> a\n>\n> - |'],
  ['a\n-|\n\nb', 'a\n\n- |\n\nb'],
  // These are empty items already, or no items.
  ['a\n\n-|', undefined],
  ['- a\n-|', undefined],
  ['# a\n-|', undefined],
  ['a\n--|', undefined],
  ['a\n-|b', undefined],
  ['-|', undefined],
  ['```\na\n-|\n```', undefined]
])('[WRITE-155] a space after the hyphen in %j makes: %s', (before, expected) => {
  const state = stateOf(before)
  const spec = itemTyped(state, state.selection.main.head)
  expect(spec === undefined ? undefined : marked(state.update(spec).state)).toBe(expected)
})

test.each([
  ['a[^b] c[^a] d[^b]\n\n[^a]: A\n[^b]: B', 'b1 a2'],
  ['a[^none] b[^a]\n\n[^a]: A[^b]\n[^b]: B\n[^unused]: C', 'a1 b2'],
  ['a[^a]\n\n[^a]:A', 'a1'],
  ['`[^b]` a[^a]: x[^b]\n\n```\n[^c]\n```\n\n[^a]: A\n[^b]: B\n[^c]: C', 'a1 b2']
])('[WRITE-222] the footnotes of %j have the numbers %s', (text, expected) => {
  expect([...numbersIn(stateOf(`${text}|`))].map((each) => each.join('')).join(' ')).toBe(expected)
})

test('[WRITE-223] a footnote leads to its note, and the note to its first reference', () => {
  const state = stateOf('a[^b] c[^a] d[^b]\n\n[^a]: A\n[^b]: B|')
  const to = (at: number): string | undefined => {
    const end = otherEnd(state, at)
    return end === undefined ? undefined : `${state.sliceDoc(end - 4, end)}|`
  }
  expect([to(1), to(14), to(8), to(27), to(30), to(0)]).toEqual(['b]: |', 'b]: |', 'a]: |', '[^b]|', '[^b]|', undefined])
})

test('[WRITE-294] a reference without its note is drawn as text, and other footnotes have their numbers', () => {
  const drawn = (text: string, numbered: boolean): readonly string[] => {
    const { doc } = stateOf(`${text}|`)
    const state = EditorState.create({ doc, extensions: [markdown(), numbered ? numberedNotes : []] })
    const live = decorateRange(state, { from: 0, to: doc.length }, [])
    const notes = live.decorations.flatMap(({ from, to, value }) => {
      const { class: name } = value.spec as { readonly class?: string }
      return name?.includes('note') === true ? [`${name} ${doc.sliceString(from, to)}`] : []
    })
    return notes
  }
  const text = 'a[^1] b[^2] c[^q]\n\n> [^q]: Q\n\n[^2]: B\n'
  expect(drawn(text, true)).toEqual([
    'md-no-note [^1]',
    'md-footnote [^2]',
    'md-footnote [^q]',
    'md-footnote [^q]',
    'md-footnote-label [^2]:'
  ])
  // Until the footnotes are numbered, nobody knows whether the note exists.
  expect(drawn('a[^1]', false)).toEqual(['md-footnote [^1]'])
})

test('[WRITE-155] the line above a hyphen is drawn as a heading only after the caret has left the hyphen', () => {
  const classesAt = (marked: string): string[] => {
    const state = stateOf(marked)
    const { head } = state.selection.main
    const live = new LiveContext(state, { from: 0, to: state.doc.length }, [{ from: head, to: head }])
    const node = syntaxTree(state).topNode.firstChild
    if (node !== null) setextHeading(node, live)
    return live.lookOfLine(0).name.split(' ')
  }
  expect(classesAt('a\n-|')).not.toContain('md-heading')
  expect(classesAt('a|\n-')).toContain('md-heading')
  expect(classesAt('a\n--|')).toContain('md-heading')
})

/** Presses Enter at the end of text, and then types letter by letter. */
function enterAndType(before: string, letters: string): string {
  let state = stateOf(before, typedMarks)
  const view = {
    get state() {
      return state
    },
    dispatch: (spec: TransactionSpec) => (state = state.update(spec).state)
  } as unknown as EditorView
  if (!continueList(view)) view.dispatch(state.replaceSelection('\n'))
  const [handle] = state.facet(EditorView.inputHandler)
  for (const letter of letters) {
    const { head } = state.selection.main
    const plain = () => state.update({ ...state.replaceSelection(letter), userEvent: 'input.type' })
    if (handle?.(view, head, head, letter, plain) !== true) view.dispatch({ ...state.replaceSelection(letter), userEvent: 'input.type' })
  }
  return marked(state)
}

test.each([
  ['> [!NOTE]|', '> words', '> [!NOTE]\n> words|'],
  ['> a|', '> > words', '> a\n> > words|'],
  ['> a|', '>> words', '> a\n> >> words|'],
  ['> > a|', '> words', '> > a\n> > words|'],
  ['> a|', 'w> x', '> a\n> w> x|'],
  ['a|', '> words', 'a\n> words|']
])('[WRITE-156] Enter after %j and then typing %j makes: %s', (before, typed, expected) => {
  expect(enterAndType(before, typed)).toBe(expected)
})

test.each([
  ['words\n1986. a|', 'words\n1986. a\nb|'],
  ['> words\n> 1986. a|', '> words\n> 1986. a\n> b|'],
  ['- - -|', '- - -\nb|'],
  ['words\n1. a|', 'words\n1. a\n2. b|'],
  ['words\n\n1986. a|', 'words\n\n1986. a\n1987. b|'],
  ['words\n- a|', 'words\n- a\n- b|']
])('[WRITE-326] Enter after %j begins a new item only in a list', (before, expected) => {
  expect(enterAndType(before, 'b')).toBe(expected)
})

test.each([
  ['- one|', '- two', '- one\n- two|'],
  ['- one|', '- - two', '- one\n- - two|'],
  ['* one|', '* two', '* one\n* two|'],
  ['- one|', '* two', '- one\n- * two|'],
  ['- one|', '-two', '- one\n- -two|'],
  ['- one|', 'a - two', '- one\n- a - two|'],
  ['- a\n  - b|', '- c', '- a\n  - b\n  - c|'],
  ['1. one|', '2. two', '1. one\n2. two|'],
  ['1. one|', '1. two', '1. one\n2. two|'],
  ['1) one|', '2) two', '1) one\n2) two|'],
  ['1. one|', '1) two', '1. one\n2. 1) two|'],
  ['1. one|\n2. three', '2. two', '1. one\n2. two|\n3. three'],
  ['- [x] one|', '- [ ] two', '- [x] one\n- [ ] two|'],
  ['- [ ] one|', '[ ] two', '- [ ] one\n- [ ] two|'],
  ['- [ ] one|', '- two', '- [ ] one\n- [ ] two|'],
  ['- one|', '- [ ] two', '- one\n- [ ] two|'],
  ['> - one|', '> - two', '> - one\n> - two|'],
  ['a|', '- two', 'a\n\n- two|']
])('[WRITE-164] Enter after %j and then typing %j makes: %s', (before, typed, expected) => {
  expect(enterAndType(before, typed)).toBe(expected)
})

test('[WRITE-156] a quote mark typed after the caret has moved begins a quote in the quote', () => {
  let state = stateOf('> a|', typedMarks)
  const view = { state, dispatch: (spec: TransactionSpec) => (state = state.update(spec).state) } as unknown as EditorView
  continueList(view)
  state = state.update({ selection: { anchor: 0 } }).state
  state = state.update({ selection: { anchor: state.doc.length } }).state
  state = state.update({ ...state.replaceSelection('>'), userEvent: 'input.type' }).state
  expect(markTyped(state, state.selection.main.head)).toBeUndefined()
})

test.each([
  ['- 1. |', '1. |'],
  ['* 1) |', '1) |'],
  ['4. - |', '- |'],
  ['- a\n  - 1. |\n    - c\n- b', '- a\n  1. |\n     - c\n- b'],
  ['1. a\n2. b\n- 1. |\n- c', '1. a\n2. b\n3. |\n- c'],
  ['- a\n- 1. |\n1. b\n2. c', '- a\n1. |\n2. b\n3. c'],
  ['1. a\n2. * |\n3. b\n   - in it\n4. c\n7. d', '1. a\n* |\n1. b\n   - in it\n2. c\n7. d'],
  ['> - 1. |', '> 1. |'],
  ['- 2. |', undefined],
  ['- - |', undefined],
  ['1. 1. |', undefined],
  ['- a 1. |', undefined],
  ['- 1. |words', undefined],
  ['- [ ] 1. |', undefined],
  ['```\n- 1. |\n```', undefined]
])('[WRITE-115] a space that was typed last in %j makes: %s', (before, expected) => {
  const state = stateOf(before)
  const spec = otherMarker(state)
  expect(spec === undefined ? undefined : marked(state.update(spec).state)).toBe(expected)
})

test('[WRITE-47] Enter keeps the indentation of code; Tab and Shift-Tab change it', () => {
  expect(after('```\n  let a|\n```', continueCode)).toBe('```\n  let a\n  |\n```')
  expect(after('```\n\tlet a|b\n```', continueCode)).toBe('```\n\tlet a\n\t|b\n```')
  expect(after('  words|', continueCode)).toBeUndefined()
  expect(after('```\na|\n```', indentCode)).toBe('```\na  |\n```')
  expect(after('```\n‹a\n\nb›\n```', indentCode)).toBe('```\n  ‹a\n\n  b›\n```')
  expect(after('```\n  ‹  a\n b›\n```', outdentCode)).toBe('```\n‹  a\nb›\n```')
  expect(after('words|', indentCode)).toBeUndefined()
})

test('[WRITE-48] the code of a block is the text between its fences', () => {
  const state = stateOf('a\n\n```ts\nlet a\n\nlet |b\n```\n')
  expect(codeAt(state, state.selection.main.head)).toBe('let a\n\nlet b')
  expect(codeAt(state, 0)).toBeUndefined()
  // The copied code has no marks of the quote around it.
  const quoted = stateOf('> ```\n> let |a\n> let b\n> ```')
  expect(codeAt(quoted, quoted.selection.main.head)).toBe('let a\nlet b')
})

test('[WRITE-20] a new item of a numbered list renumbers those below', () => {
  const list = (text: string): string | undefined => after(text, continueList as unknown as StateCommand)
  expect(list('1. one|\n   - in it\n2. two\n3. three\n7. seven')).toBe('1. one\n2. |\n   - in it\n3. two\n4. three\n7. seven')
})

test.each([
  ['say **loud|** end', '**', 'say **loud**| end'],
  ['say **two words|** end', '**', 'say **two words**| end'],
  ['*it|*', '*', '*it*|'],
  ['~~gone|~~', '~~', '~~gone~~|'],
  ['==lit|==', '==', '==lit==|'],
  ['a `co de|` b', '`', 'a `co de`| b'],
  ['***both|***', '**', '***both**|*'],
  ['**a [link](/x)|**', '**', '**a [link](/x)**|'],
  ['**a *b|***', '**', '**a *b***|'],
  ['say **lo|ud** end', '**', 'say lo|ud end'],
  ['**one |**', '**', '**one** |'],
  ['a **one  |** b', '**', 'a **one**  | b'],
  ['*one |*', '*', '*one* |'],
  ['**one *two |***', '*', '**one *two* |**'],
  ['say **|** b', '**', 'say | b'],
  ['a **|** b', '**', 'a | b'],
  ['a *|* b', '*', 'a | b'],
  ['a ==|== b', '==', 'a | b'],
  ['a `|` b', '`', 'a | b'],
  ['wo|rds', '**', '**wo|rds**'],
  ['**‹b›**', '*', '***‹b›***'],
  ['***‹b›***', '*', '**‹b›**'],
  ['***‹b›***', '**', '*‹b›*'],
  ['a *‹b›* c', '*', 'a ‹b› c'],
  // The command moves back as well, and across opening marks.
  ['say **loud**| end', '**', 'say **loud|** end'],
  ['***both***|', '**', '***both|***'],
  ['say **|loud** end', '**', 'say |**loud** end'],
  ['say |**loud** end', '**', 'say **|loud** end'],
  // Within longer formatted text, the word at the caret loses the format.
  ['**two wo|rds**', '**', '**two** wo|rds'],
  ['__tw|o words__', '**', 'tw|o __words__'],
  ['**one tw|o three**', '**', '**one** tw|o **three**'],
  ['**a *b c|d* e**', '**', '**a** *b c|d* **e**'],
  ['**one - | - two**', '**', 'one - | - two']
])('[WRITE-70] the command of a mark on %j, %s', (before, marker, expected) => {
  expect(after(before, toggleMarker(marker) as unknown as StateCommand, marking)).toBe(expected)
})

/** Runs format commands, and types letters with an event. Returns the text with the caret, and the formats that the toolbar then shows. */
function formatted(before: string, ...steps: readonly (readonly [command: string] | readonly [typed: string, event: string])[]): string {
  let state = stateOf(before, [marking, formatEnds])
  const view = {
    get state() {
      return state
    },
    composing: false,
    dispatch: (...specs: TransactionSpec[]) => (state = state.update(...specs).state)
  } as unknown as EditorView
  for (const [step, event] of steps) {
    if (event === undefined) toggleMarker(step)(view)
    else if (event === 'composed') markComposed(view)
    else view.dispatch({ ...state.replaceSelection(step), userEvent: event })
  }
  return `${marked(state)} ${[...formatsAt(state)].toSorted().join(' ')}`.trim()
}

const typed = (text: string) => text.split('').map((letter) => [letter, 'input.type'] as const)

test.each([
  ['word|', [['**']], 'word| bold'],
  ['word|', [['**'], ['**']], 'word|'],
  ['say |', [['**'], ...typed('loud'), ['**'], ...typed(' end')], 'say **loud** end|'],
  ['say|', [['**'], ...typed(' loud')], 'say **loud|** bold'],
  ['| end', [['~~'], ...typed('a b')], '~~a b|~~ end strikethrough'],
  ['|word', [['=='], ...typed('a')], '==a|==word highlight'],
  ['a |', [['**'], ['*'], ['`'], ...typed('x')], 'a ***`x|`*** bold code italic'],
  ['a |', [['**'], ['*'], ['**'], ...typed('x')], 'a *x|* italic'],
  ['one |', [['**'], ['*'], ...typed('two'), ['*'], ['**'], ...typed(' end')], 'one ***two*** end|'],
  ['one |', [['**'], ['*'], ...typed('two'), ['**'], ['*'], ...typed(' end')], 'one ***two*** end|'],
  ['one |', [['**'], ['*'], ...typed('two'), ['*'], ...typed(' end')], 'one ***two*** **end|** bold'],
  ['**one|** two', [['*'], ...typed('x')], '**one*x|*** two bold italic'],
  ['**one|** two', [['*'], ['**'], ...typed('x')], '**one***x|* two italic']
] as const)('[WRITE-124] in %j, the steps %j give %j', (before, steps, expected) => {
  expect(formatted(before, ...steps)).toBe(expected)
})

test.each([
  ['a **one|** b', typed(' '), 'a **one** | b bold'],
  ['a **one|** b', typed('  two'), 'a **one  two|** b bold'],
  ['***one|***', typed(' two'), '***one two|*** bold italic'],
  ['a |', [['**'], ...typed('one two ')], 'a **one two** | bold'],
  ['a |', [['**'], ...typed('one '), ['**'], ...typed('two')], 'a **one** two|'],
  ['a |', [['**'], ...typed('one '), ['*'], ...typed('two')], 'a **one** ***two|*** bold italic'],
  ['`co|`', typed(' d'), '`co d|` code'],
  [
    '**one|**',
    [
      [' ', 'input.type'],
      ['ni', 'input.type.compose'],
      ['', 'composed']
    ],
    '**one ni|** bold'
  ],
  [
    '**one|**',
    [
      [' ', 'input.type'],
      ['x', 'input.paste']
    ],
    '**one** x|'
  ]
] as const)('[WRITE-125] in %j, the steps %j give %j', (before, steps, expected) => {
  expect(formatted(before, ...steps)).toBe(expected)
})

test('[WRITE-125] Enter at the end of formatted text leaves the marks on their line', () => {
  const enter = (before: string): string => {
    let state = stateOf(before, [formatEnds, keymap.of([{ key: 'Enter', run: insertNewline }])])
    const view = {
      get state() {
        return state
      },
      dispatch: (spec: TransactionSpec | Transaction) => (state = spec instanceof Transaction ? spec.state : state.update(spec).state)
    } as unknown as EditorView
    const bindings = state.facet(keymap).flat()
    for (const { key, run } of bindings) if (key === 'Enter' && run?.(view) === true) break
    return marked(state)
  }
  expect(enter('a **one|** b')).toBe('a **one**\n| b')
  expect(enter('***`one|`***')).toBe('***`one`***\n|')
  expect(enter('a **o|ne**')).toBe('a **o\n|ne**')
})

test('[WRITE-124] a caret that moves away takes no format along and leaves no marks; a change by others keeps the format', () => {
  const on = (): EditorState => {
    let state = stateOf('a |', marking)
    toggleMarker('**')({
      state,
      dispatch: (...specs: TransactionSpec[]) => (state = state.update(...specs).state)
    } as unknown as EditorView)
    return state
  }
  const typedIn = (state: EditorState): string => marked(state.update({ ...state.replaceSelection('x'), userEvent: 'input.type' }).state)
  const moved = on().update({ selection: { anchor: 0 }, userEvent: 'select' }).state
  expect([moved.doc.toString(), formatsAt(moved).size, typedIn(moved)]).toEqual(['a ', 0, 'x|a '])
  expect(typedIn(on().update({ changes: { from: 0, insert: 'new ' } }).state)).toBe('new a **x|**')
  expect(typedIn(on().update({ changes: { from: 1, to: 2 }, userEvent: 'delete.backward' }).state)).toBe('ax|')
})

test('[WRITE-124] text that is composed gets its marks when the composition ends', () => {
  const compose = 'input.type.compose'
  expect(formatted('a |', ['**'], ['ni', compose], ['hao', compose])).toBe('a nihao| bold')
  expect(formatted('a |', ['**'], ['ni', compose], ['hao', compose], ['', 'composed'], ['!', 'input.type'])).toBe('a **nihao!|** bold')
  // A keyboard may type a space before the marks are written.
  expect(formatted('a |', ['**'], ['hi', compose], [' ', 'input.type'], ['', 'composed'])).toBe('a **hi** |')
  expect(formatted('a |', ['**'], ['', compose], ['', 'composed'])).toBe('a | bold')
})

test.each([
  ['al ‹be\n\nga› de', '**', 'al **‹be**\n\n**ga›** de'],
  ['**‹be**\n\n**ga›**', '**', '‹be\n\nga›'],
  ['‹a\n\n**b**›', '**', '**‹a**\n\n**b**›'],
  ['‹# One #\n\n- [ ] two\n  1. three\n\n> four\n> five›', '**', '‹# **One** #\n\n- [ ] **two**\n  1. **three**\n\n> **four\n> five›**'],
  ['‹- one›', '**', '‹- **one›**'],
  ['‹---\nt: x\n---\n\na\n\n```\ncode\n```\n\n    code\n\nb \n›', '*', '‹---\nt: x\n---\n\n*a*\n\n```\ncode\n```\n\n    code\n\n*b* \n›'],
  ['‹a\n\n| b | c d |\n| - | - |\n| e |  |›', '==', '==‹a==\n\n| ==b== | ==c d== |\n| - | - |\n| ==e== |  |›'],
  ['a **‹b** c **d**\n\n**e›** f', '**', 'a **‹b c d**\n\n**e›** f'],
  ['**a ‹b**\n\n**c› d**', '**', '**a** ‹b\n\nc› **d**'],
  ['a *b ‹c* d\n\ne [li›nk](/x)', '**', 'a *b **‹c*** **d**\n\n**e** [**li›**nk](/x)'],
  ['*a ‹b*\n\n~~c› d~~', '**', '*a **‹b***\n\n~~**c›** d~~'],
  ['‹a `b` c\n\n`d`›', '`', '`‹a b c`\n\n`d`›'],
  ['‹> [!note] Title\n> text\n\n![p](/f/p.png)›', '~~', '‹> [!note] ~~Title\n> text~~\n\n![p](/f/p.png)›'],
  ['‹```\na\n```\n\n›', '**', '‹```\na\n```\n\n›']
])('[WRITE-95] the command of a mark on the blocks %j, %s', (before, marker, expected) => {
  expect(after(before, toggleMarker(marker) as unknown as StateCommand, marking)).toBe(expected)
})

test.each([
  ['a ‹be ›ga', '**', 'a **‹be** ›ga'],
  ['a‹ be›, ga', '**', 'a‹ **be›**, ga'],
  ['a ‹be› ga', '==', 'a ==‹be›== ga'],
  ['a ==‹be›== ga', '==', 'a ‹be› ga'],
  ['a ‹==be==› ga', '==', 'a ‹be› ga'],
  ['a **be‹ta** ga›', '**', 'a **be‹ta ga›**'],
  ['a ‹be **ga›** de', '**', 'a **‹be ga›** de'],
  ['**be ‹ga› de**', '**', '**be** ‹ga› **de**'],
  ['**‹be› ga**', '**', '‹be› **ga**'],
  ['a **be‹ta** gam›ma', '*', 'a **be*‹ta*** *gam›*ma'],
  ['**be ‹ga** de›', '*', '**be *‹ga*** *de›*'],
  ['be ‹ga **de› ze**', '*', 'be *‹ga* ***de›* ze**'],
  ['**be ‹ga› de**', '*', '**be *‹ga›* de**'],
  ['a ‹b\nc› d', '**', 'a **‹b\nc›** d'],
  ['a **bold‹**› b', '*', 'a **bold‹**› b'],
  ['`‹a›` b', '**', '**`‹a›`** b'],
  ['*a **b ‹c› d** e*', '*', '*a* ***b* ‹c› *d*** *e*'],
  ['a [b ‹c](/x) d›', '**', 'a [b **‹c**](/x) **d›**'],
  ['a ‹ › b', '**', 'a ‹ › b']
])('[WRITE-148] the command of a format on the selection %j, %s', (before, marker, expected) => {
  expect(after(before, toggleMarker(marker) as unknown as StateCommand, marking)).toBe(expected)
})

test.each([
  ['- aa\n  - bb\n    - |', '- aa\n  - bb\n  - |'],
  ['- aa\n  - bb\n    - cc|', '- aa\n  - bb\n  - cc|'],
  ['- aa\n  - bb\n  - cc|', '- aa\n  - bb\n- cc|'],
  ['1. aa\n   - bb\n     1. cc\n     2. dd|', '1. aa\n   - bb\n     1. cc\n   - dd|'],
  ['1. aa\n    - bb|', '1. aa\n2. bb|'],
  ['- aa\n\t- bb\n\t\t- cc|', '- aa\n\t- bb\n\t- cc|'],
  ['- aa\n\n  - bb\n\n    text\n\n    - cc|', '- aa\n\n  - bb\n\n    text\n\n  - cc|'],
  ['- aa\n  - ‹bb\n    - cc›', '- aa\n- ‹bb\n  - cc›'],
  ['  - aa|', '- aa|']
])('[WRITE-96] Shift-Tab on %j', (before, expected) => {
  expect(after(before, outdentItem as unknown as StateCommand)).toBe(expected)
})

test('[WRITE-96] Enter on an empty nested item moves it to the level of the item around it', () => {
  const [nested, moved] = ['- aa\n  - bb\n    - cc\n    - |', '- aa\n  - bb\n    - cc\n  - |']
  expect(after(nested, outdentEmpty as unknown as StateCommand)).toBe(moved)
  expect(after('- a\n  - |', outdentEmpty as unknown as StateCommand)).toBe('- a\n- |')
  expect(after('1. a\n   1. b\n   2. |\n2. c', outdentEmpty as unknown as StateCommand)).toBe('1. a\n   1. b\n2. |\n3. c')
})

test.each([
  ['1. a\n2. b|\n3. c', '1. a\n   1. b|\n2. c'],
  ['1. a\n   1. b\n2. c|\n3. d', '1. a\n   1. b\n   2. c|\n2. d'],
  ['1. a\n   - b\n2. c|', '1. a\n   - b\n   - c|'],
  ['- a\n- b|\n  - c\n\n    d\n- e', '- a\n  - b|\n    - c\n\n      d\n- e'],
  ['- [ ] a\n- [x] b|', '- [ ] a\n  - [x] b|'],
  ['9. a\n10. b\n    - c\n11. d|', '9. a\n10. b\n    - c\n    - d|'],
  ['8. a\n9. b|\n10. c\n    - d', '8. a\n   1. b|\n9. c\n   - d'],
  ['- |a', '- |a'],
  ['- a\n  - b|', '- a\n  - b|'],
  ['words\n\n- |a', 'words\n\n- |a'],
  ['- ‹a\n- b\n- c›', '- ‹a\n  - b\n  - c›'],
  ['> 1. a\n> 2. b|', '> 1. a\n>    1. b|'],
  ['1. a\n5. b|\n7. c', '1. a\n   1. b|\n7. c']
])('[WRITE-106] Tab on %j', (before, expected) => {
  expect(after(before, indentItem as unknown as StateCommand)).toBe(expected)
})

test.each([
  ['1. a\n   1. b|\n   2. c\n2. d', '1. a\n2. b|\n   1. c\n3. d'],
  ['1. a\n   1. b|\n      1. c', '1. a\n2. b|\n   1. c'],
  ['9. a\n   - b|\n     - c', '9. a\n10. b|\n    - c']
])('[WRITE-106] Shift-Tab on %j', (before, expected) => {
  expect(after(before, outdentItem as unknown as StateCommand)).toBe(expected)
})

test.each([
  ['a\n\n|b', 'a|b'],
  ['# a\n\n|b', '# a|b'],
  ['- a\n\n|b', '- a|b'],
  ['a  \n\n|b\nc', 'a|b\nc'],
  ['a\n\n\n|b', undefined],
  ['a\n\nb|', undefined],
  ['```\na\n```\n\n|b', undefined],
  ['| a |\n| - |\n| b |\n\n|b', undefined],
  ['---\nt: a\n---\n\n|b', undefined],
  ['![a](/f/a.png)\n\n|b', undefined]
])('[WRITE-107] Backspace at the first letter of %j', (before, expected) => {
  expect(after(before, joinAbove as unknown as StateCommand)).toBe(expected)
})

test.each([
  ['- aa\n- |\n- cc', '- aa|\n- cc'],
  ['1. a\n2. |\n3. c\n4. d', '1. a|\n2. c\n3. d'],
  ['- aa\n\n- |\n\n- cc', '- aa|\n\n- cc'],
  ['- [x] a\n- [ ] |\n- [ ] c', '- [x] a|\n- [ ] c'],
  ['> 1. a\n> 2. |\n> 3. c', '> 1. a|\n> 2. c'],
  ['- a\n  - b\n- |\n- c', '- a\n  - b|\n- c'],
  ['- a\n- \n- |\n- c', '- a\n- |\n- c'],
  ['- a\n- |', undefined],
  ['- |\n- a', undefined],
  ['- a\n- |\nwords', undefined],
  ['- a\n- b|\n- c', undefined],
  ['```\n- a\n- |\n- c\n```', undefined]
])('[WRITE-161] Backspace in the empty item of %j', (before, expected) => {
  expect(after(before, removeEmptyItem as unknown as StateCommand)).toBe(expected)
})

test.each([
  ['a|\n\nb', 'a|b'],
  ['a|\n\n- b', 'a|b'],
  ['- a|\n- [ ] b', '- a|b'],
  ['> a|\n> b', '> a|b'],
  ['1. a|\n2. b\n3. c', '1. a|b\n2. c'],
  ['a|\n\n\nb', undefined],
  ['a|\n\n```\nb\n```', undefined]
])('[WRITE-107] Delete after the last letter of %j', (before, expected) => {
  expect(after(before, joinBelow as unknown as StateCommand)).toBe(expected)
})

test.each([
  ['1. a\n\n   |b', '1. a\n\n|b'],
  ['1. a\n   - b\n\n     |c', '1. a\n   - b\n\n   |c'],
  ['    |code', undefined]
])('[WRITE-79] Backspace at the first letter of the paragraph of an item, %j', (before, expected) => {
  expect(after(before, outdentParagraph as unknown as StateCommand)).toBe(expected)
})

test.each([
  ['> a quote|', '> a quote\n> |'],
  ['> a quote\n> |', '> a quote\n\n|'],
  ['> a quote\n> |\nwords', '> a quote\n\n|\nwords'],
  ['> > a\n> > |', '> > a\n>\n> |'],
  ['> > a\n>\n> |', '> > a\n>\n|'],
  ['> |', '|'],
  ['- a\n- |', '- a\n\n|'],
  ['- a\n- |\nwords', '- a\n\n|\nwords'],
  ['> - a\n> - |', '> - a\n>\n> |'],
  ['1. a\n2. |\n3. c', '1. a\n\n|\n\n2. c'],
  ['1. |\n2. b\n3. c', '|\n1. b\n2. c'],
  ['1. a\n2. |\n   2. deep\n3. c', '1. a\n\n|\n\n   2. deep\n2. c'],
  ['1. |\n   2. deep\n2. c', '|\n\n   2. deep\n1. c'],
  ['1. a\n2. |\n7. c', '1. a\n\n|\n\n7. c']
])('[WRITE-71] [WRITE-121] Enter on %j', (before, expected) => {
  expect(after(before, continueList as unknown as StateCommand)).toBe(expected)
})

test.each([
  ['1. a\n2. b\n3. |', '1. a\n2. b\n\n|'],
  ['1. a\n2. |b', '1. a\n\n|b'],
  ['1. a\n2. |b\n3. c\n4. d', '1. a\n\n|b\n\n2. c\n3. d'],
  ['1. |a\n2. b', '|a\n1. b'],
  ['- |a\n- b', '|a\n- b'],
  ['words\n- |a', 'words\n|a'],
  ['- a\n  - |b', '- a\n\n  |b'],
  ['- [ ] a\n- [x] |', '- [ ] a\n\n|'],
  ['> a\n> |b', '> a\n\n|b'],
  ['> a\n> |', '> a\n\n|'],
  ['a\n\n- |b', 'a\n\n|b'],
  ['a\n# |b', 'a\n|b'],
  ['> - |', '> |'],
  ['> |', '|'],
  ['> - a\n> - |', '> - a\n>\n> |'],
  ['> - a\n> - |b', '> - a\n>\n> |b'],
  ['> - |b', '> |b'],
  ['> > |', '> |'],
  ['> > a\n> > |b', '> > a\n>\n> |b'],
  ['> - [ ] |', '> |'],
  ['> # |b', '> |b']
])('[WRITE-79] [WRITE-121] Backspace in %j', (before, expected) => {
  expect(after(before, deleteMarker as unknown as StateCommand)).toBe(expected)
})

test.each([
  ['So|', 'So[^1]\n\n[^1]: |'],
  ['So| and on.\n', 'So[^1] and on.\n\n[^1]: |'],
  ['So[^1]|\n\n[^1]: a', 'So[^1][^2]\n\n[^1]: a\n[^2]: |'],
  ['So|[^7]\n\n[^7]: a\n', 'So[^8][^7]\n\n[^7]: a\n[^8]: |'],
  ['|', '[^1]\n\n[^1]: |']
])('[WRITE-90] a footnote in %j', (before, expected) => {
  expect(slashMenu).toContain('insert.footnote')
  expect(after(before, footnote as unknown as StateCommand)).toBe(expected)
})

test.each([
  ['```\na|b\n```', '```\nab\n```\n|'],
  ['```\nab\n``|`', '```\nab\n```\n|'],
  ['```\na|b\n```\n', '```\nab\n```\n|'],
  ['```\na|b\n```\nwords', '```\nab\n```\n|words'],
  ['> ```\n> a|b\n> ```', '> ```\n> ab\n> ```\n|'],
  ['```\na|b\nc\n```', undefined],
  ['```\na|b', undefined],
  ['wor|ds', undefined]
])('[WRITE-72] one line down from %j', (before, expected) => {
  expect(after(before, belowCode)).toBe(expected)
})

test.each([
  ['one\ntw|o\nthree\n\nend', 'one\ntwo\nthree|\n\nend', 'one\ntwo\nthree|\n\nend'],
  ['# one\n\ntw|o', '# one\n\ntwo|', '# one|\n\ntwo'],
  ['```\nco|de\n```\nend', '```\ncode\n```|\nend', '```\ncode\n```|\nend'],
  ['one\n|\ntwo', undefined, undefined],
  ['- a\n- b|b', undefined, undefined],
  ['> a|a', undefined, undefined],
  ['| a |\n| - |\n| b‹›b |', undefined, undefined]
])('[WRITE-214] a file dropped in %j goes below a block', (before, lower, upper) => {
  const state = stateOf(before)
  const above = (isUpper: boolean): string | undefined => {
    const anchor = endAbove(state, state.selection.main.head, () => isUpper)
    return anchor === undefined ? undefined : marked(state.update({ selection: { anchor } }).state)
  }
  expect([above(false), above(true)]).toEqual([lower, upper])
})

test.each([
  ['a\n\n|', 'a\n\n![p](/p.png)\n\n|'],
  ['a\n\n|\n\nb', 'a\n\n![p](/p.png)\n\n|\n\nb'],
  ['a\n\n|\nb', 'a\n\n![p](/p.png)\n|b'],
  ['a |b', 'a ![p](/p.png)|b'],
  ['```\n|\n```', '```\n![p](/p.png)|\n```']
])('[WRITE-215] a picture pasted in %j gives %j', (before, expected) => {
  const state = stateOf(before, pastedPicture)
  expect(marked(state.update(state.replaceSelection('![p](/p.png)'), { userEvent: 'input.paste' }).state)).toBe(expected)
})

test.each([
  ['a\n\nP\n\n|\n\nb', 'a\n\n[P]\n\nb'],
  ['> P\n>\n> |\n>\n> b', '> [P]\n>\n> b'],
  ['a\n\nP\n\n|', 'a\n\nP\n\n|'],
  ['a\n\nP\n\n|\n\n', 'a\n\nP\n\n|\n\n'],
  ['a P|\n\nb', 'a P|\n\nb'],
  ['[file](/f.pdf)\n\n|\n\nb', '[file](/f.pdf)\n\n|\n\nb'],
  ['![film](/f.mp4)\n\n|\n\nb', '![film](/f.mp4)\n\n|\n\nb']
])('[WRITE-295] an added picture in %j: %j', (text, expected) => {
  const after = stateOf(text.replace('P', '![p](/p.png)'))
  const empty = EditorState.create({ extensions: [markdown(), droppedPicture] })
  const change = { changes: { from: 0, insert: after.doc }, selection: after.selection }
  const { doc, selection } = empty.update({ ...change, userEvent: 'input.upload' }).state
  const { from, to, empty: isCaret } = selection.main
  const shown = `${doc.sliceString(0, from)}${isCaret ? '|' : `[${doc.sliceString(from, to)}]`}${doc.sliceString(to)}`
  expect(shown.replace('![p](/p.png)', 'P')).toBe(expected)
  // Text that comes in another way stays as it is.
  expect(empty.update({ ...change, userEvent: 'input.paste' }).state.doc.eq(after.doc)).toBe(true)
})

test('[WRITE-213] Ctrl+Enter leaves a code block from any of its lines', () => {
  expect(after('```\na|b\nc\n```', leaveCode)).toBe('```\nab\nc\n```\n|')
  expect(after('```\na|b\nc\n```\nwords', leaveCode)).toBe('```\nab\nc\n```\n|words')
  expect(after('wor|ds', leaveCode)).toBeUndefined()
})

/** Returns the text after a key: `nothing` if the key has no effect, and undefined if other commands handle it. */
const effectIn = (before: string, effectOf: (state: EditorState) => ReturnType<typeof deleteAtCode>): string | undefined => {
  const state = stateOf(before)
  const effect = effectOf(state)
  return effect === undefined || effect === 'nothing' ? effect : marked(state.update(effect).state)
}

test.each([
  ['```\na\nb\n```\n|after', '```\na\nb|\n```\nafter'],
  ['> ```\n> a\n> ```\n|after', '> ```\n> a|\n> ```\nafter'],
  ['```\na\n```\n|', '```\na|\n```'],
  ['```\na\n```\n|\nafter', '```\na|\n```\nafter'],
  ['```js\n\n```\n|after', '|after'],
  ['- ```\n  ```\n|after', '- \n|after'],
  ['```\na\n```\n\n|after', undefined],
  ['```\na\n```\na|fter', undefined],
  ['```\na\n\n|after', undefined],
  ['before\n|```\na\n```', 'before|\n```\na\n```'],
  ['before\n\n|```\na\n```', undefined],
  ['> |```\n> a\n> ```', 'nothing']
])('[WRITE-210] Backspace outside a code block, in %j', (before, expected) => {
  expect(effectIn(before, (state) => backspaceAtCode(state, () => false))).toBe(expected)
})

test('[WRITE-210] Backspace below a block that is drawn instead of its fences never joins text with it', () => {
  const drawn = (before: string) => effectIn(before, (state) => backspaceAtCode(state, () => true))
  expect(drawn('```mermaid\na\n```\n|after')).toBe('nothing')
  expect(drawn('```mermaid\na\n```\n|')).toBeUndefined()
})

test.each([
  ['```js\n|\n```', '|'],
  ['before\n\n```\n|\n```\nafter', 'before\n\n|\nafter'],
  ['> ```\n> |\n> ```', '> |'],
  ['- ```\n  |\n  ```', '- |'],
  ['```\n|\n\n```', '|'],
  ['```\n|```', '|'],
  ['```\n|x\n```', 'nothing'],
  ['```\n|\nx\n```', 'nothing'],
  ['```\nx\n|y\n```', undefined],
  ['> ```\n> x\n> |y\n> ```', '> ```\n> x|y\n> ```'],
  ['```\nx\n|```', '```\nx|\n```'],
  ['```\n  |x\n```', undefined],
  ['```js|\nx\n```', undefined],
  ['```\n|x', 'nothing']
])('[WRITE-211] Backspace in a code block, in %j', (before, expected) => {
  expect(effectIn(before, (state) => backspaceAtCode(state, () => false))).toBe(expected)
})

test.each([
  ['```\na|\n```\nafter', 'nothing'],
  ['```\na\n```|\nafter', 'nothing'],
  ['```js|\na\n```', 'nothing'],
  ['before|\n```\na\n```', 'nothing'],
  ['> ```\n> a|\n> b\n> ```', '> ```\n> a|b\n> ```'],
  ['|\n```\na\n```', '|```\na\n```'],
  ['```\na|\nb\n```', undefined],
  ['```\na\n```|\n\nafter', undefined],
  ['```\n|a\n```', undefined],
  ['a|\nb', undefined]
])('[WRITE-210] Delete at the end of a line, in %j', (before, expected) => {
  expect(effectIn(before, deleteAtCode)).toBe(expected)
})

test.each([
  ['```js\n|\n```\nafter', '```\nx\n```', '````js\n```\nx\n```|\n````\nafter'],
  ['> ~~~\n> |a\n> ~~~', '~~~~', '> ~~~~~\n> ~~~~|a\n> ~~~~~'],
  ['```\n‹a\nb›\n```', 'c\n  ````', '`````\nc\n  ````|\n`````'],
  ['```\n|', '```\nx', '````\n```\nx|'],
  ['````\n|\n````', '```\nx\n```', '````\n```\nx\n```|\n````'],
  ['```\n|\n```', '~~~', '```\n~~~|\n```'],
  ['```\n|\n```', 'a ``` b', '```\na ``` b|\n```'],
  ['```\na\n```\n|', '```\nb\n```', '```\na\n```\n```\nb\n```|']
])('[WRITE-212] in %j, pasting %j gives %j', (before, text, expected) => {
  const state = stateOf(before, longerFences)
  expect(marked(state.update(state.replaceSelection(text), { userEvent: 'input.paste' }).state)).toBe(expected)
  expect(state.update(state.replaceSelection(text), { userEvent: 'input.type' }).newDoc.toString()).not.toContain(`\`\`\`\`js`)
})

test.each([
  ['```\nab\n```\n|', '```\n|ab\n```\n'],
  ['```\nab\n```\nwor|ds', '```\nab|\n```\nwords'],
  ['> ```\n> ab\n> ```\n|', '> ```\n|> ab\n> ```\n'],
  ['```\n```\n|', undefined],
  ['```\nab\n```\n\n|', undefined],
  ['words\nmore\n|', undefined]
])('[WRITE-72] one line up from %j', (before, expected) => {
  expect(after(before, intoCode(-1))).toBe(expected)
})

test.each([
  ['wor|ds\n```js\nabcd\n```', 'words\n```js\nabc|d\n```'],
  ['words|\n\n```\nab\n```', undefined],
  ['|\n```\nab\nc', '\n```\n|ab\nc'],
  ['> a|\n> ~~~\n> bc\n> ~~~', '> a\n> ~~~\n> b|c\n> ~~~'],
  ['|\n```\n```', undefined],
  ['```\na|\n```\n\nb', undefined],
  ['words|\nmore\nwords', undefined]
])('[WRITE-325] one line down into code from %j', (before, expected) => {
  expect(after(before, intoCode(1))).toBe(expected)
})

test.each([
  ['x\n\n| a |\n| - |\n| b |', 'x\n\n| a |\n| - |\n| b |\n\n'],
  ['| a |\n| - |\n| b |\n', '| a |\n| - |\n| b |\n\n'],
  ['| a |\n| - |\n| b |\n\n', undefined],
  ['```\nab\n```', '```\nab\n```\n'],
  ['> ~~~\n> ab\n> ~~~  ', '> ~~~\n> ab\n> ~~~  \n'],
  ['```\nab\n```\n', undefined],
  ['```\nab', undefined],
  [`> a\n\n${asked}`, `> a\n\n${asked}\n\n`],
  [`${asked}\n`, `${asked}\n\n`],
  [`${asked}\n\n`, undefined],
  [`${asked}\nwords`, undefined],
  ['```\n</details>', undefined],
  ['words', undefined]
])('[WRITE-73] [WRITE-169] text typed below the end of %j goes to the end of %j', (doc, expected) => {
  const state = EditorState.create({ doc, extensions: [markdown()] })
  const spec = belowLast(state)
  const now = spec && state.update(spec).state
  expect(now?.doc.toString()).toBe(expected)
  expect(now?.selection.main.head).toBe(expected?.length)
})

/** Returns the text with the caret after typing. The bars in the text belong to tables, so `^` marks the caret. */
function typedBelow(below: typeof belowRows, before: string, typed: string): string | undefined {
  const at = before.indexOf('^')
  const state = EditorState.create({ doc: before.slice(0, at) + before.slice(at + 1), extensions: [markdown()] })
  const spec = below(state, at, typed)
  const now = spec && state.update(spec).state
  const head = now?.selection.main.head ?? 0
  return now && `${now.doc.sliceString(0, head)}^${now.doc.sliceString(head)}`
}

test.each([
  ['| a |\n| - |\n| b |\n^', 'x', '| a |\n| - |\n| b |\n\nx^'],
  ['| a |\n| - |\n^\nwords', 'x', '| a |\n| - |\n\nx^\n\nwords'],
  ['| a |\n| - |\n ^', 'x', '| a |\n| - |\n\n x^'],
  ['| a |\n| - |\n ^\nwords', 'x', '| a |\n| - |\n\n x^\n\nwords'],
  ['> | a |\n> | - |\n^', 'x', '> | a |\n> | - |\n\nx^'],
  ['| a |\n| - |\n\n> ^', 'x', undefined],
  ['| a |\n| - |\n| b |^', 'x', '| a |\n| - |\n| b |\n\nx^'],
  ['| a |^\n| - |\n| b |', 'x', '| ax^ |\n| - |\n| b |'],
  ['| a | b |\n| - | - |\n|c|^', 'x', undefined],
  ['| a |\n| - |\n^', '|', undefined],
  ['| a |\n| - |\n\n^', 'x', undefined],
  ['words\n^', 'x', undefined]
])('[WRITE-73] below the table of %j, %j is no row', (before, typed, expected) => {
  expect(typedBelow(belowRows, before, typed)).toBe(expected)
})

test.each([
  [`${asked}\n^`, 'x', `${asked}\n\nx^`],
  [`${asked}\n^\nwords`, '|', `${asked}\n\n|^\n\nwords`],
  [`${asked}^`, 'x', `${asked}\n\nx^`],
  [`${asked}\n^`, '<', undefined],
  [asked.replace('</', '^</'), 'x', undefined],
  [`${asked}\n\n^`, 'x', undefined],
  ['```\n</details>\n^', 'x', undefined]
])('[WRITE-169] below the collapsible text of %j, %j is no HTML', (before, typed, expected) => {
  expect(typedBelow(belowTag, before, typed)).toBe(expected)
})

test.each([
  ['a [wo|rds](https://a.example/x) b', 'https://a.example/x', 'a words b'],
  ['a [words](<https://a.example/x y>)| b', 'https://a.example/x y', 'a words b'],
  ['see https://a.exa|mple now', 'https://a.example', 'see https://a.example now'],
  ['a |b [words](/x)', undefined, undefined],
  ['![pic|ture](/x)', undefined, undefined],
  ['![picture](/|x)', undefined, undefined]
])('[WRITE-49] the link in %j leads to %s', (before, address, without) => {
  const state = stateOf(before)
  const link = linkAt(state, state.selection.main.head)
  expect(link && addressOf(state, link)).toBe(address)
  expect(link && state.update({ changes: withoutLink(state, link) }).state.doc.toString()).toBe(without)
})

test('[WRITE-330] addresses of this service can be opened; other relative addresses, and those of other services without a scheme, cannot', () => {
  const own = ['/d/abcdefghijkl', '/d/abcdefghijkl?key=x#part', '/pub/abcdefghijkl', '/f/abc.png', '/docs/markdown']
  expect(own.map(safeAddress)).toEqual(own)
  for (const other of ['notes.md', '../d/abc', './d/x', '/etc/notes.md', '/api/docs/abc', '//d/x', '/\\d/x', '#part', 'd/abc', ''])
    expect(safeAddress(other), other).toBeUndefined()
})

test('[WRITE-49] addresses that could run code are not opened; characters that would break a link are bracketed', () => {
  expect(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///x', ' javascript:x'].map(safeAddress)).toEqual(
    Array.from({ length: 5 }, () => undefined)
  )
  expect(safeAddress('https://a.example')).toBe('https://a.example')
  expect([asTarget('https://a.example/x'), asTarget('a b(c)'), asTarget('<x>')]).toEqual(['https://a.example/x', '<a b(c)>', '<x>'])
})

test.each([
  ['see [[Plan', 4, { from: 4, to: 10 }],
  ['see [[Plan]] b', 4, { from: 4, to: 12 }],
  // Others have written text before the brackets, or the person has written text after them.
  ['They wrote. see [[Plan b', 4, { from: 16, to: 22 }],
  // The nearest of two places is found.
  ['[[Plan a [[Plan b', 9, { from: 9, to: 15 }],
  ['[[Plan and more [[Plan', 3, { from: 0, to: 6 }],
  ['see [[Pl', 4, undefined]
])('[WRITE-94] the link to a new document takes the place of its words in %j', (text, near, place) => {
  expect(bracketsNear(text, 'Plan', near)).toEqual(place)
})

test('[WRITE-153] [WRITE-169] the menu after a slash inserts collapsible text, which pages show folded', () => {
  expect([slashMenu.includes('insert.details'), namesOf(commandOf('insert.details'))]).toEqual([
    true,
    expect.arrayContaining(['Collapsible text', 'toggle details'])
  ])
  let state = EditorState.create({ doc: '' })
  const dispatch = (spec: TransactionSpec): void => void (state = state.update(spec).state)
  const view = {
    get state() {
      return state
    },
    dispatch
  }
  expect(inserts.details(view as unknown as EditorView)).toBe(true)
  expect(state.doc.toString()).toMatch(/<\/details>\n\n$/)
  const { main } = state.selection
  expect(state.sliceDoc(main.from, main.to)).toBe('Summary')
  expect(createRenderer({}).render(state.doc.toString()).html.replaceAll('\n', '')).toMatch(
    /^<details[^>]*><summary[^>]*>Summary<\/summary><\/details>$/
  )
})

test('[WRITE-50] a link to a document has its title as its words, no matter what is in it', () => {
  expect(linkTo({ title: 'A [draft] \\ of\nit', address: 'http://x/d/1' })).toBe('[A \\[draft\\] \\\\ of it](http://x/d/1)')
})

test.each([
  ['a ![cat|](/f/a.png) b', { width: 300, caption: '' }, 'a ![cat||300](/f/a.png) b'],
  ['a ![c|at](/f/a.png) b', { width: 300.4, caption: ' Two\n"words" ' }, 'a ![cat|300](/f/a.png "Two \\"words\\"") b'],
  ["![ca|t](/f/a.png  'x')", { width: undefined, caption: 'y' }, '![cat](/f/a.png "y")'],
  ['![ca|t](/f/a.png "x")', { width: 9, caption: '' }, '![cat|16](/f/a.png)'],
  ['![](/f/|a.png)', { width: 9999, caption: '' }, '![|2000](/f/a.png)']
])('[WRITE-51] the picture of %j with %j', (before, wanted, expected) => {
  const first = before.indexOf('|')
  const state = EditorState.create({ doc: before.replace('|', ''), selection: { anchor: first }, extensions: [markdown()] })
  const picture = pictureAt(state, first)
  if (picture === undefined) throw new Error('no picture')
  const now = state.update({ changes: pictureChanges(picture, wanted) }).state
  expect(now.doc.toString()).toBe(expected.replace('||', '|'))
  // The value can be read back, and writing it again changes nothing.
  const again = pictureAt(now, first)
  expect(again && pictureChanges(again, again)).toEqual([])
})

test.each([
  ['![ca|t](/f/a.png)', ' A [black]\n cat ', '![A \\[black\\] cat](/f/a.png)'],
  ['![c|at|300](/f/a.png "x")', 'dog', '![dog|300](/f/a.png "x")'],
  ['![c|at](/f/a.png)', 'a \\ and \\', '![a \\ and \\\\](/f/a.png)'],
  ['![a \\[b|\\] c](/f/a.png)', 'a [b] c', '![a \\[b\\] c](/f/a.png)'],
  ['![|cat](/f/a.png)', '', '![](/f/a.png)']
])('[WRITE-150] the picture of %j with the alternative text %j', (before, words, expected) => {
  const first = before.indexOf('|')
  const state = EditorState.create({ doc: before.replace('|', ''), selection: { anchor: first }, extensions: [markdown()] })
  const picture = pictureAt(state, first)
  if (picture === undefined) throw new Error('no picture')
  const now = state.update({ changes: pictureChanges(picture, { ...picture, words }) }).state
  expect(now.doc.toString()).toBe(expected)
  const again = pictureAt(now, first)
  expect(again && pictureChanges(again, { ...again, words })).toEqual([])
})

test('[GRID-22] the bars of a picture in a cell do not divide the cell', () => {
  const at = (doc: string): [EditorState, PictureAt] => {
    const state = EditorState.create({ doc, extensions: [markdown()] })
    const picture = pictureAt(state, doc.indexOf('!') + 2)
    if (picture === undefined) throw new Error('no picture')
    return [state, picture]
  }
  const doc = '| a |\n| - |\n| ![cat](/f/a.png) |'
  const [state, picture] = at(doc)
  const now = state.update({ changes: pictureChanges(picture, { words: 'x|y', width: 300, caption: 'p|q' }) }).state.doc.toString()
  expect(now).toBe('| a |\n| - |\n| ![x\\|y\\|300](/f/a.png "p\\|q") |')
  expect(pictureWords('x|y|300')).toEqual({ words: 'x|y', width: 300 })
  const [, again] = at(now)
  expect([alternativeWords(again), again.width, again.caption]).toEqual(['x|y', 300, 'p|q'])
  expect(pictureChanges(again, { words: 'x|y', width: 300, caption: 'p|q' })).toEqual([])
})

test.each([
  ['![c](/a.png)', '![c|300](/a.png "x")\n\n^'],
  ['![c](/a.png)\n', '![c|300](/a.png "x")\n\n^'],
  ['> ![c](/a.png)', '> ![c|300](/a.png "x")\n>\n> ^'],
  ['![c](/a.png)\n\n\nnext', '![c|300](/a.png "x")\n\n\n^next'],
  ['![c](/a.png)\n\nnext', '![c|300](/a.png "x")\n\n^next'],
  ['> ![c](/a.png)\n>\n> next', '> ![c|300](/a.png "x")\n>\n> ^next'],
  ['> ![c](/a.png)\n\nnext', '> ![c|300](/a.png "x")\n\n^next'],
  ['![c](/a.png)\n\n| a |\n| - |', '![c|300](/a.png "x")\n\n^\n\n| a |\n| - |'],
  ['![c](/a.png)\n\n## Next', '![c|300](/a.png "x")\n\n^\n\n## Next'],
  ['![c](/a.png)\n\n- one', '![c|300](/a.png "x")\n\n^\n\n- one'],
  ['![c](/a.png)\n\n```board\n## A\n```', '![c|300](/a.png "x")\n\n^\n\n```board\n## A\n```'],
  ['![c](/a.png)\n\n![d](/b.png)', '![c|300](/a.png "x")\n\n^\n\n![d](/b.png)'],
  ['![c](/a.png)\n\n\n', '![c|300](/a.png "x")\n\n^\n'],
  ['![c](/a.png)\nnext', '![c|300](/a.png "x")\n^next'],
  ['a ![c](/a.png) b', 'a ![c|300](/a.png "x")^ b']
])('[WRITE-80] after the picture of %j was saved', (doc, expected) => {
  const state = EditorState.create({ doc, extensions: [markdown()] })
  const picture = pictureAt(state, doc.indexOf('!') + 2)
  if (picture === undefined) throw new Error('no picture')
  const now = state.update(pictureSaved(state, picture, { width: 300, caption: 'x' })).state
  const { head } = now.selection.main
  expect(`${now.doc.sliceString(0, head)}^${now.doc.sliceString(head)}`).toBe(expected)
})

test.each([
  // The picture is alone, above text, in a list, or within a line. The second text is the result of typing a letter.
  ['‹![c](/a.png)›', '![c](/a.png)\n\nx|'],
  ['‹![c|9](/a.png "t")›\n\nnext', '![c|9](/a.png "t")\n\nx|\n\nnext'],
  ['> ‹![c](/a.png)›', '> ![c](/a.png)\n>\n> x|'],
  ['- ‹![c](/a.png)›', '- ![c](/a.png)x|'],
  ['a ‹![c](/a.png)› b', 'a ![c](/a.png)x| b'],
  ['| ‹![c](/a.png)› |\n| - |', '| ![c](/a.png)x| |\n| - |']
])('[WRITE-104] a letter typed on the selected picture of %j', (before, expected) => {
  const [from, to] = [before.indexOf('‹'), before.indexOf('›') - 1]
  const state = EditorState.create({
    doc: before.replaceAll(/[‹›]/g, ''),
    selection: { anchor: from, head: to },
    extensions: [markdown(), EditorState.transactionFilter.of((transaction) => typedAfter(transaction) ?? transaction)]
  })
  expect(chosenPicture(state)).toMatchObject({ from, to })
  const typed = state.update({ changes: { from, to, insert: 'x' }, selection: { anchor: from + 1 }, userEvent: 'input.type' }).state
  const { head } = typed.selection.main
  expect(`${typed.doc.sliceString(0, head)}|${typed.doc.sliceString(head)}`).toBe(expected)
  // Any other change replaces the picture, and deleting it leaves none of its text.
  expect(state.update({ changes: { from, to }, userEvent: 'delete.selection' }).state.doc.toString()).not.toContain('a.png')
})

test('[WRITE-104] only a whole picture is selected as one, and arrows leave it only when it stands alone', () => {
  const at = (doc: string, anchor: number, head: number): EditorState =>
    EditorState.create({ doc, selection: { anchor, head }, extensions: [markdown()] })
  const doc = 'a\n\n![c](/a.png)\n\nb ![c](/b.png)'
  const alone = at(doc, 15, 3)
  expect(chosenPicture(alone)).toBeDefined()
  expect([beyond(alone, -1), beyond(alone, 1)]).toEqual([2, 16])
  for (const [anchor, head] of [
    [3, 14],
    [4, 15],
    [2, 15],
    [3, 3]
  ] as const)
    expect(chosenPicture(at(doc, anchor, head))).toBeUndefined()
  const inline = at(doc, doc.indexOf('![c](/b'), doc.length)
  expect(chosenPicture(inline)).toBeDefined()
  expect([beyond(inline, -1), beyond(inline, 1)]).toEqual([undefined, undefined])
})

test.each([
  ['well :smile|', 'well 😄|'],
  [':+1|', '👍|'],
  ['(:tada|)', '(🎉|)'],
  ['a:smile|', undefined],
  ['at 10:30|', undefined],
  [':nothing_like_it|', undefined],
  ['`:smile|`', undefined],
  ['```\n:smile|\n```', undefined]
])('[WRITE-81] a colon typed after %j', (before, expected) => {
  const state = stateOf(before)
  const spec = emojiTyped(state, state.selection.main.head)
  expect(spec && marked(state.update(spec).state)).toBe(expected)
})

test.each([
  // Each row has the displayed width, the written width, the column, the change, and the resulting width.
  [300, undefined, 600, 40, 340],
  [300, undefined, 600, 0, undefined],
  [300, 300, 600, -400, 16],
  [300, 300, 600, 900, 600],
  [1990, 1990, 3000, 900, 2000],
  // A picture of 800 pixels is displayed 320 pixels wide on a phone. Widening it there does not make it narrower for others.
  [320, 800, 320.5, 50, 800],
  [320, 800, 320.5, -20, 300]
])('[WRITE-84] a picture drawn %d wide, written %s, in a column of %d, changed by %d', (shown, written, column, by, expected) => {
  expect(widthAfter({ shown, written, column }, by)).toBe(expected)
})

test('[WRITE-84] arrows change the width by ten pixels, with Shift by one', () => {
  expect([stepOf('ArrowRight', false), stepOf('ArrowDown', false), stepOf('ArrowLeft', true), stepOf('a', false)]).toEqual([
    10,
    -10,
    -1,
    undefined
  ])
})

test('[WRITE-84] a width is written after the words of a picture, which stay; it follows its picture through edits by others', () => {
  const doc = 'a ![one](/1.png "Two  words")![two|40](/2.png)'
  const state = EditorState.create({ doc, extensions: [markdown()] })
  const [one, two] = [2, doc.lastIndexOf('!')]
  const picture = pictureFrom(state, one)
  if (picture === undefined) throw new Error('no picture')
  expect(state.update({ changes: widthChanges(picture, 300) }).state.doc.toString()).toBe(
    'a ![one|300](/1.png "Two  words")![two|40](/2.png)'
  )
  expect(widthChanges(picture, 300)).toEqual([{ from: picture.written.to, to: picture.written.to, insert: '|300' }])
  expect(pictureFrom(state, two)?.width).toBe(40)
  expect(pictureFrom(state, one + 1)).toBeUndefined()
  const address = addressWritten(state, picture)
  const moved = state.update({ changes: { from: 0, insert: 'more ' } }).state
  expect(samePicture(moved, one + 5, address)?.from).toBe(one + 5)
  // The first picture is deleted, and the second one takes its place.
  const without = state.update({ changes: { from: one, to: two } }).state
  expect(pictureFrom(without, one)).toBeDefined()
  expect(samePicture(without, one, address)).toBeUndefined()
})

test('[WRITE-86] the styles of the reading view and of published pages say in both languages that an image is missing', () => {
  const rules = readFileSync(join(import.meta.dirname, '../web/style/prose.css'), 'utf8')
  expect(rules).toMatch(/^img::after \{[^}]*content: '[^']+' attr\(alt\);/m)
  expect(rules).toMatch(/^img:lang\(de\)::after \{[^}]*content: '[^']+' attr\(alt\);/m)
  // The alternative text covers the browser's icon.
  expect(rules).toMatch(/^img::before \{\s+position: absolute;\s+inset: 0;/m)
})

test('[WRITE-51] sound and video have neither size nor caption', () => {
  const state = stateOf('![so|und](/f/a.mp3)')
  expect(pictureAt(state, state.selection.main.head)).toBeUndefined()
})

test('[WRITE-74] the first words of the text come after the marks of their line; code, tables and pictures have none', () => {
  const at = (marked: string): string => {
    const text = marked.replace('|', '')
    const place = firstPlace(Text.of(text.split('\n')))
    return place === undefined ? 'none' : `${text.slice(0, place)}|${text.slice(place)}`
  }
  for (const marked of [
    '|',
    '|words',
    '# |Title\n\nwords',
    '\n\n## |Title',
    '> - |item',
    '- [ ] |task',
    '1. |one',
    '---\ntitle: A\n---\n\n# |Title',
    '---\n\n|words',
    '|**bold**'
  ])
    expect(at(marked)).toBe(marked)
  // In this file, `|` usually marks the caret. Tables contain this character, so this function takes text without a caret.
  const ofBlock = (text: string): number | undefined => firstPlace(Text.of(text.split('\n')))
  expect(ofBlock('```js\na\n```\n\nwords')).toBeUndefined()
  expect(ofBlock('| a |\n| - |\n| b |\n\nwords')).toBe(19)
  expect(ofBlock('![a](/b)\n\nwords')).toBe(10)
  expect(ofBlock('<div>\nmore\n</div>\n\nwords')).toBe(19)
})

test.each([
  ['- item wo|rds', '- |item words'],
  ['- |item', '- |item'],
  ['|- item', '- |item'],
  ['- a\n  - [x] wor|ds', '- a\n  - [x] |words'],
  ['12. wor|ds', '12. |words'],
  ['## He|ad', '## |Head'],
  ['> - quo|ted', '> - |quoted'],
  ['> a\n> b|', '> a\n> |b'],
  ['> ```\n>   co|de\n> ```', '> ```\n> |  code\n> ```'],
  ['- |', '- |'],
  ['wor|ds', undefined],
  ['Head\n---|', undefined],
  ['```\n- co|de\n```', undefined],
  ['    - co|de', undefined]
])('[WRITE-100] Home in %j', (before, expected) => {
  const state = stateOf(before)
  const { head } = state.selection.main
  const to = homeOf(state, head, state.doc.lineAt(head).from)
  expect(to === undefined ? undefined : marked(state.update({ selection: { anchor: to } }).state)).toBe(expected)
})

test('[WRITE-100] in a lower row of a long line, Home moves to the beginning of that row first', () => {
  const state = stateOf('- many words')
  expect([homeOf(state, 10, 7), homeOf(state, 7, 7), homeOf(state, 2, 0)]).toEqual([undefined, 2, 2])
})

test.each([
  ['- item', '- |item', '- |item'],
  ['a\n- [ ] task', 'a\n- [ ] |task', 'a|\n- [ ] task'],
  ['a\n  1. words', 'a\n  1. |words', 'a|\n  1. words'],
  ['a\n\n## Head', 'a\n\n## |Head', 'a\n|\n## Head'],
  ['> a\n> - quoted', '> a\n> - |quoted', '> a|\n> - quoted']
])('[WRITE-332] the caret on the last line of %j', (text, words, above) => {
  const line = text.lastIndexOf('\n') + 1
  const first = words.indexOf('|')
  const moved = (from: number, anchor: number, userEvent = 'select'): string => {
    const { state } = stateOf(`|${text}`, lineWords).update({ selection: { anchor: from } })
    return marked(state.update({ selection: { anchor }, userEvent }).state)
  }
  for (let anchor = line; anchor <= first; anchor++) {
    expect([moved(text.length, anchor), moved(first, anchor, 'select.pointer')]).toEqual([words, words])
    if (anchor < first) expect(moved(first, anchor)).toBe(above)
  }
  const selected = stateOf(`|${text}`, lineWords).update({ selection: { anchor: text.length, head: line }, userEvent: 'select' }).state
  expect(selected.selection.main.head).toBe(line)
})

test('[WRITE-100] Home, and Cmd-Left on a Mac, move the caret, and select with Shift', () => {
  const state = stateOf('- wo|rds', lineWords)
  const after = (run: Command | undefined): unknown => {
    let moved: EditorState = state
    const dispatch = (...specs: TransactionSpec[]): void => void (moved = state.update(...specs).state)
    const view = { state, dispatch, textDirectionAt: () => Direction.LTR, moveToLineBoundary: () => ({ head: 0 }) }
    run?.(view as unknown as EditorView)
    return [moved.selection.main.anchor, moved.selection.main.head]
  }
  expect(
    state
      .facet(keymap)
      .flat()
      .map(({ key, mac, run, shift }) => [key, mac, after(run), after(shift)])
  ).toEqual([
    ['Home', undefined, [2, 2], [4, 2]],
    [undefined, 'Cmd-ArrowLeft', [2, 2], [4, 2]]
  ])
})

test.each([
  ['- first\n- sec|ond\n- third', '- first\n- ‹second›\n- third'],
  ['# He|ad #\n', '# ‹Head› #\n'],
  ['> - [ ] to| do\n', '> - [ ] ‹to do›\n'],
  ['one\nwor|ds\n', 'one\n‹words›\n'],
  ['```\n- co|de\n```', '```\n‹- code›\n```']
])('[WRITE-101] a triple click in %j', (before, expected) => {
  const state = stateOf(before)
  const { head } = state.selection.main
  expect(marked(state.update({ selection: EditorSelection.create([linesBetween(state, head, head)]) }).state)).toBe(expected)
})

test('[WRITE-101] three presses of the main button select in the same way', () => {
  const state = stateOf('- first|\n- second', lineWords)
  const view = { state, posAtCoords: ({ x }: { x: number }) => x } as unknown as EditorView
  const event = (fields: object): MouseEvent => ({ detail: 3, button: 0, clientX: 4, clientY: 0, ...fields }) as MouseEvent
  const [style] = state.facet(EditorView.mouseSelectionStyle)
  const pressed = style?.(view, event({}))
  expect(pressed?.get(event({ clientX: 12 }), false, false).main.toJSON()).toEqual({ anchor: 2, head: 16 })
  for (const other of [{ detail: 1 }, { button: 2 }, { shiftKey: true }]) expect(style?.(view, event(other))).toBe(null)
})

test('[WRITE-101] a double click selects the word under its first press, and a drag adds whole words', () => {
  const view = { state: stateOf('one two three| four', lineWords), posAtCoords: ({ x }: { x: number }) => x } as unknown as EditorView
  const event = (detail: number, clientX: number): MouseEvent => ({ detail, button: 0, clientX, clientY: 0 }) as MouseEvent
  const [style] = view.state.facet(EditorView.mouseSelectionStyle)
  expect(style?.(view, event(1, 5))).toBe(null)
  const second = event(2, 10)
  const pressed = style?.(view, second)
  expect(pressed?.get(second, false, false).main.toJSON()).toEqual({ anchor: 4, head: 7 })
  expect(pressed?.get(event(2, 16), false, false).main.toJSON()).toEqual({ anchor: 4, head: 18 })
  expect(pressed?.get(event(2, 1), false, false).main.toJSON()).toEqual({ anchor: 7, head: 0 })
})

test('[WRITE-101] a drag after a triple click selects whole lines, in both directions', () => {
  const state = stateOf('- first|\n- second\n- third')
  const range = (from: number, to: number) => [linesBetween(state, from, to).anchor, linesBetween(state, from, to).head]
  expect([range(4, 20), range(20, 4)]).toEqual([
    [2, 24],
    [24, 2]
  ])
})

test.each([
  ['‹- second item\n›- third', '- [second item](|)\n- third'],
  ['‹# Head\n›', '# [Head](|)\n'],
  ['a\n‹ words \n›b', 'a\n [words](|) \nb'],
  ['- a ‹b\n- c›', '- a [b](|)\n- c'],
  ['> a ‹b\n> c\n> ›', '> a [b\n> c](|)\n> '],
  ['‹\n\n> q›', '\n\n> [q](|)']
])('[WRITE-101] a link of %j', (before, expected) => {
  let state = stateOf(before)
  state = EditorState.create({ doc: state.doc, selection: state.selection, extensions: [markdown(), linkOfWords] })
  insertLink({ state, dispatch: (transaction) => void (state = transaction.state) })
  expect(marked(state)).toBe(expected)
})

test('[WRITE-102] Tab stays in text that a person writes, and tells once how to leave it', () => {
  const told: string[] = []
  const extensions = (isReader: boolean) => [keepTab((words) => told.push(words)), EditorState.readOnly.of(isReader)]
  const press = (state: EditorState): (boolean | undefined)[] => {
    const [binding] = state.facet(keymap).flat()
    return [binding?.run?.({ state } as EditorView), binding?.shift?.({ state } as EditorView)]
  }
  const writer = EditorState.create({ doc: 'words', extensions: extensions(false) })
  expect([press(writer), press(writer)].flat()).toEqual([true, true, true, true])
  expect(told).toEqual(['Press Esc, then Tab to leave the text.'])
  const reader = EditorState.create({ extensions: extensions(true) })
  expect(press(reader)).toEqual([false, false])
  const attributes = [writer, reader].map((state) =>
    state.facet(EditorView.contentAttributes).map((each) => (typeof each === 'function' ? each({ state } as EditorView) : each))
  )
  expect(attributes).toEqual([[{ 'aria-description': told[0] }], [null]])
  // Nobody has moved the caret of a page that was just opened.
  expect(press(EditorState.create({ extensions: [extensions(false), resting] }))).toEqual([false, false])
})

test('[WRITE-103] copied HTML has absolute addresses and the mark of the editor, which its paste recognizes', () => {
  const render = (text: string) => wrapped(createRenderer({}).render(text).html)
  expect(render('one **bold**\n')).toMatch(/^<span data-agmd-copy>one <strong>bold<\/strong><\/span>$/)
  expect(render('- a\n- b\n')).toMatch(/^<div data-agmd-copy><ul>/)
  expect(render('a\n\nb\n')).toMatch(/^<div data-agmd-copy><p>a<\/p>/)
  // Browsers add frames around the HTML and write the attribute with a value.
  expect(isOwnCopy('<html><body><!--StartFragment--><div data-agmd-copy=""><p>a</p></div>')).toBe(true)
  expect(isOwnCopy('<p>data-agmd-copy</p>')).toBe(false)
  const base = 'https://notes.example/d/a1'
  expect(['/a/1.png', '#part', 'https://b.example/', 'mailto:a@b.example'].map((address) => absolute(address, base))).toEqual([
    'https://notes.example/a/1.png',
    'https://notes.example/d/a1#part',
    'https://b.example/',
    'mailto:a@b.example'
  ])
})

test.each([
  ['‹›| A | B |\n| - | - |\n| c | d |', '| XA | B |\n| - | - |\n| c | d |'],
  ['| A | B |\n| - | - |\n‹›| c | d |', '| A | B |\n| - | - |\n| Xc | d |'],
  ['| A | B |\n| - | - |\n| c | d |‹›', '| A | B |\n| - | - |\n| c | dX |'],
  ['| A | B |\n| - | - |\n| c‹› | d |', '| A | B |\n| - | - |\n| cX | d |'],
  ['‹›words', 'Xwords']
])('[WRITE-109] a letter typed in %j', (before, expected) => {
  const state = stateOf(before, typeInCell)
  const { head } = state.selection.main
  const typed = state.update({ changes: { from: head, insert: 'X' }, selection: { anchor: head + 1 }, userEvent: 'input.type' })
  expect(typed.state.doc.toString()).toBe(expected)
  expect(typed.state.sliceDoc(0, typed.state.selection.main.head).endsWith('X')).toBe(true)
  const bar = state.update({ changes: { from: head, insert: '|' }, selection: { anchor: head + 1 }, userEvent: 'input.type' })
  expect(bar.state.doc.toString()).toBe(before.replace('‹›', '|'))
})

test.each([
  ['one **‹two›** three', ['bold']],
  ['one ‹**two**› three', ['bold']],
  ['one ***‹two›***', ['bold', 'italic']],
  ['~~a [b **‹c›**](/d)~~', ['bold', 'link', 'strikethrough']],
  ['one **two ‹three** four›', []],
  ['**one ‹›two**', ['bold']],
  ['**one**‹›', []],
  ['`c‹o›de` ==x==', ['code']]
])('[WRITE-112] the formats of %j', (text, expected) => {
  expect([...formatsAt(stateOf(text))].toSorted()).toEqual(expected)
})

/** Text that a person types without a pause. Returns the text that each undo step leaves, the latest first. */
function undone(...typed: readonly (readonly [words: string, event?: string])[]): string[] {
  const text = new Y.Doc().getText()
  const undo = new Y.UndoManager(text, { captureTimeout: Infinity })
  const note = typingSteps(undo)
  let state = EditorState.create()
  for (const [words, event = 'input.type'] of typed) {
    // An event of its own counts as one change, and letters are typed one by one.
    for (const insert of event === 'input.type' ? words : [words]) {
      const transaction = state.update({ changes: { from: state.doc.length, insert }, userEvent: event })
      note(transaction)
      text.insert(text.length, insert)
      state = transaction.state
    }
  }
  const whole = text.toString()
  const left: string[] = []
  while (undo.undo() !== null) left.push(text.toString())
  const again = left.toReversed().slice(1)
  const redone = again.map(() => {
    undo.redo()
    return text.toString()
  })
  undo.redo()
  expect([redone, text.toString()]).toEqual([again, whole])
  return left
}

test('[WRITE-118] an undo step ends at Enter, at the next word after 20 letters, and after 60 letters without a space', () => {
  expect(undone(['A person writes this whole paragraph quickly'])).toEqual(['A person writes this ', ''])
  expect(undone(['Title'], ['\n', 'input'], ['\n', 'input'], ['Words'])).toEqual(['Title\n\n', ''])
  expect(undone(['- a'], ['\n- ', 'input'], ['b'])).toEqual(['- a\n- ', ''])
  expect(undone(['x'.repeat(130)])).toEqual(['x'.repeat(120), 'x'.repeat(60), ''])
  // Changes by commands end no step. The commands do that themselves.
  expect(undone(['x'.repeat(70), 'input.paste'], ['y', 'input.complete'])).toEqual([''])
})

test('[WRITE-216] a new link with its address is one undo step, even after a pause', () => {
  const text = new Y.Doc().getText()
  const undo = new Y.UndoManager(text)
  const note = typingSteps(undo)
  let state = stateOf('see ‹so›', slots)
  text.insert(0, state.doc.toString())
  const apply = (transaction: Transaction): void => {
    // A pause ends the step.
    undo.stopCapturing()
    note(transaction)
    const changes: [number, number, string][] = []
    transaction.changes.iterChanges((from, to, _from, _to, inserted) => changes.unshift([from, to - from, inserted.toString()]))
    text.doc?.transact(() => {
      for (const [from, length, insert] of changes) {
        text.delete(from, length)
        text.insert(from, insert)
      }
    })
    state = transaction.state
  }
  insertLink({ state, dispatch: apply })
  apply(state.update(state.replaceSelection('example.'), { userEvent: 'input.paste' }))
  apply(state.update(state.replaceSelection('org'), { userEvent: 'input.type' }))
  leaveSlot({ state, dispatch: apply })
  apply(state.update(state.replaceSelection('!'), { userEvent: 'input.type' }))
  expect(text.toString()).toBe('see [so](https://example.org)!')
  undo.undo()
  expect(text.toString()).toBe('see [so](https://example.org)')
  undo.undo()
  expect(text.toString()).toBe('see so')
})

test('[WRITE-118] an undo step never ends within a composition', () => {
  const composed = ['input.type.compose.start', ...Array.from({ length: 70 }, () => 'input.type.compose')]
  expect(undone(...composed.map((event) => ['ね', event] as const), ['ね', 'input.type.compose.start'])).toEqual(['ね'.repeat(71), ''])
})

test.each([
  ['one\\\ntwo|', ['\\']],
  ['one\\|\ntwo', []],
  ['one\\\n|two', ['\\']],
  ['one  \ntwo|', []]
])('[WRITE-119] the live view of %j hides %j', (before, expected) => {
  const state = stateOf(before)
  const { main } = state.selection
  const live = decorateRange(state, { from: 0, to: state.doc.length }, [main])
  expect(live.hidden.map(({ from, to }) => state.sliceDoc(from, to))).toEqual(expected)
})

test('[WRITE-149] a new table has empty cells', () => {
  expect(after('|', insertTable as unknown as StateCommand)).toBe('| | |  |\n| --- | --- |\n|  |  |\n')
})

test.each([
  ['- a\n- |', '- a\n\n| '],
  ['- a\n- [ ] |\n- b', '- a\n\n| '],
  ['1. |', '| '],
  ['- a|', '- a\n\n| '],
  ['> - |', '> - \n\n| ']
])('[WRITE-120] a table inserted in %j', (before, expected) => {
  const made = after(before, insertTable as unknown as StateCommand)
  expect(made?.slice(0, made.indexOf('---') - 2)).toBe(`${expected}| |  |\n`)
})

test.each([
  ['a **‹word›** b', 'a | b'],
  ['a **‹word**› b', 'a | b'],
  ['a *w|* b', 'a | b'],
  ['~~w|~~', '|'],
  ['==w|==', '|'],
  ['a `` ‹`› `` b', 'a | b'],
  ['`‹x› y`', '`| y`'],
  ['`w|`', '|'],
  ['H~2|~O', 'H|O'],
  ['***w|***', '|'],
  ['**a *w|***', '**a |**'],
  ['‹a **b› c** d', '| c** d'],
  ['‹a **b›** c', '| c'],
  ['**‹a** b *c›*', '|'],
  ['**wo|rd**', '**w|rd**'],
  ['| a | **w|** |\n| - | - |', '| a | | |\n| - | - |']
])('[WRITE-123] deleting in %j gives %j', (before, expected) => {
  const at = before.startsWith('| a') ? before.indexOf('w|') + 1 : -1
  const state =
    at < 0
      ? stateOf(before, emptyMarks)
      : EditorState.create({ doc: before.replace('w|', 'w'), selection: { anchor: at }, extensions: [markdown(), emptyMarks] })
  const { from, to, empty } = state.selection.main
  const changes = { from: empty ? from - 1 : from, to }
  expect(marked(state.update({ changes, userEvent: 'delete.backward' }).state)).toBe(expected)
  // Other changes, such as those by other people, leave marks alone.
  expect(state.update({ changes }).newDoc.length).toBe(state.doc.length - (to - changes.from))
})

test.each([
  ['a **‹word›** b', '', 'a **new|** b'],
  ['a ‹**word**› b', '', 'a **new|** b'],
  ['a **‹word**› b', ' ', 'a  **new|** b'],
  ['==‹w›==', '', '==new|=='],
  ['`‹w›`', '', '`new|`'],
  ['***‹w›***', '', '***new|***'],
  ['**a *‹w›***', '', '**a *new|***'],
  ['**‹a** b *c›*', '', 'new|'],
  ['a ‹**word** b›', '', 'a new|']
])('[WRITE-133] in %j, text that is typed after a deletion, and after %j, gives %j', (before, first, expected) => {
  let state = stateOf(before, [emptyMarks, marking])
  state = state.update({ ...state.replaceSelection(''), userEvent: 'delete.selection' }).state
  for (const text of [first, 'n', 'e', 'w']) state = state.update({ ...state.replaceSelection(text), userEvent: 'input.type' }).state
  expect(marked(state)).toBe(expected)
})

test('[WRITE-133] a caret that has moved after the deletion types plain text', () => {
  let state = stateOf('a **‹word›** b', [emptyMarks, marking])
  state = state.update({ ...state.replaceSelection(''), userEvent: 'delete.cut' }).state
  expect([...formatsAt(state)]).toEqual(['bold'])
  for (const anchor of [0, 2]) state = state.update({ selection: { anchor }, userEvent: 'select' }).state
  expect(marked(state.update({ ...state.replaceSelection('x'), userEvent: 'input.type' }).state)).toBe('a x| b')
})

test('[WRITE-123] the marks belong to the same undo step and to the same suggestion as the text', () => {
  let state = stateOf('a **‹word›** b', [emptyMarks, history()])
  const transaction = state.update({ ...state.replaceSelection(''), userEvent: 'delete.cut' })
  expect(hunksOf(state.doc, transaction.changes)).toMatchObject([{ original: '**word**', text: '' }])
  state = transaction.state
  undo({ state, dispatch: (undone) => (state = undone.state) })
  expect(marked(state)).toBe('a **‹word›** b')
})

test('[WRITE-123] text that is typed over formatted text keeps its marks', () => {
  const state = stateOf('**‹word›**', emptyMarks)
  expect(state.update({ ...state.replaceSelection('x'), userEvent: 'input.type' }).newDoc.toString()).toBe('**x**')
})

test.each([
  [asked, ['Why *so*?']],
  [`a\n\n<DETAILS open> <summary>b</summary>  \n\nc\n</details>\n\n${asked}\n`, ['b', 'Why *so*?']],
  [`<details>\n<summary>Outer</summary>\n\n${asked}\n\n</details>`, ['Outer', 'Why *so*?']],
  [`> ${asked.replaceAll('\n', '\n> ')}`, ['Why *so*?']],
  [asked.replace('</details>', ''), []],
  [asked.replace('<details>', '<details>b'), []],
  [asked.replace('</summary>', '</summary>b'), undefined],
  [asked.replace('<summary>', '\n<summary>'), undefined]
])('[WRITE-165] the collapsible text in %j', (text, expected) => {
  const doc = Text.of(text.split('\n'))
  const words = collapsiblesIn(doc).map((part) => doc.sliceString(part.words.from, part.words.to))
  expect(words).toEqual(expected ?? [])
  // The reading view has the same, with a default summary for text without one.
  const [, ...drawn] = createRenderer({})
    .render(text)
    .html.split(/<summary>(?=.*<\/summary>)/)
  expect(drawn).toHaveLength(expected?.length ?? 1)
})

test('[WRITE-165] collapsible text keeps its place through changes, whether they touch its tags or not', () => {
  const state = EditorState.create({ doc: `Words\n\n${asked}\n\nMore` })
  const parts = collapsiblesIn(state.doc)
  for (let from = 0; from <= state.doc.length; from++)
    for (const [length, insert] of [
      [0, 'x'],
      [0, '\n'],
      [1, ''],
      [3, ''],
      [0, asked]
    ] as const) {
      const { changes, newDoc } = state.update({ changes: { from, to: Math.min(from + length, state.doc.length), insert } })
      const now = mayChangeTags(changes, state.doc, newDoc) ? collapsiblesIn(newDoc) : parts.map((part) => moved(part, changes))
      expect(now).toEqual(collapsiblesIn(newDoc))
    }
})

test('[WRITE-165] find and replace leave out the tags of collapsible text', () => {
  const state = EditorState.create({
    doc: asked,
    extensions: [markdown(), EditorView.editorAttributes.of({ class: 'cm-live' })]
  })
  const at = (words: string): boolean => isHidden(state, asked.indexOf(words), asked.indexOf(words) + words.length)
  expect(['<details>', '<summary>', '</summary>', '</details>', 'Why', 'Because'].map(at)).toEqual([true, true, true, true, false, false])
})

test.each([
  ['<details>\n<summary>Why?</summary>|\n\na\n</details>', '<details>\n<summary>Why?X|</summary>\n\na\n</details>'],
  ['<details>\n|<summary>Why?</summary>\n\na\n</details>', '<details>\n<summary>X|Why?</summary>\n\na\n</details>'],
  ['<details>\n<summary>Wh|y?</summary>\n\na\n</details>', '<details>\n<summary>WhX|y?</summary>\n\na\n</details>'],
  ['<details>\n<summary>Why?</summary>\n\na|\n</details>', '<details>\n<summary>Why?</summary>\n\naX|\n</details>']
])('[WRITE-166] a letter typed in %j', (before, expected) => {
  const state = stateOf(before, collapsible)
  const { head } = state.selection.main
  expect(
    marked(state.update({ changes: { from: head, insert: 'X' }, selection: { anchor: head + 1 }, userEvent: 'input.type' }).state)
  ).toBe(expected)
})

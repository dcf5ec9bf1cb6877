/** The edges of blocks: text stays apart from the marks with which a block begins or ends. */
import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import { keptEdges, separated } from '../web/editor/kept-edges.ts'
import { markdown } from '../web/editor/language.ts'

/** Returns the state of text in which `^` marks the caret, or the two ends of the selection. */
function stateOf(marked: string): EditorState {
  const [before = '', selected = '', behind] = marked.split('^')
  const doc = before + selected + (behind ?? '')
  const head = behind === undefined ? before.length : before.length + selected.length
  return EditorState.create({ doc, selection: { anchor: before.length, head }, extensions: [markdown(), keptEdges] })
}

function marked({ doc, selection: { main } }: EditorState): string {
  const [text, { from, to }] = [doc.toString(), main]
  return `${text.slice(0, from)}${main.empty ? '' : `^${text.slice(from, to)}`}^${text.slice(to)}`
}

const written = (before: string, text: string, userEvent: string): string => {
  const state = stateOf(before)
  return marked(state.update(state.replaceSelection(text), { userEvent }).state)
}

const details = '<details>\n<summary>S</summary>\n\nin\n\n</details>'
const board = '```board id=b\n## A\n```'

test.each([
  ['```\na\n```^\nb', 'x', '```\na\n```\nx^\nb'],
  ['```\na\n```^', ' ', '```\na\n```\n^'],
  ['```\na\n```^', ' then\nrun', '```\na\n```\nthen\nrun^'],
  ['```\na\n```  ^', 'x', '```\na\n```\nx^'],
  ['> ```\n> a\n> ```^', 'x', '> ```\n> a\n> ```\n> x^'],
  ['- ```\n  a\n  ```^\n- b', 'x', '- ```\n  a\n  ```\n  x^\n- b'],
  ['```\na\n^```\nb', 'x', '```\na\nx^\n```\nb'],
  ['^```js\na\n```\nb', 'x', 'x^\n```js\na\n```\nb'],
  ['```\na\n```^\nb^c', 'x', '```\na\n```\nx^c'],
  ['~~~\na\n~~~^\n\nb', 'x', '~~~\na\n~~~\nx^\n\nb'],
  ['$$\nx\n$$^\nb', 'y', '$$\nx\n$$\ny^\nb'],
  ['$$\nx\n^$$\nb', 'y', '$$\nx\ny^\n$$\nb'],
  ['$$x$$^', ' y', '$$x$$\ny^'],
  [`${details}^`, 'x', `${details}\n\nx^`],
  [details.replace('</d', '^</d'), 'x', details.replace('</d', 'x^\n</d')],
  ['^<details>\n<summary>S</summary>\n\n</details>', 'x', 'x^\n<details>\n<summary>S</summary>\n\n</details>'],
  ['---\na: b\n---^\n\nc', 'x', '---\na: b\n---\nx^\n\nc']
])('[WRITE-291] text that is typed, pasted, dropped or completed in %j as %j is not joined with a mark', (before, text, expected) => {
  for (const event of ['input.type', 'input.paste', 'input.drop', 'input.complete']) expect(written(before, text, event)).toBe(expected)
})

test.each([
  ['```\na\n```^\nb', '```\na\n```xyz^\nb', '```\na\n```\nxyz^\nb'],
  ['```\na\n^```', '```\na\nxyz^```', '```\na\nxyz^\n```'],
  [`${details}^`, `${details}xyz^`, `${details}\n\nxyz^`]
])('[WRITE-291] text that is composed in %j is separated from the mark when the composition ends', (before, within, expected) => {
  const add = (state: EditorState, text: string): EditorState =>
    state.update(state.replaceSelection(text), { userEvent: 'input.type.compose' }).state
  const during = ['x', 'y', 'z'].reduce(add, stateOf(before))
  expect(marked(during)).toBe(within)
  const done = during.update(separated(during) ?? expect.fail('the text is not composed')).state
  expect(marked(done)).toBe(expected)
  expect(separated(done)).toBeUndefined()
  // A canceled composition leaves nothing.
  const begun = add(stateOf(before), 'x')
  const { head } = begun.selection.main
  const canceled = begun.update({ changes: { from: head - 1, to: head }, userEvent: 'delete.backward' }).state
  expect(marked(canceled.update(separated(canceled) ?? {}).state)).toBe(before)
})

test.each([
  // A fence may become longer, and a line may be added below it.
  ['```\na\n```^\nb', '`', '```\na\n````^\nb'],
  ['```\na\n```^\nb', '\n', '```\na\n```\n^\nb'],
  ['```\na\n^```', '\n', '```\na\n\n^```'],
  // The fence is not closed yet.
  ['```\na\n``^', '`', '```\na\n```^'],
  ['```^', 'js', '```js^'],
  ['```js\na^', 'b', '```js\nab^'],
  ['^```\na\n```', '- ', '- ^```\na\n```'],
  ['^> a', 'x', 'x^> a'],
  ['x\n\n---^', 'x', 'x\n\n---x^'],
  ['| a |\n| - |\n| b^ |', 'x', '| a |\n| - |\n| bx^ |']
])('[WRITE-291] text that is typed in %j as %j stays where it is', (before, text, expected) => {
  expect(written(before, text, 'input.type')).toBe(expected)
})

test('[WRITE-291] changes by others, by undo and in a component, and commands stay as they are', () => {
  for (const event of ['undo', 'redo', 'input.fence', 'select']) expect(written('```\na\n```^', 'x', event)).toBe('```\na\n```x^')
  expect(written('^```\na\n```', '- [ ] ', 'input')).toBe('- [ ] ^```\na\n```')
})

/** Returns the text after the caret moved from `^` to `|`. */
function movedIn(before: string, userEvent: string): string {
  const from = before.replace('|', '').indexOf('^')
  const to = before.replace('^', '').indexOf('|')
  const state = stateOf(`${before.replace(/[|^]/g, '').slice(0, from)}^${before.replace(/[|^]/g, '').slice(from)}`)
  return marked(state.update({ selection: { anchor: to }, userEvent }).state)
}

test.each([
  ['^x\n```\na\n```|\nb', 'select.pointer', 'x\n```\na^\n```\nb'],
  ['```\na\n```|\n^b', 'select', '```\na^\n```\nb'],
  ['```\na\n|```\n^b', 'select', '```\na^\n```\nb'],
  ['```\na^\n|```\nb', 'select', '```\na\n```\n^b'],
  ['```\n^a\n```|\nb', 'select', '```\na^\n```\nb'],
  ['```\na\n```|\n^', 'select.pointer', '```\na^\n```\n'],
  ['^x\n\n$$\ny\n|$$\nb', 'select', 'x\n\n$$\ny^\n$$\nb'],
  ['---\na: b\n---|\n^b', 'select', '---\na: b^\n---\nb'],
  // Ctrl+End goes to the end of the text, from which typing begins a line.
  ['^x\n```\na\n```|', 'select', 'x\n```\na\n```^'],
  // An empty block has no line for the caret.
  ['^x\n```\n```|\nb', 'select.pointer', 'x\n```\n```^\nb'],
  ['^x\n```\na|\n```\nb', 'select', 'x\n```\na^\n```\nb'],
  [`${board}|\n^x`, 'select', `${board}^\nx`]
])('[WRITE-292] the caret in %j (%s) rests in the last line of code', (before, event, expected) => {
  expect(movedIn(before, event)).toBe(expected)
})

/** Returns the text after Backspace or Delete. `nothing` if the key changes neither the text nor the caret. */
function deleted(before: string, key: 'Backspace' | 'Delete'): string {
  const state = stateOf(before)
  const { head } = state.selection.main
  const changes = key === 'Backspace' ? { from: head - 1, to: head } : { from: head, to: head + 1 }
  const after = marked(state.update({ changes, userEvent: key === 'Backspace' ? 'delete.backward' : 'delete.forward' }).state)
  return after === before ? 'nothing' : after
}

test.each([
  [`${details}\n\n^b`, details.replace('in', 'in^') + '\n\nb'],
  [`${details}\n^\nb`, details.replace('in', 'in^') + '\n\nb'],
  [`${details}\n\n^\nb`, `${details}\n^\nb`],
  [details.replace('in', '^in'), details.replace('</summary>', '^</summary>')],
  ['a\n^\n$$\nx\n$$', 'a^\n\n$$\nx\n$$'],
  ['<div>x</div>\n\n^b', '<div>x</div>^\n\nb'],
  ['| a |\n| - |\n| b |\n\n^c', '| a |\n| - |\n| b^ |\n\nc'],
  ['$$\nx\n$$\n^b', '$$\nx^\n$$\nb'],
  ['$$\nx\n$$\n\n^b', '$$\nx\n$$\n^b'],
  ['---\na: b\n---\n^b', '---\na: b^\n---\nb'],
  ['> <details>\n> <summary>S</summary>\n>\n> in\n> </details>\n\n^b', '> <details>\n> <summary>S</summary>\n>\n> in^\n> </details>\n\nb']
])('[WRITE-293] Backspace below a block, in %j', (before, expected) => {
  expect(deleted(before, 'Backspace')).toBe(expected)
})

test.each([
  [details.replace('in\n\n', 'in^\n'), 'nothing'],
  ['a^\n<details>\n<summary>S</summary>\n\nin\n\n</details>', 'nothing'],
  ['a^\n| a |\n| - |', 'nothing'],
  ['a^\n\n$$\nx\n$$', 'nothing'],
  ['a^\n\n$$x$$', 'nothing'],
  ['$$\nx^\n$$', 'nothing'],
  ['a^\n```\nx\n```', 'nothing'],
  ['a^\nb', 'a^b']
])('[WRITE-293] Delete above a mark, in %j', (before, expected) => {
  expect(deleted(before, 'Delete')).toBe(expected)
})

test('[WRITE-293] a deleted selection that ends in the text below a block leaves the mark alone', () => {
  expect(written('```\na\n```^\nb^c', '', 'delete.selection')).toBe('```\na\n```^\nc')
  expect(written(`${details}\n^\nb^c`, '', 'delete.cut')).toBe(`${details}\n\n^c`)
})

/** The places of pasted text in lists and quotes. */
import { EditorState, type TransactionSpec } from '@codemirror/state'
import { expect, test } from 'vitest'
import { noteLabels } from '../web/editor/paste/note-labels.ts'
import { markdown } from '../web/editor/language.ts'
import { growthOf } from './faults/growth.ts'
import { placedFormatted, placedText } from '../web/editor/paste/placed.ts'

/** Returns the text after a change, with `|` at the caret. In `marked`, one `|` is the caret, and two are the ends of the selection. */
function after(marked: string, change: (state: EditorState) => TransactionSpec | undefined): string | undefined {
  const [before = '', selected = '', rest] = marked.split('|')
  const head = rest === undefined ? before.length : before.length + selected.length
  const doc = before + selected + (rest ?? '')
  const state = EditorState.create({ doc, selection: { anchor: before.length, head }, extensions: markdown() })
  const spec = change(state)
  if (spec === undefined) return undefined
  const made = state.update(spec).state
  const text = made.doc.toString()
  return `${text.slice(0, made.selection.main.head)}|${text.slice(made.selection.main.head)}`
}

const formatted = (marked: string, markdown: string, text = 'plain'): string | undefined =>
  after(marked, (state) => placedFormatted(state, markdown, text))

const plain = (marked: string, text: string): string | undefined => after(marked, (state) => placedText(state, text))

test.each([
  ['- |', '- a\n- b', '- a\n- b|'],
  ['- |', '1. a\n2. b', '- a\n- b|'],
  ['* one\n* |\n* two', '- a\n- b', '* one\n* a\n* b|\n* two'],
  ['- one|', '- a\n  - sub\n- b', '- one\n- a\n  - sub\n- b|'],
  ['1. one\n2. |\n3. two', '- a\n  - sub\n- b', '1. one\n2. a\n   - sub\n3. b|\n4. two'],
  ['9. one|\n10. two', '- a\n- b', '9. one\n10. a\n11. b|\n12. two'],
  ['1) |', '3. a\n4. b', '1) a\n2) b|'],
  ['- |one', '- a', '- a|\n- one'],
  ['- on|e', '- a\n\n  more', '- on\n- a\n\n  more|\n- e'],
  ['1. o|ne\n2. tw|o\n3. three', '- a', '1. o\n2. a|\n3. o\n4. three'],
  ['- x\n  - |', '- a\n  - sub\n- b', '- x\n  - a\n    - sub\n  - b|'],
  ['- [ ] |', '- [x] a\n- b', '- [x] a\n- [ ] b|'],
  ['- |', '- [x] a', '- [x] a|'],
  ['> 1. |\n> 2. two', '- a\n\n  more\n- b', '> 1. a\n>\n>    more\n> 2. b|\n> 3. two'],
  ['- one|', 'a\n\nb', '- one\n\na\n\nb|'],
  ['- one|', '- a\n\ntext', '- one\n\n- a\n\ntext|'],
  ['text|', '- a', 'text\n\n- a|']
])('[PASTE-30] in %j, the formatted list %j', (before, markdown, expected) => {
  expect(formatted(before, markdown)).toBe(expected)
})

test.each([
  ['|', '| a |\n| - |\n| b |\n|'],
  ['one\n\n|\n\ntwo', 'one\n\n| a |\n| - |\n| b |\n|\n\ntwo'],
  ['|\ntwo', '| a |\n| - |\n| b |\n|\ntwo'],
  ['one|two', 'one\n\n| a |\n| - |\n| b |\n\n|two'],
  ['> |', '> | a |\n> | - |\n> | b |\n> |']
])('[WRITE-352] in %j, a table, with the caret below it', (before, expected) => {
  expect(formatted(before, '| a |\n| - |\n| b |')).toBe(expected)
})

test.each([
  ['- |', '- a\n- b\n', '- a\n- b|'],
  ['- |', '- a', '- a|'],
  ['- one|', '* a\n* b', '- one\n- a\n- b|'],
  ['- it is |', '- 5', undefined],
  ['- one|', 'a\n\nb', undefined],
  ['text|', '- a\n- b', undefined]
])('[PASTE-30] in %j, the Markdown list %j', (before, text, expected) => {
  expect(plain(before, text)).toBe(expected)
})

test.each([
  ['- one\n- |', 'a\nb\nc\n', '- one\n- a\n- b\n- c|'],
  ['- on|e', 'a\nb', '- ona\n- b|e'],
  ['- [x] one |', 'a\nb', '- [x] one a\n- [ ] b|'],
  ['1. one\n   1. |\n2. two', 'a\nb', '1. one\n   1. a\n   2. b|\n2. two'],
  ['1. |\n2. two', 'a\nb', '1. a\n2. b|\n3. two'],
  ['> - |', 'a\nb', '> - a\n> - b|'],
  ['- |', 'a\n- b\n2. c', '- a\n- b\n- c|'],
  ['- [ ] |', 'a\n- [x] b', '- [ ] a\n- [x] b|'],
  ['- |', 'a\n```\nb\n```', undefined],
  ['- |', 'a\n  b', undefined],
  ['- |', 'a\n', undefined],
  ['words\n1986. a|', 'b\nc', undefined]
])('[PASTE-35] in %j, the lines %j', (before, text, expected) => {
  expect(plain(before, text)).toBe(expected)
})

test.each([
  ['> |', 'a\n\nb', '> a\n>\n> b|'],
  ['> one|two', 'a\n\nb', '> one\n>\n> a\n>\n> b\n>\n> |two'],
  ['> [!NOTE] Title|', '- a\n- b', '> [!NOTE] Title\n>\n> - a\n> - b|'],
  ['> > |', 'a\n\nb', '> > a\n> >\n> > b|'],
  ['> - one|', 'a\n\nb', '> - one\n>\n> a\n>\n> b|'],
  ['>|', 'a\n\nb', '>a\n>\n> b|'],
  ['|> one', 'a\n\nb', 'a\n\nb\n\n|> one']
])('[PASTE-31] in %j, the formatted blocks %j', (before, markdown, expected) => {
  expect(formatted(before, markdown)).toBe(expected)
})

test.each([
  ['> one|', 'a\n\nb', '> onea\n>\n> b|'],
  ['> |', 'a\nb', '> a\n> b|'],
  ['> |', 'a\n> b', undefined],
  ['> |', 'a', undefined],
  ['|', 'a\nb', undefined]
])('[PASTE-31] in %j, the plain text %j', (before, text, expected) => {
  expect(plain(before, text)).toBe(expected)
})

test.each([
  ['item|', '**a**', ' a ', 'item **a** |'],
  ['item |', '**a**', ' a', 'item **a**|'],
  ['item| b', '**a**', ' a ', 'item **a**| b'],
  ['|b', '**a**', ' a ', '**a** |b'],
  ['- |', '**a**', ' a', '- **a**|'],
  ['item|', '**a**', 'a', 'item**a**|']
])('[PASTE-32] in %j, the fragment %j with the plain text %j', (before, markdown, text, expected) => {
  expect(formatted(before, markdown, text)).toBe(expected)
})

/** Returns the text after a paste at `|`, or over the selection between two `|`. */
function withNotes(before: string, insert: string, userEvent = 'input.paste'): string {
  const [lead = '', selected = '', rest] = before.split('|')
  const doc = lead + selected + (rest ?? '')
  const state = EditorState.create({ doc, extensions: [markdown(), noteLabels] })
  const to = rest === undefined ? lead.length : lead.length + selected.length
  return state.update({ changes: { from: lead.length, to, insert }, userEvent }).state.doc.toString()
}

const old = 'old[^1].\n\n[^1]: other note\n'

test.each([
  [`|${old}`, 'New[^1] word.\n\n[^1]: pasted note\n\n', `New[^2] word.\n\n[^2]: pasted note\n\n${old}`],
  ['old[^1].\n\n|[^1]: other note\n', 'New[^1].\n[^1]: n\n', 'old[^1].\n\nNew[^2].\n[^2]: n\n[^1]: other note\n'],
  [`|${old}`, 'a[^2] b[^1]\n\n[^1]: x\n[^2]: y\n\n', `a[^2] b[^3]\n\n[^3]: x\n[^2]: y\n\n${old}`],
  ['|\n> a[^src] [^src-2]\n>\n> [^src]: s\n', '> b[^src]\n> [^src]: t', '> b[^src-3]\n> [^src-3]: t\n> a[^src] [^src-2]\n>\n> [^src]: s\n'],
  [`|${old}`, 'a[^1] `[^1]` \\[^1]\n\n[^1]: x\n\n', `a[^2] \`[^1]\` \\[^1]\n\n[^2]: x\n\n${old}`]
])('[WRITE-320] into %j, pasting %j gives the footnotes free labels', (before, text, expected) => {
  expect(withNotes(before, text)).toBe(expected)
})

test.each([
  // A reference or a note that is cut and pasted stays with its other half.
  [`x| ${old}`, '[^1]'],
  ['old[^1].\n\n|', '[^1]: moved'],
  // The other note is replaced.
  [`|${old}|`, 'New[^1].\n\n[^1]: n'],
  [`|${old}`, '```md\na[^1]\n[^1]: x\n```\n'],
  ['```\n|\n```\n\n' + old, 'a[^1]\n[^1]: x']
])('[WRITE-320] into %j, pasting %j leaves the footnotes', (before, text) => {
  const [lead = '', selected = '', rest] = before.split('|')
  expect(withNotes(before, text)).toBe(lead + text + (rest ?? selected))
})

test('[WRITE-320] the time for pasted footnotes grows linearly', () => {
  const notes = (kilobytes: number): string =>
    Array.from({ length: kilobytes * 32 }, (_, index) => `a[^n${index}] b[^1]\n\n[^n${index}]: x\n`).join('\n')
  const state = EditorState.create({ doc: notes(16), extensions: [markdown(), noteLabels] })
  expect(growthOf((insert) => state.update({ changes: { from: 0, insert }, userEvent: 'input.paste' }).newDoc, notes)).toBeUndefined()
})

/** Making lines a list, a heading or text. In texts, `¦` is the caret, and `‹` and `›` are the ends of a selection, which the results omit. */
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { expect, test } from 'vitest'
import { setHeading } from '../web/editor/commands-block.ts'
import { markdown } from '../web/editor/language.ts'
import { toggleList } from '../web/editor/list-kinds.ts'

function after(marked: string, run: (view: EditorView) => boolean): string {
  const doc = marked.replaceAll(/[¦‹›]/g, '')
  const anchor = marked.search(/[¦‹]/)
  const head = marked.includes('›') ? marked.indexOf('›') - 1 : anchor
  let state = EditorState.create({ doc, selection: { anchor, head }, extensions: [markdown()] })
  ensureSyntaxTree(state, doc.length, 60_000)
  run({ state, dispatch: (spec: TransactionSpec) => void (state = state.update(spec).state) } as unknown as EditorView)
  const text = state.doc.toString()
  const { from, to } = state.selection.main
  return from === to ? `${text.slice(0, from)}¦${text.slice(from)}` : text
}

test.each([
  ['- x\n- a¦\n- y', 'bullet', '- x\n\na¦\n\n- y'],
  ['1. x\n2. a¦\n3. y', 'number', '1. x\n\na¦\n\n2. y'],
  ['‹- a\n- b›\n- c', 'bullet', 'a\n\nb\n\n- c'],
  ['- a\n  - b¦\n  - d\n- c', 'bullet', '- a\n\n  b¦\n\n  - d\n- c'],
  ['- a¦\n  - b', 'bullet', 'a¦\n\n- b'],
  ['‹- a\n  - b\n- c›', 'bullet', 'a\n\nb\n\nc'],
  ['> - a\n> - b¦', 'bullet', '> - a\n>\n> b¦'],
  ['- [ ] a¦\n- [x] b', 'task', 'a¦\n\n- [x] b']
] as const)('[WRITE-266] an item becomes a paragraph of its own: %j', (before, kind, wanted) => {
  expect(after(before, toggleList(kind))).toBe(wanted)
})

test.each([
  ['‹a\n\nb›\n\nc', 'bullet', '- a\n- b\n\nc'],
  ['‹one\n\n- a\n- b›', 'bullet', '- one\n- a\n- b'],
  ['> [!NOTE]\n> a¦', 'bullet', '> [!NOTE]\n> - a¦'],
  ['‹> [!NOTE]\n> a›', 'task', '> [!NOTE]\n> - [ ] a'],
  ['- a¦\n  - b\n\n    text\n- c', 'number', '1. a¦\n   - b\n\n     text\n- c'],
  ['1. a¦\n   - b', 'bullet', '- a¦\n  - b'],
  ['‹- a\n  - b\n  - d\n- c›', 'number', '1. a\n   1. b\n   2. d\n2. c'],
  ['1. x\n2. y\n‹a\nb›', 'number', '1. x\n2. y\n3. a\n4. b'],
  ['‹* a\n* [x] b›', 'task', '* [ ] a\n* [x] b'],
  ['x\na¦\ny', 'bullet', 'x\n- a¦\ny']
] as const)('[WRITE-267] lines become one list, in their quote and with their nested items: %j', (before, kind, wanted) => {
  expect(after(before, toggleList(kind))).toBe(wanted)
})

test.each([
  ['‹# a\n\nb›', 2, '## a\n\n## b'],
  ['> a¦', 2, '> ## a¦'],
  ['> ## a¦', 2, '> a¦'],
  ['> [!NOTE]\n> - a¦', 1, '> [!NOTE]\n> # a¦'],
  ['‹# a\n\n# b›', 1, 'a\n\nb']
] as const)('[WRITE-268] headings leave blank lines and quotes as they are: %j', (before, level, wanted) => {
  expect(after(before, setHeading(level))).toBe(wanted)
})

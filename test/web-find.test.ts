/** Find and replace, without a browser. */
import { replaceAll, search, setSearchQuery } from '@codemirror/search'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { expect, test, vi } from 'vitest'
import { countAll, queryOf } from '../web/editor/find/query.ts'
import { markdown } from '../web/editor/language.ts'

const searched = (doc: string, text: string, view: 'live' | 'source', regexp = false): EditorState =>
  EditorState.create({ doc, extensions: [markdown(), search(), EditorView.editorAttributes.of({ class: `cm-${view}` })] }).update({
    effects: setSearchQuery.of(queryOf({ search: text, replace: 'new', caseSensitive: true, wholeWord: false, regexp }))
  }).state

/** Replaces all matches. Returns the text and the number of matches. */
function replaced(before: string, text: string, view: 'live' | 'source', regexp = false): readonly [string, number] {
  let state = searched(before, text, view, regexp)
  const count = countAll(state)
  const dispatch = (...specs: TransactionSpec[]) => (state = state.update(...specs).state)
  replaceAll({ state, dispatch } as unknown as EditorView)
  return [state.doc.toString(), count]
}

// The live view shows pictures of the page's own origin.
vi.stubGlobal('location', { origin: 'https://agmd.example' })

test.each([
  ['an old [old](/old "old") word', 'old', 'an new [new](/old "old") word', 2],
  ['![old|200](/old.png "old") old', 'old', '![old|200](/old.png "new") new', 2],
  ['$old$ and old\n\n$$\nold\n$$\n\n```math\nold\n```\n', 'old', '$old$ and new\n\n$$\nold\n$$\n\n```math\nold\n```\n', 1],
  ['<https://old.org> https://old.org', 'old', '<https://new.org> https://new.org', 2],
  ['[b]: /old\n\n[old][b] `old` :old:', 'old', '[b]: /new\n\n[new][b] `new` :new:', 4],
  ['**a** 2 * 3', '*', '**a** 2 new 3', 1],
  ['- a-b\n- [x] x', '-', '- anewb\n- [x] x', 1],
  ['- [x] x', 'x', '- [x] new', 1],
  ['## a # b', '#', '## a new b', 1],
  ['| a | b\\|c |\n| --- | --- |\n| - | e |', '-', '| a | b\\|c |\n| --- | --- |\n| new | e |', 1],
  ['**o**ld', 'o**l', '**newd', 1],
  ['```js\nold\n```\n\n```mermaid\na-->old\n```', 'old', '```js\nnew\n```\n\n```mermaid\na-->new\n```', 2],
  ['---\ntitle: old\n---\n\nold', 'old', '---\ntitle: new\n---\n\nnew', 2]
])('[WRITE-132] in %j, all of %j that the live view shows is replaced: %j', (before, text, after, count) => {
  expect(replaced(before, text, 'live')).toEqual([after, count])
  // The source view shows the entire text.
  expect(replaced(before, text, 'source')).toEqual([before.replaceAll(text, 'new'), before.split(text).length - 1])
})

test('[WRITE-132] a regular expression leaves out hidden text too, even far down in a long document', () => {
  const filler = 'Letters.\n\n'.repeat(20_000)
  const line = '[one](/o) two'
  expect(replaced(`${filler}${line}`, 'o(?!x)', 'live', true)).toEqual([`${filler}[newne](/o) twnew`, 2])
})

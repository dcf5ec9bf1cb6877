/** Find and replace, without a browser. */
import { replaceAll, search, setSearchQuery } from '@codemirror/search'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { expect, test, vi } from 'vitest'
import { countAll, queryOf } from '../web/editor/find/query.ts'
import { drawsComponents } from '../web/editor/awaited.ts'
import { markdown } from '../web/editor/language.ts'

const searched = (doc: string, text: string, view: 'live' | 'source', regexp = false): EditorState =>
  EditorState.create({
    doc,
    extensions: [markdown(), search(), drawsComponents.of(true), EditorView.editorAttributes.of({ class: `cm-${view}` })]
  }).update({
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
  ['The board.\n\n```board\n## board\n- [ ] board\n```', 'board', 'The new.\n\n```board\n## new\n- [ ] new\n```', 3],
  ['```board\n## a\n- [x] x\n```', 'x', '```board\n## a\n- [x] new\n```', 1],
  [
    'sheet\n\n```sheet #sheet\n| sheet | -- |\n| --- | --- |\n| a | =sheet!B2 |\n```',
    'sheet',
    'new\n\n```sheet #sheet\n| new | -- |\n| --- | --- |\n| a | =sheet!B2 |\n```',
    2
  ],
  ['```chart\ntype: bar\ntitle: bar\ndata: #bar!B6\n```', 'bar', '```chart\ntype: bar\ntitle: new\ndata: #bar!B6\n```', 1],
  ['```chart\ntype: bar\n\na,bar\nb,2\n```', 'bar', '```chart\ntype: bar\n\na,new\nb,2\n```', 1],
  ['```chat\n[2026-11-20T10:02Z] @a: 2026\n```', '2026', '```chat\n[2026-11-20T10:02Z] @a: new\n```', 1],
  ['```widget title="a"\n<b>a</b>\n```\n\na', 'a', '```widget title="a"\n<b>a</b>\n```\n\nnew', 1],
  ['- ```board\n  ## a\n  ```', 'board', '- ```new\n  ## a\n  ```', 1],
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

/** What is typed, where, and what is offered for it. */
import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import { commandOf } from '../web/commands/all.ts'
import { isPossible } from '../web/commands/command.ts'
import type { View } from '../web/document/page.tsx'
import { toggleMarker } from '../web/editor/commands-inline.ts'
import { codeAround } from '../web/editor/in-code.ts'
import { markdown } from '../web/editor/language.ts'
import type { EditorView } from '@codemirror/view'

/** A text in which `‹` and `›` stand at the ends of the selection, or `|` at the caret. */
function stateOf(marked: string): EditorState {
  const from = marked.search(/[‹|]/)
  const to = marked.includes('›') ? marked.indexOf('›') - 1 : from
  return EditorState.create({
    doc: marked.replaceAll(/[‹›|]/g, ''),
    selection: { anchor: from, head: to },
    extensions: [markdown()]
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
])('[WRITE-41] the selection of %j lies in: %s', (marked, expected) => {
  expect(codeAround(stateOf(marked))).toBe(expected)
})

test('[WRITE-41] marks of words are not offered in code, marks of lines and blocks not in blocks of code', () => {
  const page = (inCode: 'span' | 'block' | undefined) =>
    ({ inCode: { value: inCode }, canType: { value: true }, mode: { value: 'live' } }) as unknown as View
  const offered = (inCode: 'span' | 'block' | undefined) =>
    ['bold', 'link', 'code', 'heading.1', 'list.task', 'insert.table', 'insert.date'].filter((id) =>
      isPossible(commandOf(id), page(inCode))
    )
  expect(offered(undefined)).toEqual(['bold', 'link', 'code', 'heading.1', 'list.task', 'insert.table', 'insert.date'])
  expect(offered('span')).toEqual(['code', 'heading.1', 'list.task', 'insert.table', 'insert.date'])
  expect(offered('block')).toEqual(['insert.date'])
})

test('[WRITE-41] the command of code takes the backticks around the caret away', () => {
  let state = stateOf('a ``co|de words`` b')
  const view = { state, dispatch: (spec: object) => (state = state.update(spec).state) } as unknown as EditorView
  expect(toggleMarker('`')(view)).toBe(true)
  expect([state.doc.toString(), state.selection.main.head]).toEqual(['a code words b', 4])
})

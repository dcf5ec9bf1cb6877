/** Turning blocks into another kind. In texts, `¦` is the caret, and `‹` and `›` are the ends of a selection. */
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState, type Extension, type Transaction } from '@codemirror/state'
import { expect, test } from 'vitest'
import { textMap } from '../web/editor/binding.ts'
import { chosenBlocks } from '../web/editor/blocks/commands.ts'
import { turned } from '../web/editor/blocks/turn.ts'
import type { Kind } from '../web/editor/blocks/turn-rows.ts'
import { markdown } from '../web/editor/language.ts'

function transaction(marked: string, kind: Kind, more: Extension = []): Transaction | undefined {
  const doc = marked.replaceAll(/[¦‹›]/g, '')
  const anchor = marked.search(/[¦‹]/)
  const head = marked.includes('›') ? marked.indexOf('›') - 1 : anchor
  const state = EditorState.create({ doc, selection: { anchor, head }, extensions: [markdown(), more] })
  ensureSyntaxTree(state, doc.length, 60_000)
  const chosen = chosenBlocks(state)
  const spec = chosen && turned(state, chosen, kind)
  return spec && state.update(spec)
}

function after(marked: string, kind: Kind): string | undefined {
  const made = transaction(marked, kind)
  if (made === undefined) return undefined
  const text = made.newDoc.toString()
  const { from, to } = made.newSelection.main
  return from === to ? `${text.slice(0, from)}¦${text.slice(from)}` : `${text.slice(0, from)}‹${text.slice(from, to)}›${text.slice(to)}`
}

const several = 'x\n\n‹a\n\n## b\n\n- c\n- d\n\n> e›\n\ny'

test.each<[Kind, string, string]>([
  ['heading.2', 'a¦', '## a¦'],
  ['list.task', 'a¦', '- [ ] a¦'],
  ['list.number', 'a¦b\nc', '1. a¦b\n2. c'],
  ['quote', 'x\n## a¦b ##\ny', 'x\n\n> a¦b\n\ny'],
  ['insert.callout', 'a¦', '> [!NOTE]\n> a¦'],
  ['insert.code', 'x\n\na¦\n\ny', 'x\n\n```\na¦\n```\n\ny'],
  ['insert.details', 'a¦', '<details>\n<summary>a¦</summary>\n\n\n\n</details>'],
  ['text', 'a¦\n===\nb', 'a¦\n\nb'],
  ['text', '- x\n- a¦\n- y', '- x\n\na¦\n\n- y'],
  ['heading.1', '- x\n- a¦\n- y', '- x\n# a¦\n- y'],
  ['text', '1. x\n2. a¦\n   - n\n\n   p\n3. y', '1. x\n\na¦\n\n- n\n\np\n\n2. y'],
  ['list.bullet', '1. a¦\n   - n\n2. y', '- a¦\n  - n\n\n1. y'],
  ['list.number', '- a¦\n  - n', '1. a¦\n   - n'],
  ['text', '- x\n  - a¦\n  - y\n- z', '- x\n\n  a¦\n\n  - y\n- z'],
  ['list.bullet', '- [x] a¦\n- [ ] b', '- a¦\n- [ ] b'],
  ['heading.1', '- ¦', '# ¦'],
  ['text', '> [!TIP] T\n> b¦\n>\n> - c', 'T\nb¦\n\n- c'],
  ['quote', '> [!NOTE]\n> b¦', '> b¦'],
  ['insert.callout', '> b¦', '> [!NOTE]\n> b¦'],
  ['text', '```js\na¦\n\nb\n```', 'a¦\n\nb'],
  ['text', '<details>\n<summary>S¦</summary>\n\nT\n\n- u\n\n</details>\n\nr', 'S¦\n\nT\n\n- u\n\nr'],
  ['text', several, 'x\n\n‹a\n\nb\n\nc\n\nd\n\ne›\n\ny'],
  ['heading.3', several, 'x\n\n### ‹a\n\n### b\n\n### c\n### d\n\n### e›\n\ny'],
  ['list.number', several, 'x\n\n1. ‹a\n2. b\n3. c\n4. d\n5. e›\n\ny'],
  ['quote', several, 'x\n\n> ‹a\n>\n> ## b\n>\n> - c\n> - d\n>\n> e›\n\ny'],
  ['insert.details', several, 'x\n\n<details>\n<summary>‹a</summary>\n\n## b\n\n- c\n- d\n\ne›\n\n</details>\n\ny'],
  ['list.number', '1. x\n2. y\n\n‹a\n\nb›\n\nc', '1. x\n2. y\n3. ‹a\n4. b›\n\nc'],
  ['heading.1', '‹| a |\n|---|\n| b |\n\nt›', '‹| a |\n|---|\n| b |\n\n# t›']
])('[BLOCK-30] the menu turns blocks into %s: %j', (kind, before, wanted) => {
  expect(after(before, kind)).toBe(wanted)
})

test('[BLOCK-30] tables and components do not turn into text', () => {
  expect(after('| a |\n|---|\n| b¦ |', 'text')).toBeUndefined()
  expect(after('```board\n## T¦\n```', 'text')).toBeUndefined()
})

test('[BLOCK-30] the words stay the same characters, and while suggesting, there is only one change', () => {
  const inserted = (made: Transaction | undefined): string[] => {
    const all: string[] = []
    made?.changes.iterChanges((_from, _to, _fromB, _toB, text) => void all.push(text.toString()))
    return all
  }
  expect(inserted(transaction('‹a\n\nb›', 'quote'))).toEqual(['> ', '>', '> '])
  const suggesting = textMap.of({ shown: (at) => at, stored: (at) => at })
  expect(inserted(transaction('‹a\n\nb›', 'quote', suggesting))).toEqual(['> a\n>\n> '])
})

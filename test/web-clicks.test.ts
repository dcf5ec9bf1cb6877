/** Clicks, selections and keys next to text that the live view hides: tags of a summary, labels of callouts and fences of code. */
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import { keymap, type EditorView } from '@codemirror/view'
import { expect, test } from 'vitest'
import { calloutLabels } from '../web/editor/callout-labels.ts'
import { markdown } from '../web/editor/language.ts'
import { collapsibleCaret } from '../web/editor/live/collapsible-caret.ts'

/** Returns the state of text in which `‹` marks the anchor of the selection and `›` its head, or `|` the caret. */
function stateOf(marked: string, ...extensions: Extension[]): EditorState {
  const doc = marked.replace(/[‹›|]/g, '')
  const [anchor, head] = ['‹', '›'].map((sign) => marked.replace(sign === '‹' ? '›' : '‹', '').indexOf(sign))
  const at = marked.indexOf('|')
  const selection = at < 0 ? { anchor: anchor ?? 0, head: head ?? 0 } : { anchor: at }
  const state = EditorState.create({ doc, selection, extensions: [markdown(), ...extensions] })
  ensureSyntaxTree(state, doc.length, 1000)
  return state
}

function marked({ doc, selection: { main } }: EditorState): string {
  const [text, { from, to, anchor }] = [doc.toString(), main]
  if (main.empty) return `${text.slice(0, from)}|${text.slice(from)}`
  const [first, last] = anchor === from ? '‹›' : '›‹'
  return `${text.slice(0, from)}${first}${text.slice(from, to)}${last}${text.slice(to)}`
}

/** Returns the state after a selection by the pointer, which begins and ends at marked places. */
const pointed = (selection: string, ...extensions: Extension[]): EditorState => {
  const { doc, selection: made } = stateOf(selection)
  const state = stateOf(`|${doc.toString()}`, ...extensions)
  return state.update({ selection: made, userEvent: 'select.pointer' }).state
}

/** Returns the state after a key. */
function pressed(before: string, key: string, isShift: boolean, ...extensions: Extension[]): string {
  let state = stateOf(before, ...extensions)
  const view = {
    get state() {
      return state
    },
    dispatch: (...specs: TransactionSpec[]) => void (state = state.update(...specs).state)
  } as unknown as EditorView
  for (const binding of state.facet(keymap).flat())
    if (binding.key === key && (isShift ? binding.shift : binding.run)?.(view) === true) return marked(state)
  return 'not handled'
}

const text = '\n\nin\n\n</details>\n'

test.each([
  [`<details>\n‹<summary>My title</summary>›${text}`, `<details>\n<summary>‹My title›</summary>${text}`],
  [`‹<details><summary>My title</summary>›${text}`, `<details><summary>‹My title›</summary>${text}`],
  [`<details>\n<summary>‹My title</summary>›${text}`, `<details>\n<summary>‹My title›</summary>${text}`],
  [`<details>\n›<summary>My title‹</summary>${text}`, `<details>\n<summary>›My title‹</summary>${text}`],
  [`<details>\n<summary>My title</‹summary›>${text}`, `<details>\n<summary>My title|</summary>${text}`],
  [
    `> <details>\n> ‹<summary>My title</summary>›\n>\n> in\n> </details>`,
    `> <details>\n> <summary>‹My title›</summary>\n>\n> in\n> </details>`
  ],
  [`<details>\n<summary>My ‹title</summary>\n\ni›n\n\n</details>\n`, `<details>\n<summary>My ‹title</summary>\n\ni›n\n\n</details>\n`]
])('[WRITE-313] the pointer selects %j', (selection, expected) => {
  expect(marked(pointed(selection, collapsibleCaret))).toBe(expected)
})

test.each([
  [`<details>\n<summary>My |title</summary>${text}`, 'End', `<details>\n<summary>My ‹title›</summary>${text}`],
  [`<details>\n<summary>My |title</summary>${text}`, 'Home', `<details>\n<summary>›My ‹title</summary>${text}`],
  [`<details>\n<summary>›My ‹title</summary>${text}`, 'Home', `<details>\n<summary>›My ‹title</summary>${text}`]
])('[WRITE-313] in %j, Shift+%s selects words', (before, key, expected) => {
  expect(pressed(before, key, true, collapsibleCaret)).toBe(expected)
})

test.each([
  ['> [!‹NOTE›]\n> text', '> [!NOTE]|\n> text'],
  ['> ‹[!NOTE] My title›\n> text', '> [!NOTE] ‹My title›\n> text'],
  ['> > [!›TIP] My‹ title', '> > [!TIP] ›My‹ title'],
  ['> [!N|OTE] My title', '> [!NOTE] |My title'],
  ['> ‹[!NOTE]\n> te›xt', '> ‹[!NOTE]\n> te›xt'],
  ['> [!‹OTHER›]\n> text', '> [!‹OTHER›]\n> text']
])('[WRITE-323] the pointer selects %j', (selection, expected) => {
  expect(marked(pointed(selection, calloutLabels))).toBe(expected)
})

test('[WRITE-323] text that is typed at the label of a callout becomes its title', () => {
  const typed = (before: string, text: string): string => {
    const state = stateOf(before, calloutLabels)
    return marked(state.update(state.replaceSelection(text), { userEvent: 'input.type' }).state)
  }
  expect(typed('> [!NOTE]|\n> text', 'a')).toBe('> [!NOTE] a|\n> text')
  expect(typed('> [!NOTE] a|\n> text', 'b')).toBe('> [!NOTE] ab|\n> text')
  expect(typed('> [!NOTE]|\n> text', ' ')).toBe('> [!NOTE] |\n> text')
})

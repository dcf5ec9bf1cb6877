/** Keys at the edges of formats, links, tables and components. */
import { defaultKeymap } from '@codemirror/commands'
import { EditorSelection, EditorState, type Extension, Transaction, type TransactionSpec } from '@codemirror/state'
import { search, SearchQuery, setSearchQuery } from '@codemirror/search'
import { EditorView, keymap } from '@codemirror/view'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { continueList, deleteMarker } from '../web/editor/commands-list.ts'
import { insertLink, toggleMarker } from '../web/editor/commands-inline.ts'
import { emptyLinks } from '../web/editor/empty-links.ts'
import { footnote } from '../web/editor/footnote.ts'
import { components } from '../web/components/blocks.ts'
import { isAtMatch } from '../web/editor/find/query.ts'
import { leftMatch, matchUnseen } from '../web/editor/inserts.ts'
import type { ReviewedView } from '../web/review/annotations/review.ts'
import { markdown } from '../web/editor/language.ts'
import { leaveSlot, slots } from '../web/editor/slots.ts'
import { blockExtras } from '../web/editor/setup/block-extras.ts'
import { typing } from '../web/editor/setup/typing.ts'
import { cellBelow } from '../web/editor/tables.ts'
import { typingSteps } from '../web/editor/typing-steps.ts'

const keys = [{ key: 'Enter', run: continueList }, { key: 'Backspace', run: deleteMarker }, ...defaultKeymap]

/** An editor without a page. `|` in its text is the caret. */
class Writer {
  state: EditorState
  /** Number of changes of the text. */
  changes = 0
  /** Called with each transaction. */
  made: (transaction: Transaction) => void = () => undefined

  constructor(marked: string, extension: Extension = [typing.always, blockExtras.always, emptyLinks, typing.live, blockExtras.live]) {
    this.state = EditorState.create({
      doc: marked.replace('|', ''),
      selection: { anchor: marked.indexOf('|') },
      extensions: [markdown(), slots, keymap.of(keys), extension]
    })
  }

  get view(): EditorView {
    const getState = () => this.state
    return {
      composing: false,
      get state() {
        return getState()
      },
      dispatch: (...specs: (TransactionSpec | Transaction)[]) => {
        const [first] = specs
        const made = first instanceof Transaction ? first : this.state.update(...(specs as TransactionSpec[]))
        if (made.docChanged) this.changes++
        this.made(made)
        this.state = made.state
      }
    } as unknown as EditorView
  }

  press(...keys: string[]): this {
    for (const key of keys)
      for (const binding of this.state.facet(keymap).flat()) if (binding.key === key && binding.run?.(this.view) === true) break
    return this
  }

  type(text: string): this {
    for (const letter of text) this.view.dispatch({ ...this.state.replaceSelection(letter), userEvent: 'input.type' })
    return this
  }

  /** Types letters as a person does, with the effects of letters. */
  write(letters: string): this {
    for (const letter of letters) {
      const { head } = this.state.selection.main
      const plain = () => this.state.update({ ...this.state.replaceSelection(letter), userEvent: 'input.type' })
      const handlers = this.state.facet(EditorView.inputHandler)
      if (!handlers.some((handle) => handle(this.view, head, head, letter, plain))) this.type(letter)
    }
    return this
  }

  moveTo(anchor: number): this {
    this.view.dispatch({ selection: EditorSelection.cursor(anchor), userEvent: 'select' })
    return this
  }

  get shown(): string {
    const { head } = this.state.selection.main
    return `${this.state.sliceDoc(0, head)}|${this.state.sliceDoc(head)}`
  }
}

test.each([
  ['q **bold**|', 'Backspace', 'q **bol|**'],
  ['q *ital*|', 'Backspace', 'q *ita|*'],
  ['q _ital_| x', 'Backspace', 'q _ita|_ x'],
  ['~~ab~~|', 'Backspace', '~~a|~~'],
  ['==ab==|', 'Backspace', '==a|=='],
  ['`ab`|', 'Backspace', '`a|`'],
  ['H~20~|', 'Backspace', 'H~2|~'],
  ['x^20^|', 'Backspace', 'x^2|^'],
  ['***both***|', 'Backspace', '***bot|***'],
  ['q **b**|', 'Backspace', 'q |'],
  ['**👍**|', 'Backspace', '|'],
  ['q **two words**|', 'Mod-Backspace', 'q **two** |'],
  ['a **|bold**', 'Backspace', 'a|**bold**'],
  ['- **|bold**', 'Backspace', '|**bold**'],
  ['one\n\n**|bold**', 'Backspace', 'one|**bold**'],
  ['|**bold** q', 'Delete', '**|old** q'],
  ['a |*b* q', 'Delete', 'a | q'],
  ['**bold|** q', 'Delete', '**bold**|q'],
  ['[site](https://example.org)|', 'Backspace', '[sit|](https://example.org)'],
  ['a [s](https://example.org)| b', 'Backspace', 'a | b'],
  ['**[s](https://example.org)**|', 'Backspace', '|'],
  ['[**s**](https://example.org)|', 'Backspace', '|'],
  ['|[site](https://example.org)', 'Delete', '[|ite](https://example.org)'],
  ['[site|](https://example.org) q', 'Delete', '[site](https://example.org)|q'],
  // Marks without a format are characters.
  ['q **bold*|', 'Backspace', 'q **bol|*'],
  ['2 * 3 *|', 'Backspace', '2 * 3 |'],
  ['![p](/f/p.png)|', 'Backspace', '![p](/f/p.png|']
])('[WRITE-141] %j, %s', (before, key, expected) => {
  const writer = new Writer(before).press(key)
  expect([writer.shown, writer.changes]).toEqual([expected, 1])
})

test.each([
  ['a **bold** |c', 'Mod-Backspace', 'a |c'],
  ['a **two words** |c', 'Mod-Backspace', 'a **two** |c'],
  ['a `two words` |c', 'Mod-Backspace', 'a `two |`c'],
  ['a [two words](https://a.b) |c', 'Mod-Backspace', 'a [two |](https://a.b)c'],
  ['a| **bold** c', 'Mod-Delete', 'a| c'],
  ['a bold |c', 'Mod-Backspace', 'a |c'],
  ['- |c', 'Mod-Backspace', '|c']
])(
  '[WRITE-270] a key that deletes a word deletes it together with the spaces next to it, also in a format: %j, %s',
  (before, key, expected) => {
    expect(new Writer(before).press(key).shown).toBe(expected)
  }
)

test('[WRITE-141] deleting back into a bold word, and after the command of a format', () => {
  expect(new Writer('**bold** end|').press('Backspace', 'Backspace', 'Backspace', 'Backspace', 'Backspace').shown).toBe('**bol|**')
  const writer = new Writer('q |')
  toggleMarker('**')(writer.view)
  writer.type('bold')
  toggleMarker('**')(writer.view)
  expect(writer.press('Backspace').type('d').shown).toBe('q **bold|**')
})

test('[WRITE-141] the source view deletes each character', () => {
  expect(new Writer('q **bold**|', typing.always).press('Backspace').shown).toBe('q **bold*|')
})

test('[WRITE-142] marks typed by hand are taken back one by one, until the caret moves', () => {
  const writer = new Writer('q |').type('**bold**')
  expect(writer.press('Backspace').shown).toBe('q **bold*|')
  expect(writer.press('Backspace').shown).toBe('q **bold|')
  expect(writer.press('Backspace').shown).toBe('q **bol|')
  const moved = new Writer('q |').type('*ital*').moveTo(0).moveTo(8)
  expect(moved.press('Backspace').shown).toBe('q *ita|*')
})

test.each([
  ['**a b**|', 'Backspace', '**a** |', '**a x|**'],
  ['**a b|** c', 'Backspace', '**a** | c', '**a x|** c'],
  ['**a *b***|', 'Backspace', '**a** |', '**a** ***x|***'],
  ['|**a b**', 'Delete', '| **b**', 'x| **b**'],
  ['**a| b**', 'Backspace', '| **b**', 'x| **b**'],
  ['`a b|`', 'Backspace', '`a |`', '`a x|`']
])('[WRITE-143] %j, %s', (before, key, expected, typed) => {
  const writer = new Writer(before).press(key)
  expect([writer.shown, writer.changes]).toEqual([expected, 1])
  expect(writer.type('x').shown).toBe(typed)
})

test.each([
  ['- alpha| beta', '- alpha \n- |beta', '- alpha |beta'],
  ['- alpha |beta', '- alpha \n- |beta', '- alpha |beta'],
  ['- al|pha beta', '- al\n- |pha beta', '- al|pha beta'],
  ['- [x] alpha| beta', '- [x] alpha \n- [ ] |beta', '- [x] alpha |beta'],
  ['1. alpha| beta', '1. alpha \n2. |beta', '1. alpha |beta'],
  ['- **alpha|** beta', '- **alpha** \n- |beta', '- **alpha** |beta'],
  ['- **alpha| beta** c', '- **alpha** \n- **|beta** c', '- **alpha** |**beta** c']
])('[WRITE-181] Enter in %j, and Backspace twice', (before, split, joined) => {
  const writer = new Writer(before).press('Enter')
  expect(writer.shown).toBe(split)
  expect(writer.press('Backspace', 'Backspace').shown).toBe(joined)
})

test.each([
  ['- alpha\n- | beta', '- alpha|beta'],
  ['- [ ] alpha\n- [ ] |  beta', '- [ ] alpha|beta'],
  ['1. alpha\n2. | beta', '1. alpha|beta']
])('[WRITE-181] Backspace twice before the spaces in %j', (before, expected) => {
  expect(new Writer(before).press('Backspace', 'Backspace').shown).toBe(expected)
})

test('[WRITE-144] [WRITE-242] a new link that is left empty disappears; one with text leaves its text', () => {
  const linked = (): Writer => {
    const writer = new Writer('see | here')
    insertLink(writer.view)
    return writer
  }
  expect(linked().moveTo(0).shown).toBe('|see  here')
  expect(linked().moveTo(10).shown).toBe('see  h|ere')
  const entered = linked()
  leaveSlot(entered.view)
  expect(entered.shown).toBe('see [](|) here')
  leaveSlot(entered.view)
  expect(entered.shown).toBe('see | here')
  expect(linked().type('w').press('Backspace').shown).toBe('see [|]() here')
  expect(linked().type('w').moveTo(0).shown).toBe('|see w here')
})

test.each([
  ['|', 'https://a.org/b', '[https://a.org/b](https://a.org/b)|'],
  ['|', 'www.a.org', '[www.a.org](https://www.a.org)|'],
  ['|', 'https://a.org/(b', '[https://a.org/(b](<https://a.org/(b>)|'],
  ['|', 'words', '[words](|)'],
  ['|', 'a.org', '[a.org](|)'],
  ['https://a.org|', '', '[https://a.org](https://a.org)|']
])('[WRITE-220] Enter in the first field of a new link: %j, then %j', (before, typed, after) => {
  const writer = new Writer(before)
  writer.view.dispatch({ selection: { anchor: 0, head: before.length - 1 } })
  insertLink(writer.view)
  if (typed !== '') writer.type(typed)
  leaveSlot(writer.view)
  expect(writer.shown).toBe(after)
})

test.each([
  ['https://a.org', '', 'see [https://a.org](https://a.org) here'],
  ['a.org', '', 'see [a.org](https://a.org) here'],
  ['', 'https://a.org', 'see [https://a.org](https://a.org) here'],
  ['', 'a.org', 'see [https://a.org](https://a.org) here'],
  ['words', '', 'see words here'],
  ['words', 'a.org', 'see [words](https://a.org) here'],
  ['https://a.org', 'https://b.org', 'see [https://a.org](https://b.org) here']
])('[WRITE-220] a person leaves a new link with the text %j and the address %j', (words, address, after) => {
  const writer = new Writer('see | here')
  insertLink(writer.view)
  if (words !== '') writer.type(words)
  const at = writer.state.selection.main.head + ']('.length
  writer.moveTo(at)
  if (address !== '') writer.type(address)
  if (address === '') writer.moveTo(0)
  else leaveSlot(writer.view)
  expect(writer.state.doc.toString()).toBe(after)
})

test.each([
  ['a👍🏽|', 'a|'],
  ['👍👍🏽|b', '👍|b'],
  ['👩🏽‍💻|', '|'],
  ['x1️⃣|', 'x|']
])('[WRITE-244] Backspace in %j deletes the whole emoji', (before, after) => {
  expect(new Writer(before).press('Backspace').shown).toBe(after)
})

/** Makes the text from the start to `|` a link, enters an address, and leaves the link by Enter or by a click. */
function linkedTo(marked: string, address: string, isClick = false): string {
  const writer = new Writer(marked)
  writer.view.dispatch({ selection: { anchor: 0, head: marked.indexOf('|') } })
  insertLink(writer.view)
  if (address !== '') writer.type(address)
  if (isClick) writer.moveTo(0)
  else leaveSlot(writer.view)
  return writer.shown
}

test.each([
  ['https://a.org/b c', '[x](<https://a.org/b c>)|'],
  ['a.org/b c', '[x](<https://a.org/b c>)|'],
  ['<https://a.org/b c>', '[x](<https://a.org/b c>)|'],
  ['https://a.org/(b', '[x](<https://a.org/(b>)|'],
  ['https://a.org "Title"', '[x](https://a.org "Title")|'],
  ['https://a.org', '[x](https://a.org)|']
])('[WRITE-241] the new link to %j', (address, after) => {
  expect(linkedTo('x|', address)).toBe(after)
  expect(linkedTo('x|', 'https://a.org/b c', true)).toBe('|[x](<https://a.org/b c>)')
})

test('[WRITE-242] selected text stays plain if its new link is left without an address', () => {
  expect(linkedTo('a **b**| c', '')).toBe('a **b**| c')
  expect(linkedTo('a **b**| c', '', true)).toBe('|a **b** c')
  expect(linkedTo('one\n\ntwo| c', '', true)).toBe('|one\n\ntwo c')
})

test.each([
  ['one\n\ntwo| more', '[one](https://a.org)|\n\n[two](https://a.org) more'],
  ['# one\n- two\n  > three|', '# [one](https://a.org)|\n- [two](https://a.org)\n  > [three](https://a.org)'],
  ['one\nmore\n\ntwo|', '[one\nmore](https://a.org)|\n\n[two](https://a.org)'],
  ['one\n\n[a](b) x\n\n    code\n\n---\n\n`two`|', '[one](https://a.org)|\n\n[a](b) x\n\n    code\n\n---\n\n[`two`](https://a.org)']
])('[WRITE-243] in %j, each selected block becomes a link', (marked, after) => {
  expect(linkedTo(marked, 'a.org')).toBe(after)
})

test.each([
  ['[te|xt](https://a.org)', '[[', '[te\\[\\[|xt](https://a.org)'],
  ['[text|](https://a.org)', '[', '[text\\[|](https://a.org)'],
  ['![al|t](/f/p.png)', '[[', '![al\\[\\[|t](/f/p.png)'],
  ['[te\\|xt](https://a.org)', '[', '[te\\[|xt](https://a.org)'],
  ['[text](https://a|.org)', '[', '[text](https://a[|.org)'],
  ['[text](https://a.org) a|', '[[', '[text](https://a.org) a[[|'],
  ['te|xt', '[[', 'te[[|xt']
])('[WRITE-221] in %j a person types %j', (before, letters, after) => {
  const writer = new Writer(before).write(letters)
  expect(writer.shown).toBe(after)
  if (after.includes('\\[|')) expect(writer.press('Backspace').shown).toBe(after.replace('\\[|', '|'))
})

test('[WRITE-221] a new link whose text has brackets is whole', () => {
  const writer = new Writer('see |')
  insertLink(writer.view)
  writer.write('[[a]')
  expect(writer.shown).toBe('see [\\[\\[a\\]|]()')
  leaveSlot(writer.view)
  writer.write('a.org')
  leaveSlot(writer.view)
  expect(writer.shown).toBe('see [\\[\\[a\\]](https://a.org)|')
})

test('[WRITE-192] Backspace in the empty first field of a new link removes the link and keeps its text', () => {
  const linked = (marked: string): Writer => {
    const writer = new Writer(marked)
    insertLink(writer.view)
    return writer
  }
  expect(linked('see | here').press('Backspace').shown).toBe('see | here')
  expect(linked('see words| here').press('Backspace').shown).toBe('see words| here')
  expect(linked('- |').press('Backspace').shown).toBe('- |')
})

test('[WRITE-154] Escape removes a new link without an address and keeps its text', () => {
  const linked = (marked: string): Writer => {
    const writer = new Writer(marked)
    insertLink(writer.view)
    return writer
  }
  expect(linked('see | here').press('Escape').shown).toBe('see | here')
  expect(linked('see | here').type('w').press('Escape').shown).toBe('see w| here')
  expect(linked('see w|').press('Escape').shown).toBe('see w|')
  const filled = linked('see w|').type('a')
  expect(filled.press('Escape').shown).toBe('see [w](a|)')
  expect(filled.moveTo(0).press('Escape').shown).toBe('|see [w](a)')
})

test.each([
  ['the caret leaves it', ' ', (writer: Writer) => writer.moveTo(0)],
  ['Escape', ' ', (writer: Writer) => writer.press('Escape')],
  ['Escape, with text', 'a', (writer: Writer) => writer.press('Escape')]
])('[WRITE-154] undo does not restore a new link that ended without an address: %s', (_name, typed, end) => {
  const text = new Y.Doc().getText()
  text.insert(0, 'see')
  const undo = new Y.UndoManager(text, { captureTimeout: 500 })
  const note = typingSteps(undo)
  const writer = new Writer('see|', [typing.always, blockExtras.always, emptyLinks])
  // As the binding does, each change is written into the text.
  writer.made = (transaction) => {
    note(transaction)
    transaction.changes.iterChanges((from, to, _from, at, inserted) => {
      text.delete(at - inserted.length, to - from)
      text.insert(at - inserted.length, inserted.toString())
    })
  }
  writer.type(typed)
  undo.stopCapturing()
  insertLink(writer.view)
  expect(text.toString()).toContain(']()')
  undo.stopCapturing()
  end(writer)
  expect(text.toString()).toBe(`see${typed}`)
  undo.undo()
  expect(text.toString()).toBe('see')
})

test('[WRITE-146] Enter after Ctrl+End begins a line below a table at the end of the text', () => {
  const table = '| a |\n| - |\n| b |'
  expect(new Writer(`|x\n\n${table}`).press('Mod-End', 'Enter').type('c').shown).toBe(`x\n\n${table}\n\nc|`)
  const moved = new Writer(`|x\n\n${table}`).press('Mod-End').moveTo(0).press('Enter')
  expect(moved.shown).toBe(`\n|x\n\n${table}`)
})

test('[WRITE-169] Enter after Ctrl+End begins a line below collapsible text at the end of the text', () => {
  const text = '<details>\n<summary>Why?</summary>\n\nBecause\n\n</details>'
  expect(new Writer(`|x\n\n${text}`).press('Mod-End', 'Enter').type('c').shown).toBe(`x\n\n${text}\n\nc|`)
})

const collapsibleOf = (text: string, below = ''): string => `<details>\n<summary>Why?</summary>\n\n${text}\n\n</details>${below}`

test.each([
  [collapsibleOf('So|'), collapsibleOf('So', '\n\n|')],
  [collapsibleOf('So|', '\n\n'), collapsibleOf('So', '\n\n|')],
  [collapsibleOf('So|', '\n\nEnd'), collapsibleOf('So', '\n\n|\n\nEnd')],
  [collapsibleOf('So|', '\nEnd'), collapsibleOf('So', '\n\n|\n\nEnd')],
  [collapsibleOf(collapsibleOf('So|')), collapsibleOf(collapsibleOf('So', '\n\n|'))],
  ['<details>\n<summary>Why?</summary>\n\nSo|\n</details>', collapsibleOf('So', '\n\n|')],
  [collapsibleOf('So|\n\nMore'), collapsibleOf('So\n\n|\n\nMore')],
  ['So|\n\nMore', 'So\n\n|\n\nMore']
])('[WRITE-233] Enter twice after %j', (before, expected) => {
  expect(new Writer(before).press('Enter', 'Enter').shown).toBe(expected)
})

test('[WRITE-233] Enter on the only line of collapsible text leaves it, and on the empty item of a list it first leaves the list', () => {
  expect(new Writer(collapsibleOf('|')).press('Enter').shown).toBe('<details>\n<summary>Why?</summary>\n\n\n</details>\n\n|')
  const writer = new Writer(collapsibleOf('- a\n- |'))
  expect(writer.press('Enter').shown).toBe(collapsibleOf('- a\n\n|'))
  expect(writer.press('Enter').shown).toBe(collapsibleOf('- a\n', '\n\n|'))
  const source = new Writer(collapsibleOf('So|'), typing.always)
  expect(source.press('Enter', 'Enter').shown).toBe(collapsibleOf('So\n\n|'))
})

test.each([
  ['words|', '---', 'words\n\n---\n|'],
  ['a\n\none\ntwo|\nthree', '-----', 'a\n\none\ntwo\n\n-----\n|\nthree'],
  ['words|', '--', 'words\n--\n|'],
  ['words|', '===', 'words\n===\n|'],
  ['---\ntitle: words|', '---', '---\ntitle: words\n---\n|'],
  ['```\nwords|', '---', '```\nwords\n---\n|']
])('[WRITE-170] Enter after %j and a line of %j', (before, line, expected) => {
  const writer = new Writer(before)
  expect(writer.press('Enter').type(line).press('Enter').shown).toBe(expected)
})

test('[WRITE-170] the hyphens of a heading keep their meaning, and so do those in the source view', () => {
  expect(new Writer('words\n---|').press('Enter').shown).toBe('words\n---\n|')
  expect(new Writer('words\n--|').type('-').press('Enter').shown).toBe('words\n---\n|')
  const source = new Writer('words|', typing.always)
  expect(source.press('Enter').type('---').press('Enter').shown).toBe('words\n---\n|')
})

test.each([
  ['# Title\n\nwor|ds', '# x|Title\n\nwords'],
  ['> - [ ] Task\n\nwor|ds', '> - [ ] x|Task\n\nwords'],
  ['Title\n\nwor|ds', 'x|Title\n\nwords'],
  ['---\ntitle: a\n---\n\n# T|', 'x|---\ntitle: a\n---\n\n# T']
])('[WRITE-171] Ctrl+Home in %j', (before, typed) => {
  expect(new Writer(before).press('Mod-Home').type('x').shown).toBe(typed)
  expect(new Writer(before).press('Mod-Home', 'Mod-Home').type('x').shown).toBe(typed)
})

const leftTable = '{ a {\n{ - {\n\n'
const withBars = (text: string): string => text.replaceAll('{', '|')

test.each([
  [`${leftTable}|\nMiddle.`, `${leftTable}QQ|\n\nMiddle.`],
  [`${leftTable}|\n- item`, `${leftTable}QQ|\n\n- item`],
  ['> [!NOTE]\n> words\n|\nEnd.', '> [!NOTE]\n> words\n\nQQ|\n\nEnd.'],
  ['- item\n|', '- item\n\nQQ|'],
  ['# Head\n|\nwords', '# Head\nQQ|\n\nwords'],
  ['|\nwords', 'QQ|\n\nwords'],
  ['words\n|\nEnd.', 'words\nQQ|\nEnd.'],
  ['|\n```\na\n```', 'QQ|\n```\na\n```'],
  ['```\n\n|\na\n```', '```\n\nQQ|\na\n```'],
  ['---\na: b\n\n|\nc: d\n---\n\nwords', '---\na: b\n\nQQ|\nc: d\n---\n\nwords'],
  ['<!--\n\n|\na\n-->', '<!--\n\nQQ|\na\n-->']
])('[WRITE-333] letters typed in %j', (before, expected) => {
  const writer = new Writer('|')
  writer.view.dispatch({
    changes: { from: 0, insert: withBars(before.replace('|', '')) },
    selection: { anchor: before.indexOf('|') }
  })
  expect(writer.write('QQ').shown).toBe(withBars(expected))
})

test('[WRITE-333] a marker that is typed below a list continues the list', () => {
  expect(new Writer('- item\n|').write('-').write(' ').write('b').shown).toBe('- item\n- b|')
  expect(new Writer('> words\n|').write('>').write(' ').write('b').shown).toBe('> words\n> b|')
})

test('[WRITE-333] text that is typed after Enter has left a table', () => {
  const table = '| a |\n| - |\n'
  const writer = new Writer('|')
  writer.view.dispatch({ changes: { from: 0, insert: `${table}|   |\n\nMiddle.` }, selection: { anchor: table.length + 2 } })
  cellBelow(writer.view)
  expect(writer.write('QQ').shown).toBe(`${table}\nQQ|\n\nMiddle.`)
})

test('[COMP-128] the caret stays at the beginning of the text above a component, and goes below it from there', () => {
  const text = '```board\n## Todo\n```\n\nb'
  const writer = new Writer(`|${text}`, components({} as ReviewedView))
  expect(writer.moveTo(0).shown).toBe(`|${text}`)
  expect(writer.moveTo(text.lastIndexOf('`') + 1).shown).toBe(text.replace('\n\nb', '\n|\nb'))
  expect(writer.moveTo(0).type('a').shown).toBe(`a|\n\n${text}`)
})

test('[WRITE-145] [WRITE-152] a component with the selected match opens only if it does not show the match, and closes when find closes there', () => {
  const text = 'a\n\n```board\n## Todo\n- [ ] One\n- [ ] One\n```\n\nb'
  const start = EditorState.create({ doc: text, extensions: [markdown(), search(), components({} as ReviewedView)] })
  const drawn = (state: EditorState): number =>
    state.facet(EditorView.decorations).reduce((sum, set) => sum + (typeof set === 'function' ? 0 : set.size), 0)
  const query = new SearchQuery({ search: 'One' })
  const at = text.indexOf('One')
  const behind = text.indexOf('\n\nb') + 1
  const found = start.update({
    effects: setSearchQuery.of(query),
    selection: { anchor: at, head: at + 3 },
    userEvent: 'select.search'
  }).state
  expect([drawn(start), drawn(found), isAtMatch(found)]).toEqual([1, 1, true])
  // Changes by others keep it drawn, and so does the next match.
  const changed = found.update({ changes: { from: at + 5, insert: ' ' } }).state
  expect(drawn(changed)).toBe(1)
  const next = text.lastIndexOf('One')
  expect(drawn(found.update({ selection: { anchor: next, head: next + 3 }, userEvent: 'select.search' }).state)).toBe(1)
  expect(found.update({ effects: leftMatch.of(null) }).state.selection.main.head).toBe(behind)
  const opened = found.update({ effects: matchUnseen.of(null) }).state
  expect(drawn(opened)).toBe(0)
  // An open source stays open for the next match in it.
  expect(drawn(opened.update({ selection: { anchor: next, head: next + 3 }, userEvent: 'select.search' }).state)).toBe(0)
  const left = opened.update({ effects: leftMatch.of(null) }).state
  expect([drawn(left), left.selection.main.head]).toEqual([1, behind])
  // A caret that the person placed is no match, and its source stays open.
  const placed = found.update({ selection: { anchor: at + 1 } }).state
  expect([drawn(placed), isAtMatch(placed)]).toEqual([0, false])
})

test.each([
  ['a[^1]\n\n[^1]: Note|', 'a[^1]\n\n[^1]: Note\n\nx|'],
  ['a[^1]\n\n[^1]: The note|', 'a[^1]\n\n[^1]: The note\n\nx|'],
  ['[^1]: The note\ngoes on|\n\nb', '[^1]: The note\ngoes on\n\nx|\n\nb'],
  ['[^1]: One|\n[^2]: Two', '[^1]: One\n\nx|\n\n[^2]: Two'],
  ['[^1]: One two\n[^2]: Two|', '[^1]: One two\n[^2]: Two\n\nx|'],
  // The note goes on below, or there is no note.
  ['[^1]: One| two', '[^1]: One\nx|two'],
  ['[^1]: One|\ntwo', '[^1]: One\nx|\ntwo'],
  ['[^1]: One\n- two|', '[^1]: One\n- two\n- x|'],
  ['[^1]: One\n\ntwo|', '[^1]: One\n\ntwo\nx|'],
  ['```\n[^1]: One|\n```', '```\n[^1]: One\nx|\n```']
])('[WRITE-250] Enter and a letter in %j', (before, expected) => {
  expect(new Writer(before).press('Enter').type('x').shown).toBe(expected)
})

test('[WRITE-251] Enter in a note that was just inserted, and Escape in each note, go to the reference', () => {
  const inserted = (): Writer => {
    const writer = new Writer('So| on')
    footnote(writer.view)
    return writer.type('Why')
  }
  expect(inserted().press('Enter').type('x').shown).toBe('So[^1]x| on\n\n[^1]: Why')
  expect(inserted().press('Escape').shown).toBe('So[^1]| on\n\n[^1]: Why')
  const returned = inserted().moveTo(0)
  expect(returned.moveTo(returned.state.doc.length).press('Enter').type('x').shown).toBe('So[^1] on\n\n[^1]: Why\n\nx|')
  expect(new Writer('a[^b] c[^b]\n\n[^b]: No|te').press('Escape').shown).toBe('a[^b]| c[^b]\n\n[^b]: Note')
  expect(new Writer('a[^b]|\n\n[^b]: Note').press('Escape').shown).toBe('a[^b]|\n\n[^b]: Note')
})

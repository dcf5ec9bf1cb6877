/** Keys at the edges of formats, links, tables and components. */
import { defaultKeymap } from '@codemirror/commands'
import { EditorSelection, EditorState, type Extension, Transaction, type TransactionSpec } from '@codemirror/state'
import { search, SearchQuery, setSearchQuery } from '@codemirror/search'
import { EditorView, keymap } from '@codemirror/view'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { continueList, deleteMarker } from '../web/editor/commands-list.ts'
import { insertLink, toggleMarker } from '../web/editor/commands-inline.ts'
import { components } from '../web/components/blocks.ts'
import { isAtMatch } from '../web/editor/find/query.ts'
import { leftMatch, matchUnseen } from '../web/editor/inserts.ts'
import type { ReviewedView } from '../web/review/annotations/review.ts'
import { markdown } from '../web/editor/language.ts'
import { leaveSlot, slots } from '../web/editor/slots.ts'
import { blockExtras } from '../web/editor/setup/block-extras.ts'
import { typing } from '../web/editor/setup/typing.ts'
import { typingSteps } from '../web/editor/typing-steps.ts'

const keys = [{ key: 'Enter', run: continueList }, { key: 'Backspace', run: deleteMarker }, ...defaultKeymap]

/** An editor without a page. `|` in its text is the caret. */
class Writer {
  state: EditorState
  /** Number of changes of the text. */
  changes = 0
  /** Called with each transaction. */
  made: (transaction: Transaction) => void = () => undefined

  constructor(marked: string, extension: Extension = [typing.always, blockExtras.always, typing.live, blockExtras.live]) {
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

test('[WRITE-144] a new link that is left empty disappears; one with text or an address stays', () => {
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
  expect(linked().type('w').moveTo(0).shown).toBe('|see [w]() here')
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
  const writer = new Writer('see|', typing.always)
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

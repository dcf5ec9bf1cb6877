/** Slots, which Enter and Tab leave, and code fences that close automatically. */
import { EditorState, type Extension, type StateCommand, type TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { expect, test } from 'vitest'
import { closeFence } from '../web/editor/close-fence.ts'
import { closingFences } from '../web/editor/closing-fences.ts'
import { insertCodeBlock } from '../web/editor/commands-block.ts'
import { continueCode } from '../web/editor/commands-code.ts'
import { insertLink } from '../web/editor/commands-inline.ts'
import { linkFields } from '../web/editor/link-fields.ts'
import { markdown } from '../web/editor/language.ts'
import { completeAddress, leaveSlot, slots, slotsIn } from '../web/editor/slots.ts'

/** Text in which `‹` and `›` mark the selection, or `|` the caret. */
class Writer {
  state: EditorState

  constructor(marked: string, more: Extension = []) {
    const from = marked.search(/[‹|]/)
    const to = marked.includes('›') ? marked.indexOf('›') - 1 : from
    this.state = EditorState.create({
      doc: marked.replaceAll(/[‹›|]/g, ''),
      selection: { anchor: from, head: to },
      extensions: [markdown(), slots, closingFences, more]
    })
  }

  run(command: StateCommand): boolean {
    return command({ state: this.state, dispatch: (transaction) => (this.state = transaction.state) })
  }

  type(text: string): void {
    this.state = this.state.update(this.state.replaceSelection(text)).state
  }

  /** Types a letter as a person does. */
  press(letter: string): void {
    const view = { state: this.state, dispatch: (spec: TransactionSpec) => (this.state = this.state.update(spec).state) }
    const { head } = this.state.selection.main
    const plain = () => this.state.update(this.state.replaceSelection(letter))
    const handlers = this.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view as unknown as EditorView, head, head, letter, plain))) this.type(letter)
  }

  get shown(): string {
    const { from, to } = this.state.selection.main
    const text = this.state.doc.toString()
    return from === to ? `${text.slice(0, from)}|${text.slice(to)}` : `${text.slice(0, from)}‹${text.slice(from, to)}›${text.slice(to)}`
  }
}

test('[WRITE-52] an empty slot of a new link shows a placeholder, one with text is marked', () => {
  const drawn = ({ state }: Writer): string[] => {
    const found: string[] = []
    for (const set of state.facet(EditorView.decorations)) {
      if (typeof set === 'function') continue
      for (const cursor = set.iter(); cursor.value !== null; cursor.next())
        found.push(cursor.value.spec.widget?.words ?? state.sliceDoc(cursor.from, cursor.to))
    }
    return found
  }
  const writer = new Writer('see | here')
  writer.run(insertLink)
  expect(drawn(writer)).toEqual(['Text', 'Address'])
  writer.type('w')
  expect(drawn(writer)).toEqual(['w', 'Address'])
  writer.run(leaveSlot)
  writer.run(leaveSlot)
  expect(drawn(writer)).toEqual([])
})

test('[WRITE-154] the slots of a link end when its Markdown is gone, and stay when text around it changes', () => {
  const changed = (from: number, to: number, insert = ''): boolean => {
    const writer = new Writer('see | here')
    writer.run(insertLink)
    return slotsIn(writer.state.update({ changes: { from, to, insert } }).state) !== null
  }
  // The text is `see []() here`.
  expect([changed(4, 8), changed(4, 6), changed(7, 8), changed(0, 13)]).toEqual([false, false, false, false])
  expect([changed(0, 4), changed(4, 4, 'x'), changed(8, 13), changed(5, 5, '(a)')]).toEqual([true, true, true, true])
})

test.each([
  ['see | here', ['[', '](', ')']],
  ['see ‹words› here', ['[', '](', ')']],
  ['‹https://example.org›', ['[', '](https://example.org)']]
])('[WRITE-192] the live view hides the brackets of a new link: %j', (marked, expected) => {
  const writer = new Writer(marked, linkFields)
  const hidden = (): string[] => {
    const found: string[] = []
    for (const set of writer.state.facet(EditorView.decorations)) {
      if (typeof set === 'function') continue
      for (const cursor = set.iter(); cursor.value !== null; cursor.next())
        if (cursor.value.point && cursor.from < cursor.to) found.push(writer.state.sliceDoc(cursor.from, cursor.to))
    }
    return found
  }
  expect(hidden()).toEqual([])
  writer.run(insertLink)
  expect(hidden()).toEqual(expected)
  writer.run(leaveSlot)
  writer.run(leaveSlot)
  expect(hidden()).toEqual([])
})

test('[WRITE-36] Enter and Tab move from the words of a new link to its address and then out of it', () => {
  const writer = new Writer('see | here')
  writer.run(insertLink)
  expect(writer.shown).toBe('see [|]() here')
  writer.type('our site')
  expect(writer.run(leaveSlot)).toBe(true)
  expect(writer.shown).toBe('see [our site](|) here')
  writer.type('example.org/a?b')
  expect(writer.run(leaveSlot)).toBe(true)
  expect(writer.shown).toBe('see [our site](https://example.org/a?b)| here')
  expect(writer.run(leaveSlot)).toBe(false)
})

test('[WRITE-36] a selection becomes the words of a link, a selected address its address', () => {
  const words = new Writer('‹two words›.')
  words.run(insertLink)
  expect(words.shown).toBe('[two words](|).')
  words.run(leaveSlot)
  expect(words.shown).toBe('[two words]()|.')
  const address = new Writer('‹https://example.org›')
  address.run(insertLink)
  address.type('site')
  address.run(leaveSlot)
  expect(address.shown).toBe('[site](https://example.org)|')
})

test('[WRITE-36] a caret that moved elsewhere has left the slot', () => {
  const writer = new Writer('‹words› more')
  writer.run(insertLink)
  writer.state = writer.state.update({ selection: { anchor: writer.state.doc.length } }).state
  expect(writer.run(leaveSlot)).toBe(false)
})

test.each([
  ['example.org', 'https://example.org'],
  ['example.org:8080/x', 'https://example.org:8080/x'],
  ['müller.de#a', 'https://müller.de#a'],
  ['a.b@example.org', 'mailto:a.b@example.org'],
  ['http://example.org', 'http://example.org'],
  ['/d/x', '/d/x'],
  ['#part', '#part'],
  ['words', 'words'],
  ['tel:1.2', 'tel:1.2'],
  [' example.org ', 'https://example.org']
])('[WRITE-36] the address %j is completed to %j', (typed, expected) => {
  expect(completeAddress(typed)).toBe(expected)
})

test('[WRITE-37] a new code block has the caret in its code', () => {
  const empty = new Writer('one\n\n|')
  empty.run(insertCodeBlock)
  expect(empty.shown).toBe('one\n\n```\n|\n```')
  const lines = new Writer('‹a\nb›')
  lines.run(insertCodeBlock)
  expect(lines.shown).toBe('```\na\nb|\n```')
})

test.each([
  ['```|', '```\n|\n```'],
  ['```js|\n\nwords', '```js\n|\n```\n\nwords'],
  ['~~~~|', '~~~~\n|\n~~~~'],
  ['> ```|', '> ```\n> |\n> ```'],
  ['- ```|', '- ```\n  |\n  ```'],
  ['```|\n\n```js\nlet a\n```\n', '```\n|\n```\n\n```js\nlet a\n```\n'],
  ['```a\n```\n\n```board|', '```a\n```\n\n```board\n|\n```']
])('[WRITE-38] Enter closes the fence in %j', (before, after) => {
  const writer = new Writer(before)
  expect(writer.run(closeFence)).toBe(true)
  expect(writer.shown).toBe(after)
})

test.each([
  ['```js|', '  if (x) {↵```', '```js\n  if (x) {\n```|'],
  ['```|', '\ta↵```', '```\n\ta\n```|'],
  ['> ~~~|', '    ~~~', '> ~~~\n> ~~~|'],
  ['- ```|', '  a↵```', '- ```\n    a\n  ```|'],
  // A line with other characters is code.
  ['```|', 'a ```', '```\na ```|\n```'],
  ['```|', '  ~~~', '```\n  ~~~|\n```']
])('[WRITE-38] after Enter in %j, the keys %j leave one closing fence: %j', (before, keys, after) => {
  const writer = new Writer(before)
  writer.run(closeFence)
  for (const key of keys)
    if (key !== '↵') writer.press(key)
    else if (!writer.run(continueCode)) writer.type('\n')
  expect(writer.shown).toBe(after)
})

test.each([
  ['```js\na\n``|\n```\n\nb', '```js\na\n```|\n\nb'],
  // A shorter fence is code, and a fence below a block begins another one.
  ['````js\n``|\n````', '````js\n```|\n````'],
  ['a\n\n``|\n```\nb\n```', 'a\n\n```|\n```\nb\n```']
])('[WRITE-38] a backtick typed in %j gives %j', (before, after) => {
  const writer = new Writer(before)
  writer.press('`')
  expect(writer.shown).toBe(after)
})

test.each(['```js\nlet a\n```|', '```|\nlet a\n```\n', '```|js', 'a ```|', '``|', '```a`|'])(
  '[WRITE-38] Enter leaves %j as it is',
  (before) => {
    const writer = new Writer(before)
    expect(writer.run(closeFence)).toBe(false)
    expect(writer.shown).toBe(before)
  }
)

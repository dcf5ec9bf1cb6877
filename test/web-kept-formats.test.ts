/** Changes by a person across formats: the rest of the text keeps its formats. Random deletions are compared with a model. */
import { ensureSyntaxTree } from '@codemirror/language'
import { history, undo } from '@codemirror/commands'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { expect, test } from 'vitest'
import { textBetween } from '../web/editor/empty-marks.ts'
import { markdown } from '../web/editor/language.ts'
import { typing } from '../web/editor/setup/typing.ts'
import { slots } from '../web/editor/slots.ts'
import { hunksOf } from '../web/review/suggestions/hunks.ts'
import { seeded } from './support/typist.ts'

const link = '](https://a.example)'

/** Returns an editor's state. `‹` and `›` surround its selection, and `|` is its caret. */
function stateOf(marked: string, extension: Extension = [typing.always, typing.live]): EditorState {
  const [anchor, head] = marked.includes('|') ? [marked.indexOf('|')] : [marked.indexOf('‹'), marked.indexOf('›') - 1]
  const doc = marked.replaceAll(/[‹›|]/g, '')
  return EditorState.create({
    doc,
    selection: { anchor: anchor ?? 0, head: head ?? anchor ?? 0 },
    extensions: [markdown(), slots, extension]
  })
}

function shown({ doc, selection: { main } }: EditorState): string {
  return `${doc.sliceString(0, main.head)}|${doc.sliceString(main.head)}`
}

const replace = (state: EditorState, insert: string, userEvent: string): EditorState =>
  state.update({ ...state.replaceSelection(insert), userEvent }).state

test.each([
  ['‹Say **very› bold** now to all.', '| **bold** now to all.', 'x **bold** now to all.'],
  ['Say **very ‹bold** now› to all.', 'Say **very** | to all.', 'Say **very x** to all.'],
  [`See [our ‹guide${link} now›.`, `See [our${link} |.`, `See [our x${link}.`],
  ['some **bold words‹** ›', 'some **bold words|**', 'some **bold wordsx**'],
  ['a **‹word›** b', 'a | b', 'a **x** b'],
  ['a ‹**word**› b', 'a | b', 'a **x** b'],
  ['**‹a** b *c›*', '|', 'x'],
  ['*t‹en* *one›* b', '*t|* b', '*tx* b'],
  ['a **b** ‹and› **c**', 'a **b** | **c**', 'a **b** x **c**'],
  ['**a‹** and **›b** c', '**a|b** c', '**axb** c'],
  ['`co‹de` and *em›ph*', '`co|`*ph*', '`cox`*ph*'],
  ['# **He‹ad**\n\nand *em›ph* b', '# **He|***ph* b', '# **Hex***ph* b'],
  // The next letter would make these marks plain characters.
  ['a‹ ›_b_', 'a|*b*', 'ax*b*'],
  ['**a.**‹ ›b', '**a**.|b', '**a**.xb'],
  ['**use `npm`**‹ ›to b', '**use `npm`|to** b', '**use `npm`xto** b'],
  // A person can select and delete marks.
  ['a ‹**›b** c', 'a |b** c', 'a xb** c'],
  [`a [b](https://‹a.›example) c`, 'a [b](https://|example) c', 'a [b](https://xexample) c'],
  ['```\n**a ‹b** c›\n```', '```\n**a |\n```', '```\n**a x\n```']
])('[WRITE-180] deleting in %j', (before, expected, typed) => {
  const state = replace(stateOf(before), '', 'delete.selection')
  expect(shown(state)).toBe(expected)
  expect(replace(state, 'x', 'input.type').doc.toString()).toBe(typed)
})

test.each([
  ['Say **very ‹bold** now› to', 'x', 'input.type', 'Say **very x|** to'],
  ['‹Say **very› bold** now', 'x', 'input.type', 'x| **bold** now'],
  ['Say **very ‹bold** now› to', 'and\n\nthen', 'input.paste', 'Say **very** and\n\nthen| to'],
  ['Say **very| bold** now', 'a\n\nb', 'input.paste', 'Say **very**a\n\nb| **bold** now'],
  ['Say **very ‹bold** now› to', '\n', 'input', 'Say **very** \n| to'],
  ['- first **bold |words** here', '\n- ', 'input', '- first **bold** \n- **|words** here'],
  ['- first **|words** here', '\n- ', 'input', '- first \n- **|words** here']
])('[WRITE-180] %j, %j, %s', (before, insert, event, expected) => {
  expect(shown(replace(stateOf(before), insert, event))).toBe(expected)
})

test.each([
  ['a **‹bold›** b', '**bold**'],
  ['a **one ‹two› three** b', '**two**'],
  ['a **one‹ two› three** b', ' **two**'],
  ['a ***‹both›*** b', '***both***'],
  ['a ‹**bold**› b', '**bold**'],
  ['Say **very ‹bold** now› to', '**bold** now'],
  ['‹Say **very› bold** now', 'Say **very**'],
  [`see [our ‹guide${link} now›`, `[guide${link} now`],
  ['`npm ‹i` and *em›ph*', '`i` and *em*'],
  // Part of a link or of code is plain text, and so are marks that are selected alone.
  [`see [our ‹guide›${link} now`, 'guide'],
  ['`npm ‹install›`', 'install'],
  ['a ‹**›bold** b', '**'],
  ['```\n**a ‹b** c›\n```', 'b** c']
])('[WRITE-183] copying in %j', (before, expected) => {
  const state = stateOf(before)
  const text = state.sliceDoc(state.selection.main.from, state.selection.main.to)
  expect(state.facet(EditorView.clipboardOutputFilter).reduce((copied, filter) => filter(copied, state), text)).toBe(expected)
})

test.each([
  ['x|', '**two**', 'x**two**|'],
  ['**one | three**', '**two**', '**one two| three**'],
  ['**one | three**', '*two*', '**one *two|* three**'],
  ['**one | three**', `[two${link}`, `**one [two|${link} three**`],
  ['**one | three**', '![two](/f/two.png)', '**one ![two](/f/two.png)| three**'],
  ['**one | three**', 'a **two** b', '**one a two b| three**'],
  ['`one | three`', '**two**', '`one **two**| three`']
])('[WRITE-183] pasting into %j the text %j', (before, text, expected) => {
  expect(shown(replace(stateOf(before), text, 'input.paste'))).toBe(expected)
})

test('[WRITE-180] text that is dragged out of a format', () => {
  const state = stateOf('Say **very ‹bold** now› to all.\n\nend')
  const { from, to } = state.selection.main
  const changes = [
    { from, to },
    { from: state.doc.length, insert: 'moved' }
  ]
  const { newDoc } = state.update({ changes, selection: { anchor: 0 }, userEvent: 'move.drop' })
  expect(newDoc.toString()).toBe('Say **very**  to all.\n\nendmoved')
})

test('[WRITE-180] while suggesting, such a change is a single suggestion', () => {
  const state = stateOf('Say **very ‹bold** now› to all.')
  const { changes } = state.update({ ...state.replaceSelection(''), userEvent: 'delete.selection' })
  expect(hunksOf(state.doc, changes)).toMatchObject([{ original: ' bold** now', text: '** ' }])
})

test('[WRITE-180] one undo restores the text and the selection, and changes by others and in the source view stay as they are', () => {
  const marked = 'Say **very ‹bold** now› to all.'
  const before = stateOf(marked, [typing.live, history()])
  let state = replace(before, '', 'delete.cut')
  undo({ state, dispatch: (undone) => (state = undone.state) })
  expect([state.doc.toString(), state.selection.eq(before.selection)]).toEqual([before.doc.toString(), true])
  const raw = 'Say **very | to all.'
  expect(shown(replace(stateOf(marked, typing.always), '', 'delete.cut'))).toBe(raw)
  expect(shown(before.update(before.replaceSelection('')).state)).toBe(raw)
})

interface Letter {
  readonly at: number
  readonly letter: string
  /** The formats, or nothing for a space. */
  readonly formats: readonly string[]
}

/** Returns the characters that are not marks. */
function lettersOf(state: EditorState): Letter[] {
  const tree = ensureSyntaxTree(state, state.doc.length, 1000)
  return Array.from(state.doc.toString(), (letter, at) => ({ letter, at })).flatMap(({ letter, at }) => {
    const formats = new Set<string>()
    for (let node: SyntaxNode | null = tree?.resolveInner(at, 1) ?? null; node !== null; node = node.parent) {
      const text = textBetween(node)
      if (text === undefined) continue
      if (at < text.from || at >= text.to) return []
      formats.add(node.name)
    }
    return [{ at, letter, formats: letter === ' ' ? [] : [...formats].toSorted() }]
  })
}

const marks = [
  ['**', '**'],
  ['*', '*'],
  ['~~', '~~'],
  ['==', '=='],
  ['`', '`'],
  ['[', link]
] as const

/** Returns random words with formats within formats. */
function phrase(random: (below: number) => number, depth: number, used: string): string {
  const parts = Array.from({ length: 1 + random(3) }, () => {
    const [open, close] = marks[random(marks.length)]!
    if (depth === 0 || used.includes(`${open} `) || random(2) === 0) return ['one', 'six', 'ten', 'a', 'b'][random(5)]!
    return open + phrase(random, open === '`' ? 0 : depth - 1, `${used}${open} `) + close
  })
  return parts.join(' ')
}

test.each([...Array(200).keys()])('[WRITE-180] seed %i: a random deletion', (seed) => {
  const random = seeded(seed)
  const doc = phrase(random, 3, '')
  const before = stateOf(`|${doc}`)
  const [from = 0, to = 0] = [random(doc.length + 1), random(doc.length + 1)].toSorted((one, other) => one - other)
  const letters = lettersOf(before)
  const left = letters.filter(({ at }) => at < from || at >= to)
  // Only marks are selected.
  if (left.length === letters.length) return
  const after = before.update({ changes: { from, to }, userEvent: 'delete.selection' }).state
  const note = `${doc.slice(0, from)}‹${doc.slice(from, to)}›${doc.slice(to)} → ${after.doc.toString()}`
  const now = lettersOf(after)
  const words = left.map(({ letter }) => letter).join('')
  expect(now.map(({ letter }) => letter).join(''), note).toBe(words)
  // A format may extend over the word at the change.
  const seam = left.filter(({ at }) => at < from).length
  const start = words.slice(0, seam).lastIndexOf(' ') + 1
  const end = seam + `${words.slice(seam)} `.indexOf(' ')
  const expected = left.map(({ formats }, index) => {
    const own = now[index]?.formats ?? []
    return index >= start && index < end && formats.every((format) => own.includes(format)) ? own : formats
  })
  expect(
    now.map(({ formats }) => formats),
    note
  ).toEqual(expected)
})

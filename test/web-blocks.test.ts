/** Moving blocks: the resulting order, and the text that changes. */
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { expect, test } from 'vitest'
import { deleteBlock, duplicateBlock, moveBlock } from '../web/editor/blocks/commands.ts'
import { siblingsOf, unitAt } from '../web/editor/blocks/units.ts'
import { commandOf } from '../web/commands/all.ts'
import type { Page } from '../web/commands/page.ts'
import { setHeading, toggleList } from '../web/editor/commands-block.ts'
import { markdown } from '../web/editor/language.ts'
import { tiedText } from '../web/editor/tied-text.ts'

/** Creates the part of a view that commands use. */
function viewAt(doc: string, anchor: number, more: Extension = []) {
  let state = EditorState.create({ doc, selection: { anchor }, extensions: [markdown(), more] })
  ensureSyntaxTree(state, doc.length, 60_000)
  const view = {
    get state() {
      return state
    },
    /** Number of deleted and inserted characters. */
    touched: 0,
    dispatch(spec: TransactionSpec) {
      const transaction = state.update(spec)
      transaction.changes.iterChanges((from, to, _from, _to, insert) => (view.touched += to - from + insert.length))
      state = transaction.state
    }
  }
  return view
}

/** Creates a view of text in which `|` is the caret. */
const viewOf = (marked: string) => viewAt(marked.replace('|', ''), marked.indexOf('|'))

function after(marked: string, run: (view: EditorView) => boolean): string | false {
  const view = viewOf(marked)
  if (!run(view as unknown as EditorView)) return false
  const { head } = view.state.selection.main
  const text = view.state.doc.toString()
  return `${text.slice(0, head)}|${text.slice(head)}`
}

const [up, down] = [moveBlock(-1), moveBlock(1)]

const folding = '<details>\n<summary>S</summary>\n\none\n\ntwo\n\n</details>'

test.each([
  ['a paragraph above', `on|e\n\n${folding}`, false, `${folding}\n\non|e`],
  ['a paragraph below', `${folding}\n\non|e`, `on|e\n\n${folding}`, false],
  [
    'its summary',
    `a\n\n${folding.replace('S', 'S|')}\n\nb`,
    `${folding.replace('S', 'S|')}\n\na\n\nb`,
    `a\n\nb\n\n${folding.replace('S', 'S|')}`
  ],
  ['text in it', folding.replace('two', 'tw|o'), folding.replace('one\n\ntwo', 'tw|o\n\none'), `${folding.replace('two\n\n', '')}\n\ntw|o`],
  [
    'text in it, past more of the kind',
    `<details>\n<summary>T</summary>\n\n${folding}\n\nx|\n\n</details>`,
    `<details>\n<summary>T</summary>\n\nx|\n\n${folding}\n\n</details>`,
    `<details>\n<summary>T</summary>\n\n${folding}\n\n</details>\n\nx|`
  ],
  ['code that shows tags', `\`\`\`\n${folding}\n\`\`\`\n\nx|`, `x|\n\n\`\`\`\n${folding}\n\`\`\``, false]
])('[BLOCK-1] [WRITE-190] collapsible text moves as one block, and blocks pass it: %s', (_name, text, above, below) => {
  expect([after(text, up), after(text, down)]).toEqual([above, below])
})

test('[WRITE-190] collapsible text is deleted and duplicated with its tags, and a block can be dragged into it', () => {
  const text = `a\n\n${folding}\n\nb`
  expect(after(text.replace('S', 'S|'), deleteBlock)).toBe('a\n\n|b')
  expect(after(text.replace('S', 'S|'), duplicateBlock)).toBe(text.replace('S', 'S|').replace('\n\nb', `\n\n${folding}\n\nb`))
  const { state } = viewOf(`|${text}`)
  expect([siblingsOf(state, 0).length, siblingsOf(state, 0, 0, { isDrag: true }).length]).toEqual([3, 6])
  expect(unitAt(state, text.indexOf('</details>'))).toMatchObject({ from: 3, to: 3 + folding.length })
})

test.each([
  ['a paragraph past another', 'one\n\nt|wo\n\nthree', 't|wo\n\none\n\nthree', 'one\n\nthree\n\nt|wo'],
  ['all lines of a paragraph', 'one\n\ntwo\nt|oo', 'two\nt|oo\n\none', false],
  ['a heading alone', '# One\ntext\n\n# T|wo\nmore', '# One\n# T|wo\n\ntext\n\nmore', '# One\ntext\n\nmore\n# T|wo'],
  [
    'a table, with blank lines around it',
    '# H\n| a |\n|---|\n| |b |\n\ntext',
    '| a |\n|---|\n| |b |\n\n# H\n\ntext',
    '# H\ntext\n\n| a |\n|---|\n| |b |'
  ],
  [
    'code and components',
    'one\n\n```board\n## |x\n\n- [ ] y\n```\ntwo',
    '```board\n## |x\n\n- [ ] y\n```\n\none\n\ntwo',
    'one\n\ntwo\n```board\n## |x\n\n- [ ] y\n```'
  ],
  ['a quote', 'a\n\n> b|\n> c\n\nd', '> b|\n> c\n\na\n\nd', 'a\n\nd\n\n> b|\n> c'],
  ['an item with its contents', '- a\n- b|\n  - c\n\n    d\n- e', '- b|\n  - c\n\n    d\n- a\n- e', '- a\n- e\n- b|\n  - c\n\n    d'],
  ['an item within an item', '- a\n  - b\n  - c|\n- d', '- a\n  - c|\n  - b\n- d', false],
  ['an item that leaves its list', 'text\n\n- a|\n- b\n- c', '- a|\n\ntext\n\n- b\n- c', 'text\n\n- b\n- a|\n- c'],
  ['an item that comes into a list', '- a|\n\ntext\n\n- b\n- c', false, 'text\n\n- a|\n- b\n- c'],
  ['a paragraph past a list', '- a\n- b\n\nte|xt', 'te|xt\n\n- a\n- b', false],
  [
    'a paragraph from between two lists',
    '- a\n- b\n\nte|xt\n\n- c',
    'te|xt\n\n- a\n- b\n\n<!-- -->\n\n- c',
    '- a\n- b\n\n<!-- -->\n\n- c\n\nte|xt'
  ],
  ['a numbered item', '1. a\n2. b|\n3. c', '1. b|\n2. a\n3. c', '1. a\n2. c\n3. b|'],
  ['a numbered item that gets a longer number', '9. a|\n   - x\n10. b', false, '9. b\n10. a|\n    - x'],
  ['numbers that are all one', '1. a\n1. b|', '1. b|\n1. a', false],
  ['below the front matter', '---\ntitle: x\n---\n\none\n\nt|wo', '---\ntitle: x\n---\n\nt|wo\n\none', false],
  ['in the front matter', '---\nti|tle: x\n---\n\none', false, false],
  ['dashes below a paragraph', 'a\n\n---|\nb', '---|\n\na\n\nb', 'a\n\nb\n\n---|'],
  [
    'code by indentation below a list',
    '- a\n\ntext|\n\n    code',
    'text|\n\n- a\n\n<!-- -->\n\n    code',
    '- a\n\n<!-- -->\n\n    code\n\ntext|'
  ]
])('[BLOCK-1] up and down: %s', (_name, text, above, below) => {
  expect(after(text, up)).toBe(above)
  expect(after(text, down)).toBe(below)
})

test('[BLOCK-2] when two blocks swap places, the one with fewer comments, else the shorter, is rewritten', () => {
  const long = 'word '.repeat(200).trim()
  for (const [text, run] of [
    [`sh|ort\n\n${long}`, down],
    [`sh|ort\n\n${long}`.split('\n\n').toReversed().join('\n\n'), up],
    [`|${long}\n\nshort`, down],
    [`short\n\n|${long}`, up]
  ] as const) {
    const view = viewOf(text)
    expect(run(view as unknown as EditorView)).toBe(true)
    expect(view.touched).toBe(2 * 'short\n\n'.length)
  }
  // A comment is anchored to the shorter text.
  const tied = viewAt(
    `short\n\n${long}`,
    0,
    tiedText.of((_state, from) => Number(from === 0))
  )
  expect(down(tied as unknown as EditorView)).toBe(true)
  expect(tied.touched).toBe(2 * `${long}\n\n`.length)
})

test('[BLOCK-3] a block is duplicated below itself and deleted with one of its gaps', () => {
  expect(after('one|\n\ntwo', duplicateBlock)).toBe('one|\n\none\n\ntwo')
  expect(after('- a|\n  - b\n- c', duplicateBlock)).toBe('- a|\n  - b\n- a\n  - b\n- c')
  expect(after('> a|\n\nb', duplicateBlock)).toBe('> a|\n\n> a\n\nb')
  expect(after('one\n\nt|wo\n\nthree', deleteBlock)).toBe('one\n\n|three')
  expect(after('one\n\nt|wo', deleteBlock)).toBe('one|')
  expect(after('o|ne\n\ntwo', deleteBlock)).toBe('|two')
  expect(after('- a\n- b|\n  - c\n- d', deleteBlock)).toBe('- a\n|- d')
  expect(after('- a\n\nte|xt\n\n- b', deleteBlock)).toBe('- a\n\n<!-- -->\n\n|- b')
})

const kinds = [
  'words\nmore words',
  '# Heading',
  'Under\n-----',
  '> quote\n> more',
  '```js\ncode\n\ncode\n```',
  '| a |\n|---|\n| b |',
  '---',
  '- a\n  - b\n- c',
  '* a\n\n* b',
  '3. a\n4. b\n   more',
  '    code\n\n    code',
  '$$\nx\n$$',
  '<div>\nhtml'
]

const comment = '<!-- -->'

/** Returns the parsed blocks of the text, without the numbers of items. */
const blocksOf = (text: string): string[] => {
  const state = EditorState.create({ doc: text, extensions: [markdown()] })
  // Parsing must finish, even on a busy machine.
  ensureSyntaxTree(state, text.length, 60_000)
  return siblingsOf(state, 0).map(({ name, from, to }) => `${name}: ${text.slice(from, to).replaceAll(/^\d+/g, '1')}`)
}

test('[BLOCK-4] a moved block and its neighbors keep their meaning, no matter what is around them', () => {
  const wrong: string[] = []
  let moves = 0
  for (const one of kinds)
    for (const two of kinds)
      // The loop covers every pair of kinds, but not every combination of three.
      for (const three of kinds.filter((_kind, index) => (index + kinds.indexOf(one)) % 3 === 0)) {
        const text = [one, two, three].join('\n\n')
        const before = blocksOf(text)
        // Text that parses as one block cannot test three.
        if ([one, two, three].flatMap(blocksOf).join('\0') !== before.join('\0')) continue
        for (const run of [up, down]) {
          const view = viewAt(text, one.length + 2)
          if (!run(view as unknown as EditorView)) continue
          moves++
          const moved = view.state.doc.toString()
          const is = blocksOf(moved).filter((block) => !block.endsWith(comment))
          if (is.toSorted().join('\0') !== before.toSorted().join('\0')) wrong.push(`${text}\n======\n${moved}`)
        }
      }
  expect(wrong).toEqual([])
  expect(moves).toBeGreaterThan(1000)
})

test.each([
  ['- [ ] br|ead', '# br|ead', setHeading(1)],
  ['  1. br|ead', '## br|ead', setHeading(2)],
  ['* br|ead', '# br|ead', setHeading(1)],
  ['### br|ead', '# br|ead', setHeading(1)],
  ['# br|ead', '- br|ead', toggleList('bullet')],
  ['## br|ead', '- [ ] br|ead', toggleList('task')]
])('[BLOCK-14] %s becomes %s', (before, wanted, run) => {
  expect(after(before, run)).toBe(wanted)
})

test.each([
  ['### br|ead', 'br|ead', 'none'],
  ['- [ ] br|ead', 'br|ead', 'none'],
  ['br|ead', 'br|ead', 'none'],
  ['br|ead', '##### br|ead', '5'],
  ['# br|ead', '###### br|ead', '6']
])('[WRITE-160] %s becomes %s by the key for %s', (before, wanted, id) => {
  const command = commandOf(`heading.${id}`)
  expect(command.keys).toEqual([`Mod-Alt-${id.replace('none', '0')}`])
  expect(after(before, (view) => command.run({ editor: { value: { view } } } as Page) !== false)).toBe(wanted)
})

test.each([
  ['a\n|', 'a\n\n- |', toggleList('bullet')],
  ['a\n|', 'a\n\n1. |', toggleList('number')],
  ['a\n|', 'a\n- [ ] |', toggleList('task')],
  ['# a\n|', '# a\n- |', toggleList('bullet')],
  ['- a\n|', '- a\n- |', toggleList('bullet')],
  ['a\nb|', 'a\n- b|', toggleList('bullet')],
  ['a\n\n|', 'a\n\n- |', toggleList('bullet')]
])('[WRITE-155] the command of a list on the empty line of %j', (before, wanted, run) => {
  expect(after(before, run)).toBe(wanted)
})

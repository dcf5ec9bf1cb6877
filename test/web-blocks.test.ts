/** Moving blocks: the resulting order, and the text that changes. */
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { expect, test } from 'vitest'
import { deleteBlock, duplicateBlock, moveBlock } from '../web/editor/blocks/commands.ts'
import { draggedBlocks, stretchOf } from '../web/editor/blocks/dragged.ts'
import { indexOf, outsideDrop } from '../web/editor/blocks/item-target.ts'
import { itemsMoved } from '../web/editor/blocks/item-moves.ts'
import { itemsOf, levelsAt, placeAt } from '../web/editor/blocks/items.ts'
import { indexAt, siblingsOf, unitAt } from '../web/editor/blocks/units.ts'
import { commandOf } from '../web/commands/all.ts'
import type { Page } from '../web/commands/page.ts'
import { textMap } from '../web/editor/binding.ts'
import { insertCodeBlock, setHeading, toggleQuote } from '../web/editor/commands-block.ts'
import { toggleList } from '../web/editor/list-kinds.ts'
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

test('[BLOCK-20] the keys and the handle of a selected block move all selected blocks, and the handle of another block moves it alone', () => {
  const text = 'one\n\ntwo\n\nthree\n\nfour'
  const view = viewAt(text, text.indexOf('ne'))
  view.dispatch({ selection: { anchor: 1, head: text.indexOf('wo') } })
  const taken = (words: string): string | undefined => {
    const unit = unitAt(view.state, text.indexOf(words))
    const chosen = unit && draggedBlocks(view.state, unit)
    return chosen && view.state.sliceDoc(stretchOf(chosen).from, stretchOf(chosen).to)
  }
  expect(['one', 'two', 'three'].map(taken)).toEqual(['one\n\ntwo', 'one\n\ntwo', 'three'])
  expect(down(view as unknown as EditorView)).toBe(true)
  expect(view.state.doc.toString()).toBe('three\n\none\n\ntwo\n\nfour')
  expect(down(view as unknown as EditorView)).toBe(true)
  expect(up(view as unknown as EditorView)).toBe(true)
  expect(view.state.doc.toString()).toBe('three\n\none\n\ntwo\n\nfour')
})

/** Drags the items of the selection to the place after an item, at a level. Returns the text, with the caret. */
function dragged(marked: string, below: string, depth: number): string | undefined {
  const view = viewOf(marked)
  const unit = unitAt(view.state, marked.indexOf('|'))
  const chosen = unit && draggedBlocks(view.state, unit)
  if (chosen === undefined) return undefined
  const own = stretchOf(chosen)
  const place = placeAt(view.state, itemsOf(view.state), own, view.state.doc.toString().indexOf(below), () => true)
  const level = place && levelsAt(place).find((each) => each.depth === depth)
  const spec = place && level && itemsMoved(view.state, chosen, { place, level })
  if (spec === undefined) return undefined
  view.dispatch(spec)
  const { head } = view.state.selection.main
  const text = view.state.doc.toString()
  return `${text.slice(0, head)}|${text.slice(head)}`
}

test.each([
  ['to the level below the item above', '- a\n- b|\n  - c\n- d', 'a', 1, '- a\n  - b|\n    - c\n- d'],
  ['out of an item', '- a\n  - b|\n- c', 'c', 0, '- a\n- c\n- b|'],
  ['into another item', '- a|\n\n  text\n- b\n  - c', 'c', 1, '- b\n  - c\n  - a|\n\n    text'],
  ['into another list', '- a|\n- b\n\ntext\n\n1. c\n2. d', 'c', 0, '- b\n\ntext\n\n1. c\n2. a|\n3. d'],
  ['into a sublevel of another list', '1. a|\n2. b\n\ntext\n\n- c', 'c', 1, '1. b\n\ntext\n\n- c\n  1. a|'],
  ['a nested item with its number', '1. a\n   1. b|\n   2. c\n2. d', 'd', 0, '1. a\n   1. c\n2. d\n3. b|'],
  ['below a numbered item', '9. a\n10. b|\n    - x', 'a', 1, '9. a\n   1. b|\n      - x'],
  ['a task', '- [ ] a\n- [x] b|', 'a', 1, '- [ ] a\n  - [x] b|']
])('[BLOCK-21] a dragged item comes with its sublist: %s', (_name, text, below, depth, expected) => {
  expect(dragged(text, below, depth)).toBe(expected)
})

test.each([
  ['between paragraphs', 'x\n\n- a\n  - b|\n    - c\n- d\n\ny\n\nz', 'z', 'x\n\n- a\n- d\n\ny\n\n- b|\n  - c\n\nz'],
  ['to the beginning, and the rest of its list begins again', '# H\ny\n\n- a\n  1. b|\n  2. c', '# H', '1. b|\n\n# H\ny\n\n- a\n  1. c'],
  ['below a heading', '# H\ny\n\n- a\n  - b|', 'y', '# H\n\n- b|\n\ny\n\n- a'],
  ['below front matter', '---\nt: x\n---\n\ny\n\n- a\n  - b|', 'y', '---\nt: x\n---\n\n- b|\n\ny\n\n- a'],
  ['to the start of another list', 'x\n\n1. a\n\ny\n\n- c\n  - b|', '1. a', 'x\n\n1. b|\n2. a\n\ny\n\n- c']
])('[BLOCK-32] a nested item leaves its list: %s', (_name, marked, above, expected) => {
  for (const ties of [0, 1000]) {
    const view = viewAt(
      marked.replace('|', ''),
      marked.indexOf('|'),
      tiedText.of((_state, from, to) => (to - from < 10 ? ties : 0))
    )
    const unit = unitAt(view.state, marked.indexOf('|'))
    const chosen = unit && draggedBlocks(view.state, unit)
    const units = siblingsOf(view.state, 0, view.state.doc.length)
    const drop = outsideDrop(view.state, units, indexAt(units, view.state.doc.toString().indexOf(above)))
    const spec = chosen && itemsMoved(view.state, chosen, drop)
    if (spec !== undefined) view.dispatch(spec)
    const { head } = view.state.selection.main
    const text = view.state.doc.toString()
    expect(`${text.slice(0, head)}|${text.slice(head)}`).toBe(expected)
  }
})

const listTexts = [
  '- a\n  - b\n    - c\n  - d\n- e\n\ntext\n\n1. f\n2. g\n   - h\n3. i',
  '9. a\n   - b\n10. c\n    1. d\n\n    more\n\n       code\n\n- e\n\n- f\n\n  - g\n\nend',
  '# H\n\n* [ ] a\n  * [x] b\n* c\n  lazy\n\ntext\n\n- d'
]

/** Returns the depth and the words of each item, without its marker. */
const shapeOf = (state: EditorState): string[] =>
  itemsOf(state).map(({ unit, depth }) => `${depth} ${state.doc.lineAt(unit.from).text.replace(/^[ \t]*[^ ]+ */, '')}`)

test.each([0, 1])('[BLOCK-21] a dragged item comes to its level, and all others stay as they were: %j', (ties) => {
  const wrong: string[] = []
  let moves = 0
  for (const text of listTexts) {
    const { state } = viewAt(
      text,
      0,
      tiedText.of((_state, from, to) => (ties === 0 ? 0 : 1000 - (to - from)))
    )
    for (const { unit, depth } of itemsOf(state)) {
      const chosen = draggedBlocks(state, unit)
      if (chosen === undefined) continue
      const all = itemsOf(state)
      const rest = all.filter((each) => each.unit.from < unit.from || each.unit.from > unit.to)
      for (const item of rest)
        for (const isLower of [false, true]) {
          const place = placeAt(state, all, unit, item.unit.from, () => isLower)
          for (const level of place === undefined ? [] : levelsAt(place)) {
            // The blocks of one list swap places as all other blocks do.
            if (indexOf(chosen, level) !== undefined) continue
            const spec = place && itemsMoved(state, chosen, { place, level })
            if (spec === undefined) continue
            moves++
            const next = state.update(spec).state
            ensureSyntaxTree(next, next.doc.length, 60_000)
            const own = shapeOf(state).slice(all.findIndex((each) => each.unit.from === unit.from))
            const count = all.length - rest.length
            const taken = own.slice(0, count).map((line) => line.replace(/^\d+/, (digits) => String(Number(digits) + level.depth - depth)))
            const others = shapeOf(state).filter((line) => !own.slice(0, count).includes(line))
            const at = place?.above === undefined ? rest.findIndex((each) => each === place?.below) : rest.indexOf(place.above) + 1
            const expected = others.toSpliced(at, 0, ...taken)
            if (shapeOf(next).join() !== expected.join())
              wrong.push(`${text}\n=== ${own[0]} to ${at}, ${level.depth}\n${next.doc.toString()}`)
          }
        }
    }
  }
  expect(wrong).toEqual([])
  expect(moves).toBeGreaterThan(50)
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

test.each([
  ['a list', toggleList('number')],
  ['headings', setHeading(2)],
  ['a quote', toggleQuote],
  ['a code block', insertCodeBlock as unknown as (view: EditorView) => boolean]
])('[WRITE-260] while suggesting, %s is one change', (_name, run) => {
  const view = viewAt('a\nb\nc', 0, textMap.of({ shown: (at) => at, stored: (at) => at }))
  let count = 0
  const dispatch = (spec: TransactionSpec): void => {
    view.state.update(spec).changes.iterChanges(() => void count++)
    view.dispatch(spec)
  }
  view.dispatch({ selection: { anchor: 0, head: 5 } })
  run({ state: view.state, dispatch } as unknown as EditorView)
  expect(count).toBe(1)
  expect(view.state.doc.lines).toBeGreaterThan(2)
})

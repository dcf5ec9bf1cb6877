import fc from 'fast-check'
import { expect, test } from 'vitest'
import { outlineOf, sectionsNamed } from '../shared/text/outline.ts'
import { applyEdits } from '../shared/text/diff.ts'
import { type Operation, resolve } from '../shared/text/operations.ts'
import { sourceOf } from '../shared/text/resolution.ts'
import { isUnresolved } from '../shared/text/resolved.ts'

const apply = (text: string, operation: Operation): string => {
  const found = resolve(sourceOf(text), operation)
  if (isUnresolved(found)) return found.code
  return applyEdits(text, 'length' in found ? found : [found])
}

const text = '# Plan\n\nIntro.\n\n## Risks\n\n- one\n- two\n\n### Deep\n\nx\n\n## Costs\n\nMuch.\n'

test('[OUTLINE-1] headings of both kinds have level, title, line and the end of their section', () => {
  const found = outlineOf(text).map(({ level, title, line, from, to }) => [
    level,
    title,
    line,
    text.slice(from, from + 4),
    text.slice(to, to + 8)
  ])
  expect(found).toEqual([
    [1, 'Plan', 1, '# Pl', ''],
    [2, 'Risks', 5, '## R', '## Costs'],
    [3, 'Deep', 10, '### ', '## Costs'],
    [2, 'Costs', 14, '## C', '']
  ])
  expect(outlineOf('Title\n=====\n\nSub\n---\nx').map(({ level, title, line }) => [level, title, line])).toEqual([
    [1, 'Title', 1],
    [2, 'Sub', 4]
  ])
})

test.each([
  ['```\n# code\n```\n# Text', ['Text']],
  ['~~~ md\n# a\n```\n# b\n~~~\n# c', ['c']],
  ['```js\nx\n# open to the end', []],
  ['---\ntitle: x\n---\n# One', ['One']],
  ['- item\n---\n# One', ['One']],
  ['#hashtag\n\n####### seven\n\n# ', ['']],
  ['# **Bold** [link](x) `code` #', ['Bold link code']],
  ['    # code\n\ntext\n\n---\n', []],
  ['', []]
])('[OUTLINE-2] %j has the headings %j', (markdown, titles) => {
  expect(outlineOf(markdown).map(({ title }) => title)).toEqual(titles)
})

test('[OUTLINE-3] sections are named by title, level and path; exact matches come first', () => {
  const twice = '# A\n\n## Notes\n\n# B\n\n## Notes\n\n### notes\n'
  const lines = (name: string): number[] => sectionsNamed(outlineOf(twice), name).map(({ line }) => line)
  expect(lines('Notes')).toEqual([3, 7])
  expect(lines('notes')).toEqual([9])
  expect(lines('NOTES')).toEqual([3, 7, 9])
  expect(lines('## notes')).toEqual([3, 7])
  expect(lines('B > Notes')).toEqual([7])
  expect(lines('b > notes')).toEqual([7, 9])
  expect(lines('C')).toEqual([])
})

test('[OUTLINE-4] in every text sections lie within it, nest, and begin at their heading', () => {
  const line = fc.constantFrom('# a', '## b', '### c', 'text', '', '```', '---', '===', '- x', '> q', '~~~')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (parts) => {
      const markdown = parts.join('\n')
      const outline = outlineOf(markdown)
      for (const [index, { from, bodyFrom, to, line: number }] of outline.entries()) {
        expect(from).toBeLessThan(bodyFrom)
        expect(bodyFrom).toBeLessThanOrEqual(to)
        expect(to).toBeLessThanOrEqual(markdown.length)
        expect(markdown.slice(0, from).split('\n').length).toBe(number)
        for (const other of outline.slice(index + 1)) expect(other.from >= to || other.to <= to).toBe(true)
      }
    })
  )
})

test.each<[string, Operation, string]>([
  ['words', { op: 'replace', find: 'Much', with: 'Little' }, text.replace('Much', 'Little')],
  ['words by occurrence', { op: 'replace', find: '##', with: '#', occurrence: 2 }, text.replace('### Deep', '# Deep'.replace('# ', '## '))],
  ['words away', { op: 'delete', find: '- one\n' }, text.replace('- one\n', '')],
  ['after words', { op: 'insert', markdown: '!', after: 'Intro.' }, text.replace('Intro.', 'Intro.!')],
  ['before words', { op: 'insert', markdown: '>', before: 'Intro.' }, text.replace('Intro.', '>Intro.')],
  ['at the start', { op: 'insert', markdown: 'Hello', at: 'start' }, `Hello\n\n${text}`],
  ['at the end', { op: 'insert', markdown: 'Bye', at: 'end' }, `${text}\nBye\n`],
  ['to the document', { op: 'append', markdown: 'Bye\n' }, `${text}\nBye\n`],
  [
    'to a section with sections below',
    { op: 'append', section: 'Risks', markdown: 'more' },
    text.replace('x\n\n## Costs', 'x\n\nmore\n\n## Costs')
  ],
  ['to a list', { op: 'append', section: 'Deep', markdown: '- y' }, text.replace('x\n\n## Costs', 'x\n\n- y\n\n## Costs')],
  ['to the last section', { op: 'append', section: 'Costs', markdown: 'More.' }, `${text}\nMore.\n`],
  ['below a heading', { op: 'replace_section', section: 'Costs', markdown: 'None.' }, text.replace('Much.', 'None.')],
  [
    'a heading, too',
    { op: 'replace_section', section: 'Costs', markdown: '## Prices\n\nNone.' },
    text.replace('## Costs\n\nMuch.', '## Prices\n\nNone.')
  ],
  ['a section away', { op: 'replace_section', section: 'Deep', markdown: '' }, text.replace('### Deep\n\nx\n\n', '### Deep\n\n')],
  ['lines', { op: 'replace_lines', from: 7, to: 8, markdown: '- three\n' }, text.replace('- one\n- two', '- three')],
  ['lines away', { op: 'replace_lines', from: 7, to: 8, markdown: '' }, text.replace('- one\n- two\n', '')],
  ['all of it', { op: 'set_document', markdown: 'new' }, 'new'],
  ['words that are not there', { op: 'delete', find: 'nowhere' }, 'target_not_found'],
  ['words that are there twice', { op: 'delete', find: 'o' }, 'target_ambiguous'],
  ['a section that is not there', { op: 'append', section: 'Nowhere', markdown: 'x' }, 'target_not_found'],
  ['lines that are not there', { op: 'replace_lines', from: 99, to: 100, markdown: 'x' }, 'target_not_found'],
  ['reversed lines', { op: 'replace_lines', from: 3, to: 2, markdown: 'x' }, 'target_not_found']
])('[OPERATION-1] %s', (_what, operation, expected) => {
  expect(apply(text, operation)).toBe(expected)
})

test.each<[string, string, string]>([
  ['', 'x', 'x\n'],
  ['a', 'x', 'a\n\nx\n'],
  ['a\n', 'x', 'a\n\nx\n'],
  ['a\n\n', 'x', 'a\n\nx\n'],
  ['- a\n', '- x', '- a\n- x\n'],
  ['- a', '1. x', '- a\n1. x\n'],
  ['> a\n', '> x', '> a\n> x\n'],
  ['| a |\n', '| x |', '| a |\n| x |\n'],
  ['- a\n', 'x', '- a\n\nx\n'],
  ['a\n', '\n\nx\n\n', 'a\n\nx\n'],
  ['a\n', '', 'a\n']
])('[OPERATION-2] appending to %j what is %j: blocks stay separate, lists and tables continue', (before, markdown, after) => {
  expect(apply(before, { op: 'append', markdown })).toBe(after)
})

const table = 'Intro.\n\n| Name | Count |\n|---|--:|\n| a \\| b | 1 |\n| c |  |\n\nEnd.\n'
const lists = '# A\n\n- [ ] one\n- [x] two\n  - nested\n\nText.\n\n# B\n\n9. nine\n10. ten\n\n    more of ten\n\n# C\n\n* x\n\n* y\n'

test.each<[string, Operation, string, [string, string]]>([
  ['a row', { op: 'append_row', cells: ['x|y', '2'] }, table, ['| c |  |\n', '| c |  |\n| x\\|y | 2 |\n']],
  ['fewer cells', { op: 'append_row', cells: ['z'], header: ['count'] }, table, ['| c |  |\n', '| c |  |\n| z |  |\n']],
  ['a cell by names', { op: 'set_cell', row: 'a | b', column: 'Count', text: '7' }, table, ['| 1 |', '| 7 |']],
  ['an empty cell', { op: 'set_cell', row: 2, column: 2, text: '5' }, table, ['| c |  |', '| c | 5 |']],
  [
    'a cell that its row lacks',
    { op: 'set_cell', row: 1, column: 3, text: 'q' },
    '| a | b | c |\n|-|-|-|\n| 1 |\n',
    ['| 1 |', '| 1 |  | q |']
  ],
  ['a row without outer bars', { op: 'append_row', cells: ['1', '2'] }, 'a | b\n-|-\nx | y\n', ['x | y\n', 'x | y\n1 | 2\n']],
  ['a row in a quote', { op: 'append_row', cells: ['1', '2'] }, '> | a | b |\n> |-|-|\n', ['> |-|-|\n', '> |-|-|\n> | 1 | 2 |\n']],
  [
    'a sheet',
    { op: 'append_row', sheet: 's', cells: ['1', '2'] },
    '```sheet #s\n| a | b |\n|---|---|\n```\n',
    ['|---|\n', '|---|\n| 1 | 2 |\n']
  ],
  [
    'backslashes next to bars',
    { op: 'append_row', cells: ['x\\|y', 'a\\'] },
    '| a | b |\n|---|---|\n',
    ['|---|\n', '|---|\n| x&#92;\\|y | a&#92; |\n']
  ],
  ['a cell of a sheet', { op: 'set_cell', sheet: '#s', row: 2, column: 'B', text: '9' }, '```sheet #s\na,x\n1,2\n```\n', ['1,2', '1,9']],
  ['a heading of a sheet', { op: 'set_cell', sheet: 's', row: 1, column: 2, text: 'y' }, '```sheet #s\na,x\n1,2\n```\n', ['a,x', 'a,y']],
  [
    'a cell of a sheet by names',
    { op: 'set_cell', sheet: 's', row: '1', column: 'b', text: '9' },
    '```sheet #s\na,b\n1,2\n```\n',
    ['1,2', '1,9']
  ],
  ['a task', { op: 'check', item: 'one', checked: true }, lists, ['[ ] one', '[x] one']],
  ['a task taken back', { op: 'check', item: 'TWO', checked: false }, lists, ['[x] two', '[ ] two']],
  ['an item', { op: 'append_item', section: 'A', markdown: 'three' }, lists, ['nested\n', 'nested\n- [ ] three\n']],
  ['a numbered item', { op: 'append_item', item: 'nine', markdown: 'next' }, lists, ['of ten\n', 'of ten\n11. next\n']],
  ['an item of a loose list', { op: 'append_item', section: 'C', markdown: 'z' }, lists, ['* y\n', '* y\n\n* z\n']],
  [
    'an item above a quote',
    { op: 'append_item', item: 'two', markdown: 'three' },
    '- one\n- two\n\n> - q\n',
    ['- two\n', '- two\n- three\n']
  ],
  [
    'an item of a list above a quote',
    { op: 'append_item', item: 'one', markdown: 'x' },
    '- one\n- two\n> - q\n',
    ['- two\n', '- two\n- x\n']
  ],
  ['an item of a quoted list', { op: 'append_item', item: 'q', markdown: 'x' }, '> - q\n\n> - r\n', ['> - q\n', '> - q\n> - x\n']],
  ['an item with a quote in it', { op: 'append_item', item: 'a', markdown: 'b' }, '- a\n\n  > q\n', ['> q\n', '> q\n- b\n']],
  ['an item above a rule', { op: 'append_item', item: 'a', markdown: 'b' }, '- a\n***\n', ['- a\n', '- a\n- b\n']],
  ['the last item of a loose list', { op: 'append_item', item: 'y', markdown: 'z' }, '- x\n\n- y\n', ['- y\n', '- y\n\n- z\n']],
  ['an item with its marker', { op: 'append_item', item: 'a', markdown: '- b\n  more' }, '1. a\n', ['a\n', 'a\n2. b\n   more\n']],
  ['an item with its number', { op: 'append_item', item: 'a', markdown: '7. b' }, '* a\n', ['a\n', 'a\n* b\n']],
  ['a task with its box', { op: 'append_item', item: 'a', markdown: '- [ ] b' }, '- [x] a\n', ['a\n', 'a\n- [ ] b\n']],
  ['a task that is done', { op: 'append_item', item: 'a', markdown: '[x] b' }, '- [ ] a\n', ['a\n', 'a\n- [x] b\n']],
  ['a nested item', { op: 'append_item', item: 'nested', markdown: 'more' }, lists, ['- nested\n', '- nested\n  - more\n']]
])('[EDIT-21] %s changes only its target', (_what, operation, text, [old, now]) => {
  expect(apply(text, operation)).toBe(text.replace(old, now))
})

test('[EDIT-22] every exact occurrence is replaced, within a section, if the number is as expected', () => {
  expect(apply('a b a\n', { op: 'replace_all', find: 'a', with: 'aa' })).toBe('aa b aa\n')
  expect(apply('# X\n\na\n\n# Y\n\na\n', { op: 'replace_all', find: 'a', with: 'b', section: 'Y' })).toBe('# X\n\na\n\n# Y\n\nb\n')
  expect(apply('a b a\n', { op: 'replace_all', find: 'a', with: 'c', expected: 3 })).toBe('target_ambiguous')
  expect(apply('a b a\n', { op: 'replace_all', find: 'a', with: 'c', expected: 2 })).toBe('c b c\n')
  expect(apply('aaa', { op: 'replace_all', find: 'aa', with: 'b' })).toBe('ba')
  expect(apply('A', { op: 'replace_all', find: 'a', with: 'b' })).toBe('target_not_found')
  expect(apply('A', { op: 'replace_all', find: 'a', with: 'b', expected: 0 })).toBe('A')
})

test('[EDIT-23] missing or ambiguous targets return the candidates', () => {
  const twice = `${table}\n${table}`
  const found = (text: string, operation: Operation) => resolve(sourceOf(text), operation)
  expect(found(twice, { op: 'append_row', cells: ['x'] })).toMatchObject({
    code: 'target_ambiguous',
    candidates: [{ line: 3 }, { line: 12 }]
  })
  expect(apply(twice, { op: 'append_row', cells: ['x'], table: 2 })).toBe(
    `${table}\n${table.replace('| c |  |\n', '| c |  |\n| x |  |\n')}`
  )
  expect(found(table, { op: 'append_row', cells: ['x'], header: ['Nope'] })).toMatchObject({
    code: 'target_not_found',
    candidates: [{ line: 3 }]
  })
  expect(found(table, { op: 'append_row', cells: ['1', '2', '3'] })).toMatchObject({ code: 'invalid_request' })
  expect(found(table, { op: 'set_cell', row: 'z', column: 1, text: 'x' })).toMatchObject({
    code: 'target_not_found',
    candidates: [{ line: 5 }, { line: 6 }]
  })
  expect(found(table, { op: 'set_cell', row: 1, column: 9, text: 'x' })).toMatchObject({ code: 'target_not_found' })
  expect(found('- [ ] go on\n- [ ] go off\n', { op: 'check', item: 'go', checked: true })).toMatchObject({
    candidates: [{ line: 1 }, { line: 2 }],
    hint: expect.stringContaining('occurrence')
  })
  expect(found(table, { op: 'set_cell', row: 1, column: 'B', text: 'x' })).toMatchObject({
    message: expect.stringContaining('columns are')
  })
  expect(found('- one\n', { op: 'check', item: 'one', checked: true })).toMatchObject({ code: 'target_not_found' })
  expect(found(lists, { op: 'append_item', markdown: 'x' })).toMatchObject({ candidates: [{ line: 3 }, { line: 11 }, { line: 18 }] })
  expect(found('```\n- [ ] one\n| a |\n|---|\n```\n', { op: 'check', item: 'one', checked: true })).toMatchObject({
    code: 'target_not_found'
  })
})

/** Parsers of text written by others: the results of hand-written scanners, and their speed on hostile text. The growth guard is in test/faults. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBoard } from '../shared/fences/board.ts'
import { parseChart } from '../shared/fences/chart.ts'
import { parseChat } from '../shared/fences/chat.ts'
import { fencesOf } from '../shared/fences/fences.ts'
import { fenceOf } from './support/fence.ts'
import { parseWidget } from '../shared/fences/widget.ts'
import { plainHeading, titleIn } from '../shared/names.ts'
import { merge } from '../shared/text/merge.ts'
import { resolve } from '../shared/text/operations.ts'
import { sourceOf } from '../shared/text/resolution.ts'
import { outlineOf, sectionsNamed } from '../shared/text/outline.ts'
import { atxOf, withoutEnds, withoutFootnotes, withoutTargets } from '../shared/text/scan.ts'

const piece = fc.constantFrom(
  ' ',
  '  ',
  '\t',
  '#',
  '##',
  'a',
  'b ',
  '[',
  ']',
  '(',
  ')',
  '!',
  '[^',
  '\n',
  '\r',
  '\u2028',
  '---',
  '|',
  '>',
  '<',
  '^',
  '{{',
  '}}',
  ':'
)
const short = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
const runs = { numRuns: 3000 }

/** The earlier regular expressions. They are correct on short text, and slow on long text. */
const former = {
  atx(line: string) {
    const [, marks, title = ''] = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line) ?? []
    return marks === undefined ? undefined : { level: marks.length, title }
  },
  footnotes: (text: string) => text.replace(/\[\^[^\]\s]+\]/g, ''),
  targets: (text: string) => text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1'),
  ends: (text: string) => text.replace(/^\n+|\n+$/g, ''),
  column: (line: string) => /^(?:##[ \t]+)(.*?)[ \t]*$|^##$/.exec(line),
  day: (line: string) => /^-{3,}[ \t]*(.*?)[ \t]*$/.exec(line)?.[1],
  setting: (line: string) => /^type[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line)?.[1]
}

test('[LINEAR-3] in short text, hand-written scanners find the same matches as regular expressions', () => {
  const oneLine = (text: string): string => text.replaceAll('\n', '')
  fc.assert(
    fc.property(short, (text) => {
      expect(atxOf(text)).toEqual(former.atx(text))
      expect(withoutFootnotes(text)).toBe(former.footnotes(text))
      expect(withoutTargets(text)).toBe(former.targets(text))
      expect(withoutEnds(text, '\n')).toBe(former.ends(text))
      const line = oneLine(text)
      const column = former.column(`##${line}`)
      expect(parseBoard(fenceOf('board', `##${line}`)).columns.map(({ title }) => title.text)).toEqual(
        column === null ? [] : [column[1] ?? '']
      )
      const day = former.day(`---${line}`)
      expect(parseChat(fenceOf('chat', `---${line}`)).entries.map((entry) => entry.kind === 'day' && entry.text)).toEqual([day ?? false])
      const setting = former.setting(`type:${line}`)
      expect(parseChart(fenceOf('chart', `type:${line}`)).settings.map(({ value }) => value.text)).toEqual(
        setting === undefined ? [] : [setting]
      )
    }),
    runs
  )
})

const kilobytes = (unit: string, size: number): string => unit.repeat(Math.ceil((size * 1024) / unit.length))
const spaces = ' '.repeat(40_000)
const deep = `${'- '.repeat(20_000)}x`

// With the earlier parsers, each of these took between a second and an hour. Now all of them together take a few tenths of a second.
test.each<readonly [string, () => unknown]>([
  ['a heading of spaces that ends a line', () => titleIn(`# ${' '.repeat(19_000)}\u2028`)],
  ['an outline of such headings', () => outlineOf(`# ${spaces}\u2028\n#${spaces}x\u2028`)],
  ['a heading of highlights', () => plainHeading('==a '.repeat(50_000))],
  ['a heading of one highlight', () => plainHeading(`==a${' '.repeat(200_000)}`)],
  ['a heading of brackets', () => plainHeading('['.repeat(200_000))],
  ['a heading of beginnings of footnotes', () => plainHeading('[^'.repeat(100_000))],
  ['a heading of beginnings of links', () => plainHeading('[a]('.repeat(50_000))],
  ['a path among many sections', () => sectionsNamed(outlineOf(kilobytes('# a\n## a\n', 80)), 'b > a')],
  ['beginnings of comments with an end that is none', () => fencesOf(`${kilobytes('<!--\n', 200)}--> x`)],
  ['beginnings of formulas in quotes', () => fencesOf(`${kilobytes('> $$x\n\n', 200)}$$`)],
  ['beginnings of formulas in items', () => fencesOf(`${kilobytes('- $$x\n', 200)}$$`)],
  ['deep items with empty lines', () => fencesOf(`${deep}\n${'\n'.repeat(40_000)}`)],
  ['deep items in a quote with empty lines', () => fencesOf(`> ${deep}\n${'>\n'.repeat(40_000)}`)],
  ['deep items in front of a fence with empty lines', () => fencesOf(`${deep}\n${' '.repeat(40_002)}\`\`\`board\n${'\n'.repeat(40_000)}`)],
  ['deep items and lines of spaces', () => fencesOf(`${deep}\n${`${' '.repeat(2000)}\n`.repeat(100)}`)],
  ['marks of a fence that is none', () => fencesOf(`${'~'.repeat(200_000)}\u2028`)],
  ['the title of a column', () => parseBoard(fenceOf('board', `## ${spaces}\u2028`))],
  ['a day of a chat', () => parseChat(fenceOf('chat', `---${spaces}\u2028`))],
  ['a message of an old form', () => parseChat(fenceOf('chat', `< ${spaces}x`))],
  ['a setting of a chart', () => parseChart(fenceOf('chart', `type:${spaces}\u2028`))],
  ['the state of a widget', () => parseWidget(fenceOf('widget', `<!-- state ${spaces}x${spaces}y`))],
  [
    'blocks with empty lines at the end',
    () => resolve(sourceOf(`${'\n'.repeat(80_000)}x`), { op: 'append', markdown: `${'\n'.repeat(80_000)}x` })
  ],
  ['a merge of changes in every second line', () => merge(kilobytes('a\nb\n', 60), kilobytes('a\nc\n', 60), kilobytes('d\nb\n', 60))],
  ['a merge of two new texts', () => merge('', kilobytes('a\n', 400), kilobytes('b\n', 400))]
])('[LINEAR-2] %s takes no time', (_name, read) => {
  // The CPU time of this thread excludes other work on the machine.
  const start = process.threadCpuUsage()
  read()
  const { user, system } = process.threadCpuUsage(start)
  expect((user + system) / 1000).toBeLessThan(1000)
})

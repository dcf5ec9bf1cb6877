/** The inputs and the timing of the growth guard. It measures how a parser's time grows with the text, even on a busy machine. */

import { repeats } from '../support/repeats.ts'

/** Number of UTF-16 units in one KB of text. */
const unitsPerKilobyte = 1024

const runOf =
  (unit: string) =>
  (kilobytes: number): string =>
    unit.repeat(Math.ceil((kilobytes * unitsPerKilobyte) / unit.length)).slice(0, kilobytes * unitsPerKilobyte)

/** Returns a short beginning, a long run, and an end that does not match the beginning. */
const between = (head: string, unit: string, tail: string) => (kilobytes: number) => head + runOf(unit)(kilobytes) + tail

/** Half of the text opens containers on one line, and the other half consists of lines inside them. */
const nested =
  (mark: string, line: string) =>
  (kilobytes: number): string =>
    `${runOf(mark)(kilobytes / 2)}x\n${runOf(line)(kilobytes / 2)}`

const opening = (mark: string) => (kilobytes: number) => runOf(`${mark}\n`)(kilobytes)

/** Strings to repeat: marks of Markdown, of component fences, of formulas and of addresses. */
const units = [
  [' ', '\t', '#\n', '<!--', '<!--\n', '$$', '$$x\n', '> ', '> \n', '- ', '- \n', '`', '~', '[', '[^', '[a](', ']('],
  ['![', '*', '*a ', '_', '|', '| \n', '\n', '\n ', '&', '&a', '\\', '\u2028', '\r', '"', '""\t', "='", '='],
  ['@a', '@a.', '<a', '1. ', 'a\n\n', 'ä😀']
].flat()

/** Families of hostile text. Each returns text of the given size in KB. */
export const families: Readonly<Record<string, (kilobytes: number) => string>> = {
  ...Object.fromEntries(units.map((unit) => [JSON.stringify(unit), runOf(unit)])),
  'spaces that end a line': between('# ', ' ', '\u2028x'),
  'spaces before a word': between('a', ' ', 'b'),
  'dashes before a word': between('', '- ', 'x'),
  'empty lines before a word': between('a', '\n', 'b'),
  'comments with an end that is none': between('', '<!--\n', '--> x'),
  'formulas in quotes': between('', '> $$x\n\n', '$$'),
  'formulas in items': between('', '- $$x\n', '$$'),
  'items and empty lines': nested('- ', '\n'),
  'quotes and empty lines': nested('> ', '\n'),
  'quotes and empty quotes': nested('> ', '>\n'),
  'items in a quote and empty quotes': (kilobytes) => `> ${nested('- ', '>\n')(kilobytes)}`,
  'footnotes and empty lines': nested('[^a]:', '\n'),
  'numbers and spaces': nested('1. ', `${' '.repeat(60)}\n`),
  'fences that are not closed': opening('```'),
  'long fences that are not closed': opening('~~~~~'),
  boards: opening('```board'),
  'an open board of headings': between('```board\n', '## a\n- b @c #d\n', ''),
  'an open chat': between('```chat\n', '[2020-01-01T00:00Z] @a: b\n\n', ''),
  'an open sheet': between('```sheet\n', '1,=A1,"x\n', ''),
  'an open table': between('```sheet\n| a |\n|---|\n', '| =A1 |\n', ''),
  'an open chart': between('```chart\ntype: bar\n\n', '1,2\n', ''),
  'an open widget': between('```widget\n', '<!-- state ', ''),
  mixed: between('# a\n\n', '> - [a](b) **c** `d` $e$ <!-- f\n\n```\n| g |\n', '')
}

/** Returns the CPU time of this thread, in milliseconds. It excludes other work on the machine. */
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Kernels may count CPU time in ticks of 4 ms (CONFIG_HZ=250). A measured time can therefore be one tick too short. */
const tickMs = 4
/** Times below this are noise, in milliseconds. */
const floorMs = repeats(40, 100)
/** Largest allowed ratio of the times for two sizes, one of which is twice the other. It is compared with the average of the last two doublings. */
const ratioMax = 2.5
/** Largest allowed ratio of the times for two steps, of which one is four times the other. Quadratic time gives 16. */
const stepRatioMax = 9
const rounds = 8
/** Runs that take longer than this are not measured again, in milliseconds. */
const hopelessMs = 1000

/** Size of the largest text, in KB. */
const largest = repeats(128, 256)
/** Each step is four times as large as the one before, so a very slow parser is found while the text is still small. */
const steps = [largest / 64, largest / 16, largest / 4, largest]
const judged = { from: largest / 4, to: largest }

/**
 * Returns a description of the growth if a parser's time grew too fast, and otherwise undefined. The shortest of several times counts, and a size
 * that fails is measured again.
 */
export const growthOf = (read: (text: string) => unknown, family: (kilobytes: number) => string): string | undefined => {
  const times = new Map<number, number>()
  const timeOf = (size: number): number => times.get(size) ?? Number.POSITIVE_INFINITY
  const measure = (size: number): void => {
    const text = family(size)
    const start = threadMs()
    read(text)
    times.set(size, Math.min(timeOf(size), threadMs() - start))
  }
  const fault = (from: number, to: number, ratio: number): string | undefined => {
    const isSlow = (): boolean => timeOf(to) > floorMs && timeOf(to) > ratio * (timeOf(from) + tickMs)
    for (let round = 1; round < rounds && isSlow() && timeOf(to) < hopelessMs; round++) {
      measure(from)
      measure(to)
    }
    return isSlow() ? `${from} KB: ${timeOf(from).toFixed(1)} ms, ${to} KB: ${timeOf(to).toFixed(1)} ms` : undefined
  }
  for (const size of steps) {
    measure(size)
    const found = fault(size / 4, size, stepRatioMax)
    if (found !== undefined) return found
  }
  return fault(judged.from, judged.to, ratioMax ** Math.log2(judged.to / judged.from))
}

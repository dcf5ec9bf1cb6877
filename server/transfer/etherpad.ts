/**
 * Reads a pad that Etherpad exported as `.etherpad`, and writes its text as Markdown with bold, italic and struck-out text, lists and headings. The
 * file is JSON.
 * `pad:NAME` has the text with its attributes; `pad:NAME:revs:N` has the changes, and `pad:NAME:chat:N` the chat.
 *
 *   attribs   operation…
 *   operation attribute (`*` and its number)… · number of line breaks? (`|` and the number) · number of characters (`+` and the number), in base 36
 */
import { z } from 'zod'

const Pad = z.object({
  atext: z.object({ text: z.string(), attribs: z.string() }),
  pool: z.object({ numToAttrib: z.record(z.string(), z.tuple([z.string(), z.unknown()])) }),
  head: z.number().int().min(0).optional(),
  chatHead: z.number().int().optional(),
  savedRevisions: z.array(z.unknown()).optional()
})

const LastRevision = z.object({ meta: z.object({ timestamp: z.number() }) })

type Marks = Readonly<Record<string, string>>

interface Run {
  readonly text: string
  readonly marks: Marks
}

/** Yields the runs of characters with the same attributes. Ends early if the attributes do not match the text. */
function* runsOf(text: string, attribs: string, pool: z.infer<typeof Pad>['pool']): Generator<Run> {
  let at = 0
  let marks: Record<string, string> = {}
  for (const [token] of attribs.matchAll(/[*|+][0-9a-z]+/g)) {
    const number = Number.parseInt(token.slice(1), 36)
    const pair = pool.numToAttrib[String(number)]
    if (token.startsWith('*') && pair !== undefined) marks[pair[0]] = String(pair[1])
    if (!token.startsWith('+')) continue
    yield { text: text.slice(at, at + number), marks }
    at += number
    marks = {}
  }
  if (at < text.length) yield { text: text.slice(at), marks: {} }
}

/** Divides runs into lines. */
const linesOf = (runs: Iterable<Run>): Run[][] => {
  const lines: Run[][] = [[]]
  for (const { text, marks } of runs)
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ text: part, marks })
    })
  return lines
}

const signs = [
  ['bold', '**'],
  ['italic', '*'],
  ['strikethrough', '~~']
] as const

/** Returns a run in Markdown. The spaces at its ends stay outside the marks, because Markdown would otherwise not read them as marks. */
const inline = ({ text, marks }: Run): string => {
  const core = text.trim()
  if (core === '') return text
  const around = signs.filter(([name]) => marks[name] === 'true').map(([, sign]) => sign)
  const start = text.indexOf(core)
  return text.slice(0, start) + around.join('') + core + around.toReversed().join('') + text.slice(start + core.length)
}

/** Returns the Markdown before a line with these attributes. */
const prefixOf = ({ list = '', heading = '' }: Marks): string => {
  const [, kind = '', level = '1'] = /^([a-z]+)(\d{1,2})$/.exec(list) ?? []
  const indent = '    '.repeat(Math.max(0, Math.min(16, Number(level)) - 1))
  if (kind === 'bullet') return `${indent}- `
  if (kind === 'number') return `${indent}1. `
  if (kind === 'indent') return `${indent}> `
  const depth = /^h([1-6])$/.exec(heading)?.[1]
  return depth === undefined ? '' : `${'#'.repeat(Number(depth))} `
}

/** Returns the text of a line. A line that has attributes begins with a marker character that is not part of the text. */
const lineText = (runs: readonly Run[]): string => {
  const [first, ...rest] = runs
  const isMarked =
    first !== undefined && first.text.startsWith('*') && ('list' in first.marks || 'heading' in first.marks || 'lmkr' in first.marks)
  if (!isMarked) return runs.map(inline).join('')
  return prefixOf(first.marks) + [{ ...first, text: first.text.slice(1) }, ...rest].map(inline).join('')
}

export interface PadText {
  readonly text: string
  /** The time of the last change, in milliseconds since 1970, if the file contains it. */
  readonly at?: number
  readonly notes: readonly string[]
}

const notesOf = ({ chatHead = -1, savedRevisions = [] }: z.infer<typeof Pad>): string[] => [
  ...(chatHead >= 0 ? [`has ${chatHead + 1} chat messages, which are left out`] : []),
  ...(savedRevisions.length > 0 ? [`has ${savedRevisions.length} saved revisions; only the last text is imported`] : [])
]

/** Returns the text of a pad. Returns the reason as a string if the file is not a pad. */
export const etherpadText = (bytes: Uint8Array): PadText | string => {
  let found: Record<string, unknown>
  try {
    found = z.record(z.string(), z.unknown()).parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch {
    return 'is not a pad that Etherpad exported. Export the pad again as .etherpad'
  }
  const names = Object.keys(found).filter((name) => /^pad:[^:]+$/.test(name))
  const [name = ''] = names
  const pad = Pad.safeParse(found[name])
  if (names.length !== 1 || !pad.success) return 'is not a pad that Etherpad exported. Export the pad again as .etherpad'
  const { atext, pool, head } = pad.data
  const lines = linesOf(runsOf(atext.text, atext.attribs, pool)).map(lineText)
  const last = LastRevision.safeParse(found[`${name}:revs:${head}`])
  return { text: lines.join('\n'), ...(last.success && { at: Math.floor(last.data.meta.timestamp) }), notes: notesOf(pad.data) }
}

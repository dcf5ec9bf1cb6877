import { createRequire } from 'node:module'
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { expect, test } from 'vitest'
import { type Fence, fenceAt, fenceKinds, fencesOf, parseInfo } from '../shared/fences/fences.ts'

const { tests: examples } = createRequire(import.meta.url)('commonmark-spec') as { tests: { markdown: string }[] }
const markdownIt = new MarkdownIt({ html: false })

/** First line, kind and contents of each component fence, as markdown-it has them. */
const asRendered = (text: string): [number, string, string][] =>
  markdownIt
    .parse(text, {})
    .filter(({ type, info }) => type === 'fence' && (fenceKinds as readonly string[]).includes(parseInfo(info).kind))
    .map(({ map, info, content }) => [map?.[0] ?? -1, parseInfo(info).kind, content.trimEnd()])

const asFound = (text: string): [number, string, string][] =>
  fencesOf(text).map(({ line, kind, lines }) => [
    line,
    kind,
    lines
      .map(({ text: content }) => `${content}\n`)
      .join('')
      .trimEnd()
  ])

/** The only fence of a text. */
const one = (text: string): Fence => {
  const [fence, ...others] = fencesOf(text)
  if (fence === undefined || others.length > 0) throw new Error(`not one fence: ${text}`)
  return fence
}

test('[FENCE-1] fences are found where the renderer finds them: in quotes, lists, longer and unclosed ones', () => {
  for (const { markdown } of examples) {
    const text = markdown.replaceAll(/(`{3,}|~{3,})(?!`|~)[ ]*\w*/g, '$1board').replaceAll('→', '\t')
    expect([text, asFound(text)]).toEqual([text, asRendered(text)])
  }
  const piece = fc.constantFrom(
    ...['> ', '>', '- ', '* ', '1. ', '2. ', '10) ', '  ', '    ', '```', '````', '~~~', '```board', '```sheet #a', '~~~chat'],
    ...['text', '\n', '\n', '\n', '\n\n', '# ', '---', '`', '| a |', 'board']
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      expect([text, asFound(text)]).toEqual([text, asRendered(text)])
    }),
    { numRuns: 5000 }
  )
})

/** Checks the countable language rules in CONTRIBUTING.md: words and sentence openings that plain English avoids. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Sentence, sentencesOfComments, sentencesOfPapers, sentencesOfStrings } from './support/prose.ts'

const root = join(import.meta.dirname, '..')
const papers = ['ARCHITECTURE.md', 'README.md', 'SECURITY.md', 'test/README.md', 'test/SPEC.md', ...globSync('docs/**/*.md', { cwd: root })]
const sources = ['shared', 'server', 'cli', 'web']

const comments = sentencesOfComments([...sources, 'scripts', 'test'])
const sentences = [...sentencesOfPapers(papers), ...sentencesOfStrings(sources), ...comments]

/** Matches a sentence whose subject is a clause. Only complete sentences match, so that questions and headings pass. */
const clause = /^(?:What|Whatever|Who|Whoever|Whom|Whose|Those|Of)\b.*\.["”]?$/

/** Returns the sentences that match. Text in quotation marks is ignored, because it is only mentioned. */
const found = (all: readonly Sentence[], pattern: RegExp): string[] =>
  all.filter(({ text }) => pattern.test(text.replaceAll(/“[^”]*”/g, '“”'))).map(({ file, text }) => `${file}: ${text}`)

test('[HOUSE-13] documents, rules, strings and comments have no sentence with a clause as its subject', () => {
  expect(clause.test('What is acknowledged was on disk before.')).toBe(true)
  expect(clause.test('What did you find?')).toBe(false)
  expect(sentences.length).toBeGreaterThan(5000)
  expect(found(sentences, clause)).toEqual([])
})

test('[HOUSE-14] documents, rules, strings and comments say “again”, not “anew”', () => {
  expect(comments.length).toBeGreaterThan(5000)
  expect(found(sentences, /\banew\b/i)).toEqual([])
})

/** Phrases that translations from German tend to have, each with the usual English. */
const translated: readonly (readonly [RegExp, string])[] = [
  [
    /\b[Aa] text\b(?![ -](?:alternative|change|edit|editor|entry|field|file|node|recognition|run|selection)\b)/,
    'text, the text, a string, a document'
  ],
  [/\b[Aa]n? (?:empty|entire|hostile|large|long|new|real|short|typed|whole) text\b(?! (?:field|file))/, 'text, a document'],
  [/\b[Ff]urther (?!apart|away|down|effect|in|on|out|than|up)[a-z]/, 'other, more, another'],
  [/\bin the meantime\b/, 'since, by then, meanwhile'],
  [/, also (?:after|during|if|when|while)\b/, 'even after'],
  [/, (?:whatever|whoever|whichever (?!comes|is))/, 'no matter what'],
  [/\b[Aa]t start\b/, 'at startup'],
  [/\bof our own\b/, 'our own'],
  [/\b[Ww]hite space\b/, 'whitespace'],
  [/\b[Pp]rocessor time\b/, 'CPU time'],
  [/\b(?:an?|the|its|their|mixed|CR|LF) line end\b|\bline ends (?:of|are)\b/, 'line ending'],
  [/\b(?:by|By) (?:keyboard|mouse|pointer|finger)\b/, 'with the keyboard'],
  [/\bat the latest\b/, 'no later than'],
  [/\bafterwards\b/, 'afterward'],
  [/\bfor ever\b/, 'forever'],
  [/\banswers? (?:is )?[1-5]\d\d\b/, 'responds with, the response is']
]

test('[HOUSE-20] documents, rules, strings and comments have no phrase of a translation', () => {
  const wrong = translated.flatMap(([pattern, usual]) => found(sentences, pattern).map((line) => `${line} → ${usual}`))
  expect(wrong).toEqual([])
})

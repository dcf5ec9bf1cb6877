/** Checks the countable language rules in CONTRIBUTING.md: words and sentence openings that plain English avoids. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Sentence, sentencesOfComments, sentencesOfPapers, sentencesOfStrings } from './support/prose.ts'

const root = join(import.meta.dirname, '..')
const papers = ['ARCHITECTURE.md', 'README.md', 'SECURITY.md', 'test/README.md', 'test/SPEC.md', ...globSync('docs/**/*.md', { cwd: root })]
const sources = ['shared', 'server', 'cli', 'web']

/** Matches a sentence whose subject is a clause. Only complete sentences match, so that questions and headings pass. */
const clause = /^(?:What|Whatever|Who|Whoever|Whom|Whose|Those|Of)\b.*\.["”]?$/

/** Returns the sentences that match. Text in quotation marks is ignored, because it is only mentioned. */
const found = (sentences: readonly Sentence[], pattern: RegExp): string[] =>
  sentences.filter(({ text }) => pattern.test(text.replaceAll(/“[^”]*”/g, '“”'))).map(({ file, text }) => `${file}: ${text}`)

test('[HOUSE-13] papers, rules, strings and comments have no sentence with a clause as its subject', () => {
  expect(clause.test('What is acknowledged was on disk before.')).toBe(true)
  expect(clause.test('What did you find?')).toBe(false)
  const sentences = [...sentencesOfPapers(papers), ...sentencesOfStrings(sources), ...sentencesOfComments([...sources, 'scripts', 'test'])]
  expect(sentences.length).toBeGreaterThan(5000)
  expect(found(sentences, clause)).toEqual([])
})

test('[HOUSE-14] papers, rules, strings and comments say “again”, not “anew”', () => {
  const comments = sentencesOfComments([...sources, 'scripts', 'test'])
  expect(comments.length).toBeGreaterThan(5000)
  expect(found([...sentencesOfPapers(papers), ...sentencesOfStrings(sources), ...comments], /\banew\b/i)).toEqual([])
})

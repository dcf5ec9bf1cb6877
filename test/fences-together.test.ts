/** A short run of the component fuzz. `npm run fuzz fences` runs more seeds. */
import { expect, test } from 'vitest'
import { fencesHold, stepsReturn } from './fuzz/fences.ts'

const seeds = 25

test.each(['board', 'chat', 'sheet'] as const)(
  '[FENCE-10] a %s that three people edit at once loses nothing, and duplicates only what two of them moved',
  (kind) => {
    for (let seed = 1; seed <= seeds; seed++) expect(() => fencesHold(kind, seed)).not.toThrow()
  }
)

/** Seeds that once failed, with a description of each bug. */
test.each([
  ['board', 4, 'a line inserted where one was vacated came to stand on it'],
  ['chat', 480, 'marks that grew reached others after the lines that relied on them'],
  ['sheet', 1161, 'a row inserted before words that were left alone came to stand behind other words']
] as const)('[FENCE-10] %s, seed %i: %s', (kind, seed, _what) => {
  expect(() => fencesHold(kind, seed)).not.toThrow()
})

const undoSeeds = 40

test.each(['board', 'chat', 'sheet'] as const)(
  '[FENCE-46] steps in a %s are undone and redone exactly, even if the service tidied in between',
  (kind) => {
    for (let seed = 1; seed <= undoSeeds; seed++) expect(() => stepsReturn(kind, seed)).not.toThrow()
  }
)

test.each(['board', 'chat', 'sheet'] as const)('[FENCE-47] empty lines typed into a %s are undone without joining lines', (kind) => {
  for (let seed = 1; seed <= undoSeeds; seed++) expect(() => stepsReturn(kind, seed, true)).not.toThrow()
})

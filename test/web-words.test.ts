/** The words of the pages, in every language. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { de } from '../web/text/de.ts'

const web = join(import.meta.dirname, '../web')
const source = globSync('**/*.{ts,tsx}', { cwd: web })
  .filter((name) => !name.startsWith('text/'))
  .map((name) => readFileSync(join(web, name), 'utf8'))
  .join('\n')

const quoted = String.raw`'((?:[^'\\]|\\.)*)'`
const plain = [...source.matchAll(new RegExp(String.raw`\b(?:t|term)\(\s*${quoted}`, 'g'))].map(([, sentence]) => sentence ?? '')
const counted = [...source.matchAll(new RegExp(String.raw`\btn\([^']*?${quoted},\s*${quoted}`, 'g'))].map(([, , many]) => many ?? '')

const valuesIn = (sentence: string): string[] => [...sentence.matchAll(/\{\w+\}/g)].map(([value]) => value).toSorted()

test('[WORDS-1] every sentence of the pages has a translation, none is left over, and all keep their values', () => {
  const used = new Set([...plain, ...counted])
  expect(used.size).toBeGreaterThan(0)
  expect([...used].filter((sentence) => !Object.hasOwn(de, sentence))).toEqual([])
  expect(Object.keys(de).filter((sentence) => !used.has(sentence))).toEqual([])
  for (const [sentence, found] of Object.entries(de)) {
    const forms = typeof found === 'string' ? [found] : Object.values(found)
    for (const form of forms) {
      const own = valuesIn(form)
      // "One word" need not name its number.
      expect(own, sentence).toEqual(
        typeof found === 'string' || own.includes('{count}')
          ? valuesIn(sentence)
          : valuesIn(sentence).filter((value) => value !== '{count}')
      )
    }
  }
})

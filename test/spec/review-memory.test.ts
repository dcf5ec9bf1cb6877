import { expect, test } from 'vitest'
import { comments, decide, postComment, postSuggestion, suggestions } from '../support/annotations.ts'
import { seeded } from '../support/typist.ts'
import { type Editor, type Json, type Person, startWorld } from '../support/world.ts'

type Random = (below: number) => number

/** Returns the n-th word. All words are different. */
const wordOf = (index: number): string => `w${index.toString(36).padStart(3, '0')}`

interface Case {
  readonly random: Random
  readonly owner: Person
  readonly page: Editor
  words: number
}

const line = (fuzz: Case): string => Array.from({ length: 2 + fuzz.random(6) }, () => wordOf(fuzz.words++)).join(' ')

const rangeOf = async ({ random, owner }: Case): Promise<{ from: number; to: number }> => {
  const { content } = await owner.read()
  const at = [...content.matchAll(/w\w{3}/g)].map(({ index }) => index)
  if (at.length === 0) return { from: 0, to: content.length }
  const first = random(at.length)
  return { from: at[first] ?? 0, to: (at[Math.min(at.length - 1, first + random(4))] ?? 0) + 4 }
}

const steps: ((fuzz: Case) => Promise<unknown>)[] = [
  async (fuzz) => postComment(fuzz.owner, { body: 'x', anchor: await rangeOf(fuzz) }),
  async (fuzz) => postSuggestion(fuzz.owner, { operation: 'replace', anchor: await rangeOf(fuzz), text: line(fuzz) }),
  async (fuzz) => postSuggestion(fuzz.owner, { operation: 'insert', anchor: await rangeOf(fuzz), text: ` ${line(fuzz)} ` }),
  async ({ owner, random }) => {
    const pending = await suggestions(owner, { status: 'pending' })
    if (pending.length > 0) await decide(owner, pending[random(pending.length)].id, random(4) === 0 ? 'reject' : 'accept')
  },
  async ({ owner }) => {
    const pending = await suggestions(owner, { status: 'pending' })
    await owner.ask('POST', '/decisions', { json: { suggestionIds: pending.slice(0, 3).map(({ id }) => id), action: 'accept' } })
  },
  async (fuzz) => {
    fuzz.page.type(fuzz.random(fuzz.page.text().length + 1), ` ${line(fuzz)} `)
    await fuzz.page.saved()
  },
  async ({ page, random }) => {
    const from = random(page.text().length + 1)
    page.erase(from, Math.min(random(20), page.text().length - from))
    await page.saved()
  },
  async (fuzz) => {
    const lines = (await fuzz.owner.read()).content.split('\n')
    const moved = lines.splice(fuzz.random(lines.length), 1)
    lines.splice(fuzz.random(lines.length + 1), 0, ...moved, ...(fuzz.random(2) === 0 ? [line(fuzz)] : []))
    await fuzz.owner.replace(lines.join(fuzz.random(5) === 0 ? '\n\n' : '\n'))
  },
  async ({ owner, random }) => {
    const { total } = await owner.revisions()
    await owner.ask('POST', '/restore', { json: { revision: 1 + random(total) } })
  },
  async (fuzz) => {
    // Both requests are sent at once, so the server decides their order.
    await Promise.all([
      postComment(fuzz.owner, { body: 'x', line: 1 }),
      fuzz.owner.replace(`${line(fuzz)}\n${(await fuzz.owner.read()).content}`)
    ])
  }
]

/** Checks every comment and suggestion after any sequence of operations. */
const check = async (owner: Person, seed: number): Promise<Json> => {
  const lists = { comments: await comments(owner), suggestions: await suggestions(owner) }
  const { content } = await owner.read()
  for (const { anchor, line: at, target, anchored, orphaned } of lists.comments) {
    if (anchor === null) {
      expect({ seed, anchored, orphaned, at }).toEqual({ seed, anchored: false, orphaned: true, at: null })
      continue
    }
    const text = content.slice(anchor.from, anchor.to)
    expect(at, `seed ${seed}`).toBe(content.slice(0, anchor.from).split('\n').length)
    const own = new Set(target.quote.match(/\w/g))
    // The text of the anchor, or a part of it, is the original text.
    if (own.size > 0)
      expect(
        text.match(/\w/g)?.some((letter) => own.has(letter)),
        `seed ${seed}: ${JSON.stringify({ text, target })}`
      ).toBe(true)
  }
  for (const { status, from } of lists.suggestions) expect(from === null, `seed ${seed}`).toBe(status !== 'pending')
  return lists
}

test('[FUZZ-3] after any sequence of edits and decisions the lists in memory equal those that a new server reads from disk (12 seeds)', async () => {
  const world = await startWorld()
  const kept: { owner: Person; lists: Json; seed: number }[] = []
  for (let seed = 1; seed <= Number(process.env['AGMD_TEST_REVIEW_SEEDS'] ?? 12); seed++) {
    const random = seeded(seed)
    const fuzz = { random, words: 0 } as Case
    const owner = await world.create(Array.from({ length: 8 }, () => line(fuzz)).join('\n'))
    const page = await owner.connect()
    Object.assign(fuzz, { owner, page })
    for (let count = 0; count < 25; count++) {
      await (steps[random(steps.length)] as (typeof steps)[number])(fuzz)
      if (count % 5 === 0) await check(owner, seed)
    }
    kept.push({ owner, lists: await check(owner, seed), seed })
    page.close()
  }
  const again = await world.restart()
  for (const { owner, lists, seed } of kept) expect(await check(again.person(owner.doc, owner.key), seed), `seed ${seed}`).toEqual(lists)
  await again.stop()
})

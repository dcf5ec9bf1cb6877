import { afterAll, beforeAll, expect, test } from 'vitest'
import { asAuthor, comment, commented, decide, suggest } from '../support/annotations.ts'
import { seeded } from '../support/typist.ts'
import { type Editor, type Json, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const agents = ['one', 'two', 'three', 'four']
const perAgent = 25

/** Returns a unique word. The text has seven words per line. People type only digits, so their text can be distinguished from the words. */
const wordOf = (index: number): string =>
  `w${String.fromCharCode(97 + (index % 26), 97 + (Math.floor(index / 26) % 26), 97 + Math.floor(index / 676))}x`
const words = Array.from({ length: 420 }, (_each, index) => wordOf(index))
const text = words.map((word, index) => `${word}${index % 7 === 6 ? '\n' : ' '}`).join('')

interface Planned {
  readonly id: string
  /** Applies the suggestion to text in which nobody else has typed. */
  readonly apply: (before: string) => string
}

/** Returns the n-th suggestion. Each suggestion is on a different word. */
const plan = (index: number): { fields: Json; apply: Planned['apply'] } => {
  const find = words[index * 4 + 1] ?? ''
  const [upper, next] = [find.toUpperCase(), (words[index * 4 + 2] ?? '').toUpperCase()]
  const [operation, added, result] = (
    [
      ['replace', `${find}QQ`, `${find}QQ`],
      ['replace', upper, upper],
      ['replace', next, next],
      ['delete', '', ''],
      ['insert', `I${upper}`, `${find}I${upper}`]
    ] as const
  )[index % 5] as readonly [string, string, string]
  return { fields: { operation, find, text: added }, apply: (before) => before.replace(find, result) }
}

const shuffled = <T>(items: readonly T[], random: (below: number) => number): T[] => {
  const left = [...items]
  return Array.from({ length: items.length }, () => left.splice(random(left.length), 1)[0] as T)
}

test.each([1, 2, 3])(
  '[SUGGEST-23] a hundred suggestions by four agents, accepted in random order while two people type (seed %d)',
  async (seed) => {
    const random = seeded(seed)
    const owner = await world.create(text)
    const people = await Promise.all([owner.connect({ name: 'Ana' }), owner.connect({ name: 'Bob' })])
    const links = await Promise.all(agents.map(() => owner.share('suggest')))
    let typed = 0
    let answered = 0
    let over = false

    /** Types a unique number anywhere, even inside words that are about to be replaced. */
    const type = async (page: Editor): Promise<void> => {
      while (!over) {
        // People do not type into more words if the server is slower.
        if (typed < 2 * (answered + 1)) page.type(random(page.text().length + 1), `(${typed++})`)
        await new Promise((resolve) => setImmediate(resolve))
        if (typed % 8 === 0) await page.saved()
      }
    }
    const typing = people.map(type)

    const planned: Planned[] = []
    await Promise.all(
      links.map(async (link, agent) => {
        for (let index = agent; index < agents.length * perAgent; index += agents.length) {
          const { fields, apply } = plan(index)
          const answer = await link.ask('POST', '/suggestions', { json: fields, ...asAuthor(agents[agent] ?? '') })
          answered += 1
          // Somebody has since typed into the word, so it no longer exists.
          if (answer.status === 422) continue
          expect(answer.status).toBe(201)
          planned.push({ id: answer.json.id, apply })
        }
      })
    )
    const annotation = await comment(owner, { body: 'x', line: 60 })

    let model = text
    const refused: string[] = []
    await Promise.all(
      shuffled(planned, random).map(async ({ id, apply }) => {
        const { status, json } = await decide(owner, id, 'accept')
        answered += 1
        // Each suggestion is on its own words, so the order of acceptance does not matter.
        if (status === 200) model = apply(model)
        else refused.push(json.code)
      })
    )
    over = true
    await Promise.all(typing)
    await Promise.all(people.map((page) => page.saved()))
    const { content } = await owner.read()
    for (const page of people) await page.shows(content)

    expect(new Set(refused).difference(new Set(['target_changed']))).toEqual(new Set())
    expect(planned.length - refused.length).toBeGreaterThan(agents.length * perAgent * 0.6)
    // Without the typed digits, the text is equal to the model, so nothing else has changed.
    expect(content.replaceAll(/[\d()]/g, '')).toBe(model)
    const numbers = content.match(/\d/g)?.length
    expect(numbers).toBe(Array.from({ length: typed }, (_each, index) => String(index)).join('').length)
    expect((await commented(owner, annotation.id))?.replaceAll(/[\d()]/g, '')).toBe(model.split('\n')[59])
    for (const page of people) page.close()
  }
)

test('[SUGGEST-23] of suggestions on the same words, accepted at once, exactly one takes effect', async () => {
  const owner = await world.create(text)
  const all = await Promise.all(
    agents.map((name) => suggest(owner, { operation: 'replace', find: `${words[0]} ${words[1]}`, text: `by ${name}` }))
  )
  const answers = await Promise.all(all.map(({ id }) => decide(owner, id, 'accept')))
  expect(answers.filter(({ status }) => status === 200).length).toBe(1)
  expect(answers.filter(({ json }) => json.code === 'target_changed').length).toBe(agents.length - 1)
  const winner = answers.findIndex(({ status }) => status === 200)
  expect((await owner.read()).content).toBe(text.replace(`${words[0]} ${words[1]}`, `by ${agents[winner]}`))
})

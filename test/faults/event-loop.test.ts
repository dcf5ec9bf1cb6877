/**
 * The event-loop guard: no request and no stored text makes a turn of the server's loop take longer than 100 ms (p99.9 of each attack, in CPU
 * time of the main thread). `npm run test:all` tries every family of hostile text.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodyAttacks, families, leastOf, type Attack, startWatched, textAttacks, type Watched } from '../support/loop-guard.ts'
import { roleAttacks } from '../support/loop-roles.ts'
import { isLong } from '../support/repeats.ts'

const turnMsMax = 100

let server: Watched
beforeAll(async () => {
  server = await startWatched()
})
afterAll(() => server.stop())

/** Returns the attacks that blocked the loop for too long, with their figures. */
const holdups = async (attacks: ReadonlyMap<string, Attack>): Promise<string[]> => {
  const found: string[] = []
  let worst = { name: 'none', turn: 0 }
  for (const [name, attack] of attacks) {
    const { p999, turn, said } = await leastOf(server, name, attack, turnMsMax)
    if (turn > worst.turn) worst = { name, turn }
    if (p999 > turnMsMax || said.startsWith('failed')) found.push(`${name}: ${Math.round(p999)} ms, ${said}`)
  }
  console.log(`longest turn: ${Math.round(worst.turn)} ms, by ${worst.name}`)
  return found
}

test('[LOOP-12] hostile bodies for every operation that accepts a document block nobody', async () => {
  expect(await holdups(await bodyAttacks(server.url))).toEqual([])
})

test('[LOOP-12] every operation in every role, with hostile values in its fields, blocks nobody', async () => {
  expect(await holdups(await roleAttacks(server.url))).toEqual([])
})

const tried = isLong ? Object.keys(families) : ['nested quotes', 'sheet']
test.each(tried)(
  '[LOOP-12] hostile text (%s) blocks nobody, however it is read, compared, replaced, published or typed in',
  async (family) => {
    expect(await holdups(await textAttacks(server.url, family))).toEqual([])
  }
)

/** People and agents who write under load while something fails. */
import { expect } from 'vitest'
import type { Cluster } from './postgres.ts'
import { appendingAgent, countAllTokens, wrongTokens } from './tokens.ts'
import { pause, type Target, type TokenLedger, Typist } from './typist.ts'

export interface Load {
  /** The document, and the address at which the person with this number writes into it. */
  readonly targetOfPerson: (person: number) => Target
  /** The documents into which agents append, each with the address for a turn. */
  readonly targetsOfAgents: () => readonly ((turn: number) => Target)[]
  readonly random: (below: number) => number
  readonly ledger: TokenLedger
}

const typistsCount = 6

/** Returns a function that lets people and agents write while `fault` happens. It resolves to the people, after everybody has stopped writing. */
export const createLoad = ({ targetOfPerson, targetsOfAgents, random, ledger }: Load) => {
  let people = 0

  /** Lets an agent append tokens. After a refusal or a lost answer, it reads again. */
  const agent = async (name: string, targetOf: (turn: number) => Target, running: () => boolean): Promise<void> => {
    const { append } = appendingAgent(name, ledger)
    for (let turn = 0; running(); turn++) {
      try {
        const status = await append(targetOf(turn))
        if (status !== 200) expect([409, 503]).toContain(status)
      } catch {
        // The request was refused, or the server was killed while it was answering.
        await pause(20)
      }
    }
  }

  return async (fault: (typists: readonly Typist[]) => Promise<void>): Promise<Typist[]> => {
    const typists = Array.from({ length: typistsCount }, (_, n) => new Typist(`c${people++}`, targetOfPerson(n), ledger))
    for (const typist of typists) typist.connect()
    let running = true
    const work = [
      ...typists.map(async (typist) => {
        while (running) {
          typist.typeToken(random(typist.text.length + 1))
          await pause(30 + random(50))
        }
      }),
      ...targetsOfAgents().map((targetOf) => agent(`a${people++}`, targetOf, () => running))
    ]
    for (const typist of typists) await typist.whenSynced()
    await pause(150 + random(300))
    const before = ledger.acknowledged.size
    await fault(typists)
    running = false
    await Promise.all(work)
    expect(before, 'the load was acknowledged').toBeGreaterThan(0)
    return typists
  }
}

/** Waits until everybody is in sync, and closes them. Then each typed or acknowledged token must occur exactly once. `note` explains a failure. */
export const expectAllTokens = async (
  typists: readonly Typist[],
  ledger: TokenLedger,
  documents: () => readonly Target[],
  note: string
): Promise<void> => {
  for (const typist of typists) await typist.whenSettled(60)
  const typed = [...ledger.made].filter((token) => token.startsWith('⟦c'))
  const counts = await countAllTokens(documents())
  expect(wrongTokens(new Set([...typed, ...ledger.acknowledged]), counts), note).toEqual({ lost: [], twice: [] })
  for (const typist of typists) typist.destroy()
}

/** Restarts PostgreSQL, which is away for up to half a second. */
export const restart = async (cluster: Cluster, random: (below: number) => number): Promise<void> => {
  await cluster.stop()
  await pause(random(500))
  await cluster.start()
  await pause(300)
}

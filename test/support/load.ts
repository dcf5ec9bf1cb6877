/** People and agents who write under load while something fails. */
import { expect } from 'vitest'
import { appendingAgent } from './tokens.ts'
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

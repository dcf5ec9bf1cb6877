/** A server with a clock that the tests turn, for all tests of a file. */
import { afterAll, beforeAll } from 'vitest'
import { type TurnedClock, turnedClock } from './clock.ts'
import { startWorld, type World } from './world.ts'

interface Turned {
  readonly world: World
  readonly clock: TurnedClock
}

/** Starts the server before the tests of a file, hands both over, and stops it afterwards. */
export function onTurnedWorld(begin: (turned: Turned) => void): void {
  let world: World | undefined
  beforeAll(async () => {
    const clock = turnedClock()
    world = await startWorld({ clock })
    begin({ world, clock })
  })
  afterAll(() => world?.stop())
}

/** A server for all tests of a file, with a clock that the tests advance. */
import { afterAll, beforeAll } from 'vitest'
import { type TestClock, testClock } from './clock.ts'
import { startWorld, type World } from './world.ts'

interface Turned {
  readonly world: World
  readonly clock: TestClock
}

/** Starts the server before the tests of a file, passes the server and the clock to `begin`, and stops the server after the tests. */
export function onTurnedWorld(begin: (turned: Turned) => void): void {
  let world: World | undefined
  beforeAll(async () => {
    const clock = testClock()
    world = await startWorld({ clock })
    begin({ world, clock })
  })
  afterAll(() => world?.stop())
}

/** Starts an issuer, and a service that trusts it, for one test file. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type TestClock, testClock } from './clock.ts'
import { type Issuer, startIssuer } from './issuer.ts'
import { startWorld, type World } from './world.ts'

interface IssuerWorld {
  readonly issuer: Issuer
  readonly world: World
  readonly clock: TestClock
}

/**
 * Starts both before the tests of a file, passes them to `begin`, and stops them after the tests. `setting` is the name of the setting that contains
 * the address of the issuer. Each test begins with an issuer without faults.
 */
export const withIssuer = (setting: string, others: Record<string, string>, begin: (started: IssuerWorld) => void): void => {
  let started: IssuerWorld | undefined
  beforeAll(async () => {
    const [issuer, clock] = [await startIssuer(), testClock(Date.now())]
    started = { issuer, clock, world: await startWorld({ clock, env: { ...others, [setting]: issuer.url } }) }
    begin(started)
  })
  afterAll(async () => {
    await started?.world.stop()
    await started?.issuer.stop()
  })
  beforeEach(() => {
    if (started !== undefined) started.issuer.faults = {}
  })
}

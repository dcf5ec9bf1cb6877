/** Starts the server and the browser for one test file. */
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { start, type World } from '../support/start.ts'
import { launch, markContexts, type LaunchOptions } from './browser.ts'

interface Stage {
  readonly world: World
  readonly browser: Browser
}

/** Starts both before the tests of a file, passes them to `begin`, and stops them after the tests. */
export function onStage(begin: (stage: Stage) => void, options: LaunchOptions = {}): void {
  let stage: Stage | undefined
  beforeAll(async () => {
    stage = { world: await start(), browser: await launch(options) }
    begin(stage)
  })
  let closeContexts: ((isPassed: boolean) => Promise<void>) | undefined
  beforeEach(() => {
    closeContexts = stage && markContexts(stage.browser)
  })
  afterEach(async ({ task }) => closeContexts?.(task.result?.state !== 'fail'))
  afterAll(async () => {
    await stage?.browser.close()
    await stage?.world.stop()
  })
}

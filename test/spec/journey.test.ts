/** The journey of a new user, as a shell script (test/journeys/new-user.sh), against a server in a separate process. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Machine, newMachine } from '../support/cli.ts'
import { signUp } from '../support/visitor.ts'
import { startWorld, until, type World } from '../support/world.ts'
import { buildClient } from '../support/cli.ts'

let world: World
let machine: Machine
beforeAll(async () => {
  world = await startWorld({ clientFile: await buildClient() })
  machine = await newMachine()
})
afterAll(async () => {
  await world.stop()
  await machine.remove()
})

const script = join(import.meta.dirname, '..', 'journeys', 'new-user.sh')

test('[JOURNEY-1] a new user installs, signs in, writes, resolves a conflict, and completes a review', { timeout: 120_000 }, async () => {
  const ana = await signUp(world.url, 'ana@example.org')
  // A person with a browser receives the address and approves the login there.
  const told = machine.path('approve.txt')
  const approve = machine.path('approve')
  writeFileSync(approve, `#!/bin/sh\nprintf '%s' "$1" >'${told}'\n`, { mode: 0o755 })
  const journey = machine.shell(`rm -f bin/agmd; sh '${script}'`, { env: { BASE: world.url, APPROVE: approve } })
  await until(() => machine.has('approve.txt') && machine.read('approve.txt').startsWith('http'), 'the address of the login', 60)
  await ana.visit(machine.read('approve.txt'))
  await ana.submit('/device', { decision: 'approve' })
  const { code, stdout, stderr } = await journey
  expect({ code, end: stdout.trim().split('\n').at(-1) }, `${stdout}\n${stderr}`).toEqual({ code: 0, end: 'all well' })
})

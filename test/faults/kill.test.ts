/** Kills a real server process with `kill -9` under load. `AGMD_TEST_KILL_ROUNDS` and `AGMD_TEST_SEED` lengthen or repeat a run. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repeats } from '../support/repeats.ts'
import { type ProcessWorld, startProcess } from '../support/start.ts'
import { appendingAgent, countAllTokens, wrongTokens } from '../support/tokens.ts'
import { createDocument, pause, readMarkdown, seeded, type Target, TokenLedger, Typist } from '../support/typist.ts'

const rounds = Number(process.env['AGMD_TEST_KILL_ROUNDS'] ?? repeats(6, 50))
const seed = Number(process.env['AGMD_TEST_SEED'] ?? Date.now() % 1_000_000)
const documentsCount = 5
const typistsCount = 50
const agentsCount = 5

interface Load {
  readonly ledger: TokenLedger
  readonly typists: readonly Typist[]
  readonly targets: readonly Target[]
}

/** Lets an agent append tokens. After a conflict or a lost answer, the agent reads the document again. */
const agent = async (name: string, index: number, load: Load, running: () => boolean): Promise<void> => {
  const { append } = appendingAgent(name, load.ledger)
  while (running()) {
    try {
      const status = await append(load.targets[index] as Target)
      if (status !== 200) expect(status).toBe(409)
    } catch (error) {
      // The server was killed while it was answering.
      if (running()) await pause(5)
      else if (!(error instanceof TypeError)) throw error
    }
  }
}

const typing = async (typist: Typist, random: (below: number) => number, running: () => boolean): Promise<void> => {
  while (running()) {
    typist.typeToken(random(typist.text.length + 1))
    await pause(20 + random(40))
  }
}

interface Run {
  readonly folder: string
  readonly random: (below: number) => number
  readonly ledger: TokenLedger
  server: ProcessWorld
  /** Every document of the run. The address of the server is left out, because it changes with each restart. */
  readonly created: Target[]
  round: number
}

const at = (run: Run, target: Target): Target => ({ ...target, url: run.server.url })

/** Kills the server under load and restarts it. Checks the disk before any client returns with data that the server has lost. */
const killOnce = async (run: Run, typists: readonly Typist[], targets: readonly Target[]): Promise<void> => {
  const { ledger, random, round } = run
  const load: Load = { ledger, typists, targets: targets.map((target) => at(run, target)) }
  const before = ledger.acknowledged.size
  typists.forEach((typist, index) => typist.connect(load.targets[index % documentsCount] as Target))
  let running = true
  const work = [
    ...typists.map((typist) => typing(typist, random, () => running)),
    ...Array.from({ length: agentsCount }, (_, index) => agent(`a${round * agentsCount + index}`, index, load, () => running))
  ]
  // In every fifth round, the server is killed while people are still reconnecting.
  const early = round % 5 === 4
  if (!early) for (const typist of typists) await typist.whenSynced()
  await pause(100 + random(500))
  const dead = run.server.kill('SIGKILL')
  await pause(random(30))
  running = false
  expect(await dead).toBe('SIGKILL')
  await Promise.all(work)
  for (const typist of typists) typist.disconnect(true)
  const acknowledged = new Set(ledger.acknowledged)
  run.server = await startProcess({ folder: run.folder })
  const found = wrongTokens(acknowledged, await countAllTokens(run.created.map((target) => at(run, target))))
  expect(found, `round ${round} of seed ${seed}, on disk`).toEqual({ lost: [], twice: [] })
  if (!early) expect(acknowledged.size, 'the load was acknowledged').toBeGreaterThan(before)
}

/** Kills the server several times on the same documents. Then everyone reconnects, and each typed token must occur exactly once. */
const epoch = async (run: Run, count: number): Promise<void> => {
  const targets: Target[] = []
  for (let n = 0; n < documentsCount; n++) targets.push(await createDocument(run.server.url, `# Document ${n}\n`))
  run.created.push(...targets)
  const first = run.round * typistsCount
  const typists = Array.from({ length: typistsCount }, (_, index) => {
    return new Typist(`c${first + index}`, targets[index % documentsCount] as Target, run.ledger)
  })
  try {
    for (let n = 0; n < count; n++, run.round++) await killOnce(run, typists, targets)
    typists.forEach((typist, index) => typist.connect(at(run, targets[index % documentsCount] as Target)))
    for (const typist of typists) await typist.whenSettled(60)
    const texts: string[] = []
    for (const target of targets) texts.push((await readMarkdown(at(run, target))).content)
    for (const [index, typist] of typists.entries())
      await typist.until(() => typist.text.toString() === texts[index % documentsCount], 'the common text')
    const counts = await countAllTokens(run.created.map((target) => at(run, target)))
    const typed = [...run.ledger.made].filter((token) => token.startsWith('⟦c'))
    expect(wrongTokens(new Set([...typed, ...run.ledger.acknowledged]), counts), `after round ${run.round}, seed ${seed}`).toEqual({
      lost: [],
      twice: []
    })
  } finally {
    for (const typist of typists) typist.destroy()
  }
}

test(
  `[FAULT-1] kill -9 at random moments loses nothing acknowledged and duplicates nothing (seed ${seed})`,
  { timeout: 400_000 },
  async () => {
    console.log(`kill.test: seed ${seed}, ${rounds} rounds (AGMD_TEST_SEED, AGMD_TEST_KILL_ROUNDS)`)
    const folder = await mkdtemp(join(tmpdir(), 'agmd-kill-'))
    const server = await startProcess({ folder })
    const run: Run = { folder, random: seeded(seed), ledger: new TokenLedger(), server, created: [], round: 0 }
    try {
      while (run.round < rounds) await epoch(run, Math.min(10, rounds - run.round))
      console.log(`kill.test: ${run.ledger.acknowledged.size} acknowledged tokens over ${rounds} kills, 0 lost, 0 twice`)
    } finally {
      await run.server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
)

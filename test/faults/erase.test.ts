/** Kills the process with `kill -9` during erasures. `AGMD_TEST_KILL_ROUNDS` sets the number of rounds. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { checkStore } from '../../server/storage/check.ts'
import { openLmdbStorage } from '../../server/storage/lmdb.ts'
import { openDatabase } from '../../server/storage/lmdb-database.ts'
import { valueOf, wordOf } from '../support/erasing-values.ts'
import { tracesIn, tracesOf } from '../support/traces.ts'

const rounds = Number(process.env['AGMD_TEST_KILL_ROUNDS'] ?? 12)
const child = join(import.meta.dirname, '..', 'support', 'erasing-process.ts')

/** Starts the process, kills it after this many lines of output, and returns the output. */
const run = async (folder: string, round: number, lines: number): Promise<string[]> => {
  const process_ = spawn(process.execPath, [child, folder, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  const ended = once(process_, 'exit')
  for await (const line of createInterface(process_.stdout)) if (said.push(line) >= lines) process_.kill('SIGKILL')
  await ended
  return said
}

const fillersIn = async (folder: string): Promise<number> => {
  const database = openDatabase(join(folder, 'store'), true)
  const count = [...database.getKeys({ start: Buffer.from('\0fill'), end: Buffer.from('\0film') })].length
  await database.close()
  return count
}

test('[ERASE-6] kill -9 during an erasure: the store is intact, nothing else is lost, and the next start finishes it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-erase-'))
  const kept = new Set<string>()
  const deleted = new Set<string>()
  let withFillers = 0
  for (let round = 0; round < rounds; round++) {
    const said = await run(folder, round, 40 + Math.floor(Math.random() * 120))
    for (const line of said) {
      const [what, name = ''] = line.split(' ')
      if (what === 'put') kept.add(name)
      // A deletion that was in progress may or may not have reached the disk.
      if (what === 'deleting') kept.delete(name)
      if (what === 'deleted') deleted.add(name)
    }
    withFillers += (await fillersIn(folder)) > 0 ? 1 : 0
    await checkStore(folder, { full: true })
  }
  // Each round was killed during an erasure, and most rounds while filler records existed.
  expect(withFillers).toBeGreaterThan(rounds / 3)
  const storage = await openLmdbStorage({ folder })
  await storage.erase?.()
  for (const name of kept) expect(Buffer.from((await storage.get(['d', name]))?.value ?? []).equals(valueOf(name)), name).toBe(true)
  for (const name of deleted) expect(await storage.get(['d', name])).toBeUndefined()
  await storage.close()
  expect(await fillersIn(folder)).toBe(0)
  expect(await tracesIn(folder, tracesOf([...deleted].map((name) => wordOf(name, 0))))).toEqual([])
  await checkStore(folder, { full: true })
  await rm(folder, { recursive: true, force: true })
})

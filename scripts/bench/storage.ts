/**
 * Measures durable puts per second through the storage adapter, compared with bare lmdb puts of the same values.
 * Run: `node scripts/bench/storage.ts`. Rounds alternate, so that the disk is in the same state for both.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { open } from 'lmdb'

/** Length of one measurement, in milliseconds. */
const roundMs = 1_000
/** Length of a value, in bytes: about the size of one keystroke in the journal. */
const valueBytes = 80

type Put = (n: number) => Promise<unknown>

/** The functions that are measured. The module is imported by its address, because scripts must not import server code. */
interface Measured {
  commit(batch: { puts: { key: (string | number)[]; value: Uint8Array }[] }): Promise<boolean>
  get(key: (string | number)[]): Promise<unknown>
  close(): Promise<void>
}

interface Adapter {
  openLmdbStorage(options: { folder: string }): Promise<Measured>
}

const { openLmdbStorage } = (await import(new URL('../../server/storage/lmdb.ts', import.meta.url).href)) as Adapter

const folder = await mkdtemp(join(tmpdir(), 'agmd-bench-'))
const storage = await openLmdbStorage({ folder })
const bare = open<Uint8Array, [string, number]>({ path: join(folder, 'bare'), encoding: 'binary' })
const value = new Uint8Array(valueBytes).fill(7)
let next = 0

/** Returns the puts per second of several writers. Each writer waits for its put before it starts the next one. */
async function measure(writers: number, put: Put): Promise<number> {
  const begun = performance.now()
  const end = begun + roundMs
  let done = 0
  const write = async () => {
    for (; performance.now() < end; done++) await put(next++)
  }
  await Promise.all(Array.from({ length: writers }, write))
  return Math.round((done / (performance.now() - begun)) * 1000)
}

/** Returns the time for one `get` of an existing key, in nanoseconds. */
async function measureGet(rounds: number): Promise<number> {
  const begun = performance.now()
  for (let n = 0; n < rounds; n++) await storage.get(['d', 'bench', n % 100])
  return Math.round(((performance.now() - begun) / rounds) * 1e6)
}

const throughAdapter: Put = (n) => storage.commit({ puts: [{ key: ['d', 'bench', n], value }] })
const throughLmdb: Put = (n) => bare.put(['bench', n], value)

console.log(`puts/s of ${valueBytes} bytes, each awaited\nwriters    adapter   bare lmdb`)
for (const writers of [1, 64, 1000]) {
  const [ours, theirs] = [await measure(writers, throughAdapter), await measure(writers, throughLmdb)]
  console.log(`${writers}`.padStart(7), `${ours}`.padStart(10), `${theirs}`.padStart(11))
}
console.log(`get: ${await measureGet(200_000)} ns`)

await storage.close()
await bare.close()
await rm(folder, { recursive: true })

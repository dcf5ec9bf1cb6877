/**
 * Compares one LMDB server with one, two and three nodes on one PostgreSQL, and with one server that has two processes: the time until an edit is on
 * a page of another node, and durable edits and guarded replacements per second. All servers are separate processes on this machine, and all stores
 * are on the same disk. The rounds alternate. Run: `npm run bench nodes`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newCluster, noPostgres } from '../../test/support/postgres.ts'
import { putMarkdown, type Target } from '../../test/support/typist.ts'
import { createDocument, ms, pause, percentile, startProcess, table, Typist } from './support/support.ts'

if (noPostgres !== undefined) throw new Error(noPostgres)

const seconds = Number(process.env['AGMD_BENCH_SECONDS'] ?? 3)
const rounds = 3
const people = 24
const programs = 6

const cluster = await newCluster({ onDisk: true })
const folders: string[] = []
const startNode = async (storage?: string, processes = 1) => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-bench-'))
  folders.push(folder)
  const shared = { AGMD_STORAGE: storage ?? '', AGMD_SECRET: 'the same secret on all nodes, 0123456789' }
  return startProcess({
    folder,
    env: {
      AGMD_LOG_LEVEL: 'info',
      AGMD_BASE_URL: 'http://agmd.test',
      AGMD_PROCESSES: String(processes),
      ...(storage !== undefined && shared)
    }
  })
}
const lmdb = await startNode()
const nodes = [await startNode(cluster.address()), await startNode(cluster.address()), await startNode(cluster.address())]
const pair = await startNode(cluster.address(), 2)
const urls = nodes.map(({ listening }) => listening)
const setups: Readonly<Record<string, readonly string[]>> = {
  'LMDB, 1 process': [lmdb.listening],
  'PostgreSQL, 1 node': urls.slice(0, 1),
  '2 processes': [pair.listening],
  '2 nodes': urls.slice(0, 2),
  '3 nodes': urls
}

const at = (urls: readonly string[], n: number): string => urls[n % urls.length] as string

const connected = async (name: string, target: Target): Promise<Typist> => {
  const typist = new Typist(name, target)
  typist.connect()
  await typist.whenSynced()
  return typist
}

/** Returns the times until edits on one page are on another page, in milliseconds. The other page is on another node if there is one. */
const arrivals = async (all: readonly string[]): Promise<number[]> => {
  const target = await createDocument(at(all, 0), '# Bench\n')
  const [writer, reader] = [await connected('c1', target), await connected('c2', { ...target, url: at(all, 1) })]
  const found: number[] = []
  const until = performance.now() + seconds * 1000
  for (let n = 0; performance.now() < until; n++) {
    const begun = performance.now()
    const arrived = new Promise<void>((resolve) => reader.ydoc.once('update', () => resolve()))
    writer.text.insert(writer.text.length, 'x')
    await arrived
    // The first edits open caches and connections.
    if (n >= 10) found.push(performance.now() - begun)
    await pause(10)
  }
  for (const typist of [writer, reader]) typist.destroy()
  return found
}

/** Counts how many tasks complete per second. Each task starts again when its previous run has ended. */
const perSecond = async (works: readonly (() => Promise<unknown>)[]): Promise<number> => {
  const begun = performance.now()
  let done = 0
  await Promise.all(
    works.map(async (work) => {
      for (; performance.now() < begun + seconds * 1000; done++) await work()
    })
  )
  return done / ((performance.now() - begun) / 1000)
}

/** Lets people on all nodes type. `each` people share a document, on different nodes. Returns the number of acknowledged edits per second. */
const typing = async (all: readonly string[], each: number): Promise<number> => {
  const targets = await Promise.all(Array.from({ length: people / each }, (_, n) => createDocument(at(all, n), '# Bench\n')))
  const typists = await Promise.all(
    Array.from({ length: people }, (_, n) => {
      const target = targets[n % targets.length] as Target
      return connected(`c${n}`, { ...target, url: at(all, n + Math.floor(n / targets.length)) })
    })
  )
  const found = await perSecond(
    typists.map((typist) => () => {
      typist.text.insert(typist.text.length, 'x')
      return typist.whenSettled()
    })
  )
  for (const typist of typists) typist.destroy()
  return found
}

/** Lets programs replace their own documents, based on the version in the last response. With `byTurns`, each request goes to the next node. */
const replacing = async (all: readonly string[], byTurns: boolean): Promise<number> => {
  const targets = await Promise.all(Array.from({ length: programs }, (_, n) => createDocument(at(all, n), '# Bench\n')))
  return perSecond(
    targets.map((target, program) => {
      let version: string | undefined
      let n = program
      return async () => {
        const answer = await putMarkdown({ ...target, url: at(all, byTurns ? n : program) }, `# Bench\n\nLine ${n++}\n`, version)
        if (answer.status !== 200) throw new Error(`replacing answered ${answer.status}`)
        version = answer.body.version
      }
    })
  )
}

const rates: Readonly<Record<string, (all: readonly string[]) => Promise<number>>> = {
  [`edits/s, ${people} people with a document each`]: (all) => typing(all, 1),
  [`edits/s, ${people} people, 3 in each document`]: (all) => typing(all, 3),
  [`guarded PUT/s, ${programs} programs, each on one node`]: (all) => replacing(all, false),
  [`guarded PUT/s, ${programs} programs, each request on the next node`]: (all) => replacing(all, true)
}

const median = (values: readonly number[]): number => percentile(values, 0.5)
const names = Object.keys(setups)
const times = new Map<string, number[]>(names.map((name) => [name, []]))
for (let round = 0; round < rounds; round++)
  for (const [name, all] of Object.entries(setups)) times.get(name)?.push(...(await arrivals(all)))
const timesOf = (share: number): string[] => names.map((name) => ms(percentile(times.get(name) ?? [], share)))
const rows = [
  ['edit to the other page, ms p50', ...timesOf(0.5)],
  ['p99', ...timesOf(0.99)]
]
for (const [what, measure] of Object.entries(rates)) {
  const found = new Map<string, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) for (const [name, all] of Object.entries(setups)) found.get(name)?.push(await measure(all))
  rows.push([what, ...names.map((name) => ms(median(found.get(name) ?? [])))])
}
console.log(`edits: all of ${rounds} rounds; rates: median of ${rounds} rounds of ${seconds} s each; the rounds took turns`)
table(['what', ...names], rows)
for (const node of [lmdb, pair, ...nodes]) await node.kill('SIGTERM')
cluster.remove()
for (const folder of folders) await rm(folder, { recursive: true, force: true })
process.exit(0)

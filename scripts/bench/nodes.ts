/**
 * Compares one LMDB server with one, two and three nodes on one PostgreSQL, and with one server that has two processes: the time until an edit is on
 * a page of another node, and durable edits and guarded replacements per second. All servers are separate processes on this machine, and all stores
 * are on the same disk. The rounds alternate. A second table shows the cost of NODES-18: with several nodes, a commit checks the records that its
 * change has read. Run: `npm run bench nodes`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Key } from '../../server/domain/ports.ts'
import { encodeRecord } from '../../server/domain/records/keys.ts'
import { createLedger } from '../../server/domain/records/ledger.ts'
import type { Ledger } from '../../server/domain/records/transaction.ts'
import { newCluster, noPostgres } from '../../test/support/postgres.ts'
import { putMarkdown, type Target } from '../../test/support/typist.ts'
import { connectDatabase } from './support/database.ts'
import { createDocument, ms, pause, percentile, start, startProcess, table, Typist } from './support/support.ts'

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

const world = await start({ env: { AGMD_LOG_LEVEL: 'warn', AGMD_STORAGE: cluster.address('checks') } })
const database = await connectDatabase(cluster)
const { storage, clock } = world.service
const { nodes: _others, ...alone } = storage
const unchecked = createLedger({ storage: alone, clock, onEvent: () => undefined })
const checked = createLedger({ storage, clock, onEvent: () => undefined })
const documents = await Promise.all(Array.from({ length: people }, async () => (await createDocument(world.url, '# Bench\n')).doc))

interface Cost {
  readonly rate: number
  /** CPU time of this process and of PostgreSQL for one change, in microseconds. */
  readonly node: number
  readonly database: number
}

/** Lets a ledger commit changes. Each change reads records of its document and writes the first of them. */
const changing = async (ledger: Ledger, writers: number, records: number): Promise<Cost> => {
  let changes = 0
  const works = documents.slice(0, writers).map((doc) => {
    const reads = Array.from({ length: records }, (_, n): Key => ['d', doc, 'bench', n])
    return () => ledger.write(doc, 'system', (tx) => tx.put(reads[0] as Key, encodeRecord(changes++)), { reads })
  })
  const [own, theirs] = [process.cpuUsage(), database.cpuSeconds()]
  const rate = await perSecond(works)
  const used = process.cpuUsage(own)
  return { rate, node: (used.user + used.system) / changes, database: ((database.cpuSeconds() - theirs) * 1e6) / changes }
}

for (const doc of documents)
  await checked.write(doc, 'system', (tx) => {
    for (let n = 0; n < 16; n++) tx.put(['d', doc, 'bench', n], encodeRecord(n))
  })
const costs: string[][] = []
for (const writers of [1, people])
  for (const records of [1, 4, 16]) {
    const found: [Cost[], Cost[]] = [[], []]
    for (let round = 0; round < 2 * rounds; round++) {
      // Which of the two begins changes from round to round.
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
        found[which].push(await changing(which === 0 ? unchecked : checked, writers, records))
    }
    const cells = (['rate', 'node', 'database'] as const).flatMap((name) => {
      const [without, withChecks] = found.map((each) => median(each.map((cost) => cost[name]))) as [number, number]
      return [ms(without), ms(withChecks), (withChecks / without).toFixed(2)]
    })
    costs.push([String(writers), String(records), ...cells])
  }
console.log(`\nchanges of documents on PostgreSQL, 1 node, not checked and checked (NODES-18), and their ratio; CPU time for one change`)
console.log(`median of ${2 * rounds} rounds of ${seconds} s each; the rounds took turns`)
table(['documents', 'records read', '/s', 'checked', 'ratio', 'node µs', 'checked', 'ratio', 'PostgreSQL µs', 'checked', 'ratio'], costs)
await world.stop()
await database.end()
cluster.remove()
for (const folder of folders) await rm(folder, { recursive: true, force: true })
process.exit(0)

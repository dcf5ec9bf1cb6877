/**
 * Estimates how many servers a number of people needs: `npm run bench scale`. First, it measures the cost of edits, people and open documents for one
 * node and its PostgreSQL, in CPU time, memory and bytes. Then it computes the load of up to a million people, who choose among documents by
 * popularity (Zipf's law). docs/scaling.md explains the result.
 */
import { newCluster, noPostgres } from '../../test/support/postgres.ts'
import { cpuSeconds, openPerson, type Person } from './support/crowd.ts'
import { connectDatabase } from './support/database.ts'
import { createDocument, markOf, ms, pause, type DocumentAddress, rss, startProcess, table } from './support/support.ts'

if (noPostgres !== undefined) throw new Error(noPostgres)

const seconds = Number(process.env['AGMD_BENCH_SECONDS'] ?? 10)

// ——— the cost for one node ———

const cluster = await newCluster({ onDisk: true })
const database = await connectDatabase(cluster)

const node = await startProcess({
  env: {
    AGMD_STORAGE: cluster.address(),
    AGMD_SECRET: 'the same secret on all nodes, 0123456789',
    AGMD_LOG_LEVEL: 'info'
  }
})
const pid = node.child.pid ?? 0
let clients = 1_000_000

const newPlace = async (): Promise<DocumentAddress> => {
  const { doc, key } = await createDocument(`http://127.0.0.1:${node.port}`, 'A line of forty characters, more or less.\n'.repeat(49))
  return { url: `ws://127.0.0.1:${node.port}/collab`, doc, key }
}

const enter = (place: DocumentAddress): Promise<Person> => openPerson({ place, client: clients++, hasCursor: true })

interface Setup {
  readonly documents: number
  /** The people in each document. */
  readonly people: number
  /** The people in each document who type. */
  readonly writers: number
}

interface Cost {
  /** Edits that were sent. */
  readonly edits: number
  /** CPU time per edit, in microseconds. */
  readonly server: number
  readonly database: number
  /** Bytes of the write-ahead log per edit. */
  readonly wal: number
  readonly commits: number
}

const nothing: Cost = { edits: 0, server: 0, database: 0, wal: 0, commits: 0 }

const editsPerWriter = 3

/** Lets people type in documents for some seconds. Each person makes `editsPerWriter` edits per second and moves a cursor. */
const cost = async ({ documents, people, writers }: Setup): Promise<Cost> => {
  const typing: Person[] = []
  const all: Person[] = []
  for (let n = 0; n < documents; n++) {
    const place = await newPlace()
    for (let count = 0; count < people; count++) {
      const person = await enter(place)
      all.push(person)
      if (count < writers) typing.push(person)
    }
  }
  let made = 0
  const type = async (during: number): Promise<number> => {
    const [begun, before] = [performance.now(), made]
    for (let due = 0; performance.now() - begun < during * 1000; await pause(5)) {
      due = ((performance.now() - begun) / 1000) * typing.length * editsPerWriter
      for (; made - before < due; made++) typing[made % typing.length]?.type(markOf(made % 1_000_000))
    }
    return made - before
  }
  await type(2)
  const commitsNow = async (): Promise<number> => Number(await database.value('select sum(xact_commit) from pg_stat_database'))
  const walNow = async (): Promise<number> => Number(await database.value("select pg_current_wal_lsn() - '0/0'"))
  const before = [cpuSeconds(pid), database.cpuSeconds(), await walNow(), await commitsNow()] as const
  const edits = await type(seconds)
  await pause(1500)
  const after = [cpuSeconds(pid), database.cpuSeconds(), await walNow(), await commitsNow()] as const
  for (const person of all) person.close()
  const [server = 0, base = 0, wal = 0, commits = 0] = after.map((each, n) => (each - (before[n] ?? 0)) / edits)
  return { edits, server: server * 1e6, database: base * 1e6, wal, commits }
}

/** Returns the memory of an open document with one person, and of each additional person, in KiB. */
const memory = async (): Promise<readonly [number, number]> => {
  const count = 400
  const places: DocumentAddress[] = []
  for (let n = 0; n < count; n++) places.push(await newPlace())
  await pause(1000)
  const resident = [rss(pid)]
  const people: Person[] = []
  for (let round = 0; round < 2; round++) {
    for (const place of places) people.push(await enter(place))
    await pause(1000)
    resident.push(rss(pid))
  }
  for (const person of people) person.close()
  const [before = 0, one = 0, two = 0] = resident
  return [((one - before) * 1024) / count, ((two - one) * 1024) / count]
}
const [documentKiB, personKiB] = await memory()
console.log(
  `memory: ${documentKiB.toFixed(0)} KiB for an open document of 2 KB with one person, ${personKiB.toFixed(0)} KiB for each additional person`
)

const setups: readonly Setup[] = [
  // Enough documents for edits to different documents to share commits, as they do on a busy node.
  { documents: 500, people: 2, writers: 1 },
  { documents: 1, people: 50, writers: 5 },
  { documents: 1, people: 200, writers: 20 }
]
const costs: Cost[] = []
for (const setup of setups) costs.push(await cost(setup))
table(
  ['documents', 'people in each', 'of whom type', 'edits', 'node µs/edit', 'PostgreSQL µs/edit', 'WAL bytes/edit', 'transactions/edit'],
  setups.map(({ documents, people, writers }, n) => {
    const { edits, server, database: base, wal, commits } = costs[n] ?? nothing
    return [documents, people, writers, edits, ms(server), ms(base), ms(wal), ms(commits)]
  })
)

await node.kill('SIGTERM')
await database.end()
cluster.remove()

// ——— the load of many people ———

const [pairs = nothing, , crowd = nothing] = costs
/**
 * CPU time of a node for one edit and for each person who receives it, in microseconds. Both come from the line through the first and the last setup.
 */
const perPerson = Math.max(0, (crowd.server - pairs.server) / 198)
const perEdit = pairs.server - 2 * perPerson

const typingShare = 0.1
const documentsPerPerson = 5
/** Number of people above which a document counts as a publication. All others then read its published page, which has no connection. */
const peopleMax = 200
/** The share of a core that is used on average, which leaves capacity for peaks. */
const usedShare = 0.5
const databaseCores = 16

/** Computes the load of a number of people who have a document open. */
const simulate = (people: number): (string | number)[] => {
  const documents = people * documentsPerPerson
  let weights = 0
  for (let rank = 1; rank <= documents; rank++) weights += 1 / rank
  let [open, connected, micros, edits, readers, hottest] = [0, 0, 0, 0, 0, 0]
  for (let rank = 1; rank <= documents; rank++) {
    const wanted = people / rank / weights
    const mean = Math.min(wanted, peopleMax)
    readers += wanted - mean
    connected += mean
    open += 1 - Math.exp(-mean)
    // The number of people in a document follows a Poisson distribution, so the mean of its square is mean² + mean.
    const square = mean >= peopleMax ? mean ** 2 : mean ** 2 + mean
    const ofDocument = typingShare * editsPerWriter * (perEdit * mean + perPerson * square)
    edits += typingShare * editsPerWriter * mean
    micros += ofDocument
    if (rank === 1) hottest = ofDocument
  }
  const cores = micros / 1e6 / usedShare
  const ofDatabase = (edits * pairs.database) / 1e6 / usedShare
  const gibibytes = (open * documentKiB + (connected - open) * personKiB) / 1024 ** 2
  return [
    people.toLocaleString('en'),
    Math.round(open).toLocaleString('en'),
    Math.round(readers).toLocaleString('en'),
    Math.round(edits).toLocaleString('en'),
    `${((hottest / 1e6) * 100).toFixed(0)} %`,
    ms(cores),
    ms(gibibytes),
    ms(ofDatabase),
    Math.max(1, Math.ceil(ofDatabase / databaseCores)),
    ms((edits * pairs.wal * 3600) / 1024 ** 3)
  ]
}
console.log(`\na node needs ${ms(perEdit)} µs for an edit and ${ms(perPerson)} µs for each person who receives it`)
console.log(
  `${typingShare * 100} % of the people type ${editsPerWriter} edits a second; cores are used at ${usedShare * 100} %; a cluster has ${databaseCores} cores\n`
)
table(
  [
    'people',
    'open documents',
    'published readers',
    'edits/s',
    'hottest',
    'cores of nodes',
    'GiB of nodes',
    'cores of PostgreSQL',
    'clusters',
    'WAL GiB/hour'
  ],
  [1_000, 10_000, 100_000, 1_000_000].map(simulate)
)
process.exit(0)

/**
 * Compares LMDB with PostgreSQL in alternating rounds: durable edits and guarded replacements per second through a complete server, and bytes of WAL
 * per edit. Both stores are on the same disk. Run: `npm run bench stores`.
 */
import { newCluster, noPostgres } from '../../test/support/postgres.ts'
import { createDocument, ms, start, table, Typist } from './support/support.ts'
import { putMarkdown } from '../../test/support/typist.ts'
import pg from 'pg'

if (noPostgres !== undefined) throw new Error(noPostgres)

const seconds = Number(process.env['AGMD_BENCH_SECONDS'] ?? 3)
const rounds = 3
const cluster = await newCluster({ onDisk: true })
const worlds = {
  LMDB: await start({ env: { AGMD_LOG_LEVEL: 'warn' } }),
  PostgreSQL: await start({ env: { AGMD_LOG_LEVEL: 'warn', AGMD_STORAGE: cluster.address() } })
}

/** Returns the number of durable edits or replacements per second on a server. */
type Measure = (url: string) => Promise<number>

/** Simulates this many people in separate documents. Each types a character as soon as the previous one is acknowledged. */
const typing =
  (people: number): Measure =>
  async (url) => {
    const typists = await Promise.all(
      Array.from({ length: people }, async (_, n) => {
        const typist = new Typist(`c${n}`, await createDocument(url, '# Bench\n'))
        typist.connect()
        await typist.whenSynced()
        return typist
      })
    )
    const begun = performance.now()
    let done = 0
    await Promise.all(
      typists.map(async (typist) => {
        for (; performance.now() < begun + seconds * 1000; done++) {
          typist.text.insert(typist.text.length, 'x')
          await typist.whenSettled()
        }
      })
    )
    const perSecond = done / ((performance.now() - begun) / 1000)
    for (const typist of typists) typist.destroy()
    return perSecond
  }

/** Simulates this many programs. Each repeatedly replaces its own document, based on the version in the last response. */
const replacing =
  (programs: number): Measure =>
  async (url) => {
    const targets = await Promise.all(Array.from({ length: programs }, () => createDocument(url, '# Bench\n')))
    const begun = performance.now()
    let done = 0
    await Promise.all(
      targets.map(async (target) => {
        let version: string | undefined
        for (let n = 0; performance.now() < begun + seconds * 1000; n++) {
          const answer = await putMarkdown(target, `# Bench\n\nLine ${n}\n`, version)
          if (answer.status !== 200) throw new Error(`replacing answered ${answer.status}`)
          version = answer.body.version
          done++
        }
      })
    )
    return done / ((performance.now() - begun) / 1000)
  }

const measures: Readonly<Record<string, Measure>> = {
  'edits/s, 1 person': typing(1),
  'edits/s, 50 people': typing(50),
  'guarded PUT/s, 1 program': replacing(1),
  'guarded PUT/s, 20 programs': replacing(20)
}

const walPosition = async (): Promise<number> => {
  const client = new pg.Client(cluster.address())
  await client.connect()
  const { rows } = await client.query<{ at: string }>(`select pg_current_wal_lsn() - '0/0' as at`)
  await client.end()
  return Number(rows[0]!.at)
}

/** Returns the bytes of WAL per edit. Nothing else may write to the store meanwhile. */
const walPerEdit = async (measure: Measure): Promise<number> => {
  const before = await walPosition()
  const perSecond = await measure(worlds.PostgreSQL.url)
  return ((await walPosition()) - before) / (perSecond * seconds)
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const rows: string[][] = []
for (const [name, measure] of Object.entries(measures)) {
  const found: Record<keyof typeof worlds, number[]> = { LMDB: [], PostgreSQL: [] }
  for (let round = 0; round < rounds; round++)
    for (const store of ['LMDB', 'PostgreSQL'] as const) found[store].push(await measure(worlds[store].url))
  rows.push([name, ms(median(found.LMDB)), ms(median(found.PostgreSQL))])
}
console.log(`median of ${rounds} rounds of ${seconds} s each, in turn`)
table(['what', 'LMDB', 'PostgreSQL'], rows)
table(
  ['bytes of WAL', 'for each edit'],
  [
    ['1 person', ms(await walPerEdit(typing(1)))],
    ['50 people', ms(await walPerEdit(typing(50)))]
  ]
)
for (const world of Object.values(worlds)) await world.stop()
cluster.remove()
process.exit(0)

/**
 * Runs the benchmarks that have goals, one after another. Prints one table with our figure, the figure of the best peer in the same run, the bare
 * limit and the goal. The table also replaces the one in scripts/bench/RESULTS.md. Each benchmark alternates between the servers. Run: `npm run
 * bench` without a name.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ms, table } from './support/support.ts'

/** A row of the table. `name` is the key of its recorded figures. `limit` is the figure that this machine reaches without a service. */
interface Goal {
  readonly name: string
  readonly says: string
  readonly unit: string
  readonly goal: number
  /** Whether a higher figure is better. */
  readonly isRate?: boolean
  readonly limit?: string
}

const goals: readonly Goal[] = [
  { name: 'kill lost', says: 'acknowledged edits lost at SIGKILL', unit: '', goal: 0 },
  { name: 'kill ack', says: '500 edits/s: acknowledgement, p99', unit: 'ms', goal: 10 },
  { name: 'crowd 400 p99', says: '400 people in one document: p99', unit: 'ms', goal: 10 },
  { name: 'crowd 400 cpu', says: '400 people in one document: processor', unit: '%', goal: 25 },
  { name: 'crowd 800 p99', says: '800 people in one document: p99', unit: 'ms', goal: 50 },
  { name: 'crowd 1200 p99', says: '1,200 people in one document: p99', unit: 'ms', goal: 80 },
  { name: 'crowd 2000 p99', says: '2,000 people in one document: p99', unit: 'ms', goal: 100 },
  { name: 'fan-out', says: 'one writer at 50/s to 200 readers: p50', unit: 'ms', goal: 2.5 },
  { name: 'lone ack', says: 'a lone writer: acknowledgement, p50', unit: 'ms', goal: 1.5, limit: 'lmdb put 0.4' },
  { name: 'throughput', says: '200 documents × 2, p99 below 100 ms', unit: 'edits/s', goal: 60_000, isRate: true, limit: '100,000' },
  { name: 'throughput 6000 cpu', says: 'processor for 10,000 edits at 6,000/s', unit: 's', goal: 0.25, limit: '0.1' },
  { name: 'cost 32', says: 'processor for 10,000 edits, 32 at a time', unit: 's', goal: 0.25, limit: '0.1' },
  { name: 'cost 200', says: 'processor for 10,000 edits, 200 at a time', unit: 's', goal: 0.25, limit: '0.1' },
  { name: 'trace', says: 'B4 through one connection', unit: 's', goal: 3, limit: '0.6–1.8' },
  { name: 'trace at once', says: 'B4, sent without waiting', unit: 's', goal: 3, limit: '0.6–1.8' },
  { name: 'open 10', says: 'first open after a restart, 10 KB', unit: 'ms', goal: 8 },
  { name: 'open 1', says: 'first open after a restart, 1 MB', unit: 'ms', goal: 12 },
  { name: 'open B4', says: 'first open after a restart, B4', unit: 'ms', goal: 10, limit: '9.6' },
  { name: 'start', says: 'restart until it serves', unit: 's', goal: 0.25 },
  { name: 'start memory', says: 'memory at start', unit: 'MiB', goal: 60 },
  { name: 'document memory', says: 'memory of an open idle document of 2 KB', unit: 'KiB', goal: 40 },
  { name: 'PUT content 1', says: 'PUT of 10 KB, 1 connection', unit: '/s', goal: 1500, isRate: true },
  { name: 'PUT content 16', says: 'PUT of 10 KB, 16 connections', unit: '/s', goal: 5000, isRate: true },
  { name: 'PUT content 64', says: 'PUT of 10 KB, 64 connections', unit: '/s', goal: 8000, isRate: true },
  { name: 'GET .md cold 64', says: 'read of 10 KB as .md, 64 connections', unit: '/s', goal: 40_000, isRate: true },
  { name: 'GET JSON warm 64', says: 'read of 10 KB as JSON, 64 connections', unit: '/s', goal: 35_000, isRate: true },
  { name: 'POST docs 16', says: 'new documents, 16 connections', unit: '/s', goal: 3000, isRate: true }
]

/** The benchmarks, with the settings that keep the run short. */
const runs: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['kill', {}],
  ['ack', { AGMD_BENCH_SECONDS: '3' }],
  ['crowd', { AGMD_BENCH_PEOPLE: '1,400,800,1200,2000', AGMD_BENCH_SECONDS: '5' }],
  ['throughput', { AGMD_BENCH_RATES: '2000,6000,10000,20000,30000,60000', AGMD_BENCH_SECONDS: '3' }],
  ['cost', {}],
  ['trace', {}],
  ['open', {}],
  ['start', {}],
  ['http', {}]
]

interface Figure {
  readonly name: string
  readonly server: string
  readonly value: number
}

const folder = mkdtempSync(join(tmpdir(), 'agmd-bench-all-'))
const file = join(folder, 'figures')
const load = loadavg()[0] ?? 0
for (const [name, settings] of runs)
  await new Promise((resolve) => {
    const env = { ...process.env, ...settings, AGMD_BENCH_RECORD: file }
    spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { env, stdio: 'inherit' }).once('exit', resolve)
  })
const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
const figures = text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Figure)
rmSync(folder, { recursive: true })

const rowOf = ({ name, says, unit, goal, isRate = false, limit = '-' }: Goal): string[] => {
  const found = figures.filter((figure) => figure.name === name && Number.isFinite(figure.value))
  const ours = found.find(({ server }) => server === 'agmd')?.value
  const [peer] = found
    .filter(({ server }) => server !== 'agmd')
    .toSorted((one, other) => (isRate ? other.value - one.value : one.value - other.value))
  const isMet = ours !== undefined && (isRate ? ours >= goal : ours <= goal)
  const bare =
    name.startsWith('GET') || name.startsWith('PUT') ? figures.find((each) => each.name === `${name.slice(0, 3)} bare koa 64`) : undefined
  return [
    says,
    unit,
    ours === undefined ? '-' : ms(ours),
    peer === undefined ? '-' : `${ms(peer.value)} (${peer.server})`,
    bare === undefined ? limit : `Koa ${ms(bare.value)}`,
    String(goal),
    isMet ? 'met' : 'missed'
  ]
}

const lines: string[] = []
const print = console.log
console.log = (line: string): void => void lines.push(line)
table(['what', 'unit', 'ours', 'best peer', 'limit', 'goal', ''], goals.map(rowOf))
console.log = print
console.log(lines.join('\n'))

const results = join(import.meta.dirname, 'RESULTS.md')
const [begin, end] = ['<!-- table -->', '<!-- /table -->']
const busy = load > 2 ? ' The machine was busy: only CPU time and memory can be read.' : ''
const said = `${begin}\n${new Date().toISOString().slice(0, 10)}, load ${load.toFixed(0)} at the beginning.${busy}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n${end}`
const before = readFileSync(results, 'utf8')
writeFileSync(
  results,
  before.replace(/<!-- table -->[^]*<!-- \/table -->/, () => said)
)
process.exit(0)

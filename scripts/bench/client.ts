/**
 * Measures the start-up time of the client on every installed Node. It runs `agmd --version` and a command that calls the service. The baselines are
 * a bare `node -e 0` and a bare `fetch`. Rounds alternate, so that the machine is in the same state for all commands. The best round of each command
 * counts, because it was disturbed least by other programs. Run: `npm run bench client`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodes } from '../../test/support/cli.ts'
import { ms, percentile, startProcess, table } from './support/support.ts'

/** Number of measured starts of each kind. */
const rounds = Number(process.env['AGMD_BENCH_ROUNDS'] ?? 30)

/** How much longer `agmd --version` may take than the bare start, in milliseconds. */
const extraMsMax = 60

const agmd = join(import.meta.dirname, '..', '..', 'dist', 'agmd')
const home = await mkdtemp(join(tmpdir(), 'agmd-bench-'))
const world = await startProcess()

const kinds: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': ['-e', '0'],
  'agmd --version': [agmd, '--version'],
  'agmd docs push --help': [agmd, 'docs', 'push', '--help'],
  'agmd api GET /api/health': [agmd, 'api', 'GET', '/api/health'],
  'the same by bare fetch': ['-e', `fetch('${world.url}/api/health').then((answer) => answer.text())`]
}

const start = (node: string, words: readonly string[]): number => {
  const begun = performance.now()
  const { status, stderr } = spawnSync(node, words, { env: { HOME: home, AGMD_URL: world.url }, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${words.join(' ')}: ${status} ${stderr}`)
  return performance.now() - begun
}

const rows: string[][] = []
for (const node of nodes()) {
  const times = Object.fromEntries(Object.keys(kinds).map((name): [string, number[]] => [name, []]))
  for (let round = 0; round < rounds; round++) for (const [name, words] of Object.entries(kinds)) times[name]?.push(start(node, words))
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  const best = (name: string): number => Math.min(...(times[name] ?? []))
  for (const [name, all] of Object.entries(times)) {
    const extra = best(name) - best('node -e 0')
    rows.push([version, name, ms(best(name)), ms(percentile(all, 0.5)), `+${ms(extra)}`, (best(name) / best('node -e 0')).toFixed(2)])
    if (name === 'agmd --version' && extra > extraMsMax) process.exitCode = 1
  }
}
console.log(`start to end, ms, of ${rounds} starts each`)
table(['node', 'command', 'best', 'p50', 'beyond bare', 'ratio'], rows)

await world.stop()
await rm(home, { recursive: true, force: true })

/**
 * Shows where the server spends its time under a benchmark. `npm run profile -- NAME [LINES]` runs the benchmark on our server only, and sums the
 * samples by package and by function.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { functionName: string; url: string; lineNumber: number } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const [name = 'crowd', lines = '30'] = process.argv.slice(2)
const bench = join(import.meta.dirname, 'bench', `${name}.ts`)
if (!existsSync(bench)) throw new Error(`there is no bench called ${name}`)
const folder = mkdtempSync(join(tmpdir(), 'agmd-profile-'))
const child = spawn(process.execPath, [bench], {
  env: { ...process.env, AGMD_BENCH_ONLY: 'agmd', AGMD_BENCH_PROFILE: folder },
  stdio: 'inherit'
})
await new Promise((resolve) => child.once('exit', resolve))

const root = join(import.meta.dirname, '..')
const packageOf = (url: string): string => {
  if (url === '') return 'native'
  if (url.startsWith('node:')) return 'node'
  const found = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  return found ?? url.replace(`file://${root}/`, '').split('/').slice(0, 2).join('/')
}

const byPackage = new Map<string, number>()
const byFunction = new Map<string, number>()
const add = (sums: Map<string, number>, key: string, microseconds: number): void => void sums.set(key, (sums.get(key) ?? 0) + microseconds)

/** Each worker has a separate profile. The main thread has the profile of thread 0. */
const file = readdirSync(folder).find((each) => /^CPU\.\d+\.\d+\.\d+\.0\./.test(each))
if (file === undefined) throw new Error('the server left no profile')
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
let busy = 0
samples.forEach((id, index) => {
  const { functionName, url, lineNumber } = frames.get(id) ?? { functionName: '', url: '', lineNumber: 0 }
  const spent = timeDeltas[index] ?? 0
  if (functionName === '(idle)') return
  busy += spent
  const place = functionName.startsWith('(') ? functionName : packageOf(url)
  add(byPackage, place, spent)
  add(byFunction, `${functionName === '' ? 'anonymous' : functionName} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`, spent)
})
rmSync(folder, { recursive: true, force: true })
const print = (sums: Map<string, number>): void => {
  for (const [key, spent] of [...sums].toSorted(([, one], [, other]) => other - one).slice(0, Number(lines)))
    console.log(`${((spent / busy) * 100).toFixed(1).padStart(6)} %  ${(spent / 1e6).toFixed(2).padStart(6)} s  ${key}`)
}
console.log(`\n${name}: ${(busy / 1e6).toFixed(1)} s of the server's main thread, by package`)
print(byPackage)
console.log('\nby function')
print(byFunction)

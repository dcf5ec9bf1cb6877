/**
 * Measures the start of the built server: the time until a restarted server responds, its CPU time and its memory. Then it measures the memory for
 * 1,000 open idle documents of 2 KB with one connection each. The baseline is bare Hocuspocus with SQLite.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuSeconds, openPerson, type Person } from './support/crowd.ts'
import {
  createDocument,
  ms,
  pause,
  percentile,
  type DocumentAddress,
  record,
  rss,
  startBare,
  startProcess,
  table
} from './support/support.ts'

const rounds = Number(process.env['AGMD_BENCH_ROUNDS'] ?? 5)
const documents = 1000
const folder = await mkdtemp(join(tmpdir(), 'agmd-bench-start-'))
const options = { folder, env: { AGMD_LOG_LEVEL: 'info' }, built: true } as const

interface Started {
  readonly pid: number
  readonly seconds: number
  place(n: number): DocumentAddress
  stop(): unknown
}

const content = 'A line of forty characters, more or less.\n'.repeat(49)
const first = await startProcess(options)
const places: DocumentAddress[] = []
for (let n = 0; n < documents; n += 20)
  places.push(...(await Promise.all(Array.from({ length: 20 }, () => createDocument(first.url, content)))))
await first.stop()

const startOurs = async (): Promise<Started> => {
  const begun = performance.now()
  const { child, port, stop } = await startProcess(options)
  await fetch(`http://127.0.0.1:${port}/api/health`)
  const seconds = (performance.now() - begun) / 1000
  return { pid: child.pid ?? 0, seconds, place: (n) => ({ ...(places[n] as DocumentAddress), url: `ws://127.0.0.1:${port}/collab` }), stop }
}

const startPeer = async (): Promise<Started> => {
  const begun = performance.now()
  const { child, port, stop } = await startBare('hocuspocus-sqlite')
  await fetch(`http://127.0.0.1:${port}/`)
  const seconds = (performance.now() - begun) / 1000
  return { pid: child.pid ?? 0, seconds, place: (n) => ({ url: `ws://127.0.0.1:${port}`, doc: `bench${n}`, key: 'none' }), stop }
}

const rows: string[][] = []
for (const [name, start] of [
  ['agmd', startOurs],
  ['hocuspocus-sqlite', startPeer]
] as const) {
  const seconds: number[] = []
  const processor: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = await start()
    seconds.push(started.seconds)
    processor.push(cpuSeconds(started.pid))
    await pause(200)
    await started.stop()
  }
  const started = await start()
  await pause(3000)
  const before = rss(started.pid)
  const people: Person[] = []
  for (let n = 0; n < documents; n++) {
    const person = await openPerson({ place: started.place(n), client: 1, hasCursor: false })
    if (name !== 'agmd') person.type(content)
    people.push(person)
  }
  await pause(5000)
  const each = ((rss(started.pid) - before) * 1024) / documents
  for (const person of people) person.close()
  await started.stop()
  record('start', name, percentile(seconds, 0.5))
  record('start memory', name, before)
  record('document memory', name, each)
  rows.push([name, ms(percentile(seconds, 0.5)), ms(percentile(processor, 0.5)), ms(before), ms(each)])
}
table(['server', 's until it answers', 'processor s', 'MiB at start', 'KiB for each open document'], rows)
await rm(folder, { recursive: true, force: true })
process.exit(0)

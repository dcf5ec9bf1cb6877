/**
 * Counts the live memory of the server for each open document with one idle connection, by kind of object. It compares a heap snapshot with 100 open
 * documents with one with 1,000. Unlike resident memory, this does not depend on when the garbage is collected.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPerson } from './support/crowd.ts'
import { createDocument, ms, pause, type DocumentAddress, startProcess, table } from './support/support.ts'

interface HeapSnapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly (readonly string[])[] } }
  readonly nodes: readonly number[]
  readonly strings: readonly string[]
}

/** The number of live objects of one kind, and their size in bytes. */
interface Sum {
  count: number
  bytes: number
}

const documents = 1000
const openBefore = 100
const content = 'A line of forty characters, more or less.\n'.repeat(49)

const folder = await mkdtemp(join(tmpdir(), 'agmd-bench-heap-'))
const env = { AGMD_LOG_LEVEL: 'info', NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}` }
const { url, port, child, stop } = await startProcess({ folder, env, built: true })
const places: DocumentAddress[] = []
for (let n = 0; n < documents; n += 20) places.push(...(await Promise.all(Array.from({ length: 20 }, () => createDocument(url, content)))))

const open = async (from: number, to: number): Promise<void> => {
  for (const each of places.slice(from, to))
    await openPerson({ place: { ...each, url: `ws://127.0.0.1:${port}/collab` }, client: 1, hasCursor: false })
  await pause(3000)
}

const snapshots = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.endsWith('.heapsnapshot')).toSorted()

/** Makes the server write a heap snapshot. The server is stopped while it writes, and afterward it answers again. */
const countLive = async (): Promise<Map<string, Sum>> => {
  const known = new Set(await snapshots())
  process.kill(child.pid ?? 0, 'SIGUSR2')
  let file: string | undefined
  while (file === undefined) {
    await pause(200)
    file = (await snapshots()).find((name) => !known.has(name))
  }
  await fetch(`${url}/livez`)
  const { snapshot, nodes, strings } = JSON.parse(await readFile(join(folder, file), 'utf8')) as HeapSnapshot
  const { node_fields: fields, node_types: types } = snapshot.meta
  const sums = new Map<string, Sum>()
  for (let at = 0; at < nodes.length; at += fields.length) {
    const [type = 0, name = 0, , size = 0] = nodes.slice(at, at + 4)
    const kind = `${types[0]?.[type]} ${types[0]?.[type] === 'string' ? '' : strings[name]?.slice(0, 40)}`
    const sum = sums.get(kind) ?? { count: 0, bytes: 0 }
    sum.count += 1
    sum.bytes += size
    sums.set(kind, sum)
  }
  return sums
}

await open(0, openBefore)
const before = await countLive()
await open(openBefore, documents)
const after = await countLive()
const opened = documents - openBefore
const rows = [...after]
  .map(([kind, { count, bytes }]) => ({
    kind,
    count: (count - (before.get(kind)?.count ?? 0)) / opened,
    bytes: (bytes - (before.get(kind)?.bytes ?? 0)) / opened
  }))
  .toSorted((a, b) => b.bytes - a.bytes)
console.log(`live memory for each open document: ${ms(rows.reduce((sum, { bytes }) => sum + bytes, 0) / 1024)} KiB`)
table(
  ['kind', 'objects', 'bytes'],
  rows.slice(0, 30).map(({ kind, count, bytes }) => [kind, ms(count), Math.round(bytes)])
)
await stop()
await rm(folder, { recursive: true, force: true })
process.exit(0)

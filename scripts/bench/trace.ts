/**
 * Sends the trace B4 (support/trace.ts) through one connection, with one update for each keystroke. First, it sends all updates without waiting, as a
 * client does with offline changes. Then, it sends them with at most 1,000 unacknowledged updates at a time. The baseline is bare Hocuspocus in
 * memory and with SQLite. Our server must never close the socket.
 */
import * as Y from 'yjs'
import { openPerson, startMeter, startTargets, type Target, updateFrame } from './support/crowd.ts'
import { ms, pause, record, rss, table } from './support/support.ts'
import { readTrace } from './support/trace.ts'

const trace = readTrace()
const most = Number(process.env['AGMD_BENCH_UPDATES'] ?? trace.patches.length)
/** Longest time for a run, in seconds. Bare Hocuspocus never finishes a long queue. */
const secondsMax = 60

const updates: Uint8Array[] = []
const ydoc = new Y.Doc()
const text = ydoc.getText('content')
ydoc.on('update', (update: Uint8Array) => updates.push(update))
for (const [position, deleted, inserted] of trace.patches.slice(0, most))
  ydoc.transact(() => {
    if (deleted > 0) text.delete(position, deleted)
    if (inserted !== '') text.insert(position, inserted)
  })

const measure = async (target: Target, window: number): Promise<(string | number)[]> => {
  const place = await target.place()
  let acknowledged = 0
  let closed: number | undefined
  const person = await openPerson({
    place,
    client: 1,
    hasCursor: false,
    onAcknowledged: () => void acknowledged++,
    onClose: (code) => (closed = code)
  })
  const meter = startMeter(target.pid)
  let next = 0
  const isOver = (): boolean => acknowledged >= updates.length || closed !== undefined || meter().seconds > secondsMax
  while (!isOver()) {
    while (next < updates.length && next - acknowledged < window) person.send(updateFrame(place.doc, updates[next++] as Uint8Array))
    await new Promise((resolve) => (next < updates.length ? setImmediate(resolve) : setTimeout(resolve, 1)))
  }
  const used = meter()
  const how = closed === undefined ? (acknowledged < updates.length ? `${acknowledged} after ${secondsMax} s` : 'all') : `closed ${closed}`
  const memory = Math.round(rss(target.pid))
  if (closed === undefined && acknowledged >= updates.length) record(window === 1000 ? 'trace' : 'trace at once', target.name, used.seconds)
  person.close()
  await pause(500)
  return [
    window === Number.POSITIVE_INFINITY ? 'all at once' : `${window} at a time`,
    target.name,
    ms(used.seconds),
    Math.round(acknowledged / used.seconds),
    ms(used.server),
    how,
    memory
  ]
}

const targets = await startTargets()
const acknowledging = targets.filter(({ acknowledges }) => acknowledges)
const rows: (string | number)[][] = []
for (const window of [1000, Number.POSITIVE_INFINITY])
  for (const target of acknowledging)
    if (window === 1000 || target.name === 'agmd' || process.env['AGMD_BENCH_ALL'] === '1') rows.push(await measure(target, window))
console.log(`${trace.name}: ${updates.length} updates through one connection, in seconds`)
table(['sent', 'server', 'seconds', 'updates/s', 'server CPU s', 'acknowledged', 'MiB after'], rows)
for (const target of targets) await target.stop()
process.exit(0)

/**
 * Measures the time from an edit to its acknowledgement and to its arrival at every other client, compared with bare Hocuspocus and a bare ws
 * broadcast. Our server acknowledges an edit when it is on disk. Bare Hocuspocus acknowledges an edit when it is in memory. Rounds alternate. The
 * same load generator is used for all servers, so every figure includes its cost per received message.
 */
import {
  createDocument,
  markOf,
  ms,
  openPeer,
  pause,
  percentile,
  record,
  type DocumentAddress,
  startBare,
  startProcess,
  table
} from './support/support.ts'

/** Time before the measurement begins, because a new process first runs cold code. */
const warmUpSeconds = 1.5
const secondsPerRow = Number(process.env['AGMD_BENCH_SECONDS'] ?? 3)

interface Row {
  readonly clients: number
  readonly writers: number
  /** Edits per second, by all writers together. */
  readonly rate: number
}

const rows: readonly Row[] = [
  { clients: 1, writers: 1, rate: 100 },
  { clients: 10, writers: 10, rate: 100 },
  { clients: 50, writers: 50, rate: 500 },
  { clients: 200, writers: 1, rate: 50 },
  { clients: 200, writers: 1, rate: 200 },
  { clients: 200, writers: 200, rate: 400 }
]

interface Figures {
  readonly acks: number[]
  readonly arrivals: number[]
  readonly expected: number
}

const measure = async (place: DocumentAddress, protocol: 'hocuspocus' | 'raw', { clients, writers, rate }: Row): Promise<Figures> => {
  const sent = new Map<string, number>()
  const acks: number[] = []
  const arrivals: number[] = []
  let counted = 0
  let from = Number.POSITIVE_INFINITY
  const note =
    (figures: number[]) =>
    (mark: string): void => {
      const at = sent.get(mark) ?? 0
      if (at >= from) figures.push(performance.now() - at)
    }
  const onMark = note(arrivals)
  const onAcknowledged = note(acks)
  const peers = []
  for (let n = 0; n < clients; n++)
    peers.push(await openPeer({ place, protocol, onMark: n < writers && clients === 1 ? () => undefined : onMark, onAcknowledged }))
  await pause(200)
  const begun = performance.now()
  from = begun + warmUpSeconds * 1000
  let made = 0
  while (performance.now() < from + secondsPerRow * 1000) {
    for (; made < ((performance.now() - begun) / 1000) * rate; made++) {
      const mark = markOf(made)
      sent.set(mark, performance.now())
      if (performance.now() >= from) counted++
      peers[made % writers]?.type(mark)
    }
    await pause(1)
  }
  await pause(500)
  for (const peer of peers) peer.close()
  return { acks, arrivals, expected: counted * (clients - 1) }
}

const agmd = await startProcess({ env: { AGMD_LOG_LEVEL: 'info' } })
const hocuspocus = await startBare('hocuspocus')
const ws = await startBare('ws')
const socketUrl = `ws://127.0.0.1:${agmd.port}/collab`
const printed: (string | number)[][] = []
for (const row of rows) {
  const { doc, key } = await createDocument(`http://127.0.0.1:${agmd.port}`, '')
  const targets: [string, DocumentAddress, 'hocuspocus' | 'raw'][] = [
    ['agmd', { url: socketUrl, doc, key }, 'hocuspocus'],
    ['hocuspocus', { url: `ws://127.0.0.1:${hocuspocus.port}`, doc, key }, 'hocuspocus'],
    ['ws', { url: `ws://127.0.0.1:${ws.port}`, doc, key }, 'raw']
  ]
  for (const [name, place, protocol] of targets) {
    const { acks, arrivals, expected } = await measure(place, protocol, row)
    // Bare Hocuspocus also sends an edit back to its author. These duplicates are counted too, and they arrive fast.
    const share = expected === 0 ? '-' : `${Math.min(100, Math.round((arrivals.length / expected) * 100))} %`
    printed.push([
      row.clients,
      `${row.writers} x ${row.rate}/s`,
      name,
      ...[0.5, 0.99].map((p) => ms(percentile(acks, p))),
      ...[0.5, 0.99].map((p) => ms(percentile(arrivals, p))),
      share
    ])
    if (row.clients === 200 && row.rate === 50) record('fan-out', name, percentile(arrivals, 0.5))
    await pause(200)
  }
}
console.log('edit to acknowledgement and to every other client, ms')
table(['clients', 'typing', 'server', 'ack p50', 'p99', 'arrival p50', 'p99', 'arrived'], printed)
hocuspocus.stop()
ws.stop()
await agmd.stop()
process.exit(0)

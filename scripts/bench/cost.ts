/**
 * Measures the CPU time of the server for one edit. 200 documents have two clients each. In each round, some of the documents get one edit, and the
 * next round begins when every writer has its acknowledgement and every reader has the edit. The number of simultaneous edits is therefore fixed, and
 * does not depend on how busy the machine is. The baselines are bare Hocuspocus, in memory and with SQLite, and y-websocket with LevelDB.
 */
import { openPerson, type Person, startMeter, startTargets, type Target } from './support/crowd.ts'
import { markOf, ms, record, table } from './support/support.ts'

const atOnce = (process.env['AGMD_BENCH_RATES'] ?? '1,8,32,200').split(',').map(Number)
const edits = Number(process.env['AGMD_BENCH_EDITS'] ?? 6000)
const documents = 200

/** Two clients with the same document. */
interface Pair {
  readonly writer: Person
  readonly reader: Person
  /** Types a mark. Resolves when the writer has its acknowledgement and the reader has the mark. */
  type(mark: string): Promise<void>
}

const openPair = async (target: Target, n: number): Promise<Pair> => {
  const place = await target.place()
  let waiting = 0
  let done = (): void => undefined
  const one = (): void => {
    if (--waiting === 0) done()
  }
  const writer = await openPerson({ place, client: 2_000_000 + n, hasCursor: false, ...(target.acknowledges && { onAcknowledged: one }) })
  const reader = await openPerson({ place, client: 3_000_000 + n, hasCursor: false, onMark: one })
  return {
    writer,
    reader,
    type(mark) {
      waiting = target.acknowledges ? 2 : 1
      const { promise, resolve } = Promise.withResolvers<void>()
      done = resolve
      writer.type(mark)
      return promise
    }
  }
}

/** Types at least `count` edits, `together` of them at a time. Returns the number of edits. */
const type = async (pairs: readonly Pair[], count: number, together: number): Promise<number> => {
  let made = 0
  while (made < count) {
    const round = Array.from({ length: together }, async (_, n) => pairs[(made + n) % documents]?.type(markOf((made + n) % 1_000_000)))
    await Promise.all(round)
    made += together
  }
  return made
}

const targets = await startTargets()
const rows: (string | number)[][] = []
for (const target of targets) {
  const pairs: Pair[] = []
  for (let n = 0; n < documents; n++) pairs.push(await openPair(target, n))
  await type(pairs, 4000, 50)
  for (const together of atOnce) {
    const meter = startMeter(target.pid)
    const made = await type(pairs, together === 1 ? edits / 3 : edits, together)
    const { server, seconds } = meter()
    record(`cost ${together}`, target.name, (server / made) * 10_000)
    rows.push([together, target.name, ms((server / made) * 1e6), ms((server / made) * 10_000), Math.round(made / seconds)])
  }
  for (const { writer, reader } of pairs) {
    writer.close()
    reader.close()
  }
}
console.log(`${documents} documents with two clients each: CPU time of the server for one edit`)
table(
  ['at once', 'server', 'µs', 's for 10,000', 'edits/s'],
  rows.toSorted(([one], [other]) => Number(one) - Number(other))
)
for (const target of targets) await target.stop()
process.exit(0)

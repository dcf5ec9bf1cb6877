/**
 * Sends edits to 200 documents with two clients each, at increasing rates. The figures are the time until the other client has an edit, and the
 * server's CPU time for 10,000 edits, in seconds. The result is the highest rate, in edits per second, with a p99 below 100 ms. The baselines are
 * bare Hocuspocus, in memory and with SQLite, and y-websocket with LevelDB.
 */
import { isLimited, openPerson, type Person, startMeter, startTargets, type Target } from './support/crowd.ts'
import { markOf, ms, pause, percentile, record, table } from './support/support.ts'

const steps = (process.env['AGMD_BENCH_RATES'] ?? '2000,4000,6000,8000,12000,16000,20000,30000').split(',').map(Number)
const seconds = Number(process.env['AGMD_BENCH_SECONDS'] ?? 3)
const warmUpSeconds = 1
const documents = 200
const p99Max = 100

/** Only one of this many marks is timed. */
const sample = 7

const measure = async (target: Target, rate: number): Promise<{ row: (string | number)[]; sustained: boolean }> => {
  const pairs: Person[] = []
  const sent = new Map<string, number>()
  const arrivals: number[] = []
  let from = Number.POSITIVE_INFINITY
  let arrived = 0
  for (let n = 0; n < documents; n++) {
    const place = await target.place()
    const onMark = (mark: string): void => {
      const at = sent.get(mark)
      if (at === undefined || at < from) return
      arrived++
      arrivals.push(performance.now() - at)
    }
    pairs.push(await openPerson({ place, client: 2_000_000 + n, hasCursor: false }))
    await openPerson({ place, client: 3_000_000 + n, hasCursor: false, onMark }).then((person) => pairs.push(person))
  }
  await pause(300)
  const begun = performance.now()
  from = begun + warmUpSeconds * 1000
  let meter: ReturnType<typeof startMeter> | undefined
  let timed = 0
  let counted = 0
  for (let made = 0; performance.now() < from + seconds * 1000;) {
    if (meter === undefined && performance.now() >= from) meter = startMeter(target.pid)
    const due = ((performance.now() - begun) / 1000) * rate
    for (let most = 2000; made < due && most > 0; made++, most--) {
      const mark = markOf(made)
      if (made % sample === 0) sent.set(mark, performance.now())
      if (performance.now() >= from) {
        counted++
        if (made % sample === 0) timed++
      }
      pairs[(made % documents) * 2]?.type(mark)
    }
    await pause(1)
  }
  const used = meter?.() ?? { seconds: 1, server: 0, own: 0 }
  await pause(1000)
  for (const person of pairs) person.close()
  await pause(300)
  const p99 = percentile(arrivals, 0.99)
  record(`throughput ${rate} cpu`, target.name, (used.server / Math.max(1, counted)) * 10_000)
  const isAll = arrived >= timed * 0.99 && counted >= rate * seconds * 0.95
  return {
    sustained: isAll && p99 < p99Max,
    row: [
      rate,
      target.name,
      ms(percentile(arrivals, 0.5)),
      ms(p99),
      `${Math.min(100, Math.round((arrived / Math.max(1, timed)) * 100))} %`,
      Math.round(counted / used.seconds),
      ms((used.server / Math.max(1, counted)) * 10_000),
      `${Math.round((used.server / used.seconds) * 100)} %`,
      `${Math.round((used.own / used.seconds) * 100)} %${isLimited(used.own, used.seconds) ? ' (limit)' : ''}`
    ]
  }
}

const targets = await startTargets()
const rows: (string | number)[][] = []
const best = new Map<string, number>()
const ended = new Set<Target>()
for (const rate of steps)
  for (const target of targets) {
    if (ended.has(target)) continue
    const { row, sustained } = await measure(target, rate)
    rows.push(row)
    if (sustained) best.set(target.name, rate)
    else ended.add(target)
  }
console.log(`${documents} documents with two clients each: ms from sending to the other client`)
table(['edits/s', 'server', 'p50', 'p99', 'arrived', 'sent/s', 'CPU s per 10,000', 'server CPU', 'generator CPU'], rows)
for (const { name } of targets) record('throughput', name, best.get(name) ?? 0)
for (const { name } of targets) console.log(`${name}: ${best.get(name) ?? 0} edits/s with a p99 below ${p99Max} ms`)
for (const target of targets) await target.stop()
process.exit(0)

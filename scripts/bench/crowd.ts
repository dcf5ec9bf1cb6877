/**
 * Measures many people who type in one document. Each person makes two edits a second and moves a cursor. The figures are the time from sending an
 * edit to its arrival at other people, and the CPU time of the server. The baselines are bare Hocuspocus, in memory and with SQLite, and y-websocket
 * with LevelDB. Only sixty people read incoming frames. Otherwise, the benchmark would measure its own process.
 */
import { isLimited, openPerson, type Person, startMeter, startTargets, type Target } from './support/crowd.ts'
import { markOf, ms, pause, percentile, record, table } from './support/support.ts'

const crowds = (process.env['AGMD_BENCH_PEOPLE'] ?? '1,50,200,400,800').split(',').map(Number)
const seconds = Number(process.env['AGMD_BENCH_SECONDS'] ?? 5)
const hasCursor = process.env['AGMD_BENCH_CURSORS'] !== 'off'
const warmUpSeconds = 2
const readersMax = 60
const editsPerSecond = 2

const measure = async (target: Target, people: number): Promise<(string | number)[]> => {
  const place = await target.place()
  const sent = new Map<string, number>()
  const arrivals: number[] = []
  const acknowledgements: number[] = []
  let from = Number.POSITIVE_INFINITY
  let closed = 0
  const crowd: Person[] = []
  const waiting: number[] = []
  const readers = Math.min(people, readersMax)
  for (let n = 0; n < Math.max(2, people); n++) {
    const isReader = n < readers || people === 1
    const person = await openPerson({
      place,
      client: 1_000_000 + n,
      hasCursor,
      ...(isReader && {
        onMark: (mark: string) => {
          const at = sent.get(mark) ?? 0
          // Bare Hocuspocus also sends an update back to its author.
          if (at >= from && !(Number(mark.slice(1)) % people === n)) arrivals.push(performance.now() - at)
        },
        ...(n === 0 &&
          target.acknowledges && {
            onAcknowledged: () => {
              const at = waiting.shift() ?? 0
              if (at >= from) acknowledgements.push(performance.now() - at)
            }
          })
      }),
      onClose: () => closed++
    })
    crowd.push(person)
  }
  await pause(300)
  const rate = people === 1 ? 20 : people * editsPerSecond
  const begun = performance.now()
  from = begun + warmUpSeconds * 1000
  let meter: ReturnType<typeof startMeter> | undefined
  let expected = 0
  for (let made = 0; performance.now() < from + seconds * 1000;) {
    if (meter === undefined && performance.now() >= from) meter = startMeter(target.pid)
    for (; made < ((performance.now() - begun) / 1000) * rate; made++) {
      const mark = markOf(made)
      const at = performance.now()
      sent.set(mark, at)
      if (made % people === 0) waiting.push(at)
      if (at >= from) expected += Math.max(2, people) === 2 ? 1 : readers - (made % people < readers ? 1 : 0)
      crowd[made % people]?.type(mark)
    }
    await pause(1)
  }
  const used = meter?.() ?? { seconds: 1, server: 0, own: 0 }
  const wasClosed = closed
  await pause(1000)
  for (const person of crowd) person.close()
  await pause(300)
  record(`crowd ${people} p99`, target.name, percentile(arrivals, 0.99))
  record(`crowd ${people} cpu`, target.name, (used.server / used.seconds) * 100)
  if (people === 1) record('lone ack', target.name, percentile(acknowledgements, 0.5))
  return [
    people,
    target.name,
    ...[0.5, 0.99].map((share) => ms(percentile(acknowledgements, share))),
    ...[0.5, 0.99].map((share) => ms(percentile(arrivals, share))),
    `${Math.min(100, Math.round((arrivals.length / Math.max(1, expected)) * 100))} %`,
    `${Math.round((used.server / used.seconds) * 100)} %`,
    `${Math.round((used.own / used.seconds) * 100)} %${isLimited(used.own, used.seconds) ? ' (limit)' : ''}`,
    wasClosed
  ]
}

const targets = await startTargets()
const rows: (string | number)[][] = []
for (const people of crowds) for (const target of targets) rows.push(await measure(target, people))
console.log(
  `people in one document, each with ${editsPerSecond} edits a second (20 if alone)${hasCursor ? ' and a cursor' : ''}: ms until an edit is acknowledged, and until it reaches the others`
)
table(['people', 'server', 'ack p50', 'p99', 'arrival p50', 'p99', 'arrived', 'server CPU', 'generator CPU', 'closed'], rows)
for (const target of targets) await target.stop()
process.exit(0)

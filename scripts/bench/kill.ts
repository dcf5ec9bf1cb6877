/**
 * Kills the server with SIGKILL while people type, and counts the acknowledged edits that are missing after the restart. Also measures the time until
 * an edit is acknowledged at this rate. Run: `npm run bench kill`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countAllTokens, wrongTokens } from '../../test/support/tokens.ts'
import { TokenLedger } from '../../test/support/typist.ts'
import { openPerson, type Person } from './support/crowd.ts'
import { createDocument, markOf, ms, pause, percentile, record, startProcess, table, Typist } from './support/support.ts'

const rounds = 3
const people = 50
const editsPerSecond = 500
const seconds = Number(process.env['AGMD_BENCH_SECONDS'] ?? 4)

const folder = await mkdtemp(join(tmpdir(), 'agmd-bench-'))
const env = { AGMD_LOG_LEVEL: 'info', AGMD_STORAGE: '' }

/** Lets people type until the server is killed. Returns the acknowledged edits, and the ones that the next server lacks. */
const killed = async (): Promise<{ acknowledged: number; lost: number }> => {
  const server = await startProcess({ folder, env })
  const targets = await Promise.all(Array.from({ length: 10 }, () => createDocument(server.listening, '# Bench\n')))
  const ledger = new TokenLedger()
  const typists = Array.from({ length: people }, (_, n) => new Typist(`c${n}`, targets[n % targets.length]!, ledger))
  for (const typist of typists) typist.connect()
  for (const typist of typists) await typist.whenSynced()
  const begun = performance.now()
  let made = 0
  while (performance.now() - begun < seconds * 1000) {
    for (; made < ((performance.now() - begun) / 1000) * editsPerSecond; made++) {
      const typist = typists[made % people]!
      typist.typeToken(typist.text.length)
    }
    await pause(2)
  }
  for (const typist of typists) typist.disconnect(true)
  const acknowledged = new Set(ledger.acknowledged)
  await server.kill('SIGKILL')
  const next = await startProcess({ folder, env })
  const counts = await countAllTokens(targets.map((target) => ({ ...target, url: next.listening })))
  for (const typist of typists) typist.destroy()
  await next.stop()
  return { acknowledged: acknowledged.size, lost: wrongTokens(acknowledged, counts).lost.length }
}

/** Returns the times until acknowledgement in milliseconds, without the first two seconds. */
const acknowledgements = async (): Promise<number[]> => {
  const server = await startProcess({ folder, env })
  const { doc, key } = await createDocument(server.listening, '')
  const place = { url: `${server.listening.replace('http', 'ws')}/collab`, doc, key }
  const times: number[] = []
  const begun = performance.now()
  const crowd: Person[] = []
  for (let n = 0; n < people; n++) {
    const waiting: number[] = []
    const onAcknowledged = (): void => {
      const at = waiting.shift() ?? 0
      if (at - begun > 2000) times.push(performance.now() - at)
    }
    const person = await openPerson({ place, client: 4_000_000 + n, hasCursor: false, onAcknowledged })
    const type = person.type
    crowd.push({
      ...person,
      type(mark) {
        waiting.push(performance.now())
        type(mark)
      }
    })
  }
  const from = performance.now()
  for (let made = 0; performance.now() - from < (2 + seconds) * 1000; await pause(1))
    for (; made < ((performance.now() - from) / 1000) * editsPerSecond; made++) crowd[made % people]?.type(markOf(made))
  await pause(500)
  for (const person of crowd) person.close()
  await server.stop()
  return times
}

const found = []
for (let round = 0; round < rounds; round++) found.push(await killed())
const times = await acknowledgements()
await rm(folder, { recursive: true, force: true })
table(
  ['round', 'acknowledged', 'lost'],
  found.map(({ acknowledged, lost }, round) => [round + 1, acknowledged, lost])
)
console.log(
  `acknowledgement at ${editsPerSecond} edits/s of ${people} people: p50 ${ms(percentile(times, 0.5))} ms, p99 ${ms(percentile(times, 0.99))} ms`
)
record(
  'kill lost',
  'agmd',
  found.reduce((sum, { lost }) => sum + lost, 0)
)
record('kill ack', 'agmd', percentile(times, 0.99))
process.exit(0)

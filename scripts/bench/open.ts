/**
 * Measures how fast three closed documents open: 10 KB, 1 MB and the B4 editing trace (support/trace.ts). One figure is the time on the server from
 * the store to a ready Y.Doc. Another is the time until a client has the full text after a restart. Both are compared with the time in which bare Yjs
 * loads the same state. The last figure is the time to find the author of each line of the trace.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import * as Y from 'yjs'
import {
  createDocument,
  ms,
  pause,
  percentile,
  type DocumentAddress,
  readMarkdown,
  record,
  start,
  startProcess,
  table,
  Typist
} from './support/support.ts'
import { readTrace, type Trace } from './support/trace.ts'

const typeTrace = async (typist: InstanceType<typeof Typist>, { patches }: Trace): Promise<void> => {
  // Code points equal UTF-16 units if the text has no astral characters.
  const astral = patches.some(([, , insert]) => /[\ud800-\udfff]/.test(insert))
  const unitOf = (position: number): number => (astral ? Array.from(typist.text.toString()).slice(0, position).join('').length : position)
  for (let n = 0; n < patches.length; n += 100) {
    typist.ydoc.transact(() => {
      for (const [position, deleted, inserted] of patches.slice(n, n + 100)) {
        const from = unitOf(position)
        if (deleted > 0) typist.text.delete(from, unitOf(position + deleted) - from)
        if (inserted !== '') typist.text.insert(from, inserted)
      }
    })
    if (n % 20_000 === 0) await typist.whenSettled(60)
  }
  await typist.whenSettled(60)
}

const folder = await mkdtemp(join(tmpdir(), 'agmd-bench-open-'))
const env = { AGMD_LOG_LEVEL: 'info' }
let server = await startProcess({ folder, env })
const trace = readTrace()
const line = 'A line of forty characters, more or less.\n'
const documents: { readonly name: string; readonly place: DocumentAddress }[] = [
  { name: '10 KB', place: await createDocument(server.url, line.repeat(244)) },
  { name: '1 MB', place: await createDocument(server.url, line.repeat(24_966)) },
  { name: trace.name, place: await createDocument(server.url, '') }
]
const traced = documents[2]?.place as DocumentAddress
const author = new Typist('c0', traced)
author.connect()
await author.whenSynced()
const begun = performance.now()
await typeTrace(author, trace)
console.log(
  `${trace.name}: ${trace.patches.length} keystrokes typed and durable in ${ms((performance.now() - begun) / 1000)} s, in updates of 100`
)
const { content } = await readMarkdown(traced)
const exact = content === (trace.end ?? author.text.toString())
console.log(`the text through the server is ${exact ? 'exactly' : 'NOT'} the expected one (${content.length} units)`)
author.destroy()
await server.stop()

const rows: string[][] = []
for (const { name, place } of documents) {
  const loads: number[] = []
  const bare: number[] = []
  for (let round = 0; round < 7; round++) {
    const world = await start({ folder, env })
    const at = performance.now()
    const { openDoc, release } = await world.service.live.open(place.doc)
    loads.push(performance.now() - at)
    const state = Y.encodeStateAsUpdate(openDoc.ydoc)
    const ydoc = new Y.Doc()
    const bareAt = performance.now()
    Y.applyUpdate(ydoc, state)
    ydoc.getText('content').toString()
    bare.push(performance.now() - bareAt)
    release()
    await world.stop()
  }
  const clients: number[] = []
  for (let round = 0; round < 3; round++) {
    server = await startProcess({ folder, env, built: true })
    const reader = new Typist('c1', { ...place, url: server.url })
    await pause(300)
    const at = performance.now()
    reader.connect()
    await reader.whenSynced()
    clients.push(performance.now() - at)
    if (reader.text.length === 0) throw new Error('the reader has no text')
    reader.destroy()
    await server.stop()
  }
  record(`open ${name.split(' ')[0]}`, 'agmd', percentile(clients, 0.5))
  rows.push([name, ms(loads[0] ?? 0), ms(percentile(loads, 0.5)), ms(percentile(bare, 0.5)), ms(percentile(clients, 0.5))])
}
console.log('cold open, ms (each in a fresh server; the first one of a process runs cold code)')
table(['document', 'first load', 'load p50', 'bare Y.applyUpdate', 'text at a client'], rows)

// To find the authors of lines, the first request reads the entire journal. Later requests read only new entries.
const attributed = await start({ folder, env })
const answers: string[] = []
for (const name of ['first', 'again']) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const at = performance.now()
  const answer = await fetch(`${attributed.url}/api/docs/${traced.doc}/attribution`, { headers: { 'X-Share-Key': traced.key } })
  const { lines } = (await answer.json()) as { lines: unknown[] }
  answers.push(`${name} ${ms(performance.now() - at)} ms, longest turn ${ms(delay.max / 1e6)} ms, ${lines.length} runs of lines`)
  delay.disable()
}
console.log(`attribution of ${trace.name}: ${answers.join('; ')}`)
await attributed.stop()
await rm(folder, { recursive: true, force: true })
process.exit(exact ? 0 : 1)

/**
 * Measures comments and suggestions on a document of 1 MB: listing 2,000 comments, and accepting a suggestion, over HTTP with everything on disk. The
 * baselines are a bare server that sends the same bytes, and a PUT of the same edit. One run uses text that was inserted in one piece. Another uses
 * text that consists of 20,000 pieces, which is the most expensive to traverse.
 */
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { anonymous } from '../../server/domain/rights/caller.ts'
import { handlers } from '../../server/handlers.ts'
import { seeded } from '../../test/support/typist.ts'
import { createDocument, ms, percentile, start, startProcess, table, Typist } from './support/support.ts'

const commentCount = 2000
const suggestionCount = 300
const rounds = 40
const pieces = 20_000
const lineCount = 8000

const random = seeded(1)

/** The vocabulary for text of about 1 MB. Its words are as frequent as words in prose, so that few of them are rare. */
const vocabulary = Array.from({ length: 3000 }, () =>
  Array.from({ length: 2 + random(8) }, () => String.fromCharCode(97 + random(26))).join('')
)
const word = (): string => vocabulary[random(random(vocabulary.length) + 1)] ?? ''
const text = Array.from({ length: lineCount }, () => `${Array.from({ length: 22 }, word).join(' ')}.`).join('\n')

const rest = { end: { signal: new AbortController().signal }, address: '127.0.0.1', file: null }

const server = await startProcess({ env: { AGMD_LOG_LEVEL: 'info' } })

interface DocumentKey {
  readonly doc: string
  readonly key: string
}

const ask = async ({ doc, key }: DocumentKey, method: string, path: string, json?: unknown): Promise<string> => {
  const response = await fetch(`${server.url}/api/docs/${doc}${path}`, {
    method,
    headers: { 'X-Share-Key': key, ...(json === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(json === undefined ? {} : { body: JSON.stringify(json) })
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${answer.slice(0, 300)}`)
  return answer
}

/** The times of one kind of request, in milliseconds, and the CPU time that the server used for these requests. */
interface Figures {
  readonly times: number[]
  cpu: number
}

const figures = (): Figures => ({ times: [], cpu: 0 })

/** Returns the CPU time of all server threads so far, in milliseconds. Unlike elapsed time, it excludes other work on the machine. */
const serverCpu = (): number => {
  const fields = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const timed = async (into: Figures, work: () => Promise<unknown>): Promise<void> => {
  const [begun, cpu] = [performance.now(), serverCpu()]
  await work()
  into.times.push(performance.now() - begun)
  into.cpu += serverCpu() - cpu
}

const row = (what: string, how: string, { times, cpu }: Figures): string[] => [
  what,
  how,
  ...[0.5, 0.95].map((share) => ms(percentile(times, share))),
  cpu === 0 ? '-' : ms(cpu / times.length)
]

const scatter = async ({ doc, key }: DocumentKey): Promise<void> => {
  const typist = new Typist('scatter', { url: server.url, doc, key })
  typist.connect()
  await typist.whenSynced()
  for (let done = 0; done < pieces; done += 500)
    typist.ydoc.transact(() => {
      for (let count = 0; count < 500; count++) typist.text.insert(((done + count) * 7919 * 131) % typist.text.length, '.')
    })
  await typist.whenSettled()
  typist.destroy()
}

const bareSend = async (body: string): Promise<Figures> => {
  const bare = createServer((_request, response) => response.setHeader('Content-Type', 'application/json').end(body))
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
  const sent = figures()
  const { port } = bare.address() as AddressInfo
  for (let round = 0; round < rounds; round++) await timed(sent, async () => (await fetch(`http://127.0.0.1:${port}/`)).text())
  bare.close()
  return { ...sent, cpu: 0 }
}

const measure = async (how: string, prepare: (place: DocumentKey) => Promise<void>): Promise<string[][]> => {
  const place = await createDocument(server.url, text)
  await prepare(place)
  const content = await ask(place, 'GET', '/content')
  const step = Math.floor(content.length / commentCount)
  const creating = figures()
  for (let index = 0; index < commentCount; index++)
    await timed(creating, () =>
      ask(place, 'POST', '/comments', { body: `Annotation ${index}`, anchor: { from: index * step, to: index * step + 20 } })
    )
  const ids: string[] = []
  for (let index = 0; index < suggestionCount; index++) {
    const from = Math.floor((index + 0.5) * (content.length / suggestionCount))
    const json = { operation: 'replace', anchor: { from, to: from + 12 }, text: 'other words' }
    ids.push((JSON.parse(await ask(place, 'POST', '/suggestions', json)) as { id: string }).id)
  }
  const list = (): Promise<string> => ask(place, 'GET', `/comments?limit=${commentCount}`)
  const answer = await list()
  const { comments } = JSON.parse(answer) as { comments: { anchored: boolean }[] }
  if (comments.length !== commentCount || !comments.every(({ anchored }) => anchored))
    throw new Error('not every comment is listed and anchored')
  const [listing, after, accepting, putting] = [figures(), figures(), figures(), figures()]
  for (let round = 0; round < rounds; round++) await timed(listing, list)
  for (const [index, id] of ids.entries()) {
    await timed(accepting, () => ask(place, 'POST', `/suggestions/${id}`, { action: 'accept' }))
    // Each list leaves a megabyte of garbage, which would be collected during the next request. Therefore, lists are not requested after every
    // suggestion.
    if (index >= suggestionCount - rounds) await timed(after, list)
  }
  for (let round = 0; round < 10; round++) {
    const now = await ask(place, 'GET', '/content')
    await timed(putting, () =>
      ask(place, 'PUT', '/content', {
        content: now.replace(/\w+/g, (found, at: number) => (at > now.length / 2 && at < now.length / 2 + 10 ? `put${round}` : found))
      })
    )
  }
  return [
    row('list 2,000 comments', how, listing),
    row('list them after an edit', how, after),
    row(`bare server, the same ${Math.round(answer.length / 1024)} KiB`, how, await bareSend(answer)),
    row('accept a suggestion', how, accepting),
    row('PUT of such an edit', how, putting),
    row('create a comment', how, creating)
  ]
}

/** Measures the same operations without HTTP: the time of the server itself, including the commit. */
const onServer = async (): Promise<string[][]> => {
  const world = await start()
  const { service } = world
  const owner = { ...anonymous, role: 'owner' } as const
  const { id: doc } = await handlers.createDocument({ service, caller: anonymous, doc: '', input: { content: text }, ...rest })
  const call = { service, caller: owner, doc, ...rest }
  const step = Math.floor(text.length / commentCount)
  for (let index = 0; index < commentCount; index++) {
    const anchor = { from: index * step, to: index * step + 20 }
    await handlers.createComment({ ...call, input: { body: `Annotation ${index}`, anchor } })
  }
  const ids: string[] = []
  for (let index = 0; index < suggestionCount; index++) {
    const from = Math.floor((index + 0.5) * (text.length / suggestionCount))
    const anchor = { from, to: from + 12 }
    ids.push((await handlers.createSuggestion({ ...call, input: { operation: 'replace', anchor, text: 'other words' } })).id)
  }
  const [accepting, listing] = [figures(), figures()]
  for (const suggestionId of ids)
    await timed(accepting, () => handlers.decideSuggestion({ ...call, input: { suggestionId, action: 'accept' } }))
  for (let round = 0; round < rounds; round++)
    await timed(listing, async () => JSON.stringify(await handlers.listComments({ ...call, input: { limit: commentCount } })))
  await world.stop()
  return [row('list 2,000 comments', 'no HTTP', { ...listing, cpu: 0 }), row('accept a suggestion', 'no HTTP', { ...accepting, cpu: 0 })]
}

const printed = [
  ...(await measure('in one piece', () => Promise.resolve())),
  ...(await measure(`in ${pieces} pieces`, scatter)),
  ...(await onServer())
]
console.log(`${Math.round(text.length / 1024)} KiB of text, ${commentCount} comments; ms over HTTP, on disk; cpu: of the server, each`)
table(['request', 'text', 'p50', 'p95', 'cpu'], printed)
await server.stop()
process.exit(0)

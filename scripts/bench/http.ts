/**
 * Measures requests per second: `GET .md` of a closed document (cold, read from the store) and of an open one (warm), `GET` as JSON, `PUT` based on
 * the version in the previous response, and new documents. The baseline is a bare Koa route with the same 10 KB. The load comes from this process
 * over persistent sockets, with one request at a time on each. Rounds alternate.
 */
import { measure, rounds, secondsPerRound, type Subject } from './support/load.ts'
import { createDocument, ms, record, startBare, type DocumentAddress, startProcess, table, Typist } from './support/support.ts'

const content = 'A line of forty characters, more or less.\n'.repeat(244)

const agmd = await startProcess({ env: { AGMD_LOG_LEVEL: 'info', AGMD_IDLE_UNLOAD_SECONDS: '86400' } })
const url = `http://127.0.0.1:${agmd.port}`
const koa = await startBare('koa')
const cold = []
for (let n = 0; n < 200; n++) cold.push(await createDocument(url, content))
const open = await createDocument(url, content)
const typist = new Typist('c0', open)
typist.connect()
await typist.whenSynced()
const written: DocumentAddress[] = []
for (let n = 0; n < 64; n++) written.push(await createDocument(url, content))

const get = (path: string, key: string, accept = 'text/markdown'): string =>
  `GET ${path} HTTP/1.1\r\nHost: bench\r\nX-Share-Key: ${key}\r\nAccept: ${accept}\r\n\r\n`
const put = (path: string, key: string, body: string, previous = ''): Buffer => {
  const version = /^etag: (.*)$/im.exec(previous)?.[1]
  const condition = version === undefined ? '' : `If-Match: ${version}\r\n`
  return Buffer.from(
    `PUT ${path} HTTP/1.1\r\nHost: bench\r\nX-Share-Key: ${key}\r\n${condition}Content-Type: text/markdown\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}
const made = JSON.stringify({ content })
const create = Buffer.from(
  `POST /api/docs HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(made)}\r\n\r\n${made}`
)
const changed = (n: number): string => `Change ${n}\n${content}`
const coldRequests = cold.map(({ doc, key }) => Buffer.from(get(`/d/${doc}.md`, key)))
const bareGet = Buffer.from(get('/text', '-'))
const warmGet = Buffer.from(get(`/d/${open.doc}.md`, open.key))

const jsonGet = Buffer.from(get(`/api/docs/${open.doc}/content`, open.key, 'application/json'))

const subjects: Subject[] = [
  ['GET bare koa', koa.port, () => bareGet],
  ['GET .md cold', agmd.port, (connection, n) => coldRequests[(connection * 31 + n) % coldRequests.length] as Buffer],
  ['GET .md warm', agmd.port, () => warmGet],
  ['GET JSON warm', agmd.port, () => jsonGet],
  ['PUT bare koa', koa.port, (_connection, n) => put('/text', '-', changed(n))],
  [
    'PUT content',
    agmd.port,
    (connection, n, previous) => {
      const { doc, key } = written[connection % written.length] as (typeof written)[number]
      return put(`/api/docs/${doc}/content`, key, changed(n), previous)
    }
  ],
  ['POST docs', agmd.port, () => create]
]
const connectionCounts = [1, 16, 64]

const median = await measure(subjects, connectionCounts)
console.log(`requests per second, 10 KB, median of ${rounds} rounds of ${secondsPerRound} s`)
table(
  ['request', 'connections', 'per second', 'p99 ms', 'of bare koa', 'not 200'],
  connectionCounts.flatMap((connections) =>
    subjects.map(([name]) => {
      const { perSecond, p99, failed } = median(name, connections)
      record(`${name} ${connections}`, name.includes('koa') ? 'koa' : 'agmd', perSecond)
      const bare = median(name.startsWith('GET') ? 'GET bare koa' : 'PUT bare koa', connections).perSecond
      return [name, connections, Math.round(perSecond), ms(p99), `${Math.round((perSecond / bare) * 100)} %`, failed]
    })
  )
)
typist.destroy()
koa.stop()
await agmd.stop()
process.exit(0)

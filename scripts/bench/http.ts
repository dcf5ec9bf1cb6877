/**
 * Measures requests per second: `GET .md` of a closed document (cold, read from the store) and of an open one (warm), and `PUT`. The baseline is a
 * bare Koa route with the same 10 KB. The load comes from this process over persistent sockets, with one request at a time on each. Rounds alternate.
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

const get = (path: string, key: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: bench\r\nX-Share-Key: ${key}\r\nAccept: text/markdown\r\n\r\n`
const put = (path: string, key: string, body: string): Buffer =>
  Buffer.from(
    `PUT ${path} HTTP/1.1\r\nHost: bench\r\nX-Share-Key: ${key}\r\nContent-Type: text/markdown\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
const changed = (n: number): string => `Change ${n}\n${content}`
const coldRequests = cold.map(({ doc, key }) => Buffer.from(get(`/d/${doc}.md`, key)))
const bareGet = Buffer.from(get('/text', '-'))
const warmGet = Buffer.from(get(`/d/${open.doc}.md`, open.key))

const subjects: Subject[] = [
  ['GET bare koa', koa.port, () => bareGet],
  ['GET .md cold', agmd.port, (connection, n) => coldRequests[(connection * 31 + n) % coldRequests.length] as Buffer],
  ['GET .md warm', agmd.port, () => warmGet],
  ['PUT bare koa', koa.port, (_connection, n) => put('/text', '-', changed(n))],
  [
    'PUT content',
    agmd.port,
    (connection, n) => {
      const { doc, key } = written[connection % written.length] as (typeof written)[number]
      return put(`/api/docs/${doc}/content`, key, changed(n))
    }
  ]
]

const median = await measure(subjects, [16, 64])
console.log(`requests per second, 10 KB, median of ${rounds} rounds of ${secondsPerRound} s`)
table(
  ['request', 'connections', 'per second', 'p99 ms', 'of bare koa', 'not 200'],
  [16, 64].flatMap((connections) =>
    subjects.map(([name]) => {
      const { perSecond, p99, failed } = median(name, connections)
      record(`${name} ${connections}`, name.includes('koa') ? 'koa' : 'agmd', perSecond)
      const bare = median(`${name.slice(0, 3)} bare koa`, connections).perSecond
      return [name, connections, Math.round(perSecond), ms(p99), `${Math.round((perSecond / bare) * 100)} %`, failed]
    })
  )
)
typist.destroy()
koa.stop()
await agmd.stop()
process.exit(0)

/**
 * Measures calls per second of the MCP tools `read_doc` and `replace_doc` (with edits), compared with the same REST calls on the same server. Each
 * document is 10 KB long. The load comes from this process over persistent sockets, with one request at a time on each. Rounds alternate.
 */
import { measure, type Requests, rounds, secondsPerRound } from './support/load.ts'
import { createDocument, ms, type DocumentAddress, startProcess, table } from './support/support.ts'

const content = `# Bench\n\n## Mark\n\n0\n\n## Rest\n\n${'A line of forty characters, more or less.\n'.repeat(244)}`

const server = await startProcess({ env: { AGMD_LOG_LEVEL: 'info', AGMD_IDLE_UNLOAD_SECONDS: '86400' } })
const url = `http://127.0.0.1:${server.port}`
const documents: DocumentAddress[] = []
for (let n = 0; n < 64; n++) documents.push(await createDocument(url, content))
const placeOf = (connection: number): DocumentAddress => documents[connection % documents.length] as DocumentAddress

const request = (method: string, path: string, key: string | undefined, json?: unknown): Buffer => {
  const body = json === undefined ? '' : JSON.stringify(json)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(key === undefined ? [] : [`X-Share-Key: ${key}`]),
    'Accept: application/json, text/event-stream',
    ...(json === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`])
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

const tool = (name: string, args: object): Buffer =>
  request('POST', '/mcp', undefined, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: `svc.${name}`, arguments: args } })

/** Returns an edit of one section. Each edit has different text. */
const edits = (n: number): object[] => [{ op: 'replace_section', section: 'Mark', markdown: `${n}` }]

const subjects: [string, Requests][] = [
  ['read, REST', (connection) => request('GET', `/api/docs/${placeOf(connection).doc}/content`, placeOf(connection).key)],
  ['read, MCP', (connection) => tool('read_doc', { doc: placeOf(connection).doc, key: placeOf(connection).key })],
  [
    'edits, REST',
    (connection, n) => request('POST', `/api/docs/${placeOf(connection).doc}/edits`, placeOf(connection).key, { operations: edits(n) })
  ],
  ['edits, MCP', (connection, n) => tool('replace_doc', { doc: placeOf(connection).doc, key: placeOf(connection).key, edits: edits(n) })],
  ['tools/list, MCP', () => request('POST', '/mcp', undefined, { jsonrpc: '2.0', id: 1, method: 'tools/list' })]
]

const median = await measure(
  subjects.map(([name, requests]) => [name, server.port, requests] as const),
  [1, 16]
)
console.log(`calls per second, 10 KB, median of ${rounds} rounds of ${secondsPerRound} s`)
table(
  ['call', 'connections', 'per second', 'p99 ms', 'of REST', 'not 200'],
  [1, 16].flatMap((connections) =>
    subjects.map(([name]) => {
      const { perSecond, p99, failed } = median(name, connections)
      const counterpart = `${name.split(',')[0]}, REST`
      const rest = subjects.some(([other]) => other === counterpart) ? median(counterpart, connections).perSecond : Number.NaN
      const share = Number.isNaN(rest) ? '-' : `${Math.round((perSecond / rest) * 100)} %`
      return [name, connections, Math.round(perSecond), ms(p99), share, failed]
    })
  )
)
await server.stop()
process.exit(0)

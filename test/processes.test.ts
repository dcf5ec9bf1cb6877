/** One server with several processes, on PostgreSQL. */
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../server/config.ts'
import { mergeMetrics } from '../server/metrics/merged.ts'
import { documentOf, preferredOf } from '../server/processes/preference.ts'
import { prepareDataFolder, secretBytes, writeSecret } from '../server/storage/data-folder.ts'
import { png } from './support/media.ts'
import { freshSchema, noPostgres, sharedCluster, type Cluster } from './support/postgres.ts'
import { type ProcessWorld, startProcess } from './support/start.ts'
import { createDocument, readMarkdown, type Target, TokenLedger, Typist } from './support/typist.ts'
import { appendingAgent } from './support/tokens.ts'
import { ask, until } from './support/world.ts'

test('[PROCESS-2] a connection prefers a process by the document that its first request names', () => {
  const of = (line: string): string | undefined => documentOf(Buffer.from(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`))
  for (const target of [
    '/d/abc',
    '/d/abc?key=k',
    '/pub/abc',
    '/pub/abc.md',
    '/api/docs/abc',
    '/api/docs/abc/content',
    '/collab?doc=abc',
    '/mcp?key=k&doc=abc'
  ])
    expect(of(`GET ${target}`), target).toBe('abc')
  for (const line of ['GET /', 'POST /api/docs', 'GET /api/documents/abc', 'GET /collab', 'GET /mcp?x=doc', '\u0000\u0001', 'GET'])
    expect(of(line), line).toBeUndefined()
  const documents = Array.from({ length: 200 }, (_, n) => `document-${n}`)
  const before = documents.map((document) => preferredOf(document, [1, 2, 3]))
  expect(new Set(before)).toEqual(new Set([1, 2, 3]))
  // Only the documents of a process that has ended prefer another one.
  const after = documents.map((document) => preferredOf(document, [1, 3]))
  expect(after.filter((process, n) => process !== before[n])).toHaveLength(before.filter((process) => process === 2).length)
  expect(preferredOf('abc', [])).toBeUndefined()
})

test('[PROCESS-4] merged metrics name the process of each sample, and keep the samples of a metric together', () => {
  const text = (value: number): string =>
    `# HELP a The first.\n# TYPE a gauge\na ${value}\n\n# HELP b The second.\n# TYPE b counter\nb{x="1 {2}"} ${value}\nb{x="3"} 1\n`
  expect(
    mergeMetrics([
      { process: 1, text: text(5) },
      { process: 2, text: text(7) }
    ])
  ).toBe(
    [
      '# HELP a The first.\n# TYPE a gauge\na{process="1"} 5\na{process="2"} 7\n',
      '# HELP b The second.\n# TYPE b counter\nb{process="1",x="1 {2}"} 5\nb{process="1",x="3"} 1\nb{process="2",x="1 {2}"} 7\nb{process="2",x="3"} 1\n'
    ].join('\n')
  )
})

test('[PROCESS-7] several processes require PostgreSQL', () => {
  expect(() => readConfig({ AGMD_PROCESSES: '2' }, { isTty: false })).toThrow(
    'Set AGMD_STORAGE to a PostgreSQL database, or remove AGMD_PROCESSES.'
  )
})

test('[NODES-12] a new data folder keeps the secret that it was given', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-secret-'))
  const given = Buffer.alloc(secretBytes, 7)
  await writeSecret(folder, given)
  const { secret, release } = await prepareDataFolder(folder)
  await release()
  await rm(folder, { recursive: true, force: true })
  expect(Buffer.from(secret)).toEqual(given)
})

describe.skipIf(noPostgres !== undefined)('processes', () => {
  let cluster: Cluster
  let schema: string
  let folder: string
  let server: ProcessWorld
  const token = 'a token of at least sixteen characters'.replaceAll(' ', '-')

  const begin = async (): Promise<void> => {
    const env = { AGMD_STORAGE: cluster.address(schema), AGMD_PROCESSES: '2', AGMD_METRICS_TOKEN: token }
    server = await startProcess({ folder, env })
    await bothServe()
  }
  beforeAll(async () => {
    cluster = await sharedCluster()
    schema = freshSchema()
    folder = await mkdtemp(join(tmpdir(), 'agmd-processes-'))
    await begin()
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
    await cluster?.sql(`drop schema if exists ${schema} cascade`)
    await rm(folder, { recursive: true, force: true })
  })

  /** Returns the process that answers a request on a new connection. Request ids of one process begin with the same 8 characters. */
  const processAt = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      get(`${server.listening}${path}`, { agent: false }, (response) => {
        response.resume()
        resolve(String(response.headers['x-request-id']).slice(0, 8))
      }).once('error', reject)
    })
  const bothServe = (): Promise<void> => {
    const seen = new Set<string>()
    return until(async () => seen.add(await processAt('/api/health')).size === 2, 'two processes', 20)
  }
  const at = (target: Target): Target => ({ ...target, url: server.listening })
  const pidOf = (process: number): number =>
    Number(readFileSync(join(folder, ...(process === 1 ? [] : ['processes', '2']), 'lock'), 'utf8'))

  test('[PROCESS-1] people and programs in different processes edit one document, and long requests arrive whole', async () => {
    const ledger = new TokenLedger()
    const target = at(await createDocument(server.listening, '# Together\n'))
    const typists = [1, 2, 3, 4].map((n) => new Typist(`c${n}`, target, ledger))
    for (const typist of typists) typist.connect()
    for (const typist of typists) await typist.whenSynced()
    const { append } = appendingAgent('a1', ledger)
    for (let round = 0; round < 10; round++) {
      for (const typist of typists) typist.typeToken(typist.text.length)
      await append(target)
    }
    for (const typist of typists) await typist.whenSettled()
    await until(() => new Set(typists.map((typist) => typist.text.toString())).size === 1, 'the same text')
    const long = `${'A line of a long text.\n'.repeat(20_000)}`
    const large = await createDocument(server.listening, long)
    expect((await readMarkdown(at(large))).content === long).toBe(true)
    for (const typist of typists) typist.destroy()
  })

  test('[PROCESS-1] a request that arrives byte by byte is served', async () => {
    const socket = connect(Number(new URL(server.listening).port), '127.0.0.1')
    socket.setNoDelay(true)
    for (const byte of 'GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n') {
      socket.write(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*alive\n/)
  })

  test('[PROCESS-2] connections to the same document go to the same process, others in turn', async () => {
    const documents = Array.from({ length: 12 }, (_, n) => `document-${n}`)
    const processes = new Set<string>()
    for (const doc of documents) {
      const found = new Set([await processAt(`/d/${doc}`), await processAt(`/api/docs/${doc}/content`), await processAt(`/pub/${doc}.md`)])
      expect(found.size, doc).toBe(1)
      processes.add([...found][0]!)
    }
    expect(processes.size).toBe(2)
    expect(new Set([await processAt('/api/health'), await processAt('/api/health')]).size).toBe(2)
  })

  test('[PROCESS-4] the metrics have the values of all processes', async () => {
    const { text } = await ask(server.listening, 'GET', '/metrics', { headers: { Authorization: `Bearer ${token}` } })
    const samples = text.split('\n').filter((line) => line.startsWith('agmd_documents_open'))
    expect(samples.map((line) => /process="(\d)"/.exec(line)?.[1])).toEqual(['1', '2'])
  })

  test('[PROCESS-5] an asset that was uploaded to one process is served by all', async () => {
    const target = await createDocument(server.listening, '# Pictures\n')
    const answer = await ask(server.listening, 'POST', `/api/docs/${target.doc}/assets`, {
      key: target.key,
      body: png(),
      type: 'image/png'
    })
    const { pathname } = new URL(answer.json.url as string)
    for (let n = 0; n < 4; n++) {
      const status = await new Promise((resolve) =>
        get(`${server.listening}${pathname}`, { agent: false }, (response) => resolve(response.resume().statusCode))
      )
      expect(status).toBe(200)
    }
  })

  test('[PROCESS-3] a process that is killed starts again, and no acknowledged edit is lost', async () => {
    const target = at(await createDocument(server.listening, '# Killed\n'))
    const ledger = new TokenLedger()
    const { append } = appendingAgent('a1', ledger)
    expect(await append(target)).toBe(200)
    const former = pidOf(2)
    process.kill(former, 'SIGKILL')
    for (let n = 0; n < 6; n++) await until(async () => (await append(target).catch(() => 0)) === 200, 'an edit', 20)
    await bothServe()
    expect(pidOf(2)).not.toBe(former)
    const { content } = await readMarkdown(target)
    for (const acknowledged of ledger.acknowledged) expect(content).toContain(acknowledged)
  })

  test('[PROCESS-6] SIGTERM ends all processes after a request in progress, and a killed front ends its processes', async () => {
    const pids = [pidOf(1), pidOf(2)]
    expect(await server.kill('SIGTERM')).toBe(0)
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    await begin()
    const again = [pidOf(1), pidOf(2)]
    await server.kill('SIGKILL')
    await until(() => again.every((pid) => !isRunning(pid)), 'the end of both processes', 20)
    await begin()
  })

  test('[PROCESS-7] if the first process cannot start, the server ends with its exit code and message', async () => {
    const other = await mkdtemp(join(tmpdir(), 'agmd-processes-'))
    const env = { AGMD_STORAGE: cluster.address(schema), AGMD_PROCESSES: '2' }
    // The tables belong to another installation.
    await expect(startProcess({ folder: other, env })).rejects.toThrow(/the server ended with 3: .*another installation/s)
    await rm(other, { recursive: true, force: true })
  })
})

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

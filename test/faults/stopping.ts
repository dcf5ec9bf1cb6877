/** Stops the server while people type and programs write. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess } from '../support/start.ts'
import { appendingAgent, countAllTokens } from '../support/tokens.ts'
import { createDocument, pause, seeded, type Target, TokenLedger, Typist } from '../support/typist.ts'

export interface StopLoad {
  readonly typists: number
  readonly requestsPerSecond: number
  /** How long people and programs work before the stop, in seconds. */
  readonly seconds: number
}

export interface Stopped {
  /** Exit code or signal of the server process. */
  readonly code: number | string | null
  readonly stopSeconds: number
  readonly acknowledged: number
  /** Tokens that were acknowledged but that no document contains after the next start. */
  readonly lost: readonly string[]
}

const documentsCount = 5

/** Reads a document and appends a token. An answer of 200 acknowledges the token. */
const request = async (target: Target, ledger: TokenLedger, name: string): Promise<void> => {
  try {
    await appendingAgent(name, ledger).append(target)
  } catch {
    // While the server is stopping, it either reports this in its answer or closes the connection.
  }
}

export const stopUnderLoad = async ({ typists: count, requestsPerSecond, seconds }: StopLoad): Promise<Stopped> => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-stop-'))
  let server = await startProcess({ folder })
  const ledger = new TokenLedger()
  const random = seeded(1)
  const targets: Target[] = []
  for (let made = 0; made < documentsCount; made++) targets.push(await createDocument(server.url, ''))
  // People and programs use different documents. A program that always loses against typing would never get a change acknowledged.
  const programs = await Promise.all(Array.from({ length: documentsCount }, () => createDocument(server.url, '')))
  const typists = Array.from({ length: count }, (_, at) => new Typist(`c${at}`, targets[at % documentsCount] as Target, ledger))
  for (const typist of typists) typist.connect()
  for (const typist of typists) await typist.whenSynced(60)
  let isRunning = true
  const typing = typists.map(async (typist) => {
    while (isRunning) {
      if (typist.synced) typist.typeToken(random(typist.text.length + 1))
      await pause(150 + random(200))
    }
  })
  const requests: Promise<void>[] = []
  const asking = setInterval(
    () => requests.push(request(programs[requests.length % documentsCount] as Target, ledger, `p${requests.length}`)),
    1000 / requestsPerSecond
  )
  await pause(seconds * 1000)
  const begun = performance.now()
  const code = await server.kill('SIGTERM')
  const stopSeconds = (performance.now() - begun) / 1000
  isRunning = false
  clearInterval(asking)
  await Promise.all([...typing, ...requests])
  for (const typist of typists) typist.destroy()
  const acknowledged = new Set(ledger.acknowledged)
  server = await startProcess({ folder })
  const found = await countAllTokens([...targets, ...programs].map((target) => ({ ...target, url: server.url })))
  await server.stop()
  await rm(folder, { recursive: true, force: true })
  return { code, stopSeconds, acknowledged: acknowledged.size, lost: [...acknowledged].filter((token) => !found.has(token)) }
}

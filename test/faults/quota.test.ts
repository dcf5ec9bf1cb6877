/** Kills the server with `kill -9` while documents are being written. The byte counts in their heads must match the disk. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodeRecord, type Head, keys } from '../../server/domain/records/keys.ts'
import { measure } from '../../server/domain/documents/usage.ts'
import { openLmdbStorage } from '../../server/storage/lmdb.ts'
import { limits } from '../../shared/limits.ts'
import { startProcess } from '../support/start.ts'
import { createDocument, pause, putMarkdown, type Target, TokenLedger, Typist } from '../support/typist.ts'

const rounds = 4

/** Types and replaces text until the server is gone. */
const load = async (targets: readonly Target[]): Promise<void> => {
  const ledger = new TokenLedger()
  const typists = targets.map((target, index) => new Typist(`c${index}`, target, ledger))
  for (const typist of typists) typist.connect()
  try {
    for (let count = 0; ; count++) {
      for (const typist of typists) typist.typeToken(0)
      await putMarkdown(targets[count % targets.length] as Target, `${count} `.repeat(20_000))
      await pause(5)
    }
  } catch (error) {
    // The server was killed while it was answering.
    if (!(error instanceof TypeError)) throw error
  } finally {
    for (const typist of typists) typist.disconnect()
  }
}

test('[QUOTA-8] after kill -9, each head matches the disk, and the owners’ records are at most one step behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-quota-'))
  const docs: string[] = []
  for (let round = 0; round < rounds; round++) {
    const server = await startProcess({ folder })
    const targets = await Promise.all(Array.from({ length: 3 }, () => createDocument(server.url, `round ${round}\n`)))
    docs.push(...targets.map(({ doc }) => doc))
    const loading = load(targets)
    await pause(700 + Math.random() * 600)
    await server.kill('SIGKILL')
    await loading
    const storage = await openLmdbStorage({ folder })
    for (const doc of docs) {
      const head = decodeRecord<Head>((await storage.get(keys.head(doc)))?.value ?? new Uint8Array())
      expect(head.bytes, doc).toBe(await measure(storage, doc))
      const record = await storage.get(keys.usage('address', head.origin ?? '', doc))
      const recorded = record === undefined ? 0 : decodeRecord<number>(record.value)
      expect(recorded).toBe(head.usage)
      expect(Math.abs((head.bytes ?? 0) - recorded)).toBeLessThan(limits.usageStepBytes)
    }
    await storage.close()
  }
  await rm(folder, { recursive: true, force: true })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Batch, Storage } from '../../server/domain/ports.ts'
import { ServiceError } from '../../shared/errors.ts'
import { prepareDataFolder } from '../../server/storage/data-folder.ts'
import { start, startProcess } from '../support/start.ts'
import { countAllTokens } from '../support/tokens.ts'
import { createDocument, pause, putMarkdown, readMarkdown, seeded, type Target, TokenLedger, Typist } from '../support/typist.ts'
import { until } from '../support/world.ts'

/** Connects several people to one document, and waits until all are in sync. */
const people = async (count: number, target: Target, ledger: TokenLedger): Promise<Typist[]> => {
  const typists = Array.from({ length: count }, (_, index) => new Typist(`c${index}`, target, ledger))
  for (const typist of typists) typist.connect()
  for (const typist of typists) await typist.whenSynced()
  return typists
}

/** Makes everyone type a token every `ms` milliseconds, at random positions, until stopped. */
const keepTyping = (typists: readonly Typist[], ms: number): { stop(): Promise<void> } => {
  const random = seeded(1)
  let running = true
  const work = typists.map(async (typist) => {
    while (running) {
      typist.typeToken(random(typist.text.length + 1))
      await pause(ms / 2 + random(ms))
    }
  })
  return {
    async stop() {
      running = false
      await Promise.all(work)
    }
  }
}

/** Expects that everyone has the server's text, with every token of `expected` exactly once. */
const expectWhole = async (typists: readonly Typist[], target: Target, expected: Iterable<string>): Promise<void> => {
  for (const typist of typists) await typist.whenSettled(30)
  const { content } = await readMarkdown(target)
  for (const typist of typists) await typist.until(() => typist.text.toString() === content, 'the common text')
  const counts = await countAllTokens([target])
  expect([...expected].filter((token) => counts.get(token) !== 1)).toEqual([])
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([])
}

test('[FAULT-2] a PUT with the version just read, while 20 people type, conflicts whenever a change came in between and never removes a keystroke', async () => {
  const world = await start()
  const ledger = new TokenLedger()
  const target = await createDocument(world.url, '# Crowd\n')
  const typists = await people(20, target, ledger)
  const statuses = { taken: 0, refused: 0 }
  const typing = keepTyping(typists, 500)
  const openDoc = world.service.live.find(target.doc)
  const end = performance.now() + 4_000
  // On a busy machine, the first writes may all come too late.
  const hasBoth = (): boolean => statuses.taken > 0 && statuses.refused > 0
  while (performance.now() < (hasBoth() ? end : end + 30_000)) {
    const { content, version } = await readMarkdown(target)
    if (statuses.refused % 2 === 1) await pause(20)
    const token = ledger.make('a0')
    const before = openDoc?.seq ?? 0
    const { status, body } = await putMarkdown(target, `${content}${token}\n`, version)
    if (status === 200) {
      ledger.acknowledged.add(token)
      statuses.taken += 1
      // The new version directly follows its base version, so no other change came in between.
      expect(Number(body.version?.split('-')[0])).toBe(Number(version.split('-')[0]) + 1)
    } else {
      expect(status).toBe(409)
      statuses.refused += 1
      ledger.made.delete(token)
      expect(Number(body.currentVersion?.split('-')[0])).toBeGreaterThan(Number(version.split('-')[0]))
    }
    expect(openDoc?.seq ?? 0).toBeGreaterThanOrEqual(before)
  }
  await typing.stop()
  await expectWhole(typists, target, ledger.made)
  expect(statuses.taken).toBeGreaterThan(0)
  expect(statuses.refused).toBeGreaterThan(0)
  for (const typist of typists) typist.destroy()
  await world.stop()
})

test('[FAULT-3] SIGTERM under load exits with 0 within 10 s, closes sockets with 1001 and loses nothing acknowledged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-term-'))
  const ledger = new TokenLedger()
  let server = await startProcess({ folder })
  const created = await createDocument(server.url, '')
  const typists = await people(20, created, ledger)
  const typing = keepTyping(typists, 20)
  await until(() => new Set(ledger.acknowledged).size > 40, 'acknowledgements')
  const begun = performance.now()
  expect(await server.kill('SIGTERM')).toBe(0)
  expect(performance.now() - begun).toBeLessThan(10_000)
  await typing.stop()
  expect(typists.map(({ closes }) => closes[0])).toEqual(typists.map(() => 1001))
  for (const typist of typists) typist.disconnect(true)
  const acknowledged = new Set(ledger.acknowledged)
  expect(acknowledged.size).toBeGreaterThan(40)
  server = await startProcess({ folder })
  const target = { ...created, url: server.url }
  const counts = await countAllTokens([target])
  expect([...acknowledged].filter((token) => counts.get(token) !== 1)).toEqual([])
  for (const typist of typists) typist.connect(target)
  await expectWhole(typists, target, ledger.made)
  for (const typist of typists) typist.destroy()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Creates a store whose next commits can fail or hang on request. */
const troubled = (): { wrap: (storage: Storage) => Storage; trouble: { next: 'none' | 'reject' | 'hang'; hung: (() => void)[] } } => {
  const trouble: { next: 'none' | 'reject' | 'hang'; hung: (() => void)[] } = { next: 'none', hung: [] }
  const wrap = (storage: Storage): Storage => ({
    get: (key) => storage.get(key),
    list: (prefix, range) => storage.list(prefix, range),
    watch: (prefix, wake) => storage.watch(prefix, wake),
    close: () => storage.close(),
    async commit(batch: Batch) {
      if (trouble.next === 'none') return storage.commit(batch)
      if (trouble.next === 'hang') {
        await new Promise<void>((resolve) => trouble.hung.push(resolve))
        throw new ServiceError('storage_unavailable', {}, { cause: new Error('the test let it hang') })
      }
      trouble.next = 'none'
      throw new ServiceError('storage_unavailable', {}, { cause: new Error('the test refused it') })
    }
  })
  return { wrap, trouble }
}

for (const kind of ['reject', 'hang'] as const)
  test(`[FAULT-4] a journal write that ${kind === 'reject' ? 'fails' : 'hangs and fails'} acknowledges nothing, closes the sockets, and the text is complete once clients reconnect`, async () => {
    const { wrap, trouble } = troubled()
    const world = await start({ storage: wrap })
    const ledger = new TokenLedger()
    const target = await createDocument(world.url, '')
    const typists = await people(5, target, ledger)
    const [first, ...others] = typists as [Typist, ...Typist[]]
    first.typeToken(0)
    await first.whenSettled()
    trouble.next = kind
    const unlucky = first.typeToken(0)
    await pause(100)
    // These tokens are typed during the write. They are queued behind the failing commit, and must not reach the disk either.
    const behind = others.map((typist) => typist.typeToken(0))
    if (kind === 'hang') {
      await pause(300)
      expect([...ledger.acknowledged]).not.toContain(unlucky)
      for (const typist of others) expect(typist.text.toString()).not.toContain(unlucky)
      trouble.next = 'none'
      for (const fail of trouble.hung) fail()
    }
    for (const typist of kind === 'hang' ? typists : [first]) await typist.until(() => typist.closes.length > 0, 'the close')
    expect(first.closes[0]).toBe(1011)
    await expectWhole(typists, target, [...ledger.made, unlucky, ...behind])
    expect([...ledger.acknowledged]).toContain(unlucky)
    const { content, version } = await readMarkdown(target)
    expect((await putMarkdown(target, `${content}after\n`, version)).status).toBe(200)
    for (const typist of typists) typist.destroy()
    await world.stop()
  })

test('[FAULT-5] a second server on the same data folder is refused and the first keeps running', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-two-'))
  const server = await startProcess({ folder })
  await expect(startProcess({ folder })).rejects.toThrow(/ended with 1: .*(process|lock|use)/s)
  await expect(prepareDataFolder(folder)).rejects.toMatchObject({ exitCode: 1 })
  const target = await createDocument(server.url, 'still here\n')
  expect((await readMarkdown(target)).content).toBe('still here\n')
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

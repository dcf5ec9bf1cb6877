/** Incremental backups: which bytes they write, when a backup is full, and that each of them has exactly the records of its time. */
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { snapshotOfBackup } from '../server/admin/backups/backup-storage.ts'
import { chunkName, decodeManifest, encodeManifest, type Manifest } from '../server/admin/backups/format.ts'
import { openRepository, readManifest } from '../server/admin/backups/repositories.ts'
import { keys } from '../server/domain/records/keys.ts'
import { decodeState } from '../server/domain/text/journal.ts'
import { openLmdbStorage } from '../server/storage/lmdb.ts'
import { openLmdbSnapshot } from '../server/storage/lmdb-snapshot.ts'
import { readInstance } from '../server/storage/data-folder.ts'
import { lowestKey, type StoreSnapshot } from '../server/storage/snapshot.ts'
import { runAdmin } from './support/operator.ts'
import { repeats } from './support/repeats.ts'
import { startProcess } from './support/start.ts'
import { createDocument, putMarkdown, readMarkdown, seeded, type Target } from './support/typist.ts'

interface World {
  readonly folder: string
  readonly place: string
  readonly env: Record<string, string>
}

const temporaryWorld = async (): Promise<World> => {
  const base = await mkdtemp(join(tmpdir(), 'agmd-incremental-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const folder = join(base, 'data')
  return { folder, place: join(base, 'place'), env: { AGMD_DATA_DIR: folder, AGMD_STORAGE: '' } }
}

/** Starts a server on the data folder, runs `work`, and stops the server. */
const whileServing = async <Result>({ folder }: World, work: (url: string) => Promise<Result>): Promise<Result> => {
  const server = await startProcess({ folder, env: { AGMD_STORAGE: '' } })
  const result = await work(server.url)
  await server.kill('SIGTERM')
  return result
}

const backUp = async ({ place, env }: World, ...words: string[]): Promise<{ readonly id: string; readonly writtenBytes: number }> =>
  JSON.parse((await runAdmin(['backup', '--to', place, '--json', ...words], env)).output)

const manifestOf = async ({ place }: World, id?: string): Promise<Manifest> => readManifest(await openRepository(place), id)

/** Restores a backup next to the data folder, verifies the result, and returns the text of a document in it. */
const restoredText = async ({ place, folder }: World, target: Target, id: string): Promise<string> => {
  const to = `${folder}-${id}`
  await runAdmin(['restore', '--from', place, '--to', to, '--snapshot', id], { AGMD_DATA_DIR: to })
  for (const words of [['verify'], ['verify', place, '--snapshot', id]])
    expect((await runAdmin(words, { AGMD_DATA_DIR: to })).output).toContain('No problems were found.')
  return whileServing({ folder: to, place, env: {} }, async (url) => (await readMarkdown({ ...target, url })).content)
}

/** Returns the canonical text of a document in a backup, without a restore. */
const textIn = async ({ place }: World, { doc }: Target, id: string): Promise<string> => {
  const repository = await openRepository(place)
  const found = await snapshotOfBackup(repository, await readManifest(repository, id)).storage.get(keys.text(doc))
  return Buffer.from(decodeState(found!.value).bytes).toString()
}

const paragraphs = (count: number): string => Array.from({ length: count }, (_, n) => `Paragraph ${n} has its own words.\n\n`).join('')

test('[BACKUP-20] [BACKUP-24] after an edit to a long document, a backup writes the new records and the changed part of the text', async () => {
  const world = await temporaryWorld()
  const long = paragraphs(20_000)
  const target = await whileServing(world, async (url) => {
    for (let n = 0; n < 20; n++) await createDocument(url, paragraphs(1_000))
    return createDocument(url, long)
  })
  const first = await backUp(world)
  const now = `First words.\n\n${long}Last words.\n`
  await whileServing(world, (url) => putMarkdown({ ...target, url }, now))
  const second = await backUp(world)
  const third = await backUp(world)
  expect(long.length).toBeGreaterThan(600_000)
  expect(second.writtenBytes).toBeGreaterThan(0)
  expect(second.writtenBytes).toBeLessThan(10_000)
  expect(third.writtenBytes).toBe(0)
  for (const [{ id }, text] of [
    [first, long],
    [second, now]
  ] as const)
    expect(await textIn(world, target, id)).toBe(text)
  await runAdmin(['gc', '--backups', world.place, '--keep', '1', '--delete'], world.env)
  expect(await readdir(join(world.place, 'snapshots'))).toEqual([`${third.id}.json`])
  expect(await restoredText(world, target, third.id)).toBe(now)
}, 60_000)

test('[BACKUP-21] a backup is full when the last full one is old, after 30 backups, with --full, and if an object is unusable', async () => {
  const world = await temporaryWorld()
  const target = await whileServing(world, (url) => createDocument(url, paragraphs(5_000)))
  const edit = (text: string) => whileServing(world, (url) => putMarkdown({ ...target, url }, text))
  const changesOf = async (id: string) => (await manifestOf(world, id)).changes?.length
  await backUp(world)
  await edit('# Once\n')
  const incremental = await backUp(world)
  expect(await changesOf(incremental.id)).toBe(1)
  const path = join(world.place, 'snapshots', `${incremental.id}.json`)
  const manifest = decodeManifest(path, await readFile(path))
  const change = manifest.changes![0]!
  const pathOfChange = join(world.place, chunkName(change.sha256))
  const content = await readFile(pathOfChange)
  const restore = async () => {
    await writeFile(path, encodeManifest(manifest))
    await writeFile(pathOfChange, content)
  }
  await edit('# Twice\n')
  const day = 24 * 60 * 60 * 1000
  const cases: readonly (readonly [string, () => Promise<unknown>, string[]])[] = [
    ['old', async () => writeFile(path, encodeManifest({ ...manifest, fullAt: new Date(Date.now() - 7 * day).toISOString() })), []],
    ['many', async () => writeFile(path, encodeManifest({ ...manifest, changes: Array.from({ length: 30 }, () => change) })), []],
    ['asked for', async () => undefined, ['--full']],
    ['missing', () => rm(pathOfChange), []],
    ['damaged', () => truncate(pathOfChange, 50), []],
    ['a damaged manifest', () => truncate(path, 50), []]
  ]
  for (const [name, prepare, words] of cases) {
    await prepare()
    const { id } = await backUp(world, ...words)
    expect(await manifestOf(world, id), name).toMatchObject({ format: 1 })
    expect(await changesOf(id), name).toBeUndefined()
    expect(await textIn(world, target, id), name).toBe('# Twice\n')
    await rm(join(world.place, 'snapshots', `${id}.json`))
    await restore()
  }
  expect(await changesOf((await backUp(world)).id)).toBe(2)
}, 60_000)

const recordsOf = async (snapshot: StoreSnapshot): Promise<string[]> => {
  const records: string[] = []
  for (let above = lowestKey; ;) {
    const found = await snapshot.scan(above)
    if (found.length === 0) return records
    records.push(...found.map(({ key, value }) => `${JSON.stringify(key)} ${Buffer.from(value).toString('base64')}`))
    above = found.at(-1)!.bytes
  }
}

test('[BACKUP-21] a backup is full if the changes are too large to hold in memory', async () => {
  const world = await temporaryWorld()
  const target = await whileServing(world, (url) => createDocument(url, paragraphs(100)))
  await backUp(world)
  const storage = await openLmdbStorage({ folder: world.folder })
  const mebibyte = 1024 * 1024
  for (let n = 0; n < 66; n++) await storage.commit({ puts: [{ key: ['large', n], value: randomBytes(mebibyte) }] })
  await storage.close()
  const { id, writtenBytes } = await backUp(world)
  expect(await manifestOf(world, id)).toMatchObject({ format: 1 })
  expect(writtenBytes).toBeGreaterThan(66 * mebibyte)
  expect((await backUp(world)).writtenBytes).toBe(0)
  expect(await textIn(world, target, id)).toBe(paragraphs(100))
}, 60_000)

test('[BACKUP-22] each of several incremental backups has exactly the records that the store had', async () => {
  const world = await temporaryWorld()
  const target = await whileServing(world, (url) => createDocument(url, paragraphs(100)))
  const random = seeded(7)
  /** Most texts have common parts, so that they are stored as edits. */
  const someText = (): Buffer => Buffer.from(`${random(9)} ${paragraphs(random(40))}${random(1000)}${paragraphs(random(200))}`)
  const change = async (): Promise<void> => {
    const storage = await openLmdbStorage({ folder: world.folder })
    const keysIn = (count: number) => Array.from({ length: count }, () => ['~random', random(300)])
    await storage.commit({ puts: keysIn(80).map((key) => ({ key, value: someText() })) })
    const from = random(300)
    const removed = random(2) === 0 ? keysIn(30) : Array.from({ length: 200 }, (_, n) => ['~random', from + n])
    await storage.commit({ deletes: removed })
    await storage.close()
  }
  const rounds = new Map<string, string[]>()
  for (let n = 0; n < repeats(6, 40); n++) {
    await change()
    const { id } = await backUp(world)
    const snapshot = await openLmdbSnapshot(world.folder, (await readInstance(world.folder))!)
    rounds.set(id, await recordsOf(snapshot))
    await snapshot.close()
  }
  const repository = await openRepository(world.place)
  for (const [id, records] of rounds) {
    const snapshot = snapshotOfBackup(repository, await readManifest(repository, id))
    expect(await recordsOf(snapshot), id).toEqual(records)
    const listed = await snapshot.storage.list(['~random'], { limit: 1000, reverse: true })
    expect(listed).toHaveLength(records.filter((record) => record.startsWith('["~random"')).length)
    for (const { key, value } of listed.slice(0, 20)) expect((await snapshot.storage.get(key))?.value).toEqual(value)
  }
  expect((await readManifest(repository)).changes?.length).toBeGreaterThan(3)
  expect(await restoredText(world, target, [...rounds.keys()].at(-1)!)).toBe(paragraphs(100))
}, 120_000)

test('[BACKUP-23] if an older copy of the data folder is put back and used, the next backup has the records of that copy', async () => {
  const world = await temporaryWorld()
  const target = await whileServing(world, (url) => createDocument(url, paragraphs(3_000)))
  const edit = (text: string) => whileServing(world, (url) => putMarkdown({ ...target, url }, text))
  await backUp(world)
  await cp(world.folder, `${world.folder}-copy`, { recursive: true })
  await edit('# Lost\n')
  const lost = await backUp(world)
  await rm(world.folder, { recursive: true })
  await cp(`${world.folder}-copy`, world.folder, { recursive: true })
  await edit('# Kept\n')
  const kept = await backUp(world)
  expect(await textIn(world, target, lost.id)).toBe('# Lost\n')
  expect(await restoredText(world, target, kept.id)).toBe('# Kept\n')
}, 60_000)

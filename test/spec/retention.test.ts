/** Removing old versions of documents. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runAct } from '../../server/domain/operator/acts.ts'
import { consoleOperator } from '../../server/domain/operator/operator.ts'
import { measure } from '../../server/domain/documents/usage.ts'
import type { Service } from '../../server/domain/service.ts'
import { contentAt, parseVersion } from '../../server/domain/text/journal.ts'
import { createHistorySweep, type Removed } from '../../server/domain/text/retention.ts'
import { testClock, type TestClock } from '../support/clock.ts'
import { withLimit } from '../support/limits.ts'
import { runAdmin } from '../support/operator.ts'
import { removeAll } from '../support/start.ts'
import { tracesIn, tracesOf } from '../support/traces.ts'
import { type Json, type Person, startWorld, until, type World } from '../support/world.ts'

const dayMs = 24 * 3600 * 1000

/** Removes versions that are older than 30 days. */
const sweep = (service: Service): Promise<Removed> => createHistorySweep({ ...service, historyDays: 30 }, () => false)()

const versionsOf = async (owner: Person): Promise<string[]> =>
  (await owner.revisions({ limit: 100 })).revisions.map(({ version }: Json) => version).toReversed()

const statusAt = async (owner: Person, version: string): Promise<number> => (await owner.ask('GET', `/content?version=${version}`)).status

const secret = 'correct-horse-battery-staple'

interface Past {
  readonly owner: Person
  /** The text of each version that has a revision. */
  readonly texts: ReadonlyMap<string, string>
  /** The versions that stay: a named one, the version of an open assignment, the last old one, and those after. */
  readonly kept: readonly string[]
}

type Around = (owner: Person, work: () => Promise<void>) => Promise<void>

/**
 * A document with ten versions that are 40 days old, and two that are new. Some were typed, and one old version contained a secret. `around` runs the
 * function that writes the old versions.
 */
const past = async (world: World, clock: TestClock, around: Around = (_, work) => work()): Promise<Past> => {
  const owner = await world.create('# Notes\n')
  await around(owner, () => writeOld(owner))
  const old = await versionsOf(owner)
  clock.advance(40 * dayMs)
  for (const text of ['# Notes\n\nnew\n', '# Notes\n\nnewest\n']) await owner.replace(text, { ifMatch: '*' })
  const texts = new Map<string, string>()
  const all = await versionsOf(owner)
  for (const version of all) texts.set(version, await owner.at(version))
  const { revisions } = await owner.revisions({ limit: 100 })
  const named = revisions.find(({ label }: Json) => label === 'kept').version
  const { tasks } = (await owner.ask('GET', '/tasks')).json
  return { owner, texts, kept: [named, tasks[0].startingVersion, old.at(-1), ...all.slice(old.length)] }
}

const writeOld = async (owner: Person): Promise<void> => {
  const editor = await owner.connect({ name: 'Ana' })
  for (let count = 0; count < 8; count++) {
    for (const character of 'typed') editor.type(editor.ytext.length, character)
    await editor.saved()
    const text = `# Notes\n\nversion ${count}\n${count === 1 ? `${secret}\n` : ''}`
    await owner.replace(text, { ifMatch: '*', ...(count === 3 && { label: 'kept' }) })
    if (count === 5) await owner.ask('POST', '/tasks', { json: { requestId: 'one', title: 'Look', instructions: 'Read.' } })
  }
}

/** The same, with the old versions in several segments of the journal, and with keyframes. No segment has an old and a new version. */
const pastInSegments = (world: World, clock: TestClock): Promise<Past> =>
  past(world, clock, ({ doc }, work) =>
    withLimit('journalRecordsMax', 3, () =>
      withLimit('keyframeBytesMin', 100, async () => {
        await work()
        const count = async (kind: string): Promise<number> => (await world.service.storage.list(['d', doc, kind])).length
        await until(async () => (await count('history')) > 1 && (await count('keyframe')) > 1)
      })
    )
  )

const expectKept = async (owner: Person, { texts, kept }: Past): Promise<void> => {
  expect((await versionsOf(owner)).toSorted()).toEqual([...kept].toSorted())
  for (const [version, text] of texts)
    if (kept.includes(version)) expect(await owner.at(version)).toBe(text)
    else expect(await statusAt(owner, version)).toBe(404)
}

test('[RETAIN-1] [RETAIN-2] [RETAIN-3] old versions are removed, except named ones, the newest and those of open assignments', async () => {
  const clock = testClock()
  const world = await startWorld({ clock })
  const before = await past(world, clock)
  const { owner, texts, kept } = before
  const total = (await owner.revisions()).total
  expect(await sweep(world.service)).toEqual({ documents: 1, revisions: texts.size - kept.length })
  await expectKept(owner, before)
  expect((await owner.revisions()).total).toBe(total - (texts.size - kept.length))
  const removed = [...texts.keys()].find((version) => !kept.includes(version)) ?? ''
  const gone = await owner.ask('GET', `/content?since=${removed}`)
  expect(gone).toMatchObject({ status: 404, json: { code: 'unknown_version' } })
  expect(gone.json.message).toContain('no longer keeps it')
  expect(await owner.ask('GET', `/attribution?version=${removed}`)).toMatchObject({ status: 404, json: { code: 'unknown_version' } })
  await expect(owner.replace('x', { ifMatch: removed })).rejects.toMatchObject({ code: 'version_conflict' })
  expect(await sweep(world.service), 'a second sweep finds nothing').toEqual({ documents: 0, revisions: 0 })
  // The newest version stays, however old it is.
  clock.advance(100 * dayMs)
  await sweep(world.service)
  expect(await versionsOf(owner)).toEqual([kept[0], kept[1], kept.at(-1)])
  expect((await owner.read()).content).toBe('# Notes\n\nnewest\n')
  await world.stop()
})

test('[RETAIN-4] open pages go on and converge; authors of the kept lines stay, and the count of bytes is right', async () => {
  const clock = testClock()
  const world = await startWorld({ clock })
  const { owner, kept } = await past(world, clock)
  const editor = await owner.connect({ name: 'Ben' })
  const bytes = (await world.service.ledger.head(owner.doc)).bytes ?? 0
  await sweep(world.service)
  const head = await world.service.ledger.head(owner.doc)
  expect(head.bytes).toBeLessThan(bytes)
  expect(head.bytes).toBe(await measure(world.service.storage, owner.doc))
  // Enough for a segment and a checkpoint.
  for (let count = 0; count < 60; count++) {
    editor.type(editor.ytext.length, count % 10 === 9 ? '\n' : 'x')
    await editor.saved()
  }
  expect(editor.closes).toEqual([])
  const other = await owner.connect()
  await until(() => other.ytext.toString() === editor.ytext.toString(), 'the newest text on the other page')
  const { lines } = (await owner.ask('GET', '/attribution')).json
  expect(lines.at(-1)).toMatchObject({ author: 'Ben' })
  // A secret in a kept version can still be removed.
  const { characters } = await runAct(world.service, consoleOperator, 'forget', { doc: owner.doc, text: 'version 3' })
  expect(characters).toBe('version 3'.length)
  expect(await owner.at(kept[0] ?? '')).toBe(`# Notes\n\n${'\u2588'.repeat(9)}\n`)
  const next = await world.restart()
  expect((await next.person(owner.doc, owner.key).read()).content).toBe(editor.ytext.toString())
  await next.stop()
})

test('[RETAIN-7] the server removes old versions once a day, and keeps all versions by default', async () => {
  const clock = testClock()
  const world = await startWorld({ clock, env: { AGMD_HISTORY_DAYS: '30' } })
  const before = await past(world, clock)
  await until(async () => {
    clock.advance(dayMs)
    return (await versionsOf(before.owner)).length < before.texts.size
  })
  await until(() => world.lines.some((line) => line.includes('removed old versions')))
  await world.stop()
  const other = await startWorld({ clock })
  const { owner, texts } = await past(other, clock)
  expect(await createHistorySweep(other.service, () => false)()).toEqual({ documents: 0, revisions: 0 })
  expect(await versionsOf(owner)).toHaveLength(texts.size)
  await past(other, clock)
  await withLimit('retentionDocumentsMax', 1, async () => {
    const round = createHistorySweep({ ...other.service, historyDays: 30 }, () => false)
    const rounds = [await round(), await round(), await round(), await round()]
    expect(rounds.map(({ documents }) => documents)).toEqual([1, 1, 0, 0])
  })
  await other.stop()
})

test('[RETAIN-8] at most a number of versions without a name stay, with their texts, and no number is used again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-retention-'))
  onTestFinished(() => removeAll(folder))
  const clock = testClock()
  const world = await startWorld({ folder, clock, env: { AGMD_STORAGE: '' } })
  const { owner, texts, kept } = await pastInSegments(world, clock)
  const limited = (historyRevisions: number) => createHistorySweep({ ...world.service, historyRevisions }, () => false)()
  const unnamed = async (): Promise<string[]> =>
    (await owner.revisions({ limit: 100 })).revisions.filter(({ label }: Json) => label === null).map(({ version }: Json) => version)
  const [all, [named, assigned]] = [await unnamed(), kept]
  expect(await limited(all.length)).toEqual({ documents: 0, revisions: 0 })
  expect((await limited(4)).documents).toBe(1)
  // The list has the newest version first.
  const stays = [...all.slice(0, 4), ...(all.slice(0, 4).includes(assigned!) ? [] : [assigned!])]
  expect(await unnamed()).toEqual(stays)
  for (const version of [named!, ...stays]) expect(await owner.at(version)).toBe(texts.get(version))
  expect(await statusAt(owner, all.at(-1)!)).toBe(404)
  expect(await limited(4), 'a second sweep finds nothing').toEqual({ documents: 0, revisions: 0 })
  const newest = (await owner.revisions()).revisions[0].id
  await owner.replace('# Next\n', { ifMatch: '*' })
  expect((await owner.revisions()).revisions[0].id).toBe(newest + 1)
  expect((await limited(1)).revisions).toBeGreaterThan(0)
  expect((await unnamed()).length).toBe(2)
  expect((await owner.read()).content).toBe('# Next\n')
  await world.stop()
  expect(JSON.parse((await runAdmin(['verify', folder, '--json'], { AGMD_DATA_DIR: folder })).output)).toMatchObject({
    ok: true,
    problems: []
  })
})

test('[RETAIN-5] [RETAIN-6] after kills at each step, a second run finishes; no byte is left, verify accepts the rest, export keeps it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-retention-'))
  onTestFinished(() => removeAll(folder))
  const clock = testClock()
  const world = await startWorld({ folder, clock, env: { AGMD_STORAGE: '' } })
  const before = await pastInSegments(world, clock)
  const { owner, texts, kept } = before
  const { ledger } = world.service
  let killed = 0
  // The first run is killed at its first commit, and each other run at its second.
  for (let runs = 0; ; runs++) {
    let left = Math.min(runs, 1)
    const write: typeof ledger.write = (...change) => (left-- > 0 ? ledger.write(...change) : Promise.reject(new Error('killed')))
    const outcome = await sweep({ ...world.service, ledger: { ...ledger, write } }).catch((error: Error) => error)
    if (!(outcome instanceof Error)) break
    expect(outcome.message).toBe('killed')
    killed += 1
    for (const version of kept) expect(await owner.at(version), `after ${runs} runs`).toBe(texts.get(version))
  }
  expect(killed).toBeGreaterThan(4)
  await expectKept(owner, before)
  await world.service.storage.erase?.()
  await world.stop()
  expect(await tracesIn(join(folder, 'store'), tracesOf([secret]))).toEqual([])
  const env = { AGMD_DATA_DIR: folder }
  expect(JSON.parse((await runAdmin(['verify', folder, '--json'], env)).output)).toMatchObject({ ok: true, problems: [] })
  const [path, into] = [join(folder, 'all.zip'), await mkdtemp(join(tmpdir(), 'agmd-retention-'))]
  onTestFinished(() => removeAll(into))
  await runAdmin(['export', path], env)
  await (await startWorld({ folder: into, env: { AGMD_STORAGE: '' } })).stop()
  await runAdmin(['import', path, '--write'], { AGMD_DATA_DIR: into })
  expect(JSON.parse((await runAdmin(['verify', into, '--json'], { AGMD_DATA_DIR: into })).output)).toMatchObject({ ok: true, problems: [] })
  const imported = await startWorld({ folder: into, env: { AGMD_STORAGE: '' } })
  const { documents } = await runAct(imported.service, consoleOperator, 'findDocuments', {})
  for (const version of kept)
    expect(await contentAt(imported.service.storage, documents[0]?.id ?? '', parseVersion(version) ?? { seq: 0, tag: '' })).toBe(
      texts.get(version)
    )
  await imported.stop()
})

test('[IMPORT-21] [IMPORT-22] an export of a limited history can be imported; a document that is left out is named, with exit code 1', async () => {
  const [folder, into, out] = await Promise.all([1, 2, 3].map(() => mkdtemp(join(tmpdir(), 'agmd-retention-'))))
  onTestFinished(async () => void (await Promise.all([folder, into, out].map((each) => removeAll(each!)))))
  const world = await startWorld({ folder: folder!, env: { AGMD_STORAGE: '' } })
  const owner = await world.create('# Notes\n')
  const count = async (kind: string): Promise<number> => (await world.service.storage.list(['d', owner.doc, kind])).length
  // One segment has both removed and kept versions, so no entries are merged.
  await withLimit('journalRecordsMax', 10, async () => {
    for (let n = 0; n < 12; n++) await owner.replace(`# Notes\n\nversion ${n}\n`, { ifMatch: '*' })
    await until(async () => (await count('history')) > 0)
  })
  expect((await createHistorySweep({ ...world.service, historyRevisions: 4 }, () => false)()).revisions).toBeGreaterThan(0)
  const kept = await versionsOf(owner)
  const texts = await Promise.all(kept.map((version) => owner.at(version)))
  await world.stop()
  const path = join(out!, 'all')
  await runAdmin(['export', path], { AGMD_DATA_DIR: folder! })
  await (await startWorld({ folder: into!, env: { AGMD_STORAGE: '' } })).stop()
  const run = (...words: string[]) => runAdmin(['import', path, ...words], { AGMD_DATA_DIR: into! })
  const events = join(path, 'data', owner.doc, 'events.jsonl')
  const intact = await readFile(events, 'utf8')
  await writeFile(events, intact.split('\n').slice(1).join('\n'))
  const broken = await run('--write')
  expect(broken.exitCode).toBe(1)
  expect(broken.output).toContain(`"Notes" (data/${owner.doc}/document.json)`)
  expect(broken.output).toContain('run the same command again')
  await writeFile(events, intact)
  expect(JSON.parse((await run('--write', '--json')).output)).toMatchObject({ ok: true, refused: [], created: { documents: 1 } })
  const { exitCode = 0, output } = await run()
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining('Already present') })
  const imported = await startWorld({ folder: into!, env: { AGMD_STORAGE: '' } })
  for (const [index, version] of kept.entries())
    expect(await contentAt(imported.service.storage, owner.doc, parseVersion(version)!)).toBe(texts[index])
  await imported.stop()
  expect(JSON.parse((await runAdmin(['verify', into!, '--json'], { AGMD_DATA_DIR: into! })).output)).toMatchObject({
    ok: true,
    problems: []
  })
})

/** Removing a secret from the history of a document. */
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ActAnswer, runAct } from '../../server/domain/operator/acts.ts'
import { consoleOperator } from '../../server/domain/operator/operator.ts'
import { listAudit } from '../../server/domain/records/audit.ts'
import { contentAt, parseVersion } from '../../server/domain/text/journal.ts'
import type { Service } from '../../server/domain/service.ts'
import { testClock, type TestClock } from '../support/clock.ts'
import { limits } from '../../shared/limits.ts'
import { runAdmin } from '../support/operator.ts'
import { removeAll, storageOf } from '../support/start.ts'
import { tracesIn, tracesOf } from '../support/traces.ts'
import { type Editor, type Json, type Person, startWorld, until, type World } from '../support/world.ts'

const blocks = (length: number): string => '\u2588'.repeat(length)

const forget = (world: World, doc: string, text: string, service: Service = world.service): Promise<ActAnswer<'forget'>> =>
  runAct(service, consoleOperator, 'forget', { doc, text })

/** A document in whose history a secret is everywhere, and whose text no longer contains it. */
interface Leak {
  readonly secret: string
  readonly owner: Person
  readonly editor: Editor
}

const leak = async (world: World, clock: TestClock): Promise<Leak> => {
  const secret = `k-${randomBytes(18).toString('base64url')}`
  const owner = await world.create('# Keys\n\nname: ana\n')
  const editor = await owner.connect({ name: 'Ana' })
  editor.type(editor.ytext.length, 'pass: ')
  for (const [index, character] of secret.split('').entries()) {
    editor.type(editor.ytext.length, character)
    await editor.saved()
    if (index !== 12) continue
    // An event describes the text while the secret is half typed.
    clock.advance(limits.announceMs)
    await until(async () => JSON.stringify(await owner.events()).includes(`pass: ${secret.slice(0, 13)}`))
  }
  await owner.replace(`${(await owner.read()).content}\nagain ${secret} and ${secret}\n`, { label: 'leaked' })
  await owner.ask('POST', '/comments', { json: { find: 'name: ana', body: `Is ${secret} right?` } })
  await owner.ask('POST', '/comments', { json: { find: ' and ', body: 'Why?' } })
  const { json } = await owner.ask('POST', '/suggestions', {
    json: { operation: 'replace', find: 'name: ana', text: `name: ${secret}`, note: `${secret}!` }
  })
  await owner.ask('POST', `/suggestions/${json.suggestion.id}/reject`, { json: { reason: `not ${secret}` } })
  await owner.ask('POST', '/tasks', { json: { requestId: 'one', title: 'Look', instructions: `Use ${secret}.` } })
  const { content } = await owner.read()
  await owner.replace(content.replaceAll(secret, 'gone'), { ifMatch: '*' })
  return { secret, owner, editor }
}

/** Returns the text of every version that a revision or event names. */
const versionsOf = async (owner: Person): Promise<Map<string, string>> => {
  const [{ revisions }, { events }] = await Promise.all([owner.revisions({ limit: 100 }), owner.events()])
  const named = [
    ...revisions.map(({ version }: Json) => version),
    ...events.flatMap(({ payload }: Json) => [payload.fromVersion, payload.toVersion])
  ]
  const texts = new Map<string, string>()
  for (const version of new Set<string>(named.filter(Boolean))) texts.set(version, await owner.at(version))
  return texts
}

/** Returns all that a program can read of a document but its versions. */
const recordsOf = async (owner: Person): Promise<Json> => {
  const read = async (path: string): Promise<Json> => (await owner.ask('GET', path)).json
  const [revisions, events, comments, suggestions, tasks] = await Promise.all(
    ['/revisions?limit=100', '/events', '/comments?status=all', '/suggestions?status=all', '/tasks'].map(read)
  )
  return { revisions, events, comments, suggestions, tasks }
}

const longestStart = (text: string, secret: string): number => {
  for (let length = secret.length; length > 0; length--) if (text.includes(`pass: ${secret.slice(0, length)}`)) return length
  return 0
}

/** Returns text without the secret and without its half typed form. */
const redacted = (text: string, secret: string): string => {
  const typed = longestStart(text, secret)
  return text.replace(`pass: ${secret.slice(0, typed)}`, `pass: ${blocks(typed)}`).replaceAll(secret, blocks(secret.length))
}

test('[FORGET-1] [FORGET-2] [FORGET-4] [FORGET-9] blocks replace a secret in all versions and records; versions, pages and all else stay', async () => {
  const clock = testClock()
  const world = await startWorld({ clock })
  const { secret, owner, editor } = await leak(world, clock)
  const [versions, records] = [await versionsOf(owner), await recordsOf(owner)]
  expect(JSON.stringify([...versions])).toContain(secret)
  const answer = await forget(world, owner.doc, secret)
  expect(answer).toMatchObject({ doc: owner.doc, characters: 3 * secret.length })
  const changed = [...versions].filter(([, text]) => redacted(text, secret) !== text).map(([version]) => version)
  const named = (await owner.revisions({ limit: 100 })).revisions.map(({ version }: Json) => version)
  expect(answer.revisions.map(({ version }) => version).toSorted()).toEqual(changed.filter((each) => named.includes(each)).toSorted())
  for (const [version, text] of versions) expect(await owner.at(version)).toBe(redacted(text, secret))
  const after = await recordsOf(owner)
  // The owner sees that an operator removed text, and not the text.
  const told = after.events.events.filter(({ kind }: Json) => kind === 'doc.redacted')
  expect(told).toMatchObject([{ actorKind: 'system', payload: {} }])
  expect(after.events.latest).toBe(records.events.latest + 1)
  after.events = {
    ...after.events,
    events: after.events.events.filter((event: Json) => !told.includes(event)),
    latest: records.events.latest
  }
  expect(JSON.stringify(after)).not.toContain(secret.slice(0, 8))
  // All other fields are as before: blocks in both show it.
  const hidden = JSON.stringify(records).replaceAll(secret, blocks(secret.length))
  expect(JSON.stringify(after).replace(/\u2588+/g, '')).toBe(
    hidden.replace(new RegExp(`pass: ${secret.slice(0, 1)}[^"]*`, 'g'), 'pass: ').replace(/\u2588+/g, '')
  )
  // The page that was open continues, and agrees with a page that opens now.
  expect(editor.closes).toEqual([])
  editor.type(0, 'still here\n')
  await editor.saved()
  const other = await owner.connect()
  expect(other.ytext.toString()).toBe(editor.ytext.toString())
  expect((await owner.read()).content).toBe(editor.ytext.toString())
  const lines = (await owner.ask('GET', '/attribution')).json
  expect(lines.lines.length).toBeGreaterThan(0)
  expect(await forget(world, owner.doc, secret)).toMatchObject({ characters: 0, records: 0, revisionsChanged: 0 })
  expect((await owner.events()).events.filter(({ kind }: Json) => kind === 'doc.redacted')).toHaveLength(1)
  await world.stop()
})

test('[FORGET-4] characters that the text still contains stay in all versions', async () => {
  const world = await startWorld()
  const owner = await world.create('token=abcdef\n')
  const { version } = await owner.read()
  const page = await owner.connect()
  page.erase('token='.length, 'abcdef'.length)
  await page.saved()
  expect(await forget(world, owner.doc, 'token=abcdef')).toMatchObject({ characters: 6 })
  expect(await owner.at(version)).toBe(`token=${blocks(6)}\n`)
  expect((await owner.connect()).ytext.toString()).toBe('token=\n')
  await world.stop()
})

test('[FORGET-3] text that is still there, or that is too short, is refused and nothing changes', async () => {
  const world = await startWorld()
  const owner = await world.create({ title: 'my secret title', content: 'one\ntwo hunter2\n' })
  await expect(forget(world, owner.doc, 'hunter2')).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'Line 2 of the document still contains this text.'
  })
  await expect(forget(world, owner.doc, 'secret title')).rejects.toMatchObject({
    message: 'The title of the document still contains this text.'
  })
  await expect(forget(world, owner.doc, 'abc')).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(forget(world, 'AAAAAAAAAAAAAAAA', 'hunter2')).rejects.toMatchObject({ code: 'not_found' })
  expect((await owner.read()).content).toBe('one\ntwo hunter2\n')
  expect((await listAudit(world.service, { kind: 'admin.forget' })).records).toEqual([])
  await world.stop()
})

/** Restarts the server after so many commits that it writes a segment and a checkpoint when it stops. */
const compacted = async (world: World, { owner, editor }: Leak): Promise<World> => {
  for (let count = 0; count < 50; count++) {
    editor.type(0, 'x')
    await editor.saved()
  }
  const next = await world.restart()
  expect(await next.service.storage.list(['d', owner.doc, 'history'])).toHaveLength(1)
  return next
}

test('[FORGET-5] [FORGET-6] [FORGET-7] after kills at each step, a second run finishes; no byte is left, verify and export agree', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-forget-'))
  onTestFinished(() => removeAll(folder))
  const clock = testClock()
  const first = await startWorld({ folder, clock, env: { AGMD_STORAGE: '' } })
  const found = await leak(first, clock)
  const world = await compacted(first, found)
  const { secret } = found
  const owner = world.person(found.owner.doc, found.owner.key)
  await owner.replace('x\n', { ifMatch: '*' })
  const versions = await versionsOf(owner)
  const { ledger } = world.service
  let killed = 0
  // Each run ends after one more commit than the run before.
  for (let commits = 0; ; commits++) {
    let left = commits
    const write: typeof ledger.write = (...change) => (left-- > 0 ? ledger.write(...change) : Promise.reject(new Error('killed')))
    const outcome = await forget(world, owner.doc, secret, { ...world.service, ledger: { ...ledger, write } }).catch(
      (error: Error) => error
    )
    if (!(outcome instanceof Error)) break
    expect(outcome.message).toBe('killed')
    killed += 1
  }
  expect(killed).toBeGreaterThan(3)
  for (const [version, text] of versions) expect(await owner.at(version)).toBe(redacted(text, secret))
  await world.service.storage.erase?.()
  await world.stop()
  expect(await tracesIn(join(folder, 'store'), tracesOf([secret]))).toEqual([])
  const env = { AGMD_DATA_DIR: folder }
  expect(JSON.parse((await runAdmin(['verify', folder, '--json'], env)).output)).toMatchObject({ ok: true, problems: [] })
  const [path, into] = [join(folder, 'all.zip'), await mkdtemp(join(tmpdir(), 'agmd-forget-'))]
  onTestFinished(() => removeAll(into))
  await runAdmin(['export', path], env)
  const next = await startWorld({ folder: into, env: { AGMD_STORAGE: '' } })
  await next.stop()
  await runAdmin(['import', path, '--write'], { AGMD_DATA_DIR: into })
  const imported = await startWorld({ folder: into, env: { AGMD_STORAGE: '' } })
  const { documents } = await runAct(imported.service, consoleOperator, 'findDocuments', {})
  const id = documents[0]?.id ?? ''
  for (const [version, text] of versions)
    expect(await contentAt(imported.service.storage, id, parseVersion(version) ?? { seq: 0, tag: '' })).toBe(redacted(text, secret))
  await imported.stop()
})

test('[FORGET-8] the command reads the text from standard input; the audit log has the document and not the text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-forget-'))
  onTestFinished(() => removeAll(folder))
  const world = await startWorld({ folder })
  const owner = await world.create('the key is hunter2222\n')
  await owner.replace('the key is gone\n', { ifMatch: '*' })
  const env = { AGMD_DATA_DIR: folder, ...(await storageOf(folder)) }
  const run = (words: string[], input = 'hunter2222\n') => runAdmin(['forget', ...words], env, undefined, input)
  await expect(run([owner.doc])).rejects.toThrow('--yes')
  const { output } = await run([owner.doc, '--yes'])
  expect(output).toMatch(
    /^Removed 10 characters from the history, and changed \d+ records\.\nThese revisions now have different text: 1-[0-9a-f]{12}\.\n/
  )
  expect((await run([owner.doc, '--yes'])).output).toBe('The history does not contain this text.')
  await expect(run([owner.doc, '--yes'], 'gone')).rejects.toThrow('Line 1 of the document still contains this text.')
  const { records } = await listAudit(world.service, { kind: 'admin.forget' })
  expect(records).toMatchObject([{ doc: owner.doc, by: { kind: 'operator' } }, { doc: owner.doc }])
  expect(JSON.stringify(records)).not.toContain('hunter')
  await world.stop()
})

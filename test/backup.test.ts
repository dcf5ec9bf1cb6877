import { chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { png } from './support/media.ts'
import { bucket, startObjectStore } from './support/object-store.ts'
import { runAdmin, startAdmin } from './support/operator.ts'
import { freshSchema, noPostgres, sharedCluster } from './support/postgres.ts'
import { serverMain } from './support/server-main.ts'
import { startProcess } from './support/start.ts'
import { countTokens, createDocument, putMarkdown, readMarkdown, TokenLedger, Typist } from './support/typist.ts'
import { signUp } from './support/visitor.ts'
import { ask } from './support/world.ts'

const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-backup-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A data folder with documents, revisions, an asset and an account, whose server has stopped. The tests copy it or only read it. */
let source: { readonly folder: string; readonly doc: string; readonly key: string; readonly asset: string }
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-backup-source-'))
  const world = await startProcess({ folder, env: { AGMD_STORAGE: '' } })
  const target = await createDocument(world.url, '# First\n')
  await putMarkdown(target, '# First\n\nmore\n')
  for (let n = 0; n < 12; n++) await createDocument(world.url, `# Other ${n}\n\n${'x'.repeat(150_000)}\n`)
  const asset = await ask(world.url, 'POST', `/api/docs/${target.doc}/assets`, { key: target.key, body: png(), type: 'image/png' })
  await world.kill('SIGTERM')
  source = { folder, doc: target.doc, key: target.key, asset: asset.json.id }
}, 30_000)
afterAll(() => rm(source.folder, { recursive: true, force: true }))

const envOf = (folder: string): Record<string, string> => ({ AGMD_DATA_DIR: folder })
const copyOfSource = async (): Promise<string> => {
  const folder = join(await temporaryFolder(), 'data')
  await cp(source.folder, folder, { recursive: true })
  return folder
}
const backUp = async (to: string, folder = source.folder, ...words: string[]) =>
  JSON.parse((await runAdmin(['backup', '--to', to, '--json', ...words], envOf(folder))).output)
const restoreTo = (to: string, from: string, ...words: string[]) =>
  runAdmin(['restore', '--from', from, '--to', to, '--json', ...words], envOf(to))
const verified = async (what: string, env: Record<string, string> = envOf(source.folder)) => {
  const { output, exitCode } = await runAdmin(['verify', what, '--json'], env)
  return { exitCode, ...JSON.parse(output) }
}
const filesIn = async (folder: string): Promise<string[]> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

test('[BACKUP-1] [BACKUP-2] a backup that was made under load restores everything acknowledged before it began, and no later version', async () => {
  const base = await temporaryFolder()
  const [place, elsewhere] = [join(base, 'backups'), join(base, 'elsewhere')]
  const server = await startProcess({ folder: join(base, 'data'), env: { AGMD_STORAGE: '' } })
  const env = { ...envOf(join(base, 'data')), AGMD_STORAGE: '' }
  const targets = [await createDocument(server.url, 'one\n'), await createDocument(server.url, 'two\n')]
  const [first] = targets as [(typeof targets)[0]]
  const picture = png(3, 3)
  const asset = (await ask(server.url, 'POST', `/api/docs/${first.doc}/assets`, { key: first.key, body: picture, type: 'image/png' })).json
  const visitor = await signUp(server.url, 'ana@example.org')
  const ledger = new TokenLedger()
  const typists = Array.from({ length: 6 }, (_, n) => new Typist(`c${n}`, targets[n % 2]!, ledger))
  for (const typist of typists) typist.connect()
  for (const typist of typists) await typist.whenSynced()
  const typing = setInterval(() => typists.forEach((typist) => typist.typeToken(0)), 15)
  onTestFinished(() => clearInterval(typing))
  await typists[0]!.until(() => ledger.acknowledged.size > 30, 'acknowledged tokens')
  const acknowledged = new Set(ledger.acknowledged)
  const made = await startAdmin(['backup', '--to', place, '--json'], env).outcome
  expect({ code: made.code, ...JSON.parse(made.out) }).toMatchObject({ code: 0, ok: true, blobs: { count: 1, bytes: picture.length } })
  expect((await startAdmin(['verify', '--json'], env).outcome).code, 'verify next to the running server').toBe(0)
  clearInterval(typing)
  await Promise.all(typists.map((typist) => typist.whenSettled()))
  const later = await putMarkdown(first, 'written after the backup\n')
  for (const typist of typists) typist.destroy()
  await server.kill('SIGKILL')

  expect((await restoreTo(elsewhere, place)).exitCode).toBeUndefined()
  expect(await verified(elsewhere)).toMatchObject({ ok: true, problemCount: 0, blobs: 1 })
  const restored = await startProcess({ folder: elsewhere, env: { AGMD_STORAGE: '', AGMD_PORT: String(server.port) } })
  onTestFinished(() => restored.stop())
  const texts = await Promise.all(targets.map(async (target) => (await readMarkdown(target)).content))
  const found = countTokens(texts.join(''))
  expect([...acknowledged].filter((token) => found.get(token) !== 1)).toEqual([])
  expect(Buffer.from(await (await fetch(asset.url)).arrayBuffer()).equals(Buffer.from(picture))).toBe(true)
  await visitor.visit(`${restored.url}/account`)
  expect(visitor.page.text, 'the session still works').toContain('ana@example.org')
  expect((await ask(restored.url, 'GET', `/api/docs/${first.doc}/content?version=${later.body.version}`, { key: first.key })).status).toBe(
    404
  )
  const again = await putMarkdown(first, 'written after the restore\n')
  expect(again.body.version).not.toBe(later.body.version)
  expect((await ask(restored.url, 'GET', `/api/docs/${first.doc}/content?version=${later.body.version}`, { key: first.key })).status).toBe(
    404
  )
})

test('[BACKUP-3] [BACKUP-15] a later backup writes only what changed, and every backup in the place can be restored', async () => {
  const folder = await copyOfSource()
  const place = join(await temporaryFolder(), 'backups')
  const first = await backUp(place, folder)
  expect(first.writtenBytes).toBe(first.bytes + first.blobs.bytes)
  expect((await backUp(place, folder)).writtenBytes).toBe(0)
  const server = await startProcess({ folder, env: { AGMD_STORAGE: '' } })
  const target = { url: server.url, doc: source.doc, key: source.key }
  await putMarkdown(target, '# Changed\n')
  await server.kill('SIGTERM')
  const third = await backUp(place, folder)
  expect(third.writtenBytes).toBeGreaterThan(0)
  expect(third.writtenBytes).toBeLessThan(third.bytes)
  const { output } = await runAdmin(['backup', '--to', place, '--list'], envOf(folder))
  expect(output.split('\n')).toHaveLength(4)
  expect(output.match(/ (?:full|incremental) /g)).toEqual([' full ', ' full ', ' incremental '])
  expect(output).toMatch(
    new RegExp(
      `^BACKUP +MADE \\(UTC\\) +KIND +RECORDS +ASSETS +SIZE +SECRET\n${first.id} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +full +\\d+ +\\d+ +[\\d.]+ [KM]iB +yes\n`
    )
  )
  await expect(runAdmin(['backup', '--to', join(folder, 'inside')], envOf(folder))).rejects.toThrow('is inside the data folder')
  const [old, current] = [join(folder, '..', 'old'), join(folder, '..', 'current')]
  await restoreTo(old, place, '--snapshot', first.id)
  await restoreTo(current, place)
  for (const [data, text] of [
    [old, '# First\n\nmore\n'],
    [current, '# Changed\n']
  ] as const) {
    expect(await verified(data)).toMatchObject({ ok: true })
    const world = await startProcess({ folder: data, env: { AGMD_STORAGE: '' } })
    expect((await readMarkdown({ ...target, url: world.url })).content).toBe(text)
    await world.kill('SIGTERM')
  }
})

test('[BACKUP-25] [BACKUP-26] published pages come back at their addresses, and event cursors from after the backup lose no later event', async () => {
  const base = await temporaryFolder()
  const [folder, place, elsewhere] = ['data', 'place', 'elsewhere'].map((name) => join(base, name)) as [string, string, string]
  const server = await startProcess({ folder, env: { AGMD_STORAGE: '' } })
  const [shown, hidden] = [await createDocument(server.url, '# Shown\n'), await createDocument(server.url, '# Hidden\n')]
  const publish = ({ doc, key }: typeof shown, json: object) => ask(server.url, 'POST', `/api/docs/${doc}/publish`, { key, json })
  await publish(shown, { indexed: true })
  await publish(hidden, {})
  await publish(hidden, { published: false })
  const page = async (url: string, { doc }: typeof shown) => {
    const answers = await Promise.all([`/pub/${doc}`, `/pub/${doc}.md`].map((path) => fetch(`${url}${path}`)))
    return Promise.all(answers.map(async (answer) => [answer.status, answer.headers.get('X-Robots-Tag'), await answer.text()]))
  }
  const before = await page(server.url, shown)
  await startAdmin(['backup', '--to', place], envOf(folder)).outcome
  for (const text of ['# One\n', '# Two\n', '# Three\n']) await putMarkdown(shown, text)
  const lost = (await readMarkdown(shown)).version
  const { key } = shown
  const feed = async (query: string) => (await ask(server.url, 'GET', `/api/docs/${shown.doc}/events?${query}`, { key })).json
  const cursor = (await feed('since=latest')).latest
  await server.kill('SIGKILL')

  await restoreTo(elsewhere, place)
  const restored = await startProcess({ folder: elsewhere, env: { AGMD_STORAGE: '', AGMD_PORT: String(server.port) } })
  onTestFinished(() => restored.stop())
  expect(before.map(([status]) => status)).toEqual([200, 200])
  expect(await page(restored.url, shown)).toEqual(before)
  expect((await page(restored.url, hidden)).map(([status]) => status)).toEqual([404, 404])
  const { latest, events } = await feed(`since=${cursor}`)
  expect({ events, isLower: latest < cursor }).toEqual({ events: [], isLower: true })
  const waiting = feed(`since=${cursor}&wait=55`)
  await putMarkdown(shown, '# After\n')
  expect((await waiting).events[0]).toMatchObject({ seq: latest + 1, type: 'content.replaced' })
  const gone = await ask(restored.url, 'GET', `/api/docs/${shown.doc}/content?version=${lost}`, { key })
  expect(gone).toMatchObject({ status: 404, json: { code: 'unknown_version' } })
})

test('[BACKUP-4] an interrupted backup changes no earlier one, and the next backup uses its objects', async () => {
  const place = join(await temporaryFolder(), 'backups')
  const broken = runAdmin(['backup', '--to', place], envOf(source.folder), ({ phase }) => {
    if (phase === 'assets') throw new Error('interrupted')
  })
  await expect(broken).rejects.toThrow('interrupted')
  expect(await readdir(place)).not.toContain('snapshots')
  await writeFile(join(place, '.new-0123456789abcdef'), 'the remains of kill -9')
  const made = await backUp(place)
  expect(made.writtenBytes).toBeLessThan(made.bytes)
  expect((await readdir(place)).toSorted()).toEqual(['agmd-backup.json', 'blobs', 'chunks', 'lock', 'secrets', 'snapshots'])
  expect(await verified(place)).toMatchObject({ ok: true, blobs: 1 })
})

test('[BACKUP-5] a tar file is complete or absent, and extracting it yields a place', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'backup.tar')
  await backUp(file)
  const before = await readFile(file)
  const broken = runAdmin(['backup', '--to', file], envOf(source.folder), ({ phase }) => {
    if (phase === 'assets') throw new Error('interrupted')
  })
  await expect(broken).rejects.toThrow('interrupted')
  expect(await readdir(folder)).toEqual(['backup.tar'])
  expect((await readFile(file)).equals(before)).toBe(true)
  await mkdir(join(folder, 'extracted'))
  expect(spawnSync('tar', ['xf', file, '-C', join(folder, 'extracted')]).status).toBe(0)
  for (const from of [file, join(folder, 'extracted')]) expect(await verified(from)).toMatchObject({ ok: true, blobs: 1 })
  await restoreTo(join(folder, 'data'), file)
  expect(await verified(join(folder, 'data'))).toMatchObject({ ok: true, blobs: 1 })
})

/** Collects what a command writes to standard output. */
const collecting = () => {
  const parts: Buffer[] = []
  const stdout = new Writable({ write: (chunk: Buffer, _encoding, done) => (parts.push(chunk), done()) })
  return { stdout, bytes: () => Buffer.concat(parts) }
}
const streamOf = async (folder = source.folder): Promise<Buffer> => {
  const { stdout, bytes } = collecting()
  await runAdmin(['backup', '--to', '-'], envOf(folder), undefined, '', { stdout })
  return bytes()
}
/** Restores a stream that arrives in pieces of 64 KiB. */
const restoreStream = (folder: string, bytes: Buffer) => {
  const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, n) => bytes.subarray(n * 65_536, (n + 1) * 65_536))
  return runAdmin(['restore', '--from', '-', '--to', folder], envOf(folder), undefined, '', { stdin: Readable.from(pieces) })
}

test('[BACKUP-17] [BACKUP-18] a backup goes through a pipe, and the result and the progress go to standard error', async () => {
  const folder = join(await temporaryFolder(), 'data')
  const command = `"$NODE" "$MAIN" admin backup --to - --json | "$NODE" "$MAIN" admin restore --from - --to "$TO"`
  const env = { ...process.env, NODE: process.execPath, MAIN: serverMain, TO: folder, AGMD_DATA_DIR: source.folder, AGMD_STORAGE: '' }
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', command], { env, encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining(`into ${folder}`) })
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  expect(lines).toContainEqual(expect.objectContaining({ ok: true, place: 'standard output' }))
  expect(lines).toContainEqual(expect.objectContaining({ phase: 'assets' }))
  expect(await verified(folder)).toMatchObject({ ok: true, blobs: 1 })
  expect((await readdir(folder)).toSorted()).toEqual(['blobs', 'instance.json', 'lock', 'secret', 'store'])
})

test('[BACKUP-17] standard output is refused if it is a terminal; other commands refuse a stream', async () => {
  const stdout = Object.assign(collecting().stdout, { isTTY: true })
  const env = envOf(source.folder)
  await expect(runAdmin(['backup', '--to', '-'], env, undefined, '', { stdout })).rejects.toMatchObject({ exitCode: 64 })
  for (const words of [
    ['backup', '--to', '-', '--list'],
    ['verify', '-'],
    ['gc', '--backups', '-', '--keep', '1']
  ])
    await expect(runAdmin(words, env)).rejects.toThrow('cannot use a stream')
})

test('[BACKUP-18] an incomplete stream is refused, and so is a used folder before anything is read', async () => {
  const bytes = await streamOf()
  const base = await temporaryFolder()
  const folder = join(base, 'data')
  for (const length of [0, 100, 512, bytes.length >> 1, bytes.length - 1024, bytes.length - 512])
    await expect(restoreStream(folder, bytes.subarray(0, length)), `${length} bytes`).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/^standard input is truncated/)
    })
  expect(await readdir(folder)).toEqual([])
  await restoreStream(folder, bytes)
  expect(await verified(folder)).toMatchObject({ ok: true, blobs: 1 })
  const unread = Readable.from(
    (async function* () {
      yield await Promise.reject(new Error('standard input was read'))
    })()
  )
  await expect(runAdmin(['restore', '--from', '-', '--to', folder], envOf(folder), undefined, '', { stdin: unread })).rejects.toThrow(
    'is not empty'
  )
})

test('[BACKUP-19] if the reader goes away, the backup ends with 1 and the stream has no end', async () => {
  let taken = Buffer.alloc(0)
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (taken.length > 200_000) return done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
      taken = Buffer.concat([taken, chunk])
      done()
    }
  })
  await expect(runAdmin(['backup', '--to', '-'], envOf(source.folder), undefined, '', { stdout })).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('The stream is incomplete')
  })
  await expect(restoreStream(join(await temporaryFolder(), 'data'), taken)).rejects.toMatchObject({ exitCode: 3 })
})

test('[BACKUP-10] a restore into the folder of a running server names its process', async () => {
  const base = await temporaryFolder()
  await backUp(join(base, 'place'))
  const server = await startProcess({ folder: join(base, 'data'), env: { AGMD_STORAGE: '' } })
  onTestFinished(() => server.stop())
  await expect(restoreTo(join(base, 'data'), join(base, 'place'))).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(
      new RegExp(`is in use by the process with pid ${server.child.pid}\\. .* A restore needs a new or empty folder\\.$`)
    )
  })
})

// Only root can create folders of others.
test.skipIf(process.getuid?.() !== 0)(
  '[ADMIN-8] root cannot restore into the folder of another user, and is told whose files it wrote',
  async () => {
    const base = await temporaryFolder()
    await backUp(join(base, 'place'))
    await mkdir(join(base, 'theirs'))
    await chown(join(base, 'theirs'), 12345, 12345)
    for (const folder of ['theirs', 'theirs/new/data'])
      await expect(restoreTo(join(base, folder), join(base, 'place'))).rejects.toMatchObject({
        exitCode: 1,
        message: expect.stringContaining('belongs to the user with the id 12345')
      })
    expect(await readdir(join(base, 'theirs'))).toEqual([])
    const { output } = await runAdmin(['restore', '--from', join(base, 'place'), '--to', join(base, 'data')], envOf(join(base, 'data')))
    expect(output).toContain(`chown -R USER ${join(base, 'data')}`)
  }
)

test('[BACKUP-6] a bucket can contain backups; a folder with other objects is refused', async () => {
  const store = await startObjectStore()
  onTestFinished(() => store.stop())
  const address = store.address('backups')
  await backUp(address)
  expect((await backUp(address)).writtenBytes).toBe(0)
  expect(await verified(address)).toMatchObject({ ok: true, blobs: 1 })
  const folder = join(await temporaryFolder(), 'data')
  await restoreTo(folder, address)
  expect(await verified(folder)).toMatchObject({ ok: true, blobs: 1 })
  await expect(backUp(store.address(''))).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining(`bucket ${bucket}`) })
  const wrong = address.replace(`/${bucket}/`, '/no-such-bucket/')
  await expect(backUp(wrong)).rejects.toMatchObject({ exitCode: 78, message: expect.stringContaining('no such bucket') })
})

describe.skipIf(noPostgres !== undefined)('PostgreSQL', () => {
  test('[BACKUP-7] a backup of either store can be restored into either store', { timeout: 120_000 }, async () => {
    const cluster = await sharedCluster()
    const schema = freshSchema()
    onTestFinished(() => cluster.sql(`drop schema if exists ${schema} cascade`))
    const base = await temporaryFolder()
    const env = { ...envOf(join(base, 'there')), AGMD_STORAGE: cluster.address(schema) }
    await backUp(join(base, 'first.tar'))
    await runAdmin(['restore', '--from', join(base, 'first.tar')], env)
    expect(JSON.parse((await runAdmin(['verify', '--json'], env)).output)).toMatchObject({ ok: true, blobs: 1 })
    await expect(runAdmin(['restore', '--from', join(base, 'first.tar'), '--to', join(base, 'twice')], env)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('is not empty')
    })
    const server = await startProcess({ folder: join(base, 'there'), env: { AGMD_STORAGE: env.AGMD_STORAGE } })
    const target = { url: server.url, doc: source.doc, key: source.key }
    await putMarkdown(target, '# In PostgreSQL\n')
    const made = await startAdmin(['backup', '--to', join(base, 'second'), '--json'], env).outcome
    expect(made.code).toBe(0)
    await putMarkdown(target, '# Later in PostgreSQL\n')
    const later = await startAdmin(['backup', '--to', join(base, 'second'), '--json'], env).outcome
    expect(JSON.parse(later.out).writtenBytes).toBeLessThan(10_000)
    await server.kill('SIGTERM')
    await restoreTo(join(base, 'back'), join(base, 'second'))
    expect(await verified(join(base, 'back'))).toMatchObject({ ok: true, blobs: 1 })
    const back = await startProcess({ folder: join(base, 'back'), env: { AGMD_STORAGE: '' } })
    expect((await readMarkdown({ ...target, url: back.url })).content).toBe('# Later in PostgreSQL\n')
    await back.kill('SIGTERM')
  })
})

describe('a backup that cannot be restored', () => {
  const only = async (folder: string): Promise<string> => join(folder, (await readdir(folder))[0]!)

  test.each<[string, (place: string) => Promise<unknown>, number, string]>([
    ['a manifest that was cut off', async (place) => truncate(await only(join(place, 'snapshots')), 300), 3, 'damaged or truncated'],
    ['a chunk that was cut off', async (place) => truncate(await only(await only(join(place, 'chunks'))), 500), 3, 'damaged or truncated'],
    ['a missing chunk', async (place) => rm(await only(await only(join(place, 'chunks')))), 3, 'is missing'],
    ['a missing asset', async (place) => rm(await only(await only(join(place, 'blobs')))), 3, 'missing or damaged'],
    ['a damaged asset', async (place) => writeFile(await only(await only(join(place, 'blobs'))), 'x'), 3, 'missing or damaged'],
    ['a missing secret', async (place) => rm(join(place, 'secrets'), { recursive: true }), 1, '--secret'],
    ['no complete backup', async (place) => rm(join(place, 'snapshots'), { recursive: true }), 3, 'no complete backup'],
    ['no stamp', async (place) => rm(join(place, 'agmd-backup.json')), 3, 'is not a backup of agmd'],
    ['a newer format', async (place) => writeFile(join(place, 'agmd-backup.json'), '{"format":3,"instance":"x"}'), 4, 'format 3'],
    [
      'the stamp of another installation',
      async (place) => writeFile(join(place, 'agmd-backup.json'), '{"format":1,"instance":"x"}'),
      3,
      'a different installation'
    ]
  ])('[BACKUP-8] %s', async (_fault, damage, exitCode, says) => {
    const base = await temporaryFolder()
    const place = join(base, 'place')
    await backUp(place)
    await damage(place)
    const restored = restoreTo(join(base, 'data'), place)
    await expect(restored).rejects.toMatchObject({ exitCode, message: expect.stringContaining(says) })
    const left = existsSync(join(base, 'data')) ? await readdir(join(base, 'data')) : []
    expect(left.filter((name) => name !== 'lock')).toEqual([])
  })

  test.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['is cut off', (bytes) => bytes.subarray(0, -2000), 'is truncated'],
    ['has a path that leads out', (bytes) => renamed(bytes, '../../outside'), 'is not from a backup'],
    ['has a link', (bytes) => linked(bytes), 'is not from a backup'],
    ['has a damaged header', (bytes) => Buffer.concat([Buffer.from('x'), bytes.subarray(1)]), 'is damaged']
  ])('[BACKUP-9] a tar file that %s is refused', async (_fault, change, says) => {
    const folder = await temporaryFolder()
    await backUp(join(folder, 'good.tar'))
    await writeFile(join(folder, 'bad.tar'), change(await readFile(join(folder, 'good.tar'))))
    const restored = restoreTo(join(folder, 'data'), join(folder, 'bad.tar'))
    await expect(restored).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining(says) })
    expect((await readdir(folder)).toSorted()).toEqual(['bad.tar', 'good.tar'])
  })

  /** Returns a tar file whose first header was changed, with a valid checksum. */
  const withHeader = (bytes: Buffer, change: (header: Buffer) => void): Buffer => {
    const changed = Buffer.from(bytes)
    const header = changed.subarray(0, 512)
    change(header)
    header.fill(' ', 148, 156)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    return changed
  }
  const renamed = (bytes: Buffer, name: string): Buffer => withHeader(bytes, (header) => header.fill(0, 0, 100).write(name, 0, 'latin1'))
  const linked = (bytes: Buffer): Buffer => withHeader(bytes, (header) => header.write('2', 156, 'latin1'))
})

test('[BACKUP-27] a backup writes objects of a wrong size again, and with --full also those with wrong bytes', async () => {
  const place = join(await temporaryFolder(), 'place')
  await backUp(place)
  const objects = (await filesIn(place)).filter((file) => /\/(?:chunks|blobs)\//.test(file))
  expect(objects.length).toBeGreaterThan(2)
  for (const object of objects) await truncate(object, 20)
  expect((await backUp(place)).writtenBytes).toBeGreaterThan(0)
  expect(await verified(place)).toMatchObject({ ok: true, blobs: 1 })
  for (const object of objects) {
    const bytes = await readFile(object)
    bytes[bytes.length - 1]! ^= 1
    await writeFile(object, bytes)
  }
  const healed = await backUp(place, source.folder, '--full')
  expect(healed.writtenBytes).toBe(healed.bytes + healed.blobs.bytes)
  const snapshots = (await readdir(join(place, 'snapshots'))).map((name) => name.replace('.json', ''))
  expect(snapshots).toHaveLength(3)
  for (const id of snapshots) {
    const { output } = await runAdmin(['verify', place, '--snapshot', id, '--json'], envOf(source.folder))
    expect(JSON.parse(output)).toMatchObject({ ok: true, blobs: 1 })
  }
  expect((await backUp(place, source.folder, '--full')).writtenBytes).toBe(0)
})

test('[BACKUP-28] a damaged manifest does not hide the other backups from --list and gc', async () => {
  const place = join(await temporaryFolder(), 'place')
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push((await backUp(place)).id)
  const [first, second, third] = ids as [string, string, string]
  await truncate(join(place, 'snapshots', `${third}.json`), 300)
  const { output } = await runAdmin(['backup', '--to', place, '--list'], envOf(source.folder))
  expect(output.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['BACKUP', 'MADE (UTC)', 'KIND'],
    [first, expect.any(String), 'full'],
    [second, expect.any(String), 'full'],
    [third, expect.stringContaining('damaged')]
  ])
  const json = JSON.parse((await runAdmin(['backup', '--to', place, '--list', '--json'], envOf(source.folder))).output)
  expect(json).toMatchObject({ ok: false, backups: ids, damaged: [third] })
  const collected = await runAdmin(['gc', '--backups', place, '--keep', '1', '--delete'], envOf(source.folder))
  expect(collected.output).toContain(`snapshots/${third}.json is damaged and was skipped. Remove this file.`)
  expect(await readdir(join(place, 'snapshots'))).toEqual([`${second}.json`, `${third}.json`])
  const { output: report } = await runAdmin(['verify', place, '--snapshot', second, '--json'], envOf(source.folder))
  expect(JSON.parse(report)).toMatchObject({ ok: true, blobs: 1 })
})

test('[BACKUP-29] an impossible place is refused at once, with a reason, and gets no files', async () => {
  const base = await temporaryFolder()
  const env = envOf(source.folder)
  const refused = async (to: string) => {
    const { code, err } = await startAdmin(['backup', '--to', to], env).outcome
    return { code, err }
  }
  expect(await refused('/proc/x')).toEqual({ code: 1, err: expect.stringContaining('/proc/x cannot be used') })
  await expect(runAdmin(['backup', '--to', ''], env)).rejects.toMatchObject({
    exitCode: 64,
    message: expect.stringContaining('--to needs a place')
  })
  for (const name of ['x.zip', 'x.tar.gz', 'x.TGZ'])
    await expect(runAdmin(['backup', '--to', join(base, name)], env)).rejects.toMatchObject({
      exitCode: 64,
      message: expect.stringContaining('FILE.tar')
    })
  await expect(runAdmin(['backup', '--to', join(base, 'data')], envOf(join(base, 'none')))).rejects.toThrow('There is no data')
  expect(await readdir(base)).toEqual([])
  await writeFile(join(base, 'other'), 'x')
  await expect(backUp(base)).rejects.toThrow('not from a backup')
  expect(await readdir(base)).toEqual(['other'])
})

test('[BACKUP-30] a backup without changes says so', async () => {
  const place = join(await temporaryFolder(), 'place')
  const run = async (...words: string[]) => (await runAdmin(['backup', '--to', place, ...words], envOf(source.folder))).output
  expect(await run()).not.toContain('Nothing has changed')
  const { createdAt } = JSON.parse(await run('--json'))
  expect(await run()).toContain(`Nothing has changed since ${createdAt}; the backup wrote 0 bytes.`)
})

test('[BACKUP-10] a restore refuses a folder that has data, and a backup refuses the place of another installation', async () => {
  const base = await temporaryFolder()
  await backUp(join(base, 'place'))
  await restoreTo(join(base, 'data'), join(base, 'place'))
  await expect(restoreTo(join(base, 'data'), join(base, 'place'))).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('is not empty')
  })
  const other = join(base, 'other')
  await cp(join(import.meta.dirname, 'golden/format-1'), other, { recursive: true })
  await backUp(join(base, 'other.tar'), other)
  for (const place of ['place', 'place/..'])
    await expect(backUp(join(base, place), other)).rejects.toThrow(/another installation|not from a backup/)
  await expect(backUp(join(base, 'other.tar'))).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('another installation')
  })
})

test('[BACKUP-11] after an interrupted restore the server refuses the folder, and the same command starts again and completes', async () => {
  const base = await temporaryFolder()
  const [place, data] = [join(base, 'place'), join(base, 'data')]
  await backUp(place)
  await restoreTo(data, place)
  // kill -9 before the end leaves the mark, and may leave a store without instance.json.
  await writeFile(join(data, 'restoring'), '')
  await rm(join(data, 'instance.json'))
  await rm(join(data, 'blobs'), { recursive: true })
  await expect(startProcess({ folder: data, env: { AGMD_STORAGE: '' } })).rejects.toThrow('was not completely restored')
  await restoreTo(data, place)
  expect(await verified(data)).toMatchObject({ ok: true, blobs: 1 })
  expect(await readdir(data)).not.toContain('restoring')
})

test('[BACKUP-12] only the owner can read a backup; to restore a backup without the secret, the operator must provide it', async () => {
  const base = await temporaryFolder()
  const place = join(base, 'place')
  const made = await backUp(place, source.folder, '--without-secret')
  await backUp(join(base, 'backup.tar'))
  expect(made.secretIn).toBe('left out')
  // The lock contains only a process id.
  const files = (await filesIn(place)).filter((file) => file !== join(place, 'lock'))
  for (const file of [...files, join(base, 'backup.tar')]) expect((await stat(file)).mode & 0o777).toBe(0o600)
  const secret = (await readFile(join(source.folder, 'secret'), 'utf8')).trim()
  for (const file of await filesIn(place)) expect(await readFile(file, 'utf8')).not.toContain(secret)
  await expect(restoreTo(join(base, 'data'), place)).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('--secret FILE')
  })
  const other = join(import.meta.dirname, 'golden/format-1/secret')
  await expect(restoreTo(join(base, 'data'), place, '--secret', other)).rejects.toMatchObject({ exitCode: 3 })
  await restoreTo(join(base, 'data'), place, '--secret', join(source.folder, 'secret'))
  expect((await readFile(join(base, 'data', 'secret'), 'utf8')).trim()).toBe(secret)
  expect(await verified(join(base, 'data'))).toMatchObject({ ok: true })
})

test('[BACKUP-13] if the disk is full, earlier backups do not change, and an incomplete restore is removed', async ({ skip }) => {
  const disk = await temporaryFolder()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk])
  if (mounted.status !== 0) return skip('a tmpfs cannot be mounted here')
  onTestFinished(() => void spawnSync('umount', [disk]))
  const place = join(disk, 'place')
  await backUp(place)
  const before = await filesIn(place)
  const ballast = join(disk, 'ballast')
  const free = async (): Promise<number> => Number(spawnSync('stat', ['-f', '-c', '%a', disk]).stdout.toString()) * 4096
  await writeFile(ballast, Buffer.alloc((await free()) - 64 * 1024))
  const folder = await copyOfSource()
  const server = await startProcess({ folder, env: { AGMD_STORAGE: '' } })
  await putMarkdown({ url: server.url, doc: source.doc, key: source.key }, 'y'.repeat(200_000))
  await server.kill('SIGTERM')
  await expect(backUp(place, folder)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('the disk is full') })
  const after = (await filesIn(place)).filter((file) => !file.includes('/chunks/'))
  expect(after).toEqual(before.filter((file) => !file.includes('/chunks/')))
  const restored = restoreTo(join(disk, 'data'), place)
  await expect(restored).rejects.toMatchObject({ exitCode: 1, message: expect.stringMatching(/disk.* is full/) })
  expect((await readdir(join(disk, 'data'))).filter((name) => name !== 'lock')).toEqual([])
  expect(await verified(place)).toMatchObject({ ok: true })
})

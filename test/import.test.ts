/** Import: folders, archives and the files of other programs, through the running server. */
import { readFile, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CommandContext } from '../server/admin/command.ts'
import { importCommand } from '../server/admin/import.ts'
import { readConfig } from '../server/config.ts'
import { createArrivals } from '../server/domain/documents/arrivals.ts'
import { type Account, createAccount, findAccountByEmail } from '../server/domain/accounts/accounts.ts'
import { openSession } from '../server/domain/accounts/sessions.ts'
import { keys } from '../server/domain/records/keys.ts'
import { openFolderSource } from '../server/transfer/folder-source.ts'
import { importFiles, type ImportFilesOptions } from '../server/transfer/import-files.ts'
import { type ImportReport, reportText } from '../server/transfer/report.ts'
import { connectForImport } from '../server/operator-socket.ts'
import { openZipSource } from '../server/transfer/zip-source.ts'
import { type Contents, folderOf, newFolder, removeFolders, zipBytes, zipOf } from './support/archives.ts'
import { faultyStore } from './support/faulty-store.ts'
import { withLimit } from './support/limits.ts'
import { png } from './support/media.ts'
import { emptyStreams } from './support/operator.ts'
import { startProcess, storageOf } from './support/start.ts'
import { signUp } from './support/visitor.ts'
import { type Answer, type Ask, type Json, startWorld, type World } from './support/world.ts'
import { ServiceError } from '../shared/errors.ts'

let world: World
let ana: Account
let token: string
const faults = faultyStore()

beforeAll(async () => {
  world = await startWorld({ storage: faults.storage, env: { AGMD_ACCOUNT_MEGABYTES: '2' } })
  ana = (await createAccount(world.service, { email: 'ana@example.org', name: 'Ana', password: 'correct horse battery' })) as Account
  token = (await openSession(world.service, ana.id, 'app', 'a test')).token
})
afterAll(async () => {
  await world.stop()
  await removeFolders()
})

interface Given extends Partial<Pick<ImportFilesOptions, 'format' | 'encoding' | 'name' | 'onProgress'>> {
  readonly dry?: boolean
}

/** Imports a folder or an archive through the socket of the running server. */
const importFrom = async (path: string, { dry = false, ...given }: Given = {}): Promise<ImportReport> => {
  const source = path.endsWith('.zip') ? await openZipSource(path) : await openFolderSource(path)
  const server = dry ? undefined : await connectForImport(world.folder, 'test')
  try {
    return await importFiles({
      source,
      format: source.hasObsidian ? 'obsidian' : 'markdown',
      name: source.name,
      owner: ana,
      assetBytesMax: 1024 * 1024,
      store: world.service.storage,
      vault: world.service.vault,
      arrivals: server,
      onProgress: () => undefined,
      ...given
    })
  } finally {
    server?.close()
    await source.close()
  }
}

const importing = async (contents: Contents, name: string, given: Given = {}): Promise<ImportReport> =>
  importFrom(await folderOf(contents, name), given)

const by = (method: string, path: string, what: Ask = {}): Promise<Answer> =>
  world.ask(method, path, { ...what, headers: { Authorization: `Bearer ${token}`, ...what.headers } })

/** Returns the documents that a search finds, with their text. */
const found = async (query: string): Promise<Json[]> => {
  const { json } = await by('GET', '/api/docs', { query: { query } })
  return Promise.all(json.docs.map(async (doc: Json) => ({ ...doc, content: (await by('GET', `/api/docs/${doc.id}/content`)).text })))
}
const only = async (query: string): Promise<Json> => {
  const all = await found(query)
  expect(all.map(({ title }) => title)).toHaveLength(1)
  return all[0]
}
const reasons = ({ refused }: ImportReport): Record<string, string> => Object.fromEntries(refused.map(({ path, note }) => [path, note]))

test('[IMPORT-1] without --write, an import only reports', async () => {
  const report = await importing({ 'a.md': '# Unwritten', 'b.pdf': 'x' }, 'dry', { dry: true })
  expect(report).toMatchObject({ written: false, created: { documents: 1, characters: 11 } })
  expect(reasons(report)).toEqual({ 'b.pdf': 'is not Markdown' })
  expect(reportText(report)).toContain('Nothing was written. To import, run the command again with --write.')
  expect(await found('Unwritten')).toEqual([])
})

test('[IMPORT-2] an import creates documents while the server runs', async () => {
  const folder = await folderOf({ 'one.md': '# First\n\nzebra text', 'sub/two.markdown': 'no heading, zebra too' }, 'plain')
  await utimes(join(folder, 'one.md'), 1_600_000_000, 1_600_000_000)
  const seen: number[] = []
  const report = await importFrom(folder, { onProgress: (done) => seen.push(done) })
  expect(report).toMatchObject({ written: true, created: { documents: 2 }, refused: [], notes: [] })
  expect(seen.at(-1)).toBe(2)
  const first = (await found('zebra')).find(({ title }) => title === 'First')
  expect(first).toMatchObject({
    content: '# First\n\nzebra text',
    owner: { kind: 'account', id: ana.id },
    createdAt: '2020-09-13T12:26:40.000Z'
  })
  expect((await found('zebra')).map(({ title }): string => title).toSorted()).toEqual(['First', 'two'])
  const { json } = await by('GET', `/api/docs/${first.id}/revisions`)
  expect(json.revisions).toMatchObject([{ id: 1, cause: 'create', author: 'Ana', createdAt: '2020-09-13T12:26:40.000Z' }])
  expect((await by('PUT', `/api/docs/${first.id}/content`, { json: { content: '# Edited' } })).status).toBe(200)
})

test('[IMPORT-3] links between files and linked pictures lead to documents and assets', async () => {
  const text = [
    '[b](./sub/b.md#part) and [again](sub/b.md "title") ![p](<pics/a b.png>) [folder](sub)',
    '`[code](sub/b.md)` [web](https://example.org/sub/b.md) [gone](gone.md) [up](../../etc/passwd)',
    '',
    '```',
    '[fenced](sub/b.md)',
    '```',
    '[ref]: sub/b.md',
    '',
    '<img src="pics/a%20b.png"> [pdf](doc.pdf) [fake](fake.png)'
  ].join('\n')
  const contents = { 'a.md': text, 'sub/b.md': '# Target giraffe', 'pics/a b.png': png(), 'doc.pdf': 'x', 'fake.png': 'no picture' }
  const report = await importing(contents, 'linked')
  const target = await only('giraffe')
  const { content } = await only('[fenced]')
  const asset = /\/f\/[\w-]{24}\.png/.exec(content)?.[0] ?? ''
  expect(content).toBe(
    text
      .replace('./sub/b.md#part', `/d/${target.id}#part`)
      .replace('(sub/b.md "title")', `(/d/${target.id} "title")`)
      .replace('<pics/a b.png>', asset)
      .replace('[ref]: sub/b.md', `[ref]: /d/${target.id}`)
      .replace('pics/a%20b.png', asset)
  )
  expect(new Uint8Array(await (await fetch(`${world.url}${asset}`)).arrayBuffer())).toEqual(png())
  expect(report.created).toMatchObject({ documents: 2, assets: 1 })
  expect(report.notes.map(({ path }) => path).toSorted()).toEqual(['a.md', 'doc.pdf', 'fake.png'])
  expect(report.notes.find(({ path }) => path === 'a.md')?.note).toContain('sub, gone.md')
  expect(reasons(report)).toMatchObject({ 'doc.pdf': 'is not Markdown', 'fake.png': 'is used by no imported document' })
})

test('[IMPORT-4] a vault of Obsidian keeps its links, pictures and titles', async () => {
  const note = '[[Deep Note]] [[deep note#Some Part|see]] ![[pic.png|300]] [[#Here]] ![[Deep Note]] [[nowhere]] `[[Deep Note]]`\n'
  const contents = { '.obsidian/app.json': '{}', 'Home.md': note, 'x/y/Deep Note.md': '# Other heading okapi', 'files/pic.png': png(2, 2) }
  const report = await importing(contents, 'Obsidian')
  expect(report).toMatchObject({ format: 'obsidian', created: { documents: 2, assets: 1 } })
  const deep = await only('okapi')
  expect(deep.title).toBe('Deep Note')
  const { title, content } = await only('nowhere')
  expect(title).toBe('Home')
  const asset = /\/f\/[\w-]{24}\.png/.exec(content)?.[0] ?? ''
  const to = `/d/${deep.id}`
  expect(content).toBe(
    `[Deep Note](${to}) [see](${to}#some-part) ![pic|300](${asset}) [Here](#here) [Deep Note](${to}) [[nowhere]] \`[[Deep Note]]\`\n`
  )
})

test('[IMPORT-5] a second import creates nothing twice, not even a deleted document', async () => {
  const folder = await folderOf({ 'a.md': '# Twice ibex', 'b.md': '# Twice ibex too' }, 'twice')
  expect((await importFrom(folder)).created.documents).toBe(2)
  expect(await importFrom(folder)).toMatchObject({ created: { documents: 0 }, present: 2, deleted: 0 })
  const [gone] = await found('ibex')
  await by('DELETE', `/api/docs/${gone.id}`)
  const report = await importFrom(folder)
  expect(report).toMatchObject({ created: { documents: 0 }, present: 1, deleted: 1 })
  expect(reportText(report)).toContain('give the import another --name to create them again')
  expect((await importFrom(folder, { name: 'again' })).created.documents).toBe(2)
})

test('[IMPORT-6] an interrupted import continues, and leaves no document incomplete', async () => {
  const folder = await folderOf({ 'a.md': '![p](p.png) lemur', 'b.md': '![p](p.png) lemur', 'p.png': png() }, 'interrupted')
  const breaking = (done: number): void => {
    if (done === 1) faults.fault = new ServiceError('storage_full')
  }
  await expect(importFrom(folder, { onProgress: breaking })).rejects.toMatchObject({ code: 'storage_full' })
  faults.fault = undefined
  expect(await found('lemur')).toHaveLength(1)
  expect(await importFrom(folder)).toMatchObject({ created: { documents: 1 }, present: 1 })
  expect(await found('lemur')).toHaveLength(2)
})

test('[IMPORT-6] records that an interrupted import left behind do not get into the document', async () => {
  const { storage } = world.service
  const arrivals = createArrivals(world.service)
  const doc = 'leftover-doc0'
  await arrivals.begin(doc)
  await arrivals.records([{ key: keys.event(doc, 7), value: new Uint8Array([1]) }])
  await arrivals.begin(doc)
  expect(await storage.list(keys.head(doc))).toEqual([])
})

test('[IMPORT-7] symbolic links are not followed', async () => {
  const folder = await folderOf({ 'a.md': '[secret](secret.md)' }, 'links')
  await symlink('/etc/passwd', join(folder, 'secret.md'))
  await symlink('/etc', join(folder, 'etc'))
  const report = await importFrom(folder, { dry: true })
  const note = 'is a symbolic link, which an import never follows'
  expect(report.created.documents).toBe(1)
  expect(reasons(report)).toEqual({ 'secret.md': note, etc: note })
  const archive = await zipBytes({ 'a.md': 'x', 'link.md': '/etc/passwd' }, { 'link.md': 0o120777 })
  expect(reasons(await importFrom(await zipOf(archive), { dry: true }))).toEqual({ 'link.md': note })
})

test.each([
  ['../x.md', 'A path in it leads out of the archive'],
  ['/abs/x.md', 'A path in it leads out of the archive']
])('[IMPORT-7] an archive with the path %s is refused', async (path, says) => {
  const stand = path.replaceAll('.', 'z').replace('/', 'y').replace('zmd', '.md')
  const bytes = await zipBytes({ [stand]: '# Evil' })
  const evil = Buffer.from(bytes.toString('latin1').replaceAll(stand, path), 'latin1')
  await expect(openZipSource(await zipOf(evil))).rejects.toThrow(says)
})

test('[IMPORT-8] bombs, damaged archives and too many files are refused with advice', async () => {
  const bomb = await zipOf({ 'a.md': '# A', 'b.bin': Buffer.alloc(4 * 1024 * 1024) })
  await withLimit('importBombBytesMin', 1024 * 1024, async () => {
    await expect(openZipSource(bomb)).rejects.toThrow('If you trust the archive, unpack it and import the folder.')
  })
  await expect(openZipSource(await zipOf(Buffer.from('not an archive')))).rejects.toThrow(
    'The archive is damaged. Copy or export it again.'
  )
  const whole = await zipBytes({ 'a.md': 'kangaroo '.repeat(100) })
  await expect(openZipSource(await zipOf(whole.subarray(0, -30)))).rejects.toThrow('The archive is damaged')
  const bad = Buffer.from(whole)
  bad[40] = (bad[40] ?? 0) ^ 0xff
  expect(reasons(await importFrom(await zipOf(bad), { dry: true }))['a.md']).toContain('The archive is damaged')
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, number) => [`${number}.md`, 'x']))
  await withLimit('importFilesMax', 10, async () => {
    await expect(openFolderSource(await folderOf(files))).rejects.toThrow('has more than 10 files. Import its folders one by one.')
    await expect(openZipSource(await zipOf(files))).rejects.toThrow('Unpack it and import its folders one by one.')
  })
  await expect(importing({ 'a.txt': 'x' }, 'none', { dry: true })).rejects.toThrow('none has no Markdown files')
})

test('[IMPORT-9] files that cannot be imported are left out with the reason', async () => {
  const contents = {
    'latin.md': Buffer.from('caf\u00e9 tapir', 'latin1'),
    'utf16.md': Buffer.from('\ufeffwide tapir', 'utf16le'),
    'nul.md': 'a\0b',
    'long.md': 'x'.repeat(200),
    'big.md': 'y'.repeat(2000),
    'ok.md': 'fine tapir\r\nline\r'
  }
  await withLimit('contentUnitsMax', 100, () =>
    withLimit('importTextBytesMax', 1000, async () => {
      const report = await importing(contents, 'odd')
      expect(report.created.documents).toBe(2)
      expect(reasons(report)).toEqual({
        'latin.md': 'is not UTF-8. Convert it, or name its encoding, for example --encoding windows-1252',
        'nul.md': 'contains NUL characters, so it is not a text file',
        'long.md': 'is too long: 200 of at most 100 characters. Divide it into several files',
        'big.md': 'has 2000 bytes; the limit for a text file is 1000'
      })
      expect(report.notes).toEqual([
        { path: 'ok.md', note: 'had CR line endings, which are LF now' },
        { path: 'utf16.md', note: 'was converted from UTF-16' }
      ])
    })
  )
  await importing(contents, 'odd', { encoding: 'windows-1252' })
  expect((await found('café tapir')).map(({ content }) => content)).toEqual(['café tapir'])
})

test('[IMPORT-10] names that differ only by case become separate documents', async () => {
  const zip = await zipOf({ 'Note.md': '# Upper walrus [x](note.md)', 'note.md': '# Lower walrus' }, 'case.zip')
  expect((await importFrom(zip)).created.documents).toBe(2)
  const [lower, upper] = (await found('walrus')).toSorted((one, other) => one.title.localeCompare(other.title))
  expect(upper.content).toBe(`# Upper walrus [x](/d/${lower.id})`)
})

test('[IMPORT-11] a pad of Etherpad becomes Markdown', async () => {
  const pad = {
    'pad:Plan': {
      atext: { text: '*Title\nplain bold x\n*one\n*two\nend\n', attribs: '*0*1+1|1+6+6*2+5|1+2*3*1+1|1+4*4*1+1|1+4|1+4' },
      pool: {
        numToAttrib: { 0: ['heading', 'h2'], 1: ['lmkr', '1'], 2: ['bold', 'true'], 3: ['list', 'bullet1'], 4: ['list', 'number2'] }
      },
      head: 3,
      chatHead: 1,
      savedRevisions: [{}]
    },
    'pad:Plan:revs:3': { meta: { timestamp: 1_500_000_000_000 } }
  }
  const report = await importing({ 'Plan.etherpad': JSON.stringify(pad), 'broken.etherpad': '{}' }, 'pads')
  const { content, createdAt } = await only('bold')
  expect(content).toBe('## Title\nplain **bold** x\n- one\n    1. two\nend\n')
  expect(createdAt).toBe('2017-07-14T02:40:00.000Z')
  expect(report.notes.map(({ note }) => note)).toEqual([
    'has 2 chat messages, which are left out',
    'has 1 saved revisions; only the last text is imported'
  ])
  expect(reasons(report)['broken.etherpad']).toContain('Export the pad again as .etherpad')
})

test('[IMPORT-12] pictures of HedgeDoc and HackMD are found in uploads', async () => {
  const text = '![a](https://md.example.org/uploads/a.png) ![b](/uploads/a.png) ![c](https://hackmd.io/_uploads/other.png) narwhal'
  await importFrom(await zipOf({ 'note.md': text, 'uploads/a.png': png() }, 'archive.zip'))
  const { content } = await only('narwhal')
  expect(content).toMatch(/^!\[a\]\((\/f\/[\w-]{24}\.png)\) !\[b\]\(\1\) !\[c\]\(https:\/\/hackmd\.io\/_uploads\/other\.png\) narwhal$/)
})

const contextOf = async (folder: string, version = 'test'): Promise<CommandContext> => {
  const env = { AGMD_DATA_DIR: folder, ...(await storageOf(folder)) }
  return {
    env,
    version,
    progress: () => () => undefined,
    input: async () => '',
    ...emptyStreams(),
    settings: () => readConfig(env, { isTty: false }).config
  }
}

test('[IMPORT-13] without a running server, the command opens the store itself', async () => {
  const folder = await newFolder()
  const before = await startWorld({ folder })
  await createAccount(before.service, { email: 'bob@example.org', password: 'correct horse battery' })
  await before.stop()
  const vault = await folderOf({ 'a.md': '# Offline ![p](p.png)', 'p.png': png() })
  const dry = await importCommand.run([vault, '--owner', 'Bob@example.org'], await contextOf(folder))
  expect(dry.output).toContain('Would create 1 document')
  const { output } = await importCommand.run([vault, '--owner', 'bob@example.org', '--write', '--json'], await contextOf(folder))
  expect(JSON.parse(output)).toMatchObject({ ok: true, written: true, created: { documents: 1, assets: 1 } })
  await expect(importCommand.run([vault, '--owner', 'nobody@example.org'], await contextOf(folder))).rejects.toThrow(
    'Invite the person first'
  )
  const after = await startWorld({ folder })
  const bob = (await findAccountByEmail(after.service, 'bob@example.org')) as Account
  const session = await openSession(after.service, bob.id, 'app', 'a test')
  const { json } = await after.ask('GET', '/api/docs', { headers: { Authorization: `Bearer ${session.token}` } })
  expect(json.docs).toMatchObject([{ owner: { id: bob.id } }])
  await after.stop()
})

test('[IMPORT-2] the command writes through a server in another process', async () => {
  const running = await startProcess({ env: { AGMD_SIGN_UP: 'open' } })
  await signUp(running.url, 'cleo@example.org')
  const vault = await folderOf({ 'a.md': '# Next to it' })
  const words = [vault, '--owner', 'cleo@example.org', '--write', '--json']
  const version = (JSON.parse(await readFile('package.json', 'utf8')) as { version: string }).version
  const run = async (): Promise<Json> => JSON.parse((await importCommand.run(words, await contextOf(running.folder, version))).output)
  expect(await run()).toMatchObject({ created: { documents: 1 }, present: 0 })
  expect(await run()).toMatchObject({ created: { documents: 0 }, present: 1 })
  await running.stop()
})

test('[IMPORT-14] a full disk or an exhausted quota stops an import, which can continue later', async () => {
  const folder = await folderOf({ 'a.md': 'heron', 'b.md': 'heron' }, 'full')
  faults.fault = new ServiceError('storage_full')
  await expect(importFrom(folder)).rejects.toMatchObject({ code: 'storage_full', message: 'The server’s disk is full.' })
  faults.fault = undefined
  const large = await folderOf({ '1.md': 'heron', '2.md': 'z'.repeat(3 * 1024 * 1024), '3.md': 'heron' }, 'quota')
  await expect(importFrom(large)).rejects.toMatchObject({
    code: 'quota_exceeded',
    details: { hint: expect.stringContaining('AGMD_ACCOUNT_MEGABYTES') }
  })
  expect((await by('GET', '/api/health')).status).toBe(200)
  expect((await importFrom(folder)).created.documents).toBe(2)
  expect(await found('heron')).toHaveLength(3)
})

test('[IMPORT-15] a server accepts one import at a time, and only from its own version', async () => {
  const first = await connectForImport(world.folder, 'test')
  await expect(connectForImport(world.folder, 'test')).rejects.toThrow('Another import is running.')
  first?.close()
  await expect
    .poll(() => connectForImport(world.folder, 'other').catch((error: Error) => error.message))
    .toContain('Restart the server first.')
  expect(await connectForImport(await newFolder(), 'test')).toBe(undefined)
})

test('[IMPORT-16] an import cannot touch what exists, or store anything outside its document', async () => {
  const existing = await world.create('# Existing')
  const arrivals = createArrivals(world.service)
  await expect(arrivals.begin(existing.doc)).rejects.toThrow('exists')
  await expect(arrivals.records([])).rejects.toThrow('No document has been started')
  await arrivals.begin('brand-new-doc')
  const value = new Uint8Array([1])
  for (const key of [keys.event(existing.doc, 1), keys.account(ana.id), keys.head('brand-new-doc'), ['asset', 'x']])
    await expect(arrivals.records([{ key, value }])).rejects.toThrow('does not belong')
  const head = { id: existing.doc } as never
  await expect(arrivals.end(head, [])).rejects.toThrow('does not belong')
})

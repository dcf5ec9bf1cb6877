/** Export, and the import of an export: nothing is lost, and nothing in the files is trusted. */
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Account, createAccount } from '../server/domain/accounts/accounts.ts'
import { openSession } from '../server/domain/accounts/sessions.ts'
import { type Asset, decodeRecord, type Head, keys, type Revision, type Task } from '../server/domain/records/keys.ts'
import { contentAt } from '../server/domain/text/journal.ts'
import { exportDocuments, type ExportOptions, type ExportReport } from '../server/transfer/export.ts'
import { rootOfExport } from '../server/transfer/export-source.ts'
import * as format from '../server/transfer/format.ts'
import { fileNameOf, relativeAddress, uniquePaths } from '../server/transfer/file-names.ts'
import { openFolderSource } from '../server/transfer/folder-source.ts'
import { importExport } from '../server/transfer/import-export.ts'
import { importFiles } from '../server/transfer/import-files.ts'
import type { ImportReport } from '../server/transfer/report.ts'
import { connectForImport } from '../server/operator-socket.ts'
import { readJournal } from '../server/transfer/stored-document.ts'
import { openTarget } from '../server/transfer/target.ts'
import { openZipSource } from '../server/transfer/zip-source.ts'
import { comment, decide, suggest } from './support/annotations.ts'
import { filesIn, folderOf, newFolder, removeFolders } from './support/archives.ts'
import { png } from './support/media.ts'
import { assign } from './support/reviews.ts'
import { type Json, type Person, startWorld, type World } from './support/world.ts'

let from: World
let to: World
let ana: Account
let here: Account
let rich: Person & { readonly created: Json }
let own: string

const by = (world: World, token: string, method: string, path: string, json?: unknown): Promise<Json> =>
  world
    .ask(method, path, { headers: { Authorization: `Bearer ${token}` }, ...(json !== undefined && { json }) })
    .then((answer) => answer.json)

/** Creates a document with everything that a document can have. */
const createRich = async (world: World): Promise<typeof rich> => {
  const owner = await world.create({ title: 'Rich: a/b?', content: '# Rich\n\nThe quick brown fox jumps.\n\nAnother line.\n' })
  const picture = await owner.ask('POST', '/assets', { body: png(), type: 'image/png', query: { name: 'fox.png' } })
  await owner.replace(`# Rich\n\nThe quick brown fox jumps.\n\nAnother line.\n\n${picture.json.markdown}\n`)
  const made = await comment(owner, { body: 'Which fox?', find: 'brown fox' }, { headers: { 'X-Agent-Author': 'Ana' } })
  await owner.ask('POST', `/comments/${made.id}/replies`, { json: { body: 'That one.' } })
  const gone = await comment(owner, { body: 'Resolved', find: 'Another' })
  await owner.ask('POST', `/comments/${gone.id}/resolve`, {})
  await suggest(owner, { operation: 'replace', find: 'jumps', text: 'leaps', note: 'stronger' })
  const accepted = await suggest(owner, { operation: 'replace', find: 'quick', text: 'fast' })
  await decide(owner, accepted.id, 'accept')
  const rejected = await suggest(owner, { operation: 'replace', find: 'Another', text: 'One more' })
  await decide(owner, rejected.id, 'reject', { json: { reason: 'No' } })
  const task = await assign(world, owner)
  await task.by('Rev').start()
  await task.by('Rev').report()
  await owner.share('edit', { label: 'Friends' })
  const { revisions } = await owner.revisions()
  await owner.ask('PATCH', `/revisions/${revisions[0].id}`, { json: { label: 'Final' } })
  await owner.ask('POST', '/publish', { json: {} })
  return owner
}

beforeAll(async () => {
  const golden = await newFolder()
  await cp(join(import.meta.dirname, 'golden', 'format-1'), golden, { recursive: true })
  from = await startWorld({ folder: golden })
  to = await startWorld()
  ana = (await createAccount(from.service, { email: 'ana@example.org', name: 'ana', password: 'correct horse battery' })) as Account
  here = (await createAccount(to.service, { email: 'ana@example.org', name: 'ana', password: 'correct horse battery' })) as Account
  rich = await createRich(from)
  const { token } = await openSession(from.service, ana.id, 'app', 'a test')
  own = (
    await by(from, token, 'POST', '/api/docs', { content: `# Own\n\n[rich](/d/${rich.doc}#part) [web](https://example.org/d/${rich.doc})` })
  ).id
})
afterAll(async () => {
  await from.stop()
  await to.stop()
  await removeFolders()
})

const exporting = async (path: string, given: Partial<ExportOptions> = {}): Promise<ExportReport> => {
  const target = await openTarget(path)
  try {
    return await exportDocuments({
      store: from.service.storage,
      blobs: from.service.blobs,
      target,
      vault: undefined,
      scope: 'all',
      program: 'agmd test',
      instance: 'one',
      baseUrl: from.url,
      now: Date.now,
      onProgress: () => undefined,
      ...given
    })
  } catch (error) {
    await target.abort()
    throw error
  }
}

const importing = async (path: string, world: World = to, owner?: Account): Promise<ImportReport> => {
  const source = path.endsWith('.zip') ? await openZipSource(path) : await openFolderSource(path)
  const arrivals = await connectForImport(world.folder, 'test')
  try {
    return await importExport({
      source,
      root: rootOfExport(source) ?? 'no export',
      owner,
      store: world.service.storage,
      vault: world.service.vault,
      baseUrl: world.url,
      now: Date.now,
      arrivals,
      onProgress: () => undefined
    })
  } finally {
    arrivals?.close()
    await source.close()
  }
}

const headIn = async ({ service }: World, doc: string): Promise<Head> => (await service.ledger.findHead(doc)) as Head

/** Returns all records of a document that an export contains, in a form that can be compared. */
const recordsOf = async (world: World, doc: string): Promise<Json> => {
  const { storage } = world.service
  const head = await headIn(world, doc)
  const list = async <T>(kind: string): Promise<T[]> => (await storage.list(['d', doc, kind])).map(({ value }) => decodeRecord<T>(value))
  const revisions = await list<Revision>('revision')
  // The owner is mapped, and counters of links depend on --with-links. Only this instance can compute `origin`, and its nodes use the next three fields.
  const {
    origin: _origin,
    annotated: _annotated,
    turn: _turn,
    segmentedSeq: _segmented,
    indexed = false,
    bytes: _bytes,
    usage: _usage,
    shares: _shares,
    sharesMade: _made,
    taskShares: _task,
    owner: _owner,
    drawings: _d,
    ...rest
  } = head
  const tasks = (await list<Task>('task')).map(({ share, ...task }) => ({ ...task, share: share.id }))
  const texts = await Promise.all(revisions.map((revision) => contentAt(storage, doc, revision)))
  const assets = await list<Asset>('asset')
  return {
    head: { ...rest, indexed },
    journal: (await readJournal(storage, head)).map((entry) => ({ ...entry, update: Buffer.from(entry.update).toString('hex') })),
    text: await contentAt(storage, doc, head),
    revisions,
    texts,
    events: await list('event'),
    comments: await list('comment'),
    suggestions: await list('suggestion'),
    tasks,
    numbers: await list('task number'),
    assets,
    bytes: await Promise.all(
      assets.map(async ({ id, extension }) =>
        Buffer.from(await (await fetch(`${world.url}/f/${id}.${extension}`)).arrayBuffer()).toString('hex')
      )
    )
  }
}

/** Gives every record the id that its account has in the other instance. */
const asThere = (value: unknown): Json => JSON.parse(JSON.stringify(value).replaceAll(ana.id, here.id))

test.each(['all', 'all.zip'])('[ARCHIVE-1] an export (%s) and its import are lossless, field by field', async (name) => {
  const path = join(await newFolder(), name)
  const report = await exporting(path)
  const entries = (await from.service.storage.list(['d'], { limit: 1000 })).filter(({ key }) => key.length === 2)
  const ids = entries.filter(({ value }) => decodeRecord<Head>(value).deletedAt === null).map(({ key }) => String(key[1]))
  expect(ids).toContain(rich.doc)
  expect(report).toMatchObject({ documents: ids.length, assets: 1 })
  const other = name === 'all' ? to : await startWorld()
  if (other !== to)
    here = (await createAccount(other.service, { email: 'ana@example.org', name: 'ana', password: 'correct horse battery' })) as Account
  const imported = await importing(path, other)
  expect(imported).toMatchObject({ format: 'agmd', created: { documents: ids.length, assets: 1 }, refused: [] })
  for (const id of ids) expect(await recordsOf(other, id)).toEqual(asThere(await recordsOf(from, id)))
  expect((await headIn(other, own)).owner).toEqual({ kind: 'account', id: here.id, name: 'ana' })
  expect(await importing(path, other)).toMatchObject({ created: { documents: 0 }, present: ids.length })
  // The restored document works like any other: its anchors follow the text, and the next edit continues the history.
  const link = imported.links.find(({ url }) => url.includes(rich.doc))?.url ?? ''
  const person = other.person(rich.doc, new URL(link).searchParams.get('key') ?? '')
  const { content } = await person.read()
  await person.replace(`Before.\n\n${content}`)
  const live = (await person.read()).content
  const { json } = await person.ask('GET', '/comments', {})
  const { anchor } = json.comments.find(({ body }: Json) => body === 'Which fox?')
  expect(live.slice(anchor.from, anchor.to)).toBe('brown fox')
  if (other !== to) await other.stop()
})

test('[ARCHIVE-2] the readable files work without the service', async () => {
  const path = join(await newFolder(), 'out')
  await exporting(path, { scope: { documents: [rich.doc, own] } })
  const files = await filesIn(path)
  const text = files.get('documents/Rich a b.md')?.toString() ?? ''
  expect(text).toContain('![fox.png](Rich%20a%20b.assets/fox.png)')
  expect(new Uint8Array(files.get('documents/Rich a b.assets/fox.png') as Buffer)).toEqual(png())
  expect(files.get('documents/Own.md')?.toString()).toBe(`# Own\n\n[rich](Rich%20a%20b.md#part) [web](https://example.org/d/${rich.doc})`)
  expect(files.get(`data/${own}/text.md`)?.toString()).toContain(`(/d/${rich.doc}#part)`)
})

test.each([
  ['a/b\\c:d', 'a b c d'],
  ['...', 'Untitled'],
  ['.hidden', 'hidden'],
  ['con', 'con_'],
  ['NUL.txt', 'NUL.txt_'],
  ['end. .', 'end'],
  ['\u202eevil', 'evil'],
  ['ä'.repeat(300), 'ä'.repeat(90)]
])('[ARCHIVE-2] a file named %j is called %j', (title, name) => {
  expect(fileNameOf(title)).toBe(name)
})

test('[ARCHIVE-2] names that differ only by case or composition get numbers, and addresses are relative', () => {
  const unique = uniquePaths()
  expect(['a/Note.md', 'a/note.md', 'a/NOTE.md', 'b/note.md', 'é.md', 'e\u0301.md'].map(unique)).toEqual([
    'a/Note.md',
    'a/note (2).md',
    'a/NOTE (3).md',
    'b/note.md',
    'é.md',
    'e\u0301 (2).md'
  ])
  expect(relativeAddress('a/b/c.md', 'a/d e.md')).toBe('../d%20e.md')
  expect(relativeAddress('c.md', 'a/(x).md')).toBe('a/%28x%29.md')
  expect(relativeAddress('a/c.md', 'a/c.assets/p.png')).toBe('c.assets/p.png')
})

test('[ARCHIVE-3] an imported vault is exported byte for byte', async () => {
  const vault = {
    'Home.md': '\ufeff# Home\r\n\r\n[[Deep|d]] [[Deep]] [x](<sub/Deep.md> "t") ![[pic.png|300]] ![p](sub/../pic.png)\r\n',
    'sub/Deep.md': '[home](../Home.md#a)\n[[Home]] `[[Home]]` [gone](gone.md)\n',
    'sub/deep (1).md': 'no line end',
    'mixed.md': 'a\nb\r\n\r\nc\n',
    'pic.png': png(3, 3)
  }
  const source = { ...(await openFolderSource(await folderOf({ ...vault, '.obsidian/app.json': '{}' }, 'My vault'))) }
  const { storage, vault: secrets } = from.service
  const arrivals = await connectForImport(from.folder, 'test')
  const owner = { id: ana.id, name: 'ana' }
  const options = {
    source,
    format: 'obsidian' as const,
    name: source.name,
    owner,
    assetBytesMax: 1e6,
    store: storage,
    vault: secrets,
    arrivals
  }
  const report = await importFiles({ ...options, onProgress: () => undefined })
  arrivals?.close()
  expect(report.created).toMatchObject({ documents: 4, assets: 1 })
  const path = join(await newFolder(), 'again.zip')
  await exporting(path, { scope: { account: ana.id } })
  const zip = await openZipSource(path)
  for (const [name, content] of Object.entries(vault))
    expect((await zip.read(`documents/My vault/${name}`, 1e6)).toString('latin1'), name).toBe(Buffer.from(content).toString('latin1'))
  await zip.close()
  // The file is restored, and the restored document is exported byte for byte again.
  expect((await importing(path)).created.documents).toBeGreaterThanOrEqual(3)
})

test('[ARCHIVE-4] secrets of links are exported only on request, and then the links work again', async () => {
  const folder = await newFolder()
  const only = { scope: { documents: [rich.doc] } }
  await exporting(join(folder, 'without'), only)
  await exporting(join(folder, 'with'), { ...only, vault: from.service.vault })
  const secrets = [rich.key, ...(await rich.ask('GET', '/shares', {})).json.shares.map((share: Json) => share.secret)]
  const all = async (name: string): Promise<string> => Buffer.concat([...(await filesIn(join(folder, name))).values()]).toString('latin1')
  for (const secret of secrets) expect(await all('without')).not.toContain(secret)
  for (const secret of secrets) expect(await all('with')).toContain(secret)
  const other = await startWorld()
  expect((await importing(join(folder, 'with'), other)).links).toEqual([])
  expect((await other.person(rich.doc, rich.key).read()).content).toBe((await rich.read()).content)
  const links = async (world: World): Promise<Json> =>
    (await world.person(rich.doc, rich.key).ask('GET', '/shares', {})).json.shares.map(({ secret, role, label }: Json) => ({
      secret,
      role,
      label
    }))
  expect(await links(other)).toEqual(await links(from))
  await other.stop()
})

test('[ARCHIVE-5] an export contains the chosen documents', async () => {
  const trashed = await from.create('# Trashed')
  await trashed.ask('DELETE', '', {})
  const folder = await newFolder()
  const all = await exporting(join(folder, 'all.zip'))
  expect(all.notes).toEqual([
    { path: 'trash', note: '1 documents are left out, because they are in the trash or were taken down. Restore those that you need' }
  ])
  const named = await exporting(join(folder, 'named'), { scope: { documents: [own, 'not-a-document', trashed.doc] } })
  expect(named).toMatchObject({ documents: 1, notes: [{ path: 'not-a-document', note: 'does not exist' }, { path: 'trash' }] })
  expect([...(await filesIn(join(folder, 'named'))).keys()].filter((path) => path.startsWith('documents/'))).toEqual(['documents/Own.md'])
})

test('[ARCHIVE-6] a document that changes during the export is exported as it was at one moment', async () => {
  const busy = await from.create('# Busy\n')
  const { storage } = from.service
  let changes = 0
  // While the export reads, people comment and write.
  const changing = {
    ...storage,
    async list(...[prefix, range]: Parameters<typeof storage.list>) {
      if (prefix[1] === busy.doc && changes < 12) {
        changes += 1
        await comment(busy, { body: `comment ${changes}` })
        await busy.ask('POST', '/edits', { json: { operations: [{ op: 'append', markdown: `line ${changes}\n` }] } })
      }
      return storage.list(prefix, range)
    }
  }
  const path = join(await newFolder(), 'busy')
  expect(await exporting(path, { store: changing, scope: { documents: [busy.doc] } })).toMatchObject({ documents: 1, failed: 0 })
  expect(changes).toBe(12)
  const other = await startWorld()
  expect(await importing(path, other)).toMatchObject({ created: { documents: 1 }, refused: [] })
  const { event } = await headIn(other, busy.doc)
  expect((await other.service.storage.list(keys.events(busy.doc))).length).toBe(event)
  await other.stop()
})

test('[ARCHIVE-6] a document that cannot be read does not end the export', async () => {
  const { storage } = from.service
  const broken = await from.create('# Broken\n')
  const without = {
    ...storage,
    list: (...[prefix, range]: Parameters<typeof storage.list>) =>
      prefix[2] === 'update' && prefix[1] === broken.doc ? Promise.resolve([]) : storage.list(prefix, range)
  }
  const path = join(await newFolder(), 'broken')
  const report = await exporting(path, { store: without, scope: { documents: [broken.doc, own] } })
  expect(report).toMatchObject({ documents: 1, failed: 1, notes: [{ path: broken.doc }] })
  expect(report.notes[0]?.note).toContain('has a history that ends at 0-')
})

test('[ARCHIVE-7] an export overwrites nothing, and leaves no archive behind if it fails', async () => {
  const folder = await folderOf({ 'a.md': 'precious', 'b.zip': 'precious' })
  await expect(openTarget(folder)).rejects.toThrow('is not empty. Choose a new folder, or empty this one.')
  await expect(openTarget(join(folder, 'a.md'))).rejects.toThrow('is not a folder')
  await expect(openTarget(join(folder, 'b.zip'))).rejects.toThrow('Choose another name, or remove the archive.')
  const failing = { open: () => Promise.reject(new Error('the disk failed')) }
  await expect(exporting(join(folder, 'c.zip'), { blobs: failing })).rejects.toThrow('the disk failed')
  expect([...(await filesIn(folder)).keys()]).toEqual(['a.md', 'b.zip'])
  const full = await openTarget('/dev/full/x').catch((error: Error) => error.message)
  expect(full).toContain('is not a folder')
})

test('[ARCHIVE-8] docs/export.md describes every field of the format', async () => {
  const page = await readFile(join(import.meta.dirname, '../docs/export.md'), 'utf8')
  const names = new Set<string>()
  const walk = (schema: unknown): void => {
    const { shape, element, innerType, items } = (schema as { _zod?: { def: Json } })._zod?.def ?? {}
    for (const [name, field] of Object.entries(shape ?? {})) {
      names.add(name)
      walk(field)
    }
    for (const inner of [element, innerType, ...(items ?? [])]) if (inner !== undefined) walk(inner)
  }
  for (const schema of Object.values(format)) if (schema instanceof z.ZodType) walk(schema)
  expect(names.size).toBeGreaterThan(60)
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

/** Exports the rich document, changes one of its files, and returns why the import leaves it out. */
const refusalAfter = async (file: string, change: (text: string) => string): Promise<string> => {
  const path = join(await newFolder(), 'edited')
  await exporting(path, { scope: { documents: [rich.doc] } })
  const place = join(path, file.replace('ID', rich.doc))
  await writeFile(place, change(await readFile(place, 'latin1')), 'latin1')
  const other = await startWorld()
  try {
    const { refused, created } = await importing(path, other)
    expect(created.documents).toBe(file.endsWith('.png') ? 1 : 0)
    return refused.map(({ note }) => note).join(' ')
  } finally {
    await other.stop()
  }
}

test.each([
  ['data/ID/journal.jsonl', (text: string) => text.split('\n').slice(1).join('\n'), 'journal.jsonl has no update 1.'],
  ['data/ID/journal.jsonl', (text: string) => text.split('\n').slice(0, -2).join('\n'), 'journal.jsonl ends at version'],
  ['data/ID/journal.jsonl', (text: string) => text.replace(/"update":"[^"]+"/, '"update":"AAAA"'), 'journal.jsonl has an invalid update 1'],
  ['data/ID/events.jsonl', (text: string) => text.split('\n').slice(1).join('\n'), 'events.jsonl has a gap.'],
  ['data/ID/revisions.json', (text: string) => text.replace('"seq": 1', '"seq": 2'), 'names a version that is not in the history.'],
  ['data/ID/comments.json', (text: string) => text.replace('"body"', '"Body"'), 'comments.json is not valid'],
  ['data/ID/comments.json', (text: string) => text.slice(10), 'comments.json is not valid JSON'],
  ['data/ID/document.json', (text: string) => text.replace('"schema": 1', '"schema": 2'), 'document.json is not valid: schema'],
  ['documents/Rich a b.assets/fox.png', (text: string) => text.replace('PNG', 'GNP'), 'is not the file that was exported']
])('[IMPORT-18] an edited %s is refused', async (file, change, says) => {
  expect(await refusalAfter(file, change)).toContain(says)
})

test('[IMPORT-18] incomplete exports and newer formats are refused', async () => {
  const path = join(await newFolder(), 'newer')
  await exporting(path, { scope: { documents: [own] } })
  const file = join(path, 'export.json')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('"schema": 1', '"schema": 2'))
  await expect(importing(path)).rejects.toThrow('newer has format 2; this version of agmd reads formats up to 1.')
  await writeFile(file, text.replace(/"completedAt": \d+/, '"completedAt": null'))
  await expect(importing(path)).rejects.toThrow('is an incomplete export')
  const source = await openFolderSource(await folderOf({ 'data/abc/document.json': '{}' }, 'cut'))
  expect(() => rootOfExport(source)).toThrow('cut is an incomplete export: it has no export.json.')
})

test('[IMPORT-17] taken asset ids get new addresses, and an erased document gets a new id', async () => {
  const path = join(await newFolder(), 'copy')
  const doomed = await from.create('# Doomed')
  const picture = (await doomed.ask('POST', '/assets', { body: png(5, 5), type: 'image/png' })).json
  await doomed.replace(`# Doomed\n\n${picture.markdown} and ${picture.url}\n`)
  await exporting(path, { scope: { documents: [doomed.doc] } })
  await doomed.ask('DELETE', '', { query: { permanent: 'true' } })
  const first = await importing(path, from)
  const [link] = first.links
  const id = new URL(link?.url ?? '').pathname.slice(3)
  expect(id).not.toBe(doomed.doc)
  const copy = from.person(id, new URL(link?.url ?? '').searchParams.get('key') ?? '')
  expect((await copy.read()).content).toContain(picture.markdown)
  expect(await importing(path, from)).toMatchObject({ created: { documents: 0 }, present: 1 })
  // Elsewhere another document has the id of the asset.
  const other = await startWorld()
  const holder = await other.create('# Holder')
  await other.service.storage.commit({ puts: [{ key: keys.assetDocument(picture.id), value: Buffer.from(JSON.stringify(holder.doc)) }] })
  const { links } = await importing(path, other)
  const person = other.person(doomed.doc, new URL(links[0]?.url ?? '').searchParams.get('key') ?? '')
  const { content } = await person.read()
  const address = /\/f\/[\w-]{24}\.png/.exec(content)?.[0] ?? ''
  expect(content).not.toContain(picture.id)
  expect(new Uint8Array(await (await fetch(`${other.url}${address}`)).arrayBuffer())).toEqual(png(5, 5))
  await other.stop()
})

test('[IMPORT-19] [ACCT-30] the owner is found by id or email address, or named', async () => {
  const path = join(await newFolder(), 'owned')
  await exporting(path, { scope: { documents: [own, rich.doc] } })
  const other = await startWorld()
  const { refused } = await importing(path, other)
  expect(refused[0]?.note).toContain('belongs to ana, who has no account here. Invite the person, or name another owner with --owner')
  const bobIn = async ({ service }: World): Promise<Account> =>
    (await createAccount(service, { email: 'bob@example.org', name: 'bob', password: 'correct horse battery' })) as Account
  const bob = await bobIn(other)
  expect((await importing(path, other, bob)).created.documents).toBe(1)
  expect((await headIn(other, own)).owner).toEqual({ kind: 'account', id: bob.id, name: 'bob' })
  // A document that was published while nobody owned it gets an owner. Another export keeps this fact.
  const third = await startWorld()
  await importing(path, third, await bobIn(third))
  expect(await headIn(third, rich.doc)).toMatchObject({ owner: { name: 'bob' }, unsigned: true })
  const again = join(await newFolder(), 'again')
  await exporting(again, { store: third.service.storage, blobs: third.service.blobs, scope: { documents: [rich.doc] } })
  const last = await startWorld()
  await importing(again, last, await bobIn(last))
  expect(await headIn(last, rich.doc)).toMatchObject({ owner: { name: 'bob' }, unsigned: true })
  for (const each of [third, last]) await each.stop()
  await other.stop()
})

/**
 * Creates test/golden/format-1: a data folder written by this version, and the contents that every later version must read from it. Run it only for a
 * new data format, with a new folder name: `node scripts/golden.ts [folder]`. Text, counters and times are the same in every run. Ids, keys and tags
 * are random.
 */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { open } from 'lmdb'
import { start } from '../test/support/start.ts'
import { createDocument, putMarkdown, readMarkdown, seeded, Typist } from '../test/support/typist.ts'

const goal = resolve(process.argv[2] ?? 'test/golden/format-1')
const folder = await mkdtemp(join(tmpdir(), 'agmd-golden-'))

let now = Date.UTC(2026, 0, 2, 3, 4, 5)
const clock = { now: () => (now += 7), after: () => () => undefined }
const world = await start({ folder, clock })
const { url } = world

interface Reader {
  readonly url: string
  readonly doc: string
  readonly key: string
}

const call = async ({ doc, key }: Reader, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const headers = { 'X-Share-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }
  const answer = await fetch(`${url}/api/docs/${doc}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Record<string, unknown>
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the contents of a document that later versions must read. */
const expectation = async (target: Reader, shares: readonly unknown[], versions: ReadonlyMap<string, string>): Promise<unknown> => {
  const { content, version } = await readMarkdown(target)
  const { revisions } = await call(target, 'GET', '/revisions')
  const { events, latest } = (await call(target, 'GET', '/events')) as { events: { kind: string; seq: number }[]; latest: number }
  return {
    doc: target.doc,
    key: target.key,
    version,
    content,
    shares,
    versions: Object.fromEntries([...versions].map(([each, text]) => [each, sha256(text)])),
    revisions,
    events: events.map(({ seq, kind }) => ({ seq, kind })),
    latest
  }
}

// Creates a long document. Two people type until its journal is compacted; then it is replaced, restored and shared.
const long = await createDocument(url, '# Golden\n\nä€🙂 with all kinds of units\n')
const seen = new Map([[long.version, '# Golden\n\nä€🙂 with all kinds of units\n']])
const see = async (): Promise<string> => {
  const read = await readMarkdown(long)
  seen.set(read.version, read.content)
  return read.content
}
const [ana, bo] = [new Typist('Ana', long), new Typist('Bo', long)]
ana.connect()
bo.connect()
await Promise.all([ana.whenSynced(), bo.whenSynced()])
const random = seeded(1)
for (let n = 0; n < 1_150; n++) {
  const typist = random(2) === 0 ? ana : bo
  if (n % 9 === 8) typist.text.delete(0, 1)
  else typist.text.insert(typist.text.length - random(20), String.fromCodePoint(97 + random(26)))
  await typist.whenSettled()
  if (n % 200 === 0) await see()
}
await putMarkdown(long, `${await see()}\nA line by an agent.\n`, undefined, 'Agent')
await see()
await call(long, 'POST', '/restore', { revision: 1, label: 'back to the beginning' })
await see()
const reader = await call(long, 'POST', '/shares', { role: 'view', label: 'readers' })
const editor = await call(long, 'POST', '/shares', { role: 'edit' })
const revoked = await call(long, 'POST', '/shares', { role: 'comment' })
await call(long, 'DELETE', `/shares/${String(revoked['id'])}`)
ana.destroy()
bo.destroy()

const empty = await createDocument(url, '')
const deleted = await createDocument(url, 'nothing of this may stay\n')
await call(deleted, 'DELETE', '')

// Creates a document whose newest text is only in the journal, as after a crash.
const late = await createDocument(url, 'On disk.\n')
const cy = new Typist('Cy', late)
cy.connect()
await cy.whenSynced()
for (const word of ['The ', 'newest ', 'words.\n']) {
  cy.text.insert(cy.text.length, word)
  await cy.whenSettled()
}
const lateVersions = new Map([[(await readMarkdown(late)).version, 'On disk.\nThe newest words.\n']])

const share = ({ key, role, id }: Record<string, unknown>): unknown => ({ key, role, id })
const expected = {
  format: 1,
  documents: [
    await expectation(long, [share(reader), share(editor)], seen),
    await expectation(empty, [], new Map()),
    await expectation(late, [], lateVersions)
  ],
  revoked: { doc: long.doc, key: revoked['key'] },
  deleted: { doc: deleted.doc, key: deleted.key }
}
cy.destroy()
world.service.storage.commit = () => Promise.reject(new Error('the golden folder is finished'))
await world.stop().catch(() => undefined)

await rm(goal, { recursive: true, force: true })
await mkdir(join(goal, 'store'), { recursive: true })
for (const name of ['instance.json', 'secret']) await copyFile(join(folder, name), join(goal, name))
const database = open({ path: join(folder, 'store'), readOnly: true })
await (database as unknown as { backup(path: string, compact: boolean): Promise<void> }).backup(join(goal, 'store'), true)
await database.close()
await writeFile(`${goal}.json`, `${JSON.stringify(expected, null, 1)}\n`)
await rm(folder, { recursive: true, force: true })
process.exit(0)

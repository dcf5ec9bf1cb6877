/** A data folder of format 1 still opens, and its documents have not changed. It was made by scripts/golden.ts and is never edited. */
import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backupFormat } from '../server/admin/backups/format.ts'
import { dataFormat } from '../server/storage/data-folder.ts'
import { upgradeSteps } from '../server/storage/lmdb-upgrade.ts'
import { runAdmin } from './support/operator.ts'
import { start, type World } from './support/start.ts'
import { putMarkdown, readMarkdown, type Target, Typist } from './support/typist.ts'

interface Expected {
  readonly documents: readonly {
    readonly doc: string
    readonly key: string
    readonly version: string
    readonly content: string
    readonly shares: readonly { readonly id: string; readonly key: string; readonly role: string }[]
    readonly versions: Readonly<Record<string, string>>
    readonly revisions: readonly unknown[]
    readonly events: readonly { readonly seq: number; readonly kind: string }[]
  }[]
  readonly revoked: { readonly doc: string; readonly key: string }
  readonly deleted: { readonly doc: string; readonly key: string }
}

const golden = join(import.meta.dirname, 'golden')
const expected = JSON.parse(await readFile(join(golden, 'format-1.json'), 'utf8')) as Expected
let folder: string
let world: World

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agmd-golden-'))
  await cp(join(golden, 'format-1'), folder, { recursive: true })
  world = await start({ folder })
})

afterAll(async () => {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

const at = (of: { readonly doc: string; readonly key: string }): Target => ({ url: world.url, doc: of.doc, key: of.key })

const get = async ({ url, doc, key }: Target, path: string): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await fetch(`${url}/api/docs/${doc}${path}`, { headers: { 'X-Share-Key': key } })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test('[GOLD-1] every document of the golden folder has its text, its version, its revisions and its events', async () => {
  for (const one of expected.documents) {
    expect(await readMarkdown(at(one))).toEqual({ content: one.content, version: one.version })
    // Newer versions may add fields.
    expect((await get(at(one), '/revisions')).body['revisions']).toMatchObject(one.revisions)
    const { events } = (await get(at(one), '/events')).body as { events: { seq: number; kind: string }[] }
    // Reading may add events that an interrupted run had not announced. Earlier events stay the same.
    expect(events.slice(0, one.events.length).map(({ seq, kind }) => ({ seq, kind }))).toEqual(one.events)
  }
})

test('[GOLD-2] every version that the golden folder issued can be read again', async () => {
  for (const one of expected.documents)
    for (const [version, digest] of Object.entries(one.versions))
      expect(sha256((await readMarkdown(at(one), version)).content)).toBe(digest)
})

test('[GOLD-3] the keys of the golden folder open the same documents: its secret is part of it', async () => {
  for (const one of expected.documents) {
    for (const share of one.shares) expect((await get(at({ ...one, key: share.key }), '')).body).toMatchObject({ role: share.role })
    const { shares } = (await get(at(one), '/shares')).body as { shares: { id: string; key: string }[] }
    for (const share of one.shares) expect(shares).toContainEqual(expect.objectContaining(share))
  }
  expect((await get(at(expected.revoked), '')).status).toBe(401)
  expect((await get(at(expected.deleted), '')).status).toBe(410)
})

test('[GOLD-4] documents of the golden folder accept edits and replacements', async () => {
  const [one] = expected.documents
  if (one === undefined) throw new Error('the golden folder is empty')
  const typist = new Typist('New', at(one))
  typist.connect()
  await typist.whenSynced()
  expect(typist.text.toString()).toBe(one.content)
  typist.text.insert(0, 'typed ')
  await typist.whenSettled()
  const { content, version } = await readMarkdown(at(one))
  expect(content).toBe(`typed ${one.content}`)
  expect((await putMarkdown(at(one), `put ${content}`, version)).status).toBe(200)
  await typist.until(() => typist.text.toString() === `put ${content}`, 'the replacement')
  typist.destroy()
})

test('[GOLD-5] every data format has a golden folder, and every backup format a golden backup', async () => {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)
  const names = [...numbers(dataFormat).map((n) => `format-${n}`), ...numbers(backupFormat).map((n) => `backup-${n}.tar`)]
  expect(await readdir(golden)).toEqual(expect.arrayContaining(names))
  expect(upgradeSteps).toHaveLength(dataFormat - 1)
})

test.each([
  ['backup-1.tar', 196, ''],
  ['backup-2.tar', 51, 'Before.\n']
])('[GOLD-6] the golden %s is restored without a problem', async (name, records, before) => {
  const base = await mkdtemp(join(tmpdir(), 'agmd-golden-backup-'))
  try {
    const [from, to] = [join(golden, name), join(base, 'data')]
    await runAdmin(['restore', '--from', from, '--to', to], {})
    for (const what of [from, to]) {
      const { output } = await runAdmin(['verify', what, '--json'], { AGMD_DATA_DIR: to })
      expect(JSON.parse(output)).toMatchObject({ ok: true, records, documents: 4 })
    }
    const restored = await start({ folder: to })
    const [one] = expected.documents
    const { content } = await readMarkdown({ ...at(one!), url: restored.url })
    expect(content).toBe(before === '' ? one!.content : `${before}${one!.content}After.\n`)
    await restored.stop()
  } finally {
    await rm(base, { recursive: true, force: true })
  }
})

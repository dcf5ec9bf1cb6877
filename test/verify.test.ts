import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Storage } from '../server/domain/ports.ts'
import { decodeRecord, encodeRecord, type Head, keys, type Revision, type Share } from '../server/domain/records/keys.ts'
import { decodeEntries, encodeEntries, encodeState } from '../server/domain/text/journal.ts'
import { openLmdbStorage } from '../server/storage/lmdb.ts'
import { png } from './support/media.ts'
import { runAdmin, startAdmin } from './support/operator.ts'
import { startProcess } from './support/start.ts'
import { createDocument, putMarkdown } from './support/typist.ts'
import { ask } from './support/world.ts'

let source: { readonly folder: string; readonly doc: string; readonly asset: string }
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-verify-source-'))
  const world = await startProcess({ folder, env: { AGMD_STORAGE: '' } })
  const target = await createDocument(world.url, '# First\n')
  for (let n = 0; n < 3; n++) await putMarkdown(target, `# First\n\n${n}\n`)
  const asset = await ask(world.url, 'POST', `/api/docs/${target.doc}/assets`, { key: target.key, body: png(), type: 'image/png' })
  await world.kill('SIGTERM')
  source = { folder, doc: target.doc, asset: asset.json.id }
}, 30_000)
afterAll(() => rm(source.folder, { recursive: true, force: true }))

const verified = async (folder: string) => {
  const { output, exitCode = 0 } = await runAdmin(['verify', folder, '--json'], { AGMD_DATA_DIR: folder })
  return { exitCode, ...(JSON.parse(output) as { ok: boolean; problems: string[]; problemCount: number }) }
}

/** Returns a copy of the data folder. `change` alters records in it. */
const changedCopy = async (change: (storage: Storage, doc: string) => Promise<unknown> = async () => undefined): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-verify-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(source.folder, folder, { recursive: true })
  const storage = await openLmdbStorage({ folder })
  await change(storage, source.doc)
  await storage.close()
  return folder
}

const put = async (storage: Storage, key: readonly (string | number)[], value: Uint8Array): Promise<unknown> =>
  storage.commit({ puts: [{ key, value }] })
const changeRecord = async <T>(storage: Storage, key: readonly (string | number)[], change: (record: T) => T): Promise<unknown> =>
  put(storage, key, encodeRecord(change(decodeRecord<T>((await storage.get(key))!.value))))
const firstBelow = async (storage: Storage, key: readonly (string | number)[]) => (await storage.list(key, { limit: 1 }))[0]!

/** Moves all journal records of the document where `change` puts them. A stopped server may have packed them into segments. */
const changeJournal = async (storage: Storage, doc: string, change: (records: Uint8Array[]) => Uint8Array[]) => {
  const tail = await storage.list(keys.updates(doc))
  const changed = change(tail.map(({ value }) => value))
  await storage.commit({
    deletes: tail.map(({ key }) => key),
    puts: changed.map((value) => ({ key: keys.update(doc, decodeEntries(value).at(-1)!.seq), value }))
  })
}

test('[VERIFY-1] an undamaged installation has no problem', async () => {
  expect(await verified(await changedCopy())).toMatchObject({ exitCode: 0, ok: true, problems: [], records: expect.any(Number), blobs: 1 })
})

test('[VERIFY-2] a document that is too large to hold in memory is checked as well', async () => {
  const folder = await changedCopy(async (storage, doc) => {
    for (let n = 0; n < 66; n++) await put(storage, ['d', doc, 'request', `${n}`], randomBytes(1024 * 1024))
    await changeRecord<Revision>(storage, keys.revision(doc, 1), (one) => ({ ...one, size: 1 }))
  })
  const { exitCode, problems } = await verified(folder)
  expect({ exitCode, problems }).toEqual({ exitCode: 3, problems: [expect.stringContaining('revision 1 has 1 characters')] })
}, 60_000)

test.each<[string, (storage: Storage, doc: string) => Promise<unknown>, string]>([
  ['a journal record that is gone', (storage, doc) => changeJournal(storage, doc, ([_, ...rest]) => rest), 'of the journal is missing'],
  [
    'an entry that was replaced',
    (storage, doc) =>
      changeJournal(storage, doc, ([first, second, ...rest]) => {
        const [entry] = decodeEntries(second!)
        const [other] = decodeEntries(first!)
        return [first!, encodeEntries([{ ...entry!, update: other!.update }], other!.tag), ...rest]
      }),
    'does not continue the entry before it'
  ],
  [
    'a newer head',
    (storage, doc) => changeRecord<Head>(storage, keys.head(doc), (head) => ({ ...head, seq: head.seq + 5 })),
    'the journal ends with entry'
  ],
  [
    'a head with another tag',
    (storage, doc) => changeRecord<Head>(storage, keys.head(doc), (head) => ({ ...head, tag: '0123456789ab' })),
    'the head names version'
  ],
  [
    'another canonical text',
    async (storage, doc) => {
      const head = decodeRecord<Head>((await storage.get(keys.head(doc)))!.value)
      await put(storage, keys.text(doc), encodeState(head, Buffer.from('# Another\n')))
    },
    'the canonical text differs from the journal'
  ],
  [
    'another checkpoint',
    async (storage, doc) => {
      const head = decodeRecord<Head>((await storage.get(keys.head(doc)))!.value)
      await put(storage, keys.checkpoint(doc), encodeState(head, Uint8Array.of(0, 0)))
    },
    'the checkpoint has other entries than the journal'
  ],
  [
    'a revision of another size',
    (storage, doc) => changeRecord<Revision>(storage, keys.revision(doc, 1), (one) => ({ ...one, size: 1 })),
    'revision 1 has 1 characters'
  ],
  [
    'a revision of an unknown version',
    (storage, doc) => changeRecord<Revision>(storage, keys.revision(doc, 1), (one) => ({ ...one, tag: '0123456789ab' })),
    'revision 1 names version'
  ],
  [
    'a missing event',
    async (storage, doc) => storage.commit({ deletes: [(await storage.list(keys.events(doc), { reverse: true, limit: 1 }))[0]!.key] }),
    'as the newest, but the newest event is'
  ],
  [
    'a link that the secret does not open',
    async (storage, doc) =>
      changeRecord<Share>(storage, (await firstBelow(storage, keys.shares(doc))).key, (share) => ({
        ...share,
        sealed: share.sealed.slice(1)
      })),
    'the secret does not decrypt its link'
  ],
  [
    'a link without an index',
    async (storage, doc) => {
      const share = decodeRecord<Share>((await firstBelow(storage, keys.shares(doc))).value)
      await storage.commit({ deletes: [keys.key(share.hash)] })
    },
    'the index does not have its link'
  ],
  [
    'an asset without an index',
    (storage) => storage.commit({ deletes: [keys.assetDocument(source.asset)] }),
    'the index does not have its asset'
  ],
  ['a record that cannot be read', (storage, doc) => put(storage, keys.text(doc), Uint8Array.of(9)), 'a record cannot be read']
])('[VERIFY-2] %s is a problem', async (_damage, change, says) => {
  const { exitCode, problems } = await verified(await changedCopy(change))
  expect(exitCode).toBe(3)
  expect(problems.join('\n')).toContain(says)
  expect(problems.join('\n')).toContain(source.doc)
})

test('[VERIFY-3] missing and damaged assets are problems', async () => {
  const folder = await changedCopy()
  const path = join(folder, 'blobs', source.asset.slice(0, 2), source.asset)
  await writeFile(path, 'x')
  expect(await verified(folder)).toMatchObject({ exitCode: 3, problems: [`Asset ${source.asset} is damaged.`] })
  await rm(path)
  expect(await verified(folder)).toMatchObject({ exitCode: 3, problems: [`Asset ${source.asset} is missing.`] })
  const { exitCode, output } = await runAdmin(['backup', '--to', `${folder}.tar`, '--json'], { AGMD_DATA_DIR: folder })
  onTestFinished(() => rm(`${folder}.tar`))
  expect({ exitCode, ...JSON.parse(output) }).toMatchObject({ exitCode: 3, ok: false, damagedBlobs: [source.asset] })
})

test('[VERIFY-4] a store that LMDB cannot read is reported, with exit code 3 and the next step', async () => {
  const folder = await changedCopy()
  await truncate(join(folder, 'store', 'data.mdb'), 12_288)
  await expect(verified(folder)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining('restore') })
  expect(await readdir(folder)).toContain('store')
  const place = `${folder}-place`
  onTestFinished(() => rm(place, { recursive: true, force: true }))
  const made = runAdmin(['backup', '--to', place], { AGMD_DATA_DIR: folder })
  await expect(made).rejects.toMatchObject({ exitCode: 3, message: expect.stringMatching(/admin verify.*admin restore/) })
  expect(existsSync(place)).toBe(false)
})

test('[VERIFY-4] a backup of a store with a damaged record is refused, with exit code 3 and the next step', async () => {
  const folder = await changedCopy()
  const path = join(folder, 'store', 'data.mdb')
  const bytes = await readFile(path)
  for (let at = bytes.indexOf('# First'); at !== -1; at = bytes.indexOf('# First', at + 1)) bytes.write('# Thirst', at)
  await writeFile(path, bytes)
  const place = `${folder}-place`
  onTestFinished(() => rm(place, { recursive: true, force: true }))
  const { code, err } = await startAdmin(['backup', '--to', place], { AGMD_DATA_DIR: folder, AGMD_STORAGE: '' }).outcome
  expect({ code, err }).toEqual({ code: 3, err: expect.stringMatching(/damaged.*admin verify.*admin restore/) })
  expect(err).not.toMatch(/\n +at /)
  expect(existsSync(place) && existsSync(join(place, 'snapshots'))).toBe(false)
})

test('[VERIFY-5] a missing or damaged secret of a backup is a problem, and the hint is one for backups', async () => {
  const folder = await changedCopy()
  const place = `${folder}-place`
  onTestFinished(() => rm(place, { recursive: true, force: true }))
  const env = { AGMD_DATA_DIR: folder }
  await runAdmin(['backup', '--to', place], env)
  const [secret] = (await readdir(join(place, 'secrets'))) as [string]
  await writeFile(join(place, 'secrets', secret), 'AAAA\n')
  expect((await verified(place)).problems).toEqual([expect.stringMatching(/^The secret secrets\/.* is damaged, and a restore needs it\./)])
  await rm(join(place, 'secrets', secret))
  const { exitCode, output } = await runAdmin(['verify', place], env)
  expect(exitCode).toBe(3)
  expect(output).toContain('There is 1 problem:\nThe secret secrets/')
  expect(output).toContain('is missing, and a restore needs it.')
  expect(output).toMatch(
    /\nThis backup is damaged\. Check an older one .*, and make a new one with all parts: npm start -- admin backup --full$/
  )
  await runAdmin(['backup', '--to', place, '--without-secret'], env)
  await rm(join(place, 'secrets'), { recursive: true })
  expect(await verified(place)).toMatchObject({ exitCode: 0, problems: [] })
})

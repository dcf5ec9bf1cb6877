/**
 * Measures a backup, later backups without changes and after edits to ten documents, `verify` and a restore. The baseline is `cp -r` with `sync` of
 * the same data folder. Also measures the start of a server with many documents. All rates are in bytes of the data folder per second. Run: `npm run
 * bench backup`. `AGMD_BENCH_DOCUMENTS` sets the number of documents.
 */
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Put } from '../../server/domain/ports.ts'
import { type Asset, decodeRecord, encodeRecord, type Head, keys } from '../../server/domain/records/keys.ts'
import { readInstance } from '../../server/storage/data-folder.ts'
import { folderBytes } from '../../server/storage/disk.ts'
import { openLmdbStorage } from '../../server/storage/lmdb.ts'
import { openLmdbSnapshot } from '../../server/storage/lmdb-snapshot.ts'
import { lowestKey } from '../../server/storage/snapshot.ts'
import { startAdmin } from '../../test/support/operator.ts'
import { startProcess } from '../../test/support/start.ts'
import { createDocument, putMarkdown, type Target } from '../../test/support/typist.ts'
import { table } from './support/support.ts'

const documents = Number(process.env['AGMD_BENCH_DOCUMENTS'] ?? 100_000)
const assets = 200
const assetBytes = 1024 * 1024
const mebibyte = 1024 * 1024

const base = await mkdtemp(join(tmpdir(), 'agmd-bench-backup-'))
const folder = join(base, 'data')
const env = { AGMD_DATA_DIR: folder, AGMD_STORAGE: '' }

/** Creates one document through a server, and returns its records without its links. */
const makeOne = async (): Promise<{ doc: string; puts: Put[] }> => {
  const world = await startProcess({ folder, env })
  const target = await createDocument(world.url, '# Bench\n')
  for (let n = 0; n < 3; n++) await putMarkdown(target, `# Bench\n\n${`paragraph ${n} with some words\n\n`.repeat(30)}`)
  await world.kill('SIGTERM')
  const snapshot = await openLmdbSnapshot(folder, (await readInstance(folder))!)
  const records = await snapshot.scan(lowestKey)
  await snapshot.close()
  const ofDocument = records.filter(({ key }) => key[0] === 'd' && key[1] === target.doc && key[2] !== 'share')
  return { doc: target.doc, puts: ofDocument.map(({ key, value }) => ({ key, value })) }
}

/** Copies the document and adds assets to the first copy. */
const fill = async ({ doc, puts }: Awaited<ReturnType<typeof makeOne>>): Promise<void> => {
  const storage = await openLmdbStorage({ folder })
  const copyOf = (id: string): Put[] =>
    puts.map(({ key, value }) => ({
      key: ['d', id, ...key.slice(2)],
      value: key.length === 2 ? encodeRecord({ ...decodeRecord<Head>(value), id }) : value
    }))
  const group = 500
  for (let n = 0; n < documents; n += group)
    await storage.commit({ puts: Array.from({ length: Math.min(group, documents - n) }, (_, i) => copyOf(`copy${n + i}`)).flat() })
  for (let n = 0; n < assets; n++) {
    const bytes = randomBytes(assetBytes)
    const id = randomBytes(18).toString('base64url')
    const hash = createHash('sha256').update(bytes).digest('base64url')
    const asset: Asset = { id, extension: 'png', contentType: 'image/png', kind: 'image', name: 'a', size: assetBytes, hash, createdAt: 0 }
    await mkdir(join(folder, 'blobs', id.slice(0, 2)), { recursive: true })
    await writeFile(join(folder, 'blobs', id.slice(0, 2), id), bytes)
    await storage.commit({
      puts: [
        { key: keys.asset(doc, id), value: encodeRecord(asset) },
        { key: keys.assetDocument(id), value: encodeRecord(doc) }
      ]
    })
  }
  await storage.close()
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

const command = async (...words: string[]): Promise<string> => {
  const { code, out, err } = await startAdmin(words, env).outcome
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${err.slice(-500)}`)
  return out
}

/** Backs up to a folder. Returns the number of bytes that were written. */
const backUp = async (): Promise<number> => JSON.parse(await command('backup', '--to', join(base, 'place'), '--json')).writtenBytes

const serve = async <Result>(work: (url: string) => Promise<Result>): Promise<Result> => {
  const world = await startProcess({ folder, env })
  const result = await work(world.url)
  await world.kill('SIGTERM')
  return result
}

const edited: Target[] = []
const longText = 'A paragraph with a few words of its own.\n\n'.repeat(2_400)
const makeLong = (): Promise<void> =>
  serve(async (url) => {
    for (let n = 0; n < 10; n++) edited.push(await createDocument(url, `# Long ${n}\n\n${longText}`))
  })
const edit = (): Promise<void> =>
  serve(async (url) => {
    for (const target of edited) await putMarkdown({ ...target, url }, `# Long\n\n${longText}One more line.\n`)
  })

const shell = async (text: string): Promise<void> => {
  const { status, stderr } = spawnSync('sh', ['-c', text])
  if (status !== 0) throw new Error(stderr.toString())
}

try {
  await fill(await makeOne())
  await makeLong()
  const starts: number[] = []
  for (let n = 0; n < 3; n++) {
    const begun = performance.now()
    const world = await startProcess({ folder, env })
    starts.push((performance.now() - begun) / 1000)
    await world.kill('SIGTERM')
  }
  process.stdout.write(`start with ${documents} documents, until the server serves: ${starts.map((one) => one.toFixed(2)).join(', ')} s\n`)
  const bytes = await folderBytes(folder)
  const works: readonly (readonly [string, () => Promise<unknown>, (() => Promise<void>)?])[] = [
    ['cp -r and sync', () => shell(`cp -r ${folder} ${base}/copy && sync -f ${base}`)],
    ['backup to a folder', backUp],
    ['backup again, nothing changed', backUp],
    ['backup after an edit to 10 texts of 100 KB', backUp, edit],
    ['backup to a tar file', () => command('backup', '--to', join(base, 'backup.tar'))],
    ['verify the data folder', () => command('verify')],
    ['verify the backup', () => command('verify', join(base, 'place'))],
    ['restore', () => command('restore', '--from', join(base, 'place'), '--to', join(base, 'restored'))]
  ]
  const rows: (string | number)[][] = []
  let copying = 0
  for (const [name, work, prepare] of works) {
    await prepare?.()
    let result: unknown
    const seconds = await timed(async () => (result = await work()))
    if (copying === 0) copying = seconds
    rows.push([
      name,
      seconds.toFixed(1),
      (bytes / mebibyte / seconds).toFixed(0),
      (seconds / copying).toFixed(1),
      typeof result === 'number' ? result : ''
    ])
  }
  process.stdout.write(`${documents} documents, ${assets} assets, ${(bytes / mebibyte).toFixed(0)} MiB\n`)
  table(['work', 's', 'MiB/s', 'times cp', 'bytes written'], rows)
} finally {
  await rm(base, { recursive: true, force: true })
}

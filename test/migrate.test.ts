import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import type { Storage } from '../server/domain/ports.ts'
import { prepareDataFolder } from '../server/storage/data-folder.ts'
import { openLmdbStorage } from '../server/storage/lmdb.ts'
import { migrate, type Progress } from '../server/storage/migrate.ts'
import { parsePostgresAddress } from '../server/storage/postgres/address.ts'
import { beginMigration } from '../server/storage/postgres/migration.ts'
import { openPostgres } from '../server/storage/postgres/open.ts'
import { preparePostgres } from '../server/storage/postgres/prepare.ts'
import { openPostgresStorage } from '../server/storage/postgres/store.ts'
import { type Cluster, freshSchema, noPostgres, sharedCluster } from './support/postgres.ts'
import { serverMain } from './support/server-main.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const admin = (words: readonly string[], env: Record<string, string>) => {
  const child = spawn(process.execPath, [serverMain, 'admin', 'migrate', ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  const outcome = once(child, 'close').then(([code]): Outcome => ({ code: code as number | null, out, err }))
  return { child, outcome }
}

describe.skipIf(noPostgres !== undefined)('moving the documents', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await sharedCluster()
  })

  /** Creates a schema, which is dropped after the test, and returns its address. */
  const newAddress = (): string => {
    const schema = freshSchema()
    onTestFinished(() => cluster.sql(`drop schema if exists ${schema} cascade`))
    return cluster.address(schema)
  }

  /** Creates a data folder with a number of entries, some of them large. The folder is removed after the test. */
  const filledFolder = async (entries: number): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'agmd-migrate-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await (await prepareDataFolder(folder)).release()
    const storage = await openLmdbStorage({ folder })
    const puts = Array.from({ length: entries }, (_, n) => ({
      key: ['d', `doc${n % 7}`, 'update', n],
      value: bytes(`entry ${n} `.repeat(n % 100 === 0 ? 900 : 3))
    }))
    await storage.commit({ puts: [...puts, { key: ['e', ''], value: new Uint8Array() }] })
    await storage.close()
    return folder
  }

  const contentOf = async (storage: Storage): Promise<unknown[]> => {
    const all: unknown[] = []
    for (const prefix of [...Array.from({ length: 7 }, (_, n) => ['d', `doc${n}`, 'update']), ['e']])
      all.push(...(await storage.list(prefix)).map(({ key, value }) => [key, Buffer.from(value).toString()]))
    await storage.close()
    return all
  }
  const inLmdb = async (folder: string) => contentOf(await openLmdbStorage({ folder }))
  const ownerOf = async (folder: string) => {
    const { instance, secret, release } = await prepareDataFolder(folder)
    await release()
    return { instance, secret, version: 'test' }
  }
  const openHere = async (folder: string, url: string) => {
    const { secret, version } = await ownerOf(folder)
    return openPostgres({ url, folder, secret, version })
  }
  const move = (folder: string, url: string, to: 'lmdb' | 'postgres', onProgress = (_: Progress): void => {}) =>
    migrate({ folder, url, to, secret: undefined, version: 'test', onProgress })

  test('[MIGRATE-1] [MIGRATE-2] all records move to PostgreSQL and back, even after an interruption, and each time only the new store may be served', async () => {
    const folder = await filledFolder(700)
    const before = await inLmdb(folder)
    const url = newAddress()
    const there = await admin(['--from', folder, '--to', 'postgres', '--json'], { AGMD_STORAGE: url }).outcome
    expect({ code: there.code, ...JSON.parse(there.out) }).toMatchObject({ code: 0, ok: true, records: 701, resumed: 0 })
    expect(
      there.err
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .at(-1)
    ).toMatchObject({ phase: 'comparing', done: 701, total: 701, unit: 'records' })
    await expect(inLmdb(folder)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('are in PostgreSQL') })
    expect(await contentOf(await openHere(folder, url))).toEqual(before)
    await expect(move(folder, url, 'lmdb')).rejects.toMatchObject({ message: expect.stringContaining('Move this folder away first') })
    await rename(join(folder, 'store'), join(folder, 'store before'))
    const stopped = move(folder, url, 'lmdb', () => {
      throw new Error('stopped')
    })
    await expect(stopped).rejects.toThrow('stopped')
    await expect(inLmdb(folder)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('are in PostgreSQL') })
    expect(await move(folder, url, 'lmdb')).toMatchObject({ records: 701, resumed: 500 })
    expect(await readdir(folder), 'the mark of an unfinished move').not.toContain('migrating')
    expect(await inLmdb(folder)).toEqual(before)
    await expect(openHere(folder, url)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('LMDB') })
  })

  test('[MIGRATE-2] after kill -9 during a move, no server serves the target, and the same command continues', async () => {
    const folder = await filledFolder(6000)
    const url = newAddress()
    const { child, outcome } = admin(['--from', folder, '--to', url], {})
    await once(child.stderr, 'data')
    child.kill('SIGKILL')
    await outcome
    const owner = await ownerOf(folder)
    await expect(preparePostgres(parsePostgresAddress(url), owner)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('admin migrate')
    })
    const copied: number[] = []
    const again = await move(folder, url, 'postgres', ({ phase, records }) => void (phase === 'copying' && copied.push(records)))
    expect(again.records).toBe(6001)
    expect(again.resumed).toBeGreaterThan(0)
    expect(again.resumed).toBeLessThan(6001)
    expect(copied.at(-1), 'no record is copied twice').toBe(6001)
  })

  test('[MIGRATE-3] a source that is served, a target that is not empty, and the store of another installation are refused', async () => {
    const folder = await filledFolder(3)
    const url = newAddress()
    const held = await prepareDataFolder(folder)
    await expect(move(folder, url, 'postgres')).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(`pid ${process.pid}`)
    })
    await held.release()
    const other = await filledFolder(3)
    await move(other, url, 'postgres')
    await expect(move(folder, url, 'postgres')).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('another installation')
    })
    await rename(join(other, 'store'), join(other, 'store before'))
    const served = await openHere(other, url)
    await expect(move(other, url, 'lmdb')).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('A server uses') })
    await served.close()
    await move(other, url, 'lmdb')
    await expect(move(other, url, 'postgres')).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('is not empty') })
  })

  test.each([
    ['a record too many', ['a'], 'of nobody'],
    ['another value', ['d', 'doc0', 'update', 0], 'of nobody'],
    ['another key', ['d', 'doc0'], 'entry 0 '.repeat(900)]
  ])('[MIGRATE-4] a copy that differs from its source is not accepted: %s', async (_difference, key, value) => {
    const folder = await filledFolder(3)
    const url = newAddress()
    const address = parsePostgresAddress(url)
    const synced = await beginMigration(address, await ownerOf(folder))
    const target = await openPostgresStorage({ address, synced })
    await target.commit({ puts: [{ key, value: bytes(value) }] })
    await target.close()
    await expect(move(folder, url, 'postgres')).rejects.toThrow(`differs from its source at key ${JSON.stringify(key)}`)
    expect(await inLmdb(folder)).toHaveLength(4)
  })
})

test('[MIGRATE-5] the command prints its usage, and exits with 64 if its arguments are invalid', async () => {
  const help = await admin(['--help'], {}).outcome
  expect(help).toMatchObject({ code: 0, err: '', out: expect.stringContaining('--from STORE --to STORE') })
  const runs = [
    [],
    ['--from', 'a', '--to', 'b'],
    ['--from', 'a', '--to', 'postgres://u@h/d', '--form', 'a'],
    ['--from', 'a', '--to', 'postgres'],
    ['--from', 'postgres://x', '--to', 'b']
  ]
  const outcomes = await Promise.all(runs.map((words) => admin(words, { AGMD_STORAGE: '' }).outcome))
  expect(outcomes.map(({ code, out }) => [code, out])).toEqual(runs.map(() => [64, '']))
})

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import type { Key, Storage } from '../server/domain/ports.ts'
import { beginCheck, checkStore } from '../server/storage/check.ts'
import { prepareDataFolder } from '../server/storage/data-folder.ts'
import { encodeKey } from '../server/storage/keys.ts'
import { openLmdbStorage } from '../server/storage/lmdb.ts'
import { openDatabase } from '../server/storage/lmdb-database.ts'
import { createMemoryStorage } from '../server/storage/memory.ts'
import { withReadCache } from '../server/storage/read-cache.ts'
import { serverMain } from './support/server-main.ts'
import { storageContract } from './storage-contract.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const moduleUrl = (path: string) => JSON.stringify(new URL(`../${path}`, import.meta.url).href)

storageContract('memory', async () => createMemoryStorage())
storageContract('memory behind a read cache', async () => withReadCache(createMemoryStorage()))
storageContract('lmdb', async () => openLmdbStorage({ folder: await temporaryFolder() }))

/** Creates a folder that is removed after the test. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-storage-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Creates a closed data folder with the given number of entries `['d', n]`. */
async function filledFolder(entries = 50): Promise<string> {
  const folder = await temporaryFolder()
  await withStorage(folder, (storage) =>
    storage.commit({ puts: Array.from({ length: entries }, (_, n) => ({ key: ['d', n], value: bytes(`entry ${n} `.repeat(50)) })) })
  )
  return folder
}

async function withStorage<T>(folder: string, run: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openLmdbStorage({ folder })
  try {
    return await run(storage)
  } finally {
    await storage.close()
  }
}

/** Changes the stored bytes of one entry without using the store. */
async function damage(folder: string, key: Key, change: (envelope: Buffer) => void): Promise<void> {
  const database = openDatabase(join(folder, 'store'), false)
  const envelope = Buffer.from(database.getBinary(encodeKey(key))!)
  change(envelope)
  await database.put(encodeKey(key), envelope)
  await database.close()
}

const editInstance = async (folder: string, change: object) => {
  const path = join(folder, 'instance.json')
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...change }))
}

/** Runs TypeScript in a separate process. `shell` contains commands that run first, for example to set limits. */
function runScript(source: string, folder: string, shell = '') {
  const script = `cd '${folder}'; ${shell} exec '${process.execPath}' --input-type=module-typescript -e "$SOURCE"`
  return spawn('sh', ['-c', script], { env: { ...process.env, SOURCE: source, FOLDER: folder }, stdio: ['pipe', 'pipe', 'inherit'] })
}

const dataFile = (folder: string) => join(folder, 'store', 'data.mdb')

test('[STORE-16] committed data survives reopening the store and kill -9', async () => {
  const folder = await filledFolder()
  await withStorage(folder, async (storage) => expect(await storage.list(['d'])).toHaveLength(50))
  const child = runScript(
    `import { openLmdbStorage } from ${moduleUrl('server/storage/lmdb.ts')}
     const storage = await openLmdbStorage({ folder: process.env.FOLDER })
     for (let n = 0; ; n++) { await storage.commit({ puts: [{ key: ['k', n], value: new Uint8Array(100) }] }); console.log(n) }`,
    folder
  )
  let acknowledged = -1
  for await (const line of createInterface(child.stdout)) {
    acknowledged = Number(line)
    if (acknowledged >= 100) child.kill('SIGKILL')
  }
  await withStorage(folder, async (storage) => {
    expect(await storage.get(['k', acknowledged])).toBeDefined()
    expect((await storage.list(['k'])).length).toBeGreaterThan(acknowledged)
  })
})

test('[STORE-17] versions are not reused after the store is reopened', async () => {
  const folder = await temporaryFolder()
  const versions: (number | undefined)[] = []
  for (let round = 0; round < 3; round++) {
    await withStorage(folder, async (storage) => {
      await storage.commit({ puts: [{ key: ['k'], value: bytes('k') }] })
      versions.push((await storage.get(['k']))?.version)
      await storage.commit({ deletes: [['k']] })
    })
  }
  expect(new Set(versions).size).toBe(3)
})

test('[STORE-18] a flipped byte of a value or version gives storage_corrupt with the key, and other entries are not affected', async () => {
  const folder = await filledFolder()
  await damage(folder, ['d', 3], (envelope) => envelope.writeUInt8(envelope.readUInt8(20) ^ 1, 20))
  await damage(folder, ['d', 4], (envelope) => envelope.writeUInt8(envelope.readUInt8(12) ^ 1, 12))
  await damage(folder, ['d', 5], (envelope) => envelope.writeUInt8(9, 0))
  await withStorage(folder, async (storage) => {
    for (const n of [3, 4, 5])
      await expect(storage.get(['d', n])).rejects.toMatchObject({ code: 'storage_corrupt', details: { key: ['d', n] } })
    await expect(storage.list(['d'])).rejects.toMatchObject({ code: 'storage_corrupt' })
    expect((await storage.list(['d'], { after: 5 })).length).toBe(44)
  })
})

test('[STORE-19] a commit that checks a damaged entry is refused with storage_corrupt and does not overwrite it; others in its group succeed', async () => {
  const folder = await filledFolder()
  await damage(folder, ['d', 3], (envelope) => envelope.writeUInt8(0, 20))
  await withStorage(folder, async (storage) => {
    const puts = [{ key: ['d', 3], value: bytes('overwritten') }]
    const [before, damaged, after] = await Promise.allSettled([
      storage.commit({ puts: [{ key: ['x'], value: bytes('1') }] }),
      storage.commit({ checks: [{ key: ['d', 3], version: 1 }], puts }),
      storage.commit({ puts: [{ key: ['y'], value: bytes('2') }] })
    ])
    expect([before.status, damaged.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(damaged).toMatchObject({ reason: { code: 'storage_corrupt' } })
    await expect(storage.get(['d', 3])).rejects.toMatchObject({ code: 'storage_corrupt' })
  })
})

test('[STORE-20] the check passes an intact store, an unused folder and a folder without a store', async () => {
  await checkStore(await filledFolder())
  await checkStore(await filledFolder(5000), { full: true })
  await checkStore(await temporaryFolder())
  const folder = await temporaryFolder()
  await (await prepareDataFolder(folder)).release()
  await checkStore(folder)
})

test.each([
  ['truncated to half', async (path: string) => truncate(path, Math.floor((await stat(path)).size / 2))],
  ['truncated to the meta pages', (path: string) => truncate(path, 8192)],
  ['truncated to 100 bytes', (path: string) => truncate(path, 100)],
  ['zeroed', async (path: string) => writeFile(path, Buffer.alloc((await stat(path)).size))],
  ['with zeroed meta pages', async (path: string) => writeFile(path, (await readFile(path)).fill(0, 0, 8192))],
  ['with overwritten pages', async (path: string) => writeFile(path, (await readFile(path)).fill(0xa5, 16384))],
  ['emptied', (path: string) => truncate(path, 0)],
  ['removed', (path: string) => rm(path)]
])('[STORE-21] a store file that is %s is refused with exit code 3 and the way to restore', async (_, ruin) => {
  const folder = await filledFolder(2000)
  await ruin(dataFile(folder))
  await expect(checkStore(folder)).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('restore the whole folder from a backup')
  })
})

test.each([
  ['emptied', (path: string) => truncate(path, 0)],
  ['removed', (path: string) => rm(path)]
])('[STORE-22] opening does not replace a store that was %s with a new one', async (_, ruin) => {
  const folder = await filledFolder()
  await ruin(dataFile(folder))
  await expect(openLmdbStorage({ folder })).rejects.toMatchObject({ exitCode: 3 })
  expect(
    await stat(dataFile(folder)).then(
      ({ size }) => size,
      () => 0
    )
  ).toBe(0)
})

test('[STORE-23] the store of another data folder is refused by the check and by opening', async () => {
  const folder = await filledFolder()
  await editInstance(folder, { instance: 'another' })
  await expect(checkStore(folder)).rejects.toMatchObject({ exitCode: 3 })
  await expect(openLmdbStorage({ folder })).rejects.toMatchObject({ exitCode: 3 })
})

test('[STORE-24] the check finds a damaged entry and names its key', async () => {
  const folder = await filledFolder()
  await damage(folder, ['d', 7], (envelope) => envelope.writeUInt8(0, 30))
  await expect(checkStore(folder)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining('["d",7]') })
})

test('[STORE-25] a data folder of a newer format is refused with exit code 4, named in instance.json or in the store', async () => {
  const folder = await filledFolder()
  const { instance } = JSON.parse(await readFile(join(folder, 'instance.json'), 'utf8')) as { instance: string }
  const database = openDatabase(join(folder, 'store'), false)
  await database.put(Buffer.from('\0instance'), Buffer.from(JSON.stringify({ format: 2, instance })))
  await database.close()
  await expect(checkStore(folder)).rejects.toMatchObject({ exitCode: 4 })
  await expect(openLmdbStorage({ folder })).rejects.toMatchObject({ exitCode: 4 })
  await editInstance(folder, { format: 2 })
  await expect(prepareDataFolder(folder)).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining('newer') })
})

test('[STORE-26] a data folder keeps its instance id and its secret, which only its owner may read', async () => {
  const folder = join(await temporaryFolder(), 'made', 'here')
  const first = await prepareDataFolder(folder)
  await first.release()
  const second = await prepareDataFolder(folder)
  await second.release()
  expect(second).toMatchObject({ instance: first.instance, secret: first.secret })
  expect(first.secret).toHaveLength(32)
  expect((await stat(join(folder, 'secret'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, 'secret'), 'utf8')).toBe(Buffer.from(first.secret).toString('base64url'))
})

test('[STORE-27] a folder that lost its secret or its instance.json, or whose instance.json is damaged, is refused with exit code 3', async () => {
  for (const ruin of [
    (folder: string) => rm(join(folder, 'secret')),
    (folder: string) => rm(join(folder, 'instance.json')),
    (folder: string) => writeFile(join(folder, 'instance.json'), '{"for')
  ]) {
    const folder = await filledFolder()
    await ruin(folder)
    await expect(prepareDataFolder(folder)).rejects.toMatchObject({ exitCode: 3 })
  }
})

test('[STORE-28] a second process on the same folder is refused with exit code 1, naming the pid of the first; after kill -9 of that one it is not', async () => {
  const folder = await temporaryFolder()
  const child = runScript(
    `import { prepareDataFolder } from ${moduleUrl('server/storage/data-folder.ts')}
     await prepareDataFolder(process.env.FOLDER)
     console.log('held')
     process.stdin.resume()`,
    folder
  )
  await once(child.stdout, 'data')
  const refused = expect.objectContaining({ exitCode: 1, message: expect.stringContaining(`pid ${child.pid}`) })
  await expect(prepareDataFolder(folder)).rejects.toEqual(refused)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const taken = await prepareDataFolder(folder)
  await expect(prepareDataFolder(folder)).rejects.toMatchObject({ message: expect.stringContaining(`pid ${process.pid}`) })
  await taken.release()
  await (await prepareDataFolder(folder)).release()
})

test('[STORE-29] a folder that cannot be created is refused with exit code 1', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'file'), '')
  await expect(prepareDataFolder(join(folder, 'file', 'data'))).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('writable')
  })
})

test('[STORE-30] when the disk refuses a write, every commit of the group and all later ones are refused, none becomes visible, reads still work and no rejection goes unhandled', async () => {
  const folder = await filledFolder()
  const child = runScript(
    `import { openLmdbStorage } from ${moduleUrl('server/storage/lmdb.ts')}
     const failures = []
     const storage = await openLmdbStorage({ folder: process.env.FOLDER, onFailure: ({ code }) => failures.push(code) })
     const escaped = []
     process.on('unhandledRejection', (reason) => escaped.push(String(reason)))
     const put = (name, size) => storage.commit({ puts: [{ key: [name], value: new Uint8Array(size) }] })
     const codes = (await Promise.allSettled([put('small', 1), put('large', 4_000_000), put('after', 1)])).map(({ status, reason }) => reason?.code ?? status)
     const later = await put('later', 1).then(() => 'fulfilled', ({ code }) => code)
     const visible = (await Promise.all(['small', 'large', 'after', 'later'].map((name) => storage.get([name])))).filter(Boolean).length
     const readable = (await storage.list(['d'])).length
     await storage.close()
     await new Promise(setImmediate)
     console.log(JSON.stringify({ codes, later, visible, readable, failures, escaped }))
     process.exit()`,
    folder,
    'ulimit -f 2000;'
  )
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  await once(child, 'exit')
  const unavailable = 'storage_unavailable'
  expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual({
    codes: [unavailable, unavailable, unavailable],
    later: unavailable,
    visible: 0,
    readable: 50,
    failures: [unavailable],
    escaped: []
  })
})

test('[STORE-31] a closed store refuses reads and commits, and close waits for commits in progress', async () => {
  const folder = await temporaryFolder()
  const storage = await openLmdbStorage({ folder })
  const commits = Array.from({ length: 20 }, (_, n) => storage.commit({ puts: [{ key: ['k', n], value: bytes('v') }] }))
  await storage.close()
  await storage.close()
  expect(await Promise.all(commits)).toEqual(commits.map(() => true))
  await expect(storage.get(['k', 1])).rejects.toMatchObject({ code: 'storage_unavailable' })
  await expect(storage.commit({})).rejects.toMatchObject({ code: 'storage_unavailable' })
  await withStorage(folder, async (again) => expect(await again.list(['k'])).toHaveLength(20))
})

test('[STORE-32] the check of a store prints one line of JSON on the command line', async () => {
  const check = new URL('../server/storage/check-process.ts', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [check, await filledFolder()])
  expect(JSON.parse(stdout)).toEqual({ ok: true, entries: 50, complete: true })
})

test('[STORE-33] the server starts although the rest of the store is still being checked, and exits with code 3 when the check finds damage', async () => {
  const folder = await filledFolder(1000)
  await damage(folder, ['d', 500], (envelope) => envelope.writeUInt8(0, 30))
  const { ended } = await beginCheck(folder)
  await expect(ended).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining('["d",500]') })
  const server = promisify(execFile)(process.execPath, [serverMain], { env: { ...process.env, AGMD_PORT: '0', AGMD_DATA_DIR: folder } })
  await expect(server).rejects.toMatchObject({ code: 3, stderr: expect.stringContaining('["d",500]') })
})

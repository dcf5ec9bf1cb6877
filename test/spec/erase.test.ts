import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { link, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keys } from '../../server/domain/records/keys.ts'
import { checkStore } from '../../server/storage/check.ts'
import { limits } from '../../shared/limits.ts'
import { testClock, type TestClock } from '../support/clock.ts'
import { png } from '../support/media.ts'
import { tracesIn, tracesOf } from '../support/traces.ts'
import { type Person, startWorld, until, type World } from '../support/world.ts'

let clock: TestClock
let world: World

beforeEach(async () => {
  clock = testClock()
  world = await startWorld({ clock })
})
afterEach(() => world.stop())

/** Returns a unique word. */
const word = (): string => randomBytes(18).toString('base64url')

const erase = (): Promise<void> => world.service.storage.erase?.() ?? Promise.reject(new Error('this store erases nothing'))

/** Creates other documents, whose records are between those of the deleted ones. */
const neighbours = async (count: number): Promise<{ person: Person; content: string }[]> => {
  const contents = Array.from({ length: count }, () => Array.from({ length: 1 + Math.floor(Math.random() * 200) }, word).join(' '))
  return Promise.all(contents.map(async (content) => ({ person: await world.create(content), content })))
}

const intact = async (others: readonly { person: Person; content: string }[]): Promise<void> => {
  for (const { person, content } of others) expect((await person.read()).content).toBe(content)
}

/** Creates a document that was typed in, replaced and commented on, with all resulting records. Returns its words as well. */
const used = async (): Promise<{ owner: Person; words: string[] }> => {
  const words: string[] = []
  const next = (): string => {
    words.push(word())
    return words.at(-1) as string
  }
  const owner = await world.create({ title: next(), content: `# ${next()}\n\n${next()}\n` })
  const editor = await owner.connect({ name: next() })
  for (let count = 0; count < 60; count++) {
    editor.type(0, `${next()} `)
    await editor.saved()
  }
  editor.close()
  for (let count = 0; count < 5; count++) await owner.replace(`${Array.from({ length: 40 * count + 1 }, next).join(' ')}\n`)
  const { content } = await owner.read()
  for (let count = 0; count < 10; count++) {
    const find = content.split(/\s/)[count]
    await owner.ask('POST', '/comments', { json: { find, body: next() } })
    await owner.ask('POST', '/suggestions', { json: { operation: 'replace', find, text: next(), note: next() } })
  }
  return { owner, words }
}

/** Waits until all documents have left memory, which happens after text, revisions and history segments have been written. */
const settled = async (): Promise<void> => {
  await until(() => {
    clock.advance(limits.autosaveMaxMs)
    return world.counts().documents === 0
  })
}

test(
  '[ERASE-1] after the erasure of a deletion, no file of the data folder holds 12 consecutive bytes of the text',
  { timeout: 30_000 },
  async () => {
    const before = await neighbours(15)
    const { owner, words } = await used()
    const after = await neighbours(15)
    await settled()
    const segments = await world.service.storage.list(keys.histories(owner.doc))
    expect(segments.length).toBeGreaterThan(0)
    const traces = tracesOf(
      words,
      segments.map(({ value }) => value.subarray(13))
    )
    expect((await tracesIn(world.folder, traces)).length).toBeGreaterThan(100)
    await owner.ask('DELETE', '', { query: { permanent: 1 } })
    expect((await tracesIn(world.folder, traces)).length).toBeGreaterThan(100)
    await erase()
    expect(await tracesIn(world.folder, traces)).toEqual([])
    await intact([...before, ...after])
  }
)

test.each(['DELETE', 'PATCH'])(
  '[REVIEW-173] after a %s, the text of a reply is erased from the files without further action',
  async (method) => {
    const owner = await world.create('kept\n')
    const secret = word()
    const { id } = (await owner.ask('POST', '/comments', { json: { body: 'x' } })).json
    const { id: replyId } = (await owner.ask('POST', `/comments/${id}/replies`, { json: { body: secret } })).json
    const left = (): Promise<readonly unknown[]> => tracesIn(world.folder, tracesOf([secret]))
    expect(await left()).not.toEqual([])
    await owner.ask(method, `/replies/${replyId}`, method === 'PATCH' ? { json: { body: 'y' } } : {})
    clock.advance(limits.eraseQuietSeconds * 1000)
    await until(async () => (await left()).length === 0, 'the end of the erasing')
  }
)

test('[ERASE-2] a deleted comment, and the earlier text of a comment, are erased like a document; adjacent data stays', async () => {
  const others = await neighbours(5)
  const owner = await world.create(`kept ${word()}\n`)
  const words = [word(), word()]
  const kept = word()
  const comment = async (body: string): Promise<string> => (await owner.ask('POST', '/comments', { json: { find: 'kept', body } })).json.id
  const [first, second] = [await comment(words[0] as string), await comment(words[1] as string)]
  const traces = tracesOf(words)
  await owner.ask('DELETE', `/comments/${first}`)
  expect((await owner.ask('PATCH', `/comments/${second}`, { json: { body: kept } })).status).toBe(200)
  expect(await tracesIn(world.folder, traces)).not.toEqual([])
  await erase()
  expect(await tracesIn(world.folder, traces)).toEqual([])
  expect((await owner.ask('GET', '/comments')).text).toContain(kept)
  await intact(others)
})

test('[ERASE-3] an erasure starts automatically a minute after the first deletion, and a pending one survives the process', async () => {
  const words = Array.from({ length: 400 }, word)
  const [first, second] = [await world.create(words[0]), await world.create(words.slice(1).join(' '))]
  await first.ask('DELETE', '', { query: { permanent: 1 } })
  clock.advance(limits.eraseQuietSeconds * 1000)
  await until(async () => (await tracesIn(world.folder, tracesOf(words.slice(0, 1)))).length === 0, 'the end of the erasing')
  await erase()
  await second.ask('DELETE', '', { query: { permanent: 1 } })
  expect(await tracesIn(world.folder, tracesOf(words))).not.toEqual([])
  world = await world.restart()
  clock.advance(limits.eraseQuietSeconds * 1000)
  await until(async () => (await tracesIn(world.folder, tracesOf(words))).length === 0, 'the end of the erasing after the restart')
})

test('[ERASE-4] erasing overwrites all space that was free before, and a run grows the file by a few pages', async () => {
  const file = join(world.folder, 'store', 'data.mdb')
  const { storage } = world.service
  const words = Array.from({ length: 300 }, word)
  // These records were deleted before any erasure was requested, as by an earlier version.
  await storage.commit({ puts: words.map((each, n) => ({ key: ['old', n], value: Buffer.from(each.repeat(n)) })) })
  await storage.commit({ deletes: words.map((_, n) => ['old', n]) })
  const traces = tracesOf(words)
  expect((await tracesIn(world.folder, traces)).length).toBeGreaterThan(1000)
  await erase()
  expect(await tracesIn(world.folder, traces)).toEqual([])
  const { size } = await stat(file)
  for (let run = 0; run < 5; run++) {
    const { person } = (await neighbours(1))[0] as { person: Person }
    await person.ask('DELETE', '', { query: { permanent: 1 } })
    await erase()
  }
  expect((await stat(file)).size - size).toBeLessThanOrEqual(5 * 16 * 4096)
  await checkStore(world.folder, { full: true })
})

test('[ERASE-5] writes and reads during an erasure work', async () => {
  const others = await neighbours(5)
  const erasings = erase()
  const { person } = (await neighbours(1))[0] as { person: Person }
  const editor = await person.connect()
  for (let count = 0; count < 20; count++) {
    editor.type(0, `${count} `)
    await editor.saved()
  }
  await erasings
  expect((await person.read()).content).toBe(editor.text())
  await intact(others)
})

test('[ERASE-8] an erasure during a backup is repeated after the backup, even after one that was killed', async () => {
  for (const ending of ['ended', 'killed'] as const) {
    const { owner, words } = await used()
    const reader = spawn(process.execPath, [join(import.meta.dirname, '../support/reading-process.ts'), world.folder])
    await once(reader.stdout, 'data')
    await owner.ask('DELETE', '', { query: { permanent: 'true' } })
    // The file with the locks is not read: closing it would release the locks of this process, which the server in it needs.
    const traces = async (): Promise<string[]> => tracesOf(words).in(await readFile(join(world.folder, 'store', 'data.mdb')))
    await erase()
    expect((await traces()).length, 'the reader still needs the text').toBeGreaterThan(0)
    const exit = once(reader, 'exit')
    if (ending === 'killed') reader.kill('SIGKILL')
    else reader.stdin.end()
    await exit
    await until(async () => {
      clock.advance(limits.eraseQuietSeconds * 1000)
      return (await traces()).length === 0
    })
  }
})

test('[ERASE-7] the file of an asset is overwritten before it is removed', async () => {
  const owner = await world.create('text')
  const { json } = await owner.ask('POST', '/assets', { query: { name: 'p.png' }, body: png(), type: 'image/png' })
  const path = join(world.folder, 'blobs', json.id.slice(0, 2), json.id)
  const other = join(world.folder, 'other name')
  await link(path, other)
  await owner.ask('DELETE', '', { query: { permanent: 1 } })
  expect(await stat(path).catch(() => 'gone')).toBe('gone')
  const left = await readFile(other)
  expect(left.length).toBe(png().length)
  expect(left.every((byte) => byte === 0)).toBe(true)
})

/** The stores of the device: which module owns each, and the rules of the outbox, with a simulated disk, pages and clock. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { deviceValue, documentValue, documentValues } from '../web/device/device.ts'
import { closingEntries } from '../web/device/closing-entries.ts'
import { openOutbox, type Outbox } from '../web/device/outbox.ts'
import type { StoredRecord } from '../web/device/records.ts'
import { removeFromDevice } from '../web/device/remove.ts'
import { readDevice, writeDevice } from '../web/device/values.ts'
import { fakeDevice, type FakeDevice, type FakePage } from './support/device.ts'

afterEach(() => void vi.useRealTimers())

interface TestEntry extends StoredRecord {
  readonly words: string
}

let documents = 0
const newDocument = (): string => `device-${(documents += 1)}`

/** Lets all work that does not wait for a timer finish. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}

const ids = async (outbox: Outbox<TestEntry>): Promise<string> => (await outbox.read()).map(({ id }) => id).join(' ')

const restored = async (outbox: Outbox<TestEntry>): Promise<string> => {
  const found: string[] = []
  await outbox.restore(({ id }) => found.push(id))
  return found.join(' ')
}

const say = (outbox: Outbox<TestEntry>, doc: string, id: string): Promise<boolean> =>
  outbox.put({ id, doc, at: outbox.now(), words: `words of ${id}` })

/** Opens a page with one outbox of each kind. */
function openPage(device: FakeDevice, doc: string): FakePage & { readonly review: Outbox<TestEntry>; readonly uploads: Outbox<TestEntry> } {
  const page = device.open()
  return { ...page, review: openOutbox('review', doc, page.page), uploads: openOutbox('uploads', doc, page.page) }
}

test('[KEEP-1] only web/device/ uses local storage and databases, and it names each value', () => {
  const root = join(import.meta.dirname, '..')
  const others = globSync('web/**/*.{ts,tsx,js}', { cwd: root }).filter((file) => !file.startsWith('web/device/'))
  const uses = others.filter((file) =>
    /\b(localStorage|sessionStorage|indexedDB|IndexeddbPersistence)\b|['"`]agmd[.:]\w/.test(
      readFileSync(join(root, file), 'utf8').replaceAll(/\bagmd\.(getData|setState|\w+\()/g, '')
    )
  )
  expect(uses.toSorted()).toEqual(['web/public/guest-name.js', 'web/public/theme.js'])
})

test('[WEB-71] removing a document from this device removes every value of it, and of no other document', async () => {
  const names = documentValues.flatMap((name) => [documentValue(name, 'x'), `${documentValue(name, 'x')}.page`])
  const others = documentValues.flatMap((name) => [documentValue(name, 'xy'), `${documentValue(name, 'y')}.x`])
  for (const name of [...names, ...others]) writeDevice(name, 'kept')
  writeDevice(deviceValue('claim.declined'), 'y x')
  await removeFromDevice('x')
  expect(names.map(readDevice)).toEqual(names.map(() => null))
  expect(others.map(readDevice)).toEqual(others.map(() => 'kept'))
  expect(readDevice(deviceValue('claim.declined'))).toBe('y')
  for (const name of [...others, deviceValue('claim.declined')]) writeDevice(name, null)
})

test('[KEEP-2] entries come back in the order in which they were added, including those of other pages', async () => {
  const doc = newDocument()
  const device = fakeDevice()
  const [one, other] = [openPage(device, doc), openPage(device, doc)]
  vi.useFakeTimers({ now: 1000 })
  await say(one.review, doc, 'a')
  await say(one.review, doc, 'b')
  vi.setSystemTime(1001)
  await say(other.review, doc, 'c')
  await say(one.review, newDocument(), 'elsewhere')
  await say(one.uploads, doc, 'file')
  expect(await ids(one.review)).toBe('a b c')
  expect(await ids(other.review)).toBe('a b c')
  expect(await ids(other.uploads)).toBe('file')
})

test('[KEEP-11] a list that was being read while an entry was added has that entry', async () => {
  const { page } = fakeDevice().open()
  const { list } = page.entries
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
  const entries = {
    ...page.entries,
    list: async (doc: string) => {
      const found = await list(doc)
      isAsked()
      await mayAnswer
      return found
    }
  }
  const outbox = openOutbox('review', 'doc', { ...page, entries })
  const read = outbox.read()
  await asked
  void outbox.put({ id: 'a', doc: 'doc', at: outbox.now() })
  answer()
  expect((await read).map(({ id }) => id)).toEqual(['a'])
})

test('[KEEP-3] only one of several pages sends in turn; the next starts when it has finished, or is gone', async () => {
  const device = fakeDevice()
  const doc = newDocument()
  const [one, other, third] = [openPage(device, doc), openPage(device, doc), openPage(device, doc)]
  const log: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  void one.review.inTurn(async () => {
    log.push('one')
    await promise
    log.push('one has done')
  })
  void other.review.inTurn(async () => {
    log.push('other')
    await new Promise(() => undefined)
  })
  void third.review.inTurn(async () => void log.push('third'))
  await settled()
  expect(log).toEqual(['one'])
  resolve()
  await settled()
  expect(log).toEqual(['one', 'one has done', 'other'])
  other.end()
  await settled()
  expect(log.at(-1)).toBe('third')
})

test('[KEEP-4] an entry belongs to the page that added it; another page restores it as soon as that page has ended', async () => {
  const device = fakeDevice()
  const doc = newDocument()
  const one = openPage(device, doc)
  await say(one.uploads, doc, 'a')
  await say(one.uploads, doc, 'b')
  const other = openPage(device, doc)
  const taken: string[] = []
  // The entry is requested twice, but the page waits for its lock only once.
  for (const _ of [1, 2]) await other.uploads.restore(({ id }) => taken.push(id))
  expect(taken).toEqual([])
  expect(await restored(one.uploads)).toBe('')
  one.end()
  await settled()
  expect(taken).toEqual(['a', 'b'])
  const third = openPage(device, doc)
  await third.uploads.restore(({ id }) => taken.push(`${id} again`))
  await other.uploads.drop('a')
  other.end()
  await settled()
  expect(taken).toEqual(['a', 'b', 'b again'])
})

test('[KEEP-4] an entry that its page finished while another page checked is not restored', async () => {
  const device = fakeDevice()
  const doc = newDocument()
  const one = openPage(device, doc)
  await say(one.uploads, doc, 'a')
  const page = device.open()
  const { list } = page.page.entries
  const slow: FakePage['page'] = {
    ...page.page,
    entries: {
      ...page.page.entries,
      async list(of) {
        const found = await list(of)
        await one.uploads.drop('a')
        return found
      }
    }
  }
  expect(await restored(openOutbox('uploads', doc, slow))).toBe('')
})

test('[KEEP-5] an entry that could not be sent waits for its own time; the network, the connection and a person end the wait', async () => {
  vi.useFakeTimers()
  const device = fakeDevice()
  const doc = newDocument()
  const { review, fire } = openPage(device, doc)
  let works = 0
  const stop = review.start({ work: () => (works += 1) })
  expect(works).toBe(1)
  review.later('a', 60_000)
  review.later('b', 15_000)
  expect([review.isDue('a'), review.isDue('b'), review.isDue('c')]).toEqual([false, false, true])
  await vi.advanceTimersByTimeAsync(15_000)
  expect([works, review.isDue('a'), review.isDue('b')]).toEqual([2, false, true])
  await vi.advanceTimersByTimeAsync(45_000)
  expect([works, review.isDue('a')]).toEqual([3, true])
  for (const wake of [() => fire('online'), () => review.wake()]) {
    const before = works
    review.later('a', 60_000)
    wake()
    expect([works, review.isDue('a')]).toEqual([before + 1, true])
  }
  review.later('a', 1000)
  stop()
  const before = works
  await vi.advanceTimersByTimeAsync(100_000)
  expect(works).toBe(before)
})

test('[KEEP-6] an entry whose answer was lost is sent again under its id, by this page or the next one, until it is acknowledged', async () => {
  vi.useFakeTimers()
  const device = fakeDevice()
  const doc = newDocument()
  const made = new Map<string, number>()
  const send = ({ id }: TestEntry, isAnswerLost: boolean): boolean => {
    made.set(id, (made.get(id) ?? 0) + 1)
    return !isAnswerLost
  }
  const openSender = (isAnswerLost: () => boolean): FakePage => {
    const page = openPage(device, doc)
    const { review } = page
    const drain = async (): Promise<void> => {
      for (;;) {
        const [next] = await review.read()
        if (next === undefined || !review.isDue(next.id)) return
        if (!send(next, isAnswerLost())) return review.later(next.id, 15_000)
        await review.drop(next.id)
      }
    }
    review.start({ work: () => void review.inTurn(drain) })
    return page
  }
  const writer = openPage(device, doc)
  await say(writer.review, doc, 'a')
  await say(writer.review, doc, 'b')
  const one = openSender(() => true)
  await vi.advanceTimersByTimeAsync(30_000)
  expect([...made]).toEqual([['a', 3]])
  one.end()
  openSender(() => false)
  await vi.advanceTimersByTimeAsync(0)
  expect([...made]).toEqual([
    ['a', 4],
    ['b', 1]
  ])
  expect(device.disk.size).toBe(0)
})

test('[KEEP-7] an entry that was not on disk when its page closed is there on the next page, once', async () => {
  const device = fakeDevice()
  const doc = newDocument()
  device.state = 'stuck'
  const one = openPage(device, doc)
  void say(one.review, doc, 'a')
  void say(one.review, doc, 'b')
  await settled()
  one.end()
  device.state = 'ok'
  const next = openPage(device, doc)
  next.review.start({ work: () => undefined })
  expect(await ids(next.review)).toBe('a b')
  expect(closingEntries(doc)).toEqual([])
  const after = openPage(device, doc)
  after.review.start({ work: () => undefined })
  expect(await ids(after.review)).toBe('a b')
})

test('[KEEP-7] if the device stores no entry, the page says so, and passes it on when it closes', async () => {
  const device = fakeDevice()
  const doc = newDocument()
  device.state = 'full'
  const one = openPage(device, doc)
  one.review.start({ work: () => undefined })
  expect(await say(one.review, doc, 'a')).toBe(false)
  expect(one.review.onlyHere.value).toBe(1)
  expect(await ids(one.review)).toBe('a')
  one.end()
  device.state = 'ok'
  const next = openPage(device, doc)
  next.review.start({ work: () => undefined })
  expect(await ids(next.review)).toBe('a')
  expect(next.review.onlyHere.value).toBe(0)
})

test('[KEEP-10] a database that opens late takes the entries that it was too slow for, but none that is done', async () => {
  const device = fakeDevice()
  const doc = newDocument()
  device.state = 'slow'
  const one = openPage(device, doc)
  for (const id of ['a', 'b', 'c']) await say(one.review, doc, id)
  await say(one.uploads, doc, 'file')
  expect([one.review.onlyHere.value, one.uploads.onlyHere.value]).toEqual([3, 1])
  await one.review.drop('b')
  device.openLate()
  await settled()
  expect([one.review.onlyHere.value, one.uploads.onlyHere.value]).toEqual([0, 0])
  expect([...device.disk.keys()].toSorted()).toEqual(['a', 'c', 'file'])
  expect(closingEntries(doc)).toEqual([])
})

test('[KEEP-8] an acknowledged entry does not come back, no matter what the disk does', async () => {
  const device = fakeDevice()
  const doc = newDocument()
  const { review } = openPage(device, doc)
  await say(review, doc, 'a')
  device.state = 'deaf'
  await review.drop('a')
  expect(await ids(review)).toBe('')
  // The answer arrived while the entry was being written to disk.
  device.state = 'ok'
  const writing = say(review, doc, 'b')
  await review.drop('b')
  expect(await writing).toBe(false)
  expect(await ids(review)).toBe('')
  expect([...device.disk.keys()]).toEqual(['a'])
  expect(closingEntries(doc)).toEqual([])
})

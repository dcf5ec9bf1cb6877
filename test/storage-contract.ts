import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Entry, Key, Range, Storage } from '../server/domain/ports.ts'
import { compareKeys } from '../server/storage/keys.ts'
import { limits } from '../shared/limits.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (entry: Entry | undefined) => entry && new TextDecoder().decode(entry.value)

/**
 * The contract of every store. `factory` creates an empty store, and the suite closes it. `racers` is the number of queues that race with 1,000
 * writes in total.
 */
export function storageContract(name: string, factory: () => Promise<Storage>, { racers = 100 } = {}): void {
  describe(name, () => {
    let storage: Storage
    beforeEach(async () => {
      storage = await factory()
    })
    afterEach(() => storage.close())

    const put = (key: Key, value = 'x') => storage.commit({ puts: [{ key, value: bytes(value) }] })
    const fill = (keys: readonly Key[]) => storage.commit({ puts: keys.map((key) => ({ key, value: bytes(JSON.stringify(key)) })) })
    const keysOf = async (prefix: Key, range?: Range) => (await storage.list(prefix, range)).map(({ key }) => key)
    const version = async (key: Key) => (await storage.get(key))?.version ?? null

    test('[STORE-1] after a commit its puts are present and its deleted keys are gone', async () => {
      expect(await storage.get(['d', 'a'])).toBeUndefined()
      expect(
        await fill([
          ['d', 'a'],
          ['d', 'b']
        ])
      ).toBe(true)
      expect(
        await storage.commit({
          puts: [{ key: ['d', 'c'], value: new Uint8Array() }],
          deletes: [
            ['d', 'a'],
            ['d', 'none']
          ]
        })
      ).toBe(true)
      expect(await storage.get(['d', 'a'])).toBeUndefined()
      expect(await storage.get(['d', 'b'])).toMatchObject({ key: ['d', 'b'], value: bytes('["d","b"]') })
      expect((await storage.get(['d', 'c']))?.value).toEqual(new Uint8Array())
    })

    test('[STORE-2] a commit with one failed check changes nothing and returns false', async () => {
      await put(['head'], 'one')
      const seen = await version(['head'])
      await put(['head'], 'two')
      const checks = [
        { key: ['none'], version: null },
        { key: ['head'], version: seen }
      ]
      expect(
        await storage.commit({
          checks,
          puts: [
            { key: ['head'], value: bytes('three') },
            { key: ['new'], value: bytes('n') }
          ],
          deletes: [['head']]
        })
      ).toBe(false)
      expect(text(await storage.get(['head']))).toBe('two')
      expect(await storage.get(['new'])).toBeUndefined()
    })

    test('[STORE-3] a check for null passes only without an entry, a check for a version only for that version', async () => {
      const create = () => storage.commit({ checks: [{ key: ['k'], version: null }], puts: [{ key: ['k'], value: bytes('k') }] })
      expect([await create(), await create()]).toEqual([true, false])
      const seen = await version(['k'])
      expect(await storage.commit({ checks: [{ key: ['k'], version: seen }] })).toBe(true)
      expect(await storage.commit({ checks: [{ key: ['k'], version: seen! + 1 }] })).toBe(false)
      expect(await storage.commit({ checks: [{ key: ['other'], version: seen }] })).toBe(false)
    })

    test('[STORE-4] a version is never reused: not by a put, nor by delete and put, nor when both happen at once', async () => {
      const seen: (number | null)[] = []
      for (let round = 0; round < 5; round++) {
        await put(['k'])
        seen.push(await version(['k']))
        await Promise.all([storage.commit({ deletes: [['k']] }), put(['k'])])
        seen.push(await version(['k']))
        await storage.commit({ deletes: [['k']] })
      }
      expect(new Set(seen).size).toBe(10)
    })

    test('[STORE-5] commits take effect in the order of their calls, and each sees those before it', async () => {
      const results = await Promise.all([
        put(['k'], 'a'),
        storage.commit({ checks: [{ key: ['k'], version: null }], puts: [{ key: ['k'], value: bytes('b') }] }),
        storage.commit({ deletes: [['k']] }),
        storage.commit({ checks: [{ key: ['k'], version: null }], puts: [{ key: ['k'], value: bytes('c') }] })
      ])
      expect(results).toEqual([true, false, true, true])
      expect(text(await storage.get(['k']))).toBe('c')
      const resolved: number[] = []
      await Promise.all(Array.from({ length: 200 }, (_, n) => put(['k'], String(n)).then(() => resolved.push(n))))
      expect(resolved).toEqual(Array.from({ length: 200 }, (_, n) => n))
      expect(text(await storage.get(['k']))).toBe('199')
    })

    test('[STORE-6] 1,000 writers that check one counter reach exactly 1,000', async () => {
      const increment = async () => {
        for (;;) {
          const head = await storage.get(['counter'])
          const next = bytes(String(Number(text(head) ?? 0) + 1))
          if (
            await storage.commit({
              checks: [{ key: ['counter'], version: head?.version ?? null }],
              puts: [{ key: ['counter'], value: next }]
            })
          )
            return
        }
      }
      const writer = { busy: Promise.resolve() }
      // A hundred queues of ten writers each race, like the queues of documents on different nodes.
      const queues = Array.from({ length: racers }, () => ({ ...writer }))
      for (let n = 0; n < 1000; n++) {
        const queue = queues[n % queues.length]!
        queue.busy = queue.busy.then(increment)
      }
      await Promise.all(queues.map(({ busy }) => busy))
      expect(text(await storage.get(['counter']))).toBe('1000')
    })

    test('[STORE-7] a listing has all keys below its prefix and no others, in key order', async () => {
      const below: Key[] = [
        ['d', 1],
        ['d', 2, 'x'],
        ['d', 10],
        ['d', 255],
        ['d', 256],
        ['d', ''],
        ['d', '\0'],
        ['d', '\x01'],
        ['d', 'a'],
        ['d', 'a', 0],
        ['d', 'a\0'],
        ['d', 'b']
      ]
      await fill([...below.toReversed(), ['d'], ['c', 'z'], ['d\0', 1], ['dd'], ['e'], [1, 'd']])
      expect(await keysOf(['d'])).toEqual(below)
      expect(await keysOf(['d', 'a'])).toEqual([['d', 'a', 0]])
      expect(await keysOf(['nothing'])).toEqual([])
      expect(await keysOf([])).toHaveLength(below.length + 6)
    })

    test('[STORE-8] after and before exclude the parts they name with everything below; reverse and limit start at the far end', async () => {
      await fill([['e', 1], ['e', 2], ['e', 2, 'x'], ['e', 3], ['e', 10], ['e', 'a'], ['f']])
      expect(await keysOf(['e'], { after: 2 })).toEqual([
        ['e', 3],
        ['e', 10],
        ['e', 'a']
      ])
      expect(await keysOf(['e'], { before: 3 })).toEqual([
        ['e', 1],
        ['e', 2],
        ['e', 2, 'x']
      ])
      expect(await keysOf(['e'], { after: 1, before: 10, reverse: true })).toEqual([
        ['e', 3],
        ['e', 2, 'x'],
        ['e', 2]
      ])
      expect(await keysOf(['e'], { reverse: true, limit: 2 })).toEqual([
        ['e', 'a'],
        ['e', 10]
      ])
      expect(await keysOf(['e'], { reverse: true, before: 'a', limit: 1 })).toEqual([['e', 10]])
      expect(await keysOf(['e'], { limit: 0 })).toEqual([])
      expect(await keysOf(['e'], { after: 3, before: 2 })).toEqual([])
    })

    test('[STORE-9] a listing is bounded by limits.listMax, and refuses a higher limit', async () => {
      await fill(Array.from({ length: limits.listMax + 5 }, (_, n) => ['n', n]))
      expect(await keysOf(['n'])).toHaveLength(limits.listMax)
      expect((await keysOf(['n'], { reverse: true })).at(0)).toEqual(['n', limits.listMax + 4])
      await expect(storage.list(['n'], { limit: limits.listMax + 1 })).rejects.toThrow('limits.listMax')
    })

    test('[STORE-10] keys of any strings and numbers stay distinct, come back unchanged and sort by their parts', async () => {
      const part = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.nat(300),
        fc.maxSafeNat(),
        fc.constantFrom('', '\0', '\x01', 'a'.repeat(70) + '\0', '\uffff', '\u{10000}')
      )
      const someKeys = fc.uniqueArray(fc.array(part, { minLength: 1, maxLength: 4 }), {
        maxLength: 30,
        selector: (key) => JSON.stringify(key)
      })
      let run = 0
      await fc.assert(
        fc.asyncProperty(someKeys, part, fc.boolean(), async (keys, bound, reverse) => {
          const prefix: Key = ['run', run++]
          await fill(keys.map((key) => [...prefix, ...key]))
          const sorted = keys.toSorted(compareKeys)
          const all = (await storage.list(prefix)).map((entry) => ({ key: entry.key.slice(2), value: text(entry) }))
          expect(all).toEqual(sorted.map((key) => ({ key, value: JSON.stringify([...prefix, ...key]) })))
          const above = sorted.filter(([first]) => compareKeys([first!], [bound]) > 0)
          expect((await keysOf(prefix, { after: bound, reverse })).map((key) => key.slice(2))).toEqual(reverse ? above.reverse() : above)
          const below = sorted.filter(([first]) => compareKeys([first!], [bound]) < 0)
          expect((await keysOf(prefix, { before: bound, reverse })).map((key) => key.slice(2))).toEqual(reverse ? below.reverse() : below)
        }),
        { numRuns: 60 }
      )
    })

    test('[STORE-11] an invalid key is refused, and the other commits of its group are not', async () => {
      const invalid: Key[] = [[], [-1], [1.5], [2 ** 53], ['\ud800'], ['x'.repeat(1977)], ['é'.repeat(989)]]
      const commits = await Promise.allSettled([put(['good'], '1'), ...invalid.map((key) => put(key)), put(['good'], '2')])
      expect(commits.map(({ status }) => status)).toEqual(['fulfilled', ...invalid.map(() => 'rejected'), 'fulfilled'])
      await put(['x'.repeat(1976)], 'longest')
      expect(text(await storage.get(['x'.repeat(1976)]))).toBe('longest')
      expect(text(await storage.get(['good']))).toBe('2')
    })

    test('[STORE-12] a watcher wakes once per commit, with the touched keys that begin with its prefix, after they can be read', async () => {
      const wakes: { keys: readonly Key[]; read: Promise<Entry | undefined> }[] = []
      const stop = storage.watch(['d', 1], (keys) => wakes.push({ keys, read: storage.get(['d', 1, 'a']) }))
      await storage.commit({
        puts: [
          { key: ['d', 1, 'a'], value: bytes('new') },
          { key: ['d', 2], value: bytes('') }
        ],
        deletes: [['d', 1]]
      })
      await storage.commit({ checks: [{ key: ['none'], version: 1 }], puts: [{ key: ['d', 1], value: bytes('') }] })
      await Promise.all([put(['d', '1']), put(['d', 1, 'b']), put(['d', 1, 'c'])])
      stop()
      await put(['d', 1])
      expect(wakes.map(({ keys }) => keys)).toEqual([
        [
          ['d', 1],
          ['d', 1, 'a']
        ],
        [['d', 1, 'b']],
        [['d', 1, 'c']]
      ])
      expect(text(await wakes[0]!.read)).toBe('new')
    })

    test('[STORE-13] when one watcher stops, the others still wake, above it and below it', async () => {
      const woken: string[] = []
      const stops = [[], ['d'], ['d', 1], ['d', 1]].map((prefix, index) => storage.watch(prefix, () => woken.push(`${index}`)))
      stops[2]!()
      stops[2]!()
      await put(['d', 1, 'x'])
      expect(woken.sort()).toEqual(['0', '1', '3'])
    })

    test('[STORE-34] a commit reports the version of its puts, unless another node may change them', async () => {
      const given: number[] = []
      const onWritten = (version: number): void => void given.push(version)
      const puts = ['a', 'b'].map((name) => ({ key: [name], value: bytes(name) }))
      await Promise.all([put(['x']), storage.commit({ puts, onWritten }), put(['y'])])
      await storage.commit({ checks: [{ key: ['a'], version: null }], puts, onWritten })
      expect(given).toEqual(storage.nodes === undefined ? [await version(['a'])] : [])
      expect(await version(['b'])).toBe(await version(['a']))
    })

    test('[STORE-14] changing arrays that were passed to a store or read from it does not change the store', async () => {
      const value = bytes('before')
      const key = ['k', 1]
      const committed = storage.commit({ puts: [{ key, value }] })
      value.fill(0)
      key[1] = 2
      await committed
      const read = await storage.get(['k', 1])
      await put(['k', 1], 'after!')
      await storage.get(['k', 1])
      expect(text(read)).toBe('before')
      expect(text((await storage.list(['k']))[0])).toBe('after!')
    })

    test('[STORE-15] values of several megabytes are kept whole', async () => {
      const value = new Uint8Array(5_000_003).map((_, at) => at % 251)
      await storage.commit({
        puts: [
          { key: ['big'], value },
          { key: ['small'], value: bytes('s') }
        ]
      })
      const [big, small] = await storage.list([]).then((entries) => entries)
      expect(Buffer.compare(big!.value, value)).toBe(0)
      expect(text(small)).toBe('s')
      expect(Buffer.compare((await storage.get(['big']))!.value, value)).toBe(0)
      expect(text(await storage.get(['small']))).toBe('s')
    })
  })
}

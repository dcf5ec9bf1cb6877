import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import type { Key, KeyPart, Storage } from '../server/domain/ports.ts'
import { encodeKey } from '../server/storage/keys.ts'
import { isPostgresAddress, parsePostgresAddress } from '../server/storage/postgres/address.ts'
import { decodeNotice, encodeNotices } from '../server/storage/postgres/notices.ts'
import { clientConfig, patience } from '../server/storage/postgres/connection.ts'
import { judgeServer, type Owner, preparePostgres, readSettings, withClient } from '../server/storage/postgres/prepare.ts'
import { placeOf } from '../server/storage/postgres/schema.ts'
import { openPostgresStorage } from '../server/storage/postgres/store.ts'
import { withReadCache } from '../server/storage/read-cache.ts'
import { storageContract } from './storage-contract.ts'
import { limits } from '../shared/limits.ts'
import { type Cluster, freshSchema, noPostgres, sharedCluster } from './support/postgres.ts'
import { startProcess } from './support/start.ts'
import { withLimit } from './support/limits.ts'
import { startWire } from './support/wire.ts'
import { settledWithin, until } from './support/world.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (value: Uint8Array | undefined) => value && new TextDecoder().decode(value)
const owner: Owner = { instance: 'one', secret: bytes('secret'), version: 'test' }

describe.skipIf(noPostgres !== undefined)('PostgreSQL', () => {
  let cluster: Cluster
  /** Schemas that are dropped after the tests. */
  const schemas: string[] = []
  const newSchema = (): string => {
    schemas.push(freshSchema())
    return schemas.at(-1)!
  }
  const openIn = async (schema: string, port = cluster.port): Promise<Storage> => {
    const address = { ...parsePostgresAddress(cluster.address(schema)), port }
    const { synced } = await preparePostgres(address, owner)
    return openPostgresStorage({ address, synced })
  }
  /** Opens a store, which is closed after the test. */
  const openFor = async (schema: string, port = cluster.port): Promise<Storage> => {
    const storage = await openIn(schema, port)
    onTestFinished(() => storage.close())
    return storage
  }

  let common: string
  beforeAll(async () => {
    cluster = await sharedCluster()
    common = newSchema()
    await (await openIn(common)).close()
  })
  afterAll(async () => {
    for (const schema of schemas) await cluster.sql(`drop schema if exists ${schema} cascade`)
  })

  // Creating tables takes longer than deleting records, so all tests of the contract share one set of tables.
  const emptied = async () => {
    await cluster.sql(`delete from ${common}.record`)
    return withReadCache(await openIn(common))
  }
  storageContract('postgres behind a read cache', emptied, { racers: 10 })

  test('[POSTGRES-1] records and versions survive reopening the store, and versions are not reused', async () => {
    const schema = newSchema()
    const versions: (number | undefined)[] = []
    const gone: (number | undefined)[] = []
    for (let round = 0; round < 3; round++) {
      const storage = await openIn(schema)
      await storage.commit({ puts: [{ key: ['k', round], value: bytes(`${round}`) }] })
      versions.push((await storage.get(['k', round]))?.version)
      // The newest version belongs to a record that is then deleted.
      await storage.commit({ puts: [{ key: ['gone'], value: bytes('') }] })
      gone.push((await storage.get(['gone']))?.version)
      await storage.commit({ deletes: [['gone']] })
      await storage.close()
    }
    const storage = await openFor(schema)
    expect((await storage.list(['k'])).map(({ key, value, version }) => [key[1], text(value), version])).toEqual(
      versions.map((version, round) => [round, `${round}`, version])
    )
    expect(new Set([...versions, ...gone]).size).toBe(6)
  })

  test('[POSTGRES-2] a damaged value is storage_corrupt naming the key, and other entries are not affected', async () => {
    const schema = newSchema()
    const storage = await openFor(schema)
    await storage.commit({ puts: [1, 2].map((n) => ({ key: ['d', n], value: bytes('value') })) })
    await cluster.sql(`update ${schema}.record set value = 'other' where key = '\\x${Buffer.from(encodeKey(['d', 1])).toString('hex')}'`)
    await expect(storage.get(['d', 1])).rejects.toMatchObject({ code: 'storage_corrupt', details: { key: ['d', 1] } })
    expect(text((await storage.get(['d', 2]))?.value)).toBe('value')
  })

  test('[POSTGRES-3] a closed store refuses reads and commits, and close waits for commits in progress', async () => {
    const schema = newSchema()
    const storage = await openIn(schema)
    let settled = 0
    const commits = Array.from({ length: 20 }, (_, n) =>
      storage.commit({ puts: [{ key: ['k', n], value: bytes('v') }] }).finally(() => settled++)
    )
    await storage.close()
    expect(settled).toBe(20)
    await storage.close()
    expect(await Promise.all(commits)).toEqual(commits.map(() => true))
    await expect(storage.get(['k', 1])).rejects.toMatchObject({ code: 'storage_unavailable' })
    await expect(storage.commit({})).rejects.toMatchObject({ code: 'storage_unavailable' })
  })

  /** Makes commits as another node, using a connection that does not hold the lock of the service. */
  const otherNode = async (schema: string, run: (client: pg.Client) => Promise<unknown>): Promise<void> => {
    const client = new pg.Client(cluster.address())
    await client.connect()
    await client.query(`set search_path to ${schema}`)
    try {
      await run(client)
    } finally {
      await client.end()
    }
  }

  test('[POSTGRES-4] a commit tells other nodes its keys; a commit of another node wakes watchers with its keys, and a read cache forgets them', async () => {
    const schema = newSchema()
    const storage = withReadCache(await openFor(schema))
    const heard: unknown[] = []
    await otherNode(schema, async (client) => {
      client.on('notification', ({ payload }) => heard.push(decodeNotice(payload!)?.keys))
      await client.query(`listen agmd_${schema}`)
      await storage.commit({ puts: [{ key: ['d', 1], value: bytes('old') }], deletes: [['d', 2]] })
      await until(() => heard.length > 0, 'the notice')
    })
    expect(heard).toEqual([
      [
        ['d', 2],
        ['d', 1]
      ]
    ])
    expect(text((await storage.get(['d', 1]))?.value)).toBe('old')
    const woken: (readonly Key[])[] = []
    storage.watch(['d'], (keys) => woken.push(keys))
    const [notice] = encodeNotices('11111111-1111-1111-1111-111111111111', 1, [encodeKey(['d', 1])])
    await otherNode(schema, async (client) => {
      await client.query('delete from record')
      await client.query('select pg_notify($1, $2)', [`agmd_${schema}`, notice])
    })
    await until(() => woken.length > 0, 'the wake')
    expect(woken).toEqual([[['d', 1]]])
    expect(await storage.get(['d', 1])).toBeUndefined()
  })

  test('[POSTGRES-5] a store whose listening connection was cut reconnects, and notifies all watchers because it may have missed commits', async () => {
    const schema = newSchema()
    const storage = withReadCache(await openFor(schema))
    await storage.commit({ puts: [{ key: ['d', 1], value: bytes('old') }] })
    await storage.get(['d', 1])
    const woken: (readonly Key[])[] = []
    storage.watch(['d'], (keys) => woken.push(keys))
    await otherNode(schema, async (client) => {
      await client.query('delete from record')
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'agmd node ${storage.nodes!.id}'`)
    })
    await until(() => woken.length > 0, 'the wake')
    expect(woken).toEqual([[]])
    expect(await storage.get(['d', 1])).toBeUndefined()
  })

  test('[POSTGRES-6] a key that must be absent stays absent, even when another node is putting it', async () => {
    const schema = newSchema()
    const storage = await openFor(schema)
    const key = Buffer.from(encodeKey(['email', 'x'])).toString('hex')
    await otherNode(schema, async (client) => {
      await client.query('begin')
      const columns = 'place, key, value, version, sum'
      await client.query(`insert into record (${columns}) values ($1, '\\x${key}', '', nextval('version'), 0)`, [placeOf(['email', 'x'])])
      const commit = storage.commit({
        checks: [{ key: ['email', 'x'], version: null }],
        puts: [{ key: ['account', 1], value: bytes('a') }]
      })
      await until(async () => {
        const { rows } = await client.query('select 1 from pg_locks where not granted')
        return rows.length > 0
      }, 'the lock')
      await client.query('commit')
      expect(await commit).toBe(false)
    })
    expect(await storage.get(['account', 1])).toBeUndefined()
    expect(
      await storage.commit({ checks: [{ key: ['email', 'y'], version: null }], puts: [{ key: ['account', 2], value: bytes('a') }] })
    ).toBe(true)
    expect(await storage.get(['email', 'y'])).toBeUndefined()
  })

  test('[POSTGRES-7] a message names all its keys, or none if there are too many', () => {
    const keys = Array.from({ length: 500 }, (_, n): Key => ['d', 'document', 'update', n])
    const messages = encodeNotices('w', 1, keys.map(encodeKey))
    expect(messages.length).toBeGreaterThan(1)
    expect(messages.every((message) => Buffer.byteLength(message) < 8000)).toBe(true)
    const notices = messages.map((message) => decodeNotice(message)!)
    expect(notices.flatMap((notice) => (notice.keys === 'any' ? [] : notice.keys))).toEqual(keys)
    // A node that has the number of a commit has all its messages.
    expect(notices.map(({ number }) => number)).toEqual([...notices.slice(1).map(() => 0), 1])
    const many = Array.from({ length: 10_000 }, (_, n) => encodeKey(['d', 'document', 'update', n]))
    expect(encodeNotices('w', 1, many).map(decodeNotice)).toEqual([{ writer: 'w', number: 1, keys: 'any' }])
    expect(encodeNotices('w', 2, []).map(decodeNotice)).toEqual([{ writer: 'w', number: 2, keys: [] }])
  })

  /** Creates a proxy to the cluster. It can drop the connection together with the next commit, or with the answer to it. */
  const breakingProxy = async () => {
    const target = new URL(cluster.address())
    const port = Number(target.port)
    let lose: 'nothing' | 'answer' | 'commit' = 'nothing'
    let lost = 0
    let notifications = 0
    let isRefusing = false
    const answering = new Set<Socket>()
    const proxy = createServer((near) => {
      if (isRefusing) return near.destroy()
      const far = createConnection(port, '127.0.0.1')
      answering.add(far)
      far.on('close', () => answering.delete(far))
      let committing = false
      const cut = () => {
        lost++
        lose = 'nothing'
        near.destroy()
        far.destroy()
      }
      near.on('data', (chunk) => {
        // The name of the prepared statement.
        committing = chunk.includes('\0commit\0')
        if (chunk.includes('\0notify\0')) notifications++
        if (lose === 'commit' && committing) cut()
        else far.write(chunk)
      })
      far.on('data', (chunk) => (lose === 'answer' && committing ? cut() : near.write(chunk)))
      for (const [one, other] of [
        [near, far],
        [far, near]
      ] as const)
        one.on('error', () => {}).on('close', () => other.destroy())
      return undefined
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    target.port = String((proxy.address() as AddressInfo).port)
    return {
      address: (schema: string) => `${target.href}?schema=${schema}`,
      losing: (what: typeof lose) => void (lose = what),
      refusing: (refuses: boolean) => void (isRefusing = refuses),
      /** Holds back the answers of PostgreSQL during `work`. */
      async holding(work: () => Promise<void>) {
        for (const far of answering) far.pause()
        await work().finally(() => answering.forEach((far) => far.resume()))
      },
      lost: () => lost,
      notifications: () => notifications
    }
  }

  test.each(['answer', 'commit'] as const)('[POSTGRES-15] a commit whose %s is lost on the way is made exactly once', async (what) => {
    const proxy = await breakingProxy()
    const address = parsePostgresAddress(proxy.address(newSchema()))
    const { synced } = await preparePostgres(address, owner)
    const storage = await openPostgresStorage({ address, synced })
    try {
      await storage.commit({ puts: [{ key: ['before'], value: bytes('') }] })
      proxy.losing(what)
      const checks = [{ key: ['k'], version: null }]
      const commits = ['first', 'second'].map((value) => storage.commit({ checks, puts: [{ key: ['k'], value: bytes(value) }] }))
      expect(await Promise.all(commits)).toEqual([true, false])
      expect(proxy.lost()).toBe(1)
      expect(text((await storage.get(['k']))?.value)).toBe('first')
    } finally {
      await storage.close()
    }
  })

  test('[POSTGRES-18] a commit that its node gave up waiting for, but that was made, is known to the others with the next commit', async () => {
    const schema = newSchema()
    const proxy = await breakingProxy()
    const other = withReadCache(await openFor(schema))
    const address = parsePostgresAddress(proxy.address(schema))
    const { commitSeconds } = patience
    const storage = await openPostgresStorage({ address, synced: true })
    onTestFinished(() => storage.close())
    await storage.commit({ puts: [{ key: ['k'], value: bytes('old') }] })
    await other.nodes!.heard()
    expect(text((await other.get(['k']))?.value)).toBe('old')
    patience.commitSeconds = 0.2
    try {
      proxy.losing('answer')
      const commit = storage.commit({ puts: [{ key: ['k'], value: bytes('new') }] })
      await until(() => proxy.lost() === 1, 'the lost answer')
      proxy.refusing(true)
      await expect(commit).rejects.toMatchObject({ code: 'storage_unavailable' })
    } finally {
      patience.commitSeconds = commitSeconds
      proxy.refusing(false)
    }
    await until(() => storage.commit({ puts: [{ key: ['later'], value: bytes('') }] }).catch(() => false), 'a commit')
    await other.nodes!.heard()
    expect(text((await other.get(['k']))?.value)).toBe('new')
  })

  test('[POSTGRES-19] commits in quick succession share notifications, and the first one after a pause is announced at once', async () => {
    const schema = newSchema()
    const proxy = await breakingProxy()
    const other = await openFor(schema)
    const storage = await openPostgresStorage({ address: parsePostgresAddress(proxy.address(schema)), synced: true })
    onTestFinished(() => storage.close())
    const known: (KeyPart | undefined)[] = []
    other.watch(['k'], (keys) => known.push(...keys.map(([, number]) => number)))
    const commit = (number: number) => storage.commit({ puts: [{ key: ['k', number], value: bytes('') }] })
    await withLimit('nodeNoticeMs', 1500, async () => {
      await commit(0)
      await until(() => known.length === 1, 'the first notice', 1)
      const before = proxy.notifications()
      for (let number = 1; number <= 20; number++) await commit(number)
      await until(() => known.length === 21, 'the other notices')
      expect(known).toEqual(Array.from({ length: 21 }, (_, number) => number))
      expect(proxy.notifications() - before).toBe(1)
    })
  })

  test('[POSTGRES-22] who receives a message reads the commits that its sender made before', async () => {
    const schema = newSchema()
    const other = withReadCache(await openFor(schema))
    const storage = await openFor(schema)
    const read: (string | undefined)[] = []
    other.nodes!.onMessage(() => void other.get(['k']).then((entry) => read.push(text(entry?.value))))
    // Notices and messages share a transaction.
    await withLimit('nodeNoticeMs', 50, async () => {
      for (const value of ['one', 'two', 'three']) {
        await storage.commit({ puts: [{ key: ['k'], value: bytes('before') }] })
        await other.nodes!.heard()
        await other.get(['k'])
        await storage.commit({ puts: [{ key: ['k'], value: bytes(value) }] })
        storage.nodes!.send('written')
        await until(() => read.at(-1) === value || read.includes('before'), 'the reading')
      }
    })
    expect(read).toEqual(['one', 'two', 'three'])
  })

  test('[POSTGRES-23] after a commit that failed because another node was faster, the cache has none of the keys of that node', async () => {
    const schema = newSchema()
    const other = withReadCache(await openFor(schema))
    const storage = await openFor(schema)
    const write = (value: string) => storage.commit({ puts: ['head', 'task'].map((name) => ({ key: ['d', name], value: bytes(value) })) })
    await withLimit('nodeNoticeMs', 300, async () => {
      await write('old')
      await other.nodes!.heard()
      const head = await other.get(['d', 'head'])
      await other.get(['d', 'task'])
      await write('new')
      expect(await other.commit({ checks: [{ key: ['d', 'head'], version: head!.version }], deletes: [['d', 'head']] })).toBe(false)
      expect(text((await other.get(['d', 'task']))?.value)).toBe('new')
    })
  })

  test('[POSTGRES-20] a node that is alone sends no notifications, and a node that joins misses nothing', async () => {
    const schema = newSchema()
    const proxy = await breakingProxy()
    await openIn(schema).then((storage) => storage.close())
    const storage = await openPostgresStorage({ address: parsePostgresAddress(proxy.address(schema)), synced: true })
    onTestFinished(() => storage.close())
    const commit = (value: string) => storage.commit({ puts: [{ key: ['k'], value: bytes(value) }] })
    const isAnnounced = async (): Promise<boolean> => {
      const before = proxy.notifications()
      await commit('old')
      return until(() => proxy.notifications() > before, 'a notification', 1).then(
        () => true,
        () => false
      )
    }
    await until(async () => !(await isAnnounced()), 'a commit without notification')
    const told: string[] = []
    const woken: (readonly Key[])[] = []
    let other: Storage | undefined
    // The first node sends a message before it hears that another one listens.
    await proxy.holding(async () => {
      other = withReadCache(await openFor(schema))
      other.nodes!.onMessage((message) => told.push(message))
      other.watch(['k'], (keys) => woken.push(keys))
      storage.nodes!.send('hello')
    })
    await until(() => told.includes('hello'), 'the message')
    for (const value of ['one', 'two', 'three']) {
      await commit(value)
      await other!.nodes!.heard()
      expect(text((await other!.get(['k']))?.value)).toBe(value)
    }
    expect(woken.at(-1)).toEqual([['k']])
    expect(await isAnnounced()).toBe(true)
  })

  test('[POSTGRES-21] counting the nodes waits while PostgreSQL does not answer', async () => {
    const schema = newSchema()
    const proxy = await breakingProxy()
    await openFor(schema)
    const storage = await openPostgresStorage({ address: parsePostgresAddress(proxy.address(schema)), synced: true })
    onTestFinished(() => storage.close())
    proxy.refusing(true)
    const counted = storage.nodes!.count()
    expect(await settledWithin(counted, 100)).toBe('waiting')
    proxy.refusing(false)
    expect(await counted).toBe(2)
  })

  /** Returns the error thrown while the store at an address is prepared. */
  const refusal = (url: string, who = owner) => preparePostgres(parsePostgresAddress(url), who).catch((error: unknown) => error)
  const refused = (exitCode: number, said: string) => expect.objectContaining({ exitCode, message: expect.stringContaining(said) })

  test('[POSTGRES-8] if the store cannot be used, the process prints a sentence and exits with an error code', async () => {
    const url = cluster.address(newSchema())
    await cluster.sql(`create role guarded login password 'right'; create role poor login`)
    onTestFinished(() => cluster.sql('drop role guarded; drop role poor'))
    expect(await refusal('postgres://agmd@127.0.0.1:1/postgres')).toEqual(refused(1, 'cannot be reached'))
    expect(await refusal(url.replace('agmd@', 'guarded:wr0ng@'))).toEqual(refused(78, 'rejects the login of guarded'))
    expect(await refusal(url.replace('/postgres?', '/none?'))).toEqual(refused(78, 'createdb --owner=agmd none'))
    expect(await refusal(url.replace('agmd@', 'poor@'))).toEqual(refused(78, 'grant create on database postgres to poor'))
  })

  test('[POSTGRES-9] a store of a newer format, of another installation or of another secret is refused', async () => {
    const schema = newSchema()
    const url = cluster.address(schema)
    await preparePostgres(parsePostgresAddress(url), owner)
    expect(await refusal(url, { ...owner, instance: 'two' })).toEqual(refused(3, 'another installation'))
    expect(await preparePostgres(parsePostgresAddress(url), { ...owner, instance: 'two', joins: true })).toMatchObject({ instance: 'one' })
    expect(await refusal(url, { ...owner, instance: 'two', joins: true, secret: bytes('other') })).toEqual(
      refused(3, 'another installation')
    )
    expect(await refusal(url, { ...owner, secret: bytes('other') })).toEqual(refused(3, 'The secret is not the one'))
    await cluster.sql(`update ${schema}.meta set value = '99' where name = 'format'`)
    expect(await refusal(url)).toEqual(refused(4, 'has format 99'))
  })

  test('[POSTGRES-10] an old PostgreSQL, a standby and fsync=off are refused; weaker settings are warnings', async () => {
    const address = parsePostgresAddress('postgres://u:p@db.example.org/x?sslmode=verify-full')
    const good = {
      server_version_num: '150018',
      server_version: '15.18',
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_standby_names: '',
      synchronous_commit: 'on',
      standby: 'false',
      standbys: '0'
    }
    expect(judgeServer(address, good)).toEqual({ warnings: [], synced: false })
    // The server of the tests has these settings as well.
    const found = await withClient(parsePostgresAddress(cluster.address()), readSettings)
    const any = expect.any(String) as string
    expect(found).toEqual({ ...good, server_version_num: any, server_version: any, clock: any })
    expect(judgeServer(address, { ...good, synchronous_commit: 'off' })).toEqual({
      warnings: [expect.stringContaining('sets it to on')],
      synced: true
    })
    expect(judgeServer(address, { ...good, full_page_writes: 'off' }).warnings).toHaveLength(1)
    expect(judgeServer(address, { ...good, synchronous_commit: 'local', synchronous_standby_names: 'b' }).warnings).toHaveLength(1)
    expect(judgeServer(address, { ...good, standbys: '1' }).warnings).toEqual([expect.stringContaining('asynchronous')])
    expect(judgeServer(address, { ...good, standbys: '1', synchronous_standby_names: 'b' }).warnings).toEqual([])
    const clock = String(Date.now() - 3_600_000)
    expect(judgeServer(address, { ...good, clock }).warnings).toEqual([expect.stringMatching(/clock of this machine differs by 3600 s/)])
    expect(judgeServer(parsePostgresAddress('postgres://u:p@db.example.org/x'), good).warnings).toEqual([
      expect.stringContaining('not encrypted')
    ])
    for (const bad of [{ server_version_num: '140012' }, { standby: 'true' }, { fsync: 'off' }])
      expect(() => judgeServer(address, { ...good, ...bad })).toThrow(expect.objectContaining({ exitCode: 78 }))
  })

  test('[POSTGRES-11] with synchronous_commit=off on the server, the commits of the store are still synchronous', async () => {
    const schema = newSchema()
    await cluster.sql(`create role hasty login superuser; alter role hasty set synchronous_commit = off`)
    const address = parsePostgresAddress(cluster.address(schema).replace('agmd@', 'hasty@'))
    const { synced } = await preparePostgres(address, owner)
    expect(synced).toBe(true)
    const client = new pg.Client(clientConfig(address, synced))
    await client.connect()
    expect((await client.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }])
    await client.end()
    await cluster.sql(`drop schema ${schema} cascade; drop role hasty`)
  })

  test('[POSTGRES-12] nodes share a schema, and a migration excludes them', async () => {
    const schema = newSchema()
    const first = await openIn(schema)
    const second = await openIn(schema)
    expect(await second.nodes?.count()).toBe(2)
    expect(await second.nodes?.isAlive(first.nodes!.id)).toBe(true)
    const address = parsePostgresAddress(cluster.address(schema))
    const move = () => openPostgresStorage({ address, synced: false, exclusive: true })
    await expect(move()).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('Stop all its nodes') })
    await first.close()
    await until(async () => !(await second.nodes?.isAlive(first.nodes!.id)), 'the end of the node')
    await second.close()
    const moving = await move()
    onTestFinished(() => moving.close())
    await expect(openIn(schema)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('are being moved') })
  })

  test('[POSTGRES-16] a node can wait until it knows the commits of other nodes, and a node that cannot listen caches nothing', async () => {
    const schema = newSchema()
    const wire = await startWire(cluster.port)
    onTestFinished(() => wire.stop())
    const one = withReadCache(await openFor(schema))
    const other = withReadCache(await openFor(schema, wire.port))
    const woken: (readonly [string, boolean])[] = []
    other.watch(['k'], (keys, isForeign) => woken.push([String(keys[0]?.[1]), isForeign]))
    for (let round = 0; round < 200; round++) {
      await one.commit({
        puts: [
          { key: ['k', `${round}`], value: bytes(`${round}`) },
          { key: ['same'], value: bytes(`${round}`) }
        ]
      })
      await other.nodes!.heard()
      expect(woken.at(-1)).toEqual([`${round}`, true])
      expect(text((await other.get(['same']))?.value)).toBe(`${round}`)
    }
    const at = `application_name = 'agmd node ${other.nodes!.id}'`
    wire.target = 1
    await cluster.sql(`select pg_terminate_backend(pid) from pg_stat_activity where ${at}`)
    await until(() => !other.nodes!.isListening(), 'the end of the connection')
    await other.get(['same'])
    await cluster.sql(`delete from ${schema}.record`)
    expect(await other.get(['same'])).toBeUndefined()
    wire.target = cluster.port
    await until(() => other.nodes!.isListening(), 'the next connection')
  })

  test('[POSTGRES-18] a commit whose node was killed before it told the others is known to them after a wait, or no later than the next check', async () => {
    const schema = newSchema()
    const storage = withReadCache(await openFor(schema))
    const woken: (readonly Key[])[] = []
    storage.watch(['d'], (keys) => woken.push(keys))
    const writer = '11111111-1111-1111-1111-111111111111'
    await otherNode(schema, async (client) => {
      await client.query(`insert into writer (id, epoch, last) values ('${writer}', 1, 0)`)
      for (const [number, look] of [() => storage.nodes!.heard(), () => until(() => woken.length > 1, 'the check')].entries()) {
        await storage.commit({ puts: [{ key: ['d', 1], value: bytes('old') }] })
        woken.length = number
        expect(text((await storage.get(['d', 1]))?.value)).toBe('old')
        await client.query(`begin; delete from record; update writer set last = ${number + 1}, seen = now() where id = '${writer}'; commit`)
        await look()
        expect(woken.at(-1)).toEqual([])
        expect(await storage.get(['d', 1])).toBeUndefined()
      }
    })
  })

  test('[POSTGRES-17] a message reaches the other nodes, not its sender, and one that is too large is dropped', async () => {
    const schema = newSchema()
    const stores = [await openFor(schema), await openFor(schema), await openFor(schema)]
    const told: string[] = []
    stores.forEach(({ nodes }, n) => nodes!.onMessage((message, node) => told.push(`${n} ${message} ${node === stores[0]!.nodes!.id}`)))
    stores[0]!.nodes!.send('x'.repeat(limits.nodeMessageBytesMax + 1))
    stores[0]!.nodes!.send('ä'.repeat(limits.nodeMessageBytesMax / 2))
    stores[0]!.nodes!.send('hello !')
    // The nodes do not pass on how they greet each other.
    await openFor(schema)
    await until(() => told.length === 4, 'the messages')
    expect(told.filter((message) => message.length < 100).toSorted()).toEqual(['1 hello ! true', '2 hello ! true'])
  })

  test('[POSTGRES-13] the process prints the reason, exits with the matching code, and never prints the password', async () => {
    await cluster.sql(`create role guarded login password 'right'`)
    onTestFinished(() => cluster.sql('drop role guarded'))
    const env = { AGMD_STORAGE: cluster.address(newSchema()).replace('agmd@', 'guarded:hunter2@') }
    const error = await startProcess({ env }).then(
      () => undefined,
      (reason: Error) => reason.message
    )
    expect(error).toContain('the server ended with 78: PostgreSQL rejects the login of guarded')
    expect(error).not.toContain('hunter2')
  })
})

test('[POSTGRES-14] an address has a host, a user and a database; unknown parameters are refused', () => {
  const good = [
    'postgres://u@h/d',
    'postgresql://u:p%40@[::1]:5433/d?sslmode=require&schema=a_1',
    'postgres://u@localhost/d?host=/run/postgresql'
  ]
  const bad = [
    '',
    'mysql://u@h/d',
    'postgres://h/d',
    'postgres://u@h',
    'postgres://u@h/d?host=',
    'postgres://u@h/d?sslmod=require',
    'postgres://u@h/d?sslmode=prefer'
  ]
  expect(good.filter((url) => !isPostgresAddress(url))).toEqual([])
  expect([...bad, 'postgres://u@h/d?schema=A', 'postgres://u@h/a/b', 'postgres://u%@h/d'].filter(isPostgresAddress)).toEqual([])
  expect(parsePostgresAddress('postgresql://u:p%40@[::1]:5433/d?sslmode=require&schema=a_1')).toEqual({
    host: '::1',
    port: 5433,
    user: 'u',
    password: 'p@',
    database: 'd',
    ssl: { rejectUnauthorized: false },
    schema: 'a_1',
    shown: 'database d at ::1:5433 as u, schema a_1'
  })
})

/** The audit log: what it records, what it leaves out, and for how long it keeps its records. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Batch, Storage } from '../../server/domain/ports.ts'
import { auditFailure, type AuditFilter, auditPut, type AuditRecord, listAudit, sweepAudit } from '../../server/domain/records/audit.ts'
import { finishDeletions } from '../../server/domain/documents/trash.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { withLimit } from '../support/limits.ts'
import { callAs, join as joinAs, type Joined, newVisitor, password, signIn, type Visitor } from '../support/visitor.ts'
import { type Json, startWorld, type World } from '../support/world.ts'

const clock = testClock()
const batches: Batch[] = []
const watched = (storage: Storage): Storage => ({
  ...storage,
  commit(batch) {
    batches.push(batch)
    return storage.commit(batch)
  }
})
let world: World
beforeAll(async () => {
  world = await startWorld({ clock, storage: watched, env: { AGMD_AUDIT_DAYS: '60' } })
})
afterAll(() => world.stop())

const log = async (filter: AuditFilter = {}): Promise<readonly AuditRecord[]> => {
  await world.service.ledger.idle()
  return (await listAudit(world.service, { ...filter, limit: 500 })).records
}
const kinds = async (filter: AuditFilter): Promise<string[]> => (await log(filter)).map(({ kind }) => kind).toReversed()

const call = (visitor: Visitor, method: string, path: string, json?: unknown): Promise<Response> =>
  callAs(world.url, visitor, method, path, json)
const answer = async (visitor: Visitor, method: string, path: string, json?: unknown): Promise<Json> =>
  (await call(visitor, method, path, json)).json()

let people = 0
const join = (): Promise<Joined> => joinAs(world.url, `audited-${++people}@example.org`)

test('[AUDIT-1] sign-ins and failures are recorded with the address; a failure names an existing account, but never the typed text', async () => {
  const { email, id } = await join()
  await signIn(world.url, email)
  const stranger = newVisitor()
  await stranger.visit(`${world.url}/sign-in`)
  await stranger.submit('/sign-in', { email, password: 'typed wrongly 1' })
  await stranger.submit('/sign-in', { email: 'my secret password', password: 'typed wrongly 2' })
  expect(await log({ account: id })).toMatchObject([
    { kind: 'sign-in.failed', by: { kind: 'guest' }, account: id, address: '127.0.0.1' },
    { kind: 'sign-in', by: { kind: 'account', id }, address: '127.0.0.1' },
    { kind: 'sign-in', by: { kind: 'account', id } },
    { kind: 'account.created', by: { kind: 'account', id }, at: clock.now() }
  ])
  const [unknown] = await log({ kind: 'sign-in.failed' })
  expect(unknown).toEqual({ at: clock.now(), kind: 'sign-in.failed', by: { kind: 'guest' }, address: '127.0.0.1' })
})

test('[AUDIT-2] links are recorded when they are made, first used, changed and revoked, with the person who did it', async () => {
  const { visitor, id } = await join()
  const doc = (await answer(visitor, 'POST', '/api/docs', { content: 'text' })).id
  const link = await answer(visitor, 'POST', `/api/docs/${doc}/shares`, { role: 'edit' })
  const guest = world.person(doc, link.secret)
  await guest.read()
  clock.advance(limits.lastUsedSeconds * 2000)
  await guest.read()
  const { link: through } = await guest.share('edit')
  const change = (changes: object): Promise<unknown> => answer(visitor, 'PATCH', `/api/docs/${doc}/shares/${link.id}`, changes)
  await change({ role: 'comment' })
  await change({ label: 'For Ana' })
  await change({ expiresAt: new Date(clock.now() + 3600_000).toISOString() })
  await call(visitor, 'DELETE', `/api/docs/${doc}/shares/${link.id}`)
  expect((await log({ doc })).toReversed()).toMatchObject([
    { kind: 'link.made', by: { kind: 'account', id }, link: link.id, role: 'edit' },
    { kind: 'link.used', by: { kind: 'guest', link: link.id }, link: link.id },
    { kind: 'link.made', by: { kind: 'guest', link: link.id }, link: through.id, role: 'edit' },
    { kind: 'link.changed', by: { kind: 'account', id }, link: link.id, role: 'comment' },
    { kind: 'link.changed', by: { kind: 'account', id }, link: through.id, role: 'comment' },
    { kind: 'link.changed', by: { kind: 'account', id }, link: link.id, role: 'comment' },
    { kind: 'link.changed', by: { kind: 'account', id }, link: through.id, role: 'comment' },
    { kind: 'link.revoked', by: { kind: 'account', id }, link: link.id },
    { kind: 'link.revoked', by: { kind: 'account', id }, link: through.id }
  ])
})

test('[AUDIT-3] accounts, passwords, tokens, nodes and deletions are recorded', async () => {
  const { visitor, id } = await join()
  const token = await answer(visitor, 'POST', '/api/me/tokens', { name: 'A script' })
  await call(visitor, 'DELETE', `/api/me/tokens/${token.token.id}`)
  const node = await answer(visitor, 'POST', '/api/me/nodes', { name: 'Shed' })
  await call(visitor, 'DELETE', `/api/me/nodes/${node.node.id}`)
  await visitor.visit(`${world.url}/account/password`)
  await visitor.submit('/account/password', { current_password: password, password: 'another long password' })
  const [doc, other] = [
    (await answer(visitor, 'POST', '/api/docs', { content: 'a' })).id,
    (await answer(visitor, 'POST', '/api/docs', { content: 'b' })).id
  ]
  await call(visitor, 'DELETE', `/api/docs/${doc}`)
  await call(visitor, 'POST', `/api/docs/${doc}/undelete`)
  await call(visitor, 'DELETE', `/api/docs/${doc}?permanent=true`)
  await call(visitor, 'DELETE', `/api/docs/${other}`)
  clock.advance(limits.trashDays * 24 * 3600_000 + 1)
  await finishDeletions(world.service, (_doc, error) => expect.fail(String(error)))
  expect(await kinds({ doc })).toEqual(['document.deleted', 'document.restored', 'document.erased'])
  expect(await log({ doc: other })).toMatchObject([{ by: { kind: 'system' } }, { by: { kind: 'account', id } }])
  expect(await kinds({ doc: other })).toEqual(['document.deleted', 'document.erased'])
  const own = await join()
  await own.visitor.visit(`${world.url}/account/delete-account`)
  await own.visitor.submit('/account/delete-account', { current_password: password, documents: 'keep' })
  expect(await kinds({ account: own.id })).toEqual(['account.created', 'sign-in', 'account.deleted'])
  expect(await kinds({ account: id })).toEqual(
    expect.arrayContaining(['token.made', 'token.revoked', 'node.made', 'node.revoked', 'password.set'])
  )
})

test('[AUDIT-4] a record is in the same commit as its effect', async () => {
  const { visitor, id } = await join()
  const doc = (await answer(visitor, 'POST', '/api/docs', { content: 'text' })).id
  const link = await answer(visitor, 'POST', `/api/docs/${doc}/shares`, { role: 'view' })
  await answer(visitor, 'POST', '/api/me/tokens', { name: 'A script' })
  await world.person(doc, link.secret).read()
  await call(visitor, 'DELETE', `/api/docs/${doc}`)
  await world.service.ledger.idle()
  const holds = ({ puts = [] }: Batch, prefix: readonly unknown[]): boolean =>
    puts.some(({ key }) => prefix.every((part, index) => key[index] === part))
  const together = (kind: string, prefix: readonly unknown[]): boolean =>
    batches.some((batch) => {
      const records = (batch.puts ?? [])
        .filter(({ key }) => key[0] === 'audit')
        .map(({ value }) => JSON.parse(new TextDecoder().decode(value)) as AuditRecord)
      return (
        holds(batch, prefix) &&
        records.some(
          (record) => record.kind === kind && [record.account, record.doc, record.by.id].some((each) => each === id || each === doc)
        )
      )
    })
  expect(together('account.created', ['account', id])).toBe(true)
  expect(together('sign-in', ['account', id, 'session'])).toBe(true)
  expect(together('link.made', ['d', doc, 'share'])).toBe(true)
  expect(together('link.used', ['d', doc, 'used', link.id])).toBe(true)
  expect(together('token.made', ['account', id, 'program'])).toBe(true)
  expect(together('document.deleted', ['d', doc])).toBe(true)
})

test('[AUDIT-5] the log contains no secret, name, email address or text', async () => {
  const { visitor, email } = await join()
  const doc = (await answer(visitor, 'POST', '/api/docs', { content: '# Plans of the mill' })).id
  const link = await answer(visitor, 'POST', `/api/docs/${doc}/shares`, { role: 'edit', label: 'For the miller' })
  await world.person(doc, link.secret).read()
  const { secret } = await answer(visitor, 'POST', '/api/me/tokens', { name: 'Millstone' })
  const owner = await world.create('Grain')
  await owner.read()
  await world.service.ledger.idle()
  const text = (await world.service.storage.list(['audit'], { limit: limits.listMax }))
    .map(({ value }) => new TextDecoder().decode(value))
    .join('\n')
  expect(text).toContain(doc)
  for (const word of [
    ...world.secrets,
    link.secret,
    secret,
    email,
    email.split('@')[0],
    'mill',
    'Mill',
    'Grain',
    password,
    'typed',
    'my secret'
  ])
    expect(text).not.toContain(word)
})

test('[AUDIT-6] records are removed after the configured time, and the oldest ones if there are too many', async () => {
  const { service } = world
  await join()
  clock.advance(59 * 24 * 3600_000)
  const { id } = await join()
  const before = (await log()).length
  clock.advance(2 * 24 * 3600_000)
  await sweepAudit(service)
  expect(await kinds({ account: id })).toEqual(['account.created', 'sign-in'])
  expect((await log()).filter(({ at }) => at < clock.now() - 60 * 24 * 3600_000)).toEqual([])
  expect(before).toBeGreaterThan(2)
  const many = Array.from({ length: 250 }, (_none, n) =>
    auditPut(clock.now() + n, { kind: 'link.made', by: { kind: 'system' }, doc: 'many' })
  )
  await service.storage.commit({ puts: many })
  await withLimit('auditRecordsMax', 120, () => sweepAudit(service))
  const left = await log()
  expect(left).toHaveLength(120)
  expect(left[0]?.at).toBe(clock.now() + 249)
})

test('[AUDIT-7] a flood of failed sign-ins adds a bounded number of records, and one that counts the others', async () => {
  clock.advance(60_000)
  const failures = async (): Promise<readonly AuditRecord[]> => log({ kind: 'sign-in.failed' })
  const before = (await failures()).length
  await withLimit('auditFailuresPerMinute', 5, async () => {
    for (let n = 0; n < 12; n++) await auditFailure(world.service, `10.0.0.${n}`, undefined)
  })
  expect((await failures()).length - before).toBe(5)
  clock.advance(60_000)
  await sweepAudit(world.service)
  const [counted] = await failures()
  expect(counted).toMatchObject({ kind: 'sign-in.failed', count: 7 })
  await sweepAudit(world.service)
  expect((await failures()).length - before).toBe(6)
})

test('[AUDIT-8] the pages of the log contain each record once, newest first, with and without a filter', async () => {
  const { service } = world
  clock.advance(1000)
  const puts = Array.from({ length: 30 }, (_none, n) =>
    auditPut(clock.now() + (n >> 2), {
      kind: n % 3 === 0 ? 'link.made' : 'link.revoked',
      by: { kind: 'system' },
      doc: 'paged',
      link: String(n)
    })
  )
  await service.storage.commit({ puts })
  const read = async (filter: AuditFilter): Promise<AuditRecord[]> => {
    const found: AuditRecord[] = []
    for (let before: string | undefined; ;) {
      const page = await listAudit(service, { ...filter, limit: 7, ...(before !== undefined && { before }) })
      found.push(...page.records)
      if (page.nextBefore === null) return found
      before = page.nextBefore
    }
  }
  const all = await read({ doc: 'paged' })
  expect(new Set(all.map(({ link }) => link)).size).toBe(30)
  expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((one, other) => other - one))
  expect(await read({ doc: 'paged', kind: 'link.made' })).toHaveLength(10)
  const whole = await read({})
  expect(whole).toHaveLength((await service.storage.list(['audit'])).length)
})

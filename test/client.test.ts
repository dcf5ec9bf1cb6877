import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../shared/client.ts'
import { start, type World } from './support/start.ts'

let world: World
beforeAll(async () => {
  world = await start()
})
afterAll(() => world.stop())

test('[CLIENT-1] the typed client creates, reads, replaces and shares, and sends path, query and body fields where they belong', async () => {
  const made = await createClient({ baseUrl: world.url, author: 'Zoë' }).createDocument({ content: '# One\n' })
  const owner = createClient({ baseUrl: world.url, key: made.key ?? '', author: 'Zoë' })
  const read = await owner.readContent(made.id)
  expect(read).toMatchObject({ content: '# One\n', title: 'One', version: made.version })
  const replaced = await owner.replaceContent(made.id, { content: '# Two\n', baseVersion: read.version, label: 'second' })
  expect(await owner.readContent(made.id, { version: read.version })).toMatchObject({ content: '# One\n' })
  const { revisions } = await owner.listRevisions(made.id, { limit: 1 })
  expect(revisions).toMatchObject([{ id: replaced.revisionId, label: 'second', author: 'Zoë' }])
  const share = await owner.createShare(made.id, { role: 'view' })
  expect(await owner.revokeShare(made.id, { share: share.id })).toEqual({ ok: true, revoked: true, ended: [] })
})

test('[CLIENT-2] an error of the service is thrown with its code and details', async () => {
  const made = await createClient({ baseUrl: world.url }).createDocument({ content: 'a' })
  const owner = createClient({ baseUrl: world.url, key: made.key ?? '' })
  await owner.replaceContent(made.id, { content: 'b' })
  const stale = owner.replaceContent(made.id, { content: 'c', baseVersion: made.version })
  await expect(stale).rejects.toMatchObject({ code: 'version_conflict', details: { baseVersion: made.version, status: 409 } })
})

test('[CLIENT-3] a call with the same idempotency key acts once', async () => {
  const guest = createClient({ baseUrl: world.url })
  const once = await guest.createDocument({ content: 'x' }, { idempotencyKey: 'client-3' })
  expect((await guest.createDocument({ content: 'x' }, { idempotencyKey: 'client-3' })).id).toBe(once.id)
})

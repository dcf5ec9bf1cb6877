import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Y from 'yjs'
import { callerOfDocument, callerOfService } from '../../server/domain/access.ts'
import { type Account, createAccount } from '../../server/domain/accounts.ts'
import type { Caller } from '../../server/domain/caller.ts'
import { createComment } from '../../server/domain/comments.ts'
import { replaceContent } from '../../server/domain/content.ts'
import { decideDevice } from '../../server/domain/devices.ts'
import { createDocument } from '../../server/domain/documents.ts'
import { keys } from '../../server/domain/keys.ts'
import { createNode } from '../../server/domain/nodes.ts'
import { openSession, revokeSession } from '../../server/domain/sessions.ts'
import { createShare, putRevocation } from '../../server/domain/shares.ts'
import { limits } from '../../shared/limits.ts'
import { turnedClock } from '../support/clock.ts'
import { openDeaf } from '../support/deaf-socket.ts'
import { heldStorage } from '../support/held-storage.ts'
import { startWorld, until, updateFrame, type World } from '../support/world.ts'

const clock = turnedClock()
let world: World
beforeAll(async () => {
  // Hocuspocus prints each refused frame with its stack.
  for (const level of ['log', 'warn', 'error'] as const) console[level] = () => undefined
  world = await startWorld({ clock })
})
afterAll(() => world.stop())

/** Updates of one page that types: each inserts a mark at the beginning. */
const typing = (): ((mark: string) => Uint8Array) => {
  const ydoc = new Y.Doc()
  return (mark) => {
    const before = Y.encodeStateVector(ydoc)
    ydoc.getText('content').insert(0, mark)
    return Y.encodeStateAsUpdate(ydoc, before)
  }
}

test('[AUTHORITY-1] a socket that was told goodbye writes nothing more, whether or not it answers', async () => {
  const owner = await world.create('text')
  const guest = await owner.share('edit')
  const socket = await openDeaf(world.url)
  const type = typing()
  const witness = await owner.connect()
  await socket.open(owner.doc, guest.key)
  socket.send(updateFrame(owner.doc, type('1')))
  await witness.shows((text) => text.includes('1'))
  await owner.ask('DELETE', `/shares/${guest.link.id}`)
  await socket.goodbye()
  for (const mark of ['2', '3', '4']) socket.send(updateFrame(owner.doc, type(mark)))
  await socket.answer()
  expect((await owner.read()).content).toBe(witness.text())
  expect(witness.text()).not.toMatch(/[234]/)
})

test('[AUTHORITY-1] an edit that is being checked when its link is revoked is not applied', async () => {
  const disk = heldStorage()
  const own = await startWorld({ storage: disk.storage })
  const owner = await own.create('a'.repeat(limits.wipeUnitsMin + 1))
  const guest = await owner.share('edit')
  const editor = await guest.connect()
  await own.service.ledger.idle()
  disk.hold()
  // Deleting nearly all makes the service save what was there first: the edit waits for the disk.
  editor.erase(0, limits.wipeUnitsMin + 1)
  await until(() => disk.waiting() > 0, 'the save before the deletion')
  own.service.live.end(owner.doc, guest.link.id, 'credential_invalid')
  disk.release()
  await until(() => editor.closes.length > 0, 'the goodbye')
  expect((await owner.read()).content.length).toBe(limits.wipeUnitsMin + 1)
  await own.stop()
})

const invalid = { code: 'credential_invalid' }

test.each(['revoke', 'expire'] as const)(
  '[AUTHORITY-3] what was admitted before %s changes neither text nor records after it',
  async (ending) => {
    const { service } = world
    const owner = await world.create('text')
    const guest = await owner.share('edit', { expiresAt: new Date(clock.now() + 1000).toISOString() })
    const caller = await callerOfDocument(service, owner.doc, { key: guest.key })
    const editor = await owner.connect()
    if (ending === 'expire') clock.turn(1000)
    else await owner.ask('DELETE', `/shares/${guest.link.id}`)
    await expect(replaceContent(service, caller, owner.doc, { content: 'late' })).rejects.toMatchObject(invalid)
    expect(service.live.find(owner.doc)?.snapshot().content).toBe('text')
    const { shares } = (await owner.ask('GET', '/shares')).json
    await expect(createShare(service, caller, owner.doc, { role: 'edit' })).rejects.toMatchObject(invalid)
    await expect(createComment(service, caller, owner.doc, { body: 'Hm.' })).rejects.toMatchObject(invalid)
    expect((await owner.ask('GET', '/shares')).json.shares).toEqual(shares)
    expect(editor.text()).toBe('text')
  }
)

test('[AUTHORITY-3] of a revocation and a change that wait for the same turn, the change that comes second is refused', async () => {
  const { service } = world
  const owner = await world.create('text')
  const guest = await owner.share('edit')
  const [first, second] = await Promise.all([owner, guest].map(({ key }) => callerOfDocument(service, owner.doc, { key })))
  const key = keys.share(owner.doc, guest.link.id)
  const { write } = service.ledger
  // Both are queued before either is drawn.
  const revoking = write(owner.doc, first as Caller, (draft) => putRevocation(draft, first as Caller, owner.doc, key), { reads: [key] })
  const late = write(owner.doc, second as Caller, (draft) => draft.event('doc.published', 'guest:', {}))
  await expect(late).rejects.toMatchObject(invalid)
  expect(await revoking).toBe(true)
})

test('[AUTHORITY-3] a session that ended makes no document, node token or approval, though it was let in before', async () => {
  const { service } = world
  const account = (await createAccount(service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
  const { token, session } = await openSession(service, account.id, 'app', 'a test')
  const caller = await callerOfService(service, { bearer: token })
  await revokeSession(service, caller, session.id)
  const { json } = await world.ask('POST', '/api/cli/device/start', { json: {} })
  await expect(createDocument(service, caller, { content: 'late' })).rejects.toMatchObject(invalid)
  await expect(createNode(service, caller, {})).rejects.toMatchObject(invalid)
  await expect(decideDevice(service, caller, json.user_code, true)).rejects.toMatchObject(invalid)
  expect(await service.storage.list(keys.accountNodes(account.id))).toEqual([])
})

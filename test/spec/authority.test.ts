import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Y from 'yjs'
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

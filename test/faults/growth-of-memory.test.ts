/** Checks that a slow store causes no additional commits, and that documents which nobody has open leave no memory behind. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { openPerson } from '../../scripts/bench/support/crowd.ts'
import { heldStorage } from '../support/held-storage.ts'
import { startWorld, until, type World } from '../support/world.ts'

const place = async (world: World): Promise<{ url: string; doc: string; key: string }> => {
  const { doc, key } = await world.create('')
  return { url: `${world.url.replace('http', 'ws')}/collab`, doc, key }
}

test('[FAULT-20] the edits that arrive during a slow commit are written by the next one', async () => {
  const held = heldStorage()
  let commits = 0
  const world = await startWorld({
    storage: (storage) => held.storage({ ...storage, commit: (batch) => storage.commit(batch).finally(() => commits++) })
  })
  const at = await place(world)
  let acknowledged = 0
  const person = await openPerson({ place: at, client: 1, hasCursor: false, onAcknowledged: () => void acknowledged++ })
  held.hold()
  const before = commits
  for (let sent = 0; sent < 500; sent++) {
    person.type('slow')
    if (sent === 0) await until(() => held.waiting() === 1, 'the first commit')
    if (sent % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => world.service.live.find(at.doc)?.seq === 500, 'all edits in memory')
  expect(held.waiting()).toBe(1)
  expect(acknowledged).toBe(0)
  held.release()
  await until(() => acknowledged === 500, 'all acknowledgements')
  await world.service.ledger.idle()
  // The second commit contains 499 edits. A few others may contain what follows an edit.
  expect(commits - before).toBeLessThanOrEqual(6)
  await world.stop()
})

/** Returns the bytes of live objects. */
const heap = (): number => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let times = 0; times < 3; times++) collect()
  return process.memoryUsage().heapUsed
}

/** Creates a document, writes into it and closes it. */
const useOnce = async (world: World): Promise<void> => {
  const typed = Promise.withResolvers<void>()
  const person = await openPerson({ place: await place(world), client: 1, hasCursor: true, onAcknowledged: typed.resolve })
  person.type('word')
  await typed.promise
  person.close()
}

test('[FAULT-21] documents that were opened, edited and closed leave no memory behind', async () => {
  const world = await startWorld({ env: { AGMD_IDLE_UNLOAD_SECONDS: '0' } })
  const round = async (documents: number): Promise<number> => {
    for (let n = 0; n < documents; n += 50) await Promise.all(Array.from({ length: 50 }, () => useOnce(world)))
    await until(() => world.counts().documents === 0, 'no document in memory')
    return heap()
  }
  const before = await round(100)
  const growth = (await round(500)) - before
  // With records in caches, a document leaves 7 KB behind. A document that stays in memory takes more than 30 KB.
  expect(growth / 500).toBeLessThan(16 * 1024)
  await world.stop()
})

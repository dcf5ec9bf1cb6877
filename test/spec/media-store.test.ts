/** Media jobs that end while the store is unavailable. */
import { expect, onTestFinished, test } from 'vitest'
import type { Storage } from '../../server/domain/ports.ts'
import type { RelayServer } from '../../server/relay/relay.ts'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { withLimit } from '../support/limits.ts'
import { png } from '../support/media.ts'
import { dialIn, newSigned, type ScriptedNode } from '../support/nodes.ts'
import { nodesOfTests } from '../support/spread.ts'
import { type Json, startWorld, until, type World } from '../support/world.ts'

interface Unsteady {
  readonly world: World
  readonly clock: TestClock
  /** A compute node that works on the job. */
  readonly node: ScriptedNode
  readonly job: number
  read(): Promise<Json>
  blobs(): Promise<number>
  /** Makes all commits fail: before the store makes them, or after it has made them. */
  fail(when: 'before' | 'after' | undefined): void
  /** Resolves when the end of the job could not be stored for at least the nth time. */
  failed(n: number): Promise<void>
  /** Lets the pause after the nth try pass. */
  pass(n: number): void
  stop(): Promise<void>
}

/** Starts a server whose store can fail, and a compute node that works on a picture. */
const startUnsteady = async (): Promise<Unsteady> => {
  let fault: 'before' | 'after' | undefined
  const storage = (store: Storage): Storage => ({
    ...store,
    async commit(batch) {
      if (fault === 'before') throw new ServiceError('storage_unavailable')
      const written = await store.commit(batch)
      if (fault === 'after') throw new ServiceError('storage_unavailable')
      return written
    }
  })
  const clock = testClock()
  const world = await startWorld({ clock, storage })
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= world.stop())
  onTestFinished(stop)
  const ana = await newSigned(world, 'ana@example.org')
  const node = await dialIn(world, (await ana.nodeToken()).token)
  const isOffered = async (): Promise<boolean> => (await ana.ask('GET', '/api/relay/status')).json.nodes === 1
  // Requests go to the nodes in turn.
  for (let n = 0; n < nodesOfTests; n++) await until(isOffered, 'the offer')
  const doc = await ana.document()
  const { status, json } = await doc.ask('POST', '/media/image', { json: { prompt: 'x' } })
  expect(status).toBe(202)
  const { job } = await node.next()
  return {
    world,
    clock,
    node,
    job,
    read: async () => (await doc.ask('GET', `/media/image/${json.jobId}`)).json,
    blobs: async () => (await world.service.blobs.list()).length,
    fail: (when) => void (fault = when),
    // Each of several nodes may watch a job that waits, and then each tries to store its end.
    failed: (n) => until(() => world.lines.filter((line) => line.includes('the end of a job could not be stored')).length >= n, 'the try'),
    pass(n) {
      const pause = limits.mediaEndPauseSeconds * 1000 * 2 ** (n - 1)
      expect(clock.awaits(pause)).toBe(true)
      clock.advance(pause)
    },
    stop
  }
}

const sendPicture = ({ node, job }: Unsteady): Promise<void> => node.answer(job, {}, { bytes: png(), contentType: 'image/png' })

const ended = async ({ read }: Unsteady): Promise<Json> => {
  await until(async () => !['queued', 'running'].includes((await read()).status), 'the end of the job')
  return read()
}

const pictureOf = async ({ url }: Json): Promise<Uint8Array> => new Uint8Array(await (await fetch(url)).arrayBuffer())

test('[MEDIA-54] a result is stored as soon as the store works again', async () => {
  const unsteady = await startUnsteady()
  unsteady.fail('before')
  await sendPicture(unsteady)
  await unsteady.failed(1)
  unsteady.pass(1)
  await unsteady.failed(2)
  expect((await unsteady.read()).status).toBe('running')
  unsteady.fail(undefined)
  unsteady.pass(2)
  const done = await ended(unsteady)
  expect(done.status).toBe('done')
  expect(await pictureOf(done)).toEqual(png())
  expect(unsteady.node.jobs).toHaveLength(1)
})

test('[MEDIA-54] a result whose commit only seemed to fail stays', async () => {
  const unsteady = await startUnsteady()
  unsteady.fail('after')
  await sendPicture(unsteady)
  await unsteady.failed(1)
  unsteady.fail(undefined)
  const done = await ended(unsteady)
  unsteady.pass(1)
  const relay = unsteady.world.service.relay as RelayServer
  // With several nodes, another relay may count the job.
  await until(() => nodesOfTests > 1 || relay.counts().done === 1, 'the second try')
  expect(await pictureOf(done)).toEqual(png())
})

test('[MEDIA-54] the failure of a job is stored as soon as the store works again', async () => {
  const unsteady = await startUnsteady()
  const { node, job } = unsteady
  unsteady.fail('before')
  node.say({ type: 'fail', job, code: 'engine_failed', message: 'out of memory' })
  await unsteady.failed(1)
  unsteady.fail(undefined)
  unsteady.pass(1)
  expect(await ended(unsteady)).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } })
})

test('[MEDIA-54] a job that no node can do fails as soon as the store works again', async () => {
  const unsteady = await startUnsteady()
  const { node, clock, read } = unsteady
  node.die()
  await until(async () => (await read()).status === 'queued', 'the job to wait again')
  await until(() => clock.awaits(limits.mediaNodelessSecondsMax * 1000), 'the watch')
  unsteady.fail('before')
  clock.advance(limits.mediaNodelessSecondsMax * 1000)
  await unsteady.failed(1)
  unsteady.fail(undefined)
  unsteady.pass(1)
  expect(await ended(unsteady)).toMatchObject({ status: 'failed', error: { code: 'node_offline' } })
})

test('[MEDIA-54] the tries end, and then the result is removed', async () => {
  await withLimit('mediaEndTriesMax', 2, async () => {
    const unsteady = await startUnsteady()
    const before = await unsteady.blobs()
    unsteady.fail('before')
    await sendPicture(unsteady)
    await unsteady.failed(1)
    expect(await unsteady.blobs()).toBe(before + 1)
    unsteady.pass(1)
    await unsteady.failed(2)
    await until(async () => (await unsteady.blobs()) === before, 'the removal of the result')
    expect(unsteady.clock.awaits(limits.mediaEndPauseSeconds * 2000)).toBe(false)
  })
})

test('[MEDIA-54] a server that stops no longer tries', async () => {
  const unsteady = await startUnsteady()
  unsteady.fail('before')
  await sendPicture(unsteady)
  await unsteady.failed(1)
  unsteady.fail(undefined)
  await unsteady.stop()
  expect(unsteady.clock.awaits(limits.mediaEndPauseSeconds * 1000)).toBe(false)
})

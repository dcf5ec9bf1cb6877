/** Media jobs and the relay, with scripted nodes (docs/api.md, Assets and media jobs). */
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { keys } from '../../server/domain/records/keys.ts'
import { limits } from '../../shared/limits.ts'
import { encodeChunk, type JobMessage } from '../../shared/relay.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { type Bytes, foreign, joined, png, samples } from '../support/media.ts'
import { told } from '../support/mcp.ts'
import { dialIn, newSigned, type ScriptedNode, type ScriptedOptions, type Signed } from '../support/nodes.ts'
import { nodesOfTests } from '../support/spread.ts'
import { newVisitor, password } from '../support/visitor.ts'
import { type Answer, type Json, startWorld, until, type World } from '../support/world.ts'

let world: World
let clock: TestClock
let ana: Signed
let shared: Signed
beforeAll(async () => {
  clock = testClock()
  world = await startWorld({ clock, env: { AGMD_NODE_ACCOUNTS: 'shared@example.org, eve@example.org' } })
  ana = await newSigned(world, 'ana@example.org')
  shared = await newSigned(world, 'shared@example.org', true)
})
afterAll(() => world.stop())

const connected: ScriptedNode[] = []
afterEach(async () => {
  for (const node of connected.splice(0)) node.die()
  await until(async () => (await statuses(ana)).every(({ nodes }) => nodes === 0), 'nodes to be gone', 3)
  // Open jobs fail because there is no node. Then the node tokens are deleted.
  await until(async () => {
    clock.advance(limits.mediaNodelessSecondsMax * 1000)
    // Another node of the service may have a job that this one does not know.
    const open = await world.service.storage.list(keys.openJobs())
    return open.length === 0 && world.service.relay.openJobs(ana.account.id) === 0
  }, 'open jobs to end')
  await world.service.ledger.idle()
  for (const { id } of (await ana.ask('GET', '/api/me/nodes')).json.nodes) await ana.ask('DELETE', `/api/me/nodes/${id}`)
})

/** Returns the status that each node of the service shows. They tell each other about compute nodes in messages. */
const statuses = async (person: Signed): Promise<Json[]> => {
  const all: Json[] = []
  // Requests go to the nodes in turn.
  while (all.length < nodesOfTests) all.push((await person.ask('GET', '/api/relay/status')).json)
  return all
}

const untilSame = (person: Signed): Promise<void> =>
  until(async () => new Set((await statuses(person)).map((status) => JSON.stringify(status))).size === 1, 'the same status on each node')

const join = async (person: Signed, options?: ScriptedOptions, on: World = world): Promise<ScriptedNode> => {
  const node = await dialIn(on, (await person.nodeToken()).token, options)
  connected.push(node)
  await untilSame(person)
  return node
}

type Doc = Awaited<ReturnType<Signed['document']>>

const startOcr = async (doc: Doc): Promise<string> => {
  const { status, json } = await doc.ask('POST', '/media/ocr', { body: png(3, 3), type: 'image/png' })
  expect(status, JSON.stringify(json)).toBe(202)
  return json.ocrId
}
const poll = async (doc: Doc, id: string, path = 'ocr'): Promise<Json> => (await doc.ask('GET', `/media/${path}/${id}`)).json
const ended = async (doc: Doc, id: string, path = 'ocr'): Promise<Json> => {
  await until(async () => !['queued', 'running'].includes((await poll(doc, id, path)).status), 'the end of the job')
  return poll(doc, id, path)
}
const blobs = async (): Promise<number> => (await world.service.blobs.list()).length

/** Returns the blobs that are stored now. A blob is overwritten before it is removed, so blobs of an earlier test may still be there. */
const kept = async (): Promise<ReadonlySet<string>> => new Set((await world.service.blobs.list()).map((blob) => JSON.stringify(blob)))

/** Resolves when only blobs from `before` are stored. */
const nothingNew = (before: ReadonlySet<string>): Promise<void> =>
  until(async () => [...(await kept())].every((blob) => before.has(blob)), 'what was left to be gone')

// ——— requests and answers ———

test('[MEDIA-1] a picture is generated, stored as an asset and returned as Markdown', async () => {
  const node = await join(ana)
  const doc = await ana.document()
  const started = await doc.ask('POST', '/media/image', { json: { prompt: 'A red [boat]', width: 64, height: 96 } })
  expect(started).toMatchObject({ status: 202, json: { status: expect.stringMatching(/queued|running/), kind: 'image', result: null } })
  const job = await node.next()
  expect(job).toMatchObject({ kind: 'image', input: { prompt: 'A red [boat]', width: 64, height: 96 }, file: null })
  node.say({ type: 'progress', job: job.job, progress: 0.5 })
  await until(async () => (await poll(doc, started.json.jobId, 'image')).progress === 0.5, 'progress')
  await node.answer(job.job, {}, { bytes: png(64, 96), contentType: 'image/png' })
  const done = await ended(doc, started.json.jobId, 'image')
  expect(done).toMatchObject({ status: 'done', result: { url: expect.stringContaining('/f/') } })
  expect(done.markdown).toMatch(/^!\[A red boat\]\(\/f\/[\w-]{24}\.png\)$/)
  expect(new Uint8Array(await (await fetch(done.url)).arrayBuffer())).toEqual(png(64, 96))
  const { events } = (await doc.ask('GET', '/events')).json
  expect(events.map(({ kind }: Json) => kind).slice(-2)).toEqual(['asset.created', 'media.done'])
  expect(events.at(-1)).toMatchObject({ actorKind: 'account', payload: { jobId: started.json.jobId, kind: 'image' } })
})

test('[MEDIA-2] speech is returned as sound only to the account, and becomes an asset when it is saved, once', async () => {
  const node = await join(ana)
  const doc = await ana.document()
  const { talkId } = (await doc.ask('POST', '/media/speak', { json: { text: 'Good morning', voice: 'slt' } })).json
  const audio = (how = {}): Promise<Answer> => doc.ask('GET', `/media/speak/${talkId}/audio`, how)
  expect(await audio()).toMatchObject({ status: 409, json: { code: 'job_not_done' } })
  const { job, input } = await node.next()
  expect(input).toEqual({ text: 'Good morning', voice: 'slt' })
  const wav = samples['wav']?.bytes as Bytes
  await node.answer(job, { duration: 1 }, { bytes: wav, contentType: 'audio/wav' })
  const done = await ended(doc, talkId, 'speak')
  expect(done).toMatchObject({ status: 'done', result: { audioUrl: `${world.url}/api/docs/${doc.doc}/media/speak/${talkId}/audio` } })
  const sound = await audio()
  expect({ status: sound.status, type: sound.headers.get('Content-Type'), length: sound.headers.get('Content-Length') }).toEqual({
    status: 200,
    type: 'audio/wav',
    length: String(wav.length)
  })
  expect((await doc.ask('HEAD', `/media/speak/${talkId}/audio`)).status).toBe(200)
  const first = await doc.ask('POST', `/media/speak/${talkId}/save`)
  expect(first).toMatchObject({
    status: 201,
    json: { kind: 'audio', markdown: expect.stringMatching(/^!\[Good morning\]\(\/f\/.*\.wav\)$/) }
  })
  expect((await doc.ask('POST', `/media/speak/${talkId}/save`)).json).toEqual(first.json)
  expect((await fetch(first.json.url)).status).toBe(200)
  expect((await poll(doc, talkId, 'speak')).markdown).toBe(first.json.markdown)
})

test('[MEDIA-3] recordings and pictures are sent as bytes, as base64 or as the address of an asset here, and nothing is fetched', async () => {
  const wav = samples['wav']?.bytes as Bytes
  const node = await join(ana)
  const doc = await ana.document()
  const asset = (await doc.ask('POST', '/assets', { body: wav, type: 'audio/wav' })).json
  const sent = [
    { body: wav, type: 'audio/x-wav' },
    { json: { data: Buffer.from(wav).toString('base64') } },
    { json: { audio: `data:audio/wav;base64,${Buffer.from(wav).toString('base64')}` } },
    { json: { url: asset.url } },
    { json: { url: new URL(asset.url).pathname } }
  ]
  for (const what of sent) {
    const { status, json } = await doc.ask('POST', '/media/transcribe', what)
    expect(status, JSON.stringify(json)).toBe(202)
    const { job, file } = await node.next()
    expect(file).toMatchObject({ bytes: wav.length, contentType: 'audio/wav' })
    await until(() => node.sizeOf(job) === wav.length, 'the file')
    expect(new Uint8Array(node.bytesOf(job))).toEqual(wav)
    await node.answer(job, { text: 'one two', duration: 1.5, segments: [{ start: 0, end: 1.5, text: 'one two' }] })
    expect(await ended(doc, json.asrId, 'transcribe')).toMatchObject({ text: 'one two', duration: 1.5, segments: [{ start: 0, end: 1.5 }] })
  }
  const elsewhere = [
    'https://example.org/f/AAAAAAAAAAAAAAAAAAAAAAAA.wav',
    '/f/../secret.wav',
    'file:///etc/passwd',
    `${world.url}.evil/f/x.wav`
  ]
  for (const url of elsewhere) expect((await doc.ask('POST', '/media/transcribe', { json: { url } })).json.code).toBe('invalid_request')
  const none = await doc.ask('POST', '/media/transcribe', { json: { url: '/f/AAAAAAAAAAAAAAAAAAAAAAAA.wav' } })
  expect(none.json.code).toBe('not_found')
})

test('[MEDIA-4] a caller can wait for the end of a job, or cancel it; the node is notified', async () => {
  const node = await join(ana)
  const doc = await ana.document()
  const id = await startOcr(doc)
  const { job } = await node.next()
  const waiting = doc.ask('GET', `/media/ocr/${id}`, { query: { wait: 55 } })
  expect((await doc.ask('DELETE', `/media/jobs/${id}`)).json).toEqual({ ok: true, jobId: id, status: 'canceled' })
  expect((await waiting).json.status).toBe('canceled')
  await until(() => node.messages.some((message) => message.type === 'cancel' && message.job === job), 'the node to be told')
  await node.answer(job, { text: 'too late' })
  const other = await startOcr(doc)
  await node.answer((await node.next()).job, { text: 'next' })
  expect(await ended(doc, other)).toMatchObject({ status: 'done', text: 'next' })
  expect((await doc.ask('DELETE', `/media/jobs/${id}`)).json.status).toBe('canceled')
})

test('[MEDIA-5] as tools they wait for the end, continue to wait by jobId, and save a speech', async () => {
  const sound = { bytes: samples['wav']?.bytes as Bytes, contentType: 'audio/wav' }
  await join(ana, {
    onJob(node, { job, kind, input }) {
      if (kind === 'ocr') void node.answer(job, { text: 'read' })
      if (input.text === 'Keep this') void node.answer(job, { duration: 1 }, sound)
    }
  })
  const { doc } = await ana.document()
  const image = Buffer.from(png()).toString('base64')
  expect(await told(world.url, 'ocr_image', { doc, image }, ana.headers)).toMatchObject({ status: 'done', text: 'read' })
  const kept = await told(world.url, 'speak_text', { doc, text: 'Keep this', save: true }, ana.headers)
  expect(kept).toMatchObject({ status: 'done', markdown: expect.stringMatching(/^!\[Keep this\]\(\/f\/[\w-]+\.wav\)$/) })
  expect((await fetch(kept.url)).status).toBe(200)
  const open = await told(world.url, 'speak_text', { doc, text: 'Hello', wait: 0 }, ana.headers)
  expect(open.status).toMatch(/queued|running/)
  expect((await told(world.url, 'speak_text', { doc, jobId: open.jobId, wait: 0 }, ana.headers)).jobId).toBe(open.jobId)
})

// ——— permissions ———

test('[MEDIA-6] a link alone is refused, another account reads nothing, and without a node the answer is 503', async () => {
  const doc = await ana.document()
  const { json: link } = await doc.ask('POST', '/shares', { json: { role: 'owner' } })
  const bare = await world.ask('POST', `/api/docs/${doc.doc}/media/ocr`, { key: link.secret, body: png(), type: 'image/png' })
  expect(bare).toMatchObject({ status: 403, json: { code: 'account_required' } })
  const offline = await doc.ask('POST', '/media/ocr', { body: png(), type: 'image/png' })
  expect(offline).toMatchObject({ status: 503, json: { code: 'node_offline' } })
  expect(offline.headers.get('Retry-After')).toBe('10')
  const node = await join(ana, { capabilities: ['ocr'] })
  expect(await doc.ask('POST', '/media/image', { json: { prompt: 'x' } })).toMatchObject({
    status: 503,
    json: { code: 'engine_unavailable' }
  })
  expect(world.lines.filter((line) => line.includes('request failed'))).toEqual([])
  const id = await startOcr(doc)
  await node.answer((await node.next()).job, { text: 'mine' })
  expect((await ended(doc, id)).text).toBe('mine')
  const ben = await newSigned(world, 'ben@example.org')
  const stolen = await ben.ask('GET', `/api/docs/${doc.doc}/media/ocr/${id}`, { key: link.secret })
  expect(stolen).toMatchObject({ status: 404, json: { code: 'not_found' } })
  expect((await ben.ask('DELETE', `/api/docs/${doc.doc}/media/jobs/${id}`, { key: link.secret })).status).toBe(404)
})

test('[MEDIA-7] a node runs the jobs of its own account; those named by the operator run everyone’s, if their address is verified', async () => {
  const ben = await newSigned(world, 'stranger@example.org')
  // Anyone may sign up with the address that the operator named, so it must be verified.
  const eve = await newSigned(world, 'eve@example.org')
  const strange = [await join(ben), await join(eve)]
  const status = async (who: Signed): Promise<Json> => (await who.ask('GET', '/api/relay/status')).json
  expect(await status(ana)).toEqual({ online: false, nodes: 0, capabilities: [], voices: [] })
  expect(await status(ben)).toMatchObject({ online: true, nodes: 1 })
  const doc = await ana.document()
  expect((await doc.ask('POST', '/media/ocr', { body: png(), type: 'image/png' })).json.code).toBe('node_offline')
  const common = await join(shared, { capabilities: ['ocr'] })
  expect((await world.ask('GET', '/api/relay/status')).json).toEqual({ online: true, nodes: 1, capabilities: ['ocr'], voices: [] })
  const id = await startOcr(doc)
  await common.answer((await common.next()).job, { text: 'shared' })
  expect((await ended(doc, id)).text).toBe('shared')
  expect(strange.flatMap(({ jobs }) => jobs)).toEqual([])
})

test('[MEDIA-52] the compute node of the account gets the job, even if one for everybody is free', async () => {
  const common = await join(shared, { capabilities: ['ocr'] })
  const own = await join(ana)
  await startOcr(await ana.document())
  await own.next()
  expect(common.jobs).toEqual([])
})

test('[MEDIA-8] an account has a limited number of node tokens', async () => {
  const answers: number[] = []
  for (let n = 0; n <= limits.nodesMax; n++) answers.push((await ana.ask('POST', '/api/me/nodes', { json: { name: `node ${n}` } })).status)
  expect(answers).toEqual([...Array.from({ length: limits.nodesMax }, () => 201), 409])
  expect((await ana.ask('POST', '/api/me/nodes', { json: { name: 'more' } })).json.code).toBe('too_many_nodes')
})

test('[MEDIA-8] an account makes, lists and revokes node tokens; revoking closes the socket at once, and its job moves elsewhere', async () => {
  const made = (await ana.ask('POST', '/api/me/nodes', { json: { name: 'desk' } })).json
  expect(made.token).toMatch(/^anode_/)
  const node = await dialIn(world, made.token)
  connected.push(node)
  await untilSame(ana)
  expect((await ana.ask('GET', '/api/me/nodes')).json.nodes.find(({ id }: Json) => id === made.node.id)).toMatchObject({
    id: made.node.id,
    name: 'desk',
    connected: true,
    shared: false
  })
  const doc = await ana.document()
  const id = await startOcr(doc)
  await node.next()
  const other = await join(ana)
  const ben = await newSigned(world, 'revoker@example.org')
  expect((await ben.ask('DELETE', `/api/me/nodes/${made.node.id}`)).status).toBe(404)
  expect((await ana.ask('DELETE', `/api/me/nodes/${made.node.id}`)).json).toEqual({ ok: true, revoked: true })
  expect(await node.end()).toMatchObject({ code: 4401 })
  await expect(dialIn(world, made.token)).rejects.toThrow('401')
  await other.answer((await other.next()).job, { text: 'elsewhere' })
  expect((await ended(doc, id)).text).toBe('elsewhere')
  for (const token of ['', 'anode_x', ana.headers['Authorization'] ?? '']) await expect(dialIn(world, token)).rejects.toThrow('401')
  expect(world.lines.join('\n')).not.toContain(made.token)
})

// ——— invalid input ———

test.each<[string, string, object, number, string]>([
  ['text that is too long', 'speak', { json: { text: 'x'.repeat(limits.speechUnitsMax + 1) } }, 400, 'invalid_request'],
  ['no text', 'speak', { json: { text: ' ' } }, 400, 'invalid_request'],
  ['a voice that is an option', 'speak', { json: { text: 'x', voice: '-o/etc/x' } }, 400, 'invalid_request'],
  ['a voice that is an address', 'speak', { json: { text: 'x', voice: 'http://evil/x' } }, 400, 'invalid_request'],
  ['a picture that is too large', 'image', { json: { prompt: 'x', width: 5000 } }, 400, 'invalid_request'],
  ['a picture of no size', 'image', { json: { prompt: 'x', height: 0 } }, 400, 'invalid_request'],
  ['no file', 'ocr', { json: {} }, 400, 'invalid_request'],
  ['two files', 'ocr', { json: { data: 'AAAA', url: '/f/x.png' } }, 400, 'invalid_request'],
  ['what is no base64', 'ocr', { json: { data: '%%%' } }, 400, 'invalid_request'],
  ['sound to be read', 'ocr', { body: samples['wav']?.bytes, type: 'audio/wav' }, 415, 'unsupported_media_type'],
  ['a picture to be heard', 'transcribe', { body: png(), type: 'image/png' }, 415, 'unsupported_media_type'],
  ['a page that is called a picture', 'ocr', { body: foreign['html'], type: 'image/png' }, 415, 'unsupported_media_type'],
  ['half a picture', 'ocr', { body: png(50, 50).slice(0, 40), type: 'image/png' }, 415, 'unsupported_media_type'],
  ['base64 of a page', 'ocr', { json: { data: Buffer.from(foreign['html'] ?? '').toString('base64') } }, 415, 'unsupported_media_type']
])('[MEDIA-9] %s is refused, and leaves nothing behind', async (_what, path, sent, status, code) => {
  const node = await join(ana)
  const doc = await ana.document()
  const before = await kept()
  const answer = await doc.ask('POST', `/media/${path}`, sent)
  expect({ status: answer.status, code: answer.json?.code }, answer.text).toEqual({ status, code })
  await nothingNew(before)
  expect(node.jobs).toEqual([])
})

test('[MEDIA-10] a recording of more than 25 MiB is refused while it arrives; one of 25 MiB reaches the node complete', async () => {
  const node = await join(ana, { capabilities: ['transcription'] })
  const doc = await ana.document()
  const wav = joined(samples['wav']?.bytes as Bytes, new Uint8Array(randomBytes(limits.transcriptionBytesMax - 46)))
  const { json } = await doc.ask('POST', '/media/transcribe', { body: wav, type: 'audio/wav' })
  const { job, file } = await node.next()
  expect(file?.bytes).toBe(wav.length)
  await until(() => node.sizeOf(job) === wav.length, 'the whole recording')
  expect(Buffer.compare(node.bytesOf(job), wav)).toBe(0)
  await node.answer(job, { text: 'noise', duration: 1, segments: [] })
  expect((await ended(doc, json.asrId, 'transcribe')).status).toBe('done')
  const more = await doc.ask('POST', '/media/transcribe', { body: joined(wav, new Uint8Array(1)), type: 'audio/wav' })
  expect(more).toMatchObject({ status: 413, json: { code: 'body_too_large' } })
})

test('[MEDIA-11] a node that grants no credit gets no more than the window', async () => {
  const node = await join(ana, { capabilities: ['transcription'], stingy: true })
  const doc = await ana.document()
  const wav = joined(samples['wav']?.bytes as Bytes, new Uint8Array(2_000_000))
  await doc.ask('POST', '/media/transcribe', { body: wav, type: 'audio/wav' })
  const { job } = await node.next()
  await until(() => node.sizeOf(job) === 256 * 1024, 'the window')
  clock.advance(1000)
  node.say({ type: 'credit', job, bytes: 64 * 1024 })
  await until(() => node.sizeOf(job) === 320 * 1024, 'one piece more')
})

/** The ways in which a node can mishandle a job, and how the job then ends. */
const misdeeds: Readonly<Record<string, { does: (node: ScriptedNode, job: JobMessage) => unknown; code: string }>> = {
  'no file': { does: (node, { job }) => node.answer(job, {}), code: 'result_refused' },
  'a page as picture': {
    does: (node, { job }) => node.answer(job, {}, { bytes: foreign['html'] as Bytes, contentType: 'image/png' }),
    code: 'result_refused'
  },
  'sound as picture': {
    does: (node, { job }) => node.answer(job, {}, { bytes: samples['wav']?.bytes as Bytes, contentType: 'audio/wav' }),
    code: 'result_refused'
  },
  'half a picture': {
    does: (node, { job }) => node.answer(job, {}, { bytes: png(40, 40).slice(0, 50), contentType: 'image/png' }),
    code: 'result_refused'
  },
  'another hash': {
    does: (node, { job }) => {
      node.raw(encodeChunk(job, png()))
      node.say({ type: 'result', job, result: {}, file: { bytes: png().length, hash: 'A'.repeat(43), contentType: 'image/png' } })
    },
    code: 'result_refused'
  },
  'a failure': {
    does: (node, { job }) => node.say({ type: 'fail', job, code: 'engine_failed', message: 'out of memory' }),
    code: 'engine_failed'
  }
}

test.each(Object.entries(misdeeds))(
  '[MEDIA-12] a node that answers %s fails the job with a reason, and leaves nothing behind',
  async (_what, { does, code }) => {
    const node = await join(ana)
    const doc = await ana.document()
    const before = await kept()
    const { jobId } = (await doc.ask('POST', '/media/image', { json: { prompt: 'x' } })).json
    await does(node, await node.next())
    expect(await ended(doc, jobId, 'image')).toMatchObject({
      status: 'failed',
      result: null,
      error: { code, message: expect.stringMatching(/./) }
    })
    await nothingNew(before)
    const { events } = (await doc.ask('GET', '/events')).json
    expect(events.at(-1)).toMatchObject({ kind: 'media.failed', payload: { jobId, error: code } })
    expect(node.closed()).toBeUndefined()
  }
)

test('[MEDIA-13] an endless result is stopped at the limit, while it arrives', async () => {
  const node = await join(ana)
  const doc = await ana.document()
  const before = await kept()
  const { jobId } = (await doc.ask('POST', '/media/image', { json: { prompt: 'x' } })).json
  const { job } = await node.next()
  // The node obeys the flow-control window, but its result never ends.
  const endless = node.answer(job, {}, { bytes: new Uint8Array(64 * 1024 * 1024), contentType: 'image/png' }).catch(() => undefined)
  expect(await ended(doc, jobId, 'image')).toMatchObject({ status: 'failed', error: { code: 'result_refused' } })
  const credited = node.messages
    .flatMap((message) => (message.type === 'credit' ? [message.bytes] : []))
    .reduce((sum, bytes) => sum + bytes, 0)
  expect(credited).toBeLessThanOrEqual(limits.mediaResultBytesMax)
  await nothingNew(before)
  node.die()
  await endless
})

/** Messages that no node may send. Each of them closes the socket. */
const offences: Readonly<Record<string, (node: ScriptedNode, job: number) => void>> = {
  'bytes beyond the window': (node, job) => {
    for (let count = 0; count < 80; count++) node.raw(encodeChunk(job, new Uint8Array(64 * 1024)))
  },
  'a job that it was never given': (node, job) => node.say({ type: 'result', job: job + 1, result: { text: 'x' }, file: null }),
  'what is no message': (node) => node.raw('{'),
  'a message of no kind': (node) => node.say({ type: 'root' }),
  'credit for nothing': (node, job) => node.say({ type: 'credit', job, bytes: 10_000_000 }),
  'a piece without bytes': (node) => node.raw(new Uint8Array(4)),
  'hello again': (node) => node.say({ type: 'hello', protocol: 1, slots: 1, capabilities: [] }),
  'text of a gigabyte': (node) => node.raw('x'.repeat(3 * 1024 * 1024))
}

test.each(Object.entries(offences))('[MEDIA-14] a node that sends %s loses its socket, and another runs the job', async (_what, offend) => {
  const node = await join(ana, { slots: 1 })
  const doc = await ana.document()
  const { jobId } = (await doc.ask('POST', '/media/image', { json: { prompt: 'x' } })).json
  const { job } = await node.next()
  const other = await join(ana)
  offend(node, job)
  expect([4400, 1009]).toContain((await node.end()).code)
  await other.answer((await other.next()).job, {}, { bytes: png(), contentType: 'image/png' })
  expect((await ended(doc, jobId, 'image')).status).toBe('done')
})

test('[MEDIA-15] a result counts once: repeated messages, or those after the job moved, change nothing', async () => {
  const node = await join(ana)
  const doc = await ana.document()
  const id = await startOcr(doc)
  const { job } = await node.next()
  await node.answer(job, { text: 'first' })
  await node.answer(job, { text: 'second' })
  node.say({ type: 'fail', job, code: 'engine_failed', message: 'third' })
  expect(await ended(doc, id)).toMatchObject({ status: 'done', text: 'first' })
  const { events } = (await doc.ask('GET', '/events')).json
  expect(events.filter(({ kind }: Json) => kind.startsWith('media.'))).toHaveLength(1)
  expect(node.closed()).toBeUndefined()
})

// ——— failures ———

test('[MEDIA-16] when one of two nodes dies during a job, the other runs it; when all die, the job fails with a reason', async () => {
  const first = await join(ana, { capabilities: ['ocr'], slots: 1 })
  const doc = await ana.document()
  const id = await startOcr(doc)
  await first.next()
  const second = await join(ana, { capabilities: ['ocr'] })
  first.die()
  const { job } = await second.next()
  await second.answer(job, { text: 'by the second' })
  expect(await ended(doc, id)).toMatchObject({ status: 'done', text: 'by the second' })
  const doomed = await startOcr(doc)
  await second.next()
  second.die()
  await until(async () => (await poll(doc, doomed)).status === 'queued', 'the job to wait again')
  clock.advance(limits.mediaNodelessSecondsMax * 1000)
  // A frozen node sends nothing, so the server must first notice that.
  const { relaySilentSecondsMax, relayBeatSeconds, mediaNodelessSecondsMax } = limits
  expect(relaySilentSecondsMax + relayBeatSeconds + mediaNodelessSecondsMax).toBeLessThanOrEqual(60)
  expect(await ended(doc, doomed)).toMatchObject({ status: 'failed', error: { code: 'node_offline' } })
})

test('[MEDIA-17] a job whose nodes die too often fails', async () => {
  const doc = await ana.document()
  let node = await join(ana)
  const id = await startOcr(doc)
  for (let losses = 0; losses <= limits.mediaLossesMax; losses++) {
    await node.next()
    const next = losses < limits.mediaLossesMax ? await join(ana) : undefined
    node.die()
    node = next ?? node
  }
  expect(await ended(doc, id)).toMatchObject({ status: 'failed', error: { code: 'node_lost' } })
})

test('[MEDIA-18] a node without a hello, or that falls silent, is dropped; a job that takes too long fails and the node is notified', async () => {
  const mute = await join(ana, { mute: true })
  clock.advance(limits.relayHelloSecondsMax * 1000)
  expect((await mute.end()).code).toBe(4408)
  const node = await join(ana)
  const doc = await ana.document()
  const id = await startOcr(doc)
  const { job, seconds } = await node.next()
  for (let at = 0; at < seconds; at += limits.relayBeatSeconds) {
    const beats = node.messages.filter(({ type }) => type === 'beat').length
    clock.advance(limits.relayBeatSeconds * 1000)
    await until(() => node.messages.filter(({ type }) => type === 'beat').length > beats, 'a beat')
    // The answer must arrive before the clock advances.
    node.say({ type: 'progress', job, progress: at / seconds })
    await until(
      async () => ['failed', at / seconds].includes(await poll(doc, id).then(({ progress, status }) => progress ?? status)),
      'the answer'
    )
  }
  expect(await ended(doc, id)).toMatchObject({ status: 'failed', error: { code: 'timed_out' } })
  expect(node.messages).toContainEqual({ type: 'cancel', job })
  const deaf = await join(ana, { deaf: true })
  clock.advance((limits.relaySilentSecondsMax + limits.relayBeatSeconds) * 1000)
  expect((await deaf.end()).code).toBe(4408)
})

test('[MEDIA-19] deleting the document during a job notifies the node and leaves no trace of the job', async () => {
  const node = await join(ana)
  const before = await kept()
  const doc = await ana.document()
  await startOcr(doc)
  const { job } = await node.next()
  await doc.ask('POST', '/media/image', { json: { prompt: 'x' } })
  const image = await node.next()
  expect((await doc.ask('DELETE', '')).status).toBe(200)
  await until(() => node.messages.filter(({ type }) => type === 'cancel').length === 2, 'the node to be told')
  await node.answer(job, { text: 'too late' })
  await node.answer(image.job, {}, { bytes: png(), contentType: 'image/png' })
  await nothingNew(before)
  const left = await Promise.all(['open job', 'ended job', 'job blob'].map((name) => world.service.storage.list([name])))
  const docs = left.flat().map(({ value }) => JSON.parse(Buffer.from(value).toString()) as string)
  expect(docs).not.toContain(doc.doc)
})

test('[MEDIA-50] the voices of the nodes are listed, and text goes to a node with that voice', async () => {
  const doc = await ana.document()
  const deep = await join(ana, { voices: ['deep', '../etc/passwd', '--help'] })
  const high = await join(ana, { voices: ['high', 'deep'], slots: 1 })
  expect((await ana.ask('GET', '/api/relay/status')).json.voices).toEqual(['deep', 'high'])
  for (const text of ['one', 'two']) await doc.ask('POST', '/media/speak', { json: { text, voice: 'high' } })
  const { job, input } = await high.next()
  expect(input).toEqual({ text: 'one', voice: 'high' })
  // The text waits for this node, although another node is free.
  await high.answer(job, { duration: 1 }, { bytes: samples['wav']?.bytes as Bytes, contentType: 'audio/wav' })
  expect((await high.next()).input).toMatchObject({ text: 'two' })
  await doc.ask('POST', '/media/speak', { json: { text: 'three', voice: 'unheard' } })
  expect((await deep.next()).input).toMatchObject({ voice: 'unheard' })
})

test('[MEDIA-47] a link revoked during a job leaves no picture in the document', async () => {
  const doc = await ana.document()
  const carla = await newSigned(world, 'carla@example.org')
  const node = await join(carla)
  const { id, secret } = (await doc.ask('POST', '/shares', { json: { role: 'edit' } })).json
  const headers = { 'X-Share-Key': secret }
  const before = await blobs()
  const paint = (prompt: string): Promise<Answer> =>
    carla.ask('POST', `/api/docs/${doc.doc}/media/image`, { headers, json: { prompt, width: 64, height: 64 } })
  expect((await paint('allowed')).status).toBe(202)
  await node.answer((await node.next()).job, {}, { bytes: png(), contentType: 'image/png' })
  const kinds = async (): Promise<Json[]> => (await doc.ask('GET', '/events')).json.events
  // The bytes are there before the commit. A link revoked between the two ends this job, too.
  await until(async () => (await kinds()).some(({ kind }) => kind === 'asset.created'), 'the picture that was allowed')
  expect((await paint('too late')).status).toBe(202)
  const { job } = await node.next()
  await doc.ask('DELETE', `/shares/${id}`)
  await node.answer(job, {}, { bytes: png(), contentType: 'image/png' })
  await until(async () => (await kinds()).some(({ kind }) => kind === 'media.failed'), 'the end of the job')
  expect((await kinds()).at(-1)).toMatchObject({ kind: 'media.failed', payload: { kind: 'image', error: 'access_ended' } })
  expect((await kinds()).filter(({ kind }) => kind === 'asset.created')).toHaveLength(1)
  await until(async () => (await blobs()) === before + 1, 'the bytes of the other to be gone')
})

test('[MEDIA-20] an account has a limited number of open jobs, and a picture without space fails', async () => {
  const cleo = await newSigned(world, 'cleo@example.org')
  const node = await join(cleo, { slots: 16 })
  const doc = await cleo.document()
  for (let count = 0; count < limits.mediaOpenJobsMax; count++) await startOcr(doc)
  const more = await doc.ask('POST', '/media/ocr', { body: png(), type: 'image/png' })
  expect(more).toMatchObject({ status: 429, json: { code: 'media_queue_full' } })
  expect(more.headers.get('Retry-After')).not.toBeNull()
  await node.answer((await node.next()).job, { text: 'x' })
  await until(async () => (await doc.ask('POST', '/media/ocr', { body: png(), type: 'image/png' })).status === 202, 'room')
  // Many simultaneous requests do not exceed the limit either.
  const carl = await newSigned(world, 'carl@example.org')
  await join(carl)
  const crowded = await carl.document()
  const asked = await Promise.all(Array.from({ length: 25 }, () => crowded.ask('POST', '/media/speak', { json: { text: 'x' } })))
  expect(asked.filter(({ status }) => status === 202).length).toBe(limits.mediaOpenJobsMax)
  const small = await startWorld({ env: { AGMD_ASSET_MEGABYTES: '0' } })
  const dora = await newSigned(small, 'dora@example.org')
  const painter = await join(dora, {}, small)
  const full = await dora.document()
  const { jobId } = (await full.ask('POST', '/media/image', { json: { prompt: 'x' } })).json
  await painter.answer((await painter.next()).job, {}, { bytes: png(), contentType: 'image/png' })
  expect(await ended(full, jobId, 'image')).toMatchObject({ status: 'failed', error: { code: 'asset_quota_exceeded' } })
  // The caller may learn that the job has ended before its bytes are overwritten.
  await until(async () => (await small.service.blobs.list()).length === 0, 'the end of the picture')
  await small.stop()
})

test('[MEDIA-21] a job and its result are kept for a day; saved results stay', async () => {
  const node = await join(ana)
  const doc = await ana.document()
  const speak = async (): Promise<string> => {
    const { talkId } = (await doc.ask('POST', '/media/speak', { json: { text: 'Hello' } })).json
    await node.answer((await node.next()).job, { duration: 1 }, { bytes: samples['wav']?.bytes as Bytes, contentType: 'audio/wav' })
    await ended(doc, talkId, 'speak')
    return talkId
  }
  const [lost, saved] = [await speak(), await speak()]
  const { url } = (await doc.ask('POST', `/media/speak/${saved}/save`)).json
  const before = await blobs()
  connected.splice(0).forEach((each) => each.die())
  clock.advance(limits.mediaKeptHours * 3600 * 1000)
  await until(async () => {
    clock.advance(limits.sweepMinutes * 60_000)
    return [await poll(doc, lost, 'speak'), await poll(doc, saved, 'speak')].every(({ code }) => code === 'not_found')
  }, 'the jobs to go')
  expect(await blobs()).toBeLessThan(before)
  expect((await fetch(url)).status).toBe(200)
})

test('[MEDIA-22] a retry with the same key does not start a second job', async () => {
  const node = await join(ana)
  const doc = await ana.document()
  const headers = { 'Idempotency-Key': 'once' }
  const first = await doc.ask('POST', '/media/speak', { json: { text: 'Hello' }, headers })
  const again = await doc.ask('POST', '/media/speak', { json: { text: 'Hello' }, headers })
  expect(again.json.talkId).toBe(first.json.talkId)
  await node.next()
  expect(node.jobs).toHaveLength(1)
})

test('[MEDIA-23] a restart during a job loses nothing: the job completes afterward, with its file', async () => {
  const own = await startWorld()
  const person = await newSigned(own, 'ella@example.org')
  const { token } = await person.nodeToken()
  const before = await dialIn(own, token)
  const made = await person.document()
  const running = await startOcr(made)
  await before.next()
  const waiting = await Promise.all([startOcr(made), startOcr(made)])
  const next = await own.restart()
  expect((await before.end()).code).toBe(1001)
  const after = await dialIn(next, token, { onJob: (node, { job }) => void node.answer(job, { text: `${node.bytesOf(job).length}` }) })
  const read = async (id: string): Promise<Json> =>
    (await next.ask('GET', `/api/docs/${made.doc}/media/ocr/${id}`, { headers: person.headers, query: { wait: 20 } })).json
  for (const id of [running, ...waiting]) expect(await read(id)).toMatchObject({ status: 'done' })
  expect(after.jobs).toHaveLength(3)
  expect(after.jobs.map(({ file }) => file?.bytes)).toEqual([png(3, 3).length, png(3, 3).length, png(3, 3).length])
  after.die()
  await next.stop()
})

test('[MEDIA-24] the account page creates node tokens, shows each once, and revokes them', async () => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-in`)
  await visitor.submit('/sign-in', { email: 'ana@example.org', password })
  await visitor.visit(`${world.url}/account`)
  await visitor.submit('/account/nodes', { name: 'Under the <desk>' })
  const token = /anode_[\w-]+/.exec(visitor.page.text)?.[0] ?? ''
  const node = await dialIn(world, token)
  connected.push(node)
  await visitor.visit(`${world.url}/account`)
  expect(visitor.page.text).not.toContain(token)
  expect(visitor.page.text).toContain('Under the &lt;desk&gt;')
  const { nodes } = (await ana.ask('GET', '/api/me/nodes')).json
  await visitor.submit('/account/end-node', { node: nodes.find(({ name }: Json) => name === 'Under the <desk>').id })
  expect((await node.end()).code).toBe(4401)
})

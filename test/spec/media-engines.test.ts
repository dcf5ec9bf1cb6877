/** `agmd node` with Debian's engines, in separate processes, against a real server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readContinuous, readSingle, readWhisper } from '../../cli/node/local.ts'
import { normalWav, readWav } from '../../cli/node/wav.ts'
import { writeWav } from '../../shared/wav.ts'
import { type Machine, newMachine, type Running } from '../support/cli.ts'
import { type Bytes, png, samples } from '../support/media.ts'
import { dialIn, missingEngines, newSigned, type Signed, startNodeProcess, wordErrorRate } from '../support/nodes.ts'
import { colourOf } from '../support/openai-server.ts'
import { type Json, startWorld, until, type World } from '../support/world.ts'

let world: World
let machine: Machine
let ana: Signed
beforeAll(async () => {
  world = await startWorld()
  machine = await newMachine(world.url)
  ana = await newSigned(world, 'ana@example.org')
})
afterAll(async () => {
  await world.stop()
  await machine.remove()
})

const running: Running[] = []
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
})

const lend = async (env?: Record<string, string>, token?: string): Promise<Running> => {
  const node = await startNodeProcess(machine, token ?? (await ana.nodeToken()).token, env)
  running.push(node)
  return node
}

let painter: ChildProcess | undefined
let painterUrl: Promise<string> | undefined
afterAll(() => painter?.kill())

/** Starts a server with OpenAI's interface in a separate process. */
const openaiServer = (): Promise<string> =>
  (painterUrl ??= (async () => {
    painter = spawn(process.execPath, [join(import.meta.dirname, '../support/openai-server.ts')], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [address] = (await once(painter.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    return address.toString().trim()
  })())

// These tests are skipped on a machine where the engines cannot be installed. In CI, missing engines are an error (nodes.ts).
const withEngines = test.skipIf(missingEngines.length > 0)

type Doc = Awaited<ReturnType<Signed['document']>>

const ended = async (doc: Doc, path: string, id: string): Promise<Json> => {
  for (;;) {
    const { json } = await doc.ask('GET', `/media/${path}/${id}`, { query: { wait: 20 } })
    if (!['queued', 'running'].includes(json.status)) return json
  }
}

const run = async (doc: Doc, path: string, what: object): Promise<Json> => {
  const { status, json } = await doc.ask('POST', `/media/${path}`, what)
  expect(status, JSON.stringify(json)).toBe(202)
  return ended(doc, path, json.jobId)
}

const wordErrorRateMax = 0.34

withEngines(
  '[MEDIA-25] text is spoken as mono WAV at 16 kHz, and transcribed with at most 0.34 of its words wrong',
  { timeout: 90_000 },
  async () => {
    await lend()
    const { voices, ...status } = (await ana.ask('GET', '/api/relay/status')).json
    expect(voices).toEqual(expect.arrayContaining(['slt', 'rms', 'en-us', 'de']))
    expect(status).toEqual({
      online: true,
      nodes: 1,
      capabilities: ['speech', 'transcription', 'ocr']
    })
    const doc = await ana.document()
    const text = 'The quick brown fox jumped over the lazy dog. Please send the report tomorrow morning.'
    const spoken = await run(doc, 'speak', { json: { text, voice: 'rms' } })
    expect(spoken, JSON.stringify(spoken)).toMatchObject({ status: 'done', engine: 'flite' })
    const response = await fetch(spoken.audioUrl, { headers: ana.headers })
    const wav = Buffer.from(await response.arrayBuffer())
    expect({ channels: wav.readUInt16LE(22), rate: wav.readUInt32LE(24), bits: wav.readUInt16LE(34) }).toEqual({
      channels: 1,
      rate: 16_000,
      bits: 16
    })
    const heard = await run(doc, 'transcribe', { body: new Uint8Array(wav), type: 'audio/wav' })
    expect(heard).toMatchObject({ status: 'done', engine: 'pocketsphinx' })
    const rate = wordErrorRate(text, heard.text)
    process.stdout.write(`word error rate ${rate.toFixed(2)}: ${heard.text}\n`)
    expect(rate).toBeLessThanOrEqual(wordErrorRateMax)
    expect(heard.duration).toBeCloseTo((wav.length - 44) / 32_000, 2)
    for (const { start, end } of heard.segments) {
      expect(start).toBeLessThan(end)
      expect(end).toBeLessThanOrEqual(heard.duration)
    }
  }
)

withEngines('[MEDIA-28] damaged sound and pictures, and a missing voice, fail with a reason; the node keeps running', async () => {
  // A separate folder is needed, because nodes that other tests killed leave files in the shared one.
  const TMPDIR = machine.path('jobs')
  mkdirSync(TMPDIR)
  const node = await lend({ TMPDIR })
  const doc = await ana.document()
  const broken = [
    ['ocr', { body: samples['jpg']?.bytes, type: 'image/jpeg' }],
    ['transcribe', { body: samples['mp3']?.bytes, type: 'audio/mpeg' }],
    ['transcribe', { body: samples['ogg']?.bytes, type: 'audio/ogg' }],
    ['speak', { json: { text: 'Hello', voice: 'nobody' } }]
  ] as const
  for (const [path, what] of broken) {
    const job = await run(doc, path, what)
    expect(job, path).toMatchObject({ status: 'failed', error: { code: expect.stringMatching(/^(bad_input|engine_unavailable)$/) } })
    expect(job.error.message, 'places on the machine').not.toMatch(/\/(tmp|usr|home)/)
  }
  expect(await run(doc, 'speak', { json: { text: '-o /tmp/x --help $(id)' } })).toMatchObject({ status: 'done' })
  expect(node.child.exitCode).toBeNull()
  await until(() => readdirSync(TMPDIR).length === 0, 'folders of jobs to be removed')
})

withEngines('[MEDIA-53] the programs of a node leave no files in the temporary folder or the home folder', async () => {
  const [TMPDIR, HOME] = [machine.path('no-files'), machine.path('no-home')]
  for (const folder of [TMPDIR, HOME]) mkdirSync(folder)
  const left = (): string[] => [TMPDIR, HOME].flatMap((folder) => readdirSync(folder))
  await lend({ TMPDIR, HOME })
  expect(left(), 'after the voices were listed').toEqual([])
  const doc = await ana.document()
  expect(await run(doc, 'speak', { json: { text: 'Guten Tag', voice: 'de' } })).toMatchObject({ status: 'done', engine: 'espeak-ng' })
  expect(left(), 'after a job').toEqual([])
})

withEngines('[MEDIA-44] text that a voice cannot pronounce fails: silence does not count as speech', async () => {
  await lend()
  const doc = await ana.document()
  for (const text of ['שלום עולם', '😀', '…'])
    expect(await run(doc, 'speak', { json: { text, voice: 'slt' } }), text).toMatchObject({
      status: 'failed',
      error: { code: 'bad_input', message: expect.stringContaining('Choose a voice') }
    })
  expect(await run(doc, 'speak', { json: { text: 'Grüße aus Köln', voice: 'de' } })).toMatchObject({ status: 'done', engine: 'espeak-ng' })
})

withEngines('[MEDIA-48] a small file that would unpack to a picture of gigabytes is refused by its header', async () => {
  await lend()
  const doc = await ana.document()
  const huge = png()
  const head = new DataView(huge.buffer)
  head.setUint32(16, 20_000)
  head.setUint32(20, 20_000)
  head.setUint32(29, crc32(huge.subarray(12, 29)))
  expect(await run(doc, 'ocr', { body: huge, type: 'image/png' })).toMatchObject({
    status: 'failed',
    error: { code: 'bad_input', message: expect.stringContaining('400 million pixels') }
  })
  expect(await run(doc, 'ocr', { body: png(1, 1), type: 'image/png' })).toMatchObject({ status: 'done', text: '' })
})

withEngines('[MEDIA-45] leftovers of a recording from a killed node are removed when the next one starts', async () => {
  const TMPDIR = machine.path('left')
  mkdirSync(TMPDIR)
  const { token } = await ana.nodeToken()
  const killed = await lend({ TMPDIR }, token)
  const doc = await ana.document()
  const tone = writeWav(Float32Array.from({ length: 16_000 * 20 }, (_sample, at) => Math.sin(at / 20) * Math.sin(at / 3000) * 0.3))
  const { json } = await doc.ask('POST', '/media/transcribe', { body: tone, type: 'audio/wav' })
  await until(() => readdirSync(TMPDIR).some((name) => readdirSync(join(TMPDIR, name)).length > 0), 'the recording to be there', 20)
  killed.child.kill('SIGKILL')
  await killed.ended
  expect(readdirSync(TMPDIR)).not.toEqual([])
  await doc.ask('DELETE', `/media/jobs/${json.jobId}`)
  await lend({ TMPDIR }, token)
  expect(readdirSync(TMPDIR)).toEqual([])
})

test('[MEDIA-46] a node with an unknown token exits with a reason', async () => {
  const unknown = machine.start(['node'], {
    env: { AGMD_NODE_TOKEN: 'anode_unknown', AGMD_NODE_OPENAI_URL: await openaiServer() }
  })
  expect(await unknown.ended).toMatchObject({ code: 4, stderr: expect.stringContaining('does not know this token') })
})

const chromium = process.env['AGMD_CHROMIUM'] ?? '/usr/bin/chromium'

// This test needs the engines and a browser, which draws the picture of the text.
test.skipIf(missingEngines.length > 0 || !existsSync(chromium))(
  '[MEDIA-26] text in a picture is read exactly',
  { timeout: 90_000 },
  async () => {
    await lend()
    const text = 'Meeting on Tuesday at 10:30.\nThe budget is 4,250 euros.'
    const page = machine.write('page.html', `<body style="font: 32px DejaVu Sans, sans-serif; margin: 40px">${text.replace('\n', '<br>')}`)
    const picture = machine.path('text.png')
    const words = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${machine.path('profile')}`]
    const shot = spawn(chromium, [...words, '--window-size=800,300', `--screenshot=${picture}`, `file://${machine.path(page)}`], {
      stdio: 'ignore'
    })
    await once(shot, 'exit')
    const doc = await ana.document()
    const read = await run(doc, 'ocr', { body: new Uint8Array(readFileSync(picture)), type: 'image/png' })
    expect(read).toMatchObject({ status: 'done', engine: 'tesseract', text })
  }
)

test('[MEDIA-27] a server with the OpenAI interface renders a picture of the requested size', async () => {
  const url = await openaiServer()
  const nobody = machine.start(['node'], {
    env: { AGMD_NODE_TOKEN: 'anode_x', AGMD_NODE_OPENAI_URL: 'http://127.0.0.1:9/v1', PATH: '/nowhere' }
  })
  expect(await nobody.ended).toMatchObject({ code: 2, stderr: expect.stringContaining('does not answer') })
  await lend({ AGMD_NODE_OPENAI_URL: url, AGMD_NODE_OPENAI_KEY: 'key' })
  const doc = await ana.document()
  const done = await run(doc, 'image', { json: { prompt: 'A boat', width: 320, height: 200 } })
  expect(done, JSON.stringify(done)).toMatchObject({ status: 'done', markdown: expect.stringMatching(/^!\[A boat\]\(\/f\//) })
  const picture = new Uint8Array(await (await fetch(done.url)).arrayBuffer())
  expect(picture).toEqual(png(320, 200, colourOf('A boat')))
  const refused = await run(doc, 'image', { json: { prompt: 'refuse' } })
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'bad_input', message: expect.stringContaining('not allowed') } })
})

withEngines('[MEDIA-29] when one of two node processes is killed during a job, the other finishes it', { timeout: 90_000 }, async () => {
  const doc = await ana.document()
  const first = await lend()
  // The recording is long enough for the job to be interrupted.
  const noise = writeWav(Float32Array.from({ length: 16_000 * 8 }, (_sample, at) => Math.sin(at / 20) * Math.sin(at / 3000) * 0.3))
  const { json } = await doc.ask('POST', '/media/transcribe', { body: noise, type: 'audio/wav' })
  await until(async () => (await doc.ask('GET', `/media/transcribe/${json.asrId}`)).json.progress >= 0.1, 'the job to be under way', 20)
  await lend()
  first.child.kill('SIGKILL')
  expect(await ended(doc, 'transcribe', json.asrId)).toMatchObject({ status: 'done', duration: 8 })
})

test('[MEDIA-30] a node reconnects after a restart of the service, and exits with a reason when its token is revoked', async () => {
  const env = { AGMD_PORT: new URL(world.url).port, AGMD_BASE_URL: world.url }
  const { id, token } = await ana.nodeToken()
  const node = await lend({}, token)
  world = await world.restart({ env })
  await until(() => node.stdout().split('"connected":true').length === 3, 'the node to be back', 20)
  await world.ask('DELETE', `/api/me/nodes/${id}`, { headers: ana.headers })
  expect(await node.ended).toMatchObject({ code: 4, stderr: expect.stringContaining('revoked') })
  expect(node.stdout() + node.stderr()).not.toContain(token)
})

withEngines('[MEDIA-31] the client starts jobs, waits for them and saves their results', { timeout: 90_000 }, async () => {
  const { json } = await world.ask('POST', '/api/me/nodes', { headers: ana.headers, json: {} })
  await lend({}, json.token)
  const { doc } = await ana.document()
  const env = { AGMD_TOKEN: ana.headers['Authorization']?.slice(7) ?? '' }
  const agmd = async (...words: string[]): Promise<Json> => {
    const ran = await machine.run([...words, '--json'], { env })
    expect(ran.code, ran.stderr).toBe(0)
    return ran.json
  }
  expect((await agmd('media', 'status')).capabilities).toContain('speech')
  const spoken = await agmd('media', 'speak', doc, '-m', 'hello world', '-o', 'hello.wav', '--save')
  expect(spoken.asset.markdown).toMatch(/^!\[hello world\]\(\/f\//)
  const heard = await agmd('media', 'transcribe', doc, '-f', 'hello.wav')
  expect(heard.segments.length).toBeGreaterThan(0)
  writeFileSync(machine.path('broken.jpg'), samples['jpg']?.bytes as Bytes)
  const failed = await machine.run(['media', 'ocr', doc, '-f', 'broken.jpg', '--json'], { env })
  const long = await machine.run(['media', 'speak', doc, '-m', 'x'.repeat(2401)], { env })
  expect(long).toMatchObject({ code: 2, stderr: expect.stringContaining('2400') })
  expect(failed).toMatchObject({ code: 1, json: { error: { code: 'job_failed', reason: 'bad_input' } } })
})

test('[MEDIA-49] a waiting client survives a restart of the service, and fetches results later', async () => {
  const { token } = await ana.nodeToken()
  const env = { AGMD_TOKEN: ana.headers['Authorization']?.slice(7) ?? '' }
  const { doc } = await ana.document()
  let node = await dialIn(world, token, { capabilities: ['ocr'] })
  writeFileSync(machine.path('page.png'), png())
  const waiting = machine.start(['media', 'ocr', doc, '-f', 'page.png'], { env })
  await node.next()
  world = await world.restart({ env: { AGMD_PORT: new URL(world.url).port, AGMD_BASE_URL: world.url } })
  node = await dialIn(world, token, { capabilities: ['ocr'] })
  await node.answer((await node.next()).job, { text: 'after the restart' })
  expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'after the restart\n' })

  const { stdout } = await machine.run(['media', 'ocr', doc, '-f', 'page.png', '--no-wait'], { env })
  await node.answer((await node.next()).job, { text: 'collected later' })
  expect(await machine.run(['media', 'wait', doc, stdout.trim()], { env })).toMatchObject({ code: 0, stdout: 'collected later\n' })
  expect(await machine.run(['media', 'wait', doc, 'nothing'], { env })).toMatchObject({ code: 3 })
  node.die()
})

// ——— without engines ———

test.each([8000, 16_000, 22_050, 44_100, 48_000])(
  '[MEDIA-32] a tone of 440 Hz at %i Hz, in two channels, becomes one of 440 Hz in mono at 16 kHz',
  async (rate) => {
    const frames = rate
    const file = Buffer.alloc(44 + frames * 4)
    file.set(writeWav(new Float32Array(0)))
    file.writeUInt16LE(2, 22)
    file.writeUInt32LE(rate, 24)
    file.writeUInt32LE(frames * 4, 40)
    for (let at = 0; at < frames; at++)
      for (const channel of [0, 1])
        file.writeInt16LE(Math.round(Math.sin((2 * Math.PI * 440 * at) / rate) * 16_000), 44 + at * 4 + channel * 2)
    const normal = await normalWav(file)
    expect(normal?.duration).toBeCloseTo(1, 2)
    const sound = readWav(normal?.file ?? Buffer.alloc(0))
    expect(sound).toMatchObject({ rate: 16_000, channels: 1 })
    const samplesOf = [...(sound?.samples ?? [])].slice(1000, -1000)
    const crossings = samplesOf.filter((sample, at) => at > 0 && (samplesOf[at - 1] ?? 0) < 0 && sample >= 0).length
    expect(crossings / (samplesOf.length / 16_000)).toBeCloseTo(440, -1)
    expect(Math.max(...samplesOf)).toBeCloseTo(16_000 / 32_768, 1)
  }
)

/** Creates a sound file of `bytes` bytes with this header. */
const wavOf = (bytes: number, rate: number, channels = 1): Buffer => {
  const file = Buffer.alloc(44 + bytes)
  file.set(writeWav(new Float32Array(0)))
  file.writeUInt16LE(channels, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(bytes, 40)
  return file
}

test('[MEDIA-43] a header with an impossible rate or number of channels causes no work', async () => {
  for (const file of [wavOf(3200, 0), wavOf(3200, 1), wavOf(3200, 2_147_483_647), wavOf(3200, 16_000, 0), wavOf(320_000, 16_000, 65_535)])
    expect(await normalWav(file)).toBeUndefined()
})

test('[MEDIA-43] a node that resamples a long recording still responds', async () => {
  let turns = 0
  const turn = setInterval(() => turns++, 1)
  expect((await normalWav(wavOf(44_100 * 2 * 60, 44_100)))?.duration).toBe(60)
  clearInterval(turn)
  expect(turns).toBeGreaterThan(5)
})

test.each([Buffer.alloc(0), Buffer.from('RIFF'), Buffer.from('RIFF0000WAVEdata'), Buffer.from('no sound at all')])(
  '[MEDIA-32] data other than WAV is reported: %s',
  async (file) => expect(await normalWav(file)).toBeUndefined()
)

test('[MEDIA-33] the output of pocketsphinx and whisper.cpp is parsed into timed segments', () => {
  const continuous =
    'hello world\n<s> 0.000 0.120 1.0\nhello(2) 0.130 0.320 0.8\n<sil> 0.320 0.400 0.9\nworld 0.410 0.900 0.9\n</s> 0.910 1.000 1.0\n'
  expect(readContinuous(continuous)).toEqual([{ start: 0.13, end: 0.9, text: 'hello world' }])
  expect(readContinuous('')).toEqual([])
  expect(readSingle('{"b":0.5,"d":1.5,"p":1.0,"t":"hello world","w":[]}\n{"b":3,"d":1,"t":""}\n')).toEqual([
    { start: 0.5, end: 2, text: 'hello world' }
  ])
  const whispered = { transcription: [{ offsets: { from: 0, to: 1500 }, text: ' Hello.' }] }
  expect(readWhisper(JSON.stringify(whispered))).toEqual([{ start: 0, end: 1.5, text: 'Hello.' }])
})

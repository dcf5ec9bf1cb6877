/** Media jobs in the browser, with Debian's engines and with scripted compute nodes. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readWav } from '../../cli/node/wav.ts'
import type { JobKind } from '../../shared/media-jobs.ts'
import { writeWav } from '../../shared/wav.ts'
import { type Machine, newMachine, type Running } from '../support/cli.ts'
import { png, samples } from '../support/media.ts'
import { dialIn, missingEngines, type ScriptedNode, startNodeProcess, wordErrorRate } from '../support/nodes.ts'
import { password } from '../support/visitor.ts'
import { type Json, startWorld, type World } from '../support/world.ts'
import { lookAtSizes } from './appearance.ts'
import { editorText, launch, ownPage, saved, selectWords, until } from './browser.ts'
import { openNew } from './visits.ts'

// These tests are skipped on a machine where the engines cannot be installed. In CI, missing engines are an error (nodes.ts).
const withEngines = test.skipIf(missingEngines.length > 0)

const said = 'The quick brown fox jumped over the lazy dog'

let world: World
let machine: Machine
let browser: Browser
beforeAll(async () => {
  world = await startWorld()
  machine = await newMachine(world.url)
  if (missingEngines.length === 0) spawnSync('flite', ['-voice', 'rms', '-t', said, '-o', machine.path('said.wav')])
  browser = await launch({
    more: [
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${machine.path('said.wav')}%noloop`
    ]
  })
})
afterAll(async () => {
  await browser.close()
  await world.stop()
  await machine.remove()
})

interface Somebody {
  readonly context: BrowserContext
  readonly page: Page
  readonly heard: string[]
  /** Sends a request as the signed-in browser. */
  post(path: string, body: object): Promise<Record<string, Json>>
  open(content: string): Promise<string>
}

/** Cookies of people who have signed up, by name. */
const signedUp = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>()

/** Signs a person up and opens a page for them. */
async function join(name: string, options: BrowserContextOptions = {}): Promise<Somebody> {
  const known = signedUp.get(name)
  const { context, page, heard } = await ownPage(browser, {
    permissions: ['microphone'],
    ...options,
    ...(known && { storageState: known })
  })
  if (known === undefined) {
    await page.goto(`${world.url}/sign-up`)
    await page.getByLabel('Email').fill(`${name}@example.org`)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL(`${world.url}/`)
    signedUp.set(name, await context.storageState())
  }
  const post: Somebody['post'] = async (path, body) => {
    const answer = await context.request.post(world.url + path, { data: body, headers: { origin: world.url } })
    expect(answer.ok(), await answer.text()).toBe(true)
    return (await answer.json()) as Record<string, Json>
  }
  const open = async (content: string): Promise<string> => {
    const { id } = await post('/api/docs', { content })
    await page.goto(`${world.url}/d/${id}`)
    await saved(page)
    return id
  }
  return { context, page, heard, post, open }
}

const tokenOf = async ({ post }: Somebody): Promise<string> => (await post('/api/me/nodes', { name: 'test' }))['token']

const nodes: ScriptedNode[] = []
afterEach(async () => {
  for (const each of nodes.splice(0)) {
    each.die()
    await each.end()
  }
})

async function scripted(somebody: Somebody, capabilities?: readonly JobKind[], voices?: readonly string[]): Promise<ScriptedNode> {
  const made = await dialIn(world, await tokenOf(somebody), { ...(capabilities && { capabilities }), ...(voices && { voices }) })
  nodes.push(made)
  return made
}

const panel = (page: Page) => page.getByRole('region', { name: 'Pictures and speech' })
const job = (page: Page, phase: string) => page.locator(`.media-job[data-phase=${phase}]`)

/** Runs a command by its name in the palette. */
async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+Shift+P')
  // A form in the panel may contain a combobox as well, so the selector names the palette.
  await page.locator('input[role=combobox]').fill(name)
  await page.locator('[role=option][aria-selected=true]', { hasText: name }).waitFor()
  await page.keyboard.press('Enter')
  await panel(page).waitFor()
}

// ——— with real engines ———

let writer: (Somebody & { readonly node: Running }) | undefined
afterAll(async () => {
  writer?.node.child.kill('SIGKILL')
  await writer?.node.ended
})

/** Returns a person whose account has a real compute node. */
async function ana(): Promise<Somebody> {
  if (writer === undefined) {
    const somebody = await join('ana')
    writer = { ...somebody, node: await startNodeProcess(machine, await tokenOf(somebody)) }
  }
  return writer
}

async function chooseFile(page: Page, button: string, file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), panel(page).getByRole('button', { name: button }).click()])
  await chooser.setFiles(file)
}

withEngines('[MEDIA-34] a person checks dictated words first; they are inserted at the chosen place, in one step', async () => {
  const { page, open, post } = await ana()
  const id = await open('First.\n\nHe said  to us.\n\nLast.')
  await selectWords(page, 'He said ', { isCursor: true })
  await command(page, 'Dictate')
  await panel(page).getByRole('button', { name: 'Record' }).click()
  // The browser plays the file in real time, so recording takes as long as the file.
  await until(async () => /0:0[4-9]/.test((await page.getByRole('timer').textContent()) ?? ''), 'four seconds')
  await panel(page).getByRole('button', { name: 'Stop and transcribe' }).click()
  const words = panel(page).getByRole('textbox', { name: 'Transcript' })
  await words.waitFor()
  const heard = await words.inputValue()
  process.stdout.write(`by microphone: ${heard}\n`)
  expect(wordErrorRate(said, heard)).toBeLessThanOrEqual(0.5)
  // In the meantime, others write text before the place of the result.
  await post(`/api/docs/${id}/edits`, { operations: [{ op: 'replace', find: 'First.', with: 'The very first.' }] })
  await until(async () => (await editorText(page)).startsWith('The very first.'), 'the words of others')
  await words.fill('a fox ran')
  await panel(page).getByRole('button', { name: 'Insert' }).click()
  await until(async () => (await editorText(page)) === 'The very first.\n\nHe said a fox ran to us.\n\nLast.', 'the words')
  await panel(page).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+z')
  expect(await editorText(page)).toBe('The very first.\n\nHe said  to us.\n\nLast.')
})

withEngines('[MEDIA-34] a file is transcribed; one without sound is refused before it is sent', async () => {
  const { page, open } = await ana()
  await open('Notes:')
  await selectWords(page, 'Notes:', { isCursor: true })
  await command(page, 'Dictate')
  await chooseFile(page, 'Choose a file', { name: 'broken.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF no sound') })
  await panel(page).getByText('Your browser cannot play this sound').waitFor()
  await chooseFile(page, 'Choose a file', machine.path('said.wav'))
  const words = panel(page).getByRole('textbox', { name: 'Transcript' })
  await words.waitFor()
  const written = await words.inputValue()
  process.stdout.write(`from a file: ${written}\n`)
  expect(wordErrorRate(said, written)).toBeLessThanOrEqual(0.34)
  await panel(page).getByRole('button', { name: 'Insert' }).click()
  await until(async () => (await editorText(page)) === `Notes: ${written}`, 'the words')
})

withEngines('[MEDIA-35] the paragraph at the caret is read without its marks, played, and saved as a file after it', async () => {
  const { page, open, heard } = await ana()
  await open('Before.\n\nA **bold** [word](https://example.org/x).\n\nAfter.')
  await selectWords(page, 'bold', { isCursor: true })
  await command(page, 'Read aloud')
  expect(await panel(page).getByLabel('Text to read aloud').inputValue()).toBe('A bold word.')
  await panel(page).getByRole('button', { name: 'Read aloud', exact: true }).last().click()
  await job(page, 'done').locator('audio').waitFor()
  const seconds = await job(page, 'done')
    .locator('audio')
    .evaluate(async (sound: HTMLAudioElement) => {
      await sound.play()
      return sound.duration
    })
  expect(seconds).toBeGreaterThan(0.5)
  await panel(page).getByRole('button', { name: 'Save and insert' }).click()
  const wanted =
    /^Before\.\n\nA \*\*bold\*\* \[word\]\(https:\/\/example\.org\/x\)\.\n\n!\[A bold word\.\]\((\/f\/[\w-]+\.wav)\)\n\nAfter\.$/
  await until(async () => wanted.test(await editorText(page)), 'the sound in the text')
  const address = wanted.exec(await editorText(page))?.[1] ?? ''
  const file = Buffer.from(await (await fetch(world.url + address)).arrayBuffer())
  expect(readWav(file)).toMatchObject({ rate: 16_000, channels: 1 })
  await page.keyboard.press('Control+z')
  expect(await editorText(page)).not.toContain('.wav')
  expect(heard).toEqual([])
})

withEngines('[MEDIA-36] the text of a pasted picture, or of one in the document, is read, checked and inserted', async () => {
  const { page, open, context, heard } = await ana()
  const maker = await context.newPage()
  await maker.setContent('<body style="font: 32px DejaVu Sans, sans-serif; margin: 40px">Meeting at 10:30<br>Budget: 4,250 euros')
  const picture = await maker.screenshot({ clip: { x: 0, y: 0, width: 480, height: 170 } })
  await maker.close()
  const id = await open('Here:\n\nEnd.')
  await selectWords(page, 'Here:', { isCursor: true })
  await command(page, 'Read text')
  await panel(page)
    .locator('.media-form')
    .evaluate((element, base64) => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], 'scan.png', { type: 'image/png' }))
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    }, picture.toString('base64'))
  const words = panel(page).getByRole('textbox', { name: 'Text in the picture' })
  await words.waitFor()
  expect(await words.inputValue()).toBe('Meeting at 10:30\nBudget: 4,250 euros')
  await panel(page).getByRole('button', { name: 'Insert' }).click()
  await until(async () => (await editorText(page)) === 'Here:\n\nMeeting at 10:30\nBudget: 4,250 euros\n\nEnd.', 'the text')

  const path = `${world.url}/api/docs/${id}`
  const upload = await context.request.post(`${path}/assets?name=Scan`, {
    data: picture,
    headers: { 'content-type': 'image/png', origin: world.url }
  })
  const { markdown } = (await upload.json()) as { markdown: string }
  await context.request.put(`${path}/content`, { data: { content: `A picture:\n\n${markdown}\n` }, headers: { origin: world.url } })
  await until(async () => (await editorText(page)).startsWith('A picture:'), 'the picture')
  await selectWords(page, 'A picture:', { isCursor: true })
  await command(page, 'Read text')
  await panel(page).getByRole('button', { name: 'Read “Scan”' }).click()
  await words.waitFor()
  expect(await words.inputValue()).toContain('10:30')
  expect(heard).toEqual([])
})

// ——— with scripted nodes ———

test('[MEDIA-37] a picture is described, generated in the selected shape, checked and inserted', async () => {
  const bea = await join('bea')
  const painter = await scripted(bea)
  const { page } = bea
  await bea.open('One\n\nTwo')
  await selectWords(page, 'One', { isCursor: true })
  await page.keyboard.press('Enter')
  await page.keyboard.type('/picture')
  await page.getByRole('option', { name: 'Generate a picture' }).click()
  await panel(page).getByLabel('Describe the picture').fill('A red house')
  await panel(page).getByLabel('Aspect ratio').selectOption('1')
  await panel(page).getByRole('button', { name: 'Generate', exact: true }).click()
  const asked = await painter.next()
  expect(asked.input).toEqual({ prompt: 'A red house', width: 1536, height: 1024 })
  painter.say({ type: 'progress', job: asked.job, progress: 0.4 })
  await panel(page).getByText('Running: 40%').waitFor()
  await painter.answer(asked.job, {}, { bytes: png(3, 2), contentType: 'image/png' })
  await panel(page).getByRole('img', { name: 'A red house' }).waitFor()
  expect(await editorText(page)).toBe('One\n\n\nTwo')
  await panel(page).getByRole('button', { name: 'Insert' }).click()
  await until(async () => /^One\n\n!\[A red house\]\(\/f\/[\w-]+\.png\)\n\nTwo$/.test(await editorText(page)), 'the picture')
  expect(bea.heard).toEqual([])
  await bea.context.close()
})

test('[MEDIA-38] without session, right, node or engine the page says what is missing and what to do; text that is too long is not sent', async () => {
  const { context: guest, page } = await openNew(browser, world.url, 'text')
  await command(page, 'Read aloud')
  await panel(page).getByText('You need an account for this.').waitFor()
  expect(await panel(page).getByRole('link', { name: 'Sign in' }).getAttribute('href')).toContain('/sign-in?return_to=')
  await guest.close()

  const cem = await join('cem')
  await cem.open('x'.repeat(2401))
  await command(cem.page, 'Read aloud')
  await panel(cem.page).getByText('No compute node is connected').waitFor()
  const reader = await scripted(cem, ['speech'])
  await panel(cem.page).getByRole('button', { name: 'Check again' }).click()
  await panel(cem.page).getByLabel('Text to read aloud').waitFor()
  await panel(cem.page).getByText('2,401 of 2,400 characters').waitFor()
  expect(await panel(cem.page).locator('.media-form [type=submit]').isDisabled()).toBe(true)
  await panel(cem.page).getByRole('button', { name: 'Generate a picture' }).click()
  await panel(cem.page).getByText('cannot generate pictures').waitFor()
  // The node disconnects after the page has asked what is possible, and before the job.
  await panel(cem.page).getByRole('button', { name: 'Read aloud' }).click()
  await panel(cem.page).getByLabel('Text to read aloud').fill('short')
  await cem.page.route('**/media/speak', async (route) => {
    reader.die()
    await until(() => reader.closed() !== undefined, 'the node to be gone')
    await route.continue()
    await cem.page.unroute('**/media/speak')
  })
  await panel(cem.page).locator('.media-form [type=submit]').click()
  await job(cem.page, 'failed').getByText('No compute node is connected').waitFor()
  const speaker = await scripted(cem, ['speech'])
  await job(cem.page, 'failed').getByRole('button', { name: 'Try again' }).click()
  await job(cem.page, 'running').getByRole('button', { name: 'Cancel' }).click()
  await until(() => speaker.messages.some(({ type }) => type === 'cancel'), 'the node to be told')
  await cem.page.locator('.media-job').waitFor({ state: 'detached' })
  expect(cem.heard).toEqual([])
  await cem.context.close()
})

test('[MEDIA-39] a job can be canceled, fails with its reason, waits for a lost connection, and survives a reload with its place', async () => {
  const dan = await join('dan')
  const { page, context } = dan
  const worker = await scripted(dan)
  await dan.open('Place here.\n\nEnd.')
  await selectWords(page, 'Place', { isCursor: true })
  const speak = async (text: string): Promise<void> => {
    await command(page, 'Read aloud')
    await panel(page).getByLabel('Text to read aloud').fill(text)
    await panel(page).locator('.media-form [type=submit]').click()
  }
  await speak('first')
  const first = await worker.next()
  await panel(page).getByRole('button', { name: 'Cancel: first' }).click()
  await until(() => worker.messages.some(({ type }) => type === 'cancel'), 'the node to be told')
  await page.locator('.media-job').waitFor({ state: 'detached' })
  expect(first.kind).toBe('speech')

  await speak('second')
  worker.say({ type: 'fail', job: (await worker.next()).job, code: 'engine_failed', message: 'The voice broke.' })
  await job(page, 'failed').getByText('The compute node could not finish this.').waitFor()
  await job(page, 'failed').getByText('The voice broke.').waitFor()
  await job(page, 'failed').getByRole('button', { name: 'Remove' }).click()

  await speak('third')
  const third = await worker.next()
  await context.setOffline(true)
  await job(page, 'waiting').getByText('Waiting for the connection.').waitFor()
  await context.setOffline(false)
  await job(page, 'running').waitFor()
  // The job and its place survive a reload. Text that others write before the place moves it.
  await page.reload()
  await saved(page)
  await page.locator('.cm-line', { hasText: 'Place here.' }).locator('.media-sign').waitFor()
  await page.locator('.cm-content').press('Control+Home')
  await page.keyboard.type('A ')
  await worker.answer(third.job, { duration: 1 }, { bytes: samples['wav']?.bytes ?? new Uint8Array(), contentType: 'audio/wav' })
  await page.getByText('The audio is ready.').waitFor()
  await page.locator('.media-sign[data-phase=done]').click()
  await panel(page).getByRole('button', { name: 'Save and insert' }).click()
  await until(async () => /^A Place here\.\n\n!\[third\]\(\/f\/[\w-]+\.wav\)\n\nEnd\.$/.test(await editorText(page)), 'the sound')
  await page.locator('.media-sign').waitFor({ state: 'detached' })
  await page.reload()
  await saved(page)
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('agmd.media')))).toEqual([])
  expect(dan.heard).toEqual([])
  await context.close()
})

test('[MEDIA-40] the microphone is released when the panel closes, and the recording waits on this device; only document pages may use it', async () => {
  const eva = await join('eva', { serviceWorkers: 'allow' })
  const { page } = eva
  const worker = await scripted(eva)
  await page.addInitScript(() => {
    const devices = navigator.mediaDevices as MediaDevices | undefined
    const ask = devices?.getUserMedia.bind(devices)
    if (devices === undefined || ask === undefined) return
    devices.getUserMedia = async (what) => {
      const stream = await ask(what)
      Object.assign(globalThis, { lastStream: stream })
      return stream
    }
  })
  const id = await eva.open('text')
  const policy = async (path: string): Promise<string> =>
    (await fetch(world.url + path, { headers: { accept: 'text/html' } })).headers.get('permissions-policy') ?? ''
  expect(await policy(`/d/${id}`)).toContain('microphone=(self)')
  for (const path of ['/', '/new', '/nothing', '/account', '/sign-in', `/pub/${id}`, `/d/${id}.md`])
    expect(await policy(path), path).toContain('microphone=()')
  // On a later visit, the page comes from the service worker.
  await page.evaluate(() => navigator.serviceWorker.ready)
  await page.reload()
  await saved(page)
  await command(page, 'Dictate')
  await panel(page).getByRole('button', { name: 'Record' }).click()
  await until(async () => (await page.getByRole('timer').textContent()) !== '0:00', 'a second')
  await page.keyboard.press('Escape')
  await page.getByText('The recording was stopped.').waitFor()
  const states = await page.evaluate(() =>
    (globalThis as unknown as { lastStream: MediaStream }).lastStream.getTracks().map(({ readyState }) => readyState)
  )
  expect(states).toEqual(['ended'])
  await page.reload()
  await saved(page)
  await command(page, 'Pictures and speech')
  await job(page, 'held').waitFor()
  expect(worker.jobs).toEqual([])
  await job(page, 'held').getByRole('button', { name: 'Transcribe' }).click()
  const asked = await worker.next()
  await until(() => asked.file !== null && worker.sizeOf(asked.job) === asked.file.bytes, 'the recording')
  expect(readWav(worker.bytesOf(asked.job))).toMatchObject({ rate: 16_000, channels: 1 })
  await worker.answer(asked.job, { text: '', duration: 1, segments: [] })
  await panel(page).getByText('No speech was recognized').waitFor()
  expect(eva.heard).toEqual([])
  await eva.context.close()
})

test('[MEDIA-50] a voice is chosen from those of the nodes; [MEDIA-51] a transcript is inserted with its times', async () => {
  const gil = await join('gil')
  const { page } = gil
  const worker = await scripted(gil, ['speech', 'transcription'], ['slt', 'de'])
  await gil.open('Guten Tag.')
  await selectWords(page, 'Guten Tag.', { isCursor: true })
  await command(page, 'Read aloud')
  const voice = panel(page).getByLabel('Voice')
  await voice.waitFor()
  expect(await voice.locator('option').allTextContents()).toEqual(['Default voice', 'slt', 'German (de)'])
  await voice.selectOption('de')
  await panel(page).locator('.media-form [type=submit]').click()
  expect((await worker.next()).input).toEqual({ text: 'Guten Tag.', voice: 'de' })
  await panel(page).getByRole('button', { name: 'Cancel: Guten Tag.' }).click()
  await command(page, 'Read aloud')
  await voice.waitFor()
  expect(await voice.inputValue()).toBe('de')

  await command(page, 'Dictate')
  await chooseFile(page, 'Choose a file', {
    name: 'talk.wav',
    mimeType: 'audio/wav',
    buffer: Buffer.from(writeWav(new Float32Array(16_000)))
  })
  const segments = [
    { start: 0, end: 1, text: 'one' },
    { start: 61, end: 62, text: 'two' }
  ]
  await worker.answer((await worker.next()).job, { text: 'one\ntwo', duration: 62, segments })
  const words = panel(page).getByRole('textbox', { name: 'Transcript' })
  await words.waitFor()
  const times = panel(page).getByLabel('With timestamps')
  await times.check()
  expect(await words.inputValue()).toBe('0:00 one\n\n1:01 two')
  await words.fill('0:00 One!\n\n1:01 two')
  expect(await times.isDisabled()).toBe(true)
  await panel(page).getByRole('button', { name: 'Insert' }).click()
  await until(async () => (await editorText(page)) === 'Guten Tag.\n\n0:00 One!\n\n1:01 two', 'the words with their times')
  expect(gil.heard).toEqual([])
  await gil.context.close()
})

// ——— screenshots ———

test('[MEDIA-41] the panel on wide and narrow screens, light and dark: no violations', async () => {
  const fay = await join('fay')
  const { page } = fay
  const lookAt = (name: string): Promise<void> => lookAtSizes(page, `media-${name}`)
  await fay.open(`# Field notes\n\n${readFileSync(new URL('sample.md', import.meta.url), 'utf8').slice(0, 1500)}`)
  await command(page, 'Generate a picture')
  await panel(page).getByText('No compute node').waitFor()
  await lookAt('obstacle')
  const worker = await scripted(fay, undefined, ['slt', 'rms', 'en-us', 'de'])
  await panel(page).getByLabel('Describe the picture').fill('A lighthouse in the fog, seen from the sea')
  await lookAt('form')
  await panel(page).locator('.media-form [type=submit]').click()
  const picture = await worker.next()
  await worker.answer(picture.job, {}, { bytes: png(640, 400, [90, 120, 140]), contentType: 'image/png' })
  await panel(page).getByRole('img', { name: 'A lighthouse' }).waitFor()
  await panel(page).getByRole('button', { name: 'Read text from a picture' }).click()
  await chooseFile(page, 'Choose a picture', { name: 'scan.png', mimeType: 'image/png', buffer: Buffer.from(png(20, 20)) })
  const scan = await worker.next()
  worker.say({ type: 'progress', job: scan.job, progress: 0.4 })
  await panel(page).getByText('40%').waitFor()
  await panel(page).getByRole('button', { name: 'Dictate or transcribe' }).click()
  await panel(page).getByRole('button', { name: 'Record' }).click()
  await page.getByRole('timer').waitFor()
  await lookAt('recording')
  await panel(page).locator('.media-form').getByRole('button', { name: 'Discard' }).click()
  await worker.answer(scan.job, { text: 'Meeting on Tuesday at 10:30.\nThe budget is 4,250 euros.' })
  await panel(page).getByRole('textbox', { name: 'Text in the picture' }).waitFor()
  await panel(page).getByRole('button', { name: 'Read aloud' }).click()
  await panel(page).getByLabel('Text to read aloud').fill('hello')
  await panel(page).locator('.media-form [type=submit]').click()
  worker.say({ type: 'fail', job: (await worker.next()).job, code: 'bad_input', message: 'There is no voice.' })
  await job(page, 'failed').waitFor()
  await lookAt('results')
  expect(fay.heard).toEqual([])
  await fay.context.close()
})

/**
 * Engines that use a server with the OpenAI API, for pictures, speech and transcription. AGMD_NODE_OPENAI_URL is its address (including `/v1`), and
 * AGMD_NODE_OPENAI_KEY is its key. AGMD_NODE_OPENAI_KINDS lists the kinds of job; the default is `image`. AGMD_NODE_OPENAI_IMAGE_MODEL, _SPEECH_MODEL
 * and _TRANSCRIPTION_MODEL name the models for servers that require one.
 */
import { withoutEnd } from '../../shared/text/scan.ts'
import { readFileSync } from 'node:fs'
import { type JobKind, jobKinds, type Segment } from '../../shared/media-jobs.ts'
import { Failure } from '../failure.ts'
import type { Done, Engine, Work } from './engine.ts'
import { recording } from './local.ts'
import { JobFailure } from './program.ts'
import { normalWav } from './wav.ts'

/** Largest response that is read, in bytes. This is slightly more than the largest result in Base64. */
const answerBytesMax = 16 * 1024 * 1024

const setting = (name: string): string | undefined => {
  const value = process.env[`AGMD_NODE_OPENAI_${name}`]
  return value === '' ? undefined : value
}

const modelOf = (kind: JobKind): Record<string, string> => {
  const model = setting(`${kind.toUpperCase()}_MODEL`)
  return model === undefined ? {} : { model }
}

/** Reads the body of a response, up to the limit. */
const bodyOf = async (response: Response): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length
    if (bytes > answerBytesMax) throw new JobFailure('engine_failed', `The response is larger than ${answerBytesMax} bytes.`)
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks)
}

const saidOf = (body: Buffer): string => {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: { message?: unknown } | string }
    return String(typeof error === 'object' ? error.message : error).slice(0, 300)
  } catch {
    return body.toString('utf8', 0, 200)
  }
}

const ask = async (base: string, path: string, body: object | FormData, signal: AbortSignal): Promise<Buffer> => {
  const key = setting('KEY')
  const form = body instanceof FormData
  let response: Response
  try {
    response = await fetch(`${base}${path}`, {
      method: 'POST',
      // A redirect must not send the key to another server.
      redirect: 'error',
      headers: {
        ...(form ? {} : { 'Content-Type': 'application/json' }),
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` })
      },
      body: form ? body : JSON.stringify(body),
      signal
    })
  } catch (error) {
    if (signal.aborted) throw error
    throw new JobFailure(
      'engine_unavailable',
      `The engine cannot be reached: ${(error as { cause?: Error }).cause?.message ?? (error as Error).message}`
    )
  }
  const answer = await bodyOf(response)
  if (response.ok) return answer
  throw new JobFailure(
    response.status === 400 || response.status === 422 ? 'bad_input' : 'engine_failed',
    `The engine answered ${response.status}: ${saidOf(answer)}`
  )
}

const parsed = <T>(body: Buffer): T => {
  try {
    return JSON.parse(body.toString('utf8')) as T
  } catch {
    throw new JobFailure('engine_failed', 'The engine’s response is not JSON.')
  }
}

/** Returns the type of a picture based on its first bytes. The service checks the picture more thoroughly. */
const typeOfImage = (bytes: Buffer): string | undefined => {
  if (bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) return 'image/png'
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 'image/jpeg'
  return bytes.toString('latin1', 8, 12) === 'WEBP' ? 'image/webp' : undefined
}

const image = async (base: string, { input: { prompt, width, height }, signal }: Work): Promise<Done> => {
  const request = { ...modelOf('image'), prompt, size: `${width}x${height}`, n: 1, response_format: 'b64_json' }
  const { data } = parsed<{ data?: { b64_json?: unknown }[] }>(await ask(base, '/images/generations', request, signal))
  const encoded = data?.[0]?.b64_json
  if (typeof encoded !== 'string') throw new JobFailure('engine_failed', 'The engine’s response contains no picture (data[0].b64_json).')
  const bytes = Buffer.from(encoded, 'base64')
  const contentType = typeOfImage(bytes)
  if (contentType === undefined) throw new JobFailure('engine_failed', 'The picture from the engine is not a PNG, JPEG or WebP file.')
  return { result: {}, file: { bytes, contentType } }
}

const speech = async (base: string, { input: { text, voice = 'alloy' }, signal }: Work): Promise<Done> => {
  const request = { ...modelOf('speech'), input: text, voice, response_format: 'wav' }
  const normal = await normalWav(await ask(base, '/audio/speech', request, signal))
  if (normal === undefined) throw new JobFailure('engine_failed', 'The engine’s response is not WAV.')
  return { result: { duration: normal.duration }, file: { bytes: normal.file, contentType: 'audio/wav' } }
}

const transcription = async (base: string, work: Work): Promise<Done> => {
  const { path, duration } = await recording(work)
  const form = new FormData()
  form.set('file', new Blob([readFileSync(path)], { type: 'audio/wav' }), 'recording.wav')
  form.set('response_format', 'verbose_json')
  for (const [name, value] of Object.entries(modelOf('transcription'))) form.set(name, value)
  const answer = parsed<{ text?: unknown; segments?: { start?: unknown; end?: unknown; text?: unknown }[] }>(
    await ask(base, '/audio/transcriptions', form, work.signal)
  )
  if (typeof answer.text !== 'string') throw new JobFailure('engine_failed', 'The engine’s response contains no text.')
  const segments = (answer.segments ?? []).map(({ start, end, text }): Segment => ({
    start: Number(start) || 0,
    end: Number(end) || 0,
    text: String(text ?? '').trim()
  }))
  return { result: { text: answer.text.trim(), duration, segments } }
}

const works = { image, speech, transcription } as const

const isRemote = (kind: string): kind is keyof typeof works => Object.hasOwn(works, kind)

/** Whether the server answers. Its response does not say which kinds of job it supports, so the settings list them. */
const answers = async (base: string): Promise<boolean> => {
  const key = setting('KEY')
  try {
    const response = await fetch(`${base}/models`, {
      redirect: 'error',
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(10_000)
    })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}

/** Returns the engines of the configured server. The list is empty if the server does not answer. Throws `usage` for invalid settings. */
export const openaiEngines = async (warn: (words: string) => void): Promise<Engine[]> => {
  const given = setting('URL')
  if (given === undefined) return []
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new Failure('usage', 'AGMD_NODE_OPENAI_URL is not an address.', 'Use an address such as http://localhost:8000/v1.')
  const base = withoutEnd(given, '/')
  const kinds = (setting('KINDS') ?? 'image').split(/[\s,]+/).filter((kind) => kind !== '')
  const unknown = kinds.find((kind) => !isRemote(kind))
  if (unknown !== undefined)
    throw new Failure('usage', `AGMD_NODE_OPENAI_KINDS names ${unknown}.`, `Known: ${jobKinds.filter(isRemote).join(', ')}.`)
  if (!(await answers(base))) {
    warn(`${new URL(base).origin} does not answer: this node does not offer its engines.`)
    return []
  }
  const name = new URL(base).host.slice(0, 80)
  return kinds.filter(isRemote).map((kind) => ({ kind, name, work: (work) => works[kind](base, work) }))
}

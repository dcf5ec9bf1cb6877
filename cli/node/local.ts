/** Engines for programs that are installed on this machine: tesseract, flite, espeak-ng, pocketsphinx and whisper.cpp. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { imageSize } from 'image-size'
import type { Segment } from '../../shared/media-jobs.ts'
import type { Engine, Work } from './engine.ts'
import { withFolder } from './folders.ts'
import { find, JobFailure, lastWords, type Ran, run } from './program.ts'
import { loudness, normalWav } from './wav.ts'

/** Asks a program what it offers. */
const ask = (program: string, words: readonly string[]): Promise<Ran> =>
  withFolder((folder) => run(program, words, { folder, signal: new AbortController().signal }))

// ——— sound ———

/** Longest recording that is accepted, in seconds. In some formats, a few bytes can encode days of silence. */
const recordingSecondsMax = 2 * 3600

/**
 * Converts a recording in another format to WAV. A recording that is too long is cut off slightly above the limit, so that it is still detected as
 * too long.
 */
const converted = async (work: Work): Promise<Buffer> => {
  const { file, contentType } = work
  const out = join(work.folder, 'converted.wav')
  const seconds = String(recordingSecondsMax + 1)
  const [ffmpeg, sox] = [find('ffmpeg'), find('sox')]
  if (ffmpeg === undefined && sox === undefined)
    throw new JobFailure('engine_unavailable', 'This node reads only WAV: it has neither ffmpeg nor sox.')
  // A playlist could name local files or addresses, so ffmpeg may open only the file itself.
  const ran =
    ffmpeg === undefined
      ? await run(sox ?? '', [file, '-r', '16000', '-c', '1', '-b', '16', out, 'trim', '0', seconds], work)
      : await run(
          ffmpeg,
          [
            '-nostdin',
            '-v',
            'error',
            '-protocol_whitelist',
            'file',
            '-i',
            file,
            '-t',
            seconds,
            '-vn',
            '-ac',
            '1',
            '-ar',
            '16000',
            '-y',
            out
          ],
          work
        )
  if (ran.code === 0) return readFileSync(out)
  if (ffmpeg === undefined && /no handler for/.test(ran.stderr))
    throw new JobFailure('engine_unavailable', `This node does not read ${contentType}. Install ffmpeg on it.`)
  throw new JobFailure('bad_input', `The recording is damaged or has an unknown format (${lastWords(ran)}).`)
}

/** Converts the recording to a mono WAV file at 16 kHz. Throws `bad_input` or `engine_unavailable`. */
export const recording = async (work: Work): Promise<{ path: string; duration: number }> => {
  const isWav = work.contentType === 'audio/wav'
  const normal = (isWav ? await normalWav(readFileSync(work.file)) : undefined) ?? (await normalWav(await converted(work)))
  if (normal === undefined) throw new JobFailure('bad_input', 'The recording has no readable sound.')
  if (normal.duration > recordingSecondsMax)
    throw new JobFailure('bad_input', `The recording is longer than ${recordingSecondsMax / 3600} hours. Send it in parts.`)
  const path = join(work.folder, 'recording.wav')
  writeFileSync(path, normal.file)
  return { path, duration: normal.duration }
}

// ——— OCR ———

/** Largest picture that is read, in pixels: slightly more than an A3 page at 600 dpi. A small file can decompress to gigabytes. */
const picturePixelsMax = 100_000_000

/** Throws `bad_input` if a picture has too many pixels. If the header is unknown, the engine checks the picture. */
const checkPicture = (file: string): void => {
  let pixels: number
  try {
    const { width, height } = imageSize(readFileSync(file))
    pixels = width * height
  } catch {
    return
  }
  if (pixels > picturePixelsMax)
    throw new JobFailure(
      'bad_input',
      `The picture has ${Math.round(pixels / 1e6)} million pixels; the limit is ${picturePixelsMax / 1e6} million. Make it smaller, or send it in parts.`
    )
}

const tesseract = async (): Promise<Engine | undefined> => {
  const program = find('tesseract')
  if (program === undefined) return undefined
  const { stdout, code } = await ask(program, ['--list-langs'])
  const known = stdout
    .split('\n')
    .slice(1)
    .filter((line) => /^[\w/-]+$/.test(line) && line !== 'osd')
  const wanted = (process.env['AGMD_NODE_OCR_LANGUAGES'] ?? 'eng').split(/[\s,+]+/).filter((language) => known.includes(language))
  const languages = wanted.length > 0 ? wanted : known.slice(0, 1)
  if (code !== 0 || languages.length === 0) return undefined
  return {
    kind: 'ocr',
    name: 'tesseract',
    async work(work) {
      checkPicture(work.file)
      const ran = await run(program, [work.file, 'stdout', '-l', languages.join('+')], work)
      if (ran.code !== 0) throw new JobFailure('bad_input', `The picture is damaged or has an unknown format (${lastWords(ran)}).`)
      return { result: { text: ran.stdout.replaceAll('\f', '').trim() } }
    }
  }
}

// ——— speech ———

/** Peak level below which a recording is inaudible, from 0 to 1. Engines return silence for characters that they do not know. */
const silence = 0.01

/** Returns an engine that reads text aloud with a local program. `words` returns the arguments of the program for a text file and a sound file. */
const speaker = (
  name: string,
  program: string,
  voices: readonly string[],
  words: (voice: string, text: string, wav: string) => readonly string[]
): Engine => ({
  kind: 'speech',
  name,
  voices,
  async work({ input: { text = '', voice = voices[0] ?? '' }, folder, signal }) {
    // For flite, a voice can also be a file or an address. Only the names of its built-in voices are passed to it.
    if (!voices.includes(voice))
      throw new JobFailure('bad_input', `There is no voice ${voice}. Available: ${voices.slice(0, 20).join(', ')}.`)
    const [said, wav] = [join(folder, 'text.txt'), join(folder, 'speech.wav')]
    writeFileSync(said, text)
    const ran = await run(program, words(voice, said, wav), { folder, signal })
    const normal = ran.code === 0 ? await normalWav(readFileSync(wav)) : undefined
    if (normal === undefined) throw new JobFailure('engine_failed', `${name} failed: ${lastWords(ran)}`)
    if (loudness(normal.file) < silence)
      throw new JobFailure('bad_input', `The voice ${voice} cannot speak this text. Choose a voice for its language.`)
    return { result: { duration: normal.duration }, file: { bytes: normal.file, contentType: 'audio/wav' } }
  }
})

const flite = async (): Promise<Engine | undefined> => {
  const program = find('flite')
  if (program === undefined) return undefined
  const { stdout } = await ask(program, ['-lv'])
  const known = (/^Voices available:(.*)$/m.exec(stdout)?.[1] ?? '').split(' ').filter((voice) => voice !== '' && !voice.includes('_'))
  if (known.length === 0) return undefined
  const voices = [...known.filter((voice) => voice === 'slt'), ...known.filter((voice) => voice !== 'slt')]
  return speaker('flite', program, voices, (voice, text, wav) => ['-voice', voice, '-f', text, '-o', wav])
}

const espeak = async (): Promise<Engine | undefined> => {
  const program = find('espeak-ng')
  if (program === undefined) return undefined
  const { stdout } = await ask(program, ['--voices'])
  const known = stdout
    .split('\n')
    .slice(1)
    .flatMap((line) => /^\s*\d+\s+(\S+)/.exec(line)?.[1] ?? [])
  if (known.length === 0) return undefined
  const voices = ['en-us', ...known.filter((voice) => voice !== 'en-us')].slice(0, 200)
  return speaker('espeak-ng', program, voices, (voice, text, wav) => ['-v', voice, '-s', '140', '-f', text, '-w', wav])
}

/** Combines several speech programs into one engine. Each voice is handled by the program that provides it. */
const speakers = (engines: readonly Engine[]): Engine | undefined => {
  const [first] = engines
  if (first === undefined || engines.length === 1) return first
  return {
    kind: 'speech',
    name: engines.map(({ name }) => name).join(', '),
    voices: [...new Set(engines.flatMap(({ voices = [] }) => voices))].slice(0, 200),
    async work(work) {
      const { voice } = work.input
      const engine = engines.find(({ voices = [] }) => voice === undefined || voices.includes(voice)) ?? first
      const done = await engine.work(work)
      return { ...done, result: { ...done.result, engine: engine.name } }
    }
  }
}

// ——— transcription ———

/** Returns a token's spoken word, without the pronunciation number, as in `read(2)`. Returns '' for noises and pauses. */
const wordOf = (token: string): string => (/^(<.*>|\[.*\]|\+\+.*\+\+)$/.test(token) ? '' : token.replace(/\(\d+\)$/, ''))

const joined = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join('\n')

/** Reads the output of `pocketsphinx_continuous -time yes`. Each utterance is followed by its words with start, end and confidence. */
export const readContinuous = (output: string): Segment[] => {
  const segments: Segment[] = []
  let words: { word: string; start: number; end: number }[] = []
  for (const line of output.split('\n')) {
    const [, token = '', start, end] = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d+\.\d+$/.exec(line.trim()) ?? []
    if (token === '') continue
    const word = wordOf(token)
    if (word !== '') words.push({ word, start: Number(start), end: Number(end) })
    if (token !== '</s>' || words.length === 0) continue
    segments.push({ start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0, text: words.map((each) => each.word).join(' ') })
    words = []
  }
  return segments
}

interface Utterance {
  readonly b: number
  readonly d: number
  readonly t: string
}

/** Reads the output of `pocketsphinx single` in version 5: one line of JSON for each utterance, with its start, duration and text. */
export const readSingle = (output: string): Segment[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Utterance)
    .filter(({ t }) => t.trim() !== '')
    .map(({ b, d, t }) => ({ start: b, end: b + d, text: t.trim() }))

interface Whispered {
  readonly transcription: readonly { readonly offsets: { readonly from: number; readonly to: number }; readonly text: string }[]
}

/** Reads the output of `whisper-cli -oj`, whose offsets are in milliseconds. */
export const readWhisper = (json: string): Segment[] =>
  (JSON.parse(json) as Whispered).transcription
    .filter(({ text }) => text.trim() !== '')
    .map(({ offsets, text }) => ({ start: offsets.from / 1000, end: offsets.to / 1000, text: text.trim() }))

const transcriber = (name: string, write: (wav: string, work: Work) => Promise<Segment[]>): Engine => ({
  kind: 'transcription',
  name,
  async work(work) {
    const { path, duration } = await recording(work)
    work.progress(0.1)
    const segments = await write(path, work)
    return { result: { text: joined(segments), duration, segments } }
  }
})

const must = async (name: string, program: string, words: readonly string[], work: Work): Promise<string> => {
  const ran = await run(program, words, work)
  if (ran.code !== 0) throw new JobFailure('engine_failed', `${name} failed: ${lastWords(ran)}`)
  return ran.stdout
}

/** Returns the engine for whisper.cpp; undefined unless AGMD_NODE_WHISPER_MODEL names a model. */
const whisper = (): Engine | undefined => {
  const program = find('whisper-cli')
  const model = process.env['AGMD_NODE_WHISPER_MODEL'] ?? ''
  if (program === undefined || model === '') return undefined
  return transcriber('whisper.cpp', async (wav, work) => {
    const out = join(work.folder, 'whisper')
    await must('whisper.cpp', program, ['-m', model, '-f', wav, '-oj', '-of', out, '-np'], work)
    return readWhisper(readFileSync(`${out}.json`, 'utf8'))
  })
}

const pocketsphinx = (): Engine | undefined => {
  const continuous = find('pocketsphinx_continuous')
  if (continuous !== undefined)
    return transcriber('pocketsphinx', async (wav, work) =>
      readContinuous(await must('pocketsphinx', continuous, ['-infile', wav, '-time', 'yes', '-logfn', '/dev/null'], work))
    )
  const single = find('pocketsphinx')
  if (single === undefined) return undefined
  return transcriber('pocketsphinx', async (wav, work) => readSingle(await must('pocketsphinx', single, ['single', wav], work)))
}

/** Returns the engines whose programs are installed on this machine. */
export const localEngines = async (): Promise<Engine[]> => {
  const speech = speakers((await Promise.all([flite(), espeak()])).filter((engine) => engine !== undefined))
  return [await tesseract(), speech, whisper() ?? pocketsphinx()].filter((engine) => engine !== undefined)
}

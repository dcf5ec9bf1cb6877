/** Reads WAV files, mixes their samples to mono, and resamples them to 16 kHz. */
import { setImmediate as others } from 'node:timers/promises'
import { wavRate as rate, writeWav } from '../../shared/wav.ts'

/** Accepted sample rates, in Hz, and numbers of channels. With other values, a header of a few bytes could cause a lot of work. */
const rateMin = 4000
const rateMax = 192_000
const channelsMax = 32

interface Sound {
  /** Sample rate, in Hz. */
  readonly rate: number
  readonly channels: number
  /** Interleaved samples of all channels, each from -1 to 1. */
  readonly samples: Float32Array
}

/** WAV format codes: integer samples, floating-point samples, and the extensible format, which states the sample format later in the header. */
const wholeNumbers = 1
const floating = 3
const extensible = 0xfffe

interface Format {
  readonly code: number
  readonly channels: number
  readonly rate: number
  readonly bits: number
}

const readFormat = (chunk: Buffer): Format => {
  const code = chunk.readUInt16LE(0)
  return {
    code: code === extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : code,
    channels: chunk.readUInt16LE(2),
    rate: chunk.readUInt32LE(4),
    bits: chunk.readUInt16LE(14)
  }
}

const readers: Readonly<Record<string, (data: Buffer, at: number) => number>> = {
  [`${wholeNumbers} 8`]: (data, at) => ((data[at] ?? 128) - 128) / 128,
  [`${wholeNumbers} 16`]: (data, at) => data.readInt16LE(at) / 32_768,
  [`${wholeNumbers} 24`]: (data, at) => data.readIntLE(at, 3) / 8_388_608,
  [`${wholeNumbers} 32`]: (data, at) => data.readInt32LE(at) / 2_147_483_648,
  [`${floating} 32`]: (data, at) => data.readFloatLE(at)
}

const samplesOf = (data: Buffer, { code, bits }: Format): Float32Array | undefined => {
  const read = readers[`${code} ${bits}`]
  if (read === undefined) return undefined
  const width = bits / 8
  const samples = new Float32Array(Math.floor(data.length / width))
  for (let index = 0; index < samples.length; index++) samples[index] = read(data, index * width)
  return samples
}

const isBelieved = ({ channels, rate: hertz }: Format): boolean =>
  channels > 0 && channels <= channelsMax && hertz >= rateMin && hertz <= rateMax

/**
 * Reads the sound of a WAV file; returns undefined if the file is invalid. If the header was written before the length was known, the file is read to
 * its end.
 */
export const readWav = (file: Buffer): Sound | undefined => {
  if (file.length < 12 || file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') return undefined
  let format: Format | undefined
  for (let at = 12; at + 8 <= file.length;) {
    const name = file.toString('latin1', at, at + 4)
    const length = file.readUInt32LE(at + 4)
    const chunk = file.subarray(at + 8, at + 8 + length)
    if (name === 'fmt ' && chunk.length >= 16) format = readFormat(chunk)
    if (name === 'data' && format !== undefined && isBelieved(format)) {
      const samples = samplesOf(chunk, format)
      return samples && { rate: format.rate, channels: format.channels, samples }
    }
    // Chunks begin at even offsets, so an odd length is padded.
    at += 8 + length + (length % 2)
  }
  return undefined
}

const mixed = ({ channels, samples }: Sound): Float32Array => {
  if (channels === 1) return samples
  const mono = new Float32Array(Math.floor(samples.length / channels))
  for (let at = 0; at < mono.length; at++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += samples[at * channels + channel] ?? 0
    mono[at] = sum / channels
  }
  return mono
}

/** Number of old samples on either side that contribute to a new sample. */
const reach = 16

/** Number of new samples computed in one turn of the event loop. Other work, mainly heartbeats, runs in between. */
const turnSamples = 50_000

const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other))

/**
 * Resamples with a windowed sinc filter, which also removes frequencies above the new limit. New samples have only a few different positions relative
 * to the old ones. The weights are therefore computed only once for each position, so that an hour of sound takes only seconds.
 */
const resampled = async (samples: Float32Array, from: number): Promise<Float32Array> => {
  if (from === rate) return samples
  const cutoff = Math.min(1, rate / from)
  const span = Math.ceil(reach / cutoff)
  const taps = 2 * span + 1
  const common = divisor(from, rate)
  const places = rate / common
  const weights = new Float32Array(places * taps)
  for (let place = 0; place < places; place++)
    for (let tap = 0; tap < taps; tap++) {
      const distance = tap - span - place / places
      const x = distance * cutoff
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
      const hann = Math.abs(distance) >= span ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * distance) / span)
      weights[place * taps + tap] = sinc * hann * cutoff
    }
  const made = new Float32Array(Math.floor((samples.length * rate) / from))
  for (let index = 0; index < made.length; index++) {
    if (index % turnSamples === 0) await others()
    const at = (index * (from / common)) / places
    const first = Math.floor(at) - span
    const weight = ((index * (from / common)) % places) * taps
    let sum = 0
    for (let tap = Math.max(0, -first); tap < taps && first + tap < samples.length; tap++)
      sum += (samples[first + tap] ?? 0) * (weights[weight + tap] ?? 0)
    made[index] = sum
  }
  return made
}

/** Converts a WAV file to mono at 16 kHz. Returns the new file and its duration in seconds; undefined if the file cannot be read. */
export const normalWav = async (file: Buffer): Promise<{ file: Buffer; duration: number } | undefined> => {
  const sound = readWav(file)
  if (sound === undefined || sound.samples.length < sound.channels) return undefined
  const samples = await resampled(mixed(sound), sound.rate)
  return { file: Buffer.from(writeWav(samples).buffer), duration: Math.round((samples.length / rate) * 1000) / 1000 }
}

/** Returns the peak level of a file made by `normalWav`, from 0 to 1. */
export const loudness = (file: Buffer): number => {
  let most = 0
  for (const sample of readWav(file)?.samples ?? []) most = Math.max(most, Math.abs(sample))
  return most
}

/** Converts any sound that the browser can decode to the WAV format that media jobs accept. */
import { limits } from '../../shared/limits.ts'
import { wavRate, wavSeconds, writeWav } from '../../shared/wav.ts'
import { t } from '../text/t.ts'

/** Longest recording, in seconds. */
export const soundSecondsMax = Math.floor(wavSeconds(limits.transcriptionBytesMax))

/** Largest file that the page decodes, in bytes. Decoded sound takes much more memory. */
const fileBytesMax = 100 * 1024 * 1024

/** Thrown if a file cannot be used for a job. The message is in the page's language. */
export class UnusableFile extends Error {}

const tooLong = (): UnusableFile =>
  new UnusableFile(
    t('The recording is longer than {minutes} minutes. Choose a shorter part.', { minutes: Math.floor(soundSecondsMax / 60) })
  )

/** Mixes all channels into one. */
function mixed(sound: AudioBuffer): Float32Array {
  const mono = sound.getChannelData(0).slice()
  for (let channel = 1; channel < sound.numberOfChannels; channel++)
    sound.getChannelData(channel).forEach((sample, at) => (mono[at] = (mono[at] ?? 0) + sample))
  if (sound.numberOfChannels > 1) mono.forEach((sample, at) => (mono[at] = sample / sound.numberOfChannels))
  return mono
}

/** Converts sound to mono WAV at 16 kHz. Throws `UnusableFile`. */
export async function asWav(file: Blob): Promise<{ readonly blob: Blob; readonly seconds: number }> {
  if (file.size > fileBytesMax)
    throw new UnusableFile(t('The file is larger than {mebibytes} MiB.', { mebibytes: fileBytesMax / 1024 / 1024 }))
  let sound: AudioBuffer
  try {
    // The context resamples any sound to its own rate.
    sound = await new OfflineAudioContext(1, 1, wavRate).decodeAudioData(await file.arrayBuffer())
  } catch {
    throw new UnusableFile(t('Your browser cannot play this sound. It may be damaged or in an unsupported format.'))
  }
  if (sound.duration > soundSecondsMax) throw tooLong()
  return { blob: new Blob([writeWav(mixed(sound))], { type: 'audio/wav' }), seconds: sound.duration }
}

/** The WAV format for media jobs: one channel, 16 kHz, 16 bit. */

/** Samples per second. */
export const wavRate = 16_000

const headBytes = 44
const bytesPerSample = 2

/** Returns the duration of a file with this many bytes, in seconds. */
export const wavSeconds = (bytes: number): number => Math.max(0, bytes - headBytes) / (wavRate * bytesPerSample)

/** Writes samples to a WAV file. The samples are from -1 to 1, at 16,000 per second. Louder samples are clipped. */
export function writeWav(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const file = new DataView(new ArrayBuffer(headBytes + samples.length * bytesPerSample))
  const name = (at: number, letters: string): void => {
    for (let index = 0; index < letters.length; index++) file.setUint8(at + index, letters.charCodeAt(index))
  }
  name(0, 'RIFF')
  file.setUint32(4, file.byteLength - 8, true)
  name(8, 'WAVEfmt ')
  file.setUint32(16, 16, true)
  // The format code 1 means integer samples, and there is one channel.
  file.setUint16(20, 1, true)
  file.setUint16(22, 1, true)
  file.setUint32(24, wavRate, true)
  file.setUint32(28, wavRate * bytesPerSample, true)
  file.setUint16(32, bytesPerSample, true)
  file.setUint16(34, bytesPerSample * 8, true)
  name(36, 'data')
  file.setUint32(40, samples.length * bytesPerSample, true)
  samples.forEach((sample, index) => {
    const whole = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)))
    file.setInt16(headBytes + index * bytesPerSample, whole, true)
  })
  return new Uint8Array(file.buffer)
}

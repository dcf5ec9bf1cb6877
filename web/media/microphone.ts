/** The microphone: requested when a recording begins, released when it ends. */
import { signal, type ReadonlySignal } from '@preact/signals'
import { t } from '../text/t.ts'

export interface Recording {
  readonly seconds: ReadonlySignal<number>
  /** The current level, 0–1, which shows the speaker that the microphone works. */
  readonly level: ReadonlySignal<number>
  /** Resolves to the recording and releases the microphone. */
  stop(): Promise<Blob>
}

/** Why there is no recording, in the language of the page. */
export class NoMicrophone extends Error {}

const lookMs = 100

function refusal(error: unknown): NoMicrophone {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError')
    return new NoMicrophone(t('The browser blocks the microphone on this page. Allow it in the browser settings, or choose a file.'))
  if (name === 'NotFoundError') return new NoMicrophone(t('No microphone was found. Connect one, or choose a file.'))
  return new NoMicrophone(t('The microphone is not available. Another program may be using it.'))
}

/** Begins to record. Calls `onFull` when it must be stopped: after `secondsMax`, or when the microphone was removed. Throws `NoMicrophone`. */
export async function record(secondsMax: number, onFull: () => void): Promise<Recording> {
  // Browsers provide it only to secure pages; elsewhere the object does not even exist.
  const { mediaDevices } = navigator as { mediaDevices?: MediaDevices }
  if (mediaDevices === undefined) throw new NoMicrophone(t('Browsers allow the microphone only on https pages. Choose a file instead.'))
  let stream: MediaStream
  try {
    stream = await mediaDevices.getUserMedia({ audio: true })
  } catch (error) {
    throw refusal(error)
  }
  const recorder = new MediaRecorder(stream)
  const parts: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data))
  const ended = new Promise<void>((resolve) => recorder.addEventListener('stop', () => resolve(), { once: true }))

  const context = new AudioContext()
  const analyser = context.createAnalyser()
  context.createMediaStreamSource(stream).connect(analyser)
  const wave = new Float32Array(analyser.fftSize)
  const seconds = signal(0)
  const level = signal(0)
  const startedAt = performance.now()
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(wave)
    level.value = Math.min(1, Math.sqrt(wave.reduce((sum, sample) => sum + sample * sample, 0) / wave.length) * 4)
    seconds.value = (performance.now() - startedAt) / 1000
    // An unplugged microphone ends the recording.
    if (seconds.value < secondsMax && recorder.state === 'recording') return
    clearInterval(timer)
    onFull()
  }, lookMs)
  recorder.start()

  return {
    seconds,
    level,
    async stop() {
      if (recorder.state !== 'inactive') recorder.stop()
      await ended
      clearInterval(timer)
      for (const track of stream.getTracks()) track.stop()
      await context.close()
      return new Blob(parts, { type: recorder.mimeType })
    }
  }
}

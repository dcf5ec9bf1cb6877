/** Records sound from the microphone. The page requests the microphone when a recording begins and releases it when the recording ends. */
import { signal, type ReadonlySignal } from '@preact/signals'
import { t } from '../text/t.ts'

export interface Recording {
  readonly seconds: ReadonlySignal<number>
  /** Current sound level, from 0 to 1. It shows the person that the microphone works. */
  readonly level: ReadonlySignal<number>
  /** Ends the recording and releases the microphone. Resolves with the recording. */
  stop(): Promise<Blob>
}

/** Thrown if recording is impossible. The message says why, in the page's language. */
export class NoMicrophone extends Error {}

const lookMs = 100

function refusal(error: unknown): NoMicrophone {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError')
    return new NoMicrophone(t('The browser blocks the microphone on this page. Allow it in the browser settings, or choose a file.'))
  if (name === 'NotFoundError') return new NoMicrophone(t('No microphone was found. Connect one, or choose a file.'))
  return new NoMicrophone(t('The microphone is not available. Another program may be using it.'))
}

/**
 * Starts a recording. Calls `onFull` when the recording must be stopped: after `secondsMax`, or because the microphone was removed. Throws
 * `NoMicrophone`.
 */
export async function record(secondsMax: number, onFull: () => void): Promise<Recording> {
  // Browsers offer the microphone only to secure pages. On other pages, `mediaDevices` does not exist.
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
    // Unplugging the microphone ends the recording.
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

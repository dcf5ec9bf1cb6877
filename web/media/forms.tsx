/** The forms in which a person prepares a job, one for each kind. */
import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { limits } from '../../shared/limits.ts'
import type { JobKind } from '../../shared/media-jobs.ts'
import { mediaTypes } from '../../shared/media-types.ts'
import { callFile } from '../client/api.ts'
import type { View } from '../view/view.ts'
import { failureWords } from '../client/failure.ts'
import { locale, t, term } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import { toast } from '../ui/toast.tsx'
import { asked, type Asked } from './asked.ts'
import type { Media } from './jobs.ts'
import { NoMicrophone, record, type Recording } from './microphone.ts'
import { asReadable, picturesIn, type PictureInText } from './picture.ts'
import { asWav, soundSecondsMax, UnusableFile } from './sound.ts'
import { spokenWords } from './spoken.ts'
import { clock, voiceName } from './tell.ts'
import { Choice } from '../ui/choice.tsx'

interface FormInput {
  readonly view: View
  readonly media: Media
}

interface WishInput extends FormInput {
  readonly wish: Asked
}

/** Ends the request, because it has become a job. The card of the job replaces the form. */
const granted = (): void => {
  asked.value = undefined
}

const nameUnitsMax = 80

/** Shortens text to make the name of a job. */
function nameOf(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').trim()
  return line.length > nameUnitsMax ? `${line.slice(0, nameUnitsMax).toWellFormed()}…` : line
}

const wordsOfError = (error: unknown): string =>
  error instanceof UnusableFile || error instanceof NoMicrophone ? error.message : failureWords(error)

interface WordsInput {
  readonly label: string
  readonly action: string
  readonly value: string
  readonly charsMax: number
  readonly children?: ComponentChildren
  readonly onSubmit: (words: string) => void
}

/** A form with a text field of limited length. */
function WordsForm({ label, action, value, charsMax, children, onSubmit }: WordsInput): JSX.Element {
  const [words, setWords] = useState(value)
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const length = words.trim().length
  const over = length > charsMax
  return (
    <form
      class='media-form'
      onSubmit={(event) => {
        event.preventDefault()
        if (length > 0 && !over) onSubmit(words.trim())
      }}
    >
      <label class='field'>
        {label}
        <textarea
          ref={field}
          rows={4}
          dir='auto'
          value={words}
          aria-invalid={over}
          aria-describedby='media-count'
          onInput={(event: Event) => setWords((event.target as HTMLTextAreaElement).value)}
        />
      </label>
      <p id='media-count' class={over ? 'media-count over' : 'media-count'} role='status'>
        {length > charsMax * 0.8 ? t('{count} of {max} characters', { count: length, max: charsMax }) : ''}
      </p>
      {children}
      <p class='actions'>
        <button type='submit' class='button primary' disabled={length === 0 || over}>
          {action}
        </button>
      </p>
    </form>
  )
}

// ——— pictures ———

/** The sizes that a person can choose for a picture, in pixels. */
const shapes = [
  { name: term('Square'), width: 1024, height: 1024 },
  { name: term('Wide'), width: 1536, height: 1024 },
  { name: term('Tall'), width: 1024, height: 1536 }
] as const

function ImageForm({ media, wish }: WishInput): JSX.Element {
  const [shape, setShape] = useState(0)
  const submit = (prompt: string): void => {
    const { width, height } = shapes[shape] ?? shapes[0]
    media.add({ kind: 'image', name: nameOf(prompt), input: { prompt, width, height }, place: wish.place })
    granted()
  }
  return (
    <WordsForm label={t('Describe the picture')} action={t('Generate')} value='' charsMax={limits.promptUnitsMax} onSubmit={submit}>
      <label class='field'>
        {t('Aspect ratio')}
        <select value={shape} onChange={(event: Event) => setShape(Number((event.target as HTMLSelectElement).value))}>
          {shapes.map(({ name, width, height }, index) => (
            <option key={name} value={index}>
              {t(name)} · {width} × {height}
            </option>
          ))}
        </select>
      </label>
    </WordsForm>
  )
}

// ——— speech ———

/** The voice of the latest speech on this page. With '' the node chooses the voice. */
const lastVoice = signal('')

function SpeechForm({ media, wish }: WishInput): JSX.Element {
  const voices = media.voices.value
  const voice = voices.includes(lastVoice.value) ? lastVoice.value : ''
  const submit = (text: string): void => {
    media.add({ kind: 'speech', name: nameOf(text), input: { text, ...(voice !== '' && { voice }) }, place: wish.place })
    granted()
  }
  return (
    <WordsForm
      label={t('Text to read aloud')}
      action={t('Read aloud')}
      value={spokenWords(wish.source)}
      charsMax={limits.speechUnitsMax}
      onSubmit={submit}
    >
      {voices.length > 1 && (
        <label class='field'>
          {t('Voice')}
          <Choice
            value={voice}
            values={['', ...voices]}
            words={(name) => (name === '' ? t('Default voice') : voiceName(name))}
            onChoose={(name) => (lastVoice.value = name)}
          />
        </label>
      )}
    </WordsForm>
  )
}

// ——— files ———

interface ChooseInput {
  readonly name: string
  readonly accept: string
  readonly busy: boolean
  readonly onFile: (file: File) => void
}

function ChooseButton({ name, accept, busy, onFile }: ChooseInput): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type='button' class='button' disabled={busy} onClick={() => input.current?.click()}>
        <Icon name='upload' size={18} />
        {name}
      </button>
      <input
        ref={input}
        type='file'
        hidden
        accept={accept}
        onChange={() => {
          const file = input.current?.files?.[0]
          if (input.current !== null) input.current.value = ''
          if (file !== undefined) onFile(file)
        }}
      />
    </>
  )
}

/** Runs the steps before a job begins. `refusal` is the error message if the job cannot begin. */
function useSteps(): { readonly busy: boolean; readonly refusal: string; run(step: () => Promise<void>): void } {
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState('')
  const run = async (step: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setRefusal('')
    try {
      await step()
    } catch (error) {
      setRefusal(wordsOfError(error))
    }
    setBusy(false)
  }
  return { busy, refusal, run: (step) => void run(step) }
}

const Refusal = ({ words }: { words: string }): JSX.Element => <div role='alert'>{words !== '' && <p class='media-failed'>{words}</p>}</div>

const acceptOf = (...kinds: readonly string[]): string =>
  mediaTypes
    .filter(({ kind }) => kinds.includes(kind))
    .flatMap(({ contentType, extension }) => [contentType, `.${extension}`])
    .join(',')

// ——— dictation ———

/** Makes the browser ask before the person leaves the page with an unsent recording. */
const holdPage = (event: BeforeUnloadEvent): void => event.preventDefault()

function DictationForm({ media, wish }: WishInput): JSX.Element {
  const recording = useSignal<Recording | undefined>(undefined)
  const { busy, refusal, run } = useSteps()
  const start = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => start.current?.focus(), [])

  const take = async (sound: Blob, name: string, held = false): Promise<void> => {
    const { blob } = await asWav(sound)
    media.add({ kind: 'transcription', name, blob, held, place: wish.place })
  }
  const end = async (held: boolean): Promise<void> => {
    const current = recording.value
    if (current === undefined) return
    recording.value = undefined
    removeEventListener('beforeunload', holdPage)
    const name = t('Recording of {time}', { time: new Date().toLocaleTimeString(locale, { timeStyle: 'short' }) })
    await take(await current.stop(), name, held)
  }
  const stop = (): void => run(() => end(false).then(granted))
  const begin = (): void =>
    run(async () => {
      recording.value = await record(soundSecondsMax, stop)
      addEventListener('beforeunload', holdPage)
    })
  const discard = (): void => {
    void recording.value?.stop()
    recording.value = undefined
    removeEventListener('beforeunload', holdPage)
  }
  // A person who closes the panel while recording might not want to send the recording, so the recording waits for confirmation.
  useEffect(
    () => () => {
      if (recording.peek() === undefined) return
      end(true).then(
        () => toast(t('The recording was stopped. You can find it next to the text.')),
        (error: unknown) => toast(wordsOfError(error))
      )
    },
    []
  )
  const current = recording.value
  if (current !== undefined)
    return (
      <div class='media-form'>
        <p class='media-recording'>
          <span class='media-dot' aria-hidden='true' />
          <span role='status'>{t('Recording')}</span>
          <span class='tabular' role='timer'>
            {clock(current.seconds.value)}
          </span>
          <meter min={0} max={1} value={current.level.value} aria-label={t('Input level')} />
        </p>
        <p class='actions'>
          <button type='button' class='button primary' autoFocus onClick={stop}>
            {t('Stop and transcribe')}
          </button>
          <button type='button' class='button quiet' onClick={discard}>
            {t('Discard')}
          </button>
        </p>
      </div>
    )
  return (
    <div class='media-form'>
      <p class='muted'>{t('Your speech is transcribed and shown here, ready to insert at the cursor.')}</p>
      <p class='actions'>
        <button ref={start} type='button' class='button primary' disabled={busy} onClick={begin}>
          <Icon name='mic' size={18} />
          {t('Record')}
        </button>
        <ChooseButton
          name={t('Choose a file')}
          accept={`${acceptOf('audio', 'video')},audio/*`}
          busy={busy}
          onFile={(file) => run(() => take(file, file.name).then(granted))}
        />
      </p>
      <Refusal words={refusal} />
    </div>
  )
}

// ——— pictures with text ———

const picturesMax = 8

function ReadingForm({ view, media, wish }: WishInput): JSX.Element {
  const { busy, refusal, run } = useSteps()
  const area = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => area.current?.focus(), [])
  const { text } = view.session
  const cursor = view.editor.value?.view.state.selection.main.head ?? 0
  const [pictures] = useState(() => picturesIn(text.toString(), cursor).slice(0, picturesMax))

  const takeFile = (file: File): void =>
    run(async () => {
      const blob = await asReadable(file)
      media.add({ kind: 'ocr', name: file.name || t('Picture'), blob, place: wish.place })
      granted()
    })
  const takePicture = ({ url, words }: PictureInText): void =>
    run(async () => {
      const name = words === '' ? t('Picture') : words
      // If engines might not know the format of a picture, it is converted.
      const isKnown = /\.(png|jpe?g)$/.test(url)
      const what = isKnown ? { input: { url } } : { blob: await asReadable(await callFile(url, '')) }
      media.add({ kind: 'ocr', name, ...what, place: wish.place })
      granted()
    })
  return (
    <div
      class='media-form'
      ref={area}
      tabIndex={-1}
      onPaste={(event: ClipboardEvent) => {
        const file = event.clipboardData?.files[0]
        if (file === undefined) return
        event.preventDefault()
        if (!busy) takeFile(file)
      }}
    >
      <p class='muted'>{t('Paste or choose a picture. You review its text here before you insert it.')}</p>
      <p class='actions'>
        <ChooseButton name={t('Choose a picture')} accept='image/*' busy={busy} onFile={takeFile} />
      </p>
      {pictures.length > 0 && (
        <>
          <p class='muted'>{t('Or use a picture from this document:')}</p>
          <ul class='media-choices'>
            {pictures.map((picture) => (
              <li key={picture.url}>
                <button
                  type='button'
                  disabled={busy}
                  aria-label={picture.words === '' ? t('Read this picture') : t('Read “{name}”', { name: picture.words })}
                  title={picture.words}
                  onClick={() => takePicture(picture)}
                >
                  <img src={picture.url} alt='' loading='lazy' />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <Refusal words={refusal} />
    </div>
  )
}

const forms: Readonly<Record<JobKind, (input: WishInput) => JSX.Element>> = {
  image: ImageForm,
  speech: SpeechForm,
  transcription: DictationForm,
  ocr: ReadingForm
}

export function Form({ kind, ...input }: FormInput & { readonly kind: JobKind }): JSX.Element | null {
  // The request for which the form opened. A new request gets a new form.
  const wish = asked.value
  const Kind = forms[kind]
  return wish === undefined ? null : <Kind key={wish} {...input} wish={wish} />
}

/** The card of one job. It shows the progress and then the result, so that the person can review it before inserting it. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Segment } from '../../shared/media-jobs.ts'
import type { View } from '../view/view.ts'
import { t, term } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import type { Job, JobState } from './job.ts'
import type { Media } from './jobs.ts'
import { withTimes } from './tell.ts'
import { icons, titles } from './words.ts'

interface CardInput {
  readonly view: View
  readonly media: Media
  readonly job: Job
}

function progressWords(state: JobState): string {
  if (state.phase === 'sending') return t('Sending…')
  if (state.phase === 'waiting') return state.words
  if (state.phase !== 'running') return ''
  if (state.queued) return t('Waiting for a compute node…')
  return state.progress === undefined ? t('Running…') : t('Running: {percent}%', { percent: Math.floor(state.progress * 100) })
}

/** Inserts the result of a job. The person can then continue to write after it. */
function useInsert({ view, media, job }: CardInput): { readonly busy: boolean; insert(text?: string): void } {
  const [busy, setBusy] = useState(false)
  const run = async (text?: string): Promise<void> => {
    setBusy(true)
    const isIn = await media.insert(job, text)
    setBusy(false)
    if (!isIn) return
    // On a phone, the panel covers the text.
    if (media.list.value.length === 0 || matchMedia('(max-width: 900px)').matches) view.panel.value = undefined
    if (view.mode.value !== 'read') view.editor.value?.view.focus()
  }
  return { busy, insert: (text) => void run(text) }
}

interface ButtonsInput {
  readonly main: string
  readonly other: string
  readonly busy?: boolean
  readonly onMain: () => void
  readonly onOther: () => void
}

const Buttons = ({ main, other, busy = false, onMain, onOther }: ButtonsInput): JSX.Element => (
  <p class='actions'>
    <button type='button' class='button primary' disabled={busy} onClick={onMain}>
      {main}
    </button>
    <button type='button' class='button quiet' disabled={busy} onClick={onOther}>
      {other}
    </button>
  </p>
)

function Written(input: CardInput & { readonly text: string; readonly segments: readonly Segment[] }): JSX.Element {
  const { media, job, text, segments } = input
  const [value, setValue] = useState(text)
  const [timed, setTimed] = useState(false)
  // Changes by the person must not be discarded.
  const isUntouched = value === (timed ? withTimes(segments) : text)
  const turnTimes = (): void => {
    setTimed(!timed)
    setValue(timed ? text : withTimes(segments))
  }
  const { busy, insert } = useInsert(input)
  const discard = (): void => media.drop(job)
  if (text.trim() === '')
    return (
      <>
        <p>{job.kind === 'ocr' ? t('No readable text was found in the picture.') : t('No speech was recognized in the recording.')}</p>
        <p class='actions'>
          <button type='button' class='button quiet' onClick={discard}>
            {t('Remove')}
          </button>
        </p>
      </>
    )
  return (
    <>
      <textarea
        rows={Math.min(10, Math.max(3, Math.ceil(text.length / 40), text.split('\n').length))}
        dir='auto'
        aria-label={job.kind === 'ocr' ? t('Text in the picture') : t('Transcript')}
        value={value}
        onInput={(event: Event) => setValue((event.target as HTMLTextAreaElement).value)}
      />
      {segments.length > 0 && (
        <label class='media-times'>
          <input type='checkbox' checked={timed} disabled={!isUntouched} onChange={turnTimes} />
          {t('With timestamps')}
        </label>
      )}
      <Buttons main={t('Insert')} other={t('Discard')} busy={busy} onMain={() => insert(value)} onOther={discard} />
    </>
  )
}

function Made(input: CardInput & { readonly state: JobState & { readonly phase: 'done' } }): JSX.Element {
  const { media, job, state } = input
  const { busy, insert } = useInsert(input)
  const buttons = (main: string): JSX.Element => (
    <Buttons main={main} other={t('Discard')} busy={busy} onMain={() => insert()} onOther={() => media.drop(job)} />
  )
  if (job.kind === 'image')
    return (
      <>
        <img class='media-picture' src={state.result.url} alt={job.name} />
        {buttons(t('Insert'))}
      </>
    )
  if (job.kind === 'speech')
    return (
      <>
        <audio controls src={state.audio} aria-label={job.name} />
        {buttons(t('Save and insert'))}
      </>
    )
  return <Written {...input} text={state.result.text ?? ''} segments={state.result.segments ?? []} />
}

/** A recording that waits for the person's confirmation. */
function Held({ media, job }: CardInput): JSX.Element {
  const address = useMemo(() => (job.blob === undefined ? undefined : URL.createObjectURL(job.blob)), [job])
  useEffect(
    () => () => {
      if (address !== undefined) URL.revokeObjectURL(address)
    },
    [address]
  )
  return (
    <>
      <p>{t('Stored on this device, but not sent.')}</p>
      <audio controls src={address} aria-label={job.name} />
      <Buttons main={t('Transcribe')} other={t('Discard')} onMain={() => media.send(job)} onOther={() => media.drop(job)} />
    </>
  )
}

function Body(input: CardInput): JSX.Element {
  const { media, job } = input
  const state = job.state.value
  if (state.phase === 'held') return <Held {...input} />
  if (state.phase === 'done') return <Made {...input} state={state} />
  if (state.phase === 'failed')
    return (
      <>
        <div role='alert'>
          <p class='media-failed'>{state.words}</p>
        </div>
        {state.detail !== '' && (
          <p class='muted' dir='auto' lang='en'>
            {state.detail}
          </p>
        )}
        <Buttons main={t('Try again')} other={t('Remove')} onMain={() => media.retry(job)} onOther={() => media.drop(job)} />
      </>
    )
  const value = state.phase === 'running' && !state.queued && state.progress !== undefined ? { value: state.progress } : {}
  return (
    <div class='media-progress'>
      <progress max={1} {...value} aria-label={t('Progress: {name}', { name: job.name })} />
      <span class='tabular'>{progressWords(state)}</span>
      <button type='button' class='button quiet' aria-label={t('Cancel: {name}', { name: job.name })} onClick={() => media.drop(job)}>
        {t('Cancel')}
      </button>
    </div>
  )
}

/** Messages that are announced to screen readers, by phase of the job. */
const spoken: Readonly<Partial<Record<JobState['phase'], string>>> = {
  sending: term('Sending…'),
  running: term('Running…'),
  done: term('Done')
}

export function JobCard(input: CardInput): JSX.Element {
  const { job } = input
  const { phase } = job.state.value
  return (
    <li class='media-job' data-phase={phase}>
      <h4>
        <Icon name={icons[job.kind]} size={18} />
        <span class='sr-only'>{t(titles[job.kind])}: </span>
        <span class='media-name' dir='auto' title={job.name}>
          {job.name}
        </span>
      </h4>
      <Body {...input} />
      <span class='sr-only' role='status'>
        {spoken[phase] === undefined ? '' : t(spoken[phase])}
      </span>
    </li>
  )
}

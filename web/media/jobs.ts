/**
 * The media jobs of one document on this device: starting, following, canceling, and storing them across reloads. It exposes signals and has no user
 * interface code. The place of a job in the text stays correct while others write. Only the page that holds the lock of a job handles it.
 */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import * as Y from 'yjs'
import type { JobKind } from '../../shared/media-jobs.ts'
import { RequestError } from '../client/api.ts'
import { documentValue } from '../device/device.ts'
import { openOutbox } from '../device/outbox.ts'
import { writeDevice } from '../device/values.ts'
import { askWho, signedIn } from '../client/signed-in.ts'
import type { View } from '../view/view.ts'
import type { Session } from '../session/session.ts'
import { newId } from '../base/new-id.ts'
import { failureWords } from '../client/failure.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { insertResult } from './insert.ts'
import type { StoredJob } from './job-entries.ts'
import type { Job, JobState } from './job.ts'
import { addMarks } from './marks.ts'
import { cancelJob, type JobAnswer, type JobFields, readJob, readOffer, readSpeechAudio, saveSpeech, startJob } from './requests.ts'
import { engineMissing, failedWords, noAccount, noNode, noRight, type Obstacle, passes, ready, refusedWords } from './words.ts'

export interface NewJob {
  readonly kind: JobKind
  readonly name: string
  readonly input?: JobFields
  readonly blob?: Blob
  readonly held?: boolean
  readonly place: Y.RelativePosition
}

export interface Media {
  /** The jobs, newest first. */
  readonly list: ReadonlySignal<readonly Job[]>
  /** Returns the obstacle to a job of the given kind. Undefined if there is none, or if the page does not know yet. */
  obstacle(kind: JobKind): Obstacle | undefined
  /** The voices that the nodes report. */
  readonly voices: ReadonlySignal<readonly string[]>
  /** Whether the service has reported which jobs are possible. `unreached` is the error message if it has not. */
  readonly known: ReadonlySignal<boolean>
  readonly unreached: ReadonlySignal<string | undefined>
  /** Asks the service again which jobs are possible. */
  look(): Promise<void>
  add(job: NewJob): void
  /** Sends a recording that waited for confirmation. */
  send(job: Job): void
  retry(job: Job): void
  /** Cancels a job or discards its result. */
  drop(job: Job): void
  /** Inserts the result of a job into the text, or `text` if the person has changed the result. Resolves to false if the insertion fails. */
  insert(job: Job, text?: string): Promise<boolean>
}

/** How long one request waits for the end of the job, in seconds. The progress is updated between two requests. */
const pollSeconds = 2
const againMs = 5000

const openMs = 10_000

class Entry implements Job {
  readonly id: string
  readonly kind: JobKind
  readonly name: string
  readonly at: number
  readonly input: JobFields
  readonly blob: Blob | undefined
  readonly place: Y.RelativePosition
  readonly state: Signal<JobState>
  startKey: string
  job: string | undefined
  dropped = false

  constructor({ id, kind, name, at, input, blob, startKey, job, held }: Omit<StoredJob, 'doc' | 'position'>, place: Y.RelativePosition) {
    this.id = id
    this.kind = kind
    this.name = name
    this.at = at
    this.input = input
    this.blob = blob
    this.place = place
    this.startKey = startKey
    this.job = job
    this.state = signal<JobState>(held ? { phase: 'held' } : { phase: 'sending' })
  }
}

const opened = new WeakMap<Session, Media>()

/** Returns the media jobs for the document of a page. */
export function mediaOf(view: View): Media {
  const known = opened.get(view.session)
  if (known !== undefined) return known
  const made = openMedia(view)
  opened.set(view.session, made)
  return made
}

function openMedia(view: View): Media {
  const { session } = view
  const { id: doc } = session
  const list = signal<readonly Entry[]>([])
  const offer = signal<Awaited<ReturnType<typeof readOffer>> | undefined>(undefined)
  const unreached = signal<string | undefined>(undefined)
  const outbox = openOutbox<StoredJob>('media', doc)

  // ——— jobs on this device ———

  /** Records whether there are jobs, so that the next page looks for them only if needed. */
  const mark = async (): Promise<void> => writeDevice(documentValue('media', doc), (await outbox.read()).length > 0 ? '1' : null)

  const keep = async (entry: Entry): Promise<void> => {
    const { id, kind, name, at, input, blob, startKey, job, place } = entry
    const held = entry.state.peek().phase === 'held'
    await outbox.put({ id, doc, kind, name, at, input, blob, startKey, job, held, position: Y.encodeRelativePosition(place) })
    await mark()
  }

  const remove = async (entry: Entry): Promise<void> => {
    entry.dropped = true
    const state = entry.state.peek()
    if (state.phase === 'done' && state.audio !== undefined) URL.revokeObjectURL(state.audio)
    list.value = list.value.filter((other) => other !== entry)
    await outbox.drop(entry.id)
    await mark()
  }

  // ——— jobs at the service ———

  const tell = (words: string): void => {
    if (view.panel.peek() === 'media') return
    toast(words, { name: t('Show'), run: () => (view.panel.value = 'media'), milliseconds: openMs })
  }

  const fail = (entry: Entry, words: string, detail = ''): void => {
    entry.state.value = { phase: 'failed', words, detail }
    tell(words)
  }

  const finish = async (entry: Entry, { status, result, error }: JobAnswer): Promise<void> => {
    if (status === 'canceled') return fail(entry, t('Canceled.'))
    if (status === 'failed' || result === null) return fail(entry, failedWords(entry.kind, error?.code ?? ''), error?.message)
    const sound = entry.kind === 'speech' && entry.job !== undefined ? await readSpeechAudio(session, { talkId: entry.job }) : undefined
    if (entry.dropped) return undefined
    entry.state.value = { phase: 'done', result, audio: sound && URL.createObjectURL(sound) }
    return tell(t(ready[entry.kind]))
  }

  /** Starts a job, unless it has been started, and follows it to its end. Throws `RequestError`. */
  const follow = async (entry: Entry): Promise<void> => {
    if (entry.job === undefined) {
      entry.state.value = { phase: 'sending' }
      entry.job = (await startJob(session, entry)).jobId
      // The person canceled the job before its id was known.
      if (entry.dropped) return cancelJob(session, entry.job)
      await keep(entry)
    }
    while (!entry.dropped) {
      const answer = await readJob(session, entry.kind, entry.job, pollSeconds)
      if (entry.dropped) return undefined
      if (answer.status !== 'queued' && answer.status !== 'running') return finish(entry, answer)
      entry.state.value = { phase: 'running', queued: answer.status === 'queued', progress: answer.progress }
    }
    return undefined
  }

  const work = async (entry: Entry): Promise<void> => {
    try {
      await follow(entry)
    } catch (error) {
      if (!(error instanceof RequestError)) {
        fail(entry, failureWords(error))
        throw error
      }
      if (entry.dropped) return
      if (!passes(error)) return fail(entry, refusedWords(entry.kind, error))
      entry.state.value = { phase: 'waiting', words: error.status === 0 ? t('Waiting for the connection.') : failureWords(error) }
      outbox.later(entry.id, (error.retryAfterSeconds ?? 0) * 1000 || againMs)
    }
  }

  const restore = async (): Promise<void> => {
    await outbox.restore((found) => {
      if (list.value.some(({ id }) => id === found.id)) return
      const entry = new Entry(found, Y.decodeRelativePosition(found.position))
      list.value = [...list.value, entry].toSorted((one, other) => other.at - one.at)
      if (!found.held) void work(entry)
    })
    await mark()
  }
  const again = (): void => {
    for (const entry of list.value) {
      if (entry.state.value.phase !== 'waiting' || !outbox.isDue(entry.id)) continue
      entry.state.value = { phase: 'sending' }
      void work(entry)
    }
  }
  outbox.start({ work: again, onCarried: () => void restore() })
  void restore()

  // ——— available jobs ———

  const look = async (): Promise<void> => {
    try {
      await askWho()
      offer.value = await readOffer()
      unreached.value = undefined
    } catch (error) {
      unreached.value = failureWords(error)
    }
  }

  const obstacle = (kind: JobKind): Obstacle | undefined => {
    if (!session.canEdit.value) return noRight()
    if (signedIn.value === false) return noAccount()
    if (offer.value === undefined) return undefined
    if (offer.value.nodes === 0) return noNode()
    return offer.value.capabilities.includes(kind) ? undefined : engineMissing(kind)
  }

  const placeOf = ({ place }: Entry): number =>
    (session.text.doc === null ? undefined : Y.createAbsolutePositionFromRelativePosition(place, session.text.doc))?.index ??
    session.text.length

  const writing = view.editor.value?.view
  if (writing !== undefined) addMarks(writing, { list, placeOf, show: () => (view.panel.value = 'media') })

  const markdownOf = async (entry: Entry): Promise<string> => {
    const state = entry.state.peek()
    if (state.phase !== 'done' || entry.job === undefined) return ''
    if (entry.kind === 'speech') return (await saveSpeech(session, { talkId: entry.job })).markdown
    return state.result.markdown ?? state.result.text ?? ''
  }

  return {
    list,
    known: computed(() => offer.value !== undefined && signedIn.value !== undefined),
    unreached,
    voices: computed(() => offer.value?.voices ?? []),
    obstacle,
    look,
    add({ kind, name, input = {}, blob, held = false, place }) {
      const id = newId()
      const entry = new Entry({ id, kind, name, at: outbox.now(), input, blob, startKey: newId(), job: undefined, held }, place)
      list.value = [entry, ...list.value]
      void (async () => {
        await keep(entry)
        if (!held && !entry.dropped) await work(entry)
      })()
    },
    send(job) {
      const entry = job as Entry
      entry.state.value = { phase: 'sending' }
      void keep(entry).then(() => work(entry))
    },
    retry(job) {
      const entry = job as Entry
      entry.job = undefined
      // With the old key, the server would repeat its old response.
      entry.startKey = newId()
      entry.state.value = { phase: 'sending' }
      void keep(entry).then(() => work(entry))
    },
    drop(job) {
      const entry = job as Entry
      const isOpen = ['sending', 'running', 'waiting'].includes(entry.state.peek().phase)
      void remove(entry)
      // A job whose id is not yet known is canceled when the response arrives (`follow`).
      if (isOpen && entry.job !== undefined) cancelJob(session, entry.job).catch(() => undefined)
    },
    async insert(job, text) {
      const entry = job as Entry
      const editor = view.editor.value
      try {
        const written = text ?? (await markdownOf(entry))
        const isBlock = entry.kind === 'image' || entry.kind === 'speech'
        if (editor === undefined || !insertResult(editor, placeOf(entry), written, isBlock)) {
          toast(session.canEdit.peek() ? t('The result does not fit into the document.') : noRight().words)
          return false
        }
      } catch (error) {
        toast(error instanceof RequestError ? refusedWords(entry.kind, error) : failureWords(error))
        return false
      }
      await remove(entry)
      return true
    }
  }
}

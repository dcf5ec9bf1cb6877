/**
 * Files that people add to a document, from the drop to the Markdown in the text. Signals; no user interface.
 * One after the other, in the order in which they came. Each has a place in the text that stays right while others type.
 */
import { effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import type { Output } from '../../shared/operations/index.ts'
import { RequestError } from '../api.ts'
import { newId } from '../new-id.ts'
import { t } from '../text/t.ts'
import { claim } from './claim.ts'
import type { Failure } from './failures.ts'
import type { Sending } from './send.ts'
import { waiting, type Waiting } from './waiting.ts'

export type UploadState =
  | { readonly phase: 'queued' }
  /** `share`: 0–1. */
  | { readonly phase: 'sending'; readonly share: number }
  /** Tried again by itself. */
  | { readonly phase: 'waiting'; readonly failure: Failure }
  | { readonly phase: 'failed'; readonly failure: Failure }

export interface Upload {
  readonly id: string
  /** Of the file. */
  readonly fileName: string
  readonly state: Signal<UploadState>
  /** Stands on a line of its own behind what is there: a picture, or the one that came together with it. */
  readonly follows: boolean
}

/** Puts Markdown into the text at a place. False when nothing may be written now. */
export type Insert = (at: number, markdown: string, upload: Upload) => boolean

export interface Uploads {
  readonly list: ReadonlySignal<readonly Upload[]>
  /** The last thing that happened, for screen readers. */
  readonly said: ReadonlySignal<string>
  /** Files that this page alone holds: they are lost with it. */
  readonly onlyHere: ReadonlySignal<number>
  /** Whether this person may add any. */
  readonly allowed: ReadonlySignal<boolean>
  /** `follows`: the first of them stands on a line of its own, too. */
  add(files: readonly File[], at: number, follows?: boolean): void
  /** Where it will stand, in UTF-16 units. */
  placeOf(upload: Upload): number
  cancel(upload: Upload): void
  retry(upload: Upload): void
  /** Begins to send, also what an earlier page left behind. Answers how to stop. */
  start(insert: Insert): () => void
}

interface UploadsInput {
  readonly doc: string
  readonly key: string
  readonly text: Y.Text
  readonly canEdit: ReadonlySignal<boolean>
  /** Of the live connection: when it stands, files may pass too. */
  readonly connected: ReadonlySignal<boolean>
}

/** Files taken at once. */
const filesMax = 20
/** How often a file that waits is tried again without a sign of the network, in milliseconds. */
const againMs = 15_000

/** What sends them is fetched with the first one. Undefined: it cannot be had now. */
const findSender = async () => import('./sender.ts').catch(() => undefined)

class Entry implements Upload {
  readonly id: string
  readonly fileName: string
  readonly follows: boolean
  readonly at: number
  readonly state = signal<UploadState>({ phase: 'queued' })
  blob: Blob
  position: Y.RelativePosition
  /** On this device. */
  kept = false
  ready: Promise<unknown> = Promise.resolve()
  sending: Sending | undefined
  canceled = false
  release: (() => void) | undefined

  constructor({ id, name, follows, at, blob }: Omit<Waiting, 'doc' | 'position'>, position: Y.RelativePosition) {
    this.id = id
    this.fileName = name
    this.follows = follows
    this.at = at
    this.blob = blob
    this.position = position
  }
}

/** The name of a file as the text in its place: without its ending and without what a line cannot hold. */
export const altOf = (fileName: string): string =>
  fileName
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, limits.labelCharsMax)

export function openUploads({ doc, key, text, canEdit, connected }: UploadsInput): Uploads {
  const list = signal<readonly Entry[]>([])
  const said = signal('')
  const onlyHere = signal(0)
  let insert: Insert | undefined
  let working = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const count = (): void => {
    onlyHere.value = list.value.filter(({ kept, state }) => !kept && state.peek().phase !== 'failed').length
  }

  const positionAt = (at: number): Y.RelativePosition => Y.createRelativePositionFromTypeIndex(text, Math.min(at, text.length), -1)

  const placeOf = ({ position }: Entry): number =>
    (text.doc === null ? undefined : Y.createAbsolutePositionFromRelativePosition(position, text.doc))?.index ?? text.length

  const remove = (entry: Entry): void => {
    list.value = list.value.filter((other) => other !== entry)
    entry.release?.()
    count()
    void entry.ready.then(() => waiting.drop(entry.id))
  }

  const fail = (entry: Entry, failure: Failure): void => {
    entry.state.value = { phase: failure.again === 'by itself' ? 'waiting' : 'failed', failure }
    said.value = `${entry.fileName}: ${failure.words}`
    count()
    // Refused for good: a reload need not bring it back.
    if (failure.again === 'never') void entry.ready.then(() => waiting.drop(entry.id))
  }

  const keep = async (entry: Entry): Promise<void> => {
    const { id, fileName, blob, position, follows, at } = entry
    const kept = await waiting.put({ id, doc, name: fileName, blob, position: Y.encodeRelativePosition(position), follows, at })
    entry.kept = kept && !entry.canceled
    if (entry.canceled) await waiting.drop(id)
    count()
  }

  const prepare = async (entry: Entry): Promise<void> => {
    entry.release = await claim(entry.id)
    const sender = await findSender()
    if (sender !== undefined) entry.blob = await sender.scaled(entry.blob)
    const refusal = sender?.refusalOf(entry.blob)
    if (refusal !== undefined) fail(entry, refusal)
    else if (!entry.canceled) await keep(entry)
  }

  const finish = (entry: Entry, { markdown }: Output<'uploadAsset'>, notAllowed: () => Failure): void => {
    const address = markdown.endsWith(')') ? markdown.slice(markdown.indexOf('(') + 1, -1) : markdown
    const there = text.toString().includes(address)
    const at = placeOf(entry)
    // Those that came later and stand at the same place go behind it.
    const later = list.value.slice(list.value.indexOf(entry) + 1).filter((other) => placeOf(other) === at)
    const before = text.length
    // It stands there already when an earlier page ended between the two steps.
    if (!there && insert?.(at, markdown, entry) !== true) return fail(entry, notAllowed())
    const end = at + text.length - before
    for (const other of later) {
      other.position = positionAt(end)
      if (other.kept) void keep(other)
    }
    said.value = t('{name} was added.', { name: entry.fileName })
    remove(entry)
  }

  const sendOne = async (entry: Entry): Promise<void> => {
    await entry.ready
    if (entry.canceled || entry.state.value.phase === 'failed') return
    const sender = await findSender()
    if (entry.canceled) return
    if (sender === undefined) return fail(entry, { words: t('Waiting for the connection.'), again: 'by itself' })
    if (!canEdit.value) return fail(entry, sender.notAllowed())
    entry.state.value = { phase: 'sending', share: 0 }
    entry.sending = sender.send({
      doc,
      key,
      blob: entry.blob,
      name: altOf(entry.fileName),
      idempotencyKey: entry.id,
      onProgress: (share) => (entry.state.value = { phase: 'sending', share })
    })
    try {
      const asset = await entry.sending.done
      if (!entry.canceled) finish(entry, asset, sender.notAllowed)
    } catch (error) {
      if (entry.canceled) return undefined
      if (!(error instanceof RequestError)) throw error
      fail(entry, sender.failureOf(error.status, error.code))
      if (error.retryAfterSeconds !== undefined) lookAgain(error.retryAfterSeconds * 1000)
    }
    return undefined
  }

  const work = async (): Promise<void> => {
    if (working || insert === undefined) return
    working = true
    try {
      for (;;) {
        const next = list.value.find(({ state }) => state.value.phase === 'queued')
        if (next === undefined) break
        await sendOne(next)
      }
    } finally {
      working = false
    }
    if (list.value.some(({ state }) => state.value.phase === 'waiting')) lookAgain(againMs)
  }

  const again = (): void => {
    for (const { state } of list.value) if (state.value.phase === 'waiting') state.value = { phase: 'queued' }
    void work()
  }

  const lookAgain = (afterMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(again, afterMs)
  }

  const restore = async (): Promise<void> => {
    for (const found of (await waiting.list(doc)) ?? []) {
      if (list.value.some(({ id }) => id === found.id)) continue
      const release = await claim(found.id)
      if (release === undefined) continue
      // The page that had it may have finished in between.
      if ((await waiting.find(found.id)) === undefined) {
        release()
        continue
      }
      const entry = new Entry(found, Y.decodeRelativePosition(found.position))
      entry.kept = true
      entry.release = release
      list.value = [...list.value, entry].toSorted((one, other) => one.at - other.at)
    }
    again()
  }

  return {
    list,
    said,
    onlyHere,
    allowed: canEdit,
    placeOf: (upload) => placeOf(upload as Entry),
    add(files, at, follows = false) {
      const taken = files.slice(0, filesMax)
      const now = Date.now()
      const position = positionAt(at)
      const entries = taken.map((file, index) => {
        // Scripts of the page see a picture without a name as `image.png`.
        const name = file.name || 'file'
        const entry = new Entry({ id: newId(), name, follows: follows || index > 0, at: now + index / 100, blob: file }, position)
        entry.ready = prepare(entry)
        return entry
      })
      list.value = [...list.value, ...entries]
      count()
      const names = entries.map(({ fileName }) => fileName).join(', ')
      said.value =
        files.length > filesMax
          ? t('Adding the first {max} of {count} files.', { max: filesMax, count: files.length })
          : t('Adding {names}.', { names })
      void work()
    },
    cancel(upload) {
      const entry = upload as Entry
      entry.canceled = true
      entry.sending?.cancel()
      said.value = t('{name} was not added.', { name: entry.fileName })
      remove(entry)
    },
    retry(upload) {
      const entry = upload as Entry
      if (!entry.kept) entry.ready = keep(entry)
      entry.state.value = { phase: 'queued' }
      void work()
    },
    start(inserter) {
      insert = inserter
      void restore()
      addEventListener('online', again)
      const stop = effect(() => {
        if (connected.value) queueMicrotask(again)
      })
      return () => {
        insert = undefined
        clearTimeout(timer)
        removeEventListener('online', again)
        stop()
        for (const entry of list.value) {
          entry.sending?.cancel()
          entry.release?.()
        }
      }
    }
  }
}

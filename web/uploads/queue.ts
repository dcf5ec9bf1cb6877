/**
 * The files that people add to a document, from the drop to the Markdown in the text. It is a separate chunk that exposes signals and has no user
 * interface code. Files are sent one at a time, in the order in which they were added. The place of each file stays correct while others type.
 */
import { signal } from '@preact/signals'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import type { Output } from '../../shared/operations/index.ts'
import { RequestError } from '../client/api.ts'
import { openOutbox } from '../device/outbox.ts'
import type { StoredRecord } from '../device/records.ts'
import { newId } from '../base/new-id.ts'
import { signature } from '../presence/person.ts'
import { t } from '../text/t.ts'
import type { Failure } from './failures.ts'
import type { Sending } from './send.ts'
import type { Follows, Insert, Upload, UploadQueue, UploadsInput, UploadState } from './upload.ts'

/** A file to upload, as an entry of the outbox until its Markdown is in the text. The server identifies a repeated upload by its id. */
interface StoredUpload extends StoredRecord {
  readonly name: string
  readonly blob: Blob
  /** The place of the file, as an encoded `Y.RelativePosition`. */
  readonly position: Uint8Array
  readonly follows: Follows
  /** The name under which the file was first sent. The server recognizes a repeated upload only under the same name. */
  readonly author?: string
}

/** Maximum number of files that a person can add at once. */
const filesMax = 20
/** Delay between two retries of a waiting file when no network event occurs, in milliseconds. */
const againMs = 15_000

/** Loads the sender when the first file is added. Resolves with undefined if it cannot be loaded now. */
const findSender = async () => import('./sender.ts').catch(() => undefined)

class Entry implements Upload {
  readonly id: string
  readonly fileName: string
  readonly follows: Follows
  readonly at: number
  readonly state = signal<UploadState>({ phase: 'queued' })
  blob: Blob
  position: Y.RelativePosition
  /** Whether this device stores the file. */
  kept = false
  ready: Promise<unknown> = Promise.resolve()
  sending: Sending | undefined
  canceled = false
  author: string | undefined

  constructor({ id, name, follows, at, blob, author }: Omit<StoredUpload, 'doc' | 'position'>, position: Y.RelativePosition) {
    this.id = id
    this.fileName = name
    this.follows = follows
    this.at = at
    this.blob = blob
    this.position = position
    this.author = author
  }
}

/** Turns a file name into alternative text. Removes the extension and characters that cannot occur in a line. */
export const altOf = (fileName: string): string =>
  fileName
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, limits.labelUnitsMax)

export function openQueue({ doc, key, text, canEdit, connected }: UploadsInput): UploadQueue {
  const list = signal<readonly Entry[]>([])
  const said = signal('')
  const onlyHere = signal(0)
  let insert: Insert | undefined
  const outbox = openOutbox<StoredUpload>('uploads', doc)
  let working = false

  const count = (): void => {
    onlyHere.value = list.value.filter(({ kept, state }) => !kept && state.peek().phase !== 'failed').length
  }

  const positionAt = (at: number): Y.RelativePosition => Y.createRelativePositionFromTypeIndex(text, Math.min(at, text.length), -1)

  const placeOf = ({ position }: Entry): number =>
    (text.doc === null ? undefined : Y.createAbsolutePositionFromRelativePosition(position, text.doc))?.index ?? text.length

  const remove = (entry: Entry): void => {
    list.value = list.value.filter((other) => other !== entry)
    count()
    void entry.ready.then(() => outbox.drop(entry.id))
  }

  const fail = (entry: Entry, failure: Failure, afterSeconds?: number): void => {
    entry.state.value = { phase: failure.again === 'by itself' ? 'waiting' : 'failed', failure }
    if (failure.again === 'by itself') outbox.later(entry.id, afterSeconds === undefined ? againMs : afterSeconds * 1000)
    said.value = `${entry.fileName}: ${failure.words}`
    count()
    // A file that was refused permanently does not return after a reload.
    if (failure.again === 'never') void entry.ready.then(() => outbox.drop(entry.id))
  }

  const keep = async (entry: Entry): Promise<void> => {
    const { id, fileName, blob, position, follows, at, author } = entry
    const named = author === undefined ? {} : { author }
    entry.kept = await outbox.put({ id, doc, name: fileName, blob, position: Y.encodeRelativePosition(position), follows, at, ...named })
    count()
  }

  const prepare = async (entry: Entry): Promise<void> => {
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
    // Later files at the same place are inserted after this one.
    const later = list.value.slice(list.value.indexOf(entry) + 1).filter((other) => placeOf(other) === at)
    const before = text.length
    // The Markdown is already there if an earlier page closed after inserting it.
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
    if (entry.author === undefined) {
      entry.author = signature.value
      if (entry.kept) await keep(entry)
    }
    entry.sending = sender.send({
      doc,
      key,
      blob: entry.blob,
      name: altOf(entry.fileName),
      idempotencyKey: entry.id,
      author: entry.author,
      onProgress: (share) => (entry.state.value = { phase: 'sending', share })
    })
    try {
      const asset = await entry.sending.done
      if (!entry.canceled) finish(entry, asset, sender.notAllowed)
    } catch (error) {
      if (entry.canceled) return undefined
      if (!(error instanceof RequestError)) throw error
      fail(entry, sender.failureOf(error.status, error.code), error.retryAfterSeconds)
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
  }

  const again = (): void => {
    for (const { id, state } of list.value) if (state.value.phase === 'waiting' && outbox.isDue(id)) state.value = { phase: 'queued' }
    void work()
  }

  /** Takes over the entries of pages that have closed. */
  const restore = async (): Promise<void> => {
    await outbox.restore((found) => {
      if (list.value.some(({ id }) => id === found.id)) return
      const entry = new Entry(found, Y.decodeRelativePosition(found.position))
      entry.kept = true
      list.value = [...list.value, entry].toSorted((one, other) => one.at - other.at)
      void work()
    })
  }

  return {
    list,
    said,
    onlyHere,
    placeOf: (upload) => placeOf(upload as Entry),
    add(files, position, follows) {
      const taken = files.slice(0, filesMax)
      const entries = taken.map((file, index) => {
        // Browsers name a pasted picture `image.png`.
        const name = file.name || 'file'
        const entry = new Entry({ id: newId(), name, follows: follows || index > 0, at: outbox.now(), blob: file }, position)
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
      const stop = outbox.start({ work: again, connected, onCarried: () => void restore() })
      void restore()
      return () => {
        insert = undefined
        stop()
        for (const entry of list.value) entry.sending?.cancel()
      }
    }
  }
}

/**
 * Sends what people did to annotations and assignments, in turn, from the outbox of the device (web/device/outbox.ts): what request each
 * action is, and what becomes of an answer or a refusal. Signals; no user interface.
 */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { Output } from '../../../shared/operations/index.ts'
import { RequestError, type How } from '../../client/api.ts'
import type { Access } from '../../client/operation.ts'
import { openOutbox as openDeviceOutbox } from '../../device/outbox.ts'
import { newId } from '../../base/new-id.ts'
import { missesPlace, passes, refusalOf } from './refusals.ts'
import {
  closeTask,
  createComment,
  createSuggestion,
  createTask,
  decideSuggestions,
  deleteComment,
  draftSuggestion,
  editComment,
  replyToComment,
  replyToSuggestion,
  reportTask,
  resolveComment,
  startTask,
  withdrawSuggestion
} from './requests.ts'
import type { Deed, SuggestDeed, Target, Waiting } from './waiting.ts'

export interface Outbox {
  /** The entries that are not answered yet, and those refused, oldest first. */
  readonly list: ReadonlySignal<readonly Waiting[]>
  /** A request is under way. */
  readonly sending: ReadonlySignal<boolean>
  /** The entries that this page alone holds: they are lost with it. */
  readonly onlyHere: ReadonlySignal<number>
  add(deed: Deed, author: string): Waiting
  /** Sends those again whose place was not found, and that have another name now. */
  aimAgain(): void
  /** Sends a refused one again. */
  retry(id: string): void
  /** Lets go of a refused one, or of one that waits. */
  drop(id: string): void
  /** Begins to send, also what an earlier page left behind. Answers how to stop. */
  start(): () => void
}

interface OutboxInput {
  readonly doc: string
  readonly key: string
  readonly connected: ReadonlySignal<boolean>
  /** How the place of a remark is named now, if not as before. */
  readonly aim: (item: Waiting) => Target | undefined
  /** The next step for one that was refused: the entry sent in its place, or that it waits. */
  readonly afresh: (item: Waiting, error: RequestError) => Deed | 'later' | 'done' | undefined
  readonly onAnswer: (done: Waiting, answer: unknown) => void
  readonly onRefusal: (refused: Waiting, error: RequestError) => void
}

/** How often what waits is tried again without a sign of the network, in milliseconds. */
const againMs = 15_000
/** How long until one is tried again that the others just decided, in milliseconds. */
const afreshMs = 1000
/** Bytes that browsers send for a page that is gone: 64 KiB, of which what is being typed takes most. */
const leavingBytesMax = 12 * 1024

const said = ({ operation, text, note, target }: SuggestDeed) => ({
  operation,
  ...(operation === 'delete' ? {} : { text }),
  ...(note === '' ? {} : { note }),
  ...(target ?? { at: 'start' as const })
})

/** Each names the version that stood on its card. */
const decisionsOf = ({ action, suggestions, steps = {}, reason }: Deed & { readonly kind: 'decide' }) =>
  suggestions.map((suggestionId) => {
    const step = steps[suggestionId]
    return { suggestionId, action, ...(step !== undefined && { step }), ...(reason !== undefined && { reason }) }
  })

/** A call that is ready to be sent, and about how many bytes it has. */
interface Prepared<Answer> {
  readonly bytes: number
  send(at: Access & How): Promise<Answer>
}

const prepare = <Fields, Answer>(send: (at: Access & How, fields: Fields) => Promise<Answer>, fields: Fields): Prepared<Answer> => ({
  bytes: JSON.stringify(fields).length * 3,
  send: (at) => send(at, fields)
})

/** Tells the service of a suggestion that is typed. `done`: nothing more is typed for now. */
export const prepareDraft = (deed: SuggestDeed, done: boolean): Prepared<Output<'draftSuggestion'>> =>
  prepare(draftSuggestion, { draftId: deed.draft?.id ?? '', ...said(deed), step: deed.draft?.step ?? 0, done })

const prepareDeed = ({ id, deed }: Waiting): Prepared<unknown> => {
  switch (deed.kind) {
    case 'comment':
      return prepare(createComment, { body: deed.body, ...deed.target, characters: deed.characters, unanchored: true })
    case 'reply':
      return prepare(replyToComment, { commentId: deed.comment, body: deed.body })
    case 'edit':
      return prepare(editComment, { commentId: deed.comment, body: deed.body })
    case 'delete':
      return prepare(deleteComment, { commentId: deed.comment })
    case 'resolve':
      return prepare(resolveComment, { commentId: deed.comment, resolved: deed.resolved })
    case 'answer':
      return prepare(replyToSuggestion, { suggestionId: deed.suggestion, body: deed.body })
    case 'suggest':
      return deed.draft === undefined ? prepare(createSuggestion, said(deed)) : prepareDraft(deed, true)
    case 'decide':
      return prepare(decideSuggestions, { decisions: decisionsOf(deed) })
    case 'withdraw':
      return prepare(withdrawSuggestion, { suggestionId: deed.suggestion })
    case 'ask':
      return prepare(createTask, { title: deed.title, instructions: deed.instructions, requestId: id })
    case 'report': {
      const { kind: _kind, task: taskId, ...report } = deed
      return prepare(reportTask, { taskId, ...report })
    }
    case 'start':
      return prepare(startTask, { taskId: deed.task })
    case 'close':
      return prepare(closeTask, { taskId: deed.task })
  }
}

export function openOutbox({ doc, key, connected, aim, afresh, onAnswer, onRefusal }: OutboxInput): Outbox {
  const outbox = openDeviceOutbox<Waiting>('review', doc)
  const list = signal<readonly Waiting[]>([])
  const sending = signal(false)
  let stopped = false

  const show = (change: (before: readonly Waiting[]) => readonly Waiting[]): void => {
    list.value = change(list.value)
  }
  /** The page goes: sends what is new and not answered. Each is known by its id, so the next page does none of it twice. */
  const sendLeft = (): void => {
    let left = leavingBytesMax
    for (const item of list.peek()) {
      const { id, deed, author, refusal } = item
      const isNew = deed.kind === 'comment' || deed.kind === 'suggest' || deed.kind === 'reply' || deed.kind === 'answer'
      if (!isNew || refusal !== undefined || !navigator.onLine) continue
      const { bytes, send: sendNow } = prepareDeed(item)
      left -= bytes
      if (left < 0) return
      sendNow({ id: doc, key, author, idempotencyKey: id, keepalive: true }).catch(() => undefined)
    }
  }
  const remove = (id: string): void => {
    show((before) => before.filter((other) => other.id !== id))
    void outbox.drop(id)
  }
  const replace = (item: Waiting): void => {
    show((before) => before.map((other) => (other.id === item.id ? item : other)))
    void outbox.put(item)
  }

  /** Names the place of a remark again; false: it is named as before. */
  const rename = (item: Waiting): boolean => {
    const target = aim(item)
    if (target === undefined) return false
    const { refusal: _refusal, isLost: _isLost, ...rest } = item
    replace({ ...rest, deed: { ...item.deed, target } as Deed })
    return true
  }

  /** Reads what waits, whichever page put it there. */
  const read = async (): Promise<readonly Waiting[]> => {
    const all = await outbox.read()
    if (!stopped) list.value = all
    return all
  }

  /** False: not now. */
  const send = async (item: Waiting): Promise<boolean> => {
    try {
      const answer = await prepareDeed(item).send({ id: doc, key, author: item.author, idempotencyKey: item.id })
      if (!stopped) onAnswer(item, answer)
      remove(item.id)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (passes(error)) {
        outbox.later(item.id, error.retryAfterSeconds === undefined ? againMs : error.retryAfterSeconds * 1000)
        return false
      }
      const isLost = missesPlace(error)
      if (isLost && rename(item)) return true
      const next = afresh(item, error)
      if (next === 'done') {
        remove(item.id)
        return true
      }
      if (next === 'later') {
        outbox.later(item.id, afreshMs)
        return false
      }
      if (next !== undefined) {
        replace({ ...item, deed: next })
        return true
      }
      replace({ ...item, refusal: refusalOf(error), isLost })
      if (!stopped) onRefusal(item, error)
    }
    return true
  }

  const drain = async (): Promise<void> => {
    for (;;) {
      const next = (await read()).find(({ refusal }) => refusal === undefined)
      if (next === undefined || stopped || !navigator.onLine || !outbox.isDue(next.id)) return
      sending.value = true
      if (!(await send(next))) return
    }
  }

  let working: Promise<void> | undefined
  let asked = false
  function work(): void {
    if (stopped) return
    if (working !== undefined) {
      asked = true
      return
    }
    asked = false
    working = outbox.inTurn(drain).finally(() => {
      working = undefined
      sending.value = false
      // A request that was made meanwhile asked after what failed.
      if (asked) outbox.wake()
    })
  }

  return {
    list,
    sending,
    onlyHere: outbox.onlyHere,
    add(deed, author) {
      const item: Waiting = { id: newId(), doc, at: outbox.now(), author, deed }
      show((before) => [...before, item])
      void outbox.put(item)
      outbox.wake()
      return item
    },
    aimAgain() {
      const renamed = list.value.filter(({ isLost }) => isLost === true).filter(rename)
      if (renamed.length > 0) outbox.wake()
    },
    retry(id) {
      const found = list.value.find((item) => item.id === id)
      if (found === undefined) return
      const { refusal: _refusal, ...item } = found
      replace(item)
      outbox.wake()
    },
    drop: remove,
    start() {
      const stop = outbox.start({ work, connected, onChanged: () => void read(), onCarried: work, onLeave: sendLeft })
      return () => {
        stopped = true
        stop()
      }
    }
  }
}

/**
 * Sends actions on annotations and assignments in order, from the outbox of the device (web/device/outbox.ts). It maps each action to a request, and
 * handles the response. It exposes signals and has no user interface code.
 */
import { signal, type ReadonlySignal } from '@preact/signals'
import { isGuestNumber } from '../../../shared/names.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { accountName } from '../../presence/person.ts'
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
  deleteReply,
  draftSuggestion,
  editComment,
  editReply,
  replyToComment,
  replyToSuggestion,
  reportTask,
  resolveComment,
  startTask,
  withdrawSuggestion
} from './requests.ts'
import { type Action, entryOf, type OutboxEntry, type StoredEntry, storedEntry, type SuggestAction, type Target } from './entry.ts'

export interface Outbox {
  /** The entries that have no response yet or were refused, oldest first. */
  readonly list: ReadonlySignal<readonly OutboxEntry[]>
  /** Whether a request is being sent. */
  readonly sending: ReadonlySignal<boolean>
  /** Number of entries that only this page has. Closing the page would lose them. */
  readonly onlyHere: ReadonlySignal<number>
  add(action: Action, author: string): OutboxEntry
  /** Sends an entry again if its place was not found and there is a new description of the place. */
  retarget(): void
  /** Sends a refused entry again. */
  retry(id: string): void
  /** Discards a refused or waiting entry. */
  drop(id: string): void
  /** Called when the service has stored the comment of the entry `sent` under the id `comment`. Sends the replies that waited for it. */
  redirect(sent: string, comment: string): void
  /** Starts sending, including entries of earlier pages. Returns a function that stops it. */
  start(): () => void
}

interface OutboxInput {
  readonly doc: string
  readonly key: string
  readonly connected: ReadonlySignal<boolean>
  /** Returns a new description of an annotation's place. Undefined if it has not changed. */
  readonly newTargetOf: (item: OutboxEntry) => Target | undefined
  /** Returns what to do with a refused entry: the action to send instead, `later` to wait, or `done`. Undefined if the entry remains refused. */
  readonly afterRefusal: (item: OutboxEntry, error: RequestError) => Action | 'later' | 'done' | undefined
  readonly onAnswer: (done: OutboxEntry, answer: unknown) => void
  readonly onRefusal: (refused: OutboxEntry, error: RequestError) => void
}

/** Delay between two retries of waiting entries when no network event occurs, in milliseconds. */
const retryMs = 15_000
/** Delay before retrying an entry that others have just decided, in milliseconds. */
const decidedRetryMs = 1000
/** Maximum number of bytes that this queue sends when the page closes. At that moment, browsers send at most 64 KiB, and drafts need most of it. */
const leavingBytesMax = 12 * 1024

const suggestionFields = ({ operation, text, note, target }: SuggestAction) => ({
  operation,
  ...(operation === 'delete' ? {} : { text }),
  ...(note === '' ? {} : { note }),
  ...(target ?? { at: 'start' as const })
})

/** Returns the decisions of an action. Each one names the version that its card showed. */
const decisionsOf = ({ action, suggestions, steps = {}, reason }: Action & { readonly kind: 'decide' }) =>
  suggestions.map((suggestionId) => {
    const step = steps[suggestionId]
    return { suggestionId, action, ...(step !== undefined && { step }), ...(reason !== undefined && { reason }) }
  })

/** A request that is ready to be sent, and its approximate size in bytes. */
interface Prepared<Answer> {
  readonly bytes: number
  send(at: Access & How): Promise<Answer>
}

const prepare = <Fields, Answer>(send: (at: Access & How, fields: Fields) => Promise<Answer>, fields: Fields): Prepared<Answer> => ({
  bytes: JSON.stringify(fields).length * 3,
  send: (at) => send(at, fields)
})

/** Prepares to send a suggestion that is being typed. `done` means that the person has stopped typing it for now. */
export const prepareDraft = (action: SuggestAction, done: boolean): Prepared<Output<'draftSuggestion'>> =>
  prepare(draftSuggestion, { draftId: action.draft?.id ?? '', ...suggestionFields(action), step: action.draft?.step ?? 0, done })

const prepareAction = ({ id, action }: OutboxEntry): Prepared<unknown> => {
  switch (action.kind) {
    case 'comment':
      return prepare(createComment, { body: action.body, ...action.target, characters: action.characters, unanchored: true })
    case 'reply':
      return prepare(replyToComment, { commentId: action.comment, body: action.body })
    case 'edit':
      return prepare(editComment, { commentId: action.comment, body: action.body })
    case 'delete':
      return prepare(deleteComment, { commentId: action.comment })
    case 'editReply':
      return prepare(editReply, { replyId: action.reply, body: action.body })
    case 'deleteReply':
      return prepare(deleteReply, { replyId: action.reply })
    case 'resolve':
      return prepare(resolveComment, { commentId: action.comment, resolved: action.resolved })
    case 'answer':
      return prepare(replyToSuggestion, { suggestionId: action.suggestion, body: action.body })
    case 'suggest':
      return action.draft === undefined ? prepare(createSuggestion, suggestionFields(action)) : prepareDraft(action, true)
    case 'decide':
      return prepare(decideSuggestions, { decisions: decisionsOf(action) })
    case 'withdraw':
      return prepare(withdrawSuggestion, { suggestionId: action.suggestion })
    case 'restore':
      return prepare(withdrawSuggestion, { suggestionId: action.suggestion, undo: true })
    case 'ask':
      return prepare(createTask, { title: action.title, instructions: action.instructions, requestId: id })
    case 'report': {
      const { kind: _kind, task: taskId, ...report } = action
      return prepare(reportTask, { taskId, ...report })
    }
    case 'start':
      return prepare(startTask, { taskId: action.task })
    case 'close':
      return prepare(closeTask, { taskId: action.task })
  }
}

/** Only guests have numbers. An entry that a person wrote as a guest before signing in is sent under the account alone. */
const signedNow = (author: string): string => (accountName.peek() !== '' && isGuestNumber(author) ? '' : author)

export function openOutbox({ doc, key, connected, newTargetOf, afterRefusal, onAnswer, onRefusal }: OutboxInput): Outbox {
  const outbox = openDeviceOutbox<StoredEntry>('review', doc)
  const list = signal<readonly OutboxEntry[]>([])
  const sending = signal(false)
  let stopped = false

  const show = (change: (before: readonly OutboxEntry[]) => readonly OutboxEntry[]): void => {
    list.value = change(list.value)
  }
  /** Sends new entries when the page closes. Each entry has an id, so the next page does not repeat any of them. */
  const sendLeft = (): void => {
    let left = leavingBytesMax
    const unsent = new Set(list.peek().map(({ id }) => id))
    for (const item of list.peek()) {
      const { id, action, author, refusal } = item
      const isNew = action.kind === 'comment' || action.kind === 'suggest' || action.kind === 'reply' || action.kind === 'answer'
      if (!isNew || refusal !== undefined || !navigator.onLine || ('comment' in action && unsent.has(action.comment))) continue
      const { bytes, send: sendNow } = prepareAction(item)
      left -= bytes
      if (left < 0) return
      sendNow({ id: doc, key, author: signedNow(author), idempotencyKey: id, keepalive: true }).catch(() => undefined)
    }
  }
  const remove = (id: string): void => {
    show((before) => before.filter((other) => other.id !== id))
    void outbox.drop(id)
  }
  const replace = (item: OutboxEntry): void => {
    show((before) => before.map((other) => (other.id === item.id ? item : other)))
    void outbox.put(storedEntry(item))
  }

  /** Updates the target of an annotation. Returns false if it has not changed. */
  const rename = (item: OutboxEntry): boolean => {
    const target = newTargetOf(item)
    if (target === undefined) return false
    const { refusal: _refusal, isLost: _isLost, ...rest } = item
    replace({ ...rest, action: { ...item.action, target } as Action })
    return true
  }

  /** Reads the waiting entries of all pages. */
  const read = async (): Promise<readonly OutboxEntry[]> => {
    const all = (await outbox.read()).map(entryOf)
    if (!stopped) list.value = all
    return all
  }

  /** Sends an entry under the account, or as the guest who wrote its annotation here before signing in. */
  const ask = async (item: OutboxEntry): Promise<unknown> => {
    const prepared = prepareAction(item)
    const at = { id: doc, key, idempotencyKey: item.id }
    try {
      return await prepared.send({ ...at, author: signedNow(item.author) })
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== 'not_author' || key === '') throw error
      return prepared.send({ ...at, author: item.author, asGuest: true })
    }
  }

  /** Sends an entry. Returns false if it cannot be sent now. */
  const send = async (item: OutboxEntry): Promise<boolean> => {
    try {
      const answer = await ask(item)
      if (!stopped) onAnswer(item, answer)
      remove(item.id)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      // The person discarded the entry, or edits the suggestion again.
      if (!list.peek().some(({ id }) => id === item.id)) return true
      if (passes(error)) {
        outbox.later(item.id, error.retryAfterSeconds === undefined ? retryMs : error.retryAfterSeconds * 1000)
        return false
      }
      const isLost = missesPlace(error)
      if (isLost && rename(item)) return true
      const next = afterRefusal(item, error)
      if (next === 'done') {
        remove(item.id)
        return true
      }
      if (next === 'later') {
        outbox.later(item.id, decidedRetryMs)
        return false
      }
      if (next !== undefined) {
        replace({ ...item, action: next })
        return true
      }
      replace({ ...item, refusal: refusalOf(error), isLost, isForbidden: error.code === 'forbidden' })
      if (!stopped) onRefusal(item, error)
    }
    return true
  }

  const drain = async (): Promise<void> => {
    for (;;) {
      const all = await read()
      const unsent = new Set(all.map(({ id }) => id))
      // A reply to a refused comment waits with that comment.
      const next = all.find(({ action, refusal }) => refusal === undefined && !('comment' in action && unsent.has(action.comment)))
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
      // Somebody has since asked for another attempt.
      if (asked) outbox.wake()
    })
  }

  return {
    list,
    sending,
    onlyHere: outbox.onlyHere,
    add(action, author) {
      const item: OutboxEntry = { id: newId(), doc, at: outbox.now(), author, action }
      show((before) => [...before, item])
      void outbox.put(storedEntry(item))
      outbox.wake()
      return item
    },
    retarget() {
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
    redirect(sent, comment) {
      for (const item of list.peek()) {
        const { action } = item
        if ('comment' in action && action.comment === sent) replace({ ...item, action: { ...action, comment } })
      }
    },
    start() {
      const stop = outbox.start({ work, connected, onChanged: () => void read(), onCarried: work, onLeave: sendLeft })
      return () => {
        stopped = true
        stop()
      }
    }
  }
}

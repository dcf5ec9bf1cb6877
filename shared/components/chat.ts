/**
 * The session of a person in a chat: which message they change, what is written of it, what is announced, and where the focus goes. Others
 * may change the chat at any time, so a message is found again before anything is written.
 */
import { appendMessage, type Chat, editMessage, type Message, plainAuthor } from '../fences/chat.ts'
import { mentionOf } from '../mentions.ts'
import type { Edit } from '../text/diff.ts'
import { followPart } from './follow-part.ts'

/** The key that tells a message from others, wherever it stands. */
export const keyOf = ({ author, at, text }: Message): string => JSON.stringify([author, at, text])

export const messagesOf = ({ entries }: Chat): Message[] => entries.filter((entry) => entry.kind === 'message')

/** Where a message is that was seen somewhere: the nearest that reads the same. */
const find = (chat: Chat, message: Message): Message | undefined =>
  messagesOf(chat)
    .filter((each) => keyOf(each) === keyOf(message))
    .toSorted((one, other) => Math.abs(one.index - message.index) - Math.abs(other.index - message.index))[0]

// ——— the person ———

/** The person who writes, as the chat knows them. */
export interface Speaker {
  readonly name: string
  /** Guests without a name share one: nothing but the page that sent a message tells whose it is. */
  readonly isUnnamed: boolean
  /** Somebody else who is here is called the same. */
  readonly isShared: boolean
}

export function speakerOf(name: string, isUnnamed: boolean, others: readonly string[]): Speaker {
  const plain = plainAuthor(name)
  return { name: plain, isUnnamed, isShared: others.some((other) => plainAuthor(other) === plain) }
}

/** A minute of the clock and what was written in it: a message that this page has sent. */
export const sentKey = (time: number | undefined, text: string): string =>
  `${Math.floor((time ?? 0) / 60_000)} ${text.replaceAll(/\s+/g, ' ').trim()}`

/**
 * Whether a message is one's own. It tells its author by name alone: of two who are called the same nobody knows whose it is. `sent` are the
 * messages that this page has sent for a person without a name.
 */
export function isOwn(message: Message, { name, isUnnamed, isShared }: Speaker, sent: ReadonlySet<string>): boolean {
  const isKnown = isUnnamed ? sent.has(sentKey(message.time, message.text)) : !isShared
  return isKnown && !message.imported && message.author === name
}

/** The authors of a chat, the latest first. */
export const authorsOf = (chat: Chat): string[] =>
  messagesOf(chat)
    .map(({ author }) => author)
    .toReversed()

/** Nobody mentions themselves. */
export const othersThan = ({ name }: Speaker, names: readonly string[]): string[] => names.filter((each) => each !== mentionOf(name))

// ——— the session ———

/** A message of one's own that is being changed. */
export interface Draft {
  /** As it was when it was begun. */
  readonly begun: Message
  /** As it is now; the last that was known of it when it was removed. */
  readonly message: Message
  readonly isGone: boolean
}

export interface ChatState {
  /** As it was when the session was last told of it. */
  readonly chat: Chat
  readonly draft: Draft | undefined
  /** Text that is not saved yet, because others changed the message too: the person is asked which one stays. */
  readonly asked: string | undefined
}

export const beginChat = (chat: Chat): ChatState => ({ chat, draft: undefined, asked: undefined })

/** A change that is to be made in the chat as it is by then. */
export type Change = {
  readonly by: Speaker
  readonly text: string
  /** Whether it comes from the form of the draft, which it closes. */
  readonly isDraft: boolean
} & ({ readonly kind: 'send'; readonly time: number } | { readonly kind: 'edit'; readonly message: Message })

/** `refused`: nothing was written. `gone`: its message is no longer there. `closed`: the chat cannot be reached. */
export type Result = 'done' | 'refused' | 'gone' | 'closed'

export type ChatEvent =
  /** The chat changed, by whomever. */
  | { readonly kind: 'changed'; readonly chat: Chat }
  /** The first part wants to be edited. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'edit'; readonly message: Message }
  | { readonly kind: 'delete'; readonly message: Message; readonly by: Speaker }
  /** Something was typed in the draft. */
  | { readonly kind: 'typed' }
  | { readonly kind: 'save'; readonly text: string; readonly time: number; readonly by: Speaker }
  | { readonly kind: 'keep mine'; readonly by: Speaker }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'send'; readonly text: string; readonly time: number; readonly by: Speaker }
  /** The change that an event before asked for has a result. */
  | { readonly kind: 'written'; readonly change: Change; readonly result: Result }

export interface ChatOutcome {
  readonly state: ChatState
  /** Its edits are those of `editsOf`; `written` is the event that tells their result. */
  readonly change?: Change
  readonly announcement?: 'sent' | 'changed' | 'deleted' | 'changed by others'
  readonly focus?: 'draft' | 'new message'
  /** The part that others are told is being changed; null: nothing any more. */
  readonly hold?: string | null
  /** The key of a message that this page has sent for a person without a name. */
  readonly sent?: string
  /** The reader goes on reading at the end. */
  readonly goesToEnd?: boolean
  /** The field of a new message is emptied. */
  readonly empties?: boolean
}

/** The edits of a change in the chat as it is now; undefined: its message is no longer there. */
export function editsOf(now: Chat, change: Change): readonly Edit[] | undefined {
  if (change.kind === 'send') return appendMessage(now, { author: change.by.name, time: change.time, text: change.text })
  const found = find(now, change.message)
  return found && editMessage(now, found, change.text)
}

/** The draft goes with its message. Another's message is never taken for it. */
function follow(draft: Draft, before: Chat, now: Chat): Draft {
  const [were, are] = [messagesOf(before), messagesOf(now)]
  const { author, at, index } = draft.message
  const same = find(now, draft.message)
  const changed = (): number | undefined =>
    followPart(
      were.map(keyOf),
      were.findIndex((each) => each.index === index),
      are.map(keyOf),
      (place) => are[place]?.author === author && are[place].at === at
    )
  const message = same ?? (draft.isGone ? undefined : are[changed() ?? -1])
  return message === undefined ? { ...draft, isGone: true } : { ...draft, message, isGone: false }
}

const close = (state: ChatState): ChatOutcome => ({ state: { ...state, draft: undefined, asked: undefined }, hold: null })

function save(state: ChatState, event: Extract<ChatEvent, { kind: 'save' }>): ChatOutcome {
  const { draft } = state
  if (draft === undefined) return { state }
  const { begun, message, isGone } = draft
  const { by, time, text: written } = event
  if (isGone) return { state, change: { kind: 'send', by, time, text: written, isDraft: true }, goesToEnd: true }
  const text = written.trim()
  if (message.text !== begun.text && text !== begun.text && text !== message.text) return { state: { ...state, asked: text } }
  // A part that was not changed leaves what others made of it.
  return text === begun.text ? close(state) : { state, change: { kind: 'edit', by, message, text: written, isDraft: true } }
}

function written(state: ChatState, change: Change, result: Result): ChatOutcome {
  if (result === 'gone') return { state, announcement: 'changed by others' }
  const isDone = result === 'done'
  // An edit that changes nothing is done with, too. Text that was not sent stays.
  const isFinished = isDone || (change.kind === 'edit' && result === 'refused')
  const outcome: ChatOutcome = isFinished && change.isDraft ? close(state) : { state }
  if (!isDone) return outcome
  const { kind, text, by } = change
  const time = change.kind === 'send' ? change.time : change.message.time
  return {
    ...outcome,
    announcement: kind === 'send' ? 'sent' : text.trim() === '' ? 'deleted' : 'changed',
    ...(by.isUnnamed && { sent: sentKey(time, text) }),
    ...(kind === 'send' && !change.isDraft && { empties: true })
  }
}

export function chatStep(state: ChatState, event: ChatEvent): ChatOutcome {
  const { draft } = state
  switch (event.kind) {
    case 'changed':
      return { state: { ...state, chat: event.chat, draft: draft && follow(draft, state.chat, event.chat) } }
    case 'begin':
      return { state, focus: 'new message' }
    case 'edit': {
      const { message } = event
      return { state: { ...state, draft: { begun: message, message, isGone: false } }, focus: 'draft', hold: keyOf(message) }
    }
    case 'delete':
      return { state, change: { kind: 'edit', by: event.by, message: event.message, text: '', isDraft: false } }
    case 'typed':
      return {
        state: { ...state, asked: undefined },
        ...(draft !== undefined && !draft.isGone && { hold: keyOf(draft.message) })
      }
    case 'save':
      return save(state, event)
    case 'keep mine':
      return draft === undefined || state.asked === undefined
        ? { state }
        : { state, change: { kind: 'edit', by: event.by, message: draft.message, text: state.asked, isDraft: true } }
    case 'cancel':
      return close(state)
    case 'send':
      return { state, change: { ...event, isDraft: false }, goesToEnd: true }
    case 'written':
      return written(state, event.change, event.result)
  }
}

// ——— what is drawn ———

export interface ChatShown {
  readonly entries: Chat['entries']
  /** How many earlier ones are not drawn. */
  readonly left: number
  /** Before which entry the form stands whose message is not among those that are drawn; -1: behind all; undefined: there is none. */
  readonly formAt: number | undefined
}

/** The latest entries, at most `most`. The draft is always drawn: a message that is gone is not among them either. */
export function chatShown({ entries }: Chat, draft: Draft | undefined, most: number): ChatShown {
  const latest = entries.slice(-most)
  const isApart = draft !== undefined && !latest.includes(draft.message)
  return {
    entries: latest,
    left: entries.length - latest.length,
    formAt: isApart ? latest.findIndex(({ index }) => index >= draft.message.index) : undefined
  }
}

/** A key in the field of a message: Enter sends, Shift-Enter begins a line, Esc gives up what can be given up. */
export function chatKey(
  event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>,
  mayCancel: boolean
): 'send' | 'cancel' | undefined {
  if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) return 'send'
  return event.key === 'Escape' && mayCancel ? 'cancel' : undefined
}

/**
 * A person's session in a chat: the message being edited, its draft, the announcements and the focus. Other people may change the chat at any time,
 * so the session finds a message again before it writes.
 */
import { appendMessage, type Chat, editMessage, type Message, plainAuthor, restoreMessage, signMessage } from '../fences/chat.ts'
import { mentionOf } from '../mentions.ts'
import { isGuestNumber } from '../names.ts'
import type { Edit } from '../text/diff.ts'
import { followPart } from './follow-part.ts'
import { isPlainKey, type Key } from './key.ts'
import type { Result } from './result.ts'

/** Returns the key that identifies a message, wherever it is in the chat. */
export const keyOf = ({ author, at, text }: Message): string => JSON.stringify([author, at, text])

export const messagesOf = ({ entries }: Chat): Message[] => entries.filter((entry) => entry.kind === 'message')

/** Finds a message that was seen earlier. Returns the nearest message with the same text, author and time. */
const find = (chat: Chat, message: Message): Message | undefined =>
  messagesOf(chat)
    .filter((each) => keyOf(each) === keyOf(message))
    .toSorted((one, other) => Math.abs(one.index - message.index) - Math.abs(other.index - message.index))[0]

// ——— the person ———

/** The person who writes, as the chat identifies them. */
export interface Speaker {
  readonly name: string
  /** Whether the person is a guest without a name. Their number proves nothing, so only the device that sent a message can identify its author. */
  readonly isUnnamed: boolean
  /** Whether the person is a guest. A guest's messages remain theirs on the device, even after they sign in or change their name there. */
  readonly isGuest: boolean
  /** Whether another person who is present has the same name. */
  readonly isShared: boolean
}

export function speakerOf(
  name: string,
  { isUnnamed = false, isGuest = isUnnamed }: { readonly isUnnamed?: boolean; readonly isGuest?: boolean },
  others: readonly string[]
): Speaker {
  const plain = plainAuthor(name)
  return { name: plain, isUnnamed, isGuest, isShared: others.some((other) => plainAuthor(other) === plain) }
}

/** Returns the key of a message that a guest has sent on this device, made from its author, minute and text. */
export const sentKey = (author: string, time: number | undefined, text: string): string =>
  `${author}: ${Math.floor((time ?? 0) / 60_000)} ${text.replaceAll(/\s+/g, ' ').trim()}`

/**
 * Whether the speaker wrote the message. A message identifies its author only by name. A message with the speaker's name is therefore theirs if
 * nobody else here has that name. Any other message is theirs if a guest has sent it on this device (`sent`).
 */
export function isOwn(message: Message, { name, isUnnamed, isShared }: Speaker, sent: ReadonlySet<string>): boolean {
  const isByName = message.author === name && !isUnnamed && !/^guest(?: \d+)?$/i.test(name)
  return !message.imported && (isByName ? !isShared : sent.has(sentKey(message.author, message.time, message.text)))
}

/** Returns the messages that a guest without a name has sent on this device. */
export const unsignedOf = (chat: Chat, sent: ReadonlySet<string>): Message[] =>
  messagesOf(chat).filter(({ author, time, text, imported }) => !imported && isGuestNumber(author) && sent.has(sentKey(author, time, text)))

/** Returns the edits that put the name of a guest on the messages that the guest sent without a name. */
export const signEdits = (chat: Chat, sent: ReadonlySet<string>, name: string): Edit[] =>
  unsignedOf(chat, sent).flatMap((message) => signMessage(chat, message, name))

/** Returns the authors of a chat, the most recent first. */
export const authorsOf = (chat: Chat): string[] =>
  messagesOf(chat)
    .map(({ author }) => author)
    .toReversed()

/** Returns the names without the speaker's own name, because nobody mentions themselves. */
export const othersThan = ({ name }: Speaker, names: readonly string[]): string[] => names.filter((each) => each !== mentionOf(name))

// ——— the session ———

/** The draft of a message that its author is editing. */
export interface Draft {
  /** The message as it was when editing began. */
  readonly begun: Message
  /** The current message, or its last known state if it was removed. */
  readonly message: Message
  readonly isGone: boolean
  /** Whether the author has typed in the draft. */
  readonly isTouched: boolean
}

export interface ChatState {
  /** The chat in the last event that the session received. */
  readonly chat: Chat
  readonly draft: Draft | undefined
  /** Text that is not saved yet because other people changed the message as well. The page asks the person which version to save. */
  readonly asked: string | undefined
}

export const beginChat = (chat: Chat): ChatState => ({ chat, draft: undefined, asked: undefined })

/** A change that is applied to the chat in its current state. */
export type Change = {
  readonly by: Speaker
  readonly text: string
  /** Whether the message comes from the draft's form. The form is closed when the message has been written. */
  readonly isDraft: boolean
} & ({ readonly kind: 'send'; readonly time: number } | { readonly kind: 'edit' | 'restore'; readonly message: Message })

export type ChatEvent =
  /** The chat has changed, because of this person or somebody else. */
  | { readonly kind: 'changed'; readonly chat: Chat }
  | { readonly kind: 'begin' }
  | { readonly kind: 'edit'; readonly message: Message }
  | { readonly kind: 'delete'; readonly message: Message; readonly by: Speaker }
  /** Puts back a message that the person deleted. */
  | { readonly kind: 'restore'; readonly message: Message; readonly by: Speaker }
  /** The person typed in the draft. */
  | { readonly kind: 'typed' }
  | { readonly kind: 'save'; readonly text: string; readonly time: number; readonly by: Speaker }
  | { readonly kind: 'keep mine'; readonly by: Speaker }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'send'; readonly text: string; readonly time: number; readonly by: Speaker }
  /** The result of a change that an earlier event requested. */
  | { readonly kind: 'written'; readonly change: Change; readonly result: Result }

export interface ChatOutcome {
  readonly state: ChatState
  /** The change to apply. `editsOf` creates its edits, and the event `written` reports the result. */
  readonly change?: Change
  readonly announcement?: 'sent' | 'changed' | 'deleted' | 'restored' | 'changed by others' | 'still open'
  /** The event that restores the deleted message. The page offers it. */
  readonly undo?: ChatEvent
  readonly focus?: 'draft' | 'new message'
  /** The part that presence shows as being edited; null if there is none. */
  readonly hold?: string | null
  /** The key (`sentKey`) of the message, if a guest has sent it. */
  readonly sent?: string
  /** Whether the view scrolls to the end. */
  readonly goesToEnd?: boolean
  /** Whether the field for a new message is cleared. */
  readonly empties?: boolean
}

/** Returns the edits for a change in the current chat; undefined if the message no longer exists. */
export function editsOf(now: Chat, change: Change): readonly Edit[] | undefined {
  if (change.kind === 'send') return appendMessage(now, { author: change.by.name, time: change.time, text: change.text })
  const found = find(now, change.message)
  // Undoing the deletion in another way has restored the message already.
  if (change.kind === 'restore') return found === undefined ? restoreMessage(now, change.message) : []
  return found && editMessage(now, found, change.text)
}

/** Returns the draft after a change to the chat. The draft stays with its message and never moves to another person's message. */
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
  // Saving an unchanged draft must not undo the changes of other people.
  return text === begun.text ? close(state) : { state, change: { kind: 'edit', by, message, text: written, isDraft: true } }
}

function written(state: ChatState, change: Change, result: Result): ChatOutcome {
  if (result === 'gone') return { state, announcement: 'changed by others' }
  const isDone = result === 'done'
  // An edit that changes nothing also ends the draft. If the text could not be written, the draft stays open.
  const isFinished = isDone || (change.kind === 'edit' && result === 'unchanged')
  const outcome: ChatOutcome = isFinished && change.isDraft ? close(state) : { state }
  if (!isDone) return outcome
  const { kind, text, by } = change
  const { author, time } = change.kind === 'send' ? { author: by.name, time: change.time } : change.message
  // A message from a guest remains theirs when they change it after signing in.
  const isKept = by.isGuest || author !== by.name
  const isDeleted = kind === 'edit' && text.trim() === ''
  return {
    ...outcome,
    announcement: kind === 'send' ? 'sent' : kind === 'restore' ? 'restored' : isDeleted ? 'deleted' : 'changed',
    ...(isDeleted && { undo: { kind: 'restore', message: change.message, by } }),
    ...(isKept && { sent: sentKey(author, time, text) }),
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
      // The open field belongs to another message, and a new draft would replace it.
      if (draft?.isTouched === true) return { state, announcement: 'still open', focus: 'draft' }
      return {
        state: { ...state, draft: { begun: message, message, isGone: false, isTouched: false } },
        focus: 'draft',
        hold: keyOf(message)
      }
    }
    case 'delete':
      return { state, change: { kind: 'edit', by: event.by, message: event.message, text: '', isDraft: false } }
    case 'restore':
      return { state, change: { kind: 'restore', by: event.by, message: event.message, text: event.message.text, isDraft: false } }
    case 'typed':
      return {
        state: { ...state, asked: undefined, draft: draft && { ...draft, isTouched: true } },
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

// ——— the displayed chat ———

export interface ChatShown {
  readonly entries: Chat['entries']
  /** The number of earlier messages that are not shown. */
  readonly left: number
  /**
   * Index of the entry before which the form is shown if its message is not among the shown entries. The value -1 means after all entries, and
   * undefined means that there is no form.
   */
  readonly formAt: number | undefined
}

/** Returns at most `most` of the latest entries. The draft is always shown, even if its message is older or no longer exists. */
export function chatShown({ entries }: Chat, draft: Draft | undefined, most: number): ChatShown {
  const latest = entries.slice(-most)
  const isApart = draft !== undefined && !latest.includes(draft.message)
  return {
    entries: latest,
    left: entries.length - latest.length,
    formAt: isApart ? latest.findIndex(({ index }) => index >= draft.message.index) : undefined
  }
}

/**
 * Returns a key's action in a message's field. Enter sends the message, Shift-Enter starts a new line, and Esc cancels if there is something to
 * cancel.
 */
export function chatKey(event: Key, mayCancel: boolean): 'send' | 'cancel' | undefined {
  if (event.key === 'Enter' && !event.shiftKey && isPlainKey(event)) return 'send'
  return event.key === 'Escape' && mayCancel ? 'cancel' : undefined
}

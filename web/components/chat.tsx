/** Chats. A person writes new messages at the bottom and edits their own in place. People can choose any name. */
import { displayName, plainNameOf } from '../presence/people.ts'
import { type ReadonlySignal, type Signal, signal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import {
  authorsOf,
  beginChat,
  type ChatEvent,
  type ChatOutcome,
  chatShown,
  type ChatState,
  chatStep,
  type Draft,
  editsOf,
  isOwn,
  keyOf,
  othersThan,
  sentKey,
  signEdits,
  type Speaker,
  speakerOf,
  unsignedOf
} from '../../shared/components/chat.ts'
import { type Message, parseChat } from '../../shared/fences/chat.ts'
import { limits } from '../../shared/limits.ts'
import { namesAround } from '../presence/mention-names.ts'
import { ownName, personName, signature } from '../presence/person.ts'
import { locale, t, tn } from '../text/t.ts'
import { agoWords } from '../text/when.ts'
import { toast } from '../ui/toast.tsx'
import { applyChange } from './act.ts'
import { useProposedMessages } from './chat-proposed.ts'
import { Writing } from './chat-writing.tsx'
import { noteSent, sentHere } from '../device/sent-messages.ts'
import { offerLost, useKeptFocus, WhichStays } from './drafts.tsx'
import { inline } from './inline.tsx'
import type { ComponentInput } from './input.ts'
import { Proposed } from './proposed.tsx'

const timeOf = ({ at, time }: Message): JSX.Element | string =>
  time === undefined ? (
    at
  ) : (
    <time dateTime={new Date(time).toISOString()} title={new Date(time).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'short' })}>
      {agoWords(time)}
    </time>
  )

const textOf = (text: string): JSX.Element[] => text.split('\n').map((line, index) => <div key={index}>{inline(line)}</div>)

type Announcement = NonNullable<ChatOutcome['announcement']>

/** Announcements for screen readers. */
const announced: Readonly<Record<Announcement, () => string>> = {
  sent: () => t('Message sent'),
  changed: () => t('Message changed'),
  deleted: () => t('Message deleted'),
  restored: () => t('Undone'),
  'changed by others': () => t('Someone has changed this message.'),
  'still open': () => t('Save or cancel the open message first.')
}

/** How long the page offers to restore a deleted message, in milliseconds. */
const undoMs = 10_000

/** Announcements that appear as a notice instead. */
const shown: ReadonlySet<Announcement> = new Set(['changed by others', 'still open'])

interface Session {
  readonly state: ReadonlySignal<ChatState>
  readonly element: RefObject<HTMLDivElement | null>
  readonly list: RefObject<HTMLDivElement | null>
  /** Whether the reader has scrolled to the end and should stay there. */
  readonly follows: { current: boolean }
  /** Handles an event. Returns true if the field for a new message should be emptied. */
  dispatch(event: ChatEvent): boolean
}

/** The messages of each page that have not been sent, by the name of their chat. A chat is drawn again when the page changes its view. */
const unsent = new WeakMap<object, Map<string, Signal<string>>>()

function useUnsent({ page: { session, mode }, label }: ComponentInput): Signal<string> {
  const texts = unsent.get(session) ?? new Map<string, Signal<string>>()
  unsent.set(session, texts)
  const text = useMemo(() => texts.get(label.peek()) ?? signal(''), [])
  useSignalEffect(() => {
    for (const [name, each] of texts) if (each === text) texts.delete(name)
    texts.set(label.value, text)
  })
  useLayoutEffect(() => {
    const shownIn = mode.peek()
    // Another view draws the chat again, with the message.
    return () => {
      if (mode.peek() === shownIn) offerLost(text.peek())
    }
  }, [])
  return text
}

/** Carries out the effects of the chat session: changes to the text, announcements and focus. */
function useSession(input: ComponentInput): Session {
  const element = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const wantsFocus = useRef(false)
  const chat = useComputed(() => parseChat(input.fence.value))
  const state = useSignal(beginChat(chat.peek()))

  const show = ({ announcement, hold, sent, focus, undo, goesToEnd = false }: ChatOutcome): void => {
    if (sent !== undefined) noteSent(input.page.session.id, sent)
    if (hold !== undefined) input.hold(hold ?? undefined)
    if (goesToEnd) follows.current = true
    // In the reading view and in suggesting mode, the page itself offers to undo every change.
    if (undo !== undefined && input.page.mode.peek() !== 'read' && !input.suggests())
      toast(announced.deleted(), { name: t('Undo'), run: () => void dispatch(undo), milliseconds: undoMs })
    else if (announcement !== undefined && shown.has(announcement)) toast(announced[announcement]())
    else if (announcement !== undefined) input.said.value = announced[announcement]()
    if (focus === 'new message') element.current?.querySelector<HTMLElement>(':scope > .chat-writing textarea')?.focus()
    if (focus === 'draft') wantsFocus.current = true
  }
  const dispatch = (event: ChatEvent): boolean => {
    const outcome = chatStep(state.peek(), event)
    state.value = outcome.state
    show(outcome)
    const { change, empties = false } = outcome
    if (change === undefined) return empties
    return dispatch({ kind: 'written', change, result: applyChange(input, (now) => editsOf(parseChat(now), change)) })
  }
  useSignalEffect(() => void dispatch({ kind: 'changed', chat: chat.value }))
  useSignalEffect(() => {
    if (!input.begins.value) return
    input.begins.value = false
    dispatch({ kind: 'begin' })
  })
  // The cleanup of a layout effect still finds the field.
  useLayoutEffect(() => {
    const typed = (): string =>
      state.peek().draft?.isTouched === true
        ? (list.current?.querySelector<HTMLTextAreaElement>('.message-draft textarea')?.value ?? '')
        : ''
    const settle = (): void => {
      const text = typed()
      if (state.peek().draft?.isGone === false && text.trim() !== '')
        dispatch({ kind: 'save', text, time: Date.now(), by: speakerIn(input.page) })
    }
    input.page.unfinished.set(input.fence, settle)
    return () => {
      input.page.unfinished.delete(input.fence)
      offerLost(typed())
    }
  }, [])
  useKeptFocus(list, '.message-draft')
  // When this effect runs, the form of a draft has been drawn.
  useLayoutEffect(() => {
    const field = wantsFocus.current ? list.current?.querySelector<HTMLTextAreaElement>('.message-draft textarea') : undefined
    if (!field) return
    wantsFocus.current = false
    field.focus()
    // In an unchanged draft, a person goes on at the end of the message.
    if (state.peek().draft?.isTouched === false) field.setSelectionRange(field.value.length, field.value.length)
  })
  // A reader at the end of the chat stays there when messages arrive.
  useLayoutEffect(() => {
    if (follows.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight
  }, [state.value.chat])
  return { state, element, list, follows, dispatch }
}

/** Returns the current person, in the form that the chat session needs. */
function speakerIn({ here }: ComponentInput['page']): Speaker {
  const own = here.value.find(({ self }) => self)
  const others = here.value.filter(({ self }) => !self).map(plainNameOf)
  const isGuest = own?.kind !== 'account'
  // An unnamed guest signs with a number, as with comments.
  const isUnnamed = isGuest && personName.value === ''
  return speakerOf(own === undefined || isUnnamed ? signature.value : own.name, { isGuest, isUnnamed }, others)
}

/**
 * Puts a name that a guest chooses on the messages that the guest sent without a name from this device. If several pages of the device are open, the
 * page with the focus does this alone, because each page would write the name.
 */
function useSigned({ input, state, by }: { input: ComponentInput; state: ReadonlySignal<ChatState>; by: Speaker }): void {
  const wasUnnamed = useRef(false)
  const isReady = by.isGuest && ownName.value !== '' && input.refusal.value === undefined && state.value.draft === undefined
  useEffect(() => {
    if (ownName.value === '') wasUnnamed.current = true
    if (!wasUnnamed.current || !isReady) return
    wasUnnamed.current = false
    const { id } = input.page.session
    const sent = sentHere(id)
    if (input.suggests() || !document.hasFocus()) return
    const own = unsignedOf(state.peek().chat, sent)
    if (!input.act((now) => signEdits(parseChat(now), sent, by.name), 'page')) return
    for (const { time, text } of own) noteSent(id, sentKey(by.name, time, text))
  })
}

export function Chat({ input }: { input: ComponentInput }): JSX.Element {
  const { page, refusal, said, held } = input
  const { state, element, list, follows, dispatch } = useSession(input)
  const kept = useUnsent(input)
  const { chat, draft: open, asked } = state.value
  const mayChange = refusal.value === undefined
  const by = speakerIn(page)
  const { isShared, isUnnamed } = by
  useSigned({ input, state, by })
  const me = displayName(by.name)
  const sent = sentHere(page.session.id)
  const proposed = useProposedMessages(input).value
  // A reader at the end of the chat sees the proposed messages as well.
  useLayoutEffect(() => {
    if (follows.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight
  }, [proposed.added.length])
  const names = (): string[] => othersThan(by, namesAround(page, authorsOf(state.peek().chat)))
  const say = (words: string): void => {
    said.value = words
  }
  const { entries, left, formAt } = chatShown(chat, open, limits.chatMessagesMax)

  /** Dispatches an event of a draft. If it ends the draft, the person goes on with a new message. */
  const dispatchDraft = (event: ChatEvent): boolean => {
    const empties = dispatch(event)
    if (state.peek().draft === undefined) dispatch({ kind: 'begin' })
    return empties
  }

  const formOf = ({ begun, message, isGone }: Draft): JSX.Element => (
    <div class='message-draft'>
      {isGone && (
        <p class='draft-asked' role='alert'>
          {t('Someone deleted this message. Your text:')}
        </p>
      )}
      <Writing
        label={t('Message')}
        text={begun.text}
        name={isGone ? t('Send as a new message') : t('Save')}
        onCancel={() => void dispatchDraft({ kind: 'cancel' })}
        onInput={() => dispatch({ kind: 'typed' })}
        names={names}
        say={say}
        onSend={(text) => dispatchDraft({ kind: 'save', text, time: Date.now(), by })}
      />
      {asked !== undefined && !isGone && (
        <WhichStays
          changed={[{ name: t('Message'), mine: asked, theirs: message.text }]}
          onMine={() => dispatchDraft({ kind: 'keep mine', by })}
          onTheirs={() => dispatchDraft({ kind: 'cancel' })}
        />
      )}
    </div>
  )

  // Each draft has its own field, which stays while others change or delete the message.
  const draftKey = open === undefined ? 'draft' : `draft ${keyOf(open.begun)}`

  const messageOf = (message: Message): JSX.Element => {
    const isMine = mayChange && isOwn(message, by, sent)
    const edited = open?.isGone === false && open.message === message ? open : undefined
    const holder = held.value.get(keyOf(message))
    const young = proposed.texts.get(message.index)
    return (
      <li class='message' key={edited === undefined ? message.index : draftKey} data-line={message.index}>
        <p class='message-head'>
          <b dir='auto'>{displayName(message.author)}</b> {timeOf(message)}
          {isMine && edited === undefined && (
            <span class='message-tools'>
              <button
                type='button'
                class='link'
                disabled={holder !== undefined}
                aria-label={t('Edit the message “{text}”', { text: message.text.slice(0, 40) })}
                onClick={() => dispatch({ kind: 'edit', message })}
              >
                {t('Edit')}
              </button>{' '}
              <button
                type='button'
                class='link'
                disabled={holder !== undefined}
                aria-label={t('Delete the message “{text}”', { text: message.text.slice(0, 40) })}
                onClick={() => dispatch({ kind: 'delete', message, by })}
              >
                {t('Delete')}
              </button>
            </span>
          )}
          {holder !== undefined && <span class='card-holder'> {t('{name} is editing this', { name: holder.name })}</span>}
        </p>
        {edited !== undefined ? (
          formOf(edited)
        ) : (
          <div class='message-text'>
            {young === undefined ? textOf(message.text) : <Proposed old={textOf(message.text)} young={young && textOf(young)} />}
          </div>
        )}
      </li>
    )
  }

  const asksName = useRef(false)
  useEffect(() => {
    if (!asksName.current || page.dialog.value !== undefined) return
    asksName.current = false
    // The button that opened the dialog may be gone, and the person goes on to write. The dialog moves the focus when it closes.
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>(':scope > .chat-writing textarea')?.focus())
  }, [page.dialog.value])
  const askName = (): void => {
    asksName.current = true
    page.dialog.value = 'name'
  }

  const lone = (
    <li class='message' key={draftKey}>
      {open !== undefined && formOf(open)}
    </li>
  )
  const items = entries.flatMap((entry, at) => {
    const item =
      entry.kind === 'message' ? (
        messageOf(entry)
      ) : (
        <li class={entry.kind === 'day' ? 'chat-day' : 'component-note'} key={entry.index}>
          {entry.kind === 'day' ? entry.text : inline(entry.line.text.trim())}
        </li>
      )
    return at === formAt ? [lone, item] : [item]
  })
  if (formAt === -1) items.push(lone)
  for (const { id, message } of proposed.added)
    items.push(
      <li class='message' key={`${id} ${keyOf(message)}`} title={t('Suggested')}>
        <p class='message-head'>
          <b dir='auto'>{displayName(message.author)}</b> {timeOf(message)}
        </p>
        <div class='message-text'>
          <Proposed old='' young={textOf(message.text)} />
        </div>
      </li>
    )

  return (
    <div class='chat-live' ref={element}>
      {left > 0 && <p class='component-rest'>{tn(left, '1 earlier message', '{count} earlier messages')}</p>}
      <div
        class='chat'
        role='log'
        aria-label={t('Messages')}
        tabIndex={0}
        ref={list}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          (follows.current = scrollTop + clientHeight >= scrollHeight - 8)
        }
      >
        <ol class='chat-list' onClick={({ target }) => input.focused(target as Element)}>
          {items}
        </ol>
      </div>
      {mayChange && isUnnamed && (
        <p class='component-rest'>
          {t('Others see you as a guest.')}{' '}
          <button type='button' class='link' onClick={askName}>
            {t('Set your name')}
          </button>
        </p>
      )}
      {mayChange && isShared && !isUnnamed && (
        <p class='component-rest'>
          {t('Someone else here is also called {name}. Messages under this name cannot be changed for now.', { name: me })}
        </p>
      )}
      <Writing
        label={t('Message as {name}', { name: me })}
        kept={kept}
        disabled={!mayChange}
        names={names}
        say={say}
        name={t('Send')}
        onSend={(text) => dispatch({ kind: 'send', text, time: Date.now(), by })}
      />
    </div>
  )
}

/** Chats: messages are sent at the bottom; one's own are changed where they stand. Names are what people call themselves. */
import { plainNameOf } from '../presence/people.ts'
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { appendMessage, type Chat as ChatShape, editMessage, type Message, parseChat, plainAuthor } from '../../shared/fences/chat.ts'
import { followPart } from '../../shared/components/follow-part.ts'
import { limits } from '../../shared/limits.ts'
import { mentionOf } from '../../shared/mentions.ts'
import { namesAround } from '../presence/mention-names.ts'
import { useMentions } from '../presence/mention-picker.tsx'
import { personName } from '../presence/person.ts'
import { locale, t, tn } from '../text/t.ts'
import { agoWords } from '../text/when.ts'
import { toast } from '../ui/toast.tsx'
import { useKeptFocus, WhichStays } from './drafts.tsx'
import { inline } from './inline.tsx'
import type { ComponentInput } from './input.ts'

/** The key that tells a message from others, wherever it stands. */
const wordsOf = ({ author, at, text }: Message): string => JSON.stringify([author, at, text])

const messagesOf = ({ entries }: ChatShape): Message[] => entries.filter((entry) => entry.kind === 'message')

/** Where a message is that was seen somewhere: the nearest that reads the same. */
const find = (chat: ChatShape, message: Message): Message | undefined =>
  messagesOf(chat)
    .filter((each) => wordsOf(each) === wordsOf(message))
    .toSorted((one, other) => Math.abs(one.index - message.index) - Math.abs(other.index - message.index))[0]

/** A minute of the clock and what was written in it. */
const keyOf = (time: number | undefined, text: string): string =>
  `${Math.floor((time ?? 0) / 60_000)} ${text.replaceAll(/\s+/g, ' ').trim()}`

/** Messages that this page has sent for somebody without a name: nothing else tells whose they are. */
const sentUnnamed = new Set<string>()

/** A message of one's own that is being changed. */
interface Draft {
  /** As it was when it was begun. */
  readonly begun: Message
  /** As it is now; the last that was known of it when it was removed. */
  readonly message: Message
  readonly isGone: boolean
}

interface WritingInput {
  readonly label: string
  readonly text?: string
  readonly disabled?: boolean
  readonly focused?: boolean
  /** False: it was not taken, and stays. */
  readonly onSend: (text: string) => boolean
  readonly onCancel?: () => void
  readonly onInput?: () => void
  /** The people whom one can mention. */
  readonly names: () => readonly string[]
  readonly say: (words: string) => void
  readonly name: string
}

/** Enter sends, Shift-Enter begins a line. */
function Writing({
  label,
  text = '',
  disabled = false,
  focused = false,
  onSend,
  onCancel,
  onInput,
  names,
  say,
  name
}: WritingInput): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null)
  const mentions = useMentions({ field, names, say })
  useLayoutEffect(() => {
    if (focused) field.current?.focus()
  }, [])
  const send = (): void => {
    if (field.current !== null && field.current.value.trim() !== '' && onSend(field.current.value)) field.current.value = ''
  }
  return (
    <form
      class='chat-writing'
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        class='field'
        name='text'
        rows={text.split('\n').length}
        dir='auto'
        aria-label={label}
        placeholder={label}
        defaultValue={text}
        disabled={disabled}
        ref={field}
        {...mentions.attributes}
        onInput={() => {
          mentions.follow()
          onInput?.()
        }}
        onSelect={mentions.follow}
        onBlur={mentions.close}
        onKeyDown={(event) => {
          if (event.isComposing) return
          if (mentions.take(event)) event.stopPropagation()
          else if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) send()
          else if (event.key === 'Escape' && onCancel !== undefined) onCancel()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {mentions.list}
      <button type='submit' class='frame-button primary' disabled={disabled}>
        {name}
      </button>
    </form>
  )
}

const timeOf = ({ at, time }: Message): JSX.Element | string =>
  time === undefined ? (
    at
  ) : (
    <time dateTime={new Date(time).toISOString()} title={new Date(time).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'short' })}>
      {agoWords(time)}
    </time>
  )

export function Chat({ input }: { input: ComponentInput }): JSX.Element {
  const { page, fence, refusal, said, held } = input
  const element = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const chat = useComputed(() => parseChat(fence.value))
  const draft = useSignal<Draft | undefined>(undefined)
  const asked = useSignal<string | undefined>(undefined)
  const followed = useRef(chat.peek())
  const mayChange = refusal.value === undefined
  const own = page.here.value.find(({ self }) => self)
  const me = plainAuthor(own === undefined ? t('Guest') : plainNameOf(own))
  // A message tells its author by name alone: of two who are called the same nobody knows whose it is.
  const isShared = page.here.value.some((person) => !person.self && plainAuthor(plainNameOf(person)) === me)
  const isUnnamed = own?.kind !== 'account' && personName.value === ''
  const names = (): string[] =>
    namesAround(
      page,
      chat
        .peek()
        .entries.flatMap((entry) => (entry.kind === 'message' ? [entry.author] : []))
        .toReversed()
    ).filter((name) => name !== mentionOf(me))
  const say = (words: string): void => {
    said.value = words
  }
  const shown = chat.value.entries.slice(-limits.chatMessagesMax)
  const left = chat.value.entries.length - shown.length

  useSignalEffect(() => {
    const [before, now] = [messagesOf(followed.current), messagesOf(chat.value)]
    followed.current = chat.value
    const open = draft.peek()
    if (open === undefined) return
    const same = find(chat.value, open.message)
    const index = before.findIndex((each) => each.index === open.message.index)
    // Another's message is never taken for it.
    const isLike = (at: number): boolean => now[at]?.author === open.message.author && now[at].at === open.message.at
    const changed = open.isGone || same !== undefined ? undefined : followPart(before.map(wordsOf), index, now.map(wordsOf), isLike)
    const message = same ?? now[changed ?? -1]
    draft.value = message === undefined ? { ...open, isGone: true } : { ...open, message, isGone: false }
  })
  useKeptFocus(list, '.message-draft')

  useSignalEffect(() => {
    if (!input.begins.value) return
    input.begins.value = false
    element.current?.querySelector<HTMLElement>(':scope > .chat-writing textarea')?.focus()
  })

  // A reader at the end goes on reading there.
  useLayoutEffect(() => {
    if (follows.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight
  }, [chat.value])

  const cancel = (): void => {
    draft.value = undefined
    asked.value = undefined
    input.hold(undefined)
  }
  /** False when the message is no longer there, and nothing was written. */
  const write = (message: Message, text: string): boolean => {
    let isThere = false
    const done = input.act((now) => {
      const there = parseChat(now)
      const found = find(there, message)
      isThere = found !== undefined
      if (found === undefined) toast(t('Someone changed this message in the meantime.'))
      return found === undefined ? [] : editMessage(there, found, text)
    })
    const isDeleted = text.trim() === ''
    if (done && isUnnamed) sentUnnamed.add(keyOf(message.time, text))
    if (done) said.value = isDeleted ? t('Message deleted') : t('Message changed')
    return isThere
  }
  const send = (text: string): boolean => {
    follows.current = true
    const time = Date.now()
    const done = input.act((now) => appendMessage(parseChat(now), { author: me, time, text }))
    if (done && isUnnamed) sentUnnamed.add(keyOf(time, text))
    if (done) said.value = t('Message sent')
    return done
  }
  const save = ({ begun, message, isGone }: Draft, text: string): boolean => {
    const isContested = !isGone && message.text !== begun.text && text.trim() !== begun.text && text.trim() !== message.text
    if (isContested) asked.value = text.trim()
    // A part that was not changed leaves what others made of it.
    else if (isGone ? send(text) : text.trim() === begun.text || write(message, text)) cancel()
    return false
  }

  const formOf = (open: Draft): JSX.Element => (
    <div class='message-draft'>
      {open.isGone && (
        <p class='draft-asked' role='alert'>
          {t('Someone deleted this message. Your text:')}
        </p>
      )}
      <Writing
        label={t('Message')}
        text={open.begun.text}
        focused
        name={open.isGone ? t('Send as a new message') : t('Save')}
        onCancel={cancel}
        onInput={() => {
          asked.value = undefined
          if (!open.isGone) input.hold(wordsOf(open.message))
        }}
        names={names}
        say={say}
        onSend={(text) => save(open, text)}
      />
      {asked.value !== undefined && !open.isGone && (
        <WhichStays
          changed={[{ name: t('Message'), mine: asked.value, theirs: open.message.text }]}
          onMine={() => write(open.message, asked.value ?? '') && cancel()}
          onTheirs={cancel}
        />
      )}
    </div>
  )

  const messageOf = (message: Message): JSX.Element => {
    const isOwn = isUnnamed ? sentUnnamed.has(keyOf(message.time, message.text)) : !isShared
    const isMine = mayChange && isOwn && !message.imported && message.author === me
    const isEdited = draft.value?.isGone === false && draft.value.message === message
    const holder = held.value.get(wordsOf(message))
    return (
      <li class='message' key={isEdited ? 'draft' : message.index}>
        <p class='message-head'>
          <b dir='auto'>{message.author}</b> {timeOf(message)}
          {isMine && !isEdited && (
            <span class='message-tools'>
              <button
                type='button'
                class='link'
                disabled={holder !== undefined}
                aria-label={t('Edit the message “{text}”', { text: message.text.slice(0, 40) })}
                onClick={() => {
                  draft.value = { begun: message, message, isGone: false }
                  input.hold(wordsOf(message))
                }}
              >
                {t('Edit')}
              </button>{' '}
              <button
                type='button'
                class='link'
                disabled={holder !== undefined}
                aria-label={t('Delete the message “{text}”', { text: message.text.slice(0, 40) })}
                onClick={() => write(message, '')}
              >
                {t('Delete')}
              </button>
            </span>
          )}
          {holder !== undefined && <span class='card-holder'> {t('{name} is editing this', { name: holder.name })}</span>}
        </p>
        {isEdited && draft.value !== undefined ? (
          formOf(draft.value)
        ) : (
          <div class='message-text'>
            {message.text.split('\n').map((line, index) => (
              <div key={index}>{inline(line)}</div>
            ))}
          </div>
        )}
      </li>
    )
  }

  const open = draft.value
  /** Before which entry the form stands whose message is not among those that are shown; -1: behind all. */
  const formAt =
    open !== undefined && (open.isGone || !shown.includes(open.message))
      ? shown.findIndex(({ index }) => index >= open.message.index)
      : undefined
  const lone = (
    <li class='message' key='draft'>
      {open !== undefined && formOf(open)}
    </li>
  )
  const items = shown.flatMap((entry, at) => {
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
        <ol class='chat-list'>{items}</ol>
      </div>
      {mayChange && isUnnamed && (
        <p class='component-rest'>
          {t('Others see you as a guest.')}{' '}
          <button type='button' class='link' onClick={() => (page.dialog.value = 'name')}>
            {t('Set your name')}
          </button>
        </p>
      )}
      {mayChange && isShared && !isUnnamed && (
        <p class='component-rest'>
          {t('Someone else here is also called {name}. Messages under this name cannot be changed for now.', { name: me })}
        </p>
      )}
      <Writing label={t('Message as {name}', { name: me })} disabled={!mayChange} names={names} say={say} name={t('Send')} onSend={send} />
    </div>
  )
}

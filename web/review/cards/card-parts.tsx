/** The parts that the cards of comments and of suggestions share. */
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isMention } from '../../presence/mention-names.ts'
import { useMentions } from '../../presence/mention-picker.tsx'
import { ago } from '../../../shared/ago.ts'
import { accountName, givenName, initials, ownName, setPersonName } from '../../presence/person.ts'
import { passingTime } from '../../text/passing.ts'
import { locale, t } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Icon, type IconName } from '../../ui/icons.tsx'
import { hueOf } from '../../presence/colours.ts'
import { displayName } from '../../presence/people.ts'
import { blocksOf, type Inline, plainWords } from './comment-markdown.ts'
import { type AuthorKind, excerpt } from '../outbox/records.ts'
import type { Item } from '../annotations/items.ts'
import type { Review } from '../annotations/review.ts'
import type { OutboxEntry } from '../outbox/entry.ts'
import { declineName, isNameDeclined } from '../../presence/declined-name.ts'
import { NameField } from '../../presence/name-field.tsx'

/** Shows a point in time in the local format. */
const Time = ({ at }: { at: string }): JSX.Element => (
  <time class='card-time' dateTime={at} title={new Date(at).toLocaleString(locale)}>
    {ago(Date.parse(at), passingTime(), { locale, now: t('now'), style: 'short' })}
  </time>
)

interface BylineInput {
  readonly author: string
  readonly authorKind: AuthorKind
  readonly isOwn: boolean
  /** When the text was written. Undefined if it has not been sent. */
  readonly at: string | undefined
  /** When the text was edited. Undefined if it was not. */
  readonly editedAt?: string | undefined
  readonly children?: ComponentChildren
}

/** Shows the author and the time. Guests choose their names themselves. */
export function Byline({ author, authorKind, isOwn, at, editedAt, children }: BylineInput): JSX.Element {
  const name = authorKind === 'guest' ? displayName(author) : author
  return (
    <header class='card-byline'>
      <span class={`avatar hue-${hueOf(author)} ${authorKind}`} aria-hidden='true'>
        {authorKind === 'agent' ? <Icon name='bot' size={14} /> : initials(name)}
      </span>
      <bdi class='card-author' title={authorKind === 'guest' ? t('{name}, not signed in', { name }) : name}>
        {isOwn ? t('You') : name}
      </bdi>
      {at !== undefined && <Time at={at} />}
      {editedAt !== undefined && (
        <span class='card-edited' title={new Date(editedAt).toLocaleString(locale)}>
          {t('edited')}
        </span>
      )}
      <span class='spread' />
      {children}
    </header>
  )
}

interface ToolInput {
  readonly icon: IconName
  readonly name: string
  readonly onClick: () => void
}

export const Tool = ({ icon, name, onClick }: ToolInput): JSX.Element => (
  <IconButton icon={icon} label={name} size={16} class='card-tool' onClick={onClick} />
)

/** Shows text exactly as its author wrote it. */
export const Prose = ({ text }: { text: string }): JSX.Element => (
  <p class='card-text' dir='auto'>
    {text}
  </p>
)

function Words({ review, inner }: { review: Review; inner: readonly Inline[] }): JSX.Element {
  const me = review.me.value.toLowerCase()
  const parts = inner.map((part) => {
    if (typeof part === 'string') return part
    if (part.kind === 'mention') {
      const name = review.nameOf(part.name)
      if (!isMention(part.name, name !== undefined)) return `@${part.name}`
      return <span class={`mention${me !== '' && part.name.toLowerCase() === me ? ' own' : ''}`}>@{name ?? part.name}</span>
    }
    if (part.kind === 'code') return <code>{part.text}</code>
    const within = <Words review={review} inner={part.inner} />
    if (part.kind === 'link')
      return (
        <a href={part.href} target='_blank' rel='nofollow noopener ugc'>
          {within}
        </a>
      )
    if (part.kind === 'strong') return <strong>{within}</strong>
    return part.kind === 'em' ? <em>{within}</em> : <del>{within}</del>
  })
  return <>{parts}</>
}

/** Shows the text of a comment or reply as Markdown, with the people that it mentions. */
export function CommentText({ review, text }: { review: Review; text: string }): JSX.Element {
  const blocks = useMemo(() => blocksOf(text), [text])
  const shown = blocks.map((block) => {
    if (block.kind === 'code')
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      )
    if (block.kind === 'text')
      return (
        <p>
          <Words review={review} inner={block.inner} />
        </p>
      )
    const items = block.items.map((inner) => (
      <li>
        <Words review={review} inner={inner} />
      </li>
    ))
    return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>
  })
  return (
    <div class='card-text card-markdown' dir='auto'>
      {shown}
    </div>
  )
}

interface WriterInput {
  /** Provides the names that the field suggests after @. Without it, no names are suggested. */
  readonly review?: Review
  readonly label: string
  readonly action: string
  readonly value: string
  readonly autoFocus?: boolean
  /** Maximum number of characters that the field accepts. If absent, only the service sets a limit. */
  readonly charsMax?: number
  readonly onInput?: (value: string) => void
  /** Undefined if the person may no longer send the text. It then stays, and can be copied. With `onDiscard`, it can also be continued. */
  readonly onSubmit: ((value: string) => void) | undefined
  /** Called when the person cancels. If absent, there is no Cancel button. */
  readonly onCancel?: (() => void) | undefined
  /** Called after the person discards the text. If absent, there is no Discard button. */
  readonly onDiscard?: (() => void) | undefined
}

interface OwnNameField {
  /** Undefined if the person has a name or has declined to give one. */
  readonly field: JSX.Element | undefined
  /** Stores the name that the person typed. Returns whether the person was asked and left the field empty. */
  keep(): boolean
}

/** Asks a guest without a name for one. */
export function useNameField(review: Review | undefined): OwnNameField {
  // The field suggests the name that the link was made for. The person can change it.
  const [name, setName] = useState(givenName.peek())
  if (ownName.value !== '' || accountName.value !== '' || review?.store.account.value !== undefined || isNameDeclined())
    return { field: undefined, keep: () => false }
  const change = (event: Event): void => setName((event.target as HTMLInputElement).value)
  return {
    field: <NameField class='card-name' label={t('Your name')} value={name} onInput={change} />,
    keep: () => {
      if (name.trim() !== '') setPersonName(name)
      return name.trim() === ''
    }
  }
}

/** A text field. Mod-Enter sends its text, and Esc leaves it. */
export function Writer({
  review,
  label,
  action,
  value,
  autoFocus = false,
  charsMax,
  onInput,
  onSubmit,
  onCancel,
  onDiscard
}: WriterInput): JSX.Element {
  const [text, setText] = useState(value)
  const ownNameField = useNameField(review)
  const field = useRef<HTMLTextAreaElement>(null)
  const mentions = useMentions({
    field,
    names: () => review?.names() ?? [],
    say: (words) => {
      if (review !== undefined) review.store.said.value = words
    }
  })
  useLayoutEffect(() => {
    if (autoFocus) field.current?.focus()
  }, [])
  const change = (next: string): void => {
    setText(next)
    onInput?.(next)
  }
  const submit = (): void => {
    if (text.trim() === '' || onSubmit === undefined) return
    if (ownNameField.keep()) declineName()
    onSubmit(text.trim())
    setText('')
  }
  const keyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    if (event.target === field.current && mentions.take(event)) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      submit()
    }
    if (event.key === 'Escape' && onCancel !== undefined) {
      event.preventDefault()
      onCancel()
    }
  }
  return (
    <form
      class='card-writer'
      onSubmit={(event: Event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={keyDown}
    >
      <textarea
        ref={field}
        rows={text.includes('\n') || text.length > 60 ? 4 : 2}
        dir='auto'
        aria-label={label}
        placeholder={label}
        maxLength={charsMax}
        value={text}
        readOnly={onSubmit === undefined && onDiscard === undefined}
        {...mentions.attributes}
        onInput={(event: Event) => {
          change((event.target as HTMLTextAreaElement).value)
          mentions.follow()
        }}
        onSelect={mentions.follow}
        onBlur={mentions.close}
      />
      {mentions.list}
      {onSubmit === undefined && text !== '' && (
        <p class='card-note' role='status'>
          {t('Your half-written text can no longer be sent.')}
        </p>
      )}
      {text !== '' && onSubmit !== undefined && ownNameField.field}
      {(text !== '' || onCancel !== undefined) && (
        <p class='actions end'>
          {onCancel !== undefined && (
            <button type='button' class='button quiet' onClick={onCancel}>
              {t('Cancel')}
            </button>
          )}
          {onDiscard !== undefined && (
            <button
              type='button'
              class='button quiet'
              onClick={() => {
                setText('')
                onDiscard()
              }}
            >
              {t('Discard')}
            </button>
          )}
          {onSubmit === undefined ? (
            <button type='button' class='button primary' onClick={() => void copyText(text, t('Text'))}>
              {t('Copy text')}
            </button>
          ) : (
            <button class='button primary' disabled={text.trim() === ''}>
              {action}
            </button>
          )}
        </p>
      )}
    </form>
  )
}

const wordsIn = ({ action }: OutboxEntry): string | undefined => {
  if ('body' in action) return action.body
  return action.kind === 'suggest' ? action.text : undefined
}

/** Shows the state of an item that the service does not have yet. */
export function EntryNote({ review, entry }: { review: Review; entry: OutboxEntry }): JSX.Element | null {
  const { outbox, isConnected } = review.store
  const words = wordsIn(entry)
  const isDelivered = entry.action.kind === 'suggest' && entry.action.draft?.isDelivered === true
  if (entry.refusal === undefined)
    return isConnected.value || isDelivered ? null : (
      <p class='card-note'>{t('Stored on this device. It will be sent when you are back online.')}</p>
    )
  return (
    <div class='card-refusal' role='alert'>
      <p>{entry.refusal}</p>
      <p class='actions'>
        {words !== undefined && (
          <button type='button' class='button' onClick={() => void copyText(words, t('Text'))}>
            {t('Copy text')}
          </button>
        )}
        <button type='button' class='button' onClick={() => outbox.retry(entry.id)}>
          {t('Try again')}
        </button>
        <button type='button' class='button quiet' onClick={() => outbox.drop(entry.id)}>
          {t('Discard')}
        </button>
      </p>
    </div>
  )
}

const quoteUnits = 120
/** Longest part of a quote that screen readers announce, in UTF-16 units. */
const quotedUnits = 1000

export const Quote = ({ text }: { text: string }): JSX.Element | null =>
  text.trim() === '' ? null : (
    <blockquote class='card-quote' dir='auto'>
      {excerpt(plainWords(text.slice(0, quotedUnits)), quoteUnits)}
    </blockquote>
  )

/** Explains why a comment has no place in the text. Undefined if it has one. */
export function whereGone(item: Item): string | undefined {
  if (item.span !== undefined || item.kind !== 'comment') return undefined
  const { target, orphaned, anchored, resolved } = item.thread.comment
  // The editor has no places for resolved comments, but the service does.
  if (target.kind === 'document' || (resolved && anchored)) return undefined
  return orphaned || anchored ? t('The text was deleted.') : t('The commented text was not found.')
}

// ——— comments ———

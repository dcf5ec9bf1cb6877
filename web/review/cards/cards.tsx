/** The card of a comment with its replies, of a suggestion, or of an item that is being written. Used in the margin and in the panel. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { hueOf } from '../../presence/colours.ts'
import { displayName } from '../../presence/people.ts'
import { t } from '../../text/t.ts'
import { handOver } from '../../ui/early-field.ts'
import { authorOf, composerId, type Item } from '../annotations/items.ts'
import type { Review } from '../annotations/review.ts'
import { type CardInput, cardIdPrefix, useKeptFocus } from './card-focus.ts'
import { Byline, CommentText, EntryNote, Quote, Writer } from './card-parts.tsx'
import { conversationOf, Replies } from './conversation.tsx'
import { Change, ProposalCard } from './proposal-card.tsx'
import { ThreadCard } from './thread-card.tsx'

function NewCard({ review, item }: { review: Review; item: Item & { readonly kind: 'new' } }): JSX.Element {
  const { entry } = item
  const { action } = entry
  return (
    <>
      <Byline author={entry.author || 'guest'} authorKind='guest' isOwn at={undefined} />
      {action.kind === 'comment' && (
        <>
          <Quote text={action.target?.find ?? ''} />
          <CommentText review={review} text={action.body} />
        </>
      )}
      {(action.kind === 'reply' || action.kind === 'answer' || action.kind === 'edit' || action.kind === 'editReply') && (
        <CommentText review={review} text={action.body} />
      )}
      {action.kind === 'suggest' && <Change review={review} item={item} original={action.original} text={action.text} />}
      <EntryNote review={review} entry={entry} />
    </>
  )
}

function ComposerCard({ review, item }: { review: Review; item: Item & { readonly kind: 'composer' } }): JSX.Element {
  const { quote, body } = item.composer
  const leave = (): void => {
    review.composer.value = undefined
    review.active.value = undefined
    review.editor.focus()
  }
  return (
    <>
      {quote === '' ? <p class='card-note'>{t('On the whole document')}</p> : <Quote text={quote} />}
      <Writer
        review={review}
        label={t('Write a comment')}
        action={t('Comment')}
        value={body.peek()}
        onInput={(text) => (body.value = text)}
        onSubmit={
          review.store.isBarred.value
            ? undefined
            : (text) => {
                body.value = text
                review.send()
                review.editor.focus()
              }
        }
        onCancel={leave}
      />
    </>
  )
}

function labelOf(item: Item): string {
  if (item.id === composerId) return t('New comment')
  const name = displayName(authorOf(item))
  const isSuggestion = item.kind === 'proposal' || (item.kind === 'new' && item.entry.action.kind === 'suggest')
  return isSuggestion ? t('Suggestion by {name}', { name }) : t('Comment by {name}', { name })
}

/** Scrolls the list until the card is completely visible: as little as possible, or so far that the card is at the top. */
function bringIntoList(card: HTMLElement | null, isNear: boolean): void {
  const list = card?.parentElement?.getBoundingClientRect()
  const { top = 0, bottom = 0 } = card?.getBoundingClientRect() ?? {}
  const isVisible = list !== undefined && top >= list.top && bottom <= list.bottom
  if (!isVisible) card?.scrollIntoView({ block: isNear ? 'nearest' : 'start' })
}

export function Card({ review, item, isListed = false }: CardInput): JSX.Element {
  const isActive = review.active.value === item.id
  const pick = (): void => {
    if (!isActive) review.active.value = item.id
    // Another card may be about to take the focus, because the page's address names it. The person has chosen this one.
    if (review.focused.peek() !== item.id) review.focused.value = undefined
  }
  const stopTyping = (): void => {
    if (review.typing.peek() === item.id) review.typing.value = undefined
  }
  const [isEditing, setEditing] = useState(() => review.halfWritten.textOf('edit', item.id) !== '')
  const contents = (): ComponentChildren => {
    if (item.kind === 'comment')
      return (
        <ThreadCard review={review} item={item} isActive={isActive} isListed={isListed} isEditing={isEditing} setEditing={setEditing} />
      )
    if (item.kind === 'proposal') return <ProposalCard review={review} item={item} isActive={isActive} />
    return item.kind === 'new' ? <NewCard review={review} item={item} /> : <ComposerCard review={review} item={item} />
  }
  const conversation = conversationOf(review, item, isEditing)
  const card = useRef<HTMLElement>(null)
  const byPointer = useRef(false)
  useKeptFocus(card, byPointer, { review, item, isListed })
  const isFocused = review.focused.value === item.id
  useEffect(() => {
    if (!isFocused) return
    review.focused.value = undefined
    const target = card.current?.querySelector<HTMLTextAreaElement>('textarea')
    if (item.kind === 'composer' && target != null) handOver(target)
    // The person may already have gone to a button or field of the card.
    else if (card.current?.contains(document.activeElement) !== true) card.current?.focus()
  }, [isFocused])
  const wasShown = useRef(false)
  useEffect(() => {
    // A panel that opens begins with a whole card, if it must scroll.
    if (isActive && isListed) bringIntoList(card.current, wasShown.current)
    wasShown.current = true
  }, [isActive])
  return (
    <article
      ref={card}
      id={cardIdPrefix + item.id}
      class={`card hue-${hueOf(authorOf(item))} ${item.kind}${isActive ? ' active' : ''}`}
      aria-label={labelOf(item)}
      aria-current={isActive}
      tabIndex={0}
      onFocus={pick}
      onFocusIn={({ target }: FocusEvent) => {
        if ((target as Element).matches('textarea, input')) review.typing.value = item.id
        else stopTyping()
      }}
      onFocusOut={({ target }: FocusEvent) => {
        // If the window loses the focus, the field keeps it.
        if (target !== document.activeElement) stopTyping()
      }}
      onPointerDown={() => (byPointer.current = true)}
      onKeyDown={(event: KeyboardEvent) => {
        byPointer.current = false
        // A character typed at a clicked card begins a reply. The field takes the focus before the character arrives.
        const isLetter = /^[\p{L}\p{N}]$/u.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey
        if (isLetter && event.target === card.current) card.current?.querySelector('textarea')?.focus()
      }}
      onClick={() => {
        pick()
        if (isListed) review.scrollTo(item.id)
      }}
    >
      {contents()}
      {conversation !== undefined && <Replies key='replies' review={review} item={item} isActive={isActive} {...conversation} />}
    </article>
  )
}

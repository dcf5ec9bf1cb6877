/** The card of a comment with its replies, of a suggestion, or of an item that is being written. Used in the margin and in the panel. */
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { handOver } from '../../ui/early-field.ts'
import { signature } from '../../presence/signature.ts'
import { t, tn } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { Byline, CommentText, Prose, Tool, EntryNote, Writer } from './card-parts.tsx'
import { plainWords } from './comment-markdown.ts'
import { DecideButtons, Refusal } from './decide-buttons.tsx'
import { hueOf } from '../../presence/colours.ts'
import { displayName } from '../../presence/people.ts'
import { excerpt, excerptUnits, isUndecided, type Comment } from '../outbox/records.ts'
import { authorOf, composerId, isOpen, quoteOf, type Item } from '../annotations/items.ts'
import type { Review } from '../annotations/review.ts'
import type { Proposal } from '../outbox/shown-records.ts'
import type { OutboxEntry } from '../outbox/entry.ts'

const quoteUnits = 120
/** Longest part of a quote that screen readers announce, in UTF-16 units. */
const quotedUnits = 1000

const Quote = ({ text }: { text: string }): JSX.Element | null =>
  text.trim() === '' ? null : (
    <blockquote class='card-quote' dir='auto'>
      {excerpt(plainWords(text.slice(0, quotedUnits)), quoteUnits)}
    </blockquote>
  )

/** Explains why a comment or suggestion has no place in the text. Undefined if it has one. */
function whereGone(item: Item): string | undefined {
  if (item.span !== undefined || item.kind === 'composer' || item.kind === 'new') return undefined
  if (item.kind === 'proposal') return item.proposal.suggestion.status === 'orphaned' ? t('The text was deleted.') : undefined
  const { target, orphaned, anchored, resolved } = item.thread.comment
  // The editor has no places for resolved comments, but the service does.
  if (target.kind === 'document' || (resolved && anchored)) return undefined
  return orphaned || anchored ? t('The text was deleted.') : t('The commented text was not found.')
}

// ——— comments ———

function UnsentReply({ review, entry }: { review: Review; entry: OutboxEntry }): JSX.Element | null {
  const { action } = entry
  if (action.kind !== 'reply' && action.kind !== 'answer')
    return entry.refusal === undefined ? null : <EntryNote review={review} entry={entry} />
  return (
    <li class='card-reply waiting'>
      <Byline author={entry.author || 'guest'} authorKind='guest' isOwn at={undefined} />
      <CommentText review={review} text={action.body} />
      <EntryNote review={review} entry={entry} />
    </li>
  )
}

interface RepliesInput {
  readonly review: Review
  readonly item: Item
  readonly replies: Comment['replies']
  /** Replies that are waiting to be sent or were refused. */
  readonly waiting: readonly OutboxEntry[]
  readonly isActive: boolean
  /** Called with a new reply. Undefined if the person may not reply now. */
  readonly onReply: ((body: string) => void) | undefined
}

/** The field for a reply. It stays while it has text, also after the comment was resolved or the suggestion was decided. */
function ReplyField({ review, item, onReply }: Pick<RepliesInput, 'review' | 'item'> & { onReply: (body: string) => void }): JSX.Element {
  const { halfWritten, store } = review
  const isLeft = !isOpen(item) && halfWritten.ids.value.has(item.id) && halfWritten.textOf('reply', item.id) !== ''
  const write = (text: string): void => halfWritten.write('reply', item.id, text)
  return (
    <>
      {isLeft && (
        <p class='card-note' role='status'>
          {t('Your reply has not been sent.')}
        </p>
      )}
      <Writer
        key='field'
        review={review}
        label={t('Reply')}
        action={t('Reply')}
        value={halfWritten.textOf('reply', item.id)}
        onInput={write}
        onSubmit={(body) => {
          onReply(body)
          write('')
          store.said.value = t('Reply added')
        }}
        onDiscard={isLeft ? () => write('') : undefined}
      />
    </>
  )
}

/** Shows the replies to a comment or suggestion, and the field for a new reply. */
const Replies = ({ review, item, replies, waiting, isActive, onReply }: RepliesInput): JSX.Element => (
  <>
    {!isActive && replies.length > 0 && <p class='card-note'>{tn(replies.length, '1 reply', '{count} replies')}</p>}
    {(isActive || waiting.length > 0) && (
      <ul class='card-replies'>
        {isActive &&
          replies.map((reply) => (
            <li key={reply.id} class='card-reply'>
              <Byline author={reply.author} authorKind={reply.authorKind} isOwn={review.store.isMe(reply)} at={reply.createdAt} />
              <CommentText review={review} text={reply.body} />
            </li>
          ))}
        {waiting.map((each) => (
          <UnsentReply key={each.id} review={review} entry={each} />
        ))}
      </ul>
    )}
    {(isActive || review.halfWritten.textOf('reply', item.id) !== '') && onReply !== undefined && (
      <ReplyField key='field' review={review} item={item} onReply={onReply} />
    )}
  </>
)

interface ThreadInput {
  readonly review: Review
  readonly item: Item & { readonly kind: 'comment' }
  readonly isActive: boolean
  readonly isListed: boolean
  readonly isEditing: boolean
  readonly setEditing: (isEditing: boolean) => void
}

function ThreadCard({ review, item, isActive, isListed, isEditing, setEditing }: ThreadInput): JSX.Element {
  const { store } = review
  const { comment } = item.thread
  const isOwn = store.isOwn(comment)
  const mayComment = store.canComment.value
  const gone = whereGone(item)
  const resolve = (): void => {
    store.act({ kind: 'resolve', comment: comment.id, resolved: !comment.resolved })
    store.said.value = comment.resolved ? t('Comment reopened') : t('Comment resolved')
  }
  const stopEditing = (): void => {
    review.halfWritten.write('edit', comment.id, '')
    setEditing(false)
  }
  const edit = (body: string): void => {
    stopEditing()
    if (body !== comment.body) store.act({ kind: 'edit', comment: comment.id, body })
  }
  const isLong = !isActive && comment.body.length > excerptUnits
  return (
    <>
      <Byline author={comment.author} authorKind={comment.authorKind} isOwn={store.isMe(comment)} at={comment.createdAt}>
        {isActive && <Tool icon='link' name={t('Copy link')} onClick={() => void copyText(review.addressOf(item), t('Link'))} />}
        {isActive && isOwn && mayComment && <Tool icon='pen' name={t('Edit')} onClick={() => setEditing(true)} />}
        {isActive && isOwn && mayComment && (
          <Tool icon='trash' name={t('Delete comment')} onClick={() => store.act({ kind: 'delete', comment: comment.id })} />
        )}
        {mayComment && (
          <Tool icon={comment.resolved ? 'undo' : 'check'} name={comment.resolved ? t('Reopen') : t('Resolve')} onClick={resolve} />
        )}
      </Byline>
      {(isListed || gone !== undefined) && <Quote text={quoteOf(item)} />}
      {gone !== undefined && <p class='card-note'>{gone}</p>}
      {isEditing ? (
        <Writer
          review={review}
          label={t('Comment')}
          action={t('Save')}
          value={review.halfWritten.textOf('edit', comment.id) || comment.body}
          autoFocus
          onInput={(text) => review.halfWritten.write('edit', comment.id, text === comment.body ? '' : text)}
          onSubmit={edit}
          onCancel={stopEditing}
        />
      ) : (
        <CommentText review={review} text={isLong ? excerpt(comment.body, excerptUnits) : comment.body} />
      )}
      {comment.resolved && <p class='card-note'>{resolvedWords(review, comment)}</p>}
    </>
  )
}

// ——— suggestions ———

interface ChangeInput {
  /** A description of the suggestion's effect on a component, if there is one. */
  readonly effect: string | undefined
  readonly original: string
  readonly text: string
}

const Change = ({ effect, original, text }: ChangeInput): JSX.Element => (
  <>
    {effect !== undefined && <Prose text={effect} />}
    <p class={effect === undefined ? 'card-change' : 'card-change card-source'} dir='auto'>
      {original !== '' && <del>{excerpt(original, excerptUnits) || '↵'}</del>}{' '}
      {text !== '' && <ins>{excerpt(text, excerptUnits) || '↵'}</ins>}
    </p>
  </>
)

function resolvedWords(review: Review, { resolvedBy: name, resolvedByKind: kind }: Comment): string {
  if (name === null || kind === null) return t('Resolved')
  if (kind !== 'system' && review.store.isMe({ id: '', author: name, authorKind: kind })) return t('Resolved by you')
  return t('Resolved by {name}', { name: kind === 'guest' ? displayName(name) : name })
}

/** Returns the person who made the decision: `me` if this page knows that it was this person, and otherwise a name. */
function deciderOf(review: Review, { id, decidedBy, decidedByKind }: Proposal['suggestion']): 'me' | { readonly name: string } {
  if (decidedByKind === 'guest' && review.isDecidedHere(id)) return 'me'
  // Only names are compared, because the author of a suggestion need not be the person who decided it.
  if (
    decidedByKind !== null &&
    decidedByKind !== 'system' &&
    review.store.isMe({ id: '', author: decidedBy ?? '', authorKind: decidedByKind })
  )
    return 'me'
  return { name: decidedByKind === 'guest' ? displayName(decidedBy ?? '') : (decidedBy ?? '') }
}

function statusWords(review: Review, { suggestion, deciding }: Proposal): string | undefined {
  if (deciding === 'withdraw') return t('Withdrawing…')
  if (deciding === 'reopen') return t('Undoing…')
  if (deciding !== undefined) return deciding === 'accept' ? t('Accepting…') : t('Rejecting…')
  const by = deciderOf(review, suggestion)
  if (suggestion.withdrawn === true) return by === 'me' ? t('Withdrawn by you') : t('Withdrawn by {name}', by)
  if (suggestion.status === 'accepted') return by === 'me' ? t('Accepted by you') : t('Accepted by {name}', by)
  if (suggestion.status !== 'rejected') return undefined
  return by === 'me' ? t('Rejected by you') : t('Rejected by {name}', by)
}

interface ProposalInput {
  readonly review: Review
  readonly item: Item & { readonly kind: 'proposal' }
  readonly isActive: boolean
}

function ProposalCard({ review, item, isActive }: ProposalInput): JSX.Element {
  const { store } = review
  const { suggestion, deciding, reason } = item.proposal
  // The page shows the person's reason even before the service has answered.
  const why = suggestion.reason ?? (deciding === 'reject' ? reason : undefined)
  const status = statusWords(review, item.proposal)
  const gone = whereGone(item)
  const isDecided = deciding === undefined && !isUndecided(suggestion)
  const canReopen = isDecided && store.canDecide.value && suggestion.withdrawn !== true
  return (
    <>
      <Byline author={suggestion.author} authorKind={suggestion.authorKind} isOwn={store.isMe(suggestion)} at={suggestion.createdAt}>
        {isActive && <Tool icon='link' name={t('Copy link')} onClick={() => void copyText(review.addressOf(item), t('Link'))} />}
        {isActive && isUndecided(suggestion) && store.isOwn(suggestion) && store.canSuggest.value && (
          <Tool icon='trash' name={t('Withdraw')} onClick={() => review.withdraw(suggestion)} />
        )}
      </Byline>
      <Change effect={review.effectOf(item)} original={suggestion.original} text={suggestion.text} />
      {suggestion.note !== null && <Prose text={suggestion.note} />}
      {gone !== undefined && <p class='card-note'>{gone}</p>}
      {status !== undefined && (
        <p class='card-note card-decided'>
          {status}
          {canReopen && (
            <button type='button' class='button quiet' onClick={() => store.decide('reopen', [suggestion.id])}>
              {review.recent.value.has(suggestion.id) ? t('Undo') : t('Reopen')}
            </button>
          )}
        </p>
      )}
      {why !== undefined && <Prose text={why} />}
      <Refusal proposal={item.proposal} />
      <DecideButtons review={review} proposal={item.proposal} />
    </>
  )
}

// ——— unsent items ———

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
      {(action.kind === 'reply' || action.kind === 'answer' || action.kind === 'edit') && (
        <CommentText review={review} text={action.body} />
      )}
      {action.kind === 'suggest' && <Change effect={review.effectOf(item)} original={action.original} text={action.text} />}
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
        onSubmit={(text) => {
          body.value = text
          review.send()
          review.editor.focus()
        }}
        onCancel={leave}
      />
    </>
  )
}

type Conversation = Pick<RepliesInput, 'replies' | 'waiting' | 'onReply'>

/** Returns the replies of an item and the function that adds a reply. A reply to a comment that is still being sent waits for the comment. */
function conversationOf({ store, rejecting }: Review, item: Item, isEditing: boolean): Conversation | undefined {
  const canReply = store.canComment.value
  const toComment = (comment: string) => (body: string) => void store.act({ kind: 'reply', comment, body }, signature.value)
  if (item.kind === 'comment') {
    const { comment, waiting } = item.thread
    return { replies: comment.replies, waiting, onReply: canReply && !isEditing ? toComment(comment.id) : undefined }
  }
  if (item.kind === 'proposal') {
    const { suggestion, waiting } = item.proposal
    const { id, replies = [] } = suggestion
    const answer = (body: string) => void store.act({ kind: 'answer', suggestion: id, body }, signature.value)
    return { replies, waiting, onReply: canReply && rejecting.value?.id !== id ? answer : undefined }
  }
  if (item.kind !== 'new' || item.entry.action.kind !== 'comment') return undefined
  const { id, refusal } = item.entry
  return { replies: [], waiting: item.waiting, onReply: canReply && refusal === undefined ? toComment(id) : undefined }
}

function labelOf(item: Item): string {
  if (item.id === composerId) return t('New comment')
  const name = displayName(authorOf(item))
  const isSuggestion = item.kind === 'proposal' || (item.kind === 'new' && item.entry.action.kind === 'suggest')
  return isSuggestion ? t('Suggestion by {name}', { name }) : t('Comment by {name}', { name })
}

interface CardInput {
  readonly review: Review
  readonly item: Item
  /** Whether the card is in a list and not next to its text. */
  readonly isListed?: boolean
}

const cardIdPrefix = 'annotation-'

/** Whether an item still waits for a decision, as far as this page knows. A decision made on this page counts before the service confirms it. */
const isDue = (item: Item): boolean => isOpen(item) && (item.kind !== 'proposal' || item.proposal.deciding === undefined)

/** Moves the focus to the next open card, or to the previous one. If there is none, another card of the list takes the focus, or else the text. */
function passFocusOn(own: HTMLElement, { review, isListed = false }: CardInput, options?: FocusOptions): void {
  const due = new Set(review.items.peek().flatMap((item) => (isDue(item) ? [cardIdPrefix + item.id] : [])))
  const cards = [...(own.closest('.margin, .side-panel')?.querySelectorAll<HTMLElement>('.card') ?? [])]
  const at = cards.indexOf(own)
  const isNext = (card: HTMLElement): boolean => card !== own && due.has(card.id)
  const open = cards.slice(at + 1).find(isNext) ?? cards.slice(0, at).findLast(isNext)
  // A list of resolved comments has no open comments.
  const next = open ?? (isListed ? (cards[at + 1] ?? cards[at - 1]) : undefined)
  if (next !== undefined) next.focus(options)
  else if (isListed) own.closest('.side-panel')?.querySelector<HTMLElement>('.side-panel-body')?.focus()
  else review.editor.focus()
}

/**
 * Keeps the focus when the focused element disappears. The card takes the focus from its buttons. Once the item is closed, or immediately after a
 * decision by keyboard, another card takes it. After a decision by pointer the focus stays, because otherwise the cards would move under the pointer.
 */
function useKeptFocus(card: RefObject<HTMLElement | null>, byPointer: RefObject<boolean>, input: CardInput): void {
  const { review, item } = input
  const latest = useRef(item)
  latest.current = item
  const hadFocus = card.current?.contains(document.activeElement) === true
  const wasDue = useRef(true)
  useLayoutEffect(() => {
    const hasDecided = wasDue.current && !isDue(item)
    wasDue.current = isDue(item)
    if (!hadFocus || document.activeElement !== document.body) return
    if (hasDecided && byPointer.current !== true && card.current !== null) passFocusOn(card.current, input)
    else card.current?.focus({ preventScroll: true })
  })
  useLayoutEffect(
    () => () => {
      const own = card.current
      const item = latest.current
      if (own?.contains(document.activeElement) !== true || (item.kind !== 'comment' && item.kind !== 'proposal')) return
      // The item is only scrolled out of view and has not been closed.
      if (review.items.peek().some((each) => each.id === item.id && isOpen(each))) return
      passFocusOn(own, input, { preventScroll: true })
    },
    []
  )
}

export function Card({ review, item, isListed = false }: CardInput): JSX.Element {
  const isActive = review.active.value === item.id
  const pick = (): void => {
    if (!isActive) review.active.value = item.id
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
    else card.current?.focus()
  }, [isFocused])
  useEffect(() => {
    if (isActive && isListed) card.current?.scrollIntoView({ block: 'nearest' })
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

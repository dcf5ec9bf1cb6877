/** The replies below a comment or suggestion, and the field for a new reply. */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { signature } from '../../presence/person.ts'
import { t, tn } from '../../text/t.ts'
import { editOf } from '../annotations/half-written.ts'
import { isOpen, type Item } from '../annotations/items.ts'
import type { Review } from '../annotations/review.ts'
import type { OutboxEntry } from '../outbox/entry.ts'
import type { Comment } from '../outbox/records.ts'
import { withReplyEntries } from '../outbox/shown-records.ts'
import { Byline, CommentText, EntryNote, Writer } from './card-parts.tsx'
import { DeleteQuestion, EditField, TextButtons } from './own-text.tsx'

function UnsentReply({ review, entry }: { review: Review; entry: OutboxEntry }): JSX.Element | null {
  const { action } = entry
  if (action.kind !== 'reply' && action.kind !== 'answer')
    return entry.refusal === undefined ? null : (
      <li>
        <EntryNote review={review} entry={entry} />
      </li>
    )
  return (
    <li class='card-reply waiting'>
      <Byline author={entry.author || 'guest'} authorKind='guest' isOwn at={undefined} />
      <CommentText review={review} text={action.body} />
      <EntryNote review={review} entry={entry} />
    </li>
  )
}

/** Whether an item is the card of a deleted comment. */
const isDeleted = (item: Item): boolean => item.kind === 'comment' && item.thread.isDeleted === true

interface ReplyInput {
  /** Whether somebody has deleted the reply or its comment. */
  readonly isGone: boolean
  readonly review: Review
  readonly item: Item
  readonly reply: Comment['replies'][number]
}

/** A reply. Its author can edit and delete it, and an owner can delete it. */
function Reply({ review, item, reply, isGone }: ReplyInput): JSX.Element | null {
  const { store, halfWritten } = review
  const kind = editOf(reply.id)
  const text = { review, record: reply, isReply: true }
  const [isEditing, setEditing] = useState(() => halfWritten.textOf(kind, item.id) !== '')
  const [isAsking, setAsking] = useState(false)
  const of = { reply: reply.id, on: item.id }
  const remove = (): void => {
    halfWritten.write(kind, item.id, '')
    store.act({ kind: 'deleteReply', ...of })
  }
  if (isGone && !isEditing && !isDeleted(item)) return null
  return (
    <li class='card-reply'>
      <Byline author={reply.author} authorKind={reply.authorKind} isOwn={store.isMe(reply)} at={reply.createdAt} editedAt={reply.editedAt}>
        {!isGone && <TextButtons {...text} onEdit={() => setEditing(true)} onDelete={() => setAsking(true)} />}
      </Byline>
      {isAsking && !isGone && <DeleteQuestion {...text} onDelete={remove} onCancel={() => setAsking(false)} />}
      {isEditing ? (
        <EditField
          {...text}
          item={item.id}
          kind={kind}
          isGone={isGone}
          onEdit={(body) => store.act({ kind: 'editReply', ...of, body })}
          onEnd={() => setEditing(false)}
        />
      ) : (
        <CommentText review={review} text={reply.body} />
      )}
    </li>
  )
}

/** Shows the half-written edits of deleted replies that this page has never shown, so that their text can be copied. */
function LostEdits({ review, item, replies }: Pick<RepliesInput, 'review' | 'item' | 'replies'>): JSX.Element {
  const { halfWritten } = review
  void halfWritten.ids.value
  const lost = halfWritten.editedReplies(item.id).filter((id) => !replies.some((reply) => reply.id === id))
  return (
    <>
      {lost.map((id) => (
        <Writer
          key={id}
          label={t('Edit reply')}
          action={t('Save')}
          value={halfWritten.textOf(editOf(id), item.id)}
          onSubmit={undefined}
          onDiscard={() => halfWritten.write(editOf(id), item.id, '')}
        />
      ))}
    </>
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
  /** Whether half-written text of a reply stays although the person may no longer reply. */
  readonly keepsText: boolean
  /** Whether the field for a reply stays while it has the focus, even without text. */
  readonly keepsField?: boolean
}

/** The field for a reply. It stays while it has text, even after the comment was resolved or the suggestion was decided. */
function ReplyField({ review, item, onReply }: Pick<RepliesInput, 'review' | 'item' | 'onReply'>): JSX.Element {
  const { halfWritten, store } = review
  const isLeft = !isOpen(item) && halfWritten.ids.value.has(item.id) && halfWritten.textOf('reply', item.id) !== ''
  const write = (text: string): void => halfWritten.write('reply', item.id, text)
  return (
    <>
      {isLeft && onReply !== undefined && (
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
        onSubmit={
          onReply &&
          ((body) => {
            onReply(body)
            write('')
            // Nothing keeps the card of a closed item now.
            if (!isOpen(item)) review.typing.value = undefined
            store.said.value = t('Reply added')
          })
        }
        onDiscard={isLeft || isDeleted(item) ? () => write('') : undefined}
      />
    </>
  )
}

/** Returns the replies together with the deleted ones that this person edits. Their fields stay in place and keep the focus. */
function useShownReplies({ halfWritten, typing }: Review, { id }: Item, replies: Comment['replies']): Comment['replies'] {
  void halfWritten.ids.value
  const before = useRef(replies)
  const there = new Set(replies.map((reply) => reply.id))
  const edited = new Set(halfWritten.editedReplies(id))
  const gone = before.current.filter((reply) => !there.has(reply.id) && (typing.value === id || edited.has(reply.id)))
  return (before.current = [...replies, ...gone].toSorted((one, other) => one.createdAt.localeCompare(other.createdAt)))
}

/** Shows the replies to a comment or suggestion, and the field for a new reply. */
export function Replies({ review, item, replies, waiting, isActive, onReply, keepsText, keepsField }: RepliesInput): JSX.Element {
  const shown = useShownReplies(review, item, replies)
  const hasText = review.halfWritten.textOf('reply', item.id) !== ''
  const isGone = (id: string): boolean => isDeleted(item) || !replies.some((reply) => reply.id === id)
  return (
    <>
      {!isActive && replies.length > 0 && <p class='card-note'>{tn(replies.length, '1 reply', '{count} replies')}</p>}
      {(isActive || waiting.length > 0) && (
        <ul class='card-replies'>
          {isActive && shown.map((reply) => <Reply key={reply.id} review={review} item={item} reply={reply} isGone={isGone(reply.id)} />)}
          {waiting.map((each) => (
            <UnsentReply key={each.id} review={review} entry={each} />
          ))}
        </ul>
      )}
      <LostEdits key='lost' review={review} item={item} replies={isActive ? shown : replies} />
      {(hasText
        ? onReply !== undefined || keepsText
        : (isActive && onReply !== undefined) || (keepsField === true && review.typing.value === item.id)) && (
        <ReplyField key='field' review={review} item={item} onReply={onReply} />
      )}
    </>
  )
}

type Conversation = Pick<RepliesInput, 'replies' | 'waiting' | 'onReply' | 'keepsText' | 'keepsField'>

/** Returns the replies of an item and the function that adds a reply. A reply to a comment that is still being sent waits for the comment. */
export function conversationOf({ store, rejecting }: Review, item: Item, isEditing: boolean): Conversation | undefined {
  const canReply = store.canComment.value
  const keepsText = store.isBarred.value
  const toComment = (comment: string) => (body: string) => void store.act({ kind: 'reply', comment, body }, signature.value)
  if (item.kind === 'comment') {
    const { comment, waiting } = item.thread
    return {
      replies: withReplyEntries(comment.replies, waiting),
      waiting,
      keepsText: keepsText || isDeleted(item),
      keepsField: isDeleted(item) && !isEditing,
      onReply: canReply && !isEditing && !isDeleted(item) ? toComment(comment.id) : undefined
    }
  }
  if (item.kind === 'proposal') {
    const { suggestion, waiting } = item.proposal
    const { id, replies = [] } = suggestion
    const answer = (body: string) => void store.act({ kind: 'answer', suggestion: id, body }, signature.value)
    return {
      replies: withReplyEntries(replies, waiting),
      waiting,
      keepsText,
      onReply: canReply && rejecting.value?.id !== id ? answer : undefined
    }
  }
  if (item.kind !== 'new' || item.entry.action.kind !== 'comment') return undefined
  const { id, refusal } = item.entry
  return { replies: [], waiting: item.waiting, keepsText, onReply: canReply && refusal === undefined ? toComment(id) : undefined }
}

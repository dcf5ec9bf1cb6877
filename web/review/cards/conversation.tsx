/** The replies below a comment or suggestion, and the field for a new reply. */
import type { JSX } from 'preact'
import { signature } from '../../presence/person.ts'
import { t, tn } from '../../text/t.ts'
import { isOpen, type Item } from '../annotations/items.ts'
import type { Review } from '../annotations/review.ts'
import type { OutboxEntry } from '../outbox/entry.ts'
import type { Comment } from '../outbox/records.ts'
import { Byline, CommentText, EntryNote, Writer } from './card-parts.tsx'

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
  /** Whether half-written text of a reply stays although the person may no longer reply. */
  readonly keepsText: boolean
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
            store.said.value = t('Reply added')
          })
        }
        onDiscard={isLeft ? () => write('') : undefined}
      />
    </>
  )
}

/** Shows the replies to a comment or suggestion, and the field for a new reply. */
export const Replies = ({ review, item, replies, waiting, isActive, onReply, keepsText }: RepliesInput): JSX.Element => (
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
    {(review.halfWritten.textOf('reply', item.id) === '' ? isActive && onReply !== undefined : onReply !== undefined || keepsText) && (
      <ReplyField key='field' review={review} item={item} onReply={onReply} />
    )}
  </>
)

type Conversation = Pick<RepliesInput, 'replies' | 'waiting' | 'onReply' | 'keepsText'>

/** Returns the replies of an item and the function that adds a reply. A reply to a comment that is still being sent waits for the comment. */
export function conversationOf({ store, rejecting }: Review, item: Item, isEditing: boolean): Conversation | undefined {
  const canReply = store.canComment.value
  const keepsText = store.isBarred.value
  const toComment = (comment: string) => (body: string) => void store.act({ kind: 'reply', comment, body }, signature.value)
  if (item.kind === 'comment') {
    const { comment, waiting } = item.thread
    return { replies: comment.replies, waiting, keepsText, onReply: canReply && !isEditing ? toComment(comment.id) : undefined }
  }
  if (item.kind === 'proposal') {
    const { suggestion, waiting } = item.proposal
    const { id, replies = [] } = suggestion
    const answer = (body: string) => void store.act({ kind: 'answer', suggestion: id, body }, signature.value)
    return { replies, waiting, keepsText, onReply: canReply && rejecting.value?.id !== id ? answer : undefined }
  }
  if (item.kind !== 'new' || item.entry.action.kind !== 'comment') return undefined
  const { id, refusal } = item.entry
  return { replies: [], waiting: item.waiting, keepsText, onReply: canReply && refusal === undefined ? toComment(id) : undefined }
}

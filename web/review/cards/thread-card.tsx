/** The card of a comment: who wrote it, its text, and what the person can do with it. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { t, tn } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { displayName } from '../../presence/people.ts'
import { quoteOf, type Item } from '../annotations/items.ts'
import type { Review } from '../annotations/review.ts'
import { excerpt, excerptUnits, type Comment } from '../outbox/records.ts'
import { Byline, CommentText, Quote, Tool, whereGone, Writer } from './card-parts.tsx'

function resolvedWords(review: Review, { resolvedBy: name, resolvedByKind: kind }: Comment): string {
  if (name === null || kind === null) return t('Resolved')
  if (kind !== 'system' && review.store.isMe({ id: '', author: name, authorKind: kind })) return t('Resolved by you')
  return t('Resolved by {name}', { name: kind === 'guest' ? displayName(name) : name })
}

interface ThreadInput {
  readonly review: Review
  readonly item: Item & { readonly kind: 'comment' }
  readonly isActive: boolean
  readonly isListed: boolean
  readonly isEditing: boolean
  readonly setEditing: (isEditing: boolean) => void
}

export function ThreadCard({ review, item, isActive, isListed, isEditing, setEditing }: ThreadInput): JSX.Element {
  const { store } = review
  const { comment } = item.thread
  const isOwn = store.isOwn(comment)
  const mayComment = store.canComment.value
  const gone = whereGone(item)
  const [isAsking, setAsking] = useState(false)
  const replies = comment.replies.length
  const remove = (): void => void store.act({ kind: 'delete', comment: comment.id })
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
          <Tool icon='trash' name={t('Delete comment')} onClick={() => (replies > 0 ? setAsking(true) : remove())} />
        )}
        {mayComment && (
          <Tool icon={comment.resolved ? 'undo' : 'check'} name={comment.resolved ? t('Reopen') : t('Resolve')} onClick={resolve} />
        )}
      </Byline>
      {isAsking && isActive && (
        <div class='card-question' role='group' aria-label={t('Delete comment')}>
          <p class='card-note'>{tn(replies, 'This also deletes the reply.', 'This also deletes {count} replies.')}</p>
          <p class='actions'>
            <button type='button' class='button danger' onClick={remove} autofocus>
              {t('Delete')}
            </button>
            <button type='button' class='button quiet' onClick={() => setAsking(false)}>
              {t('Cancel')}
            </button>
          </p>
        </div>
      )}
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
          onSubmit={store.isBarred.value ? undefined : edit}
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

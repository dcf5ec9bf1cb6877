/** The card of a comment: who wrote it, its text, and what the person can do with it. */
import { EditorView } from '@codemirror/view'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { displayName } from '../../presence/people.ts'
import { quoteOf, type Item } from '../annotations/items.ts'
import type { Review } from '../annotations/review.ts'
import { excerpt, excerptUnits, type Comment } from '../outbox/records.ts'
import { Byline, CommentText, Quote, Tool, whereGone } from './card-parts.tsx'
import { DeleteQuestion, EditField, TextButtons } from './own-text.tsx'

function resolvedWords(review: Review, { resolvedBy: name, resolvedByKind: kind }: Comment): string {
  if (name === null || kind === null) return t('Resolved')
  if (kind !== 'system' && review.store.isMe({ id: '', author: name, authorKind: kind })) return t('Resolved by you')
  return t('Resolved by {name}', { name: kind === 'guest' ? displayName(name) : name })
}

/** Whether the text shows something else instead of the words of an item, such as a component. */
const isHidden = ({ editor }: Review, { span }: Item): boolean => {
  let found = false
  for (const rangesIn of editor.state.facet(EditorView.atomicRanges))
    if (span !== undefined)
      rangesIn(editor).between(span.from, span.to, (from, to) => {
        found ||= from <= span.from && to >= span.to && from < to
      })
  return found
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
  const isDeleted = item.thread.isDeleted === true
  const hasTools = isActive && !isDeleted
  const gone = whereGone(item)
  const text = { review, record: comment, isReply: false }
  const [isAsking, setAsking] = useState(false)
  const remove = (): void => void store.act({ kind: 'delete', comment: comment.id })
  const resolve = (): void => review.setResolved(comment.id, !comment.resolved)
  const isLong = !isActive && comment.body.length > excerptUnits
  return (
    <>
      <Byline
        author={comment.author}
        authorKind={comment.authorKind}
        isOwn={store.isMe(comment)}
        at={comment.createdAt}
        editedAt={comment.editedAt}
      >
        {isActive && !isDeleted && (
          <Tool icon='link' name={t('Copy link')} onClick={() => void copyText(review.addressOf(item), t('Link'))} />
        )}
        {hasTools && <TextButtons {...text} onEdit={() => setEditing(true)} onDelete={() => setAsking(true)} />}
        {store.canComment.value && !isDeleted && (
          <Tool icon={comment.resolved ? 'undo' : 'check'} name={comment.resolved ? t('Reopen') : t('Resolve')} onClick={resolve} />
        )}
      </Byline>
      {isAsking && hasTools && (
        <DeleteQuestion {...text} replies={comment.replies.length} onDelete={remove} onCancel={() => setAsking(false)} />
      )}
      {(isListed || gone !== undefined || isHidden(review, item)) && <Quote text={quoteOf(item)} />}
      {gone !== undefined && <p class='card-note'>{gone}</p>}
      {isEditing ? (
        <EditField
          {...text}
          item={comment.id}
          kind='edit'
          isGone={isDeleted}
          onEdit={(body) => store.act({ kind: 'edit', comment: comment.id, body })}
          onEnd={() => setEditing(false)}
        />
      ) : (
        <CommentText review={review} text={isLong ? excerpt(comment.body, excerptUnits) : comment.body} />
      )}
      {comment.resolved && <p class='card-note'>{resolvedWords(review, comment)}</p>}
      {isDeleted && (
        <p class='card-note' role='status'>
          {t('This comment was deleted.')}
        </p>
      )}
    </>
  )
}

// ——— suggestions ———

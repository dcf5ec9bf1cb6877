/** The parts with which a person edits and deletes the text of a comment or reply. */
import type { JSX, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { displayName } from '../../presence/people.ts'
import { t, tn } from '../../text/t.ts'
import type { Writing } from '../annotations/half-written.ts'
import type { Review } from '../annotations/review.ts'
import type { Comment } from '../outbox/records.ts'
import { Tool, Writer } from './card-parts.tsx'

interface TextInput {
  readonly review: Review
  /** The comment or reply. */
  readonly record: Pick<Comment, 'id' | 'body' | 'author' | 'authorKind'>
  readonly isReply: boolean
}

const deletion = (isReply: boolean): string => (isReply ? t('Delete reply') : t('Delete comment'))

interface ButtonsInput extends TextInput {
  readonly onEdit: () => void
  readonly onDelete: () => void
}

/** The buttons of a comment or reply. Its author can edit and delete it, and an owner of the document can delete it. */
export function TextButtons({ review: { store }, record, isReply, onEdit, onDelete }: ButtonsInput): JSX.Element | null {
  if (!store.canComment.value) return null
  const isOwn = store.isOwn(record)
  return (
    <>
      {isOwn && <Tool icon='pen' name={isReply ? t('Edit reply') : t('Edit')} onClick={onEdit} />}
      {(isOwn || store.isOwner.value) && <Tool icon='trash' name={deletion(isReply)} onClick={onDelete} />}
    </>
  )
}

/** Asks for one's own text, or for the text of a person by name. */
function questionOf({ review: { store }, record: { author, authorKind, ...record }, isReply }: TextInput): string {
  const isOwn = store.isOwn({ author, authorKind, ...record })
  if (isOwn) return isReply ? t('Delete this reply? You cannot undo this.') : t('Delete this comment? You cannot undo this.')
  const name = authorKind === 'guest' ? displayName(author) : author
  return isReply
    ? t('Delete {name}’s reply? You cannot undo this.', { name })
    : t('Delete {name}’s comment? You cannot undo this.', { name })
}

/** Gives the focus to the card when a question or field that has it disappears. Returns the reference for its element. */
function useCardFocus(): RefObject<HTMLDivElement | null> {
  const own = useRef<HTMLDivElement>(null)
  useLayoutEffect(
    () => () => {
      if (own.current?.contains(document.activeElement) === true) own.current.closest<HTMLElement>('.card')?.focus({ preventScroll: true })
    },
    []
  )
  return own
}

interface QuestionInput extends TextInput {
  /** Number of replies that are deleted too. */
  readonly replies?: number
  readonly onDelete: () => void
  readonly onCancel: () => void
}

export const DeleteQuestion = ({ replies = 0, onDelete, onCancel, ...text }: QuestionInput): JSX.Element => (
  <div ref={useCardFocus()} class='card-question' role='group' aria-label={deletion(text.isReply)}>
    <p class='card-note'>
      {questionOf(text)}
      {replies > 0 && ` ${tn(replies, 'This also deletes the reply.', 'This also deletes {count} replies.')}`}
    </p>
    <p class='actions'>
      <button type='button' class='button danger' onClick={onDelete} autofocus>
        {t('Delete')}
      </button>
      <button type='button' class='button quiet' onClick={onCancel}>
        {t('Cancel')}
      </button>
    </p>
  </div>
)

interface FieldInput extends TextInput {
  /** The item and the kind under which the half-written text is noted. */
  readonly item: string
  readonly kind: Writing
  /** Whether somebody has deleted the comment or reply. */
  readonly isGone: boolean
  readonly onEdit: (body: string) => void
  /** Called when the person sends the text or cancels. */
  readonly onEnd: () => void
}

/** The field in place of the text that is being edited. */
export function EditField({ review, record: { body }, isReply, item, kind, isGone, onEdit, onEnd }: FieldInput): JSX.Element {
  const { halfWritten, store } = review
  const end = (): void => {
    halfWritten.write(kind, item, '')
    onEnd()
  }
  const edit = (text: string): void => {
    end()
    if (text !== body) onEdit(text)
  }
  return (
    <div ref={useCardFocus()}>
      <Writer
        review={review}
        label={isReply ? t('Edit reply') : t('Comment')}
        action={t('Save')}
        value={halfWritten.textOf(kind, item) || body}
        autoFocus
        onInput={(text) => halfWritten.write(kind, item, text === body ? '' : text)}
        onSubmit={store.isBarred.value || isGone ? undefined : edit}
        onCancel={isGone ? undefined : end}
        onDiscard={isGone ? end : undefined}
      />
    </div>
  )
}

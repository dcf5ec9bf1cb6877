/** The field of a chat in which a person writes or changes a message. */
import { type Signal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { chatKey } from '../../shared/components/chat.ts'
import { useMentions } from '../presence/mention-picker.tsx'
import { t } from '../text/t.ts'
import { closeEmoji, emojiLike } from './chat-emoji.ts'

interface WritingInput {
  readonly label: string
  readonly text?: string
  /** Text that stays when the field disappears. */
  readonly kept?: Signal<string>
  readonly disabled?: boolean
  /** Returns false if the text should stay in the field. */
  readonly onSend: (text: string) => boolean
  readonly onCancel?: () => void
  readonly onInput?: () => void
  /** Returns the people who can be mentioned. */
  readonly names: () => readonly string[]
  readonly say: (words: string) => void
  readonly name: string
}

export function Writing({
  label,
  text = '',
  kept,
  disabled = false,
  onSend,
  onCancel,
  onInput,
  names,
  say,
  name
}: WritingInput): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null)
  const mentions = useMentions({ field, names, more: emojiLike, say })
  const send = (): void => {
    if (field.current === null || field.current.value.trim() === '' || !onSend(field.current.value)) return
    field.current.value = ''
    if (kept !== undefined) kept.value = ''
  }
  useSignalEffect(() => {
    if (kept !== undefined && field.current !== null && field.current.value !== kept.value) field.current.value = kept.value
  })
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
        defaultValue={kept?.peek() ?? text}
        disabled={disabled}
        ref={field}
        {...mentions.attributes}
        onInput={(event) => {
          const { currentTarget } = event
          if (event instanceof InputEvent && event.inputType === 'insertText') closeEmoji(currentTarget)
          if (kept !== undefined) kept.value = currentTarget.value
          mentions.follow()
          onInput?.()
        }}
        onSelect={mentions.follow}
        onBlur={mentions.close}
        onKeyDown={(event) => {
          if (event.isComposing) return
          const action = mentions.take(event) ? 'mention' : chatKey(event, onCancel !== undefined)
          if (action === undefined) return
          if (action === 'send') send()
          else if (action === 'cancel') onCancel?.()
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {mentions.list}
      {onCancel !== undefined && (
        <button type='button' class='frame-button' onClick={onCancel}>
          {t('Cancel')}
        </button>
      )}
      <button type='submit' class='frame-button primary' disabled={disabled}>
        {name}
      </button>
    </form>
  )
}

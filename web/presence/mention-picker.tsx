/**
 * Suggests names while a person types after @ in a field. The arrow keys move through the list, Enter or Tab picks a name, and Esc closes the list.
 */
import { useSignal } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useId } from 'preact/hooks'
import { t, tn } from '../text/t.ts'
import { namesLike, typedName } from './mention-names.ts'

interface MentionsInput {
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Returns the names that can be mentioned now. */
  readonly names: () => readonly string[]
  /** Announces a message to screen readers. */
  readonly say: (words: string) => void
}

interface Mentions {
  /** The ARIA attributes of the field. */
  readonly attributes: {
    readonly 'aria-autocomplete': 'list'
    readonly 'aria-controls'?: string
    readonly 'aria-activedescendant'?: string
  }
  /** Call this when the text or the caret of the field changes. */
  follow(): void
  close(): void
  /** Handles a key of the field. Returns true if the list of names used it. */
  take(event: KeyboardEvent): boolean
  readonly list: JSX.Element | null
}

export function useMentions({ field, names, say }: MentionsInput): Mentions {
  const id = useId()
  const shown = useSignal<readonly string[]>([])
  const at = useSignal(0)

  const close = (): void => {
    shown.value = []
  }
  const follow = (): void => {
    const { current } = field
    const typed =
      current === null || current.selectionStart !== current.selectionEnd ? undefined : typedName(current.value, current.selectionStart)
    const found = typed === undefined ? [] : namesLike(names(), typed)
    if (found.join(' ') === shown.value.join(' ')) return
    at.value = 0
    shown.value = found
    if (found.length > 0) say(tn(found.length, '1 name', '{count} names'))
  }
  const choose = (name: string): void => {
    const { current } = field
    const typed = current === null ? undefined : typedName(current.value, current.selectionStart)
    if (current === null || typed === undefined) return
    current.setRangeText(`${name} `, current.selectionStart - typed.length, current.selectionStart, 'end')
    current.dispatchEvent(new Event('input', { bubbles: true }))
    close()
  }
  const take = (event: KeyboardEvent): boolean => {
    const { length } = shown.value
    if (length === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false
    if (event.key === 'ArrowDown') at.value = (at.value + 1) % length
    else if (event.key === 'ArrowUp') at.value = (at.value + length - 1) % length
    else if (event.key === 'Enter' || event.key === 'Tab') choose(shown.value[at.value] ?? '')
    else if (event.key === 'Escape') close()
    else return false
    return true
  }
  const isOpen = shown.value.length > 0
  return {
    attributes: {
      'aria-autocomplete': 'list',
      ...(isOpen && { 'aria-controls': id, 'aria-activedescendant': `${id}-${at.value}` })
    },
    follow,
    close,
    take,
    list: isOpen ? (
      <ul class='names' role='listbox' id={id} aria-label={t('Names')}>
        {shown.value.map((name, index) => (
          <li
            key={name}
            id={`${id}-${index}`}
            role='option'
            aria-selected={index === at.value}
            dir='auto'
            // The default action would take the focus from the field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(name)}
          >
            @{name}
          </li>
        ))}
      </ul>
    ) : null
  }
}

/**
 * Suggests names while a person types after @ in a field, and more, such as emoji. The arrow keys move through the list, Enter or Tab picks a name, and Esc closes the list.
 */
import { useSignal } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useId } from 'preact/hooks'
import { t, tn } from '../text/t.ts'
import { namesLike, typedName } from './mention-names.ts'

/** An entry of the list. */
export interface Offer {
  readonly label: string
  /** The text that it inserts. */
  readonly text: string
  /** Number of characters before the caret that this text replaces. */
  readonly length: number
}

interface MentionsInput {
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Returns the names that can be mentioned now. */
  readonly names: () => readonly string[]
  /** Returns the offers for text before the caret that mentions nobody. */
  readonly more?: (before: string) => readonly Offer[]
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

export function useMentions({ field, names, more, say }: MentionsInput): Mentions {
  const id = useId()
  const shown = useSignal<readonly Offer[]>([])
  const at = useSignal(0)
  /** Whether the person has typed @ and there is no name to suggest. */
  const isNobody = useSignal(false)
  const nobodyWords = t('Nobody to mention yet. People appear here once they have a name.')

  const close = (): void => {
    shown.value = []
    isNobody.value = false
  }
  /** Returns the text before the caret, or '' if text is selected. */
  const before = (): string => {
    const { current } = field
    return current === null || current.selectionStart !== current.selectionEnd ? '' : current.value.slice(0, current.selectionStart)
  }
  const offers = (text: string): readonly Offer[] => {
    const typed = typedName(text, text.length)
    if (typed === undefined) return more?.(text) ?? []
    return namesLike(names(), typed).map((name) => ({ label: `@${name}`, text: `${name} `, length: typed.length }))
  }
  const labelsOf = (all: readonly Offer[]): string => all.map(({ label }) => label).join(' ')
  const follow = (): void => {
    const text = before()
    const found = offers(text)
    const wasNobody = isNobody.value
    isNobody.value = typedName(text, text.length) === '' && names().length === 0
    if (isNobody.value && !wasNobody) say(nobodyWords)
    const isSame = labelsOf(found) === labelsOf(shown.value)
    if (!isSame) at.value = 0
    shown.value = found
    if (isSame || found.length === 0) return
    const isNames = found[0]?.label.startsWith('@') === true
    say(isNames ? tn(found.length, '1 name', '{count} names') : tn(found.length, '1 emoji', '{count} emoji'))
  }
  const choose = (offer: Offer | undefined): void => {
    const { current } = field
    if (current === null || offer === undefined) return
    current.setRangeText(offer.text, current.selectionStart - offer.length, current.selectionStart, 'end')
    current.dispatchEvent(new Event('input', { bubbles: true }))
    close()
  }
  const take = (event: KeyboardEvent): boolean => {
    const { length } = shown.value
    if (isNobody.value && event.key === 'Escape') {
      close()
      return true
    }
    if (length === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false
    if (event.key === 'ArrowDown') at.value = (at.value + 1) % length
    else if (event.key === 'ArrowUp') at.value = (at.value + length - 1) % length
    else if (event.key === 'Enter' || event.key === 'Tab') choose(shown.value[at.value])
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
      <ul class='names' role='listbox' id={id} aria-label={shown.value[0]?.label.startsWith('@') === true ? t('Names') : t('Emoji')}>
        {shown.value.map((offer, index) => (
          <li
            key={offer.label}
            id={`${id}-${index}`}
            role='option'
            aria-selected={index === at.value}
            dir='auto'
            // The default action would take the focus from the field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(offer)}
          >
            {offer.label}
          </li>
        ))}
      </ul>
    ) : isNobody.value ? (
      <p class='names names-none'>{nobodyWords}</p>
    ) : null
  }
}

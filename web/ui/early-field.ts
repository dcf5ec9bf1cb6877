/**
 * A field for text that is typed before the real field has loaded. A person who opens a search or a new comment can type immediately, and none of the
 * letters end up in the document. The field becomes visible only if the real one takes a long time. It passes its text on to the real one.
 */
import { activeElement } from '../base/active-element.ts'
import { t } from '../text/t.ts'

export interface EarlyField {
  /** Returns false once the person has left the field. */
  isWanted(): boolean
}

interface Open {
  readonly field: HTMLTextAreaElement
  readonly onLeave: () => void
  /** The element that had the focus before. */
  readonly before: Element | null
  /** Whether an input method (IME) is composing. Moving the text during a composition would lose the letter. */
  isComposing: boolean
  /** The key that submits, if the person has already pressed it. It is replayed in the real field. */
  end: KeyboardEventInit | undefined
}

let current: Open | undefined

function close(open: Open): void {
  if (current === open) current = undefined
  open.field.remove()
}

function make(label: string, isLine: boolean, onLeave: () => void): Open {
  const field = document.createElement('textarea')
  field.className = 'early-field'
  // The label differs from that of the real field, because both exist for a moment.
  field.setAttribute('aria-label', t('Your text while the editor loads'))
  field.placeholder = label
  field.dir = 'auto'
  const open: Open = { field, onLeave, before: activeElement(), isComposing: false, end: undefined }
  field.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey } = event
    const isEnd = key === 'Enter' && (isLine || ctrlKey || metaKey)
    if (event.isComposing || (key !== 'Escape' && !isEnd)) return
    event.preventDefault()
    event.stopPropagation()
    if (isEnd) {
      open.end = { key, ctrlKey, metaKey, bubbles: true, cancelable: true }
      return
    }
    close(open)
    onLeave()
  })
  field.addEventListener('compositionstart', () => (open.isComposing = true))
  field.addEventListener('compositionend', () => (open.isComposing = false))
  // An empty field closes when it loses the focus.
  field.addEventListener('blur', () => field.value === '' && queueMicrotask(() => close(open)))
  document.body.append(field)
  return open
}

/**
 * Creates the field and focuses it until `handOver` is called. With `isLine`, Enter submits the text, and otherwise Mod-Enter does. `onLeave` is
 * called when the person leaves the field with Esc.
 */
export function typeEarly(label: string, isLine: boolean, onLeave: () => void): EarlyField {
  const open = (current ??= make(label, isLine, onLeave))
  open.field.focus({ preventScroll: true })
  return { isWanted: () => current === open }
}

/** Called when the real field has failed to load. A field with text stays visible, and an empty one closes. */
export function endEarly(): void {
  if (current === undefined || current.field.value !== '') return
  const { onLeave } = current
  close(current)
  onLeave()
}

/** Whether the focus was in a component before the early field. */
export const wasInComponent = (): boolean => current?.before?.getRootNode() instanceof ShadowRoot

/**
 * Returns the focus to the element that had it before the early field. A dialog that opens now restores the focus to that element when it closes.
 * Call `handOver` after that.
 */
export function focusBefore(): void {
  if (current?.before instanceof HTMLElement) current.before.focus({ preventScroll: true })
}

/** Moves the focus into the real field, and replaces its selection with the text typed so far. */
export function handOver(into: HTMLTextAreaElement | HTMLInputElement): void {
  const open = current
  if (open === undefined) return into.focus()
  const { field } = open
  const move = (): void => {
    const { value, selectionStart, selectionEnd } = field
    const { end } = open
    if (value !== '') {
      const start = into.selectionStart ?? 0
      into.setRangeText(value, start, into.selectionEnd ?? start, 'end')
      into.setSelectionRange(start + selectionStart, start + selectionEnd)
      into.dispatchEvent(new Event('input', { bubbles: true }))
    }
    // If the person has moved the focus elsewhere, it stays there.
    if (document.activeElement === field) into.focus()
    close(open)
    // Waits until the field has processed its text.
    if (end !== undefined) setTimeout(() => into.dispatchEvent(new KeyboardEvent('keydown', end)))
  }
  if (open.isComposing) field.addEventListener('compositionend', () => queueMicrotask(move), { once: true })
  else move()
}

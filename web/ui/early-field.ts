/**
 * A field for text typed before the real field has loaded: a person who asks to write can type at once, and no letter of it lands in the document. It
 * is visible only if the other field takes long, and passes its text on.
 */
import { t } from '../text/t.ts'

export interface EarlyField {
  /** False once the person has left it. */
  isWanted(): boolean
}

interface Open {
  readonly field: HTMLTextAreaElement
  readonly onLeave: () => void
  /** The element that had the focus before. */
  readonly before: Element | null
  /** An input method (IME) is composing: moving the text now would lose the letter. */
  isComposing: boolean
  /** The key that submits, if it was pressed already: it is replayed in the real field. */
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
  // The real field has that name, and both exist for a moment.
  field.setAttribute('aria-label', t('Your text while the editor loads'))
  field.placeholder = label
  field.dir = 'auto'
  const open: Open = { field, onLeave, before: document.activeElement, isComposing: false, end: undefined }
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
  // A person who leaves the field empty no longer wants it.
  field.addEventListener('blur', () => field.value === '' && queueMicrotask(() => close(open)))
  document.body.append(field)
  return open
}

/** Takes the focus now, until `handOver`. `isLine`: Enter ends it, else Mod-Enter. `onLeave` is called when the person leaves it with Esc. */
export function typeEarly(label: string, isLine: boolean, onLeave: () => void): EarlyField {
  const open = (current ??= make(label, isLine, onLeave))
  open.field.focus({ preventScroll: true })
  return { isWanted: () => current === open }
}

/** The awaited part failed to load: a field with text stays visible, an empty one closes. */
export function endEarly(): void {
  if (current === undefined || current.field.value !== '') return
  const { onLeave } = current
  close(current)
  onLeave()
}

/**
 * Returns the focus to the element that had it before, so that a dialog that opens now restores it when it closes. Call `handOver` for its field
 * afterwards.
 */
export function focusBefore(): void {
  if (current?.before instanceof HTMLElement) current.before.focus({ preventScroll: true })
}

/** Moves the focus into the real field, and replaces its selection with the text typed meanwhile. */
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
    // A person who moved the focus elsewhere keeps it there.
    if (document.activeElement === field) into.focus()
    close(open)
    // Wait until the field has processed its text.
    if (end !== undefined) setTimeout(() => into.dispatchEvent(new KeyboardEvent('keydown', end)))
  }
  if (open.isComposing) field.addEventListener('compositionend', () => queueMicrotask(move), { once: true })
  else move()
}

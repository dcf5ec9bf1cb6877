/**
 * A field for what is typed before the one that it is for is there: who asks to write something goes on typing at once, and no letter of it
 * may land in the text. It is seen only when the other takes its time, and hands over what it holds.
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
  /** A letter is being put together (IME): it would be lost on the way. */
  isComposing: boolean
  /** The key that ends it, pressed already: it is pressed again where the text went. */
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
  // The field that it is for has that name, and both are there for a moment.
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
  // A person who goes elsewhere and has written nothing wants it no more.
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

/** The part that was waited for does not come: written text stays to be seen, an empty field goes. */
export function endEarly(): void {
  if (current === undefined || current.field.value !== '') return
  const { onLeave } = current
  close(current)
  onLeave()
}

/** Gives the focus back to what had it before: a dialog that opens now returns it there when it closes. Its field is handed over to then. */
export function focusBefore(): void {
  if (current?.before instanceof HTMLElement) current.before.focus({ preventScroll: true })
}

/** Brings the focus into the field that was waited for, and what was typed meanwhile in the place of its selection. */
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
    // A person who went on to something else stays there.
    if (document.activeElement === field) into.focus()
    close(open)
    // Once what was written is known there.
    if (end !== undefined) setTimeout(() => into.dispatchEvent(new KeyboardEvent('keydown', end)))
  }
  if (open.isComposing) field.addEventListener('compositionend', () => queueMicrotask(move), { once: true })
  else move()
}

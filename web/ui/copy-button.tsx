/** A button that copies text and confirms it in its own label. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../text/t.ts'
import { refusedCopy, tryCopy } from './copy.ts'
import { Icon } from './icons.tsx'
import { toast } from './toast.tsx'

/** How long the button shows the confirmation, in milliseconds. */
const saidMs = 2500

interface CopyInput {
  /** The text to copy, or a function that loads it. If there is no text, the function shows a message and resolves to undefined. */
  readonly text: string | (() => Promise<string | undefined>)
  /** The name of the copied content, in the page's language. Screen readers announce it. */
  readonly what: string
  /** The visible label. */
  readonly words: string
  /** The accessible name, if the visible label is ambiguous. */
  readonly label?: string
  /** A message that appears after copying, about the copied content. */
  readonly note?: string | undefined
  readonly class?: string
  readonly disabled?: boolean
}

export function CopyButton({ text, what, words, label, note, class: look = 'button', disabled = false }: CopyInput): JSX.Element {
  const copied = useSignal(false)
  const busy = useSignal(false)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async (): Promise<void> => {
    if (busy.value || disabled) return
    busy.value = true
    const found = typeof text === 'string' ? text : await text()
    busy.value = false
    if (found === undefined) return
    if (!(await tryCopy(found))) return refusedCopy()
    if (note !== undefined) toast(note)
    clearTimeout(timer.current)
    copied.value = true
    timer.current = setTimeout(() => (copied.value = false), saidMs)
  }
  return (
    <>
      <button
        type='button'
        class={copied.value ? `${look} copied` : look}
        aria-label={label}
        aria-disabled={disabled || busy.value}
        onClick={() => void copy()}
      >
        <Icon name={copied.value ? 'check' : 'copy'} size={18} />
        {/* The button is as wide as the longer of its two labels, so that its width does not change. */}
        <span class='copy-words' data-other={copied.value ? words : t('Copied')}>
          {copied.value ? t('Copied') : words}
        </span>
      </button>
      <span class='sr-only' role='status'>
        {copied.value ? t('{what} copied', { what }) : ''}
      </span>
    </>
  )
}

/** One short message at a time, bottom left. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { Icon } from './icons.tsx'

interface Offer {
  readonly text: string
  readonly name: string
  readonly run: () => void
}

const shownMs = 5000
const passing = signal<string | undefined>(undefined)
const staying = signal<Offer | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

/** Shows a message for five seconds. */
export function toast(text: string): void {
  clearTimeout(timer)
  passing.value = text
  timer = setTimeout(() => (passing.value = undefined), shownMs)
}

/** Shows a message with a button until it is taken up or closed; others may pass over it. */
export function offer(text: string, name: string, run: () => void): void {
  staying.value = { text, name, run }
}

function OfferToast({ text, name, run }: Offer): JSX.Element {
  return (
    <div class='toast'>
      <span>{text}</span>
      <button type='button' class='button quiet' onClick={run}>
        {name}
      </button>
      <button type='button' class='button quiet icon-only' aria-label='Not now' title='Not now' onClick={() => (staying.value = undefined)}>
        <Icon name='x' size={18} />
      </button>
    </div>
  )
}

export function Toasts(): JSX.Element {
  return (
    <div class='toasts' role='status'>
      {passing.value !== undefined ? (
        <div class='toast'>
          <span>{passing.value}</span>
        </div>
      ) : (
        staying.value !== undefined && <OfferToast {...staying.value} />
      )}
    </div>
  )
}

/** One short message at a time, bottom left. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { t } from '../text/t.ts'
import { Icon } from './icons.tsx'

interface Offer {
  readonly text: string
  readonly name: string
  readonly run: () => void
}

const shownMs = 5000
const passing = signal<string | undefined>(undefined)
const staying = signal<Offer | undefined>(undefined)
/** Modal dialogs that are open: what lies under one is not heard and not reached. */
export const modals = signal(0)
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
      <button
        type='button'
        class='button quiet icon-only'
        aria-label={t('Not now')}
        title={t('Not now')}
        onClick={() => (staying.value = undefined)}
      >
        <Icon name='x' size={18} />
      </button>
    </div>
  )
}

/** Stands on the page, and in each modal dialog. */
export function Toasts({ modal = false }: { modal?: boolean }): JSX.Element | null {
  if (!modal && modals.value > 0) return null
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

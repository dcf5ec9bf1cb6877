/** One short message at a time, bottom left. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'

interface Message {
  readonly text: string
  readonly action?: { readonly name: string; readonly run: () => void }
}

const shownMs = 5000
const current = signal<Message | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

/** Shows a message for five seconds; one with an action stays twice as long. */
export function toast(text: string, action?: Message['action']): void {
  clearTimeout(timer)
  current.value = action === undefined ? { text } : { text, action }
  timer = setTimeout(() => (current.value = undefined), action === undefined ? shownMs : 2 * shownMs)
}

export function Toasts(): JSX.Element {
  const message = current.value
  return (
    <div class='toasts' role='status'>
      {message !== undefined && (
        <div class='toast'>
          <span>{message.text}</span>
          {message.action !== undefined && (
            <button type='button' class='button quiet' onClick={message.action.run}>
              {message.action.name}
            </button>
          )}
        </div>
      )}
    </div>
  )
}

/** Short messages at the bottom left. The last temporary message is above the offers, which stay. */
import { signal } from '@preact/signals'
import type { JSX, TargetedEvent } from 'preact'
import { t } from '../text/t.ts'
import { IconButton } from './icon-button.tsx'

interface Offer {
  readonly text: string
  readonly name: string
  readonly run: () => void
}

/** A message that disappears after a while, with an action that it offers. */
interface Passing {
  readonly text: string
  /** Number of modal dialogs that were open when the message was made. */
  readonly over: number
  readonly step?: { readonly name: string; readonly run: () => void }
}

const shownMs = 5000
const passing = signal<Passing | undefined>(undefined)
/** The offers, newest first. */
const staying = signal<readonly Offer[]>([])
/** Maximum number of offers that are visible at once. Older ones appear when others are closed. */
const offersMax = 3
/** Number of open modal dialogs. Screen readers and the focus cannot reach anything below one. */
export const modals = signal(0)
let timer: ReturnType<typeof setTimeout> | undefined

/** Shows a message for five seconds, or for as long as it offers an action. */
export function toast(text: string, step?: { readonly name: string; readonly run: () => void; readonly milliseconds: number }): void {
  clearTimeout(timer)
  passing.value = { text, over: modals.peek(), ...(step !== undefined && { step }) }
  timer = setTimeout(() => (passing.value = undefined), step?.milliseconds ?? shownMs)
}

/** Removes the temporary message. If text is given, only a message with this text is removed. */
export const dropToast = (text?: string): void => {
  if ((text ?? passing.peek()?.text) !== passing.peek()?.text) return
  clearTimeout(timer)
  passing.value = undefined
}

/**
 * Shows a message with a button until the person uses or closes it. It replaces only an offer with the same text. Returns a function that removes it.
 */
export function offer(text: string, name: string, run: () => void): () => void {
  const made: Offer = { text, name, run }
  staying.value = [made, ...staying.peek().filter((each) => each.text !== text)]
  return () => remove(made)
}

const remove = (made: Offer): void => {
  staying.value = staying.peek().filter((each) => each !== made)
}

/** The element that had the focus before it moved into a message. */
let before: EventTarget | null = null

const entered = ({ currentTarget, relatedTarget }: TargetedEvent<HTMLElement, FocusEvent>): void => {
  if (!currentTarget.contains(relatedTarget as Node | null)) before = relatedTarget
}

/** Returns the focus from a message to where it was. */
const leave = (element: HTMLElement): void => {
  if (before instanceof HTMLElement && element.contains(document.activeElement)) before.focus({ preventScroll: true })
}

/** Keeps the focus where it is when a button of a message is pressed, so that typing continues in the text. */
const pressed = (event: MouseEvent): void => {
  if (event.target instanceof Element && event.target.closest('button') !== null) event.preventDefault()
}

/** Returns the focus when a message is removed. */
const leaveAtEnd = (element: HTMLElement | null): (() => void) | undefined => (element === null ? undefined : () => leave(element))

function OfferToast({ made }: { made: Offer }): JSX.Element {
  const { text, name, run } = made
  const use = (): void => {
    remove(made)
    run()
  }
  return (
    <div class='toast' ref={leaveAtEnd}>
      <span>{text}</span>
      <button type='button' class='button quiet' onClick={use}>
        {name}
      </button>
      <IconButton icon='x' label={t('Close')} size={18} onClick={() => remove(made)} />
    </div>
  )
}

/** Draws the messages. It is part of the page and of each modal dialog. A dialog shows only messages that were made while it was open. */
export function Toasts({ modal = false }: { modal?: boolean }): JSX.Element {
  // The element stays while a dialog covers it, because it is observed (clear-of-fields.ts).
  const isCovered = !modal && modals.value > 0
  const { text, step, over } = passing.value ?? { over: 0 }
  return (
    <div
      class='toasts'
      role='status'
      onFocusIn={entered}
      onMouseDown={pressed}
      onClickCapture={({ currentTarget }) => leave(currentTarget)}
    >
      {text !== undefined && (modal ? over > 0 : !isCovered) && (
        <div class='toast' key={passing.value} ref={leaveAtEnd}>
          <span dir='auto'>{text}</span>
          {step !== undefined && (
            <button type='button' class='button quiet' onClick={step.run}>
              {step.name}
            </button>
          )}
        </div>
      )}
      {!modal && !isCovered && staying.value.slice(0, offersMax).map((made) => <OfferToast key={made} made={made} />)}
    </div>
  )
}

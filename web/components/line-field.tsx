/** A field of one line: Enter writes, Esc cancels. A person who goes elsewhere has written, too: no word is lost by a click. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface LineFieldInput {
  readonly label: string
  readonly value?: string
  /** Its content is stored here, too: it may be taken away with its column. */
  readonly typed: { current: string }
  /** True: it stays, for the next one. */
  readonly onDone: (text: string) => boolean
  readonly onCancel: () => void
  /** The focus is elsewhere already. */
  readonly onLeave: (text: string) => void
}

export function LineField(input: LineFieldInput): JSX.Element {
  const { label, value = '', typed, onDone, onCancel } = input
  const field = useRef<HTMLInputElement>(null)
  /** Columns may have moved between leaving and writing. */
  const last = useRef(input)
  last.current = input
  const isOver = useRef(false)
  const isPressed = useRef(false)
  useLayoutEffect(() => {
    typed.current = value
    field.current?.focus()
    field.current?.select()
    const press = ({ type }: Event): void => {
      isPressed.current = type === 'pointerdown'
    }
    const kinds = ['pointerdown', 'pointerup', 'pointercancel']
    for (const kind of kinds) addEventListener(kind, press, { capture: true })
    return () => {
      isOver.current = true
      for (const kind of kinds) removeEventListener(kind, press, { capture: true })
    }
  }, [])

  const left = (element: HTMLInputElement): void => {
    // It is taken away, or the whole window was left.
    if (isOver.current || (element.getRootNode() as ShadowRoot | Document).activeElement === element) return
    const leave = (): void => {
      removeEventListener('pointerup', later)
      removeEventListener('pointercancel', later)
      // A component that is not drawn for a while keeps its field.
      if (isOver.current || element.isConnected) last.current.onLeave(element.value)
    }
    const later = (): void => void setTimeout(leave)
    // A pressed element must not move away before it is let go.
    if (!isPressed.current) return later()
    addEventListener('pointerup', later)
    addEventListener('pointercancel', later)
  }
  return (
    <input
      class='field'
      type='text'
      dir='auto'
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      ref={field}
      onInput={({ currentTarget }) => (typed.current = currentTarget.value)}
      onKeyDown={(event) => {
        if (event.isComposing) return
        if (event.key === 'Enter') {
          const { currentTarget: element } = event
          if (onDone(element.value)) element.value = typed.current = ''
        } else if (event.key === 'Escape') onCancel()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
      onBlur={({ currentTarget }) => left(currentTarget)}
    />
  )
}

/** A field of one line: Enter writes, Esc cancels. Leaving the field also writes, so that a click elsewhere loses nothing. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface LineFieldInput {
  readonly label: string
  readonly value?: string
  /** Reports its content, because the field may be removed with its column. */
  readonly onInput: (text: string) => void
  /** Returns true if the field should stay open for the next entry. */
  readonly onDone: (text: string) => boolean
  readonly onCancel: () => void
  /** The focus is already elsewhere. */
  readonly onLeave: (text: string) => void
}

export function LineField(input: LineFieldInput): JSX.Element {
  const { label, value = '', onInput, onDone, onCancel } = input
  const field = useRef<HTMLInputElement>(null)
  /** Columns may have moved between leaving and writing. */
  const last = useRef(input)
  last.current = input
  const isOver = useRef(false)
  const isPressed = useRef(false)
  useLayoutEffect(() => {
    onInput(value)
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
    // The field was removed, or the whole window lost the focus.
    if (isOver.current || (element.getRootNode() as ShadowRoot | Document).activeElement === element) return
    const leave = (): void => {
      removeEventListener('pointerup', later)
      removeEventListener('pointercancel', later)
      // A component that is temporarily not drawn keeps its field.
      if (isOver.current || element.isConnected) last.current.onLeave(element.value)
    }
    const later = (): void => void setTimeout(leave)
    // A pressed element must not move before it is released.
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
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.isComposing) return
        if (event.key === 'Enter') {
          const { currentTarget: element } = event
          if (onDone(element.value)) element.value = ''
        } else if (event.key === 'Escape') onCancel()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
      onBlur={({ currentTarget }) => left(currentTarget)}
    />
  )
}

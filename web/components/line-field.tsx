/** A text field of one line. Enter saves the text and Esc discards it. Leaving the field also saves, so that a click elsewhere loses nothing. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface LineFieldInput {
  readonly label: string
  readonly value?: string
  /** Called with the text after each change, because the field may be removed together with its column. */
  readonly onInput: (text: string) => void
  /** Called when the person confirms the text. Returns true if the field should stay open for the next entry. */
  readonly onDone: (text: string) => boolean
  readonly onCancel: () => void
  /** Called when the focus has moved elsewhere. */
  readonly onLeave: (text: string) => void
}

export function LineField(input: LineFieldInput): JSX.Element {
  const { label, value = '', onInput, onDone, onCancel } = input
  const field = useRef<HTMLInputElement>(null)
  /** The newest props. The columns may have moved between leaving the field and saving its text. */
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
    // The focus is not lost if the field was removed, or if the entire window lost the focus.
    if (isOver.current || (element.getRootNode() as ShadowRoot | Document).activeElement === element) return
    const leave = (): void => {
      removeEventListener('pointerup', later)
      removeEventListener('pointercancel', later)
      // A field in a component that is temporarily not drawn stays open.
      if (isOver.current || element.isConnected) last.current.onLeave(element.value)
    }
    const later = (): void => void setTimeout(leave)
    // A pressed element must not move before the person releases it.
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

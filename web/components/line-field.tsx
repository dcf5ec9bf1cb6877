/** A field of one line: Enter writes, Esc cancels. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface LineFieldInput {
  readonly label: string
  readonly value?: string
  readonly onDone: (text: string) => void
  /** By the key it was cancelled; else the focus is elsewhere already. */
  readonly onCancel: (isByKey: boolean) => void
}

export function LineField({ label, value = '', onDone, onCancel }: LineFieldInput): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  return (
    <input
      class='field'
      type='text'
      dir='auto'
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      ref={field}
      onKeyDown={(event) => {
        if (event.isComposing) return
        if (event.key === 'Enter') {
          const { value: written } = event.currentTarget
          // It may stay for the next one.
          event.currentTarget.value = ''
          onDone(written)
        } else if (event.key === 'Escape') onCancel(true)
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
      onBlur={() => onCancel(false)}
    />
  )
}

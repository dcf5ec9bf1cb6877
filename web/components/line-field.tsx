/** A field of one line: Enter writes, Esc leaves. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface LineFieldInput {
  readonly label: string
  readonly value?: string
  readonly onDone: (text: string) => void
  readonly onCancel: () => void
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
        } else if (event.key === 'Escape') onCancel()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
      onBlur={onCancel}
    />
  )
}

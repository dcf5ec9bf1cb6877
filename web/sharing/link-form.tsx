/** The form that changes the name and the end of an existing link. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { limits } from '../../shared/limits.ts'
import { t } from '../text/t.ts'
import { EndField } from './end-field.tsx'
import { endOf, type LinkEnd } from './expiry.ts'
import type { LinkChange } from './links.ts'
import type { Share } from './requests.ts'

interface LinkFormInput {
  readonly share: Share
  readonly disabled: boolean
  readonly onSave: (change: LinkChange) => void
  readonly onCancel: () => void
}

export function LinkForm({ share, disabled, onSave, onCancel }: LinkFormInput): JSX.Element {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const label = useSignal(share.label ?? '')
  const end = useSignal<LinkEnd>({ expiry: share.expiresAt === null ? 'never' : 'keep', day: '' })
  useLayoutEffect(() => {
    field.current?.select()
    field.current?.form?.scrollIntoView({ block: 'nearest' })
  }, [])
  const save = (): void => {
    const { expiry, day } = end.value
    const name = label.value.trim()
    onSave({ label: name === '' ? null : name, ...(expiry !== 'keep' && { expiresAt: endOf(expiry, day, Date.now()) ?? null }) })
  }
  return (
    <form
      class='share-form'
      onSubmit={(event: Event) => {
        event.preventDefault()
        if (!disabled) save()
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        onCancel()
      }}
    >
      <div class='field grow'>
        <label for={id}>{t('Who is it for?')}</label>
        <input
          id={id}
          ref={field}
          type='text'
          maxLength={limits.labelUnitsMax}
          autocomplete='off'
          value={label.value}
          onInput={(event: Event) => (label.value = (event.target as HTMLInputElement).value)}
        />
      </div>
      <EndField {...end.value} present={share.expiresAt ?? undefined} onChange={(part) => (end.value = { ...end.value, ...part })} />
      <span class='share-actions'>
        <button type='button' class='button quiet' onClick={onCancel}>
          {t('Cancel')}
        </button>
        <button class='button' aria-disabled={disabled}>
          {t('Save')}
        </button>
      </span>
    </form>
  )
}

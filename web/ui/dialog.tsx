/** A native dialog: Esc and a click beside it close it. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../text/t.ts'
import { Icon } from './icons.tsx'
import { modals, Toasts } from './toast.tsx'

interface DialogInput {
  readonly title: string
  readonly about?: string
  /** For more than a few fields. */
  readonly wide?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, about, wide = false, onClose, children }: DialogInput): JSX.Element {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    element.current?.showModal()
    modals.value += 1
    return () => {
      modals.value -= 1
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog roomy' : 'dialog'}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event: MouseEvent) => event.target === element.current && element.current?.close()}
    >
      <div class='dialog-body'>
        <header class='dialog-head'>
          <h2 id={titleId}>{title}</h2>
          <button type='button' class='button quiet icon-only' aria-label={t('Close')} onClick={() => element.current?.close()}>
            <Icon name='x' />
          </button>
        </header>
        {about !== undefined && <p class='muted'>{about}</p>}
        {children}
      </div>
      <Toasts modal />
    </dialog>
  )
}

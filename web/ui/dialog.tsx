/** A native dialog. Esc or a click outside closes it. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import { t } from '../text/t.ts'
import { IconButton } from './icon-button.tsx'
import { useModal } from './modal.ts'
import { modals, Toasts } from './toast.tsx'

interface DialogInput {
  readonly title: string
  readonly about?: string
  /** Set for dialogs with more than a few fields. */
  readonly wide?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, about, wide = false, onClose, children }: DialogInput): JSX.Element {
  const { ref, close, ends, pressed } = useModal(onClose)
  const titleId = useId()
  useEffect(() => {
    modals.value += 1
    return () => {
      modals.value -= 1
    }
  }, [])
  return (
    <dialog ref={ref} class={wide ? 'dialog roomy' : 'dialog'} aria-labelledby={titleId} {...ends} onClick={pressed}>
      <div class='dialog-body'>
        <header class='dialog-head'>
          <h2 id={titleId}>{title}</h2>
          <IconButton icon='x' label={t('Close')} onClick={close} />
        </header>
        {about !== undefined && <p class='muted'>{about}</p>}
        {children}
      </div>
      <Toasts modal />
    </dialog>
  )
}

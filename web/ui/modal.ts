/** Manages a native modal dialog, which opens when its component is mounted. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Modal {
  readonly ref: RefObject<HTMLDialogElement | null>
  /** Closes the dialog, restores the focus and calls `onEnd`. */
  close(): void
  /** Event handlers for the dialog element. They handle Esc and every other way to close. */
  readonly ends: { onCancel(event: Event): void; onClose(): void }
  /** Event handler for the dialog element. A press outside the dialog closes it. */
  readonly pressed: (event: MouseEvent) => void
}

/**
 * Opens the dialog. `onEnd` is called once, before the next key press. A browser reports the end of a dialog one task later. By then, a key press may
 * have opened another dialog, which the late event would close.
 */
export function useModal(onEnd: () => void): Modal {
  const ref = useRef<HTMLDialogElement>(null)
  const hasEnded = useRef(false)
  useEffect(() => {
    ref.current?.showModal()
    // The element is being removed, so a later close event must be ignored.
    return () => {
      hasEnded.current = true
    }
  }, [])
  const close = (): void => {
    if (hasEnded.current) return
    hasEnded.current = true
    ref.current?.close()
    onEnd()
  }
  // A file input inside the dialog sends `cancel` events too.
  const isOwn = ({ target }: Event): boolean => target === ref.current
  return {
    ref,
    close,
    ends: { onCancel: (event) => isOwn(event) && close(), onClose: close },
    pressed: (event) => isOwn(event) && close()
  }
}

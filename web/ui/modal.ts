/** A native dialog over the page, which opens when its component is mounted. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Modal {
  readonly ref: RefObject<HTMLDialogElement | null>
  /** Closes it, restores the focus and calls `onEnd`. */
  close(): void
  /** Handlers for the element: Esc and every other way to close. */
  readonly ends: { onCancel(event: Event): void; onClose(): void }
  /** A handler for the element: a press outside the dialog closes it. */
  readonly pressed: (event: MouseEvent) => void
}

/**
 * `onEnd` is called once, before the next key. A browser reports the end of a dialog one task later; by then a key may have opened another dialog,
 * which the late event would close.
 */
export function useModal(onEnd: () => void): Modal {
  const ref = useRef<HTMLDialogElement>(null)
  const hasEnded = useRef(false)
  useEffect(() => {
    ref.current?.showModal()
    // The element is removed: a close event that is still to come would be late.
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
  // A file input inside it sends `cancel` events of its own.
  const isOwn = ({ target }: Event): boolean => target === ref.current
  return {
    ref,
    close,
    ends: { onCancel: (event) => isOwn(event) && close(), onClose: close },
    pressed: (event) => isOwn(event) && close()
  }
}

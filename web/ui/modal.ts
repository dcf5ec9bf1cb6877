/** A native dialog over the page, from the moment that its component stands. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Modal {
  readonly ref: RefObject<HTMLDialogElement | null>
  /** Closes it, gives the focus back and tells `onEnd`. */
  close(): void
  /** Handlers of its element: Esc and every other end. */
  readonly ends: { onCancel(event: Event): void; onClose(): void }
  /** A handler of its element that closes it by a press next to it. */
  readonly pressed: (event: MouseEvent) => void
}

/**
 * `onEnd` is called once, before the next key: a browser tells the end of a dialog a task later, when a key may have opened another one,
 * which that late word would close.
 */
export function useModal(onEnd: () => void): Modal {
  const ref = useRef<HTMLDialogElement>(null)
  const hasEnded = useRef(false)
  useEffect(() => {
    ref.current?.showModal()
    // Its element is taken away: a word of its end that is still under way is late.
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
  // A field for files within it sends `cancel` of its own.
  const isOwn = ({ target }: Event): boolean => target === ref.current
  return {
    ref,
    close,
    ends: { onCancel: (event) => isOwn(event) && close(), onClose: close },
    pressed: (event) => isOwn(event) && close()
  }
}

/**
 * The panel to the right of the text, which is a sheet at the bottom on a phone. Only one panel is open at a time. Esc closes it and restores the
 * focus.
 */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../text/t.ts'
import { IconButton } from './icon-button.tsx'

interface SidePanelInput {
  readonly title: string
  /** Controls next to the title. */
  readonly tools?: ComponentChildren
  /** Controls above the contents. They stay in view while the contents scroll. */
  readonly bar?: ComponentChildren
  readonly onClose: () => void
  readonly onKeyDown?: (event: KeyboardEvent) => void
  readonly children: ComponentChildren
}

export function SidePanel({ title, tools, bar, onClose, onKeyDown, children }: SidePanelInput): JSX.Element {
  const titleId = useId()
  /** The element that had the focus before: usually the button that opens the panel, or the text. */
  const before = useRef<Element>(null)
  useEffect(() => {
    before.current = document.activeElement
    return () => {
      // Restores the focus only if the panel had it.
      if (document.activeElement !== document.body && document.activeElement !== null) return
      const { current } = before
      const target = current instanceof HTMLElement && current.isConnected ? current : document.querySelector<HTMLElement>('.cm-content')
      target?.focus()
    }
  }, [])
  const keyDown = (event: KeyboardEvent): void => {
    onKeyDown?.(event)
    if (event.defaultPrevented || event.key !== 'Escape') return
    event.preventDefault()
    onClose()
  }
  useEffect(() => {
    // The key is also meant for the panel at its button, and if the focused element is gone.
    const keyOnPage = ({ key, target, defaultPrevented }: KeyboardEvent): void => {
      const isOfPanel = target === document.body || (target instanceof HTMLButtonElement && target === before.current)
      if (key === 'Escape' && !defaultPrevented && isOfPanel) onClose()
    }
    addEventListener('keydown', keyOnPage)
    return () => removeEventListener('keydown', keyOnPage)
  }, [onClose])
  return (
    <section class='side-panel' aria-labelledby={titleId} onKeyDown={keyDown}>
      <header class='side-panel-head'>
        <h2 id={titleId}>{title}</h2>
        <span class='spread' />
        {tools}
        <IconButton icon='x' label={t('Close')} onClick={onClose} />
      </header>
      {bar}
      {/* The element scrolls, so keyboard users must be able to focus it. */}
      <div class='side-panel-body' tabIndex={0} role='group' aria-labelledby={titleId}>
        {children}
      </div>
    </section>
  )
}

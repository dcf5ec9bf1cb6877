/** The component menus. Each is a native popover next to the control that opens it, so that Esc and a click elsewhere close it. */
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { moveInMenu } from './menu-keys.ts'

interface PopInput {
  readonly label: string
  /** The element next to which the menu opens. It takes the focus when the menu closes. */
  readonly anchor: HTMLElement
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Distance between the menu and its anchor, and between the menu and the edges of the page, in pixels. */
const gap = 4

export function Pop({ label, anchor, onClose, children }: PopInput): JSX.Element {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const menu = element.current
    if (menu === null) return
    menu.showPopover()
    const { left, top, bottom } = anchor.getBoundingClientRect()
    const below = bottom + gap + menu.offsetHeight <= innerHeight
    menu.style.left = `${Math.max(gap, Math.min(left, innerWidth - menu.offsetWidth - gap))}px`
    menu.style.top = `${below ? bottom + gap : Math.max(gap, top - gap - menu.offsetHeight)}px`
    menu.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus()
  }, [])

  const toggled = ({ newState }: Pick<ToggleEvent, 'newState'>): void => {
    if (newState === 'closed') onClose()
  }
  const keyDown = (event: KeyboardEvent): void => {
    const menu = element.current
    if (menu === null) return
    if (event.key !== 'Escape' && event.key !== 'Tab')
      return moveInMenu(event, [...menu.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)')])
    menu.hidePopover()
    anchor.focus()
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class='pop' role='menu' aria-label={label} popover='auto' ref={element} onToggle={toggled} onKeyDown={keyDown}>
      {children}
    </div>
  )
}

interface PopItemInput {
  readonly onChoose: () => void
  readonly disabled?: boolean
  /** The reason why the item cannot be chosen, shown below its name. Keyboard users can still focus the item. */
  readonly why?: string | undefined
  readonly children: ComponentChildren
}

export const PopItem = ({ onChoose, disabled = false, why, children }: PopItemInput): JSX.Element => (
  <button
    type='button'
    role='menuitem'
    class='pop-item'
    tabIndex={-1}
    disabled={disabled}
    aria-disabled={why === undefined ? undefined : 'true'}
    onClick={({ currentTarget }) => {
      if (why !== undefined) return
      currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
      onChoose()
    }}
  >
    {children}
    {why !== undefined && <span class='pop-why'>{why}</span>}
  </button>
)

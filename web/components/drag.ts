/**
 * Lets a person drag a part of a component. An image of the part follows the pointer, and a line marks the target. The component is redrawn only
 * after the drop.
 */

/** Position of the line that marks the target, in pixels relative to the window. */
interface Line {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface Target<To> {
  readonly to: To
  readonly line: Line
}

interface DragInput<To> {
  readonly event: PointerEvent
  /** The element of the dragged part. */
  readonly item: HTMLElement
  /** The element of the component. */
  readonly root: HTMLElement | null
  /** Returns the target at a point of the window, or undefined if there is none. */
  target(root: HTMLElement, x: number, y: number): Target<To> | undefined
  start(): void
  end(): void
  drop(to: To): void
}

/** Longest movement that still counts as a click, in pixels. */
const stillMax = 5
/** Distance from the edge at which the component starts to scroll, in pixels. */
const edge = 40
const scrollStep = 12
/** Thickness of the line that marks the target, in pixels. */
export const lineSize = 3

/** Suppresses the click that ends a drag. If a key ended the drag, the mouse button is still down. */
function swallowClick(root: HTMLElement, isPressed: boolean): void {
  const swallow = (event: Event): void => event.stopPropagation()
  root.addEventListener('click', swallow, { capture: true })
  // The browser fires the click in the task in which the button is released.
  const stop = (): void => void setTimeout(() => root.removeEventListener('click', swallow, { capture: true }))
  if (isPressed) addEventListener('pointerup', stop, { capture: true, once: true })
  else stop()
}

/** Creates the image that follows the pointer. */
function ghostOf(item: HTMLElement): HTMLElement {
  const box = item.getBoundingClientRect()
  const ghost = item.cloneNode(true) as HTMLElement
  ghost.classList.add('ghost')
  for (const each of [ghost, ...ghost.querySelectorAll<HTMLElement>('[data-place]')]) {
    each.removeAttribute('data-place')
    each.removeAttribute('data-column')
  }
  ghost.inert = true
  Object.assign(ghost.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px` })
  return ghost
}

/** Scrolls the component when the pointer is near its edge. Returns false if it cannot scroll further. */
function scrollAtEdge(root: HTMLElement, x: number, y: number): boolean {
  const scroller = root.querySelector('.board, .sheet-scroll')
  const area = scroller?.getBoundingClientRect()
  if (scroller == null || area === undefined) return false
  const stepAt = (at: number, from: number, to: number): number => (at > to - edge ? scrollStep : at < from + edge ? -scrollStep : 0)
  const before = [scroller.scrollLeft, scroller.scrollTop]
  scroller.scrollLeft += stepAt(x, area.left, area.right)
  // The columns of a board scroll separately.
  if (scroller.classList.contains('sheet-scroll')) scroller.scrollTop += stepAt(y, area.top, area.bottom)
  return scroller.scrollLeft !== before[0] || scroller.scrollTop !== before[1]
}

export function startDrag<To>({ event, item, root, target, start, end, drop }: DragInput<To>): void {
  const [pressed] = event.composedPath()
  // On a touch screen a swipe scrolls the board, and a menu moves the cards. A press on a control, link or field keeps its usual effect.
  if (root === null || event.button !== 0 || event.pointerType === 'touch') return
  if (pressed instanceof Element && pressed.closest('button, a, input, textarea') !== null) return
  const { clientX, clientY, pointerId } = event
  let ghost: HTMLElement | undefined
  let line: HTMLElement | undefined
  let found: Target<To> | undefined
  let [x, y] = [clientX, clientY]
  let frame = 0

  const draw = (): void => {
    frame = 0
    if (ghost === undefined || line === undefined) return
    ghost.style.transform = `translate(${x - clientX}px, ${y - clientY}px)`
    found = target(root, x, y)
    line.hidden = found === undefined
    if (found !== undefined) {
      const { left, top, width, height } = found.line
      Object.assign(line.style, { width: `${width}px`, height: `${height}px`, transform: `translate(${left}px, ${top}px)` })
    }
    if (scrollAtEdge(root, x, y)) frame = requestAnimationFrame(draw)
  }
  const begin = (): void => {
    start()
    item.setPointerCapture(pointerId)
    ghost = ghostOf(item)
    line = document.createElement('div')
    line.className = 'drop-line'
    root.append(ghost, line)
    item.classList.add('dragged')
  }
  const move = (moved: PointerEvent): void => {
    x = moved.clientX
    y = moved.clientY
    if (ghost === undefined && Math.hypot(x - clientX, y - clientY) < stillMax) return
    if (ghost === undefined) begin()
    frame ||= requestAnimationFrame(draw)
  }
  // Dragging must not select text. The event does not leave the shadow root, so the document and the root each have a listener.
  const keepUnselected = (selecting: Event): void => selecting.preventDefault()
  const selecting = [document, root.getRootNode()]
  const stop = (isDropped: boolean, isPressed = false): void => {
    cancelAnimationFrame(frame)
    for (const each of selecting) each.removeEventListener('selectstart', keepUnselected)
    removeEventListener('pointermove', move)
    removeEventListener('pointerup', up)
    removeEventListener('pointercancel', cancel)
    removeEventListener('keydown', escape, { capture: true })
    if (ghost === undefined) return
    ghost.remove()
    line?.remove()
    item.classList.remove('dragged')
    swallowClick(root, isPressed)
    end()
    if (isDropped && found !== undefined) drop(found.to)
  }
  const up = (moved: PointerEvent): void => {
    x = moved.clientX
    y = moved.clientY
    // Otherwise, the frame that is due would continue to scroll after the drop.
    cancelAnimationFrame(frame)
    if (ghost !== undefined) draw()
    stop(true)
  }
  const cancel = (): void => stop(false)
  const escape = (key: KeyboardEvent): void => {
    if (key.key !== 'Escape') return
    key.preventDefault()
    key.stopPropagation()
    stop(false, true)
  }
  for (const each of selecting) each.addEventListener('selectstart', keepUnselected)
  // Listens on the window, because a fast pointer leaves the part before its first move event.
  addEventListener('pointermove', move)
  addEventListener('pointerup', up)
  addEventListener('pointercancel', cancel)
  addEventListener('keydown', escape, { capture: true })
}

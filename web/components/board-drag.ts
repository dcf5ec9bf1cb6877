/** Moves a card with the pointer: a picture of it follows, a line shows where it would go. Nothing of the board is drawn anew until it is dropped. */
import type { CardPlace } from '../../shared/fences/board.ts'

interface DragInput {
  readonly event: PointerEvent
  /** The card. */
  readonly item: HTMLElement
  /** The board. */
  readonly root: HTMLElement | null
  start(): void
  end(): void
  drop(to: CardPlace): void
}

/** A press that moves less than this is a click, in pixels. */
const stillMax = 5
/** So near to the edge of the board it scrolls, by so much a frame, in pixels. */
const edge = 40
const scrollStep = 12

/** Where a card would go at a point: before another one, or at the end of a column. */
function targetAt(root: HTMLElement, x: number, y: number): { place: CardPlace; line: DOMRect; below: boolean } | undefined {
  const [found] = (root.getRootNode() as ShadowRoot | Document).elementsFromPoint(x, y).filter((each) => root.contains(each))
  const column = found?.closest<HTMLElement>('[data-column]')
  if (column == null) return undefined
  const index = Number(column.dataset['column'])
  const card = found?.closest<HTMLElement>('[data-place]') ?? null
  const last = column.querySelector<HTMLElement>('[data-place]:last-of-type')
  const over = card ?? last
  if (over === null) {
    const head = column.querySelector('.board-cards') ?? column
    return { place: { column: index, card: 0 }, line: head.getBoundingClientRect(), below: false }
  }
  const box = over.getBoundingClientRect()
  const below = card === null || y > box.top + box.height / 2
  const at = Number(over.dataset['place']?.split(':')[1])
  return { place: { column: index, card: below ? at + 1 : at }, line: box, below }
}

export function startDrag({ event, item, root, start, end, drop }: DragInput): void {
  const [pressed] = event.composedPath()
  // A finger scrolls; the menu moves for it. Controls and links are pressed, words are selected in fields.
  if (root === null || event.button !== 0 || event.pointerType === 'touch') return
  if (pressed instanceof Element && pressed.closest('button, a, input, textarea') !== null) return
  const { clientX, clientY, pointerId } = event
  const box = item.getBoundingClientRect()
  let ghost: HTMLElement | undefined
  let line: HTMLElement | undefined
  let place: CardPlace | undefined
  let [x, y] = [clientX, clientY]
  let frame = 0

  const draw = (): void => {
    frame = 0
    if (ghost === undefined || line === undefined) return
    ghost.style.transform = `translate(${x - clientX}px, ${y - clientY}px)`
    const found = targetAt(root, x, y)
    place = found?.place
    line.hidden = found === undefined
    if (found !== undefined) {
      const top = found.below ? found.line.bottom + 2 : found.line.top - 4
      line.style.width = `${found.line.width}px`
      line.style.transform = `translate(${found.line.left}px, ${top}px)`
    }
    const board = root.querySelector('.board')
    const area = board?.getBoundingClientRect()
    if (board == null || area === undefined) return
    const by = x > area.right - edge ? scrollStep : x < area.left + edge ? -scrollStep : 0
    if (by === 0) return
    const before = board.scrollLeft
    board.scrollLeft += by
    if (board.scrollLeft !== before) frame = requestAnimationFrame(draw)
  }
  const begin = (): void => {
    start()
    item.setPointerCapture(pointerId)
    ghost = item.cloneNode(true) as HTMLElement
    ghost.classList.add('ghost')
    ghost.removeAttribute('data-place')
    ghost.inert = true
    Object.assign(ghost.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px` })
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
  // A press that moves moves the card: it selects no words.
  const keepUnselected = (selecting: Event): void => selecting.preventDefault()
  const stop = (isDropped: boolean): void => {
    cancelAnimationFrame(frame)
    document.removeEventListener('selectstart', keepUnselected)
    item.removeEventListener('pointermove', move)
    item.removeEventListener('pointerup', up)
    item.removeEventListener('pointercancel', cancel)
    removeEventListener('keydown', escape, { capture: true })
    if (ghost === undefined) return
    ghost.remove()
    line?.remove()
    item.classList.remove('dragged')
    end()
    if (isDropped && place !== undefined) drop(place)
  }
  const up = (moved: PointerEvent): void => {
    x = moved.clientX
    y = moved.clientY
    if (ghost !== undefined) draw()
    stop(true)
  }
  const cancel = (): void => stop(false)
  const escape = (key: KeyboardEvent): void => {
    if (key.key !== 'Escape') return
    key.preventDefault()
    key.stopPropagation()
    stop(false)
  }
  document.addEventListener('selectstart', keepUnselected)
  item.addEventListener('pointermove', move)
  item.addEventListener('pointerup', up)
  item.addEventListener('pointercancel', cancel)
  addEventListener('keydown', escape, { capture: true })
}

/**
 * The cards next to the text, each at its words, with a thin connecting line. They are inside the scroll container of the editor, so they scroll with
 * the text.
 */
import type { EditorView } from '@codemirror/view'
import { render, type JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../../text/t.ts'
import { Card } from './cards.tsx'
import { authorOf, isOpen, type Item } from '../annotations/items.ts'
import { pushedApart } from './layout.ts'
import { hueOf } from '../../presence/colours.ts'
import type { Review } from '../annotations/review.ts'

/** Maximum number of cards that are drawn at once: those around the visible part of the text. */
const cardsMax = 80
/** Distance from the end of the text to a card, in pixels, and the part of this distance that the text leaves free. */
const [leadPixels, paddingPixels] = [28, 72]
/** Longest vertical distance between a card and its text that a line connects, in pixels. It is about the height of a window. */
const linePixelsMax = 800

/** Returns the visible part of the text. Reading it in an effect subscribes to movements of the text. */
const seen = ({ moved, editor }: Review): { from: number; to: number } => (moved.value < 0 ? { from: 0, to: 0 } : editor.viewport)

/** Returns the cards that follow `start`, up to the limit, and always the active card, so that a draft in it survives scrolling. */
function withActive(placed: readonly Item[], active: string | undefined, start: number): readonly Item[] {
  const at = placed.findIndex(({ id }) => id === active)
  if (at < 0 || (at >= start && at < start + cardsMax)) return placed.slice(start, start + cardsMax)
  const [before, after] = at < start ? [placed.slice(at, at + 1), []] : [[], placed.slice(at, at + 1)]
  return [...before, ...placed.slice(start, start + cardsMax - 1), ...after]
}

/** The last offsets of the cards' texts. */
type Offsets = Map<string, number>

/** Returns the items that have a place. If others delete the text of a card that this person types in, the card stays where it is. */
function placedOf({ items, staying, inUse }: Review, offsets: Offsets): readonly Item[] {
  const offsetOf = ({ id }: Item): number => offsets.get(id) ?? 0
  const placed = items.value.filter((item) => {
    if (item.span !== undefined) offsets.set(item.id, item.span.from)
    const isPlaced = item.span !== undefined || (offsets.has(item.id) && inUse.value.has(item.id))
    return isPlaced && (isOpen(item) || staying.value.has(item.id))
  })
  return placed.toSorted((one, other) => offsetOf(one) - offsetOf(other))
}

/** Returns the cards around the visible part of the text, up to the limit. */
function shownOf(review: Review, offsets: Offsets): readonly Item[] {
  const placed = placedOf(review, offsets)
  if (placed.length <= cardsMax) return placed
  const { from, to } = seen(review)
  const first = placed.findIndex(({ span }) => (span?.to ?? 0) >= from)
  const last = placed.findLastIndex(({ span }) => (span?.from ?? 0) <= to)
  const spare = Math.max(0, cardsMax - (last - first + 1)) >> 1
  const start = Math.max(0, (first < 0 ? placed.length : first) - spare)
  return withActive(placed, review.active.value, start)
}

/** Returns the distance from the top of the scroll container to the line of an offset, in pixels. */
function topOf(view: EditorView, at: number): number {
  const outer = view.scrollDOM.getBoundingClientRect()
  const seen = at >= view.viewport.from && at <= view.viewport.to ? view.coordsAtPos(at) : null
  const top = seen?.top ?? view.documentTop + view.lineBlockAt(at).top
  return top - outer.top + view.scrollDOM.scrollTop
}

const svg = 'http://www.w3.org/2000/svg'

/** Positions the cards and their connecting lines. */
function arrange(host: HTMLElement, review: Review, items: readonly Item[], offsets: Offsets): void {
  const { editor } = review
  const cards = items.map(({ id }) => host.querySelector<HTMLElement>(`#annotation-${CSS.escape(id)}`))
  const lines = host.querySelector('svg')
  if (lines === null) return
  const { length } = editor.state.doc
  const positions = items.map(({ id }) => topOf(editor, Math.min(offsets.get(id) ?? 0, length)))
  const heights = cards.map((card) => card?.offsetHeight ?? 0)
  const content = editor.contentDOM
  const end = content.offsetLeft + content.offsetWidth - paddingPixels
  const fixed = items.findIndex(({ id }) => id === review.active.peek())
  const tops = pushedApart(
    positions.map((at, index) => ({ at, height: heights[index] ?? 0 })),
    fixed
  )
  host.style.left = `${end + leadPixels}px`
  lines.replaceChildren(
    ...items.flatMap((item, index) => {
      const card = cards[index]
      const [at, top] = [(positions[index] ?? 0) + 13, (tops[index] ?? 0) + 20]
      if (card != null) card.style.top = `${tops[index] ?? 0}px`
      if (index !== fixed && Math.abs(top - at) > linePixelsMax) return []
      const line = document.createElementNS(svg, 'path')
      line.setAttribute('d', `M${-leadPixels + 2} ${at}h4L-6 ${top}H0`)
      line.setAttribute('class', `hue-${hueOf(authorOf(item))}${index === fixed ? ' active' : ''}`)
      return line
    })
  )
}

function Cards({ review, host }: { review: Review; host: HTMLElement }): JSX.Element {
  const offsets = useRef<Offsets>(new Map()).current
  const items = shownOf(review, offsets)
  const frame = useRef(0)
  const latest = useRef(items)
  latest.current = items
  const layOut = (): void => {
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => arrange(host, review, latest.current, offsets))
  }
  // Positions the cards before the browser paints.
  useLayoutEffect(() => arrange(host, review, items, offsets))
  useEffect(() => {
    const sizes = new ResizeObserver(layOut)
    for (const card of host.querySelectorAll('.card')) sizes.observe(card)
    return () => sizes.disconnect()
  }, [items.map(({ id }) => id).join()])
  useEffect(() => {
    const stop = review.moved.subscribe(layOut)
    return () => {
      stop()
      cancelAnimationFrame(frame.current)
    }
  }, [])
  return (
    <>
      <svg class='margin-lines' aria-hidden='true' />
      {items.map((item) => (
        <Card key={review.cardKeyOf(item)} review={review} item={item} />
      ))}
    </>
  )
}

/** Draws the cards inside the editor, so the component itself renders nothing. */
export function Margin({ review }: { review: Review }): null {
  useEffect(() => {
    const host = document.createElement('section')
    host.className = 'margin'
    host.setAttribute('aria-label', t('Comments and suggestions next to the text'))
    review.editor.scrollDOM.append(host)
    render(<Cards review={review} host={host} />, host)
    return () => {
      render(null, host)
      host.remove()
    }
  }, [])
  return null
}

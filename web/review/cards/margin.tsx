/**
 * Cards next to the text, each at its words and joined to them by a thin line. They stand inside the scrolling part of the editor, so they
 * move with the text without being moved.
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

/** More cards than this are not shown at once: those about the place that is seen. */
const cardsMax = 80
/** Pixels from the end of the text to a card, and what of it the text keeps free. */
const [leadPixels, paddingPixels] = [28, 72]
const slopePixelsMax = 160

/** The part of the text that is seen: another one when something moves it. */
const seen = ({ moved, editor }: Review): { from: number; to: number } => (moved.value < 0 ? { from: 0, to: 0 } : editor.viewport)

/** So many cards from `start` on, and the active one wherever it is: words that are written in it stay while one looks elsewhere. */
function withActive(placed: readonly Item[], active: string | undefined, start: number): readonly Item[] {
  const at = placed.findIndex(({ id }) => id === active)
  if (at < 0 || (at >= start && at < start + cardsMax)) return placed.slice(start, start + cardsMax)
  const [before, after] = at < start ? [placed.slice(at, at + 1), []] : [[], placed.slice(at, at + 1)]
  return [...before, ...placed.slice(start, start + cardsMax - 1), ...after]
}

/** The cards with a place, at most so many, about the part of the text that is in view. */
function shownOf(review: Review): readonly Item[] {
  const placed = review.items.value.filter((item) => item.span !== undefined && (isOpen(item) || review.recent.value.has(item.id)))
  if (placed.length <= cardsMax) return placed
  const { from, to } = seen(review)
  const first = placed.findIndex(({ span }) => (span?.to ?? 0) >= from)
  const last = placed.findLastIndex(({ span }) => (span?.from ?? 0) <= to)
  const spare = Math.max(0, cardsMax - (last - first + 1)) >> 1
  const start = Math.max(0, (first < 0 ? placed.length : first) - spare)
  return withActive(placed, review.active.value, start)
}

/** Pixels from the top of the scrolling part to the line of an offset. */
function topOf(view: EditorView, at: number): number {
  const outer = view.scrollDOM.getBoundingClientRect()
  const seen = at >= view.viewport.from && at <= view.viewport.to ? view.coordsAtPos(at) : null
  const top = seen?.top ?? view.documentTop + view.lineBlockAt(at).top
  return top - outer.top + view.scrollDOM.scrollTop
}

const svg = 'http://www.w3.org/2000/svg'

/** Puts the cards in their places. */
function arrange(host: HTMLElement, review: Review, items: readonly Item[]): void {
  const { editor } = review
  const cards = items.map(({ id }) => host.querySelector<HTMLElement>(`#remark-${CSS.escape(id)}`))
  const lines = host.querySelector('svg')
  if (lines === null) return
  const { length } = editor.state.doc
  const places = items.map(({ span }) => topOf(editor, Math.min(span?.from ?? 0, length)))
  const heights = cards.map((card) => card?.offsetHeight ?? 0)
  const content = editor.contentDOM
  const end = content.offsetLeft + content.offsetWidth - paddingPixels
  const fixed = items.findIndex(({ id }) => id === review.active.peek())
  const tops = pushedApart(
    places.map((at, index) => ({ at, height: heights[index] ?? 0 })),
    fixed
  )
  host.style.left = `${end + leadPixels}px`
  lines.replaceChildren(
    ...items.flatMap((item, index) => {
      const card = cards[index]
      const [at, top] = [(places[index] ?? 0) + 13, (tops[index] ?? 0) + 20]
      if (card != null) card.style.top = `${tops[index] ?? 0}px`
      // A card that had to go far is found by looking at it.
      if (index !== fixed && Math.abs(top - at) > slopePixelsMax) return []
      const line = document.createElementNS(svg, 'path')
      line.setAttribute('d', `M${-leadPixels + 2} ${at}h4L-6 ${top}H0`)
      line.setAttribute('class', `hue-${hueOf(authorOf(item))}${index === fixed ? ' active' : ''}`)
      return line
    })
  )
}

function Cards({ review, host }: { review: Review; host: HTMLElement }): JSX.Element {
  const items = shownOf(review)
  const frame = useRef(0)
  const latest = useRef(items)
  latest.current = items
  const place = (): void => {
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => arrange(host, review, latest.current))
  }
  // Before it is painted.
  useLayoutEffect(() => arrange(host, review, items))
  useEffect(() => {
    const sizes = new ResizeObserver(place)
    for (const card of host.querySelectorAll('.card')) sizes.observe(card)
    return () => sizes.disconnect()
  }, [items.map(({ id }) => id).join()])
  useEffect(() => {
    const stop = review.moved.subscribe(place)
    return () => {
      stop()
      cancelAnimationFrame(frame.current)
    }
  }, [])
  return (
    <>
      <svg class='margin-lines' aria-hidden='true' />
      {items.map((item) => (
        <Card key={item.id} review={review} item={item} />
      ))}
    </>
  )
}

/** Nothing of itself: the cards stand in the editor. */
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

/**
 * Marks comments and suggestions in the reading view. The words are highlighted with ranges (CSS Custom Highlight API), so the HTML is the same as on
 * the published page. If the words cannot be matched to their source, or exist only as a suggestion, a bar marks their block.
 */
import { effect, untracked } from '@preact/signals'
import type * as Y from 'yjs'
import type { Rendered } from '../../shared/markdown/render.ts'
import type { AnnotationRange } from '../review/annotations/positions.ts'
import type { Review } from '../review/annotations/review.ts'
import { type Bare, bareOf, findShown } from './find-words.ts'
import { sourceOf, watchPicked } from './picked.ts'
import marks from './annotation-marks.css?inline'
import { blocksAt, blocksOf, textOf, type Block, type ShownText } from './source-blocks.ts'

export interface AnnotationMarks {
  /** Marks the annotations again. Call it each time the text has been rendered. */
  show(): void
  close(): void
}

/** Longest block in which words are marked, in UTF-16 units of its source. A longer block is marked as a whole. */
const blockUnitsMax = 20_000
/** Distance between a bar and its block, in pixels. */
const gapPixels = 14

/** For each highlight: its name, whether it marks suggestions, and whether it marks the active annotation. */
const highlightNames = [
  ['agmd-comment', false, false],
  ['agmd-comment-active', false, true],
  ['agmd-suggestion', true, false],
  ['agmd-suggestion-active', true, true]
] as const

const rules = new CSSStyleSheet()
rules.replaceSync(marks)

interface Marked {
  readonly id: string
  readonly isSuggestion: boolean
  readonly place: Range | Element
}

/** Returns the place of each annotation in every block that it touches: its words, or else the block. */
function placesOf(blocks: readonly Block[], text: string, annotations: readonly AnnotationRange[]): Marked[] {
  const known = new Map<Block, { readonly source: Bare; readonly shown: ShownText }>()
  const partsOf = (block: Block): { readonly source: Bare; readonly shown: ShownText } => {
    const parts = known.get(block) ?? { source: bareOf(text.slice(block.from, block.to)), shown: textOf(block.element) }
    known.set(block, parts)
    return parts
  }
  return annotations.flatMap(({ id, isSuggestion, from, to }) => {
    // A suggested insertion has no words yet, so it marks the block before it, or the first block.
    if (from === to)
      return [...blocksAt(blocks, { from: Math.max(0, from - 1), to: Math.max(1, from) })].map(({ element }) => ({
        id,
        isSuggestion,
        place: element
      }))
    return [...blocksAt(blocks, { from, to })].flatMap((block): Marked[] => {
      if (text.slice(Math.max(from, block.from), Math.min(to, block.to)).trim() === '') return []
      if (block.to - block.from > blockUnitsMax) return [{ id, isSuggestion, place: block.element }]
      const { source, shown } = partsOf(block)
      const found = findShown(source, { from: from - block.from, to: to - block.from }, shown.bare)
      return [{ id, isSuggestion, place: found === undefined ? block.element : shown.range(found) }]
    })
  })
}

const contains = ({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean =>
  x >= left && x <= right && y >= top && y <= bottom

/**
 * Marks the annotations of an article in a shadow root, and opens an annotation when it is clicked. `shown` returns the rendered text, or undefined
 * while it is out of date.
 */
export function annotationMarks(review: Review, article: HTMLElement, text: Y.Text, shown: () => Rendered | undefined): AnnotationMarks {
  const root = article.getRootNode() as ShadowRoot
  const layer = document.createElement('div')
  layer.className = 'annotation-bars'
  layer.setAttribute('aria-hidden', 'true')
  const { highlights } = CSS as { highlights?: HighlightRegistry }
  let marked: readonly Marked[] = []
  let active: string | undefined

  const arrange = (): void => {
    const outer = layer.getBoundingClientRect()
    const blocks = new Map<Element, Marked>()
    for (const mark of marked) {
      const { id, place } = mark
      // Each block has one bar: for the active annotation if it is in the block, otherwise for a comment if there is one.
      const before = place instanceof Element ? blocks.get(place) : undefined
      if (place instanceof Element && (id === active || before === undefined || (before.id !== active && before.isSuggestion)))
        blocks.set(place, mark)
    }
    layer.replaceChildren(
      ...[...blocks].map(([block, { id, isSuggestion }]) => {
        const bar = document.createElement('div')
        const { left, top, height } = block.getBoundingClientRect()
        bar.className = `annotation-bar${isSuggestion ? ' suggestion' : ''}${id === active ? ' active' : ''}`
        bar.style.top = `${top - outer.top}px`
        bar.style.left = `${left - outer.left - gapPixels}px`
        bar.style.height = `${height}px`
        return bar
      })
    )
  }
  const sizes = new ResizeObserver(arrange)
  sizes.observe(article)

  const paint = (): void => {
    const ranges = (suggestions: boolean, isActive: boolean): Range[] =>
      marked.flatMap(({ id, isSuggestion, place }) =>
        isSuggestion === suggestions && (id === active) === isActive && place instanceof Range ? [place] : []
      )
    for (const [name, suggestions, isActive] of highlightNames) highlights?.set(name, new Highlight(...ranges(suggestions, isActive)))
    arrange()
  }

  /** Scrolls the active annotation into view. */
  const reveal = (): void => {
    const place = marked.find(({ id }) => id === active)?.place
    const element = place instanceof Range ? place.startContainer.parentElement : place
    element?.scrollIntoView({ block: 'nearest' })
  }

  const show = (): void => {
    const rendered = shown()
    if (rendered === undefined) return
    const content = text.toString()
    const before = active
    active = review.active.peek()
    marked = placesOf(blocksOf(article, content, rendered), content, review.ranges())
    paint()
    if (active !== before) reveal()
  }

  /** Returns the annotation at a point of the window, or the shortest one if there are several. */
  const at = (x: number, y: number): string | undefined => {
    const hit = marked.filter(({ place }) =>
      place instanceof Range
        ? [...place.getClientRects()].some((rect) => contains(rect, x, y))
        : contains(place.getBoundingClientRect(), x, y)
    )
    const size = ({ place }: Marked): number => (place instanceof Range ? place.toString().length : Number.MAX_SAFE_INTEGER)
    return hit.toSorted((one, other) => size(one) - size(other))[0]?.id
  }

  const click = (event: MouseEvent): void => {
    const [target] = event.composedPath()
    // A click on a control or on selected text does not open an annotation.
    if (!(target instanceof Element) || target.closest('a, button, input, summary, audio, video') !== null) return
    if (getSelection()?.type !== 'Range') review.pick(at(event.clientX, event.clientY))
  }

  root.adoptedStyleSheets = [...root.adoptedStyleSheets, rules]
  root.prepend(layer)
  article.addEventListener('click', click)
  const stopPicked = watchPicked(root, article, (selected) => {
    const rendered = shown()
    const content = text.toString()
    review.picked.value = rendered && selected && sourceOf(blocksOf(article, content, rendered), content, selected)
  })
  const stop = effect(() => {
    void [review.items.value, review.active.value]
    untracked(show)
  })
  return {
    show,
    close() {
      stop()
      sizes.disconnect()
      for (const [name] of highlightNames) highlights?.delete(name)
      stopPicked()
    }
  }
}

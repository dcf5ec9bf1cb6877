/**
 * Where comments are in the reading view. Its HTML stays that of the published page: words are highlighted by ranges (CSS Custom Highlight
 * API); where the words of a comment cannot be told from its source, a bar stands beside their block.
 */
import { effect, untracked } from '@preact/signals'
import type * as Y from 'yjs'
import type { Rendered } from '../../shared/markdown/render.ts'
import type { Range as Span } from '../../shared/text/anchors.ts'
import type { CommentPlace, Review } from '../review/review.ts'
import { type Bare, bareOf, findShown } from './find-words.ts'
import marks from './remark-marks.css?inline'

export interface RemarkMarks {
  /** Marks the comments anew: another text is shown. */
  show(): void
  close(): void
}

/** Blocks with a longer source are marked as a whole, in UTF-16 units. */
const blockUnitsMax = 20_000
/** Pixels from the bar to its block. */
const gapPixels = 14

const rules = new CSSStyleSheet()
rules.replaceSync(marks)

interface Block extends Span {
  readonly element: Element
}

interface Marked {
  readonly id: string
  readonly place: Range | Element
}

/** The elements of the article with the part of the source that each is made of; what is gathered from several parts has none. */
function blocksOf(article: Element, text: string, { blocks }: Rendered): Block[] {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) starts.push(index + end.length)
  const offset = (line: number): number => starts[line] ?? text.length
  const elements = [...article.children]
  if (elements.length !== blocks.length) return []
  return elements.flatMap((element, index) => {
    const lines = blocks[index]
    return lines === undefined ? [] : [{ element, from: offset(lines[0]), to: offset(lines[1]) }]
  })
}

/** The text of an element, and ranges in it by offsets. */
function textOf(element: Element): { readonly bare: Bare; range(span: Span): Range } {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const nodes: { readonly node: Text; readonly from: number }[] = []
  let text = ''
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node: node as Text, from: text.length })
    text += (node as Text).data
  }
  return {
    bare: bareOf(text),
    range({ from, to }) {
      const range = document.createRange()
      const first = nodes.findLast((each) => each.from <= from)
      const last = nodes.findLast((each) => each.from < to)
      if (first !== undefined) range.setStart(first.node, from - first.from)
      if (last !== undefined) range.setEnd(last.node, to - last.from)
      return range
    }
  }
}

/** The blocks that a range is on. */
function* blocksAt(blocks: readonly Block[], { from, to }: Span): Generator<Block> {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks[middle]?.to ?? 0) <= from) low = middle + 1
    else high = middle
  }
  for (let index = low; (blocks[index]?.from ?? to) < to; index++) yield blocks[index] as Block
}

/** Each comment at its words, or at their block, in every block that it is on. */
function placesOf(blocks: readonly Block[], text: string, comments: readonly CommentPlace[]): Marked[] {
  const known = new Map<Block, { readonly source: Bare; readonly shown: ReturnType<typeof textOf> }>()
  const partsOf = (block: Block): { readonly source: Bare; readonly shown: ReturnType<typeof textOf> } => {
    const parts = known.get(block) ?? { source: bareOf(text.slice(block.from, block.to)), shown: textOf(block.element) }
    known.set(block, parts)
    return parts
  }
  return comments.flatMap(({ id, from, to }) =>
    [...blocksAt(blocks, { from, to })].flatMap((block): Marked[] => {
      if (text.slice(Math.max(from, block.from), Math.min(to, block.to)).trim() === '') return []
      if (block.to - block.from > blockUnitsMax) return [{ id, place: block.element }]
      const { source, shown } = partsOf(block)
      const found = findShown(source, { from: from - block.from, to: to - block.from }, shown.bare)
      return [{ id, place: found === undefined ? block.element : shown.range(found) }]
    })
  )
}

const contains = ({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean =>
  x >= left && x <= right && y >= top && y <= bottom

/** Marks the comments of an article in a shadow root, and opens them; `shown` is what was made of the text, undefined while that is not the one of now. */
export function remarkMarks(review: Review, article: HTMLElement, text: Y.Text, shown: () => Rendered | undefined): RemarkMarks {
  const root = article.getRootNode() as ShadowRoot
  const layer = document.createElement('div')
  layer.className = 'remark-bars'
  layer.setAttribute('aria-hidden', 'true')
  const { highlights } = CSS as { highlights?: HighlightRegistry }
  let marked: readonly Marked[] = []
  let active: string | undefined

  const arrange = (): void => {
    const outer = layer.getBoundingClientRect()
    const blocks = new Map(marked.flatMap(({ id, place }) => (place instanceof Element ? [[place, id === active] as const] : [])))
    for (const { id, place } of marked) if (place instanceof Element && id === active) blocks.set(place, true)
    layer.replaceChildren(
      ...[...blocks].map(([block, isActive]) => {
        const bar = document.createElement('div')
        const { left, top, height } = block.getBoundingClientRect()
        bar.className = isActive ? 'remark-bar active' : 'remark-bar'
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
    const ranges = (isActive: boolean): Range[] =>
      marked.flatMap(({ id, place }) => ((id === active) === isActive && place instanceof Range ? [place] : []))
    highlights?.set('agmd-comment', new Highlight(...ranges(false)))
    highlights?.set('agmd-comment-active', new Highlight(...ranges(true)))
    arrange()
  }

  /** Brings the one that is looked at into view. */
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
    marked = placesOf(blocksOf(article, content, rendered), content, review.comments())
    paint()
    if (active !== before) reveal()
  }

  /** The comment at a point of the window; the smallest of several. */
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
    // What can be worked with has its own use for a click, and who selects words wants them.
    if (!(target instanceof Element) || target.closest('a, button, input, summary, audio, video') !== null) return
    if (getSelection()?.type !== 'Range') review.pick(at(event.clientX, event.clientY))
  }

  root.adoptedStyleSheets = [...root.adoptedStyleSheets, rules]
  root.prepend(layer)
  article.addEventListener('click', click)
  const stop = effect(() => {
    void [review.items.value, review.active.value]
    untracked(show)
  })
  return {
    show,
    close() {
      stop()
      sizes.disconnect()
      highlights?.delete('agmd-comment')
      highlights?.delete('agmd-comment-active')
    }
  }
}

/** Begins the reading view at the passage that was visible in the editor. */
import type { Rendered } from '../../shared/markdown/render.ts'
import type { Seen } from '../view/view.ts'
import { bareOf, findShown } from './find-words.ts'
import { blocksAt, blocksOf, textOf, type Block } from './source-blocks.ts'

export interface PlaceInput {
  /** The scroll container. */
  readonly host: HTMLElement
  readonly article: Element
  /** The source of the article. */
  readonly text: string
  readonly seen: Seen
  readonly rendered: () => Rendered | undefined
}

/** Longest block in which words are looked for, in UTF-16 units of its source. A longer block begins where its line was. */
const blockUnitsMax = 20_000

type Line = Seen['lines'][number]

/** Returns the first line that begins in the visible area, or else the line that fills the area. */
function lineAtTop({ lines, top }: Seen, area: DOMRect, text: string): Line | undefined {
  const visible = lines.filter(
    (line) => top + line.bottom > area.top && top + line.top < area.bottom && text.slice(line.from, line.to).trim() !== ''
  )
  return visible.find((line) => top + line.top >= area.top) ?? visible[0]
}

/** Returns the top of a line in the reading view, in pixels of the window. */
function topOf({ element, from, to }: Block, line: Line, text: string): number {
  const start = Math.max(from, line.from)
  if (text.slice(from, start).trim() !== '' && to - from <= blockUnitsMax) {
    const shown = textOf(element)
    const found = findShown(bareOf(text.slice(from, to)), { from: start - from, to: Math.min(to, line.to) - from }, shown.bare)
    if (found !== undefined) return shown.range(found).getBoundingClientRect().top
  }
  return element.getBoundingClientRect().top
}

/**
 * Scrolls the reading view to the passage, and again whenever its content grows, until the person uses the page. Returns a function that stops it.
 */
export function keepPlace({ host, article, text, seen, rendered }: PlaceInput): () => void {
  const area = host.getBoundingClientRect()
  const line = lineAtTop(seen, area, text)
  const [first] = seen.lines
  // At the beginning of the text, both views show their beginning.
  if (line === undefined || (first?.from === 0 && seen.top + first.top >= area.top)) return () => undefined
  const scroll = (): void => {
    const now = rendered()
    const [block] = now === undefined ? [] : blocksAt(blocksOf(article, text, now), line)
    if (block === undefined) return
    host.scrollTop += topOf(block, line, text) - seen.top - line.top
  }
  const sizes = new ResizeObserver(scroll)
  const using = new AbortController()
  const stop = (): void => {
    sizes.disconnect()
    using.abort()
  }
  for (const name of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(name, stop, { capture: true, passive: true, signal: using.signal })
  scroll()
  sizes.observe(article)
  return stop
}

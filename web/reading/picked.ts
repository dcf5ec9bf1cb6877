/** Maps a selection in the reading view to a range of the Markdown source. */
import type { Range as Span } from '../../shared/text/targets.ts'
import { bareOf, findShown } from './find-words.ts'
import { textOf, type Block } from './source-blocks.ts'

/** Returns the length of an element's text before a position, in UTF-16 units. */
function unitsBefore(element: Element, node: Node, offset: number): number {
  const before = document.createRange()
  before.setStart(element, 0)
  before.setEnd(node, offset)
  return before.toString().length
}

/**
 * Returns the source range of a selection. Undefined if the selection contains no text with a source. If the words of a block cannot be matched, the
 * range includes the entire block.
 */
export function sourceOf(blocks: readonly Block[], text: string, selected: Range): Span | undefined {
  const spans = blocks.flatMap(({ element, from, to }): Span[] => {
    if (!selected.intersectsNode(element)) return []
    const shown = textOf(element)
    const start = element.contains(selected.startContainer) ? unitsBefore(element, selected.startContainer, selected.startOffset) : 0
    const end = element.contains(selected.endContainer)
      ? unitsBefore(element, selected.endContainer, selected.endOffset)
      : shown.bare.whole.length
    if (shown.bare.whole.slice(start, end).trim() === '') return []
    const source = text.slice(from, to).trimEnd()
    const found = findShown(shown.bare, { from: start, to: end }, bareOf(source)) ?? { from: 0, to: source.length }
    return [{ from: from + found.from, to: from + found.to }]
  })
  const [first, last] = [spans[0], spans.at(-1)]
  return first && last && { from: first.from, to: last.to }
}

/**
 * Calls `tell` whenever the selection in the article changes, with undefined if nothing is selected. Selections elsewhere are ignored. Returns a
 * function that removes the listeners.
 */
export function watchPicked(root: ShadowRoot, article: HTMLElement, tell: (selected: Range | undefined) => void): () => void {
  const changed = (): void => {
    const selection = getSelection()
    // Some browsers do not support `getComposedRanges`.
    if (selection === null || !('getComposedRanges' in selection)) return
    const [found] = selection.getComposedRanges({ shadowRoots: [root] })
    if (found === undefined || !article.contains(found.startContainer) || !article.contains(found.endContainer)) return
    const range = document.createRange()
    range.setStart(found.startContainer, found.startOffset)
    range.setEnd(found.endContainer, found.endOffset)
    tell(range.collapsed ? undefined : range)
  }
  document.addEventListener('selectionchange', changed)
  // Browsers report a selection slightly late, but a key press or click that uses the selection needs the current one.
  for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, changed, { capture: true })
  return () => {
    document.removeEventListener('selectionchange', changed)
    for (const kind of ['keydown', 'pointerdown']) removeEventListener(kind, changed, { capture: true })
  }
}

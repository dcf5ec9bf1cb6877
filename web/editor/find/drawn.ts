/**
 * Marks matches in text that widgets draw: components and captions of pictures. The editor can decorate only text that it draws itself, so these
 * matches are ranges of the page (CSS Custom Highlight API).
 */
import { getSearchQuery, type SearchQuery } from '@codemirror/search'
import { Text, type EditorSelection } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { matchUnseen } from '../inserts.ts'
import { isAtMatch, within } from './query.ts'
import marks from './drawn.css?inline'

const name = 'agmd-find'
const currentName = 'agmd-find-current'
/** Space between the current match and the edges of the text, in pixels. The bars of the page cover the edges. */
const showMargin = 60
/** Maximum number of marked matches. More of them would slow the page down, and nobody looks at that many. */
const marksMax = 1000

/** Controls, and text on the page that does not belong to the document. */
const skipped =
  'button, textarea, .frame-bar, .sheet-bar, .sheet-sum, .sheet-number, .sheet thead, .board-count, .component-rest, .visually-hidden, [aria-hidden=true]'
/** Elements that begin a new line. A match does not continue from one into the next. */
const lines = 'p, li, td, th, div, span.md-caption, text, title, desc'

let rules: CSSStyleSheet | undefined

/** Adds the style of the marks to the page or to a shadow root. */
function style(root: Document | ShadowRoot): void {
  if (rules === undefined) {
    rules = new CSSStyleSheet()
    rules.replaceSync(marks)
  }
  if (!root.adoptedStyleSheets.includes(rules)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, rules]
}

interface Piece {
  readonly node: globalThis.Text
  /** Offset of the node in the text of its root, in UTF-16 units. */
  readonly at: number
}

/** Returns the text that a root shows, with a line break between its lines, and the nodes of this text, in order. */
function textOf(root: Node): { readonly text: string; readonly pieces: readonly Piece[] } {
  const pieces: Piece[] = []
  let text = ''
  let last: Element | null = null
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement: parent } = node
    if (parent === null || parent.closest(skipped) !== null) continue
    const line = parent.closest(lines)
    if (line !== last) text += '\n'
    last = line
    pieces.push({ node: node as globalThis.Text, at: text.length })
    text += (node as globalThis.Text).data
  }
  return { text, pieces }
}

/** Returns the ranges of the matches that an element or a shadow root shows, at most `max`. */
export function matchesIn(root: Node, query: SearchQuery, max: number): Range[] {
  const { text, pieces } = textOf(root)
  const found: Range[] = []
  const cursor = query.getCursor(Text.of(text.split('\n')))
  let index = 0
  /** Returns the node and offset for a position in the text. An `end` position belongs to the node that ends there. */
  const placeOf = (position: number, isEnd: boolean): [Node, number] | undefined => {
    const holds = ({ node, at }: Piece): boolean => position >= at && (isEnd ? position <= at + node.length : position < at + node.length)
    while (index < pieces.length && !holds(pieces[index]!)) index++
    const piece = pieces[index]
    return piece && [piece.node, position - piece.at]
  }
  for (let next = cursor.next(); next.done !== true && found.length < max; next = cursor.next()) {
    const { from, to } = next.value
    if (from === to) continue
    const [start, end] = [placeOf(from, false), placeOf(to, true)]
    if (start === undefined || end === undefined) break
    const range = new Range()
    range.setStart(...start)
    range.setEnd(...end)
    found.push(range)
  }
  return found
}

/** Whether the source of a widget contains a match. The widget may show other text, such as the names of its controls. */
function isMatched({ state }: EditorView, query: SearchQuery, from: number, to: number): boolean {
  const range = state.field(within, false)
  if (range !== undefined && (from > range.to || to < range.from)) return false
  return query.getCursor(state, from, to).next().done !== true
}

/**
 * Returns the index of the selected match among the matches in the source of a widget, and their number. Undefined if no match of the widget is
 * selected.
 */
function selectedAmong({ state }: EditorView, query: SearchQuery, from: number, to: number): { index: number; count: number } | undefined {
  const { main } = state.selection
  if (main.empty || main.from < from || main.to > to || !isAtMatch(state)) return undefined
  let index = -1
  let count = 0
  const cursor = query.getCursor(state, from, to)
  for (let next = cursor.next(); next.done !== true; next = cursor.next()) {
    if (next.value.from === main.from) index = count
    count++
  }
  return { index, count }
}

/** Scrolls to a match, unless it is visible. */
function reveal({ scrollDOM }: EditorView, match: Range): void {
  const { top, bottom } = scrollDOM.getBoundingClientRect()
  const box = match.getBoundingClientRect()
  const { parentElement } = match.startContainer
  const isSeen = box.top >= top + showMargin && box.bottom <= bottom - showMargin
  parentElement?.scrollIntoView({ block: isSeen ? 'nearest' : 'center', inline: 'nearest' })
}

export interface DrawnMarks {
  /** Marks the matches in all widgets that the editor has drawn. If a component does not show the selected match, its source opens. */
  mark(): void
  close(): void
}

/** Marks matches in widgets. `changed` is called when a widget has been drawn or its size has changed. */
export function drawnMarks(view: EditorView, changed: () => void): DrawnMarks {
  const { highlights } = CSS as { highlights?: HighlightRegistry }
  const sizes = new ResizeObserver(changed)
  // An element that is observed again would be reported again.
  const observed = new WeakSet<Element>()
  /** The selection at the last current match. */
  let shownAt: EditorSelection | undefined
  style(document)
  const place = (current: Range | undefined): void => {
    highlights?.set(currentName, new Highlight(...(current === undefined ? [] : [current])))
    const { selection } = view.state
    if (current !== undefined && shownAt?.eq(selection) !== true) reveal(view, current)
    shownAt = current && selection
  }
  return {
    mark() {
      const query = getSearchQuery(view.state)
      let current: Range | undefined
      let isUnseen = false
      const ranges = [...view.contentDOM.querySelectorAll('.md-component, .md-caption')].flatMap((element) => {
        const { shadowRoot } = element
        if (shadowRoot !== null) style(shadowRoot)
        if (!observed.has(element)) sizes.observe(element)
        observed.add(element)
        const { from, to } = view.lineBlockAt(view.posAtDOM(element))
        if (!query.valid || !isMatched(view, query, from, to)) return []
        const found = matchesIn(shadowRoot ?? element, query, marksMax)
        const frame = shadowRoot?.querySelector('.frame:not([aria-busy=true])')
        const selected = frame == null || element.matches('.below-source') ? undefined : selectedAmong(view, query, from, to)
        // If the component shows more or fewer matches than its source has, nobody can say which one is selected.
        if (selected !== undefined && selected.count === found.length) current = found[selected.index]
        else if (selected !== undefined) isUnseen = true
        return found
      })
      highlights?.set(name, new Highlight(...ranges.slice(0, marksMax)))
      place(current)
      if (!isUnseen) return
      const effects = [matchUnseen.of(null), EditorView.scrollIntoView(view.state.selection.main, { y: 'center' })]
      view.dispatch({ effects })
    },
    close() {
      sizes.disconnect()
      for (const each of [name, currentName]) highlights?.delete(each)
    }
  }
}

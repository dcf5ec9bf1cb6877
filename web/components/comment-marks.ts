/**
 * Marks the drawn parts of a component that open comments are on. The marks are style rules of the component's shadow root: a grid draws its cells
 * again when it scrolls, and the rules then apply to the new cells.
 */
import { effect } from '@preact/signals'
import { parseBoard } from '../../shared/fences/board.ts'
import type { Fence, Range } from '../../shared/fences/fences.ts'
import { lettersOfColumn } from '../../shared/fences/formula/parse.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'
import { composerId, isOpen, type Item } from '../review/annotations/items.ts'
import type { FenceContext } from './connect.ts'

/** Maximum number of parts that a comment marks. */
const partsMax = 200

type Part = readonly [selector: string, from: number, to: number]

function partsOf(fence: Fence): readonly Part[] {
  if (fence.kind === 'board')
    return parseBoard(fence).columns.flatMap(({ title, cards }, at): Part[] => [
      [`[data-column="${at}"]>.board-head`, title.from, title.to],
      ...cards.map(({ line, details }, index): Part => [`[data-place="${at}:${index}"]`, line.from, (details.at(-1) ?? line).to])
    ])
  if (fence.kind === 'sheet')
    return parseSheet(fence).rows.flatMap(({ cells }, row) =>
      cells.map(({ from, to }, column): Part => [`[data-cell="${lettersOfColumn(column)}${row + 1}"]`, from, to])
    )
  return fence.kind === 'chat' ? fence.lines.map(({ from, to }, index) => [`[data-line="${index}"]`, from, to]) : []
}

/** Returns the selectors of the drawn parts that a range meets. Without any, the range is on the bar of the component. */
function partsIn(fence: Fence, { from, to }: Range): readonly string[] {
  const found = partsOf(fence).filter(([, start, end]) => start < to && end > from)
  return found.length === 0 || found.length > partsMax ? ['.frame-bar'] : found.map(([selector]) => selector)
}

interface Mark {
  readonly id: string
  /** The selector of the parts. */
  readonly parts: string
}

const isComment = (item: Item): boolean =>
  isOpen(item) && (item.kind === 'new' ? item.entry.action.kind === 'comment' : item.kind !== 'proposal')

/** The rules of components set their backgrounds as well, so these selectors are more specific. */
const ruleOf = (parts: string, declarations: string): string => `.frame.frame :is(${parts}){${declarations}}`
const corner =
  'background-image:linear-gradient(to top right,transparent 50%,var(--comment) 50%);background-position:right top;background-size:8px 8px;background-repeat:no-repeat'
const highlight = 'background-color:var(--comment-soft)'

/** Marks the parts until the returned function is called. A press on a marked part, or the focus on it, makes its comment the active one. */
export function markComments({ page, fence, movedBy }: FenceContext, root: ShadowRoot): () => void {
  const sheet = new CSSStyleSheet()
  root.adoptedStyleSheets.push(sheet)
  let marks: readonly Mark[] = []
  let last: { readonly fence: Fence; readonly key: string } | undefined
  const stop = effect(() => {
    const review = page.review.value
    const now = fence.value
    const active = review?.active.value
    const by = movedBy()
    const found = (review?.items.value ?? []).filter(isComment).flatMap(({ id }) => {
      const span = review?.spanOf(id)
      if (span === undefined) return []
      const [from, to] = [span.from - by, span.to - by]
      return from >= now.from && to <= now.to && from < to ? [{ id, from, to }] : []
    })
    const key = JSON.stringify([active, found])
    if (last?.fence === now && last.key === key) return
    last = { fence: now, key }
    marks = found.map(({ id, from, to }) => ({ id, parts: partsIn(now, { from, to }).join() }))
    sheet.replaceSync(marks.map(({ id, parts }) => ruleOf(parts, id === active ? `${corner};${highlight}` : corner)).join(''))
  })
  const pick = ({ target }: Event): void => {
    const review = page.review.peek()
    if (review === undefined || !(target instanceof Element) || review.active.peek() === composerId) return
    const mark = marks.find(({ parts }) => target.closest(parts) !== null)
    // The comment of another part of this component is no longer active.
    if (mark !== undefined || marks.some(({ id }) => id === review.active.peek())) review.active.value = mark?.id
  }
  root.addEventListener('focusin', pick)
  root.addEventListener('click', pick)
  return stop
}

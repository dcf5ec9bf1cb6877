/**
 * Marks the drawn parts of a component that open comments are on. The marks are style rules of the component's shadow root: a grid draws its cells
 * again when it scrolls, and the rules then apply to the new cells.
 */
import { effect } from '@preact/signals'
import type { Fence } from '../../shared/fences/fences.ts'
import { textMap } from '../editor/binding.ts'
import { composerId, isOpen, type Item } from '../review/annotations/items.ts'
import type { FenceContext } from './connect.ts'
import type { partsIn as PartsIn } from './part-range.ts'

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
export function markComments({ page, fence, movedBy }: FenceContext, root: ShadowRoot, partsIn: typeof PartsIn): () => void {
  const sheet = new CSSStyleSheet()
  root.adoptedStyleSheets.push(sheet)
  let marks: readonly Mark[] = []
  let last: { readonly fence: Fence; readonly key: string } | undefined
  const stop = effect(() => {
    const review = page.review.value
    const now = fence.value
    const active = review?.active.value
    const state = page.editor.value?.view.state
    // The reading view shows the text without suggested changes.
    const by = movedBy?.() ?? (state?.facet(textMap).shown(now.from) ?? now.from) - now.from
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

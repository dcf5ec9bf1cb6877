/** Moves between annotations, in the text and in cards, and acts on the active one. */
import { signal } from '@preact/signals'
import { EditorView } from '@codemirror/view'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import { displayName } from '../../presence/people.ts'
import { authorOf, isOpen, type Item } from './items.ts'
import { excerpt } from '../outbox/records.ts'
import { misfitWords } from '../outbox/refusals.ts'
import type { State } from './state.ts'

export interface Navigation {
  /** Activates an annotation and scrolls to its text. */
  show(id: string, focus?: 'card' | 'text'): void
  /** Scrolls the text to an annotation. */
  scrollTo(id: string): void
  /** Activates the next or the previous annotation in the text. */
  go(step: 1 | -1): void
  /** Accepts or rejects the active suggestion. Returns false if there is none. If its text was deleted, it cannot be accepted, and the page says so. */
  decide(action: 'accept' | 'reject'): boolean
  /** Opens the field for a reason in the card of the active suggestion, in order to reject it. */
  askReason(): void
  /** Resolves the active comment. */
  resolve(): void
}

const commentWords = (name: string, body: string): string => t('Comment by {name}: {text}', { name, text: excerpt(body, 200) })

function suggestionWords(name: string, { original, text }: { readonly original: string; readonly text: string }): string {
  if (original === '') return t('{name} suggests inserting: {text}', { name, text: excerpt(text, 200) })
  if (text === '') return t('{name} suggests deleting: {text}', { name, text: excerpt(original, 200) })
  return t('{name} suggests replacing {original} with {text}', { name, text: excerpt(text, 120), original: excerpt(original, 120) })
}

export function openNavigation(state: State): Navigation {
  const { page, editor, store, positions, items, filter, active, focused, rejecting, hasMargin, effectOf, isMisfit, setResolved } = state
  const { view } = editor
  const scrollTo = (id: string, takesCursor = false): void => {
    const span = positions.spanOf(id)
    if (span === undefined || page.mode.value === 'read') return
    view.dispatch({
      ...(takesCursor ? { selection: { anchor: span.from } } : {}),
      effects: EditorView.scrollIntoView(span.from, { y: 'center' })
    })
  }
  const show = (id: string, focus?: 'card' | 'text'): void => {
    const item = items.peek().find((each) => each.id === id)
    if (item === undefined) return
    active.value = id
    if (!isOpen(item)) filter.value = 'resolved'
    const span = positions.spanOf(id)
    if ((span === undefined || !hasMargin.value) && page.panel.value !== 'annotations') page.panel.value = 'annotations'
    scrollTo(id, focus === 'text')
    if (focus === 'text' && page.mode.value !== 'read') view.focus()
    if (focus === 'card') focused.value = id
  }

  const wordsFor = (item: Item): string => {
    const name = displayName(authorOf(item))
    if (item.kind === 'comment') return commentWords(name, item.thread.comment.body)
    if (item.kind === 'proposal') {
      const effect = effectOf(item)
      return effect === undefined ? suggestionWords(name, item.proposal.suggestion) : t('{name} suggests: {what}', { name, what: effect })
    }
    if (item.kind === 'composer') return commentWords(name, item.composer.body.peek())
    const { action } = item.entry
    const what = action.kind === 'suggest' ? suggestionWords(name, action) : commentWords(name, 'body' in action ? action.body : '')
    return t('{what} (not sent yet)', { what })
  }

  const go = (step: 1 | -1): void => {
    // The current positions are used, because the items do not include the latest typing yet.
    const all = items.peek().flatMap((item) => {
      const span = isOpen(item) && item.kind !== 'composer' ? positions.spanOf(item.id) : undefined
      return span === undefined ? [] : [{ item, span }]
    })
    if (all.length === 0) {
      toast(t('There are no comments or suggestions in the text.'))
      return
    }
    // The reading view has no caret, so the search starts at the end or the beginning of the text.
    const head = page.mode.value === 'read' ? undefined : view.state.selection.main.head
    const current = all.findIndex(
      ({ item: { id }, span }) => id === active.peek() && (head === undefined || (span.from <= head && head <= span.to))
    )
    const nearest =
      step === 1 ? all.findIndex(({ span }) => span.from >= (head ?? 0)) : all.findLastIndex(({ span }) => span.from < (head ?? Infinity))
    const next = current === -1 ? nearest : current + step
    const index = next < 0 ? (step === 1 ? 0 : all.length - 1) : next % all.length
    const item = all[index]?.item
    if (item === undefined) return
    show(item.id, 'text')
    store.said.value = t('{at} of {count}. {what}', { at: index + 1, count: all.length, what: wordsFor(item) })
  }

  const activeItem = (): Item | undefined => items.peek().find(({ id }) => id === active.peek())

  const activeSuggestion = (): Item | undefined => {
    const item = activeItem()
    if (item?.kind === 'proposal' && isOpen(item)) return item
    toast(t('Select a suggestion first.'))
    return undefined
  }
  const askReason = (): void => {
    const id = activeSuggestion()?.id
    if (id === undefined) return
    show(id)
    rejecting.value = { id, reason: signal('') }
  }
  const decide = (action: 'accept' | 'reject'): boolean => {
    const item = activeSuggestion()
    if (item === undefined) return false
    if (action === 'accept' && isMisfit(item)) {
      toast(misfitWords(true))
      return false
    }
    store.decide(action, [item.id])
    store.said.value = action === 'accept' ? t('Accepting…') : t('Rejecting…')
    return true
  }
  const resolve = (): void => {
    const item = activeItem()
    if (item?.kind !== 'comment' || !isOpen(item)) return toast(t('Select a comment first.'))
    setResolved(item.id, true)
  }

  return { show, scrollTo: (id) => scrollTo(id), go, decide, askReason, resolve }
}

/** Writes comments. A comment begins on the selection and is sent with the words that identify its place. */
import { batch, signal } from '@preact/signals'
import { EditorView } from '@codemirror/view'
import type * as Y from 'yjs'
import { limits } from '../../../shared/limits.ts'
import { type Range as Span, wholeCharacters } from '../../../shared/text/targets.ts'
import { placesOf } from '../../../shared/text/characters.ts'
import { textMap } from '../../editor/binding.ts'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import { sheets } from './above-sheet.ts'
import { composerId } from './items.ts'
import type { State } from './state.ts'
import { wordsAtCaret } from './words-at-caret.ts'
import { storedText } from '../suggestions/draft-field.ts'
import { targetOf } from '../suggestions/targets.ts'

export interface Writing {
  /**
   * Begins a comment on the focused part of a component, or on the selection. Without them, the comment is on the caret's cell or line (except in the
   * reading view), or else on the entire document.
   */
  comment(): void
  send(): void
}

/**
 * Returns a range as the ids of its characters. The result is empty if the ids are too many to send, or if the editor does not have the
 * current text of the document yet.
 */
function charactersAt(text: Y.Text, content: string, range: Span): { readonly characters?: readonly number[] } {
  if (text.length !== content.length) return {}
  const [place] = placesOf(text, content, [wholeCharacters(content, range)])
  return place === undefined || place.spans.length > 3 * limits.targetRunsMax ? {} : { characters: place.spans }
}

export function openWriting({ page, editor: { view }, store, positions, active, focused, composer, picked, hasMargin }: State): Writing {
  /** Returns the range in the editor for a new comment. */
  const begunOn = (): Span | undefined => {
    if (page.mode.value === 'read') {
      const { shown } = view.state.facet(textMap)
      const span = picked.value
      picked.value = undefined
      return span && { from: shown(span.from), to: shown(span.to) }
    }
    // The caret of the text may be far away from the component.
    const part = page.focusedPart.value?.range()
    if (part !== undefined) return part
    const { main } = view.state.selection
    return main.empty ? wordsAtCaret(view.state) : main
  }

  const comment = (): void => {
    if (!store.canComment.value) {
      toast(t('Your link does not allow comments.'))
      return
    }
    if (composer.value === undefined) {
      // The form of a card would hide the mark of the comment.
      const component = page.focusedPart.value?.component
      if (component !== undefined) page.unfinished.get(component)?.()
      const on = begunOn()
      const quote = on === undefined ? '' : view.state.sliceDoc(on.from, on.to)
      if (on !== undefined && quote.trim() !== '') {
        const { stored } = view.state.facet(textMap)
        positions.made(composerId, { from: stored(on.from), to: stored(on.to) })
      }
      composer.value = { quote: quote.trim() === '' ? '' : quote, body: signal('') }
    }
    active.value = composerId
    const at = positions.spanOf(composerId)?.from
    // The margin shows only cards that have a place in the text.
    if (at === undefined || !hasMargin.value) page.panel.value = 'annotations'
    // On a phone, the sheet covers the lower part of the text, so the range is scrolled to a place above it.
    if (at !== undefined && sheets.matches && page.mode.value !== 'read')
      view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'start', yMargin: 24 }) })
    focused.value = composerId
  }

  const send = (): void => {
    const written = composer.value
    const body = written?.body.value.trim() ?? ''
    if (written === undefined || body === '') return
    const range = positions.storedSpanOf(composerId)
    const text = storedText(view.state).toString()
    // The text was deleted while the person wrote the comment, so only its words identify the place.
    const lost = written.quote === '' ? null : { find: written.quote, prefix: '', suffix: '' }
    const target = range === undefined || range.from >= range.to ? lost : targetOf(text, range)
    const named = target !== lost && range !== undefined ? charactersAt(page.session.text, text, range) : {}
    batch(() => {
      const sent = store.act({ kind: 'comment', body, target, ...named })
      if (range !== undefined) positions.made(sent.id, range)
      composer.value = undefined
      active.value = sent.id
    })
    store.said.value = t('Comment added')
  }

  return { comment, send }
}

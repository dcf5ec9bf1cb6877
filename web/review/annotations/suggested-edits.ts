/**
 * Suggests single edits that a person makes with a control: in a component, a menu or a check box. An edit that repeats or continues an open suggestion
 * of the same person becomes no second one.
 */
import type { Signal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import type { Edit } from '../../../shared/text/diff.ts'
import type { Range } from '../../../shared/text/targets.ts'
import { textMap } from '../../editor/binding.ts'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import type { DraftName, OutboxEntry } from '../outbox/entry.ts'
import { isUnchanged, storedText } from '../suggestions/draft-field.ts'
import { trimmed, type Hunk } from '../suggestions/hunks.ts'
import type { Resumed, SentSuggestion } from '../suggestions/live-draft.ts'
import type { EditingSent } from './editing-sent.ts'
import { proposalOf } from './effects.ts'
import { isOpen, type Item } from './items.ts'
import type { SentUndo } from './sent-steps.ts'
import type { State } from './state.ts'

/** How long a notice offers to undo a duplicate suggestion, in milliseconds. */
const sameMs = 10_000

/** The name under which a typed suggestion is sent, and the version before it if the person edited a sent suggestion. */
export interface Claimed {
  readonly name: DraftName
  readonly former: SentSuggestion | undefined
}

/** A sent suggestion of this person, and the range of the text that it changes. */
interface Earlier {
  readonly sent: Resumed
  readonly span: Range
}

interface SuggestedEdits {
  /** Suggests a change to the text. See `SuggestingMode`. */
  suggest(edit: Edit): (() => void) | undefined
  /** Suggests a tick, or withdraws the suggestion of the same tick. Returns false if the task itself is only being suggested. */
  tick(view: EditorView, letter: number): boolean
}

interface SuggestedEditsInput {
  readonly state: Pick<State, 'editor' | 'store' | 'positions' | 'items' | 'changeOf' | 'changeOfEdit'>
  readonly sentSteps: SentUndo
  readonly editing: EditingSent
  readonly reason: Signal<string>
  /** Sends suggestions. The names are those of earlier versions. */
  readonly addSuggestions: (hunks: readonly Hunk[], drafts?: readonly Claimed[]) => OutboxEntry[]
  readonly settle: () => void
}

export function openSuggestedEdits({
  state: { editor, store, positions, items, changeOf, changeOfEdit },
  sentSteps,
  editing,
  reason,
  addSuggestions,
  settle
}: SuggestedEditsInput): SuggestedEdits {
  const { view } = editor
  const takeBack = (id: string): void => {
    const now = store.recordIds.peek().get(id) ?? id
    const isThere = store.proposals.peek().some(({ suggestion }) => suggestion.id === now)
    const isRefused = store.outbox.list.peek().some((entry) => entry.id === id && entry.refusal !== undefined)
    if (isThere) store.act({ kind: 'withdraw', suggestion: now })
    else if (isRefused || !store.isConnected.peek()) store.outbox.drop(id)
    else sentSteps.leaving.value = new Set(sentSteps.leaving.peek()).add(id)
    toast(t('Withdrawn'))
  }
  /** Returns the open suggestion of this person that makes exactly this change to the document's text. */
  const ownWith = ({ from, to, original, text }: Hunk): Item | undefined =>
    items.peek().find((item) => {
      const isOwn =
        item.kind === 'new'
          ? !sentSteps.leaving.peek().has(item.id)
          : item.kind === 'proposal' && store.isOwn(item.proposal.suggestion) && item.proposal.deciding === undefined
      const proposed = isOpen(item) && isOwn ? proposalOf(item) : undefined
      if (proposed?.original !== original || proposed.text !== text) return false
      const span = positions.storedSpanOf(item.id)
      return span?.from === from && span.to === to
    })
  /** Returns the sent suggestion of this person that an edit replaces, because both change the same cell, card or setting in the same way. */
  const earlierOf = (edit: Edit): Earlier | undefined => {
    const change = changeOfEdit(edit)
    if (change === undefined || !('name' in change)) return undefined
    const all = items.peek().flatMap((item): Earlier[] => {
      const { span } = item
      if (span === undefined || span.from > edit.to || span.to < edit.from) return []
      const other = changeOf(item)
      if (other?.kind !== change.kind || !('name' in other) || other.name !== change.name) return []
      const sent = editing.lastSent(item.id)
      return sent === undefined ? [] : [{ sent, span }]
    })
    // Several versions may still be on their way.
    return all.toSorted((one, other) => one.sent.action.draft.step - other.sent.action.draft.step).at(-1)
  }
  /** Returns a change that covers more of the document's text. */
  const widened = (hunk: Hunk, from: number, to: number): Hunk => {
    const text = storedText(view.state)
    const proposed = text.sliceString(from, hunk.from) + hunk.text + text.sliceString(hunk.to, to)
    return { from, to, fromShown: from, toShown: to, original: text.sliceString(from, to), text: proposed }
  }
  /** Sends a change as the next version of a sent suggestion. The change then covers all words that the earlier version changed. */
  const changeSent = ({ sent, span }: Earlier, hunk: Hunk): OutboxEntry[] => {
    const { draft, note } = sent.action
    if (reason.peek().trim() === '') reason.value = note
    store.hold(draft.id, sent.author)
    const whole = widened(hunk, Math.min(span.from, hunk.from), Math.max(span.to, hunk.to))
    return addSuggestions([whole], [{ name: { ...draft, step: draft.step + 1 }, former: sent.action }])
  }
  const suggest = ({ from, to, insert }: Edit): (() => void) | undefined => {
    const text = storedText(view.state)
    const changed = trimmed({ from, to, fromShown: from, toShown: to, original: text.sliceString(from, to), text: insert })
    if (changed === undefined) return undefined
    // The service moves whole lines, even if others have changed them since.
    const hunk = changed.original.includes('\n') ? widened(changed, text.lineAt(changed.from).from, text.lineAt(changed.to).to) : changed
    const same = ownWith(hunk)
    if (same !== undefined) {
      toast(t('You already suggested this.'), { name: t('Withdraw'), run: () => takeBack(same.id), milliseconds: sameMs })
      return undefined
    }
    const earlier = earlierOf({ from, to, insert })
    const [entry] = earlier === undefined ? addSuggestions([hunk]) : changeSent(earlier, hunk)
    return () => takeBack(entry?.id ?? '')
  }
  /** Suggests a tick, or withdraws the suggestion of the same tick. Returns false if the task itself is only being suggested. */
  const tick = ({ state }: EditorView, letter: number): boolean => {
    const { stored: storedAt } = state.facet(textMap)
    const original = state.sliceDoc(letter, letter + 1)
    const [from, to] = [storedAt(letter), storedAt(letter + 1)]
    const isInText = to === from + 1 && isUnchanged(state, { from, to }) && storedText(state).sliceString(from, to) === original
    if (!isInText) return false
    settle()
    const hunk = { from, to, fromShown: from, toShown: to, original, text: original === ' ' ? 'x' : ' ' }
    const same = ownWith(hunk)
    if (same === undefined) addSuggestions([hunk])
    else takeBack(same.id)
    return true
  }

  return { suggest, tick }
}

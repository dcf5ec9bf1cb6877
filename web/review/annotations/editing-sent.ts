/** Brings the sent suggestions of this person into the editor again, so that the person can edit them (suggestions/resuming.ts). */
import type { Signal } from '@preact/signals'
import type { State } from './state.ts'
import { isUntouched } from './sent-steps.ts'
import type { Drafting } from '../suggestions/drafting.ts'
import type { Resumed } from '../suggestions/live-draft.ts'
import { formatsAdded } from '../suggestions/format-change.ts'
import { trimmed } from '../suggestions/hunks.ts'
import { draftsOf, isUnchanged, storedText } from '../suggestions/draft-field.ts'
import { bringHunk } from '../suggestions/suggesting.ts'

export interface EditingSent {
  /** Returns the last version of a suggestion that this person sent. Undefined if the person can no longer edit it. */
  lastSent(id: string): Resumed | undefined
  /** Brings a sent suggestion into the editor. Returns false if this person cannot edit it. */
  resume(id: string): boolean
  /** Whether this person can edit a suggestion, and the suggestion is drawn in the line of the text before it. */
  isInLine(id: string): boolean
  /** Returns the id of the sent suggestion that the caret is in, while the person edits it. */
  editedAtCaret(): string | undefined
}

interface EditingSentInput extends Pick<State, 'store' | 'positions' | 'items'> {
  readonly view: State['editor']['view']
  readonly drafting: Drafting
  /** The reason that is sent with the typed changes. */
  readonly reason: Signal<string>
  /** Sends the typed changes. */
  readonly settle: () => void
  /** Stores the typed changes on the device. */
  readonly storeDrafts: () => void
}

export function openEditingSent({ view, store, positions, items, drafting, reason, settle, storeDrafts }: EditingSentInput): EditingSent {
  const lastSent = (id: string): Resumed | undefined => {
    const item = items.peek().find((each) => each.id === id)
    if (item?.kind === 'new') {
      const { action, author, refusal } = item.entry
      if (action.kind !== 'suggest' || action.draft === undefined || refusal !== undefined) return undefined
      return { action: { ...action, draft: action.draft }, author, suggestion: undefined, entry: id }
    }
    if (item?.kind !== 'proposal' || item.proposal.suggestion.status !== 'pending' || !isUntouched(item.proposal)) return undefined
    const { operation, original, text, note, draftId } = item.proposal.suggestion
    const draft = store.draftOf(item.proposal.suggestion)
    if (draft === undefined || draftId === undefined || store.edited.peek().has(draftId)) return undefined
    const action = { kind: 'suggest', operation, original, text, target: null, note: note ?? '', draft } as const
    return { action, author: store.nameOf(id) ?? '', suggestion: id, entry: undefined }
  }
  const resume = (id: string): boolean => {
    const sent = lastSent(id)
    const span = positions.storedSpanOf(id)
    if (sent === undefined || span === undefined) return false
    const { original, text, note } = sent.action
    const { from, to } = span
    const hunk = { from, to, fromShown: from, toShown: to, original, text }
    const isThere = storedText(view.state).sliceString(from, to) === original
    const same = trimmed(hunk)
    // Struck words and words with a new format are words of the text, and the caret can be in them.
    if (!isThere || text === '' || same?.from !== from || same.to !== to || formatsAdded(original, text).length > 0) return false
    // The other changes in the editor keep the reason that was written for them.
    if (reason.peek().trim() !== note) settle()
    if (!isUnchanged(view.state, span)) return false
    reason.value = note
    drafting.resume(span, sent)
    bringHunk(view, { from, to, insert: text })
    if (sent.entry === undefined) return true
    storeDrafts()
    store.outbox.drop(sent.entry)
    return true
  }
  const isInLine = (id: string): boolean => {
    const sent = lastSent(id)
    return sent !== undefined && !sent.action.text.startsWith('\n')
  }
  const editedAtCaret = (): string | undefined => {
    const { head } = view.state.selection.main
    const hunk = draftsOf(view.state).find(({ fromShown, toShown }) => fromShown <= head && head <= toShown)
    return hunk && drafting.editedIn(hunk)
  }
  return { lastSent, resume, isInLine, editedAtCaret }
}

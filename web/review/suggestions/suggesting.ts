/**
 * Suggesting mode: typing changes the text of the editor, but not the text of the document. This module keeps the changes between the two and adjusts
 * them to edits by others. Once the caret leaves a change, it appears as a suggestion; the service receives it earlier (drafting.ts).
 *
 * The editor works as usual. The caret, compositions, lists, pasting and undo need no special treatment.
 */
import { history, historyField, isolateHistory, redo } from '@codemirror/commands'
import { ChangeSet, Compartment, EditorSelection, EditorState, Facet, Transaction, type Extension, type Text } from '@codemirror/state'
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { ySyncAnnotation, YSyncConfig } from 'y-codemirror.next'
import type * as Y from 'yjs'
import { endStep, textMap } from '../../editor/binding.ts'
import { verbatim } from '../../editor/clean-input.ts'
import { followed, type Sent } from './accepted.ts'
import type { Drafting } from './drafting.ts'
import { byWord, closest, hunksOf, trimmed, withoutSame, type Hunk } from './hunks.ts'
import type { TypedSteps } from './typed-steps.ts'
import { documentChange, insertedAt } from './annotation-ranges.ts'
import { draftDrawing } from './draft-drawing.ts'
import { draftField, draftsOf, left, ofOthers } from './draft-field.ts'
import { unseenIn } from './unseen-words.ts'

/** The origin of a transaction that removes edits from the document's text because the service refused them. They become suggested changes. */
export const refusedEdits = Symbol('refused edits')

interface Edit {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** Whether edits change the words that a hunk would replace. The suggestion would make no sense for other words. */
const isUprooted = ({ from, to, original, text }: Hunk, edits: readonly Edit[]): boolean =>
  original !== '' && text !== '' && edits.some((edit) => edit.from < to && edit.to > from)

/** Removes edits from the document's text. The text in the editor stays, so these edits are then suggested. */
function suggestRefused(view: EditorView, removal: ChangeSet, drafting: SuggestingInput['drafting']): void {
  const { base, changes } = view.state.field(draftField)
  const now = removal.apply(base)
  drafting.follow(base, removal, [])
  const suggested = withoutSame(now, removal.invert(base).compose(changes))
  const annotations = [ofOthers.of({ base: now, changes: suggested }), documentChange.of(removal), Transaction.addToHistory.of(false)]
  view.dispatch({ annotations })
  renewHistory(view)
}

/**
 * Applies edits by others to the editor, next to the suggested changes. If they changed the words that a suggestion would replace, the suggestion is
 * sent as intended. The service then reports its state, and a card shows its text.
 */
const follow = (text: Y.Text, { onHunks, onUprooted, drafting }: SuggestingInput): Extension => {
  const config = new YSyncConfig(text, null)
  return ViewPlugin.fromClass(
    class {
      readonly #observer: (event: Y.YTextEvent) => void

      constructor(view: EditorView) {
        this.#observer = ({ delta, transaction: { origin } }) => {
          let at = 0
          const specs: Edit[] = []
          for (const { retain = 0, delete: removed = 0, insert } of delta) {
            if (typeof insert === 'string') specs.push({ from: at, to: at, insert })
            else if (removed > 0) specs.push({ from: at, to: at + removed, insert: '' })
            at += retain + removed
          }
          const uprooted = (_view: EditorView, hunks: readonly Hunk[]): void => {
            onHunks(view, hunks)
            onUprooted()
          }
          const { length } = view.state.field(draftField).base
          const theirs = ChangeSet.of(specs, length, '\n')
          if (origin === refusedEdits) return suggestRefused(view, theirs, drafting)
          const bring = () => {
            const { base, changes } = view.state.field(draftField)
            return { base: theirs.apply(base), ...followed(base, changes, theirs, drafting.sent(), (at) => insertedAt(view.state, at)) }
          }
          const isOwn = (hunk: Hunk): boolean => bring().accepted.some(({ from, to }) => from <= hunk.to && to >= hunk.from)
          if (!view.composing) takeHunks(view, (hunk) => isUprooted(hunk, specs) && !isOwn(hunk), uprooted)
          const before = view.state.field(draftField).base
          const { base, changes, shown, accepted } = bring()
          drafting.follow(before, theirs, accepted)
          view.dispatch({
            changes: shown,
            annotations: [
              ofOthers.of({ base, changes }),
              documentChange.of(theirs),
              ySyncAnnotation.of(config),
              Transaction.addToHistory.of(false)
            ]
          })
          // Undo would otherwise suggest to delete the text that others accepted.
          if (accepted.length > 0) renewHistory(view)
        }
        text.observe(this.#observer)
      }

      destroy(): void {
        text.unobserve(this.#observer)
      }
    }
  )
}

/** How long the caret must be elsewhere before a change is sent, in milliseconds. A person who clicks around has not finished. */
const leftMs = 600
const touches = ({ selection }: EditorState, { fromShown, toShown }: Hunk): boolean =>
  selection.ranges.some(({ from, to }) => from <= toShown && to >= fromShown)

/** Sends the changes that the caret has left. */
const senders = ({ onHunks, onDrafts, onLeave, isExplaining }: SuggestingInput): Extension =>
  ViewPlugin.fromClass(
    class {
      readonly #view: EditorView
      #leaving: ReturnType<typeof setTimeout> | undefined
      readonly #gone = (): void => {
        if (!this.#view.state.field(draftField).changes.empty) onLeave()
      }
      readonly #hidden = (): void => {
        if (document.visibilityState === 'hidden') this.#gone()
      }

      constructor(view: EditorView) {
        this.#view = view
        document.addEventListener('visibilitychange', this.#hidden)
        addEventListener('pagehide', this.#gone, { capture: true })
      }

      update({ selectionSet, focusChanged, view, startState }: ViewUpdate): void {
        const drafts = view.state.field(draftField)
        const areOther = drafts !== startState.field(draftField, false)
        if (areOther) onDrafts(!drafts.changes.empty)
        if (!areOther && !selectionSet && !focusChanged) return
        clearTimeout(this.#leaving)
        if (!drafts.changes.empty) this.#sendSoon()
      }

      destroy(): void {
        onDrafts(false)
        clearTimeout(this.#leaving)
        document.removeEventListener('visibilitychange', this.#hidden)
        removeEventListener('pagehide', this.#gone, { capture: true })
      }

      #sendSoon(): void {
        this.#leaving = setTimeout(() => {
          if (isExplaining()) return this.#sendSoon()
          const view = this.#view
          // A composition must not be interrupted.
          if (!view.composing) takeHunks(view, (hunk) => !view.hasFocus || !touches(view.state, hunk), onHunks)
        }, leftMs)
      }
    }
  )

/** The undo history of the changes that are still in the editor. It is reset when a change is sent. */
const undoing = new Compartment()

/** The sent versions of suggestions that this person edits again. */
const formerVersions = Facet.define<() => readonly Sent[]>()

/** Returns a new undo history. Its only step leads from the versions that were sent, or from the document's text, to the text in the editor. */
function newHistory(state: EditorState): Extension {
  const { base, changes } = state.field(draftField)
  const isThere = ({ from, to, original }: Sent): boolean =>
    changes.touchesRange(from, to) !== false && base.sliceString(from, to) === original
  const versions = state.facet(formerVersions).flatMap((formers) => formers().filter(isThere))
  const sent = ChangeSet.of(
    versions.map(({ from, to, text }) => ({ from, to, insert: text })),
    base.length
  )
  const doc = sent.apply(base)
  const since = closest(doc, sent.invert(base).compose(changes))
  if (since.empty) return history()
  const { anchor, head } = state.selection.main.map(since.invertedDesc)
  const before = EditorState.create({ doc, selection: EditorSelection.single(anchor, head), extensions: history() })
  const typed = before.update({ changes: since, annotations: isolateHistory.of('full') }).state.field(historyField)
  return [historyField.init(() => typed), history()]
}

function renewHistory(view: EditorView): void {
  view.dispatch({ effects: undoing.reconfigure([]) })
  view.dispatch({ effects: undoing.reconfigure(newHistory(view.state)) })
}

/** Removes changes from the editor and passes them on, to be shown as suggestions. */
export function takeHunks(
  view: EditorView,
  isTaken: (hunk: Hunk) => boolean,
  onHunks: (view: EditorView, hunks: readonly Hunk[]) => void
): void {
  const found = view.state.field(draftField, false)
  if (found === undefined) return
  const { base, changes } = found
  const taken = byWord(base, hunksOf(base, changes)).filter(isTaken)
  const back: { from: number; to: number; insert: Text }[] = []
  const rest: { from: number; to: number; insert: Text }[] = []
  // If typing restored the original text, that change is removed too.
  changes.iterChanges((from, to, fromShown, toShown, inserted) => {
    // A hunk may be part of a change, and several changes may belong to one word. Each change is removed together with the hunk that contains it.
    const own = trimmed({ from, to, fromShown, toShown, original: base.sliceString(from, to), text: inserted.toString() })
    if (own === undefined || taken.some((hunk) => own.from >= hunk.from && own.to <= hunk.to))
      back.push({ from: fromShown, to: toShown, insert: base.slice(from, to) })
    else rest.push({ from, to, insert: inserted })
  })
  if (back.length === 0) return
  const annotations = [left.of(ChangeSet.of(rest, base.length)), verbatim.of(true), Transaction.addToHistory.of(false)]
  // Undone changes no longer differ from the text, and can be redone.
  if (taken.length === 0) return view.dispatch({ annotations })
  view.dispatch({ changes: back, annotations })
  // Otherwise, undo would type the removed changes a second time, next to the suggestion.
  renewHistory(view)
  onHunks(view, taken)
}

/**
 * Removes a rejected change from the editor, except the words that the rejected version lacks. These words stay as a new change, with the caret in
 * them. Returns false if there are none.
 */
export function takeRejected(view: EditorView, hunk: Hunk, rejected: string): boolean {
  const { base, changes } = view.state.field(draftField)
  const isAfterSpace = base.sliceString(Math.max(0, hunk.to - 1), hunk.to).trim() === ''
  const unseen = unseenIn(hunk.text, rejected, isAfterSpace)
  if (unseen === undefined) {
    takeHunks(
      view,
      (each) => each.from === hunk.from && each.to === hunk.to,
      () => undefined
    )
    return false
  }
  const { from, to, fromShown, toShown } = hunk
  // The words that the person types instead of others replace them if they are one word with the rejected text.
  const start = unseen.from === 0 ? from : to
  const rest: Edit[] = [{ from: start, to, insert: hunk.text.slice(unseen.from, unseen.to) }]
  changes.iterChanges((one, other, oneShown, otherShown, inserted) => {
    const original = base.sliceString(one, other)
    const own = trimmed({ from: one, to: other, fromShown: oneShown, toShown: otherShown, original, text: inserted.toString() })
    if (own !== undefined && (own.from < from || own.to > to)) rest.push({ from: one, to: other, insert: inserted.toString() })
  })
  view.dispatch({
    changes: [
      { from: fromShown, to: fromShown + unseen.from, insert: base.slice(from, start) },
      { from: fromShown + unseen.to, to: toShown }
    ],
    annotations: [left.of(ChangeSet.of(rest, base.length, '\n')), verbatim.of(true), Transaction.addToHistory.of(false)]
  })
  renewHistory(view)
  return true
}

/** Brings a change that was sent before into the editor again. Its range must be unchanged. Undo does not remove the change. */
export function bringHunk(view: EditorView, { from, to, insert }: Edit): void {
  const { shown } = view.state.facet(textMap)
  view.dispatch({
    changes: { from: shown(from), to: shown(to), insert },
    annotations: [verbatim.of(true), Transaction.addToHistory.of(false)]
  })
}

/** Changes the text of a hunk that is in the editor. Undo does not take these changes back. Returns false during a composition. */
export function changeHunk(view: EditorView, { fromShown }: Hunk, changes: ChangeSet): boolean {
  if (view.composing) return false
  const edits: { from: number; to: number; insert: Text }[] = []
  changes.iterChanges((from, to, _from, _to, insert) => edits.push({ from: fromShown + from, to: fromShown + to, insert }))
  view.dispatch({ changes: edits, annotations: [verbatim.of(true), Transaction.addToHistory.of(false)] })
  return true
}

/** Maximum number of steps of redo that are kept when a sent suggestion is withdrawn. */
const laterMax = 20

/** Returns the typed changes after each step that redo would repeat. */
export function laterIn(state: EditorState): readonly (readonly Hunk[])[] {
  const found: (readonly Hunk[])[] = []
  let now = state
  const dispatch = (transaction: Transaction): void => void (now = transaction.state)
  while (found.length < laterMax && redo({ state: now, dispatch })) found.push(draftsOf(now))
  return found
}

interface SuggestingInput {
  readonly onHunks: (view: EditorView, hunks: readonly Hunk[]) => void
  /** Called when others have changed words that this person was replacing. */
  readonly onUprooted: () => void
  /** Called when the set of typed changes has changed. `areSome` is true if there are any changes. */
  readonly onDrafts: (areSome: boolean) => void
  /** Called when the page may be closing while there are typed changes. */
  readonly onLeave: () => void
  /** Whether the person is writing the reason for the typed changes. The changes are then not complete. */
  readonly isExplaining: () => boolean
  readonly drafting: Pick<Drafting, 'sent' | 'follow' | 'formers'>
  readonly typedSteps: Pick<TypedSteps, 'follow'>
}

/** Creates the extension, which replaces the binding that writes into the document. */
export const suggesting = (text: Y.Text, input: SuggestingInput): Extension => [
  draftField,
  follow(text, input),
  draftDrawing,
  senders(input),
  undoing.of(history()),
  formerVersions.of(input.drafting.formers),
  EditorView.updateListener.of(input.typedSteps.follow),
  endStep.of((view) => view.dispatch({ annotations: isolateHistory.of('full') }))
]

/** Decides whether typing creates suggestions and whether this person may choose that, and turns typed changes into suggestions. */
import { batch, computed, effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import type { Edit } from '../../../shared/text/diff.ts'
import type { Range } from '../../../shared/text/targets.ts'
import { endStep, taskTick, textMap } from '../../editor/binding.ts'
import { documentValue } from '../../device/device.ts'
import { readDevice, writeDevice } from '../../device/values.ts'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import { proposalOf } from './effects.ts'
import { operationOf, trimmed, type Hunk } from '../suggestions/hunks.ts'
import { isOpen, type Item } from './items.ts'
import { openStoredDrafts } from '../../device/drafts.ts'
import type { Suggestion } from '../outbox/records.ts'
import type { State } from './state.ts'
import {
  changeHunk,
  draftsOf,
  isUnchanged,
  laterIn,
  storedText,
  suggesting as suggestingIn,
  takeHunks,
  takeRejected
} from '../suggestions/suggesting.ts'
import { targetOf } from '../suggestions/targets.ts'
import { openTypedSteps } from '../suggestions/typed-steps.ts'
import { type Drafting, openDrafting, type Resumed, type SentSuggestion } from '../suggestions/drafting.ts'
import { resuming } from '../suggestions/resuming.ts'
import type { DraftName, OutboxEntry, StoredEntry, SuggestAction } from '../outbox/entry.ts'
import { openEditingSent } from './editing-sent.ts'
import { suggestRefusedEdits } from './refused-edits.ts'
import { openSentSteps } from './sent-steps.ts'

/** How long a notice offers to undo a duplicate suggestion or to restore a withdrawn one, in milliseconds. */
const sameMs = 10_000
/** How long typed changes may exist only on the page, in milliseconds. */
const draftMs = 300

/** The id of the field for the reason. */
export const reasonFieldId = 'suggestion-reason'
const isExplaining = (): boolean => document.activeElement?.id === reasonFieldId
const isInCard = (): boolean => document.activeElement?.closest('.card') != null

/** The name under which a typed suggestion is sent, and the version before it if the person edited a sent suggestion. */
interface Claimed {
  readonly name: DraftName
  readonly former: SentSuggestion | undefined
}

/** A sent suggestion of this person, and the range of the text that it changes. */
interface Earlier {
  readonly sent: Resumed
  readonly span: Range
}

export interface SuggestingMode {
  /** Whether typing creates suggestions. */
  readonly suggesting: ReadonlySignal<boolean>
  /** The reason that is sent with the next suggestion. */
  readonly reason: Signal<string>
  /** Whether there are typed changes that the caret has not left. */
  readonly isTyping: ReadonlySignal<boolean>
  /** Whether this person may choose between editing and suggesting. */
  readonly canChoose: ReadonlySignal<boolean>
  toggleSuggesting(): void
  /** Sends typed changes as suggestions immediately. */
  settle(): void
  /** Returns the id of the sent suggestion that the caret is in, while the person edits it. */
  editedAtCaret(): string | undefined
  /**
   * Suggests a change to the text. Returns a function that undoes the suggestion. Undefined if the change has no effect or this person has already
   * suggested it.
   */
  suggest(edit: Edit): (() => void) | undefined
  /** Withdraws a suggestion of this person. A notice offers to restore it. */
  withdraw(suggestion: Suggestion): void
  close(): void
}

export function openSuggestingMode({
  page: { session, panel, mode, setMode },
  editor,
  store,
  positions,
  undoOrder,
  items,
  active,
  onRejected,
  changeOf,
  changeOfEdit
}: State): SuggestingMode {
  const { view } = editor
  const reason = signal('')
  const suggesting = signal(false)
  const actionFor = (text: string, { from, to, original, text: proposed }: Hunk): SuggestAction => ({
    kind: 'suggest',
    operation: operationOf({ original, text: proposed }),
    original,
    text: proposed,
    target: targetOf(text, { from, to }),
    note: reason.value.trim()
  })
  /** Empties the field for the reason, because a suggestion has used it. Text that the person is still writing stays. */
  const endReason = (): void => {
    if (!isExplaining()) reason.value = ''
  }
  const drafting = openDrafting({
    doc: session.id,
    key: session.key,
    store,
    hunks: () => draftsOf(view.state),
    actionFor: (hunk) => actionFor(storedText(view.state).toString(), hunk),
    onOtherVersion: (hunk, changes) => changeHunk(view, hunk, changes),
    onRejected(hunk, suggestion) {
      const isLeft = takeRejected(view, hunk, suggestion.text)
      if (!isLeft) endReason()
      // The notice offers words that are no longer in the editor.
      onRejected(isLeft ? '' : hunk.text, suggestion)
    }
  })
  const followed: Pick<Drafting, 'sent' | 'follow' | 'formers'> = {
    sent: drafting.sent,
    formers: drafting.formers,
    follow(base, theirs, accepted) {
      if (accepted.length > 0) endReason()
      drafting.follow(base, theirs, accepted)
    }
  }
  const sentSteps = openSentSteps(view, store, positions, undoOrder)
  const typedSteps = openTypedSteps(view, undoOrder)
  /** Sends suggestions. `at` is the time at which the person made them. */
  const addSuggestions = (hunks: readonly Hunk[], drafts: readonly Claimed[] = [], at = undoOrder.typed()): OutboxEntry[] => {
    const entries: OutboxEntry[] = []
    const text = storedText(view.state).toString()
    batch(() => {
      for (const [index, hunk] of hunks.entries()) {
        const draft = drafts[index]?.name
        const sent = store.act({ ...actionFor(text, hunk), ...(draft && { draft }) })
        positions.made(sent.id, { from: hunk.from, to: hunk.to })
        entries.push(sent)
      }
      if (hunks.length > 0) endReason()
    })
    sentSteps.sent(
      entries.map((entry, index) => ({ entry, former: drafts[index]?.former })),
      at
    )
    return entries
  }

  const reportChangedText = (): void => {
    const show = (): void => void (panel.value = 'annotations')
    toast(t('Someone changed the text you were replacing. Your suggestion is kept.'), {
      name: t('Show'),
      run: show,
      milliseconds: 15_000
    })
  }

  const stored = openStoredDrafts<Pick<StoredEntry, 'author' | 'deed'>>(session.id)
  let storeTimer: ReturnType<typeof setTimeout> | undefined
  const storeDrafts = (): void => {
    clearTimeout(storeTimer)
    storeTimer = undefined
    const text = storedText(view.state).toString()
    const hunks = draftsOf(view.state)
    const names = drafting.named(hunks)
    stored.write(
      hunks.flatMap((hunk, index) => {
        const draft = names[index]
        return draft === undefined ? [] : [{ author: store.authorOf(draft.id), deed: { ...actionFor(text, hunk), draft } }]
      })
    )
  }
  const areSome = signal(false)
  const onDrafts = (some: boolean): void => {
    areSome.value = some
    drafting.changed()
    if (some) storeTimer ??= setTimeout(storeDrafts, draftMs)
    else {
      clearTimeout(storeTimer)
      storeTimer = undefined
      stored.write([])
    }
  }
  const onLeave = (): void => {
    storeDrafts()
    drafting.leave()
  }
  const onHunks = (_view: EditorView, hunks: readonly Hunk[]): void => {
    const changed: Hunk[] = []
    batch(() => {
      for (const hunk of hunks) {
        const id = drafting.giveBack(hunk)
        if (id === undefined) changed.push(hunk)
        else positions.made(id, { from: hunk.from, to: hunk.to })
      }
      if (changed.length < hunks.length) endReason()
    })
    if (changed.length === 0) return
    addSuggestions(
      changed,
      changed.map((hunk) => ({ former: drafting.formerOf(hunk), name: drafting.claim(hunk) })),
      typedSteps.last()
    )
  }

  const settle = (): void => {
    if (suggesting.peek()) takeHunks(view, () => true, onHunks)
  }
  /** Sends what is in the editor, so that undo changes only sent suggestions, and keeps what redo would restore there. */
  const settleForUndo = (): void => {
    const text = storedText(view.state).toString()
    const versions = laterIn(view.state).map((hunks) =>
      hunks.flatMap((hunk) => {
        const former = drafting.formerOf(hunk)
        return former?.original === hunk.original ? [{ action: actionFor(text, hunk), former }] : []
      })
    )
    settle()
    sentSteps.keepLater(versions)
  }
  undoOrder.add(typedSteps)
  undoOrder.add({
    ...sentSteps,
    undo() {
      settleForUndo()
      return sentSteps.undo()
    }
  })
  const editing = openEditingSent({ view, store, positions, items, drafting, reason, settle, storeDrafts })
  const stopFollowingReason = effect(() => {
    void reason.value
    untracked(() => {
      if (areSome.value) onDrafts(true)
    })
  })
  void stored.adopt(({ deed, author }) => void store.act(deed, author))

  const askedKey = documentValue('suggesting', session.id)
  const asked = signal(readDevice(askedKey) === '1')
  const canChoose = computed(() => store.canDecide.value && session.canEdit.value)
  const wanted = computed(() => store.canSuggest.value && (!store.canDecide.value || asked.value))

  const toggleSuggesting = (): void => {
    if (!canChoose.value) {
      toast(store.canSuggest.value ? t('Your link allows suggesting only.') : t('Your link does not allow suggesting.'))
      return
    }
    const isOn = !suggesting.peek()
    settle()
    asked.value = isOn
    writeDevice(askedKey, asked.value ? '1' : null)
    const words = asked.value ? t('Suggesting: your edits become suggestions') : t('Editing: your edits change the text')
    store.said.value = words
    toast(words)
    // The person is about to write.
    if (mode.peek() === 'read') setMode('live')
    view.focus()
  }

  const setSuggesting = (isOn: boolean): void => {
    if (isOn === suggesting.value) return
    // Text typed from now on belongs to a new undo step.
    view.state.facet(endStep)(view)
    if (isOn) {
      const input = {
        onHunks,
        onUprooted: reportChangedText,
        onDrafts,
        onLeave,
        // A card must not lose its field while the person writes in it.
        isExplaining: () => isExplaining() || (store.edited.peek().size > 0 && isInCard()),
        drafting: followed,
        typedSteps
      }
      editor.setBinding([
        suggestingIn(session.text, input),
        resuming({ resume: editing.resume, isInLine: editing.isInLine, onPress: (id) => void (active.value = id) }),
        taskTick.of(tick)
      ])
    } else {
      takeHunks(view, () => true, onHunks)
      editor.setBinding(undefined)
    }
    suggesting.value = isOn
  }

  const withdraw = ({ id, operation, original, text, note }: Suggestion): void => {
    settle()
    const span = positions.storedSpanOf(id)
    const target = span && targetOf(storedText(view.state).toString(), span)
    store.act({ kind: 'withdraw', suggestion: id })
    if (target === undefined) return
    sentSteps.withdrew({ suggestion: id, action: { kind: 'suggest', operation, original, text, target, note: note ?? '' } })
  }
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

  const stopTelling = effect(() => {
    const isUnsaved = areSome.value && !drafting.saved.value
    session.drafts.value = isUnsaved ? (stored.canStore ? 'kept' : 'here') : 'none'
  })
  const followWanted = (): void => {
    // If the role is raised while a suggestion is typed, the next letters belong to it until the caret leaves it.
    const isTyping = suggesting.peek() && store.canSuggest.peek() && areSome.peek()
    setSuggesting(wanted.peek() || isTyping)
  }
  const stopWanted = effect(() => {
    void wanted.value
    void store.canSuggest.value
    untracked(followWanted)
  })
  const stopTyped = effect(() => {
    // The editor calls `onDrafts` during an update, in which its extensions cannot change.
    if (!areSome.value) queueMicrotask(followWanted)
  })
  const stopRefused = suggestRefusedEdits({
    session,
    mayOnlySuggest: () => suggesting.value && !store.canDecide.value,
    forgetUndo: editor.forgetUndo
  })
  return {
    suggesting,
    reason,
    isTyping: areSome,
    canChoose,
    toggleSuggesting,
    settle,
    editedAtCaret: editing.editedAtCaret,
    suggest,
    withdraw,
    close() {
      settle()
      stopWanted()
      stopTyped()
      stopRefused()
      stopTelling()
      stopFollowingReason()
      drafting.close()
      sentSteps.close()
      stored.close()
    }
  }
}

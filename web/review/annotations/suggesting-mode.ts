/** Decides whether typing creates suggestions and whether this person may choose that, and turns typed changes into suggestions. */
import { batch, computed, effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import type { Edit } from '../../../shared/text/diff.ts'
import { endStep, taskTick } from '../../editor/binding.ts'
import { documentValue } from '../../device/device.ts'
import { readDevice, writeDevice } from '../../device/values.ts'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import { operationOf, type Hunk } from '../suggestions/hunks.ts'
import { openStoredDrafts } from '../../device/drafts.ts'
import type { Suggestion } from '../outbox/records.ts'
import type { State } from './state.ts'
import { draftsOf, storedText } from '../suggestions/draft-field.ts'
import { changeHunk, laterIn, suggesting as suggestingIn, takeHunks, takeRejected } from '../suggestions/suggesting.ts'
import { targetOf } from '../suggestions/targets.ts'
import { openTypedSteps } from '../suggestions/typed-steps.ts'
import { type Drafting, openDrafting } from '../suggestions/drafting.ts'
import { resuming } from '../suggestions/resuming.ts'
import type { OutboxEntry, StoredEntry, SuggestAction } from '../outbox/entry.ts'
import { openEditingSent } from './editing-sent.ts'
import { type Claimed, openSuggestedEdits } from './suggested-edits.ts'
import { suggestRefusedEdits } from './refused-edits.ts'
import { openSentSteps } from './sent-steps.ts'

/** How long typed changes may exist only on the page, in milliseconds. */
const draftMs = 300

/** The id of the field for the reason. */
export const reasonFieldId = 'suggestion-reason'
const isExplaining = (): boolean => document.activeElement?.id === reasonFieldId
const isInCard = (): boolean => document.activeElement?.closest('.card') != null

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

export function openSuggestingMode(state: State): SuggestingMode {
  const { page, editor, store, positions, undoOrder, items, active, onRejected } = state
  const { session, panel, mode, setMode } = page
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
  const { suggest, tick } = openSuggestedEdits({ state, sentSteps, editing, reason, addSuggestions, settle })

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

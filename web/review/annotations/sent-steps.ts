/**
 * Undo and redo of suggestions that were sent from this page. Undo withdraws a suggestion, or restores its earlier text if this person edited it. Redo
 * suggests the same text again.
 */
import { effect, signal, untracked, type Signal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import type { Steps } from '../../editor/binding.ts'
import type { UndoOrder } from '../../editor/undo-order.ts'
import { t, tn } from '../../text/t.ts'
import { dropToast, toast } from '../../ui/toast.tsx'
import { newDraftId, shownName } from '../outbox/draft-name.ts'
import type { Action, DraftName, OutboxEntry, SuggestAction, Target } from '../outbox/entry.ts'
import { isUndecided } from '../outbox/records.ts'
import type { Proposal } from '../outbox/shown-records.ts'
import type { Store } from '../outbox/store.ts'
import type { SentSuggestion } from '../suggestions/live-draft.ts'
import { storedText } from '../suggestions/draft-field.ts'
import { targetOf } from '../suggestions/targets.ts'
import type { Positions } from './positions.ts'

/** Number of steps that undo can take back. */
const stepsMax = 100
/** How long a notice offers to suggest the withdrawn text again, in milliseconds. */
const toldMs = 10_000

/** A suggestion that was sent. */
interface SentStep {
  readonly entry: OutboxEntry
  /** The version before, if this person edited a sent suggestion. */
  readonly former?: SentSuggestion | undefined
}

/** A suggestion that this person withdrew, and the action that suggests its text again if the service does not open it again. */
interface Withdrawal {
  readonly suggestion: string
  readonly action: SuggestAction
}

/** A step that was taken back: the action that repeats it. */
interface Undone {
  readonly action: SuggestAction
  /** The version that the suggestion has instead. Undefined if the suggestion was withdrawn. */
  readonly former?: SentSuggestion
  /** The name of the draft that was withdrawn. */
  readonly withdrawn?: string | undefined
}

/** Something that was done or taken back, and when. */
interface Timed<What> {
  readonly at: number
  readonly what: What
}

export interface SentUndo extends Steps {
  /** Ids of the outbox entries whose suggestions are withdrawn as soon as the service has them. */
  readonly leaving: Signal<ReadonlySet<string>>
  /** Called when suggestions were sent that the person made in one step, at the time `at`. */
  sent(sent: readonly SentStep[], at: number): void
  /** Called with the versions of edited suggestions that redo would restore in the editor, in this order, before the suggestions are withdrawn. */
  keepLater(versions: readonly (readonly Undone[])[]): void
  /** Called when a suggestion was withdrawn. A notice offers to restore it. */
  withdrew(withdrawal: Withdrawal): void
  close(): void
}

/** Whether nobody has decided or answered a suggestion. */
export const isUntouched = ({ suggestion, deciding, waiting }: Proposal): boolean =>
  isUndecided(suggestion) && suggestion.replies === undefined && deciding === undefined && waiting.length === 0

/** Whether an edited suggestion has its earlier text again. */
const isSame = (action: Action, former: SentSuggestion | undefined): boolean =>
  action.kind === 'suggest' && action.text === former?.text && action.original === former.original && action.note === former.note

export function openSentSteps(view: EditorView, store: Store, positions: Positions, order: UndoOrder): SentUndo {
  let steps: readonly Timed<readonly SentStep[] | Withdrawal>[] = []
  let undone: readonly Timed<readonly Undone[]>[] = []
  /** The drafts of suggestions that were suggested again, by the names of those that were withdrawn. */
  const renamed = new Map<string, DraftName>()
  const nameNow = (draft: DraftName): DraftName => {
    const next = renamed.get(draft.id)
    return next === undefined ? draft : nameNow(next)
  }
  const leaving = signal<ReadonlySet<string>>(new Set())

  const proposalWith = ({ id }: DraftName): Proposal | undefined =>
    store.proposals.peek().find((each) => each.suggestion.draftId === shownName(id) && isUntouched(each))
  /** The outbox entries that restored withdrawn suggestions, by the ids of these suggestions. */
  const restored = new Map<string, string>()
  /** Returns the suggestion of an entry, or the one that was made instead because the service did not open it again. */
  const proposalOf = ({ id, action }: OutboxEntry): Proposal | undefined => {
    const record = store.recordIds.peek().get(id)
    const draft = action.kind === 'suggest' && action.draft !== undefined ? shownName(action.draft.id) : undefined
    const all = store.proposals.peek()
    let found = all.find(({ suggestion }) => suggestion.id === record || (draft !== undefined && suggestion.draftId === draft))
    for (let next = found; next !== undefined;) {
      found = next
      const instead = store.recordIds.peek().get(restored.get(next.suggestion.id) ?? '')
      next = all.find(({ suggestion }) => suggestion.id === instead)
    }
    return found
  }

  /** Returns the newest version of a suggestion that waits in the outbox. */
  const waitingOf = ({ id }: DraftName): { readonly id: string; readonly step: number } | undefined => {
    const found = store.outbox.list.peek().findLast(({ action }) => action.kind === 'suggest' && action.draft?.id === id)
    return found?.action.kind === 'suggest' ? { id: found.id, step: found.action.draft?.step ?? 0 } : undefined
  }
  /** Sends another version of a suggestion that the service has, or that waits in the outbox. */
  const sendVersion = (version: SentSuggestion, found: Proposal | undefined, target: Target | null): OutboxEntry => {
    const step = Math.max(found?.suggestion.step ?? 0, version.draft.step, waitingOf(version.draft)?.step ?? 0) + 1
    return store.act({ ...version, target, draft: { ...version.draft, step } })
  }

  /** Takes a step back. Returns what repeats it. Undefined if there is nothing to take back. */
  const takeBack = ({ entry, former }: SentStep): Undone | undefined => {
    const { id } = entry
    const found = proposalOf(entry)
    const now = store.outbox.list.peek().find((each) => each.id === id)
    // While the last version is being sent, the service may have an earlier one.
    const suggested = now?.action.kind === 'suggest' ? now.action : found?.suggestion
    if (suggested === undefined || (found !== undefined && !isUntouched(found))) return undefined
    const draft = entry.action.kind === 'suggest' ? entry.action.draft : undefined
    const waiting = draft && waitingOf(draft)?.id
    const ids = [found?.suggestion.id, id, waiting].filter((each) => each !== undefined)
    const span = ids.map((each) => positions.storedSpanOf(each)).find((each) => each !== undefined)
    // Without a position, the text could not be suggested again.
    if (span === undefined) return undefined
    const { operation, original, text, note } = suggested
    const target = targetOf(storedText(view.state).toString(), span)
    const again = { kind: 'suggest', operation, original, text, target, note: note ?? '' } as const
    // Only a suggestion on the same words can get its earlier text.
    if (found !== undefined && former?.original === original && shownName(former.draft.id) === found.suggestion.draftId) {
      sendVersion(former, found, target)
      return { action: again, former }
    }
    if (found !== undefined) store.act({ kind: 'withdraw', suggestion: found.suggestion.id })
    else if (now?.refusal !== undefined || !store.isConnected.peek()) store.outbox.drop(id)
    else leaving.value = new Set(leaving.peek()).add(id)
    return { action: again, withdrawn: draft?.id }
  }

  const stop = effect(() => {
    const records = store.recordIds.value
    const arrived = [...leaving.value].filter((id) => records.has(id))
    if (arrived.length === 0) return
    untracked(() => {
      leaving.value = new Set([...leaving.peek()].filter((id) => !arrived.includes(id)))
      for (const id of arrived) store.act({ kind: 'withdraw', suggestion: records.get(id) ?? '' })
    })
  })

  // A suggestion may be sent a moment after a later step.
  const add = (what: readonly SentStep[] | Withdrawal, at: number): void =>
    void (steps = [...steps, { at, what }].toSorted((one, other) => one.at - other.at).slice(-stepsMax))
  const sent = (step: readonly SentStep[], at: number): void => {
    if (step.length > 0) add(step, at)
  }
  const addUndone = (what: readonly Undone[]): void => void (undone = [...undone, { at: order.now(), what }].slice(-stepsMax))
  /** Opens a withdrawn suggestion again. The step that suggested it takes it back again. */
  const restore = (withdrawal: Withdrawal): void => {
    if (!steps.some(({ what }) => what === withdrawal)) return
    const { suggestion, action } = withdrawal
    const unsent = store.outbox.list.peek().find((each) => each.action.kind === 'withdraw' && each.action.suggestion === suggestion)
    const instead = { ...action, draft: { id: newDraftId(), step: 1 } }
    if (unsent !== undefined && !store.isConnected.peek() && !store.outbox.sending.peek()) store.outbox.drop(unsent.id)
    else restored.set(suggestion, store.act({ kind: 'restore', suggestion, instead }).id)
    steps = steps.filter(({ what }) => what !== withdrawal)
    dropToast()
  }
  const repeat = ({ action, former, withdrawn }: Undone): SentStep => {
    const draft = former && nameNow(former.draft)
    const found = draft && proposalWith(draft)
    if (draft !== undefined && former !== undefined && (found !== undefined || waitingOf(draft) !== undefined))
      return { entry: sendVersion({ ...action, draft }, found, action.target), former: { ...former, draft } }
    const made = { id: newDraftId(), step: 1 }
    if (withdrawn !== undefined) renamed.set(withdrawn, made)
    return { entry: store.act({ ...action, draft: made }) }
  }
  const suggestAgain = (taken: readonly Undone[]): void => {
    undone = undone.filter(({ what }) => what !== taken)
    dropToast()
    sent(taken.map(repeat), order.now())
  }

  return {
    leaving,
    sent(step, at) {
      sent(
        step.filter(({ entry: { action }, former }) => !isSame(action, former)),
        at
      )
    },
    keepLater(versions) {
      for (const step of versions.toReversed()) if (step.length > 0) addUndone(step)
    },
    withdrew(withdrawal) {
      add(withdrawal, order.made())
      toast(t('Withdrawn'), { name: t('Undo'), run: () => restore(withdrawal), milliseconds: toldMs })
    },
    madeAt: () => steps.at(-1)?.at,
    undoneAt: () => undone.at(-1)?.at,
    undo() {
      const last = steps.at(-1)?.what ?? []
      if ('suggestion' in last) {
        restore(last)
        return true
      }
      const taken = last.map(takeBack).filter((each) => each !== undefined)
      steps = steps.slice(0, -1)
      if (taken.length === 0) return false
      addUndone(taken)
      const withdrawn = taken.filter(({ former }) => former === undefined).length
      if (withdrawn === 0) return true
      const words = tn(withdrawn, 'Withdrawn', '{count} suggestions withdrawn.')
      toast(words, { name: t('Undo'), run: () => suggestAgain(taken), milliseconds: toldMs })
      return true
    },
    redo() {
      const last = undone.at(-1)
      if (last === undefined) return false
      suggestAgain(last.what)
      return true
    },
    close: stop
  }
}

/** Undo and redo of suggestions that were sent from this page. Undo withdraws them, and redo suggests the same text again. */
import { effect, signal, untracked } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import { t, tn } from '../../text/t.ts'
import { dropToast, toast } from '../../ui/toast.tsx'
import { shownName } from '../outbox/draft-name.ts'
import type { OutboxEntry, SuggestAction } from '../outbox/entry.ts'
import { isUndecided } from '../outbox/records.ts'
import type { Proposal } from '../outbox/shown-records.ts'
import type { Store } from '../outbox/store.ts'
import { storedText, type SentSteps } from '../suggestions/suggesting.ts'
import { targetOf } from '../suggestions/targets.ts'
import type { Positions } from './positions.ts'

/** Number of steps that undo can take back. */
const stepsMax = 100
/** How long a notice offers to suggest the withdrawn text again, in milliseconds. */
const toldMs = 10_000

export interface SentUndo extends SentSteps {
  /** Called when suggestions were sent in one step. */
  sent(entries: readonly OutboxEntry[]): void
  close(): void
}

/** Whether nobody has decided or answered a suggestion. */
export const isUntouched = ({ suggestion, deciding, waiting }: Proposal): boolean =>
  isUndecided(suggestion) && suggestion.replies === undefined && deciding === undefined && waiting.length === 0

export function openSentSteps(view: EditorView, store: Store, positions: Positions): SentUndo {
  let steps: readonly (readonly OutboxEntry[])[] = []
  let undone: readonly (readonly SuggestAction[])[] = []
  /** Ids of entries that are being sent and whose suggestions will be withdrawn. */
  const leaving = signal<ReadonlySet<string>>(new Set())

  const proposalOf = ({ id, action }: OutboxEntry) => {
    const record = store.recordIds.peek().get(id)
    const draft = action.kind === 'suggest' && action.draft !== undefined ? shownName(action.draft.id) : undefined
    return store.proposals
      .peek()
      .find(({ suggestion }) => suggestion.id === record || (draft !== undefined && suggestion.draftId === draft))
  }

  /** Withdraws a suggestion. Returns the action that suggests it again. Undefined if there is nothing to withdraw. */
  const takeBack = (entry: OutboxEntry): SuggestAction | undefined => {
    const { id } = entry
    const found = proposalOf(entry)
    const now = store.outbox.list.peek().find((each) => each.id === id)
    // While the last version is being sent, the service may have an earlier one.
    const suggested = now?.action.kind === 'suggest' ? now.action : found?.suggestion
    if (suggested === undefined || (found !== undefined && !isUntouched(found))) return undefined
    const span = positions.storedSpanOf(found?.suggestion.id ?? id) ?? positions.storedSpanOf(id)
    // Without a position, the text could not be suggested again.
    if (span === undefined) return undefined
    const { operation, original, text, note } = suggested
    const target = targetOf(storedText(view.state).toString(), span)
    if (found !== undefined) store.act({ kind: 'withdraw', suggestion: found.suggestion.id })
    else if (now?.refusal !== undefined || !store.isConnected.peek()) store.outbox.drop(id)
    else leaving.value = new Set(leaving.peek()).add(id)
    return { kind: 'suggest', operation, original, text, target, note: note ?? '' }
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

  const sent = (entries: readonly OutboxEntry[]): void => {
    if (entries.length > 0) steps = [...steps, entries].slice(-stepsMax)
  }
  const suggestAgain = (actions: readonly SuggestAction[]): void => {
    undone = undone.filter((each) => each !== actions)
    dropToast()
    sent(actions.map((action) => store.act(action)))
  }

  return {
    sent(entries) {
      undone = []
      sent(entries)
    },
    undo() {
      while (steps.length > 0) {
        const taken = (steps.at(-1) ?? []).map(takeBack).filter((action) => action !== undefined)
        steps = steps.slice(0, -1)
        if (taken.length === 0) continue
        undone = [...undone, taken]
        const words = tn(taken.length, 'Withdrawn', '{count} suggestions withdrawn.')
        toast(words, { name: t('Undo'), run: () => suggestAgain(taken), milliseconds: toldMs })
        return true
      }
      return false
    },
    redo() {
      const last = undone.at(-1)
      if (last === undefined) return false
      suggestAgain(last)
      return true
    },
    count: () => steps.length,
    typed() {
      undone = []
    },
    close: stop
  }
}

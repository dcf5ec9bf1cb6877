/**
 * Decisions made on this page. The person can undo each decision with its notice and with the undo keys, and redo it with the redo keys. The
 * card of a decided suggestion stays for a while.
 */
import { signal, type ReadonlySignal } from '@preact/signals'
import { Transaction, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { endStep } from '../../editor/binding.ts'
import { stepsOf } from '../../editor/undo.ts'
import { t, tn } from '../../text/t.ts'
import { dropToast, toast } from '../../ui/toast.tsx'
import type { Decision } from '../outbox/entry.ts'

/** How long a decision is shown, in milliseconds. */
const toldMs = 10_000
/** Number of decisions that the undo keys can undo. */
const decisionsMax = 100

interface MadeDecision {
  readonly action: 'accept' | 'reject'
  readonly ids: readonly string[]
  /** Number of undo steps of typing before the decision. Later steps are undone first. */
  readonly steps: number
}

export interface Decisions {
  /** Ids of suggestions that were decided here a moment ago. Their cards stay and show the decision. */
  readonly recent: ReadonlySignal<ReadonlySet<string>>
  /** Whether this page made the decision on a suggestion. */
  isHere(id: string): boolean
  /** Called when a decision has been sent. */
  asked(action: Decision, ids: readonly string[]): void
  /** Called when the service has carried out the decision. */
  done(action: Decision, ids: readonly string[]): void
  /** Called when the service has refused the decision. */
  refused(ids: readonly string[]): void
  /** Undoes the newest decision if nothing has been typed since. Returns false otherwise. */
  undo(): boolean
  /** Redoes the decision that was undone last. Returns false if typing was undone later, or if something has been typed since. */
  redo(): boolean
  /** The extension that notices typing. */
  readonly extension: Extension
  close(): void
}

interface DecisionsInput {
  readonly view: EditorView
  decide(action: Decision, ids: readonly string[]): void
  /** Whether a suggestion can be decided. */
  isOpen(id: string): boolean
}

/** Returns decisions on some of their suggestions only. */
const decisionsOn = (decisions: readonly MadeDecision[], isWanted: (id: string) => boolean): readonly MadeDecision[] =>
  decisions.map((decision) => ({ ...decision, ids: decision.ids.filter((id) => isWanted(id)) })).filter(({ ids }) => ids.length > 0)

const isTyped = (event: string): boolean => /^(?:input|delete|move)\b/.test(event)

export function openDecisions({ view, decide, isOpen }: DecisionsInput): Decisions {
  const recent = signal<ReadonlySet<string>>(new Set())
  const here = new Set<string>()
  const timers = new Set<ReturnType<typeof setTimeout>>()
  let made: readonly MadeDecision[] = []
  /** Decisions that were undone since the person last typed. */
  let undone: readonly MadeDecision[] = []

  const steps = (): number => stepsOf(view)
  const without = (ids: readonly string[]): void => {
    const left = new Set(recent.peek())
    for (const id of ids) left.delete(id)
    if (left.size < recent.peek().size) recent.value = left
  }
  const drop = (ids: readonly string[]): void => {
    made = decisionsOn(made, (id) => !ids.includes(id))
    undone = decisionsOn(undone, (id) => !ids.includes(id))
    for (const id of ids) here.delete(id)
    without(ids)
  }
  const reopened = (ids: readonly string[]): void => {
    const taken = decisionsOn(made, (id) => ids.includes(id))
    drop(ids)
    undone = [...undone, ...taken]
  }
  const back = (ids: readonly string[]): void => {
    dropToast()
    decide('reopen', ids)
  }

  return {
    recent,
    isHere: (id) => here.has(id),
    asked(action, ids) {
      if (action === 'reopen') return reopened(ids)
      undone = decisionsOn(undone, (id) => !ids.includes(id))
      // Text typed from now on belongs to a new undo step.
      view.state.facet(endStep)(view)
      made = [...made, { action, ids, steps: steps() }].slice(-decisionsMax)
      for (const id of ids) here.add(id)
      recent.value = new Set([...recent.peek(), ...ids])
      const timer = setTimeout(() => {
        timers.delete(timer)
        without(ids)
      }, toldMs)
      timers.add(timer)
    },
    done(action, ids) {
      if (action === 'reopen')
        return toast(tn(ids.length, 'Undone. The suggestion is open again.', 'Undone. {count} suggestions are open again.'))
      const accepted = (): string => tn(ids.length, 'Accepted.', '{count} suggestions accepted.')
      const rejected = (): string => tn(ids.length, 'Rejected.', '{count} suggestions rejected.')
      const words = action === 'accept' ? accepted() : rejected()
      toast(words, { name: t('Undo'), run: () => back(ids), milliseconds: toldMs })
    },
    refused: drop,
    undo() {
      const last = made.at(-1)
      if (last === undefined || steps() > last.steps) return false
      back(last.ids)
      return true
    },
    redo() {
      const last = undone.at(-1)
      if (last === undefined || steps() !== last.steps) return false
      undone = undone.slice(0, -1)
      const ids = last.ids.filter(isOpen)
      if (ids.length === 0) return false
      dropToast()
      decide(last.action, ids)
      return true
    },
    extension: EditorView.updateListener.of(({ transactions }) => {
      if (transactions.some((transaction) => isTyped(transaction.annotation(Transaction.userEvent) ?? ''))) undone = []
    }),
    close() {
      for (const timer of timers) clearTimeout(timer)
    }
  }
}

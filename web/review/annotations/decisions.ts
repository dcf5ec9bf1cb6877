/**
 * Decisions made on this page. The person can undo each decision with its notice and with the undo keys. The card of a decided suggestion
 * stays for a while.
 */
import { undoDepth } from '@codemirror/commands'
import { signal, type ReadonlySignal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import { endStep, ownUndo, undoSteps } from '../../editor/binding.ts'
import { t, tn } from '../../text/t.ts'
import { dropToast, toast } from '../../ui/toast.tsx'
import type { Decision } from '../outbox/entry.ts'

/** How long a decision is shown, in milliseconds. */
const toldMs = 10_000
/** Number of decisions that the undo keys can undo. */
const decisionsMax = 100

interface MadeDecision {
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
  close(): void
}

export function openDecisions(view: EditorView, reopen: (ids: readonly string[]) => void): Decisions {
  const recent = signal<ReadonlySet<string>>(new Set())
  const here = new Set<string>()
  const timers = new Set<ReturnType<typeof setTimeout>>()
  let made: readonly MadeDecision[] = []

  const steps = (): number => (view.state.facet(ownUndo) === undefined ? view.state.facet(undoSteps)() : undoDepth(view.state))
  const without = (ids: readonly string[]): void => {
    const left = new Set(recent.peek())
    for (const id of ids) left.delete(id)
    if (left.size < recent.peek().size) recent.value = left
  }
  const drop = (ids: readonly string[]): void => {
    made = made.filter((decision) => !decision.ids.some((id) => ids.includes(id)))
    for (const id of ids) here.delete(id)
    without(ids)
  }
  const back = (ids: readonly string[]): void => {
    drop(ids)
    dropToast()
    reopen(ids)
  }

  return {
    recent,
    isHere: (id) => here.has(id),
    asked(action, ids) {
      if (action === 'reopen') return drop(ids)
      // Text typed from now on belongs to a new undo step.
      view.state.facet(endStep)(view)
      made = [...made, { ids, steps: steps() }].slice(-decisionsMax)
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
    close() {
      for (const timer of timers) clearTimeout(timer)
    }
  }
}

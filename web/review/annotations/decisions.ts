/**
 * Decisions made on this page. The person can undo each decision with its notice and with the undo keys, and redo it with the redo keys. The
 * card of a decided suggestion stays for a while.
 */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { Steps } from '../../editor/binding.ts'
import type { UndoOrder } from '../../editor/undo-order.ts'
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
  /** When the decision was made or, in the list of undone decisions, undone. */
  readonly at: number
  /** Set if the step reopened suggestions that were decided in this way elsewhere or on an earlier visit. */
  readonly isReopening?: true
}

export interface Decisions {
  /** Ids of suggestions that were decided here a moment ago. Their cards stay and show the decision. */
  readonly recent: ReadonlySignal<ReadonlySet<string>>
  /** Whether this page made the decision on a suggestion. */
  isHere(id: string): boolean
  /** Called when a decision has been sent. */
  asked(action: Decision, ids: readonly string[]): void
  /** Called when the service has carried out the decision. `left` is a sentence about the suggestions that it could not decide. */
  done(action: Decision, ids: readonly string[], left?: string): void
  /** Called when the service has refused the decision. */
  refused(ids: readonly string[]): void
  close(): void
}

interface DecisionsInput {
  readonly order: UndoOrder
  decide(action: Decision, ids: readonly string[]): void
  /** Whether a suggestion can be decided. */
  isOpen(id: string): boolean
  /** Returns how a suggestion was decided. Undefined if it is open. */
  decisionOn(id: string): 'accept' | 'reject' | undefined
}

/** Returns decisions on some of their suggestions only. */
const decisionsOn = (decisions: readonly MadeDecision[], isWanted: (id: string) => boolean): readonly MadeDecision[] =>
  decisions.map((decision) => ({ ...decision, ids: decision.ids.filter((id) => isWanted(id)) })).filter(({ ids }) => ids.length > 0)

export function openDecisions({ order, decide, isOpen, decisionOn }: DecisionsInput): Decisions {
  const recent = signal<ReadonlySet<string>>(new Set())
  const here = new Set<string>()
  const timers = new Set<ReturnType<typeof setTimeout>>()
  let made: readonly MadeDecision[] = []
  let undone: readonly MadeDecision[] = []
  let isTakingBack = false

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
    const known = new Set(taken.flatMap((each) => each.ids))
    const elsewhere = ids.filter((id) => !known.has(id))
    drop(ids)
    order.rewrites()
    undone = [...undone, ...taken.map((each) => ({ ...each, at: order.now() }))].slice(-decisionsMax)
    for (const action of ['accept', 'reject'] as const) {
      const those = elsewhere.filter((id) => decisionOn(id) === action)
      if (those.length > 0) made = [...made, { action, ids: those, at: order.made(), isReopening: true } as const].slice(-decisionsMax)
    }
  }
  const back = (ids: readonly string[]): void => {
    dropToast()
    decide('reopen', ids)
  }
  /** Takes back the reopening of suggestions. */
  const decideAgain = (step: MadeDecision): boolean => {
    made = made.filter((each) => each !== step)
    const ids = step.ids.filter(isOpen)
    if (ids.length === 0) return false
    dropToast()
    order.rewrites()
    isTakingBack = true
    decide(step.action, ids)
    isTakingBack = false
    undone = [...undone, { ...step, ids, at: order.now() }].slice(-decisionsMax)
    return true
  }
  const reopenAgain = ({ action, ids }: MadeDecision): boolean => {
    const decided = ids.filter((id) => decisionOn(id) === action)
    if (decided.length > 0) back(decided)
    return decided.length > 0
  }
  const steps: Steps = {
    madeAt: () => made.at(-1)?.at,
    undoneAt: () => undone.at(-1)?.at,
    undo() {
      const last = made.at(-1)
      if (last?.isReopening === true) return decideAgain(last)
      back(last?.ids ?? [])
      return true
    },
    redo() {
      const last = undone.at(-1)
      undone = undone.slice(0, -1)
      if (last?.isReopening === true) return reopenAgain(last)
      const ids = last?.ids.filter(isOpen) ?? []
      if (last === undefined || ids.length === 0) return false
      dropToast()
      order.rewrites()
      decide(last.action, ids)
      return true
    }
  }
  order.add(steps)

  return {
    recent,
    isHere: (id) => here.has(id),
    asked(action, ids) {
      if (action === 'reopen') return reopened(ids)
      undone = decisionsOn(undone, (id) => !ids.includes(id))
      if (!isTakingBack) made = [...made, { action, ids, at: order.made() }].slice(-decisionsMax)
      for (const id of ids) here.add(id)
      recent.value = new Set([...recent.peek(), ...ids])
      const timer = setTimeout(() => {
        timers.delete(timer)
        without(ids)
      }, toldMs)
      timers.add(timer)
    },
    done(action, ids, left) {
      const told = (words: string): string => (left === undefined ? words : `${words} ${left}`)
      if (action === 'reopen')
        return toast(told(tn(ids.length, 'Undone. The suggestion is open again.', 'Undone. {count} suggestions are open again.')))
      const accepted = (): string => tn(ids.length, 'Accepted.', '{count} suggestions accepted.')
      const rejected = (): string => tn(ids.length, 'Rejected.', '{count} suggestions rejected.')
      const words = action === 'accept' ? accepted() : rejected()
      toast(told(words), { name: t('Undo'), run: () => back(ids), milliseconds: toldMs })
    },
    refused: drop,
    close() {
      for (const timer of timers) clearTimeout(timer)
    }
  }
}

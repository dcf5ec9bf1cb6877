/** Resolves and reopens comment threads on this page. A notice and the undo keys take this back. */
import type { Steps } from '../../editor/binding.ts'
import type { UndoOrder } from '../../editor/undo-order.ts'
import { takeUndoKey } from './undo-key.ts'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import type { View } from '../../view/view.ts'
import type { Store } from '../outbox/store.ts'

/** How long the notice offers to take a step back, in milliseconds. */
const toldMs = 10_000
/** Number of steps that the undo keys can take back. */
const stepsMax = 100

interface Step {
  readonly comment: string
  readonly resolved: boolean
  /** When the step was made or, in the list of undone steps, taken back. */
  readonly at: number
}

export interface Resolving {
  /** Resolves a comment thread, or reopens it. */
  setResolved(comment: string, resolved: boolean): void
}

interface ResolvingInput {
  readonly page: View
  readonly store: Store
  readonly order: UndoOrder
  /** Called when undo or redo has changed a thread. */
  readonly onChanged: (comment: string) => void
}

export function openResolving({ page, store, order, onChanged }: ResolvingInput): Resolving {
  let made: readonly Step[] = []
  let undone: readonly Step[] = []

  /** Changes a thread. Returns false if it is gone, or if others have changed it in the same way. */
  const set = (id: string, resolved: boolean): boolean => {
    const comment = store.recordIds.peek().get(id) ?? id
    const thread = store.threads.peek().find((each) => each.comment.id === comment)
    if (thread === undefined || thread.comment.resolved === resolved) return false
    store.act({ kind: 'resolve', comment, resolved })
    return true
  }
  const tell = (step: Step): void =>
    toast(step.resolved ? t('Comment resolved') : t('Comment reopened'), {
      name: t('Undo'),
      run: () => void takeBack(step),
      milliseconds: toldMs
    })
  const takeBack = (step: Step): boolean => {
    made = made.filter((each) => each !== step)
    if (!set(step.comment, !step.resolved)) return false
    undone = [...undone, { ...step, at: order.now() }].slice(-stepsMax)
    toast(step.resolved ? t('Comment reopened') : t('Comment resolved'))
    onChanged(step.comment)
    return true
  }
  const add = (step: Step): void => {
    made = [...made, step].slice(-stepsMax)
    tell(step)
    if (page.canType.peek()) return
    // People who may only comment have no undo command.
    takeUndoKey(page, order.undo)
  }

  const steps: Steps = {
    madeAt: () => made.at(-1)?.at,
    undoneAt: () => undone.at(-1)?.at,
    undo() {
      const last = made.at(-1)
      return last !== undefined && takeBack(last)
    },
    redo() {
      const last = undone.at(-1)
      undone = undone.slice(0, -1)
      if (last === undefined || !set(last.comment, last.resolved)) return false
      add({ ...last, at: order.now() })
      onChanged(last.comment)
      return true
    }
  }
  order.add(steps)

  return {
    setResolved(comment, resolved) {
      if (set(comment, resolved)) add({ comment, resolved, at: order.made() })
    }
  }
}

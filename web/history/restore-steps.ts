/** Restores of this page as steps. The undo and redo keys take them back and repeat them in the order of all steps. */
import type { OwnUndo, Steps } from '../editor/binding.ts'

/** Number of restores that the undo keys can take back. */
const stepsMax = 100

/** A restore. Both functions tell the person what happened, and reject if the service refused. */
export interface RestoreStep {
  back(): Promise<unknown>
  again(): Promise<unknown>
}

interface Timed {
  readonly step: RestoreStep
  /** When the restore was made or, in the list of undone ones, undone. */
  readonly at: number
}

export interface RestoreSteps {
  /** Adds a restore that was just made. */
  add(step: RestoreStep): void
  /** Undoes a restore, even if there are newer steps. */
  takeBack(step: RestoreStep): void
}

function openRestoreSteps(order: OwnUndo): RestoreSteps {
  let made: readonly Timed[] = []
  let undone: readonly Timed[] = []
  const drop = (step: RestoreStep): void => {
    made = made.filter((each) => each.step !== step)
    undone = undone.filter((each) => each.step !== step)
  }
  /** Carries out an undo or redo. A refused one cannot be tried again with the keys. */
  const carryOut = (step: RestoreStep, done: Promise<unknown>): void => {
    order.rewrites(done)
    done.catch(() => drop(step))
  }
  const takeBack = (step: RestoreStep): void => {
    drop(step)
    undone = [...undone, { step, at: order.now() }].slice(-stepsMax)
    carryOut(step, step.back())
  }
  const add = (step: RestoreStep): void => void (made = [...made, { step, at: order.made() }].slice(-stepsMax))
  const steps: Steps = {
    madeAt: () => made.at(-1)?.at,
    undoneAt: () => undone.at(-1)?.at,
    undo() {
      const last = made.at(-1)
      if (last !== undefined) takeBack(last.step)
      return last !== undefined
    },
    redo() {
      const last = undone.at(-1)
      if (last === undefined) return false
      drop(last.step)
      add(last.step)
      carryOut(last.step, last.step.again())
      return true
    }
  }
  order.add(steps)
  return { add, takeBack }
}

const known = new WeakMap<OwnUndo, RestoreSteps>()

/** Returns the restores of a page. `order` is its order of all steps. */
export function restoreStepsOf(order: OwnUndo): RestoreSteps {
  const found = known.get(order) ?? openRestoreSteps(order)
  known.set(order, found)
  return found
}

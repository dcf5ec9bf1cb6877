/**
 * One order for all steps that the undo keys take back: changes to the text, suggested changes, decisions on suggestions, and resolved comments. Each
 * kind keeps its own steps and the times at which they were made and taken back. Undo takes back the newest step of all kinds. Redo repeats the step
 * that was taken back last, until the person makes a new step. A time is a count of steps.
 */
import type { EditorView } from '@codemirror/view'
import type * as Y from 'yjs'
import { endStep, textSteps, type OwnUndo, type Steps } from './binding.ts'
import type { RestoredSteps } from './restored-steps.ts'
import type { Step } from './undo-gaps.ts'

/** Maximum number of presses of the undo and redo keys that wait for the service. */
const waitingMax = 50
/** How long a press waits for the text of a decision after the service has confirmed the decision, in milliseconds. */
const textMs = 2000

export interface UndoOrder extends OwnUndo {
  /** Returns the time of a new step. There is then nothing to redo. */
  typed(): number
  /** Called when the service has carried out such a step. */
  settled(): void
  close(): void
}

interface UndoOrderInput {
  readonly view: Pick<EditorView, 'state'>
  /** Whether the person may change the text of the document now. */
  readonly canEdit: () => boolean
  readonly restored?: RestoredSteps | undefined
  /** Whether the service has not carried out a decision yet. Presses of the undo and redo keys then wait. */
  readonly isDeciding?: () => boolean
}

type StepEvent = { readonly stackItem: Step; readonly origin: unknown }

/** The steps of changes to the document's text. */
function stepsOfText(undo: Y.UndoManager, { canEdit, restored }: UndoOrderInput, { typed, now }: UndoOrder): Steps & { close(): void } {
  const times = new WeakMap(undo.undoStack.map((step, index) => [step, index + 1]))
  const added = ({ stackItem, origin }: StepEvent): void => void times.set(stackItem, origin === undo ? now() : typed())
  undo.on('stack-item-added', added)
  undo.on('stack-item-updated', typed)
  const timeOf = (stack: readonly Step[]): number | undefined => {
    const last = stack.at(-1)
    return last !== undefined && canEdit() ? (times.get(last) ?? 0) : undefined
  }
  return {
    madeAt: () => timeOf(undo.undoStack),
    undoneAt: () => timeOf(undo.redoStack),
    undo: () => restored?.undo() === true || undo.undo() !== null,
    redo: () => restored?.redo() === true || undo.redo() !== null,
    close() {
      restored?.close()
      undo.off('stack-item-added', added)
      undo.off('stack-item-updated', typed)
    }
  }
}

/** Returns the kind of steps with the latest time, if that is later than `after`. */
function latest(kinds: readonly Steps[], timeOf: (steps: Steps) => number | undefined, after: number): Steps | undefined {
  let found: Steps | undefined
  let time = after
  for (const steps of kinds) {
    const at = timeOf(steps) ?? 0
    if (at > time) [found, time] = [steps, at]
  }
  return found
}

export function openUndoOrder(input: UndoOrderInput): UndoOrder {
  const { view, restored, isDeciding = () => false } = input
  const undo = view.state.facet(textSteps)
  const kinds: Steps[] = []
  let clock = undo?.undoStack.length ?? 0
  /** The time of the newest step that was not repeated by redo. */
  let newest = 0
  let waiting: readonly ('undo' | 'redo')[] = []
  /** Number of steps that the service is carrying out, without decisions. */
  let pending = 0
  let isTaking = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeFor = (which: 'undo' | 'redo') => (steps: Steps) => (which === 'undo' ? steps.madeAt() : steps.undoneAt())
  const next = (which: 'undo' | 'redo'): Steps | undefined => latest(kinds, timeFor(which), which === 'undo' ? 0 : newest)
  const run = (which: 'undo' | 'redo'): boolean => {
    const timeOf = timeFor(which)
    for (;;) {
      const steps = next(which)
      const at = steps && timeOf(steps)
      if (steps === undefined) return false
      if (steps[which]()) return true
      // A step that cannot be taken back now stays, for example while the editor is read-only.
      if (timeOf(steps) === at) return false
    }
  }
  const take = (which: 'undo' | 'redo'): boolean => {
    const before = newest
    isTaking = true
    const isDone = run(which)
    isTaking = false
    if (which === 'redo') newest = before
    return isDone
  }
  const mustWait = (which: 'undo' | 'redo'): boolean =>
    pending > 0 || isDeciding() || (timer !== undefined && next(which) === text && restored?.fits(which) === false)
  const goOn = (): void => {
    for (let [first, ...rest] = waiting; first !== undefined && !mustWait(first); [first, ...rest] = waiting) {
      waiting = rest
      take(first)
    }
  }
  const press = (which: 'undo' | 'redo'): boolean => {
    if (waiting.length === 0 && !mustWait(which)) return take(which)
    waiting = [...waiting, which].slice(0, waitingMax)
    return true
  }
  const order: UndoOrder = {
    now: () => (clock += 1),
    typed() {
      if (!isTaking) waiting = []
      return (newest = order.now())
    },
    made() {
      view.state.facet(endStep)(view as EditorView)
      return order.typed()
    },
    add: (steps) => void kinds.push(steps),
    rewrites(done) {
      restored?.mark()
      if (done === undefined) return
      pending += 1
      const settle = (): void => {
        pending -= 1
        if (pending === 0) order.settled()
      }
      done.then(settle, settle)
    },
    settled() {
      clearTimeout(timer)
      timer = setTimeout(() => {
        timer = undefined
        goOn()
      }, textMs)
      goOn()
    },
    last: () => next('undo')?.madeAt() ?? 0,
    undo: () => press('undo'),
    redo: () => press('redo'),
    close() {
      clearTimeout(timer)
      undo?.doc.off('afterTransaction', arrived)
      text?.close()
    }
  }
  // The text of a decision arrives separately from its confirmation. Yjs is still in its transaction here.
  const arrived = (): void => {
    if (waiting.length > 0) queueMicrotask(goOn)
  }
  undo?.doc.on('afterTransaction', arrived)
  const text = undo && stepsOfText(undo, input, order)
  if (text !== undefined) order.add(text)
  return order
}

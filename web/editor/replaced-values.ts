/** Undo of a value, such as the mark of a task or a cell, that somebody else has replaced. */
import type { Extension } from '@codemirror/state'
import * as Y from 'yjs'
import { hasMoved, isMark, leaveMoved, markSteps } from './moved-steps.ts'
import type { StepRules } from './exact-undo.ts'
import { movedCaret } from './moved-caret.ts'
import { latestOf } from './restored-copies.ts'
import { gapAround, isGone, type Step, textOf, without } from './undo-gaps.ts'

/** Matches the characters that enclose a value: the mark of a task, or a cell. */
const edge = /[|,;\t\n[\]]/

/** Whether an item is all that is between two edges, apart from spaces. */
function isWholeValue(left: Y.Item | null, { content, right }: Y.Item): boolean {
  const text = content instanceof Y.ContentString ? content.str : ''
  let next = right
  while (next !== null && isGone(next)) next = next.right
  const before = left === null ? '\n' : (textOf(left).trimEnd().at(-1) ?? '')
  const after = text + (next === null ? '\n' : textOf(next).trimStart())
  const end = after.search(edge)
  return edge.test(before) && end > 0 && end <= text.length && (after.charAt(end) === ']' || text.slice(0, end).trim() !== '')
}

/** Removes from a step the values that others have replaced since. Returns whether anything remains to undo. */
function leavesSome(transaction: Y.Transaction, step: Step, steps: readonly Step[]): boolean {
  let remains = false
  Y.iterateDeletedStructs(
    transaction,
    step.insertions,
    (struct) => void (remains ||= latestOf(transaction.doc.store, struct.id)?.item.deleted === false)
  )
  const seen = new Set<Y.Item>()
  const replaced: Y.Item[] = []
  Y.iterateDeletedStructs(transaction, step.deletions, (struct) => {
    if (!(struct instanceof Y.Item) || seen.has(struct)) return
    const { left, items, right } = gapAround(struct)
    for (const item of items) seen.add(item)
    // The marks of a moved line are no value.
    const wrote = items.some((item) => Y.isDeleted(step.insertions, item.id) && !isMark(item))
    const origin = right?.origin ?? null
    if (!wrote || right === null || origin === null || steps.some(({ insertions }) => Y.isDeleted(insertions, right.id))) return
    // The rest of the text in which the words were replaced also follows them.
    const isRest = right.id.client === origin.client && right.id.clock === origin.clock + 1
    const isThere = items.some(
      ({ id, length }) => id.client === origin.client && id.clock <= origin.clock && origin.clock < id.clock + length
    )
    if (isThere && !isRest && isWholeValue(left, right)) replaced.push(...items.filter(({ id }) => Y.isDeleted(step.deletions, id)))
  })
  for (const { id, length } of replaced) step.deletions = without(step.deletions, id, length)
  return remains || [...step.deletions.clients.values()].some((ranges) => ranges.length > 0)
}

/** The editor extras for lines that somebody else moves. */
export const stepExtras: { readonly always: Extension; readonly live: Extension } = { always: [movedCaret], live: [] }

/** The rules for steps whose value or line somebody else has changed since. */
export const stepRules: StepRules = {
  prepare(transaction, { undoing, undoStack, redoStack }) {
    // Yjs goes on to the next step if nothing remains to undo.
    const steps = undoing ? undoStack : redoStack
    for (const step of steps.toReversed()) {
      leaveMoved(transaction, step, steps, !undoing)
      if (leavesSome(transaction, step, [...undoStack, ...redoStack])) break
    }
  },
  mark: markSteps,
  hasMoved,
  isMark
}

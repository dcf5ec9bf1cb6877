/**
 * Undo and redo that restore text exactly.
 * - Deleting a card leaves an empty line, which the service removes a moment later (shared/fences/tidy.ts). Yjs alone would restore the card at the
 *   end of the line above. Whitespace that somebody else removes next to a step's deletion becomes part of that step and is restored with it.
 * - If the removed and the remaining line break came from different steps, the remaining one moves to the step of the removed one.
 * - If restored text was edited, undoing removes all of it.
 * - If somebody else removes the words on both sides of deleted ones in one change, as the restore of a version does, the place of the deleted words is
 *   gone. If the same words return later, they are new to Yjs, and it would restore the deleted ones somewhere else. Undo leaves those out.
 * - If somebody else has replaced a value that a step wrote, such as a mark of a task or a cell, the older value would come next to the newer one. Undo
 *   leaves it out.
 */
import * as Y from 'yjs'
import { type Gap, gapAround, isGone, type Step, textOf, without } from './undo-gaps.ts'

/** Whether only the prefix of a fence's lines is between a line break and the end of an item. */
function endsLineStart(item: Y.Item | null): boolean {
  for (let each = item; each !== null; each = each.left) {
    if (isGone(each)) continue
    const text = textOf(each)
    let end = text.length
    while (end > 0 && /[ \t>]/.test(text.charAt(end - 1))) end -= 1
    if (end > 0 || text === '') return text.charAt(end - 1) === '\n'
  }
  return true
}

/**
 * Returns the item that contains the next line break, if only spaces precede that break. Null if the text ends before, undefined if other text comes
 * first.
 */
function lineEnd(item: Y.Item | null): { readonly item: Y.Item; readonly offset: number } | null | undefined {
  for (let each = item; each !== null; each = each.right) {
    if (isGone(each)) continue
    const offset = /^[ \t]*/.exec(textOf(each))?.[0].length ?? 0
    if (offset < each.length) return textOf(each).charAt(offset) === '\n' ? { item: each, offset } : undefined
  }
  return null
}

const rangeOf = ({ client }: Y.ID, clock: number, len: number): ReturnType<typeof Y.createDeleteSet> => {
  const range = Y.createDeleteSet()
  range.clients.set(client, [{ clock, len }])
  return range
}

/** Maximum number of line breaks in one removal for which the page finds the steps that wrote them. */
const lineEndsMax = 200

/** Text that somebody else has just removed from a gap, next to text that was already deleted. */
class Removal {
  readonly #gap: Gap
  readonly #steps: readonly Step[]
  #text = ''
  readonly #parts: { readonly at: number; readonly item: Y.Item }[] = []
  /** For each offset at which undo steps deleted something, in ascending order, the last of these steps. */
  readonly #stepsAt = new Map<number, Step>()
  /** The offsets at which only marks of moves were found. No step restores them, so other text counts first. */
  readonly #marksAt = new Set<number>()

  constructor(gap: Gap, steps: readonly Step[], isNow: (item: Y.Item) => boolean, isMark: (item: Y.Item) => boolean) {
    this.#gap = gap
    this.#steps = steps
    for (const item of gap.items) {
      if (isNow(item)) {
        this.#parts.push({ at: this.#text.length, item })
        this.#text += textOf(item)
      } else this.#found(item, isMark(item))
    }
  }

  #found({ id }: Y.Item, isMark: boolean): void {
    const at = this.#text.length
    const step = this.#steps.findLast(({ deletions }) => Y.isDeleted(deletions, id))
    const known = this.#stepsAt.get(at)
    if (step === undefined) return
    const isLast = known === undefined || this.#steps.indexOf(known) < this.#steps.indexOf(step)
    const isOnlyMark = known === undefined || this.#marksAt.has(at)
    if (isMark ? isLast && isOnlyMark : isLast || isOnlyMark) this.#stepsAt.set(at, step)
    if (!isMark) this.#marksAt.delete(at)
    else if (known === undefined) this.#marksAt.add(at)
  }

  #give(step: Step, from: number, to: number): void {
    for (const { at, item } of this.#parts) {
      const [first, end] = [Math.max(from, at), Math.min(to, at + item.length)]
      if (first >= end) continue
      step.deletions = Y.mergeDeleteSets([step.deletions, rangeOf(item.id, item.id.clock + first - at, end - first)])
      // Otherwise Yjs would discard the content of the item.
      item.keep = true
    }
  }

  keep(): void {
    const { left, right } = this.#gap
    const text = this.#text
    const last = [...this.#stepsAt.keys()].at(-1)
    const isAtStart = endsLineStart(left)
    let given = 0
    for (const [at, step] of this.#stepsAt) {
      let begin = at
      while (begin > given && /[ \t>]/.test(text.charAt(begin - 1))) begin -= 1
      const begins = begin === 0 ? isAtStart : text.charAt(begin - 1) === '\n'
      let from = begin > given && text.charAt(begin - 1) === '\n' ? begin : at
      while (from > given && /\s/.test(text.charAt(from - 1))) from -= 1
      let to = at
      while (/[ \t]/.test(text.charAt(to)) && to < text.length) to += 1
      const ends = to < text.length ? text.charAt(to) === '\n' : lineEnd(right) !== undefined
      if (ends && from < at) {
        this.#give(step, from, at)
        given = at
      }
      if (at === last && begins && to < text.length && ends && lineEnd(right) === undefined) {
        this.#give(step, at, to + 1)
        given = to + 1
      }
    }
    const first = text.indexOf('\n', given)
    if (first !== -1) this.#replace(first, given > 0 || isAtStart ? null : left)
  }

  /**
   * Several line breaks followed a line, and only one of them remains. Decides to which step this line break belongs. It belongs to the step that
   * wrote the end of the line, if that step also wrote one of the breaks. Otherwise it belongs to no step if one of the breaks existed before all
   * steps, and else to the first step that wrote one. A step that wrote only an empty line has nothing left to undo, because that line is gone.
   */
  #replace(at: number, left: Y.Item | null): void {
    const end = lineEnd(this.#gap.right)
    if (end === null || end === undefined) return
    const id = Y.createID(end.item.id.client, end.item.id.clock + end.offset)
    const writers = [...this.#lineEnds(at), id].map((each) => this.#writerOf(each))
    const line = left === null ? undefined : this.#writerOf(Y.createID(left.id.client, left.id.clock + left.length - 1))
    const first = writers.includes(undefined) ? undefined : this.#steps.find((step) => writers.includes(step))
    const writer = line !== undefined && writers.includes(line) ? line : first
    for (const step of this.#steps) {
      const isWritten = Y.isDeleted(step.insertions, id)
      if (isWritten && step !== writer) step.insertions = without(step.insertions, id)
      if (!isWritten && step === writer) step.insertions = Y.mergeDeleteSets([step.insertions, rangeOf(id, id.clock, 1)])
    }
  }

  /** Returns the ids of the removed line breaks that follow an offset. */
  #lineEnds(offset: number): Y.ID[] {
    const ends: Y.ID[] = []
    for (const { at, item } of this.#parts) {
      const text = textOf(item)
      let index = text.indexOf('\n', Math.max(0, offset - at))
      for (; index !== -1 && ends.length < lineEndsMax; index = text.indexOf('\n', index + 1))
        ends.push(Y.createID(item.id.client, item.id.clock + index))
    }
    return ends
  }

  #writerOf(id: Y.ID): Step | undefined {
    return this.#steps.find(({ insertions }) => Y.isDeleted(insertions, id))
  }
}

/** Deleted words whose place is gone, and the words that somebody else removed before and after them. Null at an end of the text. */
interface Uprooted {
  readonly item: Y.ID
  readonly length: number
  readonly before: Y.ID | null
  readonly after: Y.ID | null
}

/** Maximum number of runs of deleted words whose lost places the page notes. */
const uprootedMax = 1000

/** Returns the deleted words in a gap whose place was lost in a change by somebody else, which removed the items for which `isNow` is true. */
function uprootedIn({ left, items, right }: Gap, steps: readonly Step[], isNow: (item: Y.Item) => boolean): Uprooted[] {
  const removed = items.flatMap((item, at) => (isNow(item) && textOf(item).trim() !== '' ? [{ at, id: item.id }] : []))
  const [first, last] = [removed[0], removed.at(-1)]
  if (first === undefined || last === undefined) return []
  return items.flatMap((item, at): Uprooted[] => {
    const before = at > first.at ? first.id : null
    const after = at < last.at ? last.id : null
    const isLost = (before !== null || left === null) && (after !== null || right === null)
    return isLost && !isNow(item) && steps.some(({ deletions }) => Y.isDeleted(deletions, item.id))
      ? [{ item: item.id, length: item.length, before, after }]
      : []
  })
}

/** Returns the words whose place is still gone. It is not if Yjs restored the words on one side, for example by an undo of the person who removed them. */
function stillUprooted(store: Y.Doc['store'], uprooted: readonly Uprooted[]): readonly Uprooted[] {
  const itemAt = (id: Y.ID): Y.Item => Y.getItem(store, id) as Y.Item
  let within: ReadonlySet<Y.Item> = new Set()
  return uprooted.filter(({ item, before, after }) => {
    const words = itemAt(item)
    // Words that are next to each other share their gap, which may be long.
    if (!within.has(words)) within = new Set(gapAround(words).items)
    return [before, after].every((id) => id === null || within.has(itemAt(id)))
  })
}

/**
 * Splits the insertions of a step where their copies are split. Yjs restores text as one copy. If something was later written into the copy, Yjs
 * would find only its first part and leave the others in the text.
 */
function splitAsCopies(transaction: Y.Transaction, { insertions }: Step): void {
  const ends: { readonly id: Y.ID; readonly length: number }[] = []
  Y.iterateDeletedStructs(transaction, insertions, (struct) => {
    if (!(struct instanceof Y.Item)) return
    for (let done = 0; done < struct.length;) {
      let length = struct.length - done
      let copy = struct
      let clock = struct.id.clock + done
      while (copy.redone !== null) {
        clock = copy.redone.clock + clock - copy.id.clock
        copy = Y.getItem(transaction.doc.store, Y.createID(copy.redone.client, clock)) as Y.Item
        length = Math.min(length, copy.id.clock + copy.length - clock)
      }
      if (done > 0) ends.push({ id: struct.id, length: done })
      done += length
    }
  })
  for (const { id, length } of ends) Y.iterateDeletedStructs(transaction, rangeOf(id, id.clock, length), () => undefined)
}

export interface StepRules {
  /** Removes from the steps that will be undone or redone the values and moves that others have replaced since (replaced-values.ts). */
  prepare(transaction: Y.Transaction, undo: Y.UndoManager): void
  /** Marks the lines that a step, or its undo or redo, has moved (moved-steps.ts). */
  mark(transaction: Y.Transaction, text: Y.Text, undo: Y.UndoManager): void
  /** Whether a line was moved from one of the places of these deleted items. */
  hasMoved(items: readonly Y.Item[]): boolean
  /** Whether a deleted item is the mark of a move, which no step restores. */
  isMark(item: Y.Item): boolean
}

/** Makes undo and redo exact. Returns a function that restores the behavior of Yjs. */
export function exactUndo(text: Y.Text, undo: Y.UndoManager, rules: StepRules): () => void {
  let uprooted: readonly Uprooted[] = []
  const prepare = (transaction: Y.Transaction): void => {
    if (transaction.origin !== undo) return
    for (const { item, length } of stillUprooted(transaction.doc.store, uprooted))
      for (const step of [...undo.undoStack, ...undo.redoStack]) step.deletions = without(step.deletions, item, length)
    rules.prepare(transaction, undo)
    for (const step of undo.undoing ? undo.undoStack : undo.redoStack) splitAsCopies(transaction, step)
  }
  const follow = (transaction: Y.Transaction): void => {
    if (undo.trackedOrigins.has(transaction.origin)) return
    const steps = [...undo.redoStack, ...undo.undoStack]
    if (steps.length === 0) return
    const isNow = ({ id }: Y.Item): boolean =>
      Y.isDeleted(transaction.deleteSet, id) && id.clock < (transaction.beforeState.get(id.client) ?? 0)
    const seen = new Set<Y.Item>()
    Y.iterateDeletedStructs(transaction, transaction.deleteSet, (struct) => {
      if (!(struct instanceof Y.Item) || struct.parent !== text || seen.has(struct) || !isNow(struct)) return
      const gap = gapAround(struct)
      for (const item of gap.items) seen.add(item)
      // The service may remove one of two lines whose characters are mixed.
      const lost = rules.hasMoved(gap.items) ? [] : uprootedIn(gap, steps, isNow)
      if (lost.length === 0) new Removal(gap, steps, isNow, rules.isMark).keep()
      else uprooted = [...uprooted, ...lost].slice(-uprootedMax)
    })
  }
  const mark = (transaction: Y.Transaction): void => {
    if (undo.trackedOrigins.has(transaction.origin)) rules.mark(transaction, text, undo)
  }
  const { doc } = text
  doc?.on('beforeTransaction', prepare)
  doc?.on('beforeObserverCalls', mark)
  doc?.on('afterTransaction', follow)
  return () => {
    doc?.off('beforeTransaction', prepare)
    doc?.off('beforeObserverCalls', mark)
    doc?.off('afterTransaction', follow)
  }
}

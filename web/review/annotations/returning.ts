/** Notices when deleted text returns to its place, for example by undo. The annotations in it are then back at once, before the service responds. */
import type { ChangeSet, Text } from '@codemirror/state'
import type { Range as Span } from '../../../shared/text/targets.ts'

/** Maximum number of annotations that are remembered, and the longest deleted text, in UTF-16 units. The service knows the others. */
const lostMax = 200
const textUnitsMax = 20_000

/** An annotation whose text was deleted. */
interface Lost {
  /** The text that was deleted with it, which includes its own. */
  readonly text: string
  /** The range of the annotation in that text. */
  readonly within: Span
  /** The offset at which the text was. */
  readonly at: number
}

export interface Returning {
  /**
   * Follows a change of `before`. `gone` are the ranges in `before` of annotations that lost their text. Returns the ranges in the new text of the
   * annotations that have it again.
   */
  follow(before: Text, change: ChangeSet, gone: readonly (readonly [string, Span])[]): readonly (readonly [string, Span])[]
}

/** Whether a change inserts all text of a range. The text after a deletion may be the same by chance. */
function inserts(change: ChangeSet, from: number, to: number): boolean {
  let does = false
  change.iterChangedRanges((_from, _to, start, end) => (does ||= start <= from && end >= to))
  return does
}

export function openReturning(): Returning {
  const lost = new Map<string, Lost>()

  const notice = (before: Text, change: ChangeSet, gone: readonly (readonly [string, Span])[]): void => {
    if (gone.length === 0) return
    change.iterChanges((from, to, at) => {
      if (to - from > textUnitsMax || to === from) return
      const within = gone.filter(([, span]) => span.from >= from && span.to <= to)
      const text = within.length === 0 ? '' : before.sliceString(from, to)
      for (const [id, span] of within) {
        lost.delete(id)
        lost.set(id, { text, within: { from: span.from - from, to: span.to - from }, at })
      }
    })
    for (const id of lost.keys()) {
      if (lost.size <= lostMax) break
      lost.delete(id)
    }
  }

  return {
    follow(before, change, gone) {
      const back: (readonly [string, Span])[] = []
      if (lost.size > 0) {
        const now = change.apply(before)
        for (const [id, one] of lost) {
          const at = change.mapPos(one.at, -1)
          const end = at + one.text.length
          const isBack = inserts(change, at, end) && now.sliceString(at, end) === one.text
          if (!isBack) {
            lost.set(id, { ...one, at })
            continue
          }
          lost.delete(id)
          back.push([id, { from: at + one.within.from, to: at + one.within.to }])
        }
      }
      notice(before, change, gone)
      return back
    }
  }
}

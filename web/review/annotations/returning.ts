/**
 * Notices when deleted text returns, by undo, by a move or by a paste of cut text. The annotations in it are then back at once, before the service
 * responds.
 */
import type { ChangeSet, Text } from '@codemirror/state'
import type { Range as Span } from '../../../shared/text/targets.ts'
import { movedWithin } from './moved-words.ts'

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

/** A change of `before`. */
interface Followed {
  readonly before: Text
  readonly change: ChangeSet
  /** The ranges in `before` of annotations that lost their text. */
  readonly gone: readonly (readonly [id: string, span: Span])[]
  /** Whether this person made the change, and not by undo. */
  readonly isOwn: boolean
  /** Whether the change is a paste, or an undo or redo of this person. It may bring cut text to another place. */
  readonly isPaste: boolean
}

export interface Returning {
  /** Follows a change. Returns the ranges in the new text of the annotations that have their text again. */
  follow(followed: Followed): readonly (readonly [id: string, span: Span])[]
}

/** Whether a change inserts all text of a range. The text after a deletion may be the same by chance. */
function inserts(change: ChangeSet, from: number, to: number): boolean {
  let does = false
  change.iterChangedRanges((_from, _to, start, end) => (does ||= start <= from && end >= to))
  return does
}

/** Returns where a change inserts the words of a lost annotation. Undefined if it inserts them nowhere, or in several places. */
function movedTo({ text, within }: Lost, change: ChangeSet): Span | undefined {
  const found: Span[] = []
  change.iterChanges((_from, _to, start, _end, inserted) => {
    if (inserted.length === 0 || inserted.length > textUnitsMax) return
    const span = movedWithin(text, within, inserted.toString())
    if (span !== undefined) found.push({ from: start + span.from, to: start + span.to })
  })
  return found.length === 1 ? found[0] : undefined
}

/** Returns the annotations that lost their text in a change, by id. */
function lostIn({ before, change, gone }: Followed): Map<string, Lost> {
  const found = new Map<string, Lost>()
  if (gone.length === 0) return found
  change.iterChanges((from, to, at) => {
    if (to - from > textUnitsMax || to === from) return
    const within = gone.filter(([, span]) => span.from >= from && span.to <= to)
    const text = within.length === 0 ? '' : before.sliceString(from, to)
    for (const [id, span] of within) found.set(id, { text, within: { from: span.from - from, to: span.to - from }, at })
  })
  return found
}

export function openReturning(): Returning {
  const lost = new Map<string, Lost>()
  /** The annotations whose text this person has cut. An undo of the paste removes the text again, and the person may paste it elsewhere. */
  const cut = new Set<string>()

  const notice = (id: string, one: Lost): void => {
    lost.delete(id)
    lost.set(id, one)
    const [oldest] = lost.keys()
    if (lost.size > lostMax && oldest !== undefined) lost.delete(oldest)
  }

  return {
    follow(followed) {
      const { before, change, isOwn, isPaste } = followed
      const back: (readonly [string, Span])[] = []
      const now = lost.size > 0 ? change.apply(before) : before
      for (const [id, one] of lost) {
        const at = change.mapPos(one.at, -1)
        const end = at + one.text.length
        const isBack = inserts(change, at, end) && now.sliceString(at, end) === one.text
        const span = isBack
          ? { from: at + one.within.from, to: at + one.within.to }
          : isPaste && cut.has(id)
            ? movedTo(one, change)
            : undefined
        if (span === undefined) {
          lost.set(id, { ...one, at })
          continue
        }
        lost.delete(id)
        back.push([id, span])
      }
      for (const [id, one] of lostIn(followed)) {
        const span = movedTo(one, change)
        if (span !== undefined) {
          back.push([id, span])
          continue
        }
        if (isOwn) cut.add(id)
        notice(id, one)
      }
      return back
    }
  }
}

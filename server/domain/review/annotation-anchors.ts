/**
 * The anchors of a document's annotations, and their ranges in the text in memory. That text may be ahead of the disk: a replacement also moves the
 * anchor of an annotation that is still being written. Anchors are located once for each version of the text.
 */
import { locatePins, type Pin, pinsAfter, pinsReturned } from '../../../shared/text/anchors.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import { contextOf, type Lines, linesOf, type Range } from '../../../shared/text/targets.ts'
import type { Snapshot } from '../text/journal.ts'
import type { OpenDocument } from '../text/open-document.ts'
import type { AnnotationKind, Moved, Pinned } from './annotation-records.ts'

export interface AnchorSet {
  /** Returns the current range of an annotation's text; undefined if the annotation has no text, or the text is gone. */
  rangeOf(id: string): Range | undefined
  /** The line index of the current text. */
  readonly lines: Lines
  /** Adds an anchor that was read from disk. Its range is searched for when it is first needed. */
  load(kind: AnnotationKind, id: string, pin: Pin): void
  /** Sets the anchor of an annotation, whose text is currently at `range`. Returns a function that undoes the change. */
  set(kind: AnnotationKind, id: string, pin: Pin, range: Range | undefined): () => void
  remove(id: string): void
  /** Makes the next use locate all anchors again. */
  reset(): void
  /** Applies edits to the text and moves the anchors with it. `isCompared` is true if the edits are the difference between two texts. Synchronous. */
  apply(edits: readonly Edit[], actor: string, isCompared: boolean): { after: Snapshot; moved: readonly Moved[] }
}

/** The ranges of all pins in one version of the text. */
interface Located {
  readonly seq: number
  readonly content: string
  readonly ranges: Map<string, Range | undefined>
  /** Computed when first used. */
  lines?: Lines
}

const zipped = <T>(ids: readonly string[], values: readonly T[]): [string, T][] => ids.map((id, index) => [id, values[index] as T])

/** Creates the empty set of anchors of a document. `keepMoved` writes the anchors that were found again to disk. */
export const createAnchorSet = (openDoc: OpenDocument, keepMoved: (moved: readonly Moved[]) => void): AnchorSet => {
  const pinned = new Map<string, Pinned>()
  let located: Located | undefined
  /** The last text of each annotation whose text was deleted or changed by typing, and the context of that text at that time. */
  const lastSeen = new Map<string, Pick<Pin, 'quote' | 'prefix' | 'suffix'>>()

  const locate = (): Located => {
    if (located?.seq === openDoc.seq) return located
    const { content } = openDoc.snapshot()
    const ids = [...pinned.keys()]
    const pins = ids.map((id) => (pinned.get(id) as Pinned).pin)
    const earlier = located
    located = { seq: openDoc.seq, content, ranges: new Map(zipped(ids, locatePins(openDoc.text, content, pins))) }
    if (earlier !== undefined) noteGone(earlier, located)
    const back = takeReturned(located, content)
    if (back.length > 0) keepMoved(back)
    return located
  }

  const movedTo = (id: string, pin: Pin): Moved => {
    const { kind } = pinned.get(id) as Pinned
    pinned.set(id, { kind, pin })
    return { id, kind, pin }
  }

  /** Remembers the last text and context of each annotation whose text was deleted or changed. */
  const noteGone = (then: Located, now: Located): void => {
    for (const [id, range] of now.ranges) {
      const was = then.ranges.get(id)
      if (was === undefined || lastSeen.has(id)) continue
      const quote = then.content.slice(was.from, was.to)
      const isWhole = range !== undefined && now.content.slice(range.from, range.to) === quote
      if (!isWhole) lastSeen.set(id, { quote, ...contextOf(then.content, was) })
    }
  }

  /** Ties annotations to their text again if the deleted text was inserted again as new characters. */
  const takeReturned = ({ ranges }: Located, content: string): Moved[] => {
    const ids = [...pinned.keys()]
    const pins = ids.map((id) => ({ ...(pinned.get(id) as Pinned).pin, ...lastSeen.get(id) }))
    const stood = ids.map((id) => ranges.get(id))
    return [...pinsReturned(openDoc.text, content, pins, stood)].map(([index, { pin, range }]) => {
      const id = ids[index] ?? ''
      lastSeen.delete(id)
      ranges.set(id, range)
      return movedTo(id, pin)
    })
  }

  const remove = (id: string): void => {
    pinned.delete(id)
    lastSeen.delete(id)
    located?.ranges.delete(id)
  }

  return {
    rangeOf: (id) => locate().ranges.get(id),
    get lines() {
      return (locate().lines ??= linesOf(openDoc.snapshot().content))
    },
    load: (kind, id, pin) => void pinned.set(id, { kind, pin }),
    set(kind, id, pin, range) {
      const { ranges } = locate()
      const [before, stood] = [pinned.get(id), ranges.get(id)]
      pinned.set(id, { kind, pin })
      lastSeen.delete(id)
      ranges.set(id, range)
      return () => {
        if (before === undefined) return remove(id)
        pinned.set(id, before)
        located?.ranges.set(id, stood)
      }
    },
    remove,
    reset: () => void (located = undefined),
    apply(edits, actor, isCompared) {
      const { ranges } = locate()
      const before = openDoc.snapshot()
      const ids = [...pinned.keys()]
      const pins = ids.map((id) => (pinned.get(id) as Pinned).pin)
      const stood = ids.map((id) => ranges.get(id))
      const after = openDoc.apply(edits, actor, isCompared)
      const replacement = { before: before.content, after: after.content, edits, isCompared }
      const { changed, ranges: now } = pinsAfter(openDoc.text, pins, stood, replacement)
      located = { seq: openDoc.seq, content: after.content, ranges: new Map(zipped(ids, now)) }
      const moved = [...changed].map(([index, pin]) => movedTo(ids[index] ?? '', pin))
      const all = [...moved, ...takeReturned(located, after.content)]
      return { after, moved: [...new Map(all.map((each) => [each.id, each])).values()] }
    }
  }
}

/**
 * The anchors of a document's annotations, and their ranges in the text in memory. That text may be ahead of the disk: a replacement also moves the
 * anchors of annotations that are still being written. Anchors are located once for each version of the text.
 */
import {
  locateAnchors,
  type Anchor,
  anchorsAfter,
  anchorsAt,
  anchorsBeside,
  anchorsMoved,
  anchorsReturned
} from '../../../shared/text/anchors.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import { contextOf, type Lines, linesOf, type Range } from '../../../shared/text/targets.ts'
import type { Snapshot } from '../text/journal.ts'
import type { OpenDocument } from '../text/open-document.ts'
import type { AnnotationKind, Moved, Anchored } from './annotation-records.ts'

export interface AnchorSet {
  /** Returns the current range of an annotation's text; undefined if the annotation has no text, or the text is gone. */
  rangeOf(id: string): Range | undefined
  /** The line index of the current text. */
  readonly lines: Lines
  /** Adds an anchor that was read from disk. Its range is searched for when it is first needed. */
  load(kind: AnnotationKind, id: string, anchor: Anchor): void
  /** Sets the anchor of an annotation, whose text is currently at `range`. Returns a function that undoes the change. */
  set(kind: AnnotationKind, id: string, anchor: Anchor, range: Range | undefined): () => void
  remove(id: string): void
  /** Makes the next use locate all anchors again. */
  reset(): void
  /**
   * Applies edits to the text and moves the anchors with it. `isCompared` is true if the edits are the difference between two texts. `placed` has the
   * ranges in the new text of annotations that the edits would leave without a place, by id. Synchronous.
   */
  apply(
    edits: readonly Edit[],
    actor: string,
    isCompared: boolean,
    placed: ReadonlyMap<string, Range>
  ): { after: Snapshot; moved: readonly Moved[] }
}

/** The ranges of all anchors in one version of the text. */
interface Located {
  readonly tag: string
  readonly content: string
  readonly ranges: Map<string, Range | undefined>
  /** Computed when first used. */
  lines?: Lines
}

const zipped = <T>(ids: readonly string[], values: readonly T[]): [string, T][] => ids.map((id, index) => [id, values[index] as T])

/** Creates the empty set of anchors for a document. `keepMoved` writes the anchors that were found again to disk. */
export const createAnchorSet = (openDoc: OpenDocument, keepMoved: (moved: readonly Moved[]) => void): AnchorSet => {
  const anchored = new Map<string, Anchored>()
  let located: Located | undefined
  /** The last text of each annotation whose text was deleted or changed by typing, and the context of that text at that time. */
  const lastSeen = new Map<string, Pick<Anchor, 'quote' | 'prefix' | 'suffix'>>()

  const anchorsOf = (ids: readonly string[]): readonly Anchor[] => ids.map((id) => (anchored.get(id) as Anchored).anchor)
  const rangesOf = ({ ranges }: Located, ids: readonly string[]): readonly (Range | undefined)[] => ids.map((id) => ranges.get(id))

  const locate = (): Located => {
    if (located?.tag === openDoc.tag) return located
    const { content } = openDoc.snapshot()
    const ids = [...anchored.keys()]
    const earlier = located
    located = { tag: openDoc.tag, content, ranges: new Map(zipped(ids, locateAnchors(openDoc.text, content, anchorsOf(ids)))) }
    if (earlier !== undefined) noteGone(earlier, located)
    const kept = earlier === undefined ? [] : takeBeside(earlier.content, located, anchorsOf(ids), rangesOf(earlier, ids))
    const back = [...kept, ...takeReturned(located, content), ...(earlier === undefined ? [] : takeMoved(earlier, located))]
    if (back.length > 0) keepMoved(back)
    return located
  }

  const movedTo = (id: string, anchor: Anchor): Moved => {
    const { kind } = anchored.get(id) as Anchored
    anchored.set(id, { kind, anchor })
    return { id, kind, anchor }
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

  /**
   * Ties annotations between two characters to their line again if one of the characters was deleted. `anchors` and `stood` are those of all annotations
   * before, in order.
   */
  const takeBeside = (
    before: string,
    { content, ranges }: Located,
    anchors: readonly Anchor[],
    stood: readonly (Range | undefined)[]
  ): Moved[] => {
    const ids = [...anchored.keys()]
    const now = ids.map((id) => ranges.get(id))
    return [...anchorsBeside(openDoc.text, before, content, anchors, stood, now)].map(([index, { anchor, range }]) => {
      const id = ids[index] ?? ''
      lastSeen.delete(id)
      ranges.set(id, range)
      return movedTo(id, anchor)
    })
  }

  /** Ties annotations to their text again if the deleted text was inserted again as new characters. */
  const takeReturned = ({ ranges }: Located, content: string): Moved[] => {
    const ids = [...anchored.keys()]
    const anchors = ids.map((id) => ({ ...(anchored.get(id) as Anchored).anchor, ...lastSeen.get(id) }))
    const stood = ids.map((id) => ranges.get(id))
    return [...anchorsReturned(openDoc.text, content, anchors, stood)].map(([index, { anchor, range }]) => {
      const id = ids[index] ?? ''
      lastSeen.delete(id)
      ranges.set(id, range)
      return movedTo(id, anchor)
    })
  }

  /** Ties annotations to their text again if somebody moved the text by deleting it and inserting it elsewhere. */
  const takeMoved = (then: Located, now: Located): Moved[] => {
    const gone = [...anchored].flatMap(([id, { anchor }]) => {
      if (now.ranges.get(id) !== undefined) return []
      return [{ id, ...anchor, ...lastSeen.get(id), standing: then.ranges.get(id) !== undefined }]
    })
    return [...anchorsMoved(openDoc.text, then.content, now.content, gone)].map(([index, { anchor, range }]) => {
      const id = gone[index]?.id ?? ''
      lastSeen.delete(id)
      now.ranges.set(id, range)
      return movedTo(id, anchor)
    })
  }

  const remove = (id: string): void => {
    anchored.delete(id)
    lastSeen.delete(id)
    located?.ranges.delete(id)
  }

  return {
    rangeOf: (id) => locate().ranges.get(id),
    get lines() {
      return (locate().lines ??= linesOf(openDoc.snapshot().content))
    },
    load: (kind, id, anchor) => void anchored.set(id, { kind, anchor }),
    set(kind, id, anchor, range) {
      const { ranges } = locate()
      const [before, stood] = [anchored.get(id), ranges.get(id)]
      anchored.set(id, { kind, anchor })
      lastSeen.delete(id)
      ranges.set(id, range)
      return () => {
        if (before === undefined) return remove(id)
        anchored.set(id, before)
        located?.ranges.set(id, stood)
      }
    },
    remove,
    reset: () => void (located = undefined),
    apply(edits, actor, isCompared, placed) {
      const { ranges } = locate()
      const before = openDoc.snapshot()
      const ids = [...anchored.keys()]
      const anchors = anchorsOf(ids)
      const stood = ids.map((id) => ranges.get(id))
      const after = openDoc.apply(edits, actor, isCompared)
      const replacement = { before: before.content, after: after.content, edits, isCompared }
      const { changed, ranges: now } = anchorsAfter(openDoc.text, anchors, stood, replacement)
      located = { tag: openDoc.tag, content: after.content, ranges: new Map(zipped(ids, now)) }
      const moved = [...changed].map(([index, anchor]) => movedTo(ids[index] ?? '', anchor))
      const stayed = takeBeside(before.content, located, anchors, stood)
      const places = [...placed.values()]
      const kept = zipped([...placed.keys()], anchorsAt(openDoc.text, after.content, places)).map(([id, anchor], index) => {
        located?.ranges.set(id, places[index])
        return movedTo(id, anchor)
      })
      const all = [...moved, ...stayed, ...kept, ...takeReturned(located, after.content)]
      return { after, moved: [...new Map(all.map((each) => [each.id, each])).values()] }
    }
  }
}

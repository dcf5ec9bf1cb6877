/** An annotation of the text, and the range that it keeps while people type. */
import { MapMode, RangeValue, type Text } from '@codemirror/state'
import type { Range as Span } from '../../../shared/text/targets.ts'

/** The kind of a range. At a range of the kind `card`, the annotation has only a card, and the text shows no mark. */
export type PlaceKind = 'comment' | 'insert' | 'delete' | 'replace' | 'card'

/** An annotation as the text shows it. */
export interface Annotation {
  readonly id: string
  readonly kind: PlaceKind
  readonly author: string
  /** The text that a suggestion inserts. */
  readonly text: string
  /** The time at which it was made, in milliseconds since 1970. Several suggestions that begin in one place are in this order. */
  readonly madeAt?: number
}

/** A time that is later than those of all annotations, in milliseconds since 1970. */
const latest = 1e14

/** The range of an annotation, which stays on its characters while people type. */
export class MarkedRange extends RangeValue {
  readonly annotation: Annotation
  readonly isPoint: boolean
  /** Whether the annotation suggests new lines after a line. They remain after that line, even if others type at its end. */
  readonly isAfterLine: boolean

  constructor(annotation: Annotation, isPoint: boolean, isAfterLine: boolean) {
    super()
    this.annotation = annotation
    this.isPoint = isPoint
    this.isAfterLine = isAfterLine
    // Text typed at the edges of a range does not become part of it. A range between two characters disappears when the text on both sides is
    // deleted.
    this.startSide = (isPoint ? -2 : 1) + (annotation.madeAt ?? 0) / latest
    this.endSide = isPoint ? this.startSide : -1
    this.mapMode = annotation.kind === 'card' ? MapMode.Simple : MapMode.TrackDel
  }

  /** Returns where the annotation is if its range is `from`–`to`. */
  spanIn(doc: Text, from: number, to: number): Span {
    if (!this.isAfterLine) return { from, to }
    const end = doc.lineAt(to).to
    return { from: end, to: end }
  }

  override eq(other: RangeValue): boolean {
    return other instanceof MarkedRange && other.annotation === this.annotation
  }
}

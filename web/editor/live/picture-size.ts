/** Computes the width of a picture that a person resizes, and finds that picture. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { pictureWidthMax, pictureWidthMin } from '../../../shared/markdown/pictures.ts'
import { pictureOf, type PictureAt } from './picture-at.ts'

/** Widths of a picture, in CSS pixels. */
export interface Widths {
  /** The displayed width, which is never greater than the column width. */
  readonly shown: number
  /** The width in the Markdown. Undefined for the natural width. */
  readonly written: number | undefined
  /** Width of the text column. */
  readonly column: number
}

/**
 * Returns the width to write after a change of `by` pixels. If the displayed width stays the same, the written width stays the same too. It can be
 * greater than the column width, for example on a phone.
 */
export function widthAfter({ shown, written, column }: Widths, by: number): number | undefined {
  const most = Math.max(pictureWidthMin, Math.min(pictureWidthMax, Math.floor(column)))
  const asked = Math.round(Math.min(most, Math.max(pictureWidthMin, shown + by)))
  return asked === Math.min(most, Math.round(shown)) ? written : asked
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }
const [stepLarge, stepSmall] = [10, 1]

/** Returns the number of pixels by which a key changes the width. With Shift, it is a single pixel. */
export const stepOf = (key: string, isFine: boolean): number | undefined => {
  const direction = steps[key]
  return direction === undefined ? undefined : direction * (isFine ? stepSmall : stepLarge)
}

/** Returns the picture that begins at a position. */
export function pictureFrom(state: EditorState, from: number): PictureAt | undefined {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, 1); node !== null && node.from >= from; node = node.parent)
    if (node.name === 'Image' && node.from === from) return pictureOf(state, node)
  return undefined
}

/** Returns the address of a picture as written in the text. It identifies the picture when others move pictures. */
export const addressWritten = (state: EditorState, { written, urlEnd }: PictureAt): string => state.sliceDoc(written.to, urlEnd)

/** Returns the picture with an address at its earlier position. Undefined if others removed it or put another picture there. */
export function samePicture(state: EditorState, from: number, address: string): PictureAt | undefined {
  const picture = pictureFrom(state, from)
  return picture !== undefined && addressWritten(state, picture) === address ? picture : undefined
}

/** Returns the picture with an address within a range. */
export function pictureWithin(
  state: EditorState,
  range: { readonly from: number; readonly to: number },
  address: string
): PictureAt | undefined {
  const found: PictureAt[] = []
  syntaxTree(state).iterate({
    ...range,
    enter({ node }) {
      const picture = pictureOf(state, node)
      if (picture !== undefined && picture.from >= range.from && picture.to <= range.to) found.push(picture)
    }
  })
  return found.find((picture) => addressWritten(state, picture) === address)
}

/** The width that a person gives a picture with its handles, and the picture that they belong to. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { pictureWidthMax, pictureWidthMin } from '../../../shared/markdown/pictures.ts'
import { pictureOf, type PictureAt } from './picture-at.ts'

/** All in CSS pixels. */
export interface Widths {
  /** The drawn width, never wider than the column. */
  readonly shown: number
  /** The written width; undefined for the natural one. */
  readonly written: number | undefined
  /** Width of the text around it. */
  readonly column: number
}

/** Returns the width after a change of `by` pixels. The drawn width stays the written one: on a phone a picture may be written wider. */
export function widthAfter({ shown, written, column }: Widths, by: number): number | undefined {
  const most = Math.max(pictureWidthMin, Math.min(pictureWidthMax, Math.floor(column)))
  const asked = Math.round(Math.min(most, Math.max(pictureWidthMin, shown + by)))
  return asked === Math.min(most, Math.round(shown)) ? written : asked
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }
const [stepLarge, stepSmall] = [10, 1]

/** Returns the pixels by which a key changes the width; with Shift they are single ones. */
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

/** Returns the address of a picture, as it is written: it identifies the picture among those that others move here. */
export const addressWritten = (state: EditorState, { written, urlEnd }: PictureAt): string => state.sliceDoc(written.to, urlEnd)

/** Returns the picture that began here with that address; undefined if others removed it, or put another one in its place. */
export function samePicture(state: EditorState, from: number, address: string): PictureAt | undefined {
  const picture = pictureFrom(state, from)
  return picture !== undefined && addressWritten(state, picture) === address ? picture : undefined
}

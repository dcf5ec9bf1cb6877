/** Finds the picture at the caret, with its size and caption (shared/markdown/pictures.ts). */
import { syntaxTree } from '@codemirror/language'
import { StateEffect, type EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { kindOfAddress } from '../../../shared/media-types.ts'
import { pictureWords } from '../../../shared/markdown/pictures.ts'
import { linkParts } from '../link-parts.ts'

/** A picture in the text. Positions are in UTF-16 units. */
export interface PictureAt {
  readonly from: number
  readonly to: number
  readonly written: { readonly from: number; readonly to: number }
  readonly urlEnd: number
  readonly title: { readonly from: number; readonly to: number } | undefined
  readonly words: string
  readonly width: number | undefined
  readonly caption: string
}

/** Opens the card of the picture at the caret, for editing its size and caption. */
export const editPicture = StateEffect.define<null>()

/** Returns the text of a title, without its quotes and the backslashes of escapes. */
export const titleWords = (title: string): string => title.slice(1, -1).replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')

export function pictureOf(state: EditorState, node: SyntaxNode): PictureAt | undefined {
  const parts = linkParts(node)
  if (node.name !== 'Image' || parts === undefined) return undefined
  if ((kindOfAddress(state.sliceDoc(parts.url.from, parts.url.to)) ?? 'image') !== 'image') return undefined
  const written = { from: parts.open.to, to: parts.close.from }
  const title = node.getChild('LinkTitle') ?? undefined
  return {
    from: node.from,
    to: node.to,
    written,
    urlEnd: parts.url.to,
    title,
    ...pictureWords(state.sliceDoc(written.from, written.to)),
    caption: title === undefined ? '' : titleWords(state.sliceDoc(title.from, title.to))
  }
}

export function pictureAt(state: EditorState, position: number): PictureAt | undefined {
  for (const side of [-1, 1] as const)
    for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, side); node !== null; node = node.parent) {
      const found = pictureOf(state, node)
      if (found !== undefined) return found
    }
  return undefined
}

/** Finds the picture at the caret, with its size, alternative text and caption (shared/markdown/pictures.ts). */
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
  /** Whether the picture is in a table, where a bar ends a cell unless a backslash is before it. */
  readonly inTable: boolean
  readonly title: { readonly from: number; readonly to: number } | undefined
  readonly words: string
  readonly width: number | undefined
  readonly caption: string
}

/** Opens the card of the picture at the caret, for editing. */
export const editPicture = StateEffect.define<null>()

/** Returns the text of a title, without its quotes and the backslashes of escapes. */
export const titleWords = (title: string): string => title.slice(1, -1).replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')

/** Returns an alternative text as a person reads it, without the backslashes that it needs in its brackets or in a table. */
export const alternativeWords = ({ words }: PictureAt): string => words.replaceAll(/\\([[\]\\|])/g, '$1')

const isInTable = ({ name, parent }: SyntaxNode): boolean => name === 'Table' || (parent !== null && isInTable(parent))

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
    inTable: isInTable(node),
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

/** The link that the caret is in, and what its card is told. */
import { syntaxTree } from '@codemirror/language'
import { StateEffect, type EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { linkParts } from './inline.ts'

interface Span {
  readonly from: number
  readonly to: number
}

/** A link in the text; positions in UTF-16 units. */
export interface LinkAt extends Span {
  readonly url: Span
  /** The words that are read in its place; undefined for an address that stands for itself. */
  readonly words: Span | undefined
}

/** The address of a link is to be changed in its card: of the one at a position, or (null) at the caret. */
export const editLink = StateEffect.define<number | null>()

const ofNode = (node: SyntaxNode): LinkAt | undefined => {
  const { name, from, to, parent } = node
  if (name === 'Link') {
    const parts = linkParts(node)
    return parts && { from, to, url: parts.url, words: { from: parts.open.to, to: parts.close.from } }
  }
  return name === 'URL' && parent !== null && !['Link', 'Image', 'LinkReference'].includes(parent.name)
    ? { from, to, url: { from, to }, words: undefined }
    : undefined
}

export function linkAt(state: EditorState, position: number): LinkAt | undefined {
  for (const side of [-1, 1] as const)
    for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, side); node !== null; node = node.parent) {
      const found = ofNode(node)
      if (found !== undefined) return found
    }
  return undefined
}

/** A position within a link that stays in it, whatever is written in it or around it: behind its first letter. */
export const anchorOf = ({ from }: LinkAt): number => from + 1

/** The changes that leave the words of a link. */
export const withoutLink = (state: EditorState, { from, to, words }: LinkAt): { from: number; to: number; insert: string } => ({
  from,
  to,
  insert: words === undefined ? state.sliceDoc(from, to) : state.sliceDoc(words.from, words.to)
})

/** An address as it may stand between the brackets of a link. */
export const asTarget = (address: string): string => (/[\s()<>]/.test(address) ? `<${address.replaceAll(/[<>\n]/g, '')}>` : address)

/** The address that is meant: without the angle brackets that Markdown allows around it. */
export const addressOf = (state: EditorState, { url }: LinkAt): string => state.sliceDoc(url.from, url.to).replace(/^<(.*)>$/, '$1')

/** Finds the link at the caret, and the data for its card. */
import { syntaxTree } from '@codemirror/language'
import { StateEffect, type EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { linkParts } from '../link-parts.ts'

interface Span {
  readonly from: number
  readonly to: number
}

/** A link in the text. Positions are in UTF-16 units. */
export interface LinkAt extends Span {
  readonly url: Span
  /** The text that stays visible in the live view. Undefined for an address without text. */
  readonly words: Span | undefined
}

/** Opens a link's address for editing in its card. The value is the position of the link, or null for the link at the caret. */
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

/** Returns a position that stays within the link when text is typed in or around the link. It is after the link's first character. */
export const anchorOf = ({ from }: LinkAt): number => from + 1

/** Returns the change that removes a link and keeps its text. */
export const withoutLink = (state: EditorState, { from, to, words }: LinkAt): { from: number; to: number; insert: string } => ({
  from,
  to,
  insert: words === undefined ? state.sliceDoc(from, to) : state.sliceDoc(words.from, words.to)
})

/** Escapes an address for use between the parentheses of a link. */
export const asTarget = (address: string): string => (/[\s()<>]/.test(address) ? `<${address.replaceAll(/[<>\n]/g, '')}>` : address)

/** Returns a link's address without the angle brackets that Markdown allows around it. */
export const addressOf = (state: EditorState, { url }: LinkAt): string => state.sliceDoc(url.from, url.to).replace(/^<(.*)>$/, '$1')

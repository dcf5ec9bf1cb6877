/** The parts of a link in the syntax tree. */
import type { SyntaxNode } from '@lezer/common'

interface LinkParts {
  readonly open: SyntaxNode
  readonly close: SyntaxNode
  readonly url: SyntaxNode
}

/** Returns the brackets and the address of `[text](address)`. The text may contain addresses too, but the link does not lead to them. */
export function linkParts(node: SyntaxNode): LinkParts | undefined {
  const [open, close] = node.getChildren('LinkMark')
  const url = node.getChildren('URL').find(({ from }) => close !== undefined && from >= close.to)
  return open === undefined || close === undefined || url === undefined ? undefined : { open, close, url }
}

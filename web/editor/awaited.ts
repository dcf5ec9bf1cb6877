/** Components of the text before the code that draws them has loaded. The first load has no room for the parser of components. */
import { Facet } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import type { FenceKind } from '../../shared/fences/fences.ts'
import type { LiveContext } from './context.ts'

/** Whether the editor draws components. A person then edits a new component as drawn and not in its source. */
export const drawsComponents = Facet.define<boolean, boolean>({ combine: (values) => values.includes(true) })

const kinds: Readonly<Record<FenceKind, true>> = { board: true, chart: true, chat: true, sheet: true, widget: true }

/** Whether a fence will be drawn as a component. */
export function isAwaited(node: SyntaxNode, live: LiveContext): boolean {
  const info = node.getChild('CodeInfo')
  if (info === null || node.parent?.name !== 'Document' || node.getChildren('CodeMark').length < 2) return false
  return Object.hasOwn(kinds, live.text(info.from, info.to).split(/\s/, 1)[0] ?? '') && !live.state.facet(drawsComponents)
}

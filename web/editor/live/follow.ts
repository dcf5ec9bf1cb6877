/** Runs the action at the caret: follows a link, or ticks a task. */
import { syntaxTree } from '@codemirror/language'
import type { EditorView } from '@codemirror/view'
import { safeAddress } from './inline.ts'
import { linkParts } from '../link-parts.ts'
import { toggleTask } from './live.ts'

/** Returns the address of the link at a position, if it is safe to follow. */
export function addressAt(view: EditorView, position: number): string | undefined {
  for (const side of [1, -1] as const) {
    for (let node = syntaxTree(view.state).resolveInner(position, side); node.parent !== null; node = node.parent) {
      const url = node.name === 'URL' ? node : node.name === 'Link' || node.name === 'Image' ? linkParts(node)?.url : undefined
      if (url !== undefined) return safeAddress(view.state.doc.sliceString(url.from, url.to))
    }
  }
  return undefined
}

/** Follows the link at the caret, or else ticks the task of its line. */
export function followOrToggle(view: EditorView): boolean {
  const { head } = view.state.selection.main
  const address = addressAt(view, head)
  if (address === undefined) return toggleTask(view, head)
  window.open(address, '_blank', 'noopener,noreferrer')
  return true
}

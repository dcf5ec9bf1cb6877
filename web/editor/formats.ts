/** The inline formats and the heading of the selection, so that buttons show which formats are on. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState, Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { pendingMarkers } from './caret-formats.ts'
import { commandIds, spanNames } from './format-names.ts'
import { linkParts } from './link-parts.ts'

/** Returns the command id of the heading that contains the selection. The caret is often at the end of a heading, so both sides of it count. */
function headingAt(state: EditorState): string | undefined {
  const { from, to } = state.selection.main
  for (const side of [-1, 1] as const)
    for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, side); node !== null; node = node.parent) {
      const level = /^(?:ATX|Setext)Heading(\d)$/.exec(node.name)?.[1]
      if (level !== undefined && node.from <= from && node.to >= to) return `heading.${level}`
    }
  return undefined
}

/**
 * Returns the command ids of the heading, and of the formats that cover the entire main selection, or that surround the caret. Formats of the text
 * that is typed next are included.
 */
export function formatsAt(state: EditorState): ReadonlySet<string> {
  const { from, to, empty } = state.selection.main
  const found = new Set(pendingMarkers(state).map((marker) => commandIds.get(spanNames.get(marker) ?? '') ?? ''))
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, 1); node !== null; node = node.parent) {
    // Markdown also reads words in brackets, such as the label of a callout, as a possible link.
    const id = node.name === 'Link' && linkParts(node) === undefined ? undefined : commandIds.get(node.name)
    if (id !== undefined && node.from <= from && node.to >= to && (!empty || node.from < from)) found.add(id)
  }
  const heading = headingAt(state)
  if (heading !== undefined) found.add(heading)
  return found
}

/** Calls `onFormats` when the formats of the selection change. */
export function followFormats(onFormats: (ids: ReadonlySet<string>) => void): Extension {
  let last = ''
  return EditorView.updateListener.of(({ state, startState, docChanged, selectionSet }) => {
    if (!docChanged && !selectionSet && pendingMarkers(state) === pendingMarkers(startState)) return
    const ids = formatsAt(state)
    const key = [...ids].join()
    if (key !== last) onFormats(ids)
    last = key
  })
}

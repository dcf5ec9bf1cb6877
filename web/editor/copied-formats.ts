/**
 * Text that is copied, cut or dragged out of the live view brings its formats along. Its marks may be outside the selection, because the live view
 * hides them.
 */
import { syntaxTree } from '@codemirror/language'
import type { EditorState, Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { spansIn, type Span } from './format-pieces.ts'

/** Whether copied text keeps a span that surrounds all of it. Part of a link or of code is copied as plain text. */
const isCarried = ({ name }: Span): boolean => /^(?:StrongEmphasis|Emphasis|Strikethrough|Highlight)$/.test(name)

/** Returns the main selection as Markdown, with the marks of the formats that begin or end outside it. */
function copiedText(state: EditorState): string {
  let { from, to } = state.selection.main
  const tree = syntaxTree(state)
  const ends = [from, to].map((at) => ({ from: at, to: at }))
  const spans = spansIn(tree, ends, (start, end) => state.sliceDoc(start, end))
  // A selection that ends within marks contains either all of them or none.
  for (const { node, text } of spans) {
    if (node.from < from && from < text.from) from = text.from
    if (text.to <= from && from < node.to) from = node.to
    if (node.from < to && to <= text.from) to = node.from
    if (text.to < to && to < node.to) to = text.to
  }
  if (from >= to) return state.sliceDoc(state.selection.main.from, state.selection.main.to)
  const all = state.sliceDoc(from, to)
  const isAround = ({ text }: Span): boolean => text.from <= from && to <= text.to
  const cut = spans.filter((span) => isCarried(span) || !isAround(span))
  const open = cut.filter(({ text }) => text.from <= from && from < text.to).map((span) => span.open)
  const close = cut.filter(({ text }) => text.from < to && to <= text.to).map((span) => span.close)
  const words = all.trim()
  const start = all.indexOf(words)
  return words === ''
    ? all
    : `${all.slice(0, start)}${open.join('')}${words}${close.toReversed().join('')}${all.slice(start + words.length)}`
}

export const copiedFormats: Extension = EditorView.clipboardOutputFilter.of((text, state) => {
  const { main, ranges } = state.selection
  return ranges.length > 1 || main.empty ? text : copiedText(state)
})

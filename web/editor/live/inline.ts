/** The live view inside paragraphs: emphasis, code and links. Markers are hidden unless the caret touches their node. */
import type { SyntaxNode } from '@lezer/common'
import type { LiveContext } from '../context.ts'
import { t } from '../../text/t.ts'
import { linkParts } from '../link-parts.ts'
import { noteNumbers } from '../notes.ts'
import { WordsWidget } from './widgets.ts'

function hideMarks(node: SyntaxNode, markName: string, live: LiveContext): void {
  if (live.touched(node.from, node.to)) return
  for (const mark of node.getChildren(markName)) live.hide(mark.from, mark.to)
}

export const emphasis = (node: SyntaxNode, live: LiveContext): void => hideMarks(node, 'EmphasisMark', live)

export const strike = (node: SyntaxNode, live: LiveContext): void => hideMarks(node, 'StrikethroughMark', live)

export function highlight(node: SyntaxNode, live: LiveContext): void {
  live.mark(node.from, node.to, 'md-highlight')
  hideMarks(node, 'HighlightMark', live)
}

/** Shows subscripts and superscripts. Their source is visible while the caret is there. */
export function shifted(node: SyntaxNode, live: LiveContext): void {
  if (live.touched(node.from, node.to)) return
  live.mark(node.from, node.to, node.name === 'Subscript' ? 'md-sub' : 'md-sup')
  hideMarks(node, 'ShiftMark', live)
}

export function inlineCode(node: SyntaxNode, live: LiveContext): void {
  const { from, to } = node
  live.mark(from, to, 'md-code-inline')
  hideMarks(node, 'CodeMark', live)
  let cell: SyntaxNode | null = node
  while (cell !== null && cell.name !== 'TableCell') cell = cell.parent
  // In a table, the backslash before a bar belongs to the row, and not to the code.
  if (cell !== null && !live.touched(from, to))
    for (const { index } of live.text(from, to).matchAll(/\\\|/g)) live.hide(from + index, from + index + 1)
}

/**
 * Returns an address if it is safe to follow, and undefined otherwise. Addresses of documents, files, published pages and the documentation of this
 * service are safe. Other relative addresses name nothing here.
 */
export const safeAddress = (address: string): string | undefined =>
  /^(https?:|mailto:|\/(d|f|pub|docs)\/)/i.test(address) ? address : undefined

function linkAttributes(address: string): Record<string, string> {
  const safe = safeAddress(address)
  return safe === undefined ? {} : { 'data-address': safe, title: `${safe}\n(${t('Ctrl or Cmd and click to open')})` }
}

/** Shows each `[^name]` as a superscript number. The brackets at the beginning of the note itself stay visible. */
export function footnote({ from: start, to }: SyntaxNode, live: LiveContext): void {
  // Markdown reads two adjacent references as one link.
  for (const { 0: mark, 1: name = '', index } of live.text(start, to).matchAll(/\[\^([^\s\]]+)\]/gy)) {
    const from = start + index
    reference(from, from + mark.length, name, live)
  }
}

function reference(from: number, end: number, name: string, live: LiveContext): void {
  const numbers = live.state.facet(noteNumbers)
  const number = numbers?.get(name)
  const isNote = live.text(end, end + 1) === ':' && live.state.doc.lineAt(from).from === from
  // Without its note, a reference is text, as in the reading view.
  if (numbers !== undefined && number === undefined && !isNote) return live.mark(from, end, 'md-no-note')
  const title = isNote ? t('Ctrl or Cmd and click to go back') : t('Ctrl or Cmd and click to go to the note')
  const attributes: Record<string, string> = number === undefined ? {} : { title }
  live.mark(from, isNote ? end + 1 : end, isNote ? 'md-footnote-label' : 'md-footnote', attributes)
  if (live.touched(from, end)) return
  if (number !== undefined && String(number) !== name) live.replace(from + 2, end - 1, new WordsWidget(String(number)))
  if (isNote) return
  live.hide(from, from + 2)
  live.hide(end - 1, end)
}

/** Shows `[text](address)` and `![text](address)` as their text only. */
export function link(node: SyntaxNode, live: LiveContext): void {
  const parts = linkParts(node)
  if (parts === undefined) return footnote(node, live)
  const { open, close, url } = parts
  // At the caret the source is visible. Elsewhere, an icon shows that the text belongs to a picture.
  const name = node.name === 'Image' && !live.touched(node.from, node.to) ? 'md-link md-image' : 'md-link'
  live.mark(open.to, close.from, name, linkAttributes(live.text(url.from, url.to)))
  // If the link has no text, hiding its source would leave nothing to see or click.
  if (live.touched(node.from, node.to) || open.to === close.from) return
  live.hide(open.from, open.to)
  live.hide(close.from, node.to)
}

export function autolink(node: SyntaxNode, live: LiveContext): void {
  hideMarks(node, 'LinkMark', live)
}

/** Shows an address without brackets, or one inside `<…>`. */
export function url(node: SyntaxNode, live: LiveContext): void {
  const parent = node.parent?.name
  if (parent === 'Link' || parent === 'Image' || parent === 'LinkReference') return
  // A table cell shortens the address unless the caret is in it.
  const name = live.touched(node.from, node.to) ? 'md-link' : 'md-link md-address'
  live.mark(node.from, node.to, name, linkAttributes(live.text(node.from, node.to)))
}

/** Hides the backslash of an escaped character or of a line break. A line break may also be two spaces. */
export function escape({ from, to }: SyntaxNode, live: LiveContext): void {
  const line = live.state.doc.lineAt(from)
  if (line.text[from - line.from] === '\\' && !live.touched(from, Math.min(to, line.to))) live.hide(from, from + 1)
}

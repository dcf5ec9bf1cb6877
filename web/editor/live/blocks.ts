/** The live view of entire lines: headings, quotes, code and rules. A line keeps its height when its markers become visible. */
import type { SyntaxNode } from '@lezer/common'
import { calloutMarker, calloutName } from '../../../shared/markdown/callouts.ts'
import type { LiveContext } from '../context.ts'
import { t } from '../../text/t.ts'
import { isAwaited } from '../awaited.ts'
import { CopyWidget, WordPlace, WordsWidget } from './widgets.ts'

/** Returns the position after the spaces that follow a marker. */
function afterSpaces(live: LiveContext, position: number): number {
  const rest = live.text(position, Math.min(position + 8, live.state.doc.lineAt(position).to))
  return position + (/^[ \t]*/.exec(rest)?.[0].length ?? 0)
}

export function heading(node: SyntaxNode, live: LiveContext): void {
  const level = node.name.at(-1) ?? '1'
  const line = live.state.doc.lineAt(node.from)
  live.lineClass(line.from, 'md-heading', `md-h${level}`)
  const mark = node.firstChild
  if (mark?.name !== 'HeaderMark') return
  const end = afterSpaces(live, mark.to)
  if (live.touched(line.from, line.to)) live.mark(mark.from, end, 'md-hang')
  else live.hide(mark.from, end)
}

export function setextHeading(node: SyntaxNode, live: LiveContext): void {
  const level = node.name.at(-1) ?? '1'
  const mark = node.getChild('HeaderMark')
  // A person who types a single hyphen below a paragraph begins a list.
  const isItem = mark !== null && live.text(mark.from, mark.to) === '-' && live.lineTouched(mark.from)
  for (const line of live.lines(node.from, node.to)) {
    if (isItem) live.lineClass(line.from, 'md-before-item')
    else if (mark === null || line.from < mark.from) live.lineClass(line.from, 'md-heading', `md-h${level}`)
  }
}

export function quote(node: SyntaxNode, live: LiveContext): void {
  const first = live.state.doc.lineAt(node.from)
  const start = node.from + (/^>[ \t]?/.exec(live.text(node.from, first.to))?.[0].length ?? 0)
  const [, kind, title] = calloutMarker.exec(live.text(start, first.to)) ?? []
  const callout = kind === undefined ? [] : ['md-callout', `md-callout-${kind.toLowerCase()}`]
  for (const line of live.lines(node.from, node.to)) live.lineClass(line.from, 'md-quote', ...callout)
  if (kind === undefined) return
  const end = start + kind.length + 3
  live.mark(start, first.to, 'md-callout-title')
  if (live.touched(first.from, first.to)) return
  // A custom title replaces the name of the kind, as in the reading view.
  if (title !== undefined && title !== '') return live.hide(start, end + (/^[ \t]*/.exec(live.text(end, first.to))?.[0].length ?? 0))
  const name = calloutName(kind)
  if (t(name) !== name) return live.replace(start, end, new WordsWidget(t(name)))
  live.hide(start, start + 2)
  live.hide(end - 1, end)
}

export function quoteMark(node: SyntaxNode, live: LiveContext): void {
  const space = live.text(node.to, node.to + 1) === ' ' ? 1 : 0
  if (live.lineTouched(node.from)) {
    const end = node.to + space
    live.mark(node.from, end, 'md-hang')
    // The mark hangs outside the column. On a line without text, the caret would otherwise be at the mark and not where the text will begin.
    if (live.state.doc.lineAt(end).to === end) live.widget(end, new WordPlace())
  } else live.hide(node.from, node.to + space)
}

export function fencedCode(node: SyntaxNode, live: LiveContext): void {
  const first = live.state.doc.lineAt(node.from).from
  const last = live.state.doc.lineAt(node.to).from
  for (const line of live.lines(node.from, node.to)) {
    live.lineClass(line.from, 'md-code', ...(line.from === first ? ['md-code-first'] : []), ...(line.from === last ? ['md-code-last'] : []))
  }
  // The line of the closing fence is low, because it shows no code.
  if (node.lastChild?.name === 'CodeMark' && first < last) live.lineClass(last, 'md-code-end')
  const isTouched = live.touched(node.from, node.to)
  if (!isTouched && isAwaited(node, live)) for (const line of live.lines(node.from, node.to)) live.lineClass(line.from, 'md-awaited')
  else if (first >= live.visible.from) live.widget(live.state.doc.lineAt(first).to, new CopyWidget())
  if (isTouched) return
  for (const mark of node.getChildren('CodeMark')) live.hide(mark.from, mark.to)
}

export function indentedCode(node: SyntaxNode, live: LiveContext): void {
  for (const line of live.lines(node.from, node.to)) live.lineClass(line.from, 'md-code')
}

export function rule(node: SyntaxNode, live: LiveContext): void {
  if (live.lineTouched(node.from)) return
  live.lineClass(live.state.doc.lineAt(node.from).from, 'md-rule')
  live.hide(node.from, node.to)
}

export function html(node: SyntaxNode, live: LiveContext): void {
  for (const line of live.lines(node.from, node.to)) live.lineClass(line.from, 'md-html')
}

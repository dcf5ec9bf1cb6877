/** The live view of lists. Markers hang to the left of the text, so that the edge of the text is straight at every depth. */
import type { SyntaxNode } from '@lezer/common'
import type { LiveContext } from '../context.ts'
import { BulletWidget, TaskWidget } from './widgets.ts'

const depthMax = 6

/** Returns the classes for the lines of an item: its depth, and whether a quote contains it. */
function classesOf(item: SyntaxNode): string[] {
  let count = -1
  let isQuoted = false
  for (let node: SyntaxNode | null = item; node !== null; node = node.parent) {
    if (node.name === 'ListItem') count++
    else if (node.name === 'Blockquote') isQuoted = true
  }
  return [`md-depth-${Math.min(count, depthMax)}`, ...(isQuoted ? ['md-quoted'] : [])]
}

const spacesAfter = (live: LiveContext, position: number): number => /^[ \t]*/.exec(live.text(position, position + 6))?.[0].length ?? 0

function marker(item: SyntaxNode, mark: SyntaxNode, live: LiveContext): void {
  const task = item.getChild('Task')?.getChild('TaskMarker')
  const end = mark.to + spacesAfter(live, mark.to)
  const line = live.state.doc.lineAt(mark.from)
  if (task != null) {
    const taskEnd = task.to + spacesAfter(live, task.to)
    if (live.touched(mark.from, taskEnd - 1)) live.mark(mark.from, taskEnd, 'md-marker md-marker-open')
    else live.replace(mark.from, taskEnd, new TaskWidget(live.text(task.from + 1, task.from + 2) !== ' ', live.state.readOnly))
    if (live.text(task.from + 1, task.from + 2) !== ' ') live.mark(taskEnd, line.to, 'md-done')
    return
  }
  const bullet = item.parent?.name === 'BulletList'
  if (bullet && !live.lineTouched(mark.from)) live.replace(mark.from, end, new BulletWidget())
  else live.mark(mark.from, end, bullet ? 'md-marker' : 'md-marker md-number')
}

export function listItem(item: SyntaxNode, live: LiveContext): void {
  const mark = item.getChild('ListMark')
  if (mark === null) return
  const classes = classesOf(item)
  const first = live.state.doc.lineAt(mark.from)
  for (const line of live.lines(item.from, item.to)) {
    if (line.from === first.from) live.lineClass(line.from, 'md-item', ...classes)
    else live.lineClass(line.from, ...classes)
  }
  // The indentation is drawn according to the depth. The caret skips it, and Tab and Shift-Tab change it. One space belongs to a quote mark.
  const lead = live.text(first.from, mark.from)
  const quotes = lead.trimEnd().length
  const from = first.from + (quotes > 0 ? quotes + 1 : 0)
  if (from < mark.from && /^[ \t>]*$/.test(lead)) live.hide(from, mark.from)
  marker(item, mark, live)
}

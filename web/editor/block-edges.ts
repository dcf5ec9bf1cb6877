/** Finds the marks with which blocks begin or end. Text that is joined with such a mark would change the block, and often everything below it. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState, Line } from '@codemirror/state'
import type { SyntaxNodeRef } from '@lezer/common'
import { isFenceKind } from '../../shared/fences/fences.ts'
import { frontMatterEnd } from './front-matter.ts'

/** A mark with which a block begins or ends. Its block may be a table, whose last row is then the mark. */
export interface Edge {
  readonly from: number
  readonly to: number
  readonly line: Line
  readonly closes: boolean
  /** Whether the mark is alone on its line. Otherwise only the blank line below it is kept. */
  readonly alone: boolean
  /** The kind of block, if it needs a blank line: HTML and tables above other text, and formulas below it. */
  readonly gap: 'none' | 'html' | 'table' | 'formula'
  /** The place in the block to which the caret goes from the mark. Undefined if there is none. */
  readonly inside: number | undefined
  /** Whether the caret may not rest at the mark. */
  readonly off: boolean
}

const mayHaveEdge = /`{3}|~{3}|\$\$|[<|]|^---/
export const isBlank = (text: string): boolean => /^[ \t>]*$/.test(text)

/** Longest stretch above a closing tag that is searched for text, in UTF-16 units. */
const unitsMax = 2000

const isComponent = (state: EditorState, { node }: SyntaxNodeRef): boolean => {
  const info = node.getChild('CodeInfo')
  return info !== null && isFenceKind(state.sliceDoc(info.from, info.to).split(/\s/, 1)[0] ?? '')
}

/** Returns the edges that a block has on a line. */
function edgesOf(state: EditorState, line: Line, ref: SyntaxNodeRef): Edge[] {
  const { doc } = state
  const { name, node, from: start, to: end } = ref
  const above = line.from - 1
  const to = line.from + line.text.trimEnd().length
  const edge = { to, line, closes: true, alone: true, gap: 'none', inside: undefined, off: false } as const
  if (name === 'FencedCode')
    return node
      .getChildren('CodeMark')
      .map((mark, index) => ({ ...edge, from: mark.from, to: mark.to, closes: index > 0, off: !isComponent(state, ref) }))
      .filter(({ from }) => from >= line.from && from <= line.to)
      .map((mark) => (mark.closes && doc.lineAt(start).to < above ? { ...mark, inside: above } : mark))
  const begins = start >= line.from
  // A table has nothing to type into before its first bar, but a deletion may join it with the line above.
  if (name === 'Table' && begins) return [{ ...edge, from: start, to: start, closes: false }]
  const opening = { ...edge, from: start, to: start + 2, closes: false }
  if (end < line.from || end > line.to) {
    const isTag = name === 'HTMLBlock' && /^<details\b/i.test(line.text.slice(Math.max(0, start - line.from)))
    return begins && (isTag || name === 'BlockMath') ? [isTag ? opening : { ...opening, gap: 'formula' }] : []
  }
  if (name === 'BlockMath') {
    const isAlone = isBlank(line.text.slice(0, to - 2 - line.from))
    const closing = { ...edge, from: to - 2, inside: isAlone ? above : to - 2, off: isAlone }
    return begins ? [{ ...opening, gap: 'formula' }, closing] : [closing]
  }
  if (name === 'Table') {
    const row = line.text.trimEnd()
    const inside = line.from + (row.endsWith('|') ? row.slice(0, -1).trimEnd() : row).length
    return [{ ...edge, from: to, alone: false, gap: 'table', inside }]
  }
  if (name !== 'HTMLBlock') return []
  const tag = /<\/(?:details|summary)>\s*$/i.exec(line.text)?.[0].toLowerCase()
  if (tag?.startsWith('</d') === true) {
    const from = to - '</details>'.length
    const lines = doc.sliceString(Math.max(0, above - unitsMax), above)
    return [{ ...edge, from, gap: 'html', inside: above - lines.length + lines.trimEnd().length }]
  }
  return [{ ...edge, from: to, alone: false, gap: 'html', inside: tag === undefined ? to : to - '</summary>'.length }]
}

/** Returns the edges of blocks on a line. */
export function edgesOn(state: EditorState, line: Line): readonly Edge[] {
  if (!mayHaveEdge.test(line.text)) return []
  const front = frontMatterEnd(state.doc)
  const { from, to } = line
  if (to < front) return []
  if (to === front) return [{ from, to, line, closes: true, alone: true, gap: 'none', inside: from - 1, off: true }]
  const found: Edge[] = []
  syntaxTree(state).iterate({ from, to, enter: (ref) => void found.push(...edgesOf(state, line, ref)) })
  return found
}

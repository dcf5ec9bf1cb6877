/**
 * Makes the selected lines items of a list of one kind, or plain text. It loads with the editor extras. Lines in a quote stay in it, and lines in an
 * item stay in the item.
 */
import { syntaxTree } from '@codemirror/language'
import type { ChangeSpec, EditorState, Line } from '@codemirror/state'
import type { Command } from '@codemirror/view'
import { applyFormat, selectedLines } from './commands-block.ts'
import { itemOf, renumber } from './commands-list.ts'
import { isInTable } from './tables.ts'

export type ListKind = 'bullet' | 'number' | 'task'

/** Matches quote marks, indentation, and the mark of a heading or an item with its check box. */
const lineStart = /^((?:[ \t]*>)*)([ \t]*)(#{1,6}[ \t]+|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/
const calloutLabel = /^[ \t>]*>[ \t]*\[!\w+\]/
/** Maximum number of lines below the selection that are indented with their item. */
const nestedLinesMax = 500

interface Row {
  readonly line: Line
  /** The quote marks with the space after them. */
  readonly quote: string
  readonly indent: number
  readonly mark: string
}

function rowOf(line: Line): Row {
  const [, marks = '', blanks = '', mark = ''] = lineStart.exec(line.text) ?? []
  const quote = marks === '' ? '' : marks + blanks.slice(0, 1)
  return { line, quote, indent: marks.length + blanks.length - quote.length, mark }
}

const isBlank = ({ text }: Line): boolean => /^[ \t>]*$/.test(text)

function kindOf({ mark }: Row): ListKind | undefined {
  if (mark === '' || mark.startsWith('#')) return undefined
  if (mark.includes('[')) return 'task'
  return /^\d/.test(mark) ? 'number' : 'bullet'
}

/** Returns the width of an item's mark without its check box. */
const widthOf = ({ mark }: Row): number => mark.replace(/\[.*/, '').length

/** An item around the next lines: where its content began, and where it begins after the change. */
interface Around {
  readonly before: number
  readonly after: number
  /** The number of the next item in it. */
  next: number
}

/**
 * Returns a line break if an empty item on a line would be part of the paragraph above. Markdown even reads `-` as the underline of a heading there.
 */
function gapAbove(state: EditorState, { number, text }: Line, kind: ListKind): string {
  if (kind === 'task' || number === 1 || text.trim() !== '') return ''
  const { to } = state.doc.line(number - 1)
  const above = syntaxTree(state).resolve(to, -1)
  return above.name === 'Paragraph' && above.parent?.name === 'Document' && above.to === to ? '\n' : ''
}

/** Returns the number of the first new item. It continues the list above. */
function firstNumber({ doc }: EditorState, { line, quote, indent }: Row): number {
  const above = line.number === 1 ? undefined : itemOf(doc.line(line.number - 1).text)
  return above?.lead === quote + ' '.repeat(indent) ? (above.nextNumber ?? 1) : 1
}

/** Returns the mark of a row. Items that are already of this kind keep theirs. */
function markOf(row: Row, kind: ListKind, number: number): string {
  if (kind === 'number') return `${number}${/^\d+(\))/.exec(row.mark)?.[1] ?? '.'} `
  if (kindOf(row) === kind) return row.mark
  const bullet = /^[-*+]/.exec(row.mark)?.[0] ?? '-'
  return kind === 'task' ? `${bullet} [ ] ` : `${bullet} `
}

/** Walks through the selected lines and the lines in their items, and returns the changes. `kind` is undefined for plain text. */
function changesOf(state: EditorState, rows: readonly Row[], kind: ListKind | undefined): ChangeSpec[] {
  const { doc } = state
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return []
  const changes: ChangeSpec[] = []
  const chosen = new Map(rows.map((row) => [row.line.number, row]))
  const around: Around[] = []
  const top = { next: firstNumber(state, first) }
  let before: Row | undefined
  for (let number = first.line.number; number <= Math.min(doc.lines, last.line.number + nestedLinesMax); number++) {
    const line = doc.line(number)
    if (isBlank(line) && !chosen.has(number)) continue
    const row = chosen.get(number) ?? rowOf(line)
    while (around.length > 0 && (around.at(-1)?.before ?? 0) > row.indent) around.pop()
    const parent = around.at(-1)
    const indent = Math.max(0, row.indent + (parent === undefined ? 0 : parent.after - parent.before))
    const start = line.from + row.quote.length
    const above = number === 1 ? undefined : doc.line(number - 1)
    const isBelowText = kind === undefined && above !== undefined && !isBlank(above)
    if (!chosen.has(number)) {
      const isOutside = number > last.line.number && parent === undefined
      if (isBelowText && chosen.has(number - 1)) changes.push({ from: line.from, insert: `${row.quote.trimEnd()}\n` })
      if (isOutside) break
      changes.push({ from: start, to: start + row.indent, insert: ' '.repeat(indent) })
      continue
    }
    const mark = kind === undefined ? '' : markOf(row, kind, (parent ?? top).next++)
    const isNew = kindOf(row) === undefined || (before !== undefined && kindOf(before) === undefined)
    // Paragraphs that become items are no longer apart.
    if (kind !== undefined && before !== undefined && isNew && doc.sliceString(before.line.to, line.from).replaceAll(/[>\s]/g, '') === '')
      changes.push({ from: before.line.to, to: line.from - 1 })
    const gap = kind === undefined ? (isBelowText ? `${row.quote.trimEnd()}\n` : '') : gapAbove(state, line, kind)
    changes.push({ from: line.from, to: start + row.indent + row.mark.length, insert: gap + row.quote + ' '.repeat(indent) + mark })
    // Nothing was nested in a line that was no item.
    if (kindOf(row) !== undefined) around.push({ before: row.indent + widthOf(row), after: indent + widthOf({ ...row, mark }), next: 1 })
    before = row
  }
  return changes
}

/** Makes the lines a list of one kind, or plain text if they already are one. Blank lines, code and the labels of callouts stay as they are. */
export const toggleList =
  (kind: ListKind): Command =>
  (view) => {
    const { state } = view
    if (isInTable(state)) return true
    const rows = selectedLines(state)
      .filter(({ text }) => !calloutLabel.test(text))
      .map(rowOf)
    const isOff = rows.every((row) => kindOf(row) === kind)
    const changes = changesOf(state, rows, isOff ? undefined : kind)
    const [first, last] = [rows[0], rows.at(-1)]
    const item = isOff && first?.indent === last?.indent && last !== undefined ? itemOf(last.line.text) : undefined
    if (item !== undefined && last !== undefined) {
      const count = rows.filter(({ indent }) => indent === last.indent).length
      changes.push(...renumber(state, last.line.number, item, -count))
    }
    return applyFormat(view, changes)
  }

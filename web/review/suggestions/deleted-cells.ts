/** Draws cells and rows of a table that a suggester has deleted in the editor. */
import type { EditorState, Text } from '@codemirror/state'
import { isLive } from '../../editor/is-live.ts'
import { tableAround } from './hunks.ts'

/** Returns the number of the line below which rows are drawn that follow a line. The delimiter row has no height. */
export function drawnLine(doc: Text, table: number, number: number): number {
  return number === doc.lineAt(table).number + 1 ? number - 1 : number
}

/** Returns where and how the live view draws deleted text: without bars, and entire rows below the row that they followed. */
export function deletedCells(state: EditorState, at: number, original: string): { readonly at: number; readonly text: string } {
  const { doc } = state
  const table = original.includes('|') && isLive(state) ? tableAround(doc, at) : undefined
  if (table === undefined) return { at, text: original }
  if (!original.includes('\n')) return { at, text: original.replaceAll('|', ' ').trim() }
  const { number, to } = doc.lineAt(at)
  return { at: to === at ? doc.line(drawnLine(doc, table.from, number)).to : at, text: original }
}

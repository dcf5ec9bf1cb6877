/**
 * Reads dropped and pasted text files and inserts their text. It becomes separate blocks below the block under the pointer or the caret. Comma- or
 * tab-separated values become a table. This is a separate chunk, because few visits add such files.
 */
import { syntaxTree } from '@codemirror/language'
import type { EditorView } from '@codemirror/view'
import { afterFrontMatter } from '../../../shared/text/front-matter.ts'
import { t } from '../../text/t.ts'
import { readTextFile, TextFileFailure } from '../../ui/text-file.ts'
import { toast } from '../../ui/toast.tsx'
import { endStep } from '../binding.ts'
import { insertBlock } from '../commands-insert.ts'

/** Returns the Markdown of a text file. Throws `TextFileFailure`. */
async function markdownOf(file: File): Promise<string> {
  const { name, type } = file
  const text = await readTextFile(file)
  const kind = /\.([ct])sv$/i.exec(name)?.[1] ?? /^text\/([ct])(?:sv|ab-separated-values)$/.exec(type)?.[1]
  if (kind === undefined) return text
  const part = await import('./separated-table.ts').catch(() => undefined)
  if (part === undefined) throw new TextFileFailure(t('This part of the page could not be loaded. It loads when you are back online.'))
  const table = part.separatedTable(text, kind.toLowerCase() === 't')
  if (table === undefined) toast(t('“{name}” is too large for a table, so it was added as text.', { name }))
  return table ?? text
}

function withoutFrontMatter(text: string): string {
  const lines = text.split('\n')
  return lines.slice(afterFrontMatter(lines)).join('\n')
}

/** Returns the end of the outermost block at a position. Between blocks, it returns the position itself. */
function endOfBlock({ state }: EditorView, place: number): number {
  const line = state.doc.lineAt(place)
  if (line.text.trim() === '') return place
  let node = syntaxTree(state).resolveInner(line.from + line.text.search(/\S/), 1)
  while (node.parent?.parent != null) node = node.parent
  return node.parent === null ? line.to : Math.max(line.to, Math.min(node.to, state.doc.length))
}

async function enter(view: EditorView, files: readonly File[], placeOf: () => number): Promise<void> {
  const texts = await Promise.all(files.map(markdownOf))
  // Front matter has an effect only at the top of a document.
  const keepsFirst = view.state.doc.length === 0
  const bodies = texts.map((each, index) => (keepsFirst && index === 0 ? each : withoutFrontMatter(each)))
  const text = bodies.map((each) => each.replace(/^(?:[ \t]*\n)+/, '').trimEnd()).join('\n\n')
  if (text === '') return
  const end = { from: text.length, to: text.length }
  view.state.facet(endStep)(view)
  insertBlock(view, text, end, endOfBlock(view, placeOf()))
  view.state.facet(endStep)(view)
  view.focus()
}

/** Inserts the text of files below the block at a position. The position is asked for once the files have been read. */
export const enterFiles = (view: EditorView, files: readonly File[], placeOf: () => number): Promise<void> =>
  enter(view, files, placeOf).catch((error: unknown) => {
    if (!(error instanceof TextFileFailure)) throw error
    toast(error.message)
  })

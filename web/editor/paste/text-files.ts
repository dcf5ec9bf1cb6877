/** Inserts the text of dropped text files. The text becomes separate blocks below the block under the pointer, and is never placed inside a block. */
import { syntaxTree } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { readTextFile, TextFileFailure } from '../../ui/text-file.ts'
import { toast } from '../../ui/toast.tsx'
import { endStep } from '../binding.ts'
import { insertBlock } from '../commands-insert.ts'
import { filesOf, isText } from '../uploads.ts'

/** Returns the end of the outermost block at a position. Between blocks, it returns the position itself. */
function endOfBlock({ state }: EditorView, place: number): number {
  const line = state.doc.lineAt(place)
  if (line.text.trim() === '') return place
  let node = syntaxTree(state).resolveInner(line.from + line.text.search(/\S/), 1)
  while (node.parent?.parent != null) node = node.parent
  return node.parent === null ? line.to : Math.max(line.to, Math.min(node.to, state.doc.length))
}

async function enter(view: EditorView, files: readonly File[], { clientX: x, clientY: y }: MouseEvent): Promise<void> {
  const texts = await Promise.all(files.map(readTextFile))
  const text = texts.map((each) => each.replace(/^(?:[ \t]*\n)+/, '').trimEnd()).join('\n\n')
  if (text === '') return
  const end = { from: text.length, to: text.length }
  view.state.facet(endStep)(view)
  insertBlock(view, text, end, endOfBlock(view, view.posAtCoords({ x, y }, false)))
  view.state.facet(endStep)(view)
  view.focus()
}

export const textFiles: Extension = EditorView.domEventHandlers({
  drop(event, view) {
    const files = filesOf(event.dataTransfer)
    if (files === undefined || view.state.readOnly || !files.every(isText)) return false
    event.preventDefault()
    enter(view, files, event).catch((error: unknown) => {
      if (!(error instanceof TextFileFailure)) throw error
      toast(error.message)
    })
    return true
  }
})

/**
 * Files that a person drops on a block become a block of their own, above or below it. A line shows where. In lists, quotes and cells they go to the
 * drop caret instead.
 */
import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView, ViewPlugin } from '@codemirror/view'
import { filesOf, take } from './uploads.ts'

interface Block {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Returns the outermost block of a line that is not blank. */
function blockAt(state: EditorState, position: number): Block {
  const line = state.doc.lineAt(position)
  let node = syntaxTree(state).resolveInner(line.from + line.text.search(/\S/), 1)
  while (node.parent?.parent != null) node = node.parent
  if (node.parent === null) return { name: '', from: line.from, to: line.to }
  return { name: node.name, from: node.from, to: Math.min(Math.max(node.to, line.to), state.doc.length) }
}

/**
 * Returns the end of the block below which files become a block. Undefined if they go to a position within a line instead, or on a blank line, where
 * they become a block anyway. `isUpper` tells whether the pointer is above the middle of a block.
 */
export function endAbove(state: EditorState, position: number, isUpper: (block: Block) => boolean): number | undefined {
  if (state.doc.lineAt(position).text.trim() === '') return undefined
  const block = blockAt(state, position)
  if (/List$|^Blockquote$|^Table$/.test(block.name)) return undefined
  if (!isUpper(block)) return block.to
  for (let { number } = state.doc.lineAt(block.from); number > 1; number--) {
    const above = state.doc.line(number - 1)
    if (above.text.trim() !== '') return above.to
  }
  return block.to
}

/** Returns the same for a pointer. Below all text, files become the last block. */
function endFor(view: EditorView, { clientX: x, clientY: y }: MouseEvent): number | undefined {
  const { state } = view
  const height = y - view.documentTop
  const { text, to } = state.doc.line(state.doc.lines)
  if (text.trim() !== '' && height > view.lineBlockAt(to).bottom) return to
  const middle = (block: Block): number => (view.lineBlockAt(block.from).top + view.lineBlockAt(block.to).bottom) / 2
  return endAbove(state, view.posAtCoords({ x, y }, false), (block) => height < middle(block))
}

/** Draws the line. The drop caret of CodeMirror is hidden meanwhile. */
const dropLine = ViewPlugin.fromClass(
  class {
    readonly #line = document.createElement('div')
    readonly #view: EditorView

    constructor(view: EditorView) {
      this.#view = view
      this.#line.className = 'block-drop'
    }

    show(event: DragEvent): void {
      const view = this.#view
      const hasFiles = event.dataTransfer?.types.includes('Files') === true && !view.state.readOnly
      const end = hasFiles ? endFor(view, event) : undefined
      view.dom.classList.toggle('files-dragged', end !== undefined)
      if (end === undefined) return this.hide()
      const { left, top } = view.scrollDOM.getBoundingClientRect()
      const { contentDOM, scrollDOM } = view
      const box = contentDOM.getBoundingClientRect()
      const { paddingLeft, paddingRight } = getComputedStyle(contentDOM)
      const from = box.left + parseFloat(paddingLeft)
      this.#line.style.left = `${from - left + scrollDOM.scrollLeft}px`
      this.#line.style.width = `${box.right - parseFloat(paddingRight) - from}px`
      this.#line.style.top = `${view.lineBlockAt(end).bottom + view.documentTop - top + scrollDOM.scrollTop}px`
      scrollDOM.append(this.#line)
    }

    hide(): void {
      this.#line.remove()
      this.#view.dom.classList.remove('files-dragged')
    }

    destroy(): void {
      this.hide()
    }
  },
  {
    eventObservers: {
      dragover(event) {
        this.show(event)
      },
      dragleave({ target, relatedTarget }, { contentDOM }) {
        if (target === contentDOM || !(relatedTarget instanceof Node && contentDOM.contains(relatedTarget))) this.hide()
      },
      dragend() {
        this.hide()
      },
      drop() {
        this.hide()
      }
    }
  }
)

// Text files come first (paste/text-files.ts).
const dropped = Prec.high(
  EditorView.domEventHandlers({
    drop(event, view) {
      const files = filesOf(event.dataTransfer)
      const end = files && endFor(view, event)
      if (files === undefined || end === undefined) return false
      take(view, files, end, 'apart')
      event.preventDefault()
      return true
    }
  })
)

export const droppedFiles: Extension = [dropLine, dropped]

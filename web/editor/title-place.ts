/** Finds the title of a document in its text, and selects it. */
import type { Text } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { headingUnitsMax, plainHeading, titleIn, titleOfText } from '../../shared/names.ts'
import { atxOf } from '../../shared/text/scan.ts'
import { behindMarks } from './resting.ts'

/** A range of the text, in UTF-16 units. */
interface Words {
  readonly from: number
  readonly to: number
}

/**
 * Returns the words of a line that are the title, with the markup inside them. If the title is only the beginning of a line with markup, the range is
 * the empty one before it, because a person who replaces a title does not expect to replace a paragraph.
 */
function wordsOf({ from, text }: { readonly from: number; readonly text: string }, title: string): Words {
  const start = /^title:\s*/.exec(text)?.[0].length ?? behindMarks(text)
  for (const words of [title, atxOf(text)?.title ?? '']) {
    const at = text.indexOf(words, start)
    if (words !== '' && at !== -1) return { from: from + at, to: from + at + words.length }
  }
  const isWhole = plainHeading(text.slice(start)) === title
  return { from: from + start, to: from + (isWhole ? text.length : start) }
}

/** Returns the words that are the document's title. If no line has them, the range is the empty one at the beginning. */
export function titleWords(doc: Text): Words {
  const found = titleIn(doc.sliceString(0, headingUnitsMax))
  const title = titleOfText({ ...found, set: found.set ?? found.heading }, null)
  if (title === undefined) return { from: 0, to: 0 }
  for (let number = 1; number <= doc.lines; number++) {
    const line = doc.line(number)
    if (line.from > headingUnitsMax) break
    const { set, heading, line: words } = titleIn(number === 1 || found.set === undefined ? line.text : `---\n${line.text}\n---\n`)
    if ((set ?? heading ?? words) === title) return wordsOf(line, title)
  }
  return { from: 0, to: 0 }
}

const isModifier = ({ key }: KeyboardEvent): boolean => ['Control', 'Meta', 'Shift', 'Alt'].includes(key)

const selectsAll = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'a' && (ctrlKey || metaKey) && !altKey && !shiftKey

/**
 * Selects the title in the text, so that typing replaces it and nothing else. People who take the title for a field press Ctrl+A before they type.
 * If it is the next key, it therefore selects the title again. A second one selects the whole text.
 */
export function selectTitle(view: EditorView): void {
  const { from, to } = titleWords(view.state.doc)
  view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  view.focus()
  const { main } = view.state.selection
  const press = (event: KeyboardEvent): void => {
    if (isModifier(event)) return
    view.contentDOM.removeEventListener('keydown', press, true)
    if (main.empty || !selectsAll(event) || !view.state.selection.main.eq(main)) return
    event.preventDefault()
    event.stopPropagation()
  }
  view.contentDOM.addEventListener('keydown', press, true)
}

/** The keys of a component whose frame has the focus. The component then behaves like a selected block of the text. */
import { runScopeHandlers, type EditorView } from '@codemirror/view'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import type { ComponentInput } from './input.ts'

/** Whether a key types something. An input method reports its keys as `Process`, and an accent waits as `Dead`. */
const types = (event: KeyboardEvent): boolean => {
  const isShortcut = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph')
  return !isShortcut && event.key !== ' ' && (/^.$/u.test(event.key) || event.key === 'Process' || event.key === 'Dead')
}

/** Deletes the component. The caret moves to its place. A suggested deletion leaves the component and the focus where they are. */
function remove(view: EditorView, input: ComponentInput): void {
  let at = 0
  const done = input.act(({ source, from, to }) => {
    at = source.lastIndexOf('\n', from - 1) + 1
    const end = source.indexOf('\n', to)
    if (end === -1) return [{ from: at, to: source.length, insert: '' }]
    if (input.suggests()) return [{ from: at, to: end, insert: '' }]
    const isParted = at === 0 || source[at - 2] === '\n' || at === 1
    return [{ from: at, to: isParted && source[end + 1] === '\n' ? end + 2 : end + 1, insert: '' }]
  })
  if (!done || input.suggests()) return
  view.focus()
  view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) }, scrollIntoView: true })
}

/** Moves the caret into an empty paragraph after the component, and adds one if there is none. */
function typeBehind(view: EditorView, input: ComponentInput): void {
  input.leave('behind')
  const { doc, selection } = view.state
  const line = doc.lineAt(selection.main.head)
  // The component ends the text. The editor adds the line itself.
  if (selection.main.head !== line.from) return
  const isBlank = line.text.trim() === ''
  if (isBlank && (line.number === doc.lines || doc.line(line.number + 1).text.trim() === '')) return
  view.dispatch({
    changes: { from: line.from, insert: '\n\n' },
    selection: { anchor: line.from + (isBlank ? 1 : 0) },
    scrollIntoView: true,
    userEvent: 'input'
  })
}

/**
 * Handles a key that is pressed while the frame has the focus. Returns true if nothing else may handle the key, and false if the browser must still
 * type it. Undefined if the key has no meaning here.
 */
export function frameKey(event: KeyboardEvent, view: EditorView, input: ComponentInput): boolean | undefined {
  const { key, shiftKey, altKey } = event
  const isMod = (event.ctrlKey || event.metaKey) && !altKey
  const isWritable = input.refusal.peek() === undefined
  if (isMod && /^(?:a|home|end)$/i.test(key)) {
    view.focus()
    return runScopeHandlers(view, event, 'editor')
  }
  const isCopied = isMod && !shiftKey && /^[cx]$/i.test(key) && String(getSelection()) === ''
  if (isCopied) {
    const { source, from, to } = input.fence.peek()
    void copyText(source.slice(from, to), t('Source'))
  }
  if (isWritable && ((isCopied && /^x$/i.test(key)) || (!isMod && /^(?:Backspace|Delete)$/.test(key)))) remove(view, input)
  else if (isWritable && types(event)) {
    typeBehind(view, input)
    return false
  } else if (!isCopied) return undefined
  return true
}

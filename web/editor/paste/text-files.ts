/** Takes text files that a person drops or pastes. Their text is never placed inside a block (entered-files.ts). */
import { type Extension, Prec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import { filesOf } from '../uploads.ts'

const isText = ({ type, name }: File): boolean => /^text\/(?!html)/.test(type) || /\.(md|markdown|txt|[ct]sv)$/i.test(name)

function take(view: EditorView, event: Event, data: DataTransfer | null, placeOf: () => number): boolean {
  const files = filesOf(data)
  if (files === undefined || view.state.readOnly || !files.every(isText)) return false
  event.preventDefault()
  import('./entered-files.ts').then(
    ({ enterFiles }) => enterFiles(view, files, placeOf),
    () => toast(t('This part of the page could not be loaded. It loads when you are back online.'))
  )
  return true
}

// Files that are not text are uploaded.
export const textFiles: Extension = Prec.high(
  EditorView.domEventHandlers({
    paste: (event, view) => take(view, event, event.clipboardData, () => view.state.selection.main.head),
    drop: (event, view) => take(view, event, event.dataTransfer, () => view.posAtCoords({ x: event.clientX, y: event.clientY }, false))
  })
)

/** The request of a person, and its place. It comes with the page; the code for the work is fetched when it is asked for. */
import { signal } from '@preact/signals'
import * as Y from 'yjs'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { View } from '../view/view.ts'
import { textMap } from '../editor/binding.ts'

export interface Asked {
  readonly kind: JobKind
  /** Where the result will stand, whatever others write before it. */
  readonly place: Y.RelativePosition
  /** Markdown that was meant: the selection, else the paragraph of the cursor. */
  readonly source: string
}

/** The latest wish; undefined when it was granted or dropped. */
export const asked = signal<Asked | undefined>(undefined)

/** Lines around the cursor up to a blank one. */
function paragraphAround(lines: { line(number: number): { from: number; to: number; text: string }; lines: number }, at: number) {
  const isText = (number: number): boolean => number >= 1 && number <= lines.lines && lines.line(number).text.trim() !== ''
  let [first, last] = [at, at]
  if (isText(at)) {
    while (isText(first - 1)) first--
    while (isText(last + 1)) last++
  }
  return { from: lines.line(first).from, to: lines.line(last).to }
}

/** Opens the panel for a job of a kind. Speech belongs behind what is spoken, everything else to the cursor. */
export function askFor(page: View, kind: JobKind): void {
  const view = page.editor.value?.view
  if (view === undefined) return
  const { doc, selection } = view.state
  const { main } = selection
  const meant = main.empty ? paragraphAround(doc, doc.lineAt(main.head).number) : main
  const at = view.state.facet(textMap).stored(kind === 'speech' ? meant.to : main.head)
  asked.value = {
    kind,
    place: Y.createRelativePositionFromTypeIndex(page.session.text, Math.min(at, page.session.text.length), -1),
    source: doc.sliceString(meant.from, meant.to)
  }
  page.panel.value = 'media'
}

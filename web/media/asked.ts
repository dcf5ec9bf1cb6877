/** A person's request for a media job, and the place of its result. This module loads with the page; the code for jobs loads on request. */
import { signal } from '@preact/signals'
import * as Y from 'yjs'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { View } from '../view/view.ts'
import { textMap } from '../editor/binding.ts'

export interface Asked {
  readonly kind: JobKind
  /** The place of the result. It stays correct when others write before it. */
  readonly place: Y.RelativePosition
  /** The Markdown to which the request applies: the selection, or else the paragraph at the caret. */
  readonly source: string
}

/** The latest request. Undefined after the job has started or the request has been dropped. */
export const asked = signal<Asked | undefined>(undefined)

/** Returns the range of the paragraph around a line. Blank lines end the paragraph. */
function paragraphAround(lines: { line(number: number): { from: number; to: number; text: string }; lines: number }, at: number) {
  const isText = (number: number): boolean => number >= 1 && number <= lines.lines && lines.line(number).text.trim() !== ''
  let [first, last] = [at, at]
  if (isText(at)) {
    while (isText(first - 1)) first--
    while (isText(last + 1)) last++
  }
  return { from: lines.line(first).from, to: lines.line(last).to }
}

/** Opens the panel for a job of the given kind. Speech is inserted after the text that it reads aloud, and any other result at the caret. */
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

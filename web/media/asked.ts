/** A person's request for a job, and its place. It loads with the page; the code for jobs loads on request. */
import { signal } from '@preact/signals'
import * as Y from 'yjs'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { View } from '../view/view.ts'
import { textMap } from '../editor/binding.ts'

export interface Asked {
  readonly kind: JobKind
  /** The position of the result, whatever others write before it. */
  readonly place: Y.RelativePosition
  /** The Markdown that the request is about: the selection, or else the cursor's paragraph. */
  readonly source: string
}

/** The latest request; undefined once it was started or dropped. */
export const asked = signal<Asked | undefined>(undefined)

/** Returns the lines around the cursor up to a blank one. */
function paragraphAround(lines: { line(number: number): { from: number; to: number; text: string }; lines: number }, at: number) {
  const isText = (number: number): boolean => number >= 1 && number <= lines.lines && lines.line(number).text.trim() !== ''
  let [first, last] = [at, at]
  if (isText(at)) {
    while (isText(first - 1)) first--
    while (isText(last + 1)) last++
  }
  return { from: lines.line(first).from, to: lines.line(last).to }
}

/** Opens the panel for a job of a kind. Speech goes after the spoken text, everything else to the cursor. */
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

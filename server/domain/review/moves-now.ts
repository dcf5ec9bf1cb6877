/**
 * The edits that suggested moves of lines make in the current text. They are computed before a decision, in the text thread if there is much text,
 * because one request may decide many suggestions.
 */
import { type Fence, fencesOf } from '../../../shared/fences/fences.ts'
import { movedNow, type Proposed } from '../../../shared/fences/suggested-move.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import type { AnnotatedDocument } from './annotated-document.ts'

/** Maximum time for moves that are computed on the event loop, for each request, in milliseconds. It is checked before each move. */
const turnMsMax = 10

export interface MovesNow {
  /** Computes the moves of the current text. The text can change meanwhile. Throws `busy` and `too_complex`. */
  readonly compute: () => Promise<void>
  /** Whether the last `compute` was for the current text. */
  readonly areCurrent: () => boolean
  /**
   * Returns the edits of a move of `content`. Undefined if the suggestion is not a move, or cannot be made. The move of another text than that of
   * the last `compute` is computed immediately, while there is time.
   */
  readonly editsOf: (content: string, proposed: Proposed, id?: string) => readonly Edit[] | undefined
}

/** `wanted` returns the possible moves of the current text, by suggestion id. */
export const createMovesNow = ({ service, doc, openDoc }: AnnotatedDocument, wanted: () => ReadonlyMap<string, Proposed>): MovesNow => {
  let computed: { readonly content: string; readonly edits: ReadonlyMap<string, readonly Edit[] | undefined> } | undefined
  let spentMs = 0
  let last: { readonly content: string; readonly fences: readonly Fence[] } | undefined
  const fencesIn = (content: string): readonly Fence[] => {
    if (last?.content !== content) last = { content, fences: fencesOf(content) }
    return last.fences
  }
  return {
    compute: async () => {
      const { content } = openDoc.snapshot()
      const proposed = wanted()
      const found = proposed.size === 0 ? [] : await service.texts.do(doc, 'movesNow', content, [...proposed.values()])
      computed = { content, edits: new Map([...proposed.keys()].map((id, index) => [id, found[index]])) }
    },
    areCurrent: () => computed?.content === openDoc.snapshot().content,
    editsOf: (content, proposed, id = '') => {
      if (computed?.content === content && computed.edits.has(id)) return computed.edits.get(id)
      if (spentMs >= turnMsMax) return undefined
      const start = performance.now()
      const edits = movedNow(content, () => fencesIn(content), proposed)
      spentMs += performance.now() - start
      return edits
    }
  }
}

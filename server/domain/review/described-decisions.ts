/** Descriptions of the changes that decisions make to components, for the history of a suggestion. */
import { ServiceError } from '../../../shared/errors.ts'
import type { DescribedChange } from '../../../shared/fences/described-change.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import type { AnnotatedDocument } from './annotated-document.ts'
import type { MovesNow } from './moves-now.ts'
import { changeOf, type Decision } from './verdicts.ts'

/** The changes of suggestions to components, by suggestion id. */
export type Described = ReadonlyMap<string, DescribedChange | undefined>

/** Describes the changes to components that are about to be decided, because the text may not show them later. */
export const describeDecided = async (opened: AnnotatedDocument, decisions: readonly Decision[], moves: MovesNow): Promise<Described> => {
  const { service, doc, openDoc, annotations } = opened
  const { content } = openDoc.snapshot()
  if (!/```|~~~/.test(content)) return new Map()
  const edits = new Map<string, Edit>()
  for (const { suggestionId: id, action } of decisions) {
    const found = annotations.suggestion.get(id)
    const range = action === 'reopen' || found?.status !== 'pending' ? undefined : annotations.rangeOf(id)
    if (found === undefined || range === undefined) continue
    const isSame = content.slice(range.from, range.to) === found.original
    const change = isSame ? { range, after: found.text } : changeOf(opened, found, 'accept', moves)
    if (change !== undefined) edits.set(id, { ...change.range, insert: change.after })
  }
  if (edits.size === 0) return new Map()
  try {
    const changes = await service.texts.do(doc, 'describedEdits', content, [...edits.values()])
    return new Map([...edits.keys()].map((id, index) => [id, changes[index]]))
  } catch (error) {
    // The decision does not need the description. Without it, people see the Markdown that changed.
    if (error instanceof ServiceError) return new Map()
    throw error
  }
}

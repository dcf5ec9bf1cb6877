/** Comments, suggestions and assignments as the service shows them, and what pages say of them. */
import type { Output } from '../../../shared/operations/index.ts'

export type Comment = Output<'resolveComment'>['comment']
export type Suggestion = Output<'decideSuggestion'>['suggestion']
export type Task = Output<'readTask'>['task']
export type AuthorKind = Comment['authorKind']

/** Longest text of a remark that a card shows before it is asked for more, in UTF-16 units. */
export const excerptUnits = 280

/** A piece of text for a line of a card: whole characters, white space as one space. */
export function excerpt(text: string, units: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= units) return line
  return `${line
    .slice(0, units)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}

/** Whether nobody has decided it. */
export const isUndecided = ({ status }: Suggestion): boolean => status === 'pending' || status === 'orphaned'

/** Comments, suggestions and assignments as the service returns them, and helpers for showing them. */
import type { Output } from '../../../shared/operations/index.ts'

export type Comment = Output<'resolveComment'>['comment']
export type Suggestion = Output<'decideSuggestion'>['suggestion']
export type Task = Output<'readTask'>['task']
export type AuthorKind = Comment['authorKind']

/** Longest text of an annotation that a card shows before "show more", in UTF-16 units. */
export const excerptUnits = 280

/** Returns an excerpt for one line of a card: whole characters, with white space as one space. */
export function excerpt(text: string, units: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= units) return line
  return `${line
    .slice(0, units)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}

/** Whether it has not been decided yet. */
export const isUndecided = ({ status }: Suggestion): boolean => status === 'pending' || status === 'orphaned'

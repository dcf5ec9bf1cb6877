/** Comments, suggestions and assignments as the service returns them, and functions for displaying them. */
import type { Output } from '../../../shared/operations/index.ts'

export type Comment = Output<'resolveComment'>['comment']
export type Suggestion = Output<'decideSuggestion'>['suggestion']
export type Task = Output<'readTask'>['task']
export type AuthorKind = Comment['authorKind']

/** Longest text of an annotation that a card shows without "show more", in UTF-16 units. */
export const excerptUnits = 280

/** Returns an excerpt that fits on one line of a card. It contains complete characters, and each run of whitespace becomes one space. */
export function excerpt(text: string, units: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= units) return line
  return `${line
    .slice(0, units)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}

/** Whether a suggestion has not been decided. */
export const isUndecided = ({ status }: Suggestion): boolean => status === 'pending' || status === 'orphaned'

/** Whether somebody else has rejected a suggestion. */
export const isRejected = ({ status, withdrawn }: Suggestion): boolean => status === 'rejected' && withdrawn !== true

/** Comments, suggestions and assignments as the service shows them, and what pages say of them. */
import type { Output } from '../../shared/operations/index.ts'

export type Comment = Output<'resolveComment'>['comment']
export type Suggestion = Output<'decideSuggestion'>['suggestion']
export type Task = Output<'readTask'>['task']
export type AuthorKind = Comment['authorKind']

/** Longest text of a remark that a card shows before it is asked for more, in UTF-16 units. */
export const excerptUnits = 280

const hues = 10

/** Of the ten presence colours, the one that goes with a name: the same on every page and every day. */
export function hueOfName(name: string): number {
  // FNV-1a: names that differ in a letter get colours that differ.
  let hash = 0x811c9dc5
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 8) % hues
}

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

/** The people who wrote a version or a line, as the history names them. This module has no user interface code. */
import { displayName } from '../presence/people.ts'
import { isMadeHere, isOwnName } from '../presence/signature.ts'
import { t } from '../text/t.ts'
import type { Revision } from './api.ts'

/** Returns the name of a writer: “You” for the reader. */
export const writerName = (stored: string): string => (isOwnName(stored) ? t('You') : displayName(stored))

/** Returns the names of everyone who wrote a version, each once and the reader first. `doc` is the document's id. */
export function writersOf(doc: string, { author, authorKind, authors, cause }: Revision): string[] {
  if (cause === 'create' && authorKind === 'guest' && author === 'guest' && isMadeHere(doc)) return [t('You')]
  const stored = authors.length > 0 ? authors : author === null ? [] : [author]
  // A program may have the same name as the reader.
  const isAgent = (name: string): boolean => authorKind === 'agent' && name === author
  const isReader = (name: string): boolean => isOwnName(name) && !isAgent(name)
  const ordered = [...stored.filter(isReader), ...stored.filter((name) => !isReader(name))]
  return [...new Set(ordered.map((name) => (isAgent(name) ? displayName(name) : writerName(name))))]
}

/** Returns the other writers of a line for use after “with”, each once, without its author. */
export function otherWriters(author: string | null, authors: readonly string[]): string[] {
  const own = author === null ? undefined : writerName(author)
  const others = authors.filter((name) => writerName(name) !== own)
  return [...new Set(others.map((name) => (isOwnName(name) ? t('you') : displayName(name))))]
}

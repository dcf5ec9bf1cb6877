/**
 * The people who can be mentioned in a chat or a comment: those who are present, and those who did something in this document. This module has no
 * user interface code.
 */
import { t } from '../text/t.ts'
import { mayMention, mentionOf } from '../../shared/mentions.ts'
import type { ReadonlySignal } from '@preact/signals'
import type { Person } from './people.ts'

interface WithAuthor {
  readonly author: string
}

/** The author of a comment or a suggestion. */
type Authored =
  | { readonly kind: 'comment'; readonly thread: { readonly comment: WithAuthor & { readonly replies: readonly WithAuthor[] } } }
  | { readonly kind: 'proposal'; readonly proposal: { readonly suggestion: WithAuthor } }
  | { readonly kind: 'composer' | 'new' }

/** The parts of a page that know names: the people present, comments and suggestions, and events. The last two load after the text. */
export interface Named {
  readonly here: { value: readonly Person[] }
  readonly review: ReadonlySignal<{ readonly items: ReadonlySignal<readonly Authored[]> } | undefined>
  readonly feed: ReadonlySignal<{ readonly events: ReadonlySignal<readonly { readonly actor: string | null }[] | undefined> } | undefined>
}

/** Whether a mention is the name of an unnamed guest, with or without a number. Such a name mentions nobody. */
const isNobody = (mention: string): boolean =>
  ['', 'guest', mentionOf(t('Guest')).toLowerCase()].includes(mention.toLowerCase().replace(/-\d+$/, ''))

/**
 * Whether a mention may refer to somebody. The beginning of a guest's name refers only to a person whom the page knows. Any other name may belong to
 * somebody who has not been here yet.
 */
export const isMention = (mention: string, isKnown: boolean): boolean =>
  !isNobody(mention) && (isKnown || !['Guest', t('Guest')].some((word) => word.toLowerCase().startsWith(mention.toLowerCase())))

/**
 * Returns names in the form of mentions, without duplicates. The people present come first, then the people of the component or comment thread, and
 * then everyone else whom the page knows.
 */
export function namesAround(page: Named, own: readonly string[]): string[] {
  const annotations = (page.review.value?.items.value ?? []).flatMap((item) =>
    item.kind === 'comment'
      ? [item.thread.comment, ...item.thread.comment.replies].map(({ author }) => author)
      : item.kind === 'proposal'
        ? [item.proposal.suggestion.author]
        : []
  )
  const actors = (page.feed.value?.events.value ?? []).map(({ actor }) => actor ?? '')
  const here = page.here.value.flatMap(({ name, nameless }) => (nameless ? [] : [name]))
  return [...new Set([...here, ...own, ...annotations, ...actors].map((name) => mentionOf(name)))].filter((name) => !isNobody(name))
}

/** Maximum number of names that are shown at once. */
const shownMax = 6

/** Returns the names that match the letters typed after @. Names that begin with these letters come first. */
export function namesLike(names: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase()
  const starts = names.filter((name) => name.toLowerCase().startsWith(wanted))
  const found = [...starts, ...names.filter((name) => !starts.includes(name) && name.toLowerCase().includes(wanted))]
  // A completely typed name needs no suggestions.
  return found.length === 1 && found[0] === typed ? [] : found.slice(0, shownMax)
}

/** Returns the letters between an @ and a position directly after them. Undefined if there is no @. */
export const typedName = (text: string, place: number): string | undefined => {
  const at = text.slice(0, place).lastIndexOf('@')
  const name = text.slice(at + 1, place)
  return at !== -1 && mayMention(text, at) && /^[\p{L}\p{M}\p{N}_.-]*$/u.test(name) ? name : undefined
}

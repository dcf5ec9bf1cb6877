/** The people whom one can name in a chat or a comment: those who are here, and those who did something here. No user interface. */
import { t } from '../text/t.ts'
import { mayMention, mentionOf } from '../../shared/mentions.ts'
import type { ReadonlySignal } from '@preact/signals'
import type { Person } from './people.ts'

interface Said {
  readonly author: string
}

/** A comment or a suggestion, as far as its authors go. */
type Authored =
  | { readonly kind: 'comment'; readonly thread: { readonly comment: Said & { readonly replies: readonly Said[] } } }
  | { readonly kind: 'proposal'; readonly proposal: { readonly suggestion: Said } }
  | { readonly kind: 'composer' | 'new' }

/** The parts of a page that know names: who is here, its comments and suggestions, its events. The last two come after the text. */
export interface Named {
  readonly here: { value: readonly Person[] }
  readonly review: ReadonlySignal<{ readonly items: ReadonlySignal<readonly Authored[]> } | undefined>
  readonly feed: ReadonlySignal<{ readonly events: ReadonlySignal<readonly { readonly actor: string | null }[] | undefined> } | undefined>
}

/** Guests without a name are called so: a mention of that would mean all of them, and means nobody. */
const isNobody = (mention: string): boolean => ['', 'guest', mentionOf(t('Guest')).toLowerCase()].includes(mention.toLowerCase())

/** As they are mentioned, each once: present first, then those of the component or comment itself, then those whom the page knows of. */
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

/** Names shown at a time. */
const shownMax = 6

/** The names that the letters typed behind @ may become: the ones that begin with them first. */
export function namesLike(names: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase()
  const starts = names.filter((name) => name.toLowerCase().startsWith(wanted))
  const found = [...starts, ...names.filter((name) => !starts.includes(name) && name.toLowerCase().includes(wanted))]
  // A name that is written in full is no question any more.
  return found.length === 1 && found[0] === typed ? [] : found.slice(0, shownMax)
}

/** The letters behind an @ right before a place in a text; undefined: no @. */
export const typedName = (text: string, place: number): string | undefined => {
  const at = text.slice(0, place).lastIndexOf('@')
  const name = text.slice(at + 1, place)
  return at !== -1 && mayMention(text, at) && /^[\p{L}\p{M}\p{N}_.-]*$/u.test(name) ? name : undefined
}

/** The comments and suggestions that the page shows, from the service and from this page. */
import type { Signal } from '@preact/signals'
import type { Range as Span } from '../../../shared/text/targets.ts'
import { signature } from '../../presence/person.ts'
import { shownName } from '../outbox/draft-name.ts'
import type { Annotation } from '../suggestions/marked-range.ts'
import { isUndecided, type Suggestion } from '../outbox/records.ts'
import type { Proposal, Thread } from '../outbox/shown-records.ts'
import type { Store } from '../outbox/store.ts'
import type { Action, OutboxEntry } from '../outbox/entry.ts'

/** A comment that the person is writing. */
export interface Composer {
  /** The quoted words, or '' for a comment on the entire document. */
  readonly quote: string
  readonly body: Signal<string>
}

interface Positioned {
  readonly id: string
  /** The range in the editor. Undefined if the item has no position in the text. */
  readonly span: Span | undefined
}

export type Item = Positioned &
  (
    | { readonly kind: 'comment'; readonly thread: Thread }
    | { readonly kind: 'proposal'; readonly proposal: Proposal }
    /** A comment or suggestion from this device that the service does not have yet. */
    | { readonly kind: 'new'; readonly entry: OutboxEntry; readonly waiting: readonly OutboxEntry[] }
    | { readonly kind: 'composer'; readonly composer: Composer }
  )

export const composerId = 'composer'

/** Whether a comment or suggestion is still open. */
export const isOpen = (item: Item): boolean => {
  if (item.kind === 'comment') return !item.thread.comment.resolved && item.thread.isDeleted !== true
  return item.kind === 'proposal' ? isUndecided(item.proposal.suggestion) : true
}

/** Returns when a comment was resolved or a suggestion was decided. Undefined while the service has not responded. */
export const closedAt = (item: Item): string | undefined => {
  if (item.kind === 'comment') return item.thread.comment.resolvedAt ?? undefined
  return item.kind === 'proposal' ? (item.proposal.suggestion.decidedAt ?? undefined) : undefined
}

/** Whether the text of an open suggestion was deleted. The service cannot accept it. */
export const lacksText = (item: Item): boolean => item.kind === 'proposal' && item.span === undefined && isOpen(item)

const nobody: ReadonlySet<string> = new Set()

/**
 * Returns the mark of an item in the text, or undefined if there is none. `key` changes when the service reports a new position. `staying` contains
 * the ids of closed items whose cards stay for now, and `edited` identifies the suggestions that the editor itself displays.
 */
export function annotationOf(
  item: Item,
  staying = nobody,
  edited = nobody
): { readonly annotation: Annotation; readonly key: unknown } | undefined {
  const { id } = item
  if (!isOpen(item))
    return staying.has(id) ? { annotation: { id, kind: 'card', author: authorOf(item), text: '' }, key: 'decided' } : undefined
  if (item.kind === 'comment') {
    const { author, anchor } = item.thread.comment
    return { annotation: { id, kind: 'comment', author, text: '' }, key: anchor }
  }
  if (item.kind === 'proposal') {
    const { author, operation, text, draftId, createdAt } = item.proposal.suggestion
    if (edited.has(draftId ?? '')) return { annotation: { id, kind: 'card', author, text: '' }, key: 'edited' }
    return { annotation: { id, kind: operation, author, text, madeAt: Date.parse(createdAt) }, key: item.proposal.suggestion }
  }
  const author = authorOf(item)
  if (item.kind === 'composer') return { annotation: { id, kind: 'comment', author, text: '' }, key: item.composer }
  const { action, at } = item.entry
  if (action.kind === 'suggest') return { annotation: { id, kind: action.operation, author, text: action.text, madeAt: at }, key: id }
  return { annotation: { id, kind: 'comment', author, text: '' }, key: id }
}

/** Returns the words that an item is about. */
export const quoteOf = (item: Item): string => {
  if (item.kind === 'comment') return item.thread.comment.target.quote
  if (item.kind === 'composer') return item.composer.quote
  if (item.kind === 'proposal') return item.proposal.suggestion.original
  return item.entry.action.kind === 'comment' ? (item.entry.action.target?.find ?? '') : ''
}

/** Returns the author of an item. An unsent item was written by this person. */
export const authorOf = (item: Item): string => {
  if (item.kind === 'comment') return item.thread.comment.author
  if (item.kind === 'proposal') return item.proposal.suggestion.author
  return (item.kind === 'new' ? item.entry.author : signature.peek()) || 'guest'
}

/** Whether a suggestion has a card. It has none while its author first types it on this page, or if it was withdrawn before it was finished. */
const isSeen = ({ draftId, withdrawn, replies }: Suggestion, typed: ReadonlySet<string>): boolean =>
  draftId === undefined || !(typed.has(draftId) || (withdrawn === true && replies === undefined))

/** Returns the id of the draft that an action sends. */
const draftOf = (action: Action): string | undefined => (action.kind === 'suggest' ? action.draft?.id : undefined)

/** The items whose cards stay because this person types in them. */
export interface InUse {
  /** Ids of the items that this person types in. Their cards stay. */
  readonly ids: ReadonlySet<string>
  /** The comments and suggestions among them that the service no longer lists. */
  readonly threads: readonly Thread[]
  readonly proposals: readonly Proposal[]
}

/** Returns all items in text order. Items without a position come last. */
export function itemsOf(store: Store, composer: Composer | undefined, spans: ReadonlyMap<string, Span>, inUse: InUse): readonly Item[] {
  const there = new Set(store.threads.value.map(({ comment: { id } }) => id))
  const proposed = new Set(store.proposals.value.map(({ suggestion: { id } }) => id))
  // If a comment was deleted, an unsent reply to it, or an unsent edit, becomes a separate item, so that its text can be copied.
  const sent = store.recordIds.value
  const unsent = new Set(store.outbox.list.value.map(({ id }) => id))
  // Several versions of a suggestion may wait. Only the newest one is shown.
  const newest = new Map(store.outbox.list.value.map(({ id, action }) => [draftOf(action) ?? id, id]))
  const waiting = store.outbox.list.value.filter(
    ({ id, action, refusal }) =>
      !sent.has(id) &&
      (action.kind === 'comment' ||
        (action.kind === 'suggest' && newest.get(draftOf(action) ?? id) === id) ||
        ((action.kind === 'reply' || action.kind === 'edit') &&
          refusal !== undefined &&
          !there.has(action.comment) &&
          !unsent.has(action.comment)) ||
        (action.kind === 'answer' && refusal !== undefined && !proposed.has(action.suggestion)) ||
        (action.kind === 'editReply' && refusal !== undefined && !there.has(action.on) && !proposed.has(action.on)))
  )
  const typed = new Set([...store.held.value].filter((name) => !store.edited.value.has(name)))
  /** The suggestions of which this device has a newer version that the service refused. */
  const refused = new Set<string>()
  for (const { action, refusal } of store.outbox.list.value)
    if (action.kind === 'suggest' && action.draft !== undefined) (refusal === undefined ? typed : refused).add(shownName(action.draft.id))
  const isReplaced = (each: Suggestion): boolean => isUndecided(each) && each.draftId !== undefined && refused.has(each.draftId)
  const positioned = (id: string): Positioned => ({ id, span: spans.get(id) })
  const all: Item[] = [
    ...[...store.threads.value, ...inUse.threads].map((thread): Item => ({ kind: 'comment', thread, ...positioned(thread.comment.id) })),
    ...[...store.proposals.value, ...inUse.proposals]
      .filter(({ suggestion }) => inUse.ids.has(suggestion.id) || (isSeen(suggestion, typed) && !isReplaced(suggestion)))
      .map((proposal): Item => ({ kind: 'proposal', proposal, ...positioned(proposal.suggestion.id) })),
    ...waiting.map((each): Item => ({
      kind: 'new',
      entry: each,
      waiting: store.entriesOf.value.get(each.id) ?? [],
      ...positioned(each.id)
    })),
    ...(composer === undefined ? [] : [{ kind: 'composer', composer, ...positioned(composerId) } as const])
  ]
  const positionOf = ({ span }: Item): number => span?.from ?? Number.MAX_SAFE_INTEGER
  return all.toSorted((one, other) => positionOf(one) - positionOf(other))
}

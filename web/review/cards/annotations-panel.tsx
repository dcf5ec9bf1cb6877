/** The panel with all comments and suggestions, a filter, and decisions on several suggestions at once. Items whose text was deleted come last. */
import type { JSX } from 'preact'
import { displayName } from '../../presence/people.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { SidePanel } from '../../ui/side-panel.tsx'
import { locale, t, term, tn } from '../../text/t.ts'
import { Icon } from '../../ui/icons.tsx'
import { Card } from './cards.tsx'
import { closedAt, isOpen, type Item, lacksText } from '../annotations/items.ts'
import { isInvited } from './invitation.ts'
import type { Review, ReviewedView } from '../annotations/review.ts'
import type { Filter } from '../annotations/state.ts'
import { reasonFieldId } from '../annotations/suggesting-mode.ts'
import { Choice } from '../../ui/choice.tsx'

/** Number of cards that the panel shows at first and adds with each "show more". */
const pageSize = 60

const filters: readonly (readonly [Filter, string])[] = [
  ['open', term('Open')],
  ['resolved', term('Resolved')],
  ['mine', term('Mine')]
]

function isOwn({ store }: Review, item: Item): boolean {
  if (item.kind === 'comment') return store.isOwn(item.thread.comment)
  return item.kind === 'proposal' ? store.isOwn(item.proposal.suggestion) : true
}

const fits = (review: Review, item: Item): boolean => {
  if (item.kind === 'composer') return true
  const filter = review.filter.value
  if (filter === 'mine') return isOwn(review, item)
  if (filter === 'open' && review.inUse.value.has(item.id)) return true
  return isOpen(item) === (filter === 'open')
}

/** Returns the items that fit the filter: resolved ones newest first, and others in the order of the text. */
const listed = (review: Review): readonly Item[] => {
  const all = review.items.value.filter((item) => fits(review, item))
  if (review.filter.value !== 'resolved') return all
  const time = (item: Item): number => Date.parse(closedAt(item) ?? '') || Infinity
  return all.toSorted((one, other) => (time(one) === time(other) ? 0 : time(other) - time(one)))
}

/** Whether the text of an annotation was deleted. A comment on the entire document never had text. */
const isGone = (item: Item): boolean => {
  if (item.kind !== 'comment') return lacksText(item)
  return item.span === undefined && isOpen(item) && item.thread.comment.target.kind !== 'document'
}

function DecideAll({ review }: { review: Review }): JSX.Element | null {
  const [author, setAuthor] = useState('')
  const { store } = review
  const open = store.proposals.value.filter(({ suggestion, deciding }) => suggestion.status === 'pending' && deciding === undefined)
  const authors = [...new Set(open.map(({ suggestion }) => displayName(suggestion.author)))].toSorted()
  const chosen = authors.includes(author) ? author : ''
  // Items are in text order. If two suggestions change the same words, the first one is accepted.
  const ids = review.items.value.flatMap((item) =>
    item.kind === 'proposal' && open.includes(item.proposal) && !review.isMisfit(item) ? item.proposal.suggestion : []
  )
  const wanted = ids.filter((suggestion) => chosen === '' || displayName(suggestion.author) === chosen).map(({ id }) => id)
  if (!store.canDecide.value || ids.length < 2) return null
  return (
    <fieldset class='decide-all'>
      <legend class='sr-only'>{t('Accept or reject several suggestions')}</legend>
      {authors.length > 1 && (
        <Choice
          aria-label={t('Author')}
          value={chosen}
          values={['', ...authors]}
          words={(name) => name || t('Everyone')}
          onChoose={setAuthor}
        />
      )}
      <button type='button' class='button' onClick={() => store.decide('accept', wanted)}>
        <Icon name='check' size={16} />
        {tn(wanted.length, 'Accept 1', 'Accept {count}')}
      </button>
      <button type='button' class='button quiet' onClick={() => store.decide('reject', wanted)}>
        {tn(wanted.length, 'Reject 1', 'Reject {count}')}
      </button>
    </fieldset>
  )
}

function Empty({ review }: { review: Review }): JSX.Element {
  const { state, canComment, decided } = review.store
  if (state.value === 'reading' || decided.state.value === 'reading') return <p class='side-panel-empty'>{t('Loading…')}</p>
  if (state.value === 'failed')
    return (
      <div class='side-panel-empty'>
        <p>{t('Comments could not be loaded. They load when you are back online.')}</p>
        <button type='button' class='button' onClick={review.store.read}>
          {t('Try again')}
        </button>
      </div>
    )
  if (review.filter.value !== 'open') return <p class='side-panel-empty'>{t('Nothing here.')}</p>
  // If there are resolved comments, saying "no comments yet" would be wrong.
  if (review.items.value.length > 0) return <p class='side-panel-empty'>{t('No open comments.')}</p>
  return (
    <p class='side-panel-empty'>{canComment.value ? t('No comments yet. Select some text and comment on it.') : t('No comments yet.')}</p>
  )
}

/** Reads the suggestions that were decided in earlier visits, once the person opens a list that contains them. */
function EarlierDecided({ review, onMore }: { review: Review; onMore: () => void }): JSX.Element | null {
  const { state, decided } = review.store
  const [isReady, read] = [state.value === 'ready', decided.state.value]
  useEffect(() => {
    if (isReady && decided.state.peek() === 'unread') decided.more()
  }, [isReady])
  if (read !== 'more' && read !== 'failed') return null
  const more = (): void => {
    decided.more()
    onMore()
  }
  return (
    <>
      {read === 'failed' && <p class='card-note'>{t('Earlier suggestions could not be loaded.')}</p>}
      <button type='button' class='button' onClick={more}>
        {read === 'failed' ? t('Try again') : t('Show more')}
      </button>
    </>
  )
}

/** Handles the keys of the list: j and k move down and up, and a and r accept and reject. */
function listKeys(review: Review, shown: readonly Item[], event: KeyboardEvent): void {
  const { target } = event
  if (event.ctrlKey || event.metaKey || event.altKey || (target instanceof Element && target.matches('input, textarea, select'))) return
  const at = shown.findIndex(({ id }) => id === review.active.value)
  const step = { j: 1, k: -1 }[event.key]
  if (step !== undefined) {
    const next = shown[at === -1 ? 0 : Math.min(Math.max(at + step, 0), shown.length - 1)]
    if (next !== undefined) review.show(next.id, 'card')
    event.preventDefault()
  }
  const item = shown[at]
  const action = { a: 'accept', r: 'reject' }[event.key] as 'accept' | 'reject' | undefined
  if (action === undefined || item?.kind !== 'proposal' || !review.store.canDecide.value || !isOpen(item)) return
  event.preventDefault()
  if (!review.decide(action)) return
  const next = shown[at + 1] ?? shown[at - 1]
  if (next !== undefined) review.show(next.id, 'card')
}

/** Shows how old the list is while the page cannot update it. */
function AsOf({ review }: { review: Review }): JSX.Element | null {
  const at = review.store.asOf.value
  if (at === undefined) return null
  const when = new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })
  return <p class='card-note'>{t('Last updated {when}. New comments load when you are back online.', { when })}</p>
}

/** The filter of the list, and the button for a new comment. */
function Tools({ review }: { review: Review }): JSX.Element {
  return (
    <div class='panel-tools'>
      <fieldset class='segments'>
        <legend class='sr-only'>{t('Filter comments')}</legend>
        {filters.map(([name, words]) => (
          <label key={name}>
            <input type='radio' name='annotations' checked={review.filter.value === name} onChange={() => (review.filter.value = name)} />
            <span>{t(words)}</span>
          </label>
        ))}
      </fieldset>
      {review.store.canComment.value && (
        <button type='button' class='button quiet' onClick={review.comment}>
          <Icon name='message-plus' size={18} />
          {t('Comment')}
        </button>
      )}
    </div>
  )
}

/** The field for the reason for one suggestion: for the one that is being typed, or else for the next one. */
function ReasonField({ review: { reason, isTyping } }: { review: Review }): JSX.Element {
  const words = isTyping.value ? t('Reason for your suggestion') : t('Reason for your next suggestion')
  return (
    <input
      id={reasonFieldId}
      type='text'
      maxLength={200}
      aria-label={words}
      placeholder={words}
      value={reason.value}
      onInput={(event: Event) => (reason.value = (event.target as HTMLInputElement).value)}
    />
  )
}

/**
 * The panel opens on the open annotations, unless the person is looking at a resolved comment or a decided suggestion. A suggestion that they have
 * just decided does not count.
 */
function beginFilter({ filter, items, active, recent }: Review): void {
  const item = items.peek().find(({ id }) => id === active.peek())
  if (item === undefined || isOpen(item) || recent.peek().has(item.id)) filter.value = 'open'
}

export function AnnotationsPanel({ view }: { view: ReviewedView }): JSX.Element | null {
  const review = view.review.value
  return review === undefined ? null : <Panel review={review} onClose={() => (view.panel.value = undefined)} />
}

function Panel({ review, onClose }: { review: Review; onClose: () => void }): JSX.Element {
  useState(() => beginFilter(review))
  const [pages, setPages] = useState(1)
  const all = listed(review)
  const [placed, gone] = [all.filter((item) => !isGone(item)), all.filter(isGone)]
  const active = placed.findIndex(({ id }) => id === review.active.value)
  const shown = placed.slice(0, Math.max(pages * pageSize, active + 1))
  const goneShown = gone.slice(0, pages * pageSize)
  const goneHead = useRef<HTMLHeadingElement>(null)
  const goneWords = t('Original text changed or deleted ({count})', { count: gone.length })
  return (
    <SidePanel
      title={t('Comments')}
      bar={<Tools review={review} />}
      onClose={onClose}
      onKeyDown={(event) => listKeys(review, [...shown, ...goneShown], event)}
    >
      {isInvited(review.store.tasks.value, review.store.isOwner.value) && (
        <p class='actions'>
          <button type='button' class='button quiet' onClick={() => (review.panel.value = 'tasks')}>
            {t('Back to the assignment')}
          </button>
        </p>
      )}
      {review.suggesting.value && review.composer.value === undefined && <ReasonField review={review} />}
      {review.filter.value === 'open' && <DecideAll review={review} />}
      <AsOf review={review} />
      {placed.length > 0 && gone.length > 0 && (
        <button type='button' class='button quiet' onClick={() => goneHead.current?.scrollIntoView()}>
          {goneWords}
        </button>
      )}
      {all.length === 0 && <Empty review={review} />}
      {shown.map((item) => (
        <Card key={review.cardKeyOf(item)} review={review} item={item} isListed />
      ))}
      {shown.length < placed.length && (
        <button type='button' class='button' onClick={() => setPages(pages + 1)}>
          {tn(placed.length - shown.length, '1 more', '{count} more')}
        </button>
      )}
      {review.filter.value !== 'open' && shown.length === placed.length && (
        <EarlierDecided review={review} onMore={() => setPages(pages + 1)} />
      )}
      {gone.length > 0 && (
        <>
          <h3 class='panel-part' ref={goneHead}>
            {goneWords}
          </h3>
          {goneShown.map((item) => (
            <Card key={review.cardKeyOf(item)} review={review} item={item} isListed />
          ))}
        </>
      )}
    </SidePanel>
  )
}

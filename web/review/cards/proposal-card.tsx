/** The card of a suggestion: what it changes, and who decided it. */
import type { JSX } from 'preact'
import { t } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { displayName } from '../../presence/people.ts'
import type { Item } from '../annotations/items.ts'
import type { Review } from '../annotations/review.ts'
import { excerpt, excerptUnits, isUndecided } from '../outbox/records.ts'
import type { Proposal } from '../outbox/shown-records.ts'
import { Byline, Prose, Tool } from './card-parts.tsx'
import { misfitWords } from '../outbox/refusals.ts'
import { DecideButtons, Refusal } from './decide-buttons.tsx'

interface ChangeInput {
  readonly review: Review
  readonly item: Item
  readonly original: string
  readonly text: string
}

/** Returns text as its card shows it. Space is invisible, so signs stand for it. */
const shown = (text: string): string => excerpt(text, excerptUnits) || (text.includes('\n') ? '↵' : '␣')

export function Change({ review, item, original, text }: ChangeInput): JSX.Element {
  const { effect, saysAll = false } = review.described(item) ?? {}
  return (
    <>
      {effect !== undefined && <Prose text={effect} />}
      {!saysAll && (
        <p class={effect === undefined ? 'card-change' : 'card-change card-source'} dir='auto'>
          {original !== '' && <del>{shown(original)}</del>} {text !== '' && <ins>{shown(text)}</ins>}
        </p>
      )}
    </>
  )
}

/** Returns the person who made the decision: `me` if this page knows that it was this person, and otherwise a name. */
function deciderOf(review: Review, { id, decidedBy, decidedByKind }: Proposal['suggestion']): 'me' | { readonly name: string } {
  if (decidedByKind === 'guest' && review.isDecidedHere(id)) return 'me'
  // Only names are compared, because the author of a suggestion need not be the person who decided it.
  if (
    decidedByKind !== null &&
    decidedByKind !== 'system' &&
    review.store.isMe({ id: '', author: decidedBy ?? '', authorKind: decidedByKind })
  )
    return 'me'
  return { name: decidedByKind === 'guest' ? displayName(decidedBy ?? '') : (decidedBy ?? '') }
}

function statusWords(review: Review, { suggestion, deciding }: Proposal): string | undefined {
  if (deciding === 'withdraw') return t('Withdrawing…')
  if (deciding === 'reopen') return t('Undoing…')
  if (deciding !== undefined) return deciding === 'accept' ? t('Accepting…') : t('Rejecting…')
  const by = deciderOf(review, suggestion)
  if (suggestion.withdrawn === true) return by === 'me' ? t('Withdrawn by you') : t('Withdrawn by {name}', by)
  if (suggestion.status === 'accepted') return by === 'me' ? t('Accepted by you') : t('Accepted by {name}', by)
  if (suggestion.status !== 'rejected') return undefined
  return by === 'me' ? t('Rejected by you') : t('Rejected by {name}', by)
}

interface ProposalInput {
  readonly review: Review
  readonly item: Item & { readonly kind: 'proposal' }
  readonly isActive: boolean
}

export function ProposalCard({ review, item, isActive }: ProposalInput): JSX.Element {
  const { store } = review
  const { suggestion, deciding, reason, refusal } = item.proposal
  // The page shows the person's reason even before the service has responded.
  const why = suggestion.reason ?? (deciding === 'reject' ? reason : undefined)
  const status = statusWords(review, item.proposal)
  const isMisfit = review.isMisfit(item)
  const isDecided = deciding === undefined && !isUndecided(suggestion)
  const canReopen = isDecided && store.canDecide.value && suggestion.withdrawn !== true
  return (
    <>
      <Byline author={suggestion.author} authorKind={suggestion.authorKind} isOwn={store.isMe(suggestion)} at={suggestion.createdAt}>
        {isActive && <Tool icon='link' name={t('Copy link')} onClick={() => void copyText(review.addressOf(item), t('Link'))} />}
      </Byline>
      <Change review={review} item={item} original={suggestion.original} text={suggestion.text} />
      {suggestion.note !== null && <Prose text={suggestion.note} />}
      {isMisfit && refusal === undefined && <p class='card-note'>{misfitWords(store.canDecide.value)}</p>}
      {status !== undefined && (
        <p class='card-note card-decided'>
          {status}
          {canReopen && (
            <button type='button' class='button quiet' onClick={() => store.decide('reopen', [suggestion.id])}>
              {review.recent.value.has(suggestion.id) ? t('Undo') : t('Reopen')}
            </button>
          )}
        </p>
      )}
      {why !== undefined && <Prose text={why} />}
      {/* The refusal goes when the text is back. */}
      {(isMisfit || refusal !== misfitWords(true)) && <Refusal proposal={item.proposal} />}
      <DecideButtons review={review} proposal={item.proposal} isMisfit={isMisfit} />
      {isActive && isUndecided(suggestion) && store.isOwn(suggestion) && store.canSuggest.value && (
        <p class='actions'>
          <button type='button' class='button quiet' onClick={() => review.withdraw(suggestion)}>
            {t('Withdraw')}
          </button>
        </p>
      )}
    </>
  )
}

// ——— unsent items ———

/** The buttons that accept or reject a suggestion. A plain rejection takes one click, and a rejection with a reason takes one more. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { limits } from '../../../shared/limits.ts'
import { t } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Prose, Writer } from './card-parts.tsx'
import type { Review } from '../annotations/review.ts'
import type { Proposal } from '../outbox/shown-records.ts'

interface Input {
  readonly review: Review
  readonly proposal: Proposal
}

/** Explains why the service refused a decision. It includes the reason that the person gave, so that nobody has to type it again. */
export function Refusal({ proposal: { refusal, reason } }: Pick<Input, 'proposal'>): JSX.Element | null {
  if (refusal === undefined) return null
  return (
    <div class='card-refusal' role='alert'>
      <p>{refusal}</p>
      {reason !== undefined && (
        <>
          <Prose text={reason} />
          <p class='actions'>
            <button type='button' class='button' onClick={() => void copyText(reason, t('Text'))}>
              {t('Copy text')}
            </button>
          </p>
        </>
      )}
    </div>
  )
}

/** The buttons for accepting, rejecting, and rejecting with a reason. There are none for people who may not decide. */
export function DecideButtons({ review, proposal, isMisfit }: Input & { readonly isMisfit: boolean }): JSX.Element | null {
  const { store, rejecting } = review
  const { suggestion, deciding, reason } = proposal
  const { id, status } = suggestion
  const opener = useRef<HTMLButtonElement>(null)
  const asked = rejecting.value?.id === id ? rejecting.value : undefined
  const wasAsked = useRef(false)
  useLayoutEffect(() => {
    if (wasAsked.current && asked === undefined && document.activeElement === document.body) opener.current?.focus({ preventScroll: true })
    wasAsked.current = asked !== undefined
  })
  const isLost = asked !== undefined && !store.canDecide.value && store.isBarred.value && asked.reason.peek() !== ''
  if ((!store.canDecide.value && !isLost) || deciding !== undefined) return null
  // A half-written reason stays, even if somebody else has since decided, or if the person's access has ended.
  if (asked !== undefined)
    return (
      <Writer
        label={t('Reason')}
        action={t('Reject')}
        value={asked.reason.peek()}
        charsMax={limits.reasonUnitsMax}
        autoFocus
        onInput={(text) => (asked.reason.value = text)}
        onSubmit={
          isLost
            ? undefined
            : (text) => {
                rejecting.value = undefined
                store.decide('reject', [id], text)
              }
        }
        onCancel={() => (rejecting.value = undefined)}
      />
    )
  if (status !== 'pending' && status !== 'orphaned') return null
  return (
    <p class='actions card-decide'>
      {status === 'pending' && !isMisfit && (
        <button type='button' class='button accept' onClick={() => store.decide('accept', [id])}>
          <Icon name='check' size={16} />
          {t('Accept')}
        </button>
      )}
      <button type='button' class='button quiet' onClick={() => store.decide('reject', [id])}>
        <Icon name='x' size={16} />
        {t('Reject')}
      </button>
      <IconButton
        icon='chevron-down'
        label={t('Reject with a reason')}
        size={16}
        button={opener}
        aria-expanded={false}
        onClick={() => (rejecting.value = { id, reason: signal(reason ?? '') })}
      />
    </p>
  )
}

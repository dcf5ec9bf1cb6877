/**
 * Draws a card. A card is a function and not a Preact component: a board may have many cards, and only those that changed are created again
 * (`sameCard`).
 */
import type { JSX } from 'preact'
import { type Card, type CardPosition, type CardState, detailsOf } from '../../shared/fences/board.ts'
import type { Person } from '../presence/people.ts'
import { t } from '../text/t.ts'
import { inline } from './inline.tsx'
import { Proposed } from './proposed.tsx'

const stateName = (state: CardState): string => (state === 'done' ? t('Done') : state === 'doing' ? t('In progress') : t('To do'))

export interface DrawnCard {
  readonly card: Card
  readonly position: CardPosition
  readonly mayChange: boolean
  /** Whether the Tab key can focus the card. */
  readonly isCurrent: boolean
  /** The person who is editing the card. */
  readonly holder: Person | undefined
  readonly isRepeated: boolean
  /** The open suggestions to change the card. */
  readonly suggested: readonly SuggestedChange[]
}

/** A suggestion to change a card, in words. */
export interface SuggestedChange {
  readonly id: string
  readonly words: string
  /** Whether the card would leave its column. */
  readonly isLeaving: boolean
  /** The card with its proposed words. Undefined if it keeps its words. */
  readonly young: Card | undefined
}

const sameSuggested = (one: DrawnCard['suggested'], other: DrawnCard['suggested']): boolean =>
  one.length === other.length &&
  one.every(({ id, words, young }, index) => {
    const next = other[index]
    return id === next?.id && words === next.words && young?.line.text === next.young?.line.text
  })

export const sameCard = (one: DrawnCard, other: DrawnCard): boolean =>
  one.card.line.text === other.card.line.text &&
  detailsOf(one.card) === detailsOf(other.card) &&
  one.position.column === other.position.column &&
  one.position.card === other.position.card &&
  one.holder?.id === other.holder?.id &&
  one.mayChange === other.mayChange &&
  one.isCurrent === other.isCurrent &&
  one.isRepeated === other.isRepeated &&
  sameSuggested(one.suggested, other.suggested)

/** Returns the name by which the board's listeners find a card (board-listeners.ts). */
export const placeName = ({ column, card }: CardPosition): string => `${column}:${card}`

const chips = ({ title, assignees, tags }: Card): (string | JSX.Element)[] => {
  if (assignees.length === 0 && tags.length === 0) return []
  const labels = [
    ...assignees.map(({ from, name }) => ({ from, text: `@${name}`, class: 'chip chip-person' })),
    ...tags.map(({ from, name }) => ({ from, text: `#${name}`, class: 'chip' }))
  ]
  return labels
    .filter(({ from }) => from >= title.to)
    .toSorted((one, other) => one.from - other.from)
    .flatMap(({ from, text, class: kind }) => [
      ' ',
      <span key={from} class={kind}>
        {text}
      </span>
    ])
}

/** Draws the words of a card: its title, labels and details. */
export function cardWords(card: Card): JSX.Element {
  const details = detailsOf(card)
  return (
    <>
      {inline(card.title.text)}
      {chips(card)}
      {details !== '' && (
        <div class='card-details'>
          {details.split('\n').map((line, index) => (
            <div key={index}>{inline(line)}</div>
          ))}
        </div>
      )}
    </>
  )
}

export function drawCard({ card, position, mayChange, isCurrent, holder, isRepeated, suggested }: DrawnCard): JSX.Element {
  const tab = isCurrent ? 0 : -1
  const isFree = mayChange && holder === undefined
  const change = suggested.find((each) => each.young !== undefined)
  const young = change?.young
  const isReplaced = young !== undefined || suggested.some(({ isLeaving }) => isLeaving)
  const name = card.title.text || t('Empty card')
  const state = stateName(card.state)
  return (
    <li
      key={position.card}
      class={`card card-${card.state}${holder === undefined ? '' : ' held'}${isFree ? ' free' : ''}`}
      style={holder && { '--hue': `var(--hue-${holder.hue})` }}
      data-place={placeName(position)}
      tabIndex={tab}
    >
      <button
        type='button'
        class='card-mark'
        tabIndex={tab}
        disabled={!isFree}
        aria-label={t('{state}: {name}', { state, name })}
        title={state}
      >
        <span class='card-state' />
      </button>
      <div class='card-text'>
        {isReplaced ? <Proposed old={cardWords(card)} young={young === undefined ? '' : cardWords(young)} /> : cardWords(card)}
        {suggested.map((each) => (
          <button key={each.id} type='button' class='link card-suggested' data-suggestion={each.id}>
            {/* The new words are already on the card. */}
            {each === change ? t('Suggested') : t('Suggested: {what}', { what: each.words })}
          </button>
        ))}
        {isRepeated && (
          <div class='card-repeated'>
            {t('This card appears more than once.')}{' '}
            <button type='button' class='link' disabled={!isFree}>
              {t('Keep only this card')}
            </button>
          </div>
        )}
      </div>
      {holder !== undefined && (
        <span class='card-holder' title={t('{name} is editing this', { name: holder.name })}>
          {holder.name}
        </span>
      )}
      <button
        type='button'
        class='card-more'
        tabIndex={tab}
        disabled={!isFree}
        aria-label={t('Actions for {name}', { name })}
        aria-haspopup='menu'
      />
    </li>
  )
}

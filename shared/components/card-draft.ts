/** A card's draft: the text in its form, and the card to which it belongs. Other people may change, move or remove that card at any time. */
import { type Board, type Card, type CardPosition, detailsOf } from '../fences/board.ts'
import { addTag, removeTag, renameCard, setAssignee, setDetails } from '../fences/board-edits.ts'
import type { Edit } from '../text/diff.ts'
import { findCard, wordsOf } from './board.ts'
import { followPart } from './follow-part.ts'

const cardParts = ['title', 'person', 'tags', 'details'] as const
export type CardPart = (typeof cardParts)[number]
/** The text in each field of the form. */
export type CardParts = Readonly<Record<CardPart, string>>

export interface CardDraft {
  /** The card as it was when editing began. */
  readonly begun: Card
  /** The current card, or its last known state if it was removed. */
  readonly card: Card
  readonly position: CardPosition
  readonly isGone: boolean
  /** Whether the author has typed in the draft. */
  readonly isTouched: boolean
  /** Whether saving raised a question that the author has not answered yet. */
  readonly isAsked: boolean
}

export const partsOf = (card: Card): CardParts => ({
  title: card.title.text,
  person: card.assignees[0]?.name ?? '',
  tags: card.tags.map(({ name }) => name).join(', '),
  details: detailsOf(card)
})

/** Returns the tags in the text of their field. If the text has a comma, commas or signs separate the tags, and a tag may have several words. */
const namesIn = (text: string): string[] => {
  const names = text.split(text.includes(',') ? /,|\s(?=#)/ : /\s/).map((name) => name.trim().replace(/^#/, '').replaceAll(/\s+/g, '-'))
  return [...new Set(names)].filter((name) => name !== '')
}

export const plainParts = ({ title, person, tags, details }: CardParts): CardParts => ({
  title: title.trim(),
  person: person.trim().replace(/^@/, ''),
  tags: namesIn(tags).join(', '),
  details: details.trimEnd()
})

/** Returns the source of a new card with these parts: the first line and the details. */
export function cardSource(parts: CardParts): string {
  const { title, person, tags, details } = plainParts(parts)
  const labels = [...(person === '' ? [] : [`@${person}`]), ...namesIn(tags).map((tag) => `#${tag}`)]
  return [[title, ...labels].join(' '), ...(details === '' ? [] : [details])].join('\n')
}

/** Returns the edits that give a card these parts. Unchanged parts get no edits. */
export function partEdits(board: Board, position: CardPosition, parts: CardParts): Edit[] {
  const card = board.columns[position.column]?.cards[position.card]
  if (card === undefined) return []
  const { person } = plainParts(parts)
  const [tags, wanted] = [card.tags.map(({ name }) => name), namesIn(parts.tags)]
  return [
    ...(parts.title.trim() === card.title.text ? [] : renameCard(board, position, parts.title)),
    ...(person === (card.assignees[0]?.name ?? '') ? [] : setAssignee(board, position, person === '' ? undefined : person)),
    ...tags.filter((tag) => !wanted.includes(tag)).flatMap((tag) => removeTag(board, position, tag)),
    ...wanted.filter((tag) => !tags.includes(tag)).flatMap((tag) => addTag(board, position, tag)),
    ...(parts.details.trimEnd() === detailsOf(card) ? [] : setDetails(board, position, parts.details))
  ].toSorted((one, other) => one.from - other.from)
}

// ——— the draft after changes by other people ———

export const beginDraft = (card: Card, position: CardPosition): CardDraft => ({
  begun: card,
  card,
  position,
  isGone: false,
  isTouched: false,
  isAsked: false
})

interface PositionedCard {
  readonly card: Card
  readonly position: CardPosition
}

const positionedCards = ({ columns }: Board): PositionedCard[] =>
  columns.flatMap(({ cards }, column) => cards.map((card, index) => ({ card, position: { column, card: index } })))

const isAt = ({ position }: PositionedCard, wanted: CardPosition | undefined): boolean =>
  position.column === wanted?.column && position.card === wanted.card

/**
 * Returns a draft after the board changed. A draft stays with its card. After its card is removed, a draft belongs to a card again only if that card
 * returns.
 */
export function followDraft(draft: CardDraft, before: Board, now: Board): CardDraft {
  const [were, are] = [positionedCards(before), positionedCards(now)]
  const words = (all: readonly PositionedCard[]): string[] => all.map(({ card }) => wordsOf(card))
  const same = findCard(now, draft.card)
  const changed = (): number | undefined =>
    followPart(
      words(were),
      were.findIndex((each) => isAt(each, draft.position)),
      words(are)
    )
  const found = same !== undefined || draft.isGone ? are.find((each) => isAt(each, same)) : are[changed() ?? -1]
  return found === undefined ? { ...draft, isGone: true } : { ...draft, ...found, isGone: false }
}

/** Returns the parts that the draft's author and other people changed differently. */
export function contestedParts({ begun, card }: CardDraft, mine: CardParts): CardPart[] {
  const [before, theirs] = [partsOf(begun), partsOf(card)]
  return cardParts.filter((part) => mine[part] !== before[part] && theirs[part] !== before[part] && theirs[part] !== mine[part])
}

/** Returns the parts to save. Parts that only other people changed keep their current text, and so do the parts in `theirs`. */
export function mergedParts({ begun, card }: CardDraft, mine: CardParts, theirs: readonly CardPart[]): CardParts {
  const [before, now] = [partsOf(begun), partsOf(card)]
  const kept = (part: CardPart): string => (mine[part] === before[part] || theirs.includes(part) ? now[part] : mine[part])
  return { title: kept('title'), person: kept('person'), tags: kept('tags'), details: kept('details') }
}

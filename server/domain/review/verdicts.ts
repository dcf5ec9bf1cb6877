/** Judges decisions on suggestions before anything is written: what a decision changes in the text, or why it is refused. */
import { ServiceError } from '../../../shared/errors.ts'
import type { Proposed } from '../../../shared/fences/suggested-move.ts'
import { type Anchor, anchorsReturned, locateAnchors } from '../../../shared/text/anchors.ts'
import { applyEdits, diff, type Edit } from '../../../shared/text/diff.ts'
import { gapsOf } from '../../../shared/text/characters.ts'
import { linesAround, linesNow, type SimilarLine, similarLines } from '../../../shared/text/similar.ts'
import type { Range } from '../../../shared/text/targets.ts'
import type { Suggestion } from '../records/keys.ts'
import { authorOf, type Caller, sameAuthor } from '../rights/caller.ts'
import type { AnnotatedDocument } from './annotated-document.ts'
import { showSuggestion } from './annotations-shown.ts'
import { type Change, conflict, type DecidedChange, takenBack, together } from './decided-edits.ts'
import type { MovesNow } from './moves-now.ts'

export interface Decision {
  readonly suggestionId: string
  readonly action: 'accept' | 'reject' | 'reopen'
  /** The latest step of the draft that the person deciding has seen. */
  readonly step?: number | undefined
  /** The reason for a rejection. */
  readonly reason?: string | undefined
  /** Set if the author withdraws the suggestion. */
  readonly withdrawn?: true
}

/** An action that can change the text. */
type ChangingAction = Exclude<Decision['action'], 'reject'>

/** The outcome of a decision: a new state to write, the current state, or a refusal. */
type Verdict =
  /** Without `change`, the decision does not change the text. */
  | { readonly kind: 'new'; readonly change: Change | undefined }
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly error: ServiceError }

export interface Judged extends Decision {
  readonly verdict: Verdict
}

const refused = (error: ServiceError): Verdict => ({ kind: 'refused', error })

/** Returns the current ranges for suggestions that cannot be decided. Each range lies between the passages that surrounded the suggestion. */
const placesNow = ({ openDoc, annotations }: AnnotatedDocument, ids: readonly string[]): (Range | undefined)[] => {
  const places = ids.map((id) => {
    const { status, pin, past = null } = annotations.suggestion.get(id) ?? { status: 'pending', pin: null }
    return (status === 'pending' ? pin : past)?.place ?? null
  })
  return gapsOf(openDoc.text, openDoc.snapshot().content.length, places)
}

/** Adds lines to the error of one refused decision: the current lines at that position, and the lines most similar to the intended text. */
export const withNearest = (opened: AnnotatedDocument, { suggestionId: id, action }: Decision, error: ServiceError): ServiceError => {
  const found = opened.annotations.suggestion.get(id)
  if (error.code !== 'target_changed' || error.details['suggestion'] !== undefined || found === undefined) return error
  const source = { text: opened.openDoc.snapshot().content, lines: opened.annotations.lines }
  const [range] = placesNow(opened, [id])
  const words = action === 'accept' ? found.original : found.text
  const nearest = range === undefined ? similarLines(source.text, words) : linesNow(source, range, words)
  return nearest.length === 0 ? error : new ServiceError('target_changed', { ...error.details, nearest })
}

/**
 * Returns the current lines for several refused decisions, by suggestion id. There can be many decisions, so similar lines are not searched for.
 */
export const linesOfRefused = (opened: AnnotatedDocument, judged: readonly Judged[]): ReadonlyMap<string, readonly SimilarLine[]> => {
  const ids = judged.flatMap(({ suggestionId, verdict }) =>
    verdict.kind === 'refused' && verdict.error.code === 'target_changed' ? [suggestionId] : []
  )
  const source = { text: opened.openDoc.snapshot().content, lines: opened.annotations.lines }
  const places = placesNow(opened, ids)
  return new Map(ids.map((id, index) => [id, places[index] === undefined ? [] : linesAround(source, places[index])]))
}

export const outcomes = { accept: 'accepted', reject: 'rejected', reopen: 'pending' } as const

/** The position of a decided suggestion. Without a range, its text is gone. */
interface Past {
  readonly anchor: Anchor
  readonly range: Range | undefined
}

type Pasts = ReadonlyMap<string, Past>

/**
 * Returns the current positions of those suggestions that are to be reopened, by id. Undoing a later decision may have inserted their words, or the
 * words next to them, as new characters.
 */
export const pastsOf = ({ openDoc, annotations }: AnnotatedDocument, decisions: readonly Decision[]): Pasts => {
  const found = decisions.flatMap(({ suggestionId, action }) => {
    const { past = null } = (action === 'reopen' ? annotations.suggestion.get(suggestionId) : undefined) ?? {}
    return past === null ? [] : [{ id: suggestionId, anchor: past }]
  })
  if (found.length === 0) return new Map()
  const [anchors, { content }] = [found.map(({ anchor }) => anchor), openDoc.snapshot()]
  const ranges = locateAnchors(openDoc.text, content, anchors)
  const returned = anchorsReturned(openDoc.text, content, anchors, ranges)
  return new Map(found.map(({ id, anchor }, index) => [id, returned.get(index) ?? { anchor, range: ranges[index] }]))
}

const timesIn = (text: string, words: string): number => text.split(words).length - 1

/** Whether the text that the suggestion deleted has been inserted again. */
const isBack = ({ openDoc }: AnnotatedDocument, { past, original }: Suggestion, { from, to }: Range): boolean => {
  const { length } = original
  const now = openDoc.snapshot().content.slice(Math.max(0, from - length), to + length)
  const then = (past?.prefix ?? '').slice(-length) + (past?.suffix ?? '').slice(0, length)
  return timesIn(now, original) > timesIn(then, original)
}

/** Returns the change of a suggestion that moves lines, if others have changed these lines or those around them. */
const changeOfMove = (content: string, range: Range, edits: readonly Edit[]): Change => {
  const whole = { from: Math.min(range.from, edits[0]?.from ?? range.from), to: Math.max(range.to, edits.at(-1)?.to ?? range.to) }
  const inside = edits.map(({ from, to, insert }) => ({ from: from - whole.from, to: to - whole.from, insert }))
  const before = content.slice(whole.from, whole.to)
  return { range: whole, before, after: applyEdits(before, inside), edits, isMovedNow: true }
}

/** Whether others may have added text directly below the lines of a pending suggestion, which belongs to the last one. */
const isExtended = (content: string, { to }: Range, { pin }: Suggestion): boolean => {
  const hasText = /^\n[^\n#|>*+-]/
  return pin !== null && hasText.test(content.slice(to, to + 2)) && !(hasText.test(pin.suffix) && content.startsWith(pin.suffix, to))
}

/** Returns what a decision replaces, and with what. Undefined if the range is gone. */
const proposedBy = (opened: AnnotatedDocument, suggestion: Suggestion, action: ChangingAction, pasts: Pasts): Proposed | undefined => {
  const { id, original, text } = suggestion
  const range = action === 'accept' ? opened.annotations.rangeOf(id) : pasts.get(id)?.range
  const [before, after] = action === 'accept' ? [original, text] : [text, original]
  return range && { range, original: before, text: after }
}

/** Whether a decision restores exactly the text that was there before several suggestions were accepted together. */
const isTakenBack = (content: string, { past, inverse }: Suggestion, action: ChangingAction, { from, to }: Range): boolean =>
  action === 'reopen' && inverse !== undefined && content.slice(from, to) === past?.quote

/** Whether a decision is possible only as a move of the current lines. */
const isMoveOrNothing = (content: string, { inverse }: Suggestion, { range, original }: Proposed): boolean =>
  inverse !== undefined || content.slice(range.from, range.to) !== original

/** Returns the possible moves of the decisions that change text, by suggestion id. */
export const movesWanted = (opened: AnnotatedDocument, decisions: readonly Decision[]): ReadonlyMap<string, Proposed> => {
  const { content } = opened.openDoc.snapshot()
  const pasts = pastsOf(opened, decisions)
  const wanted = new Map<string, Proposed>()
  for (const { suggestionId: id, action } of decisions) {
    const found = opened.annotations.suggestion.get(id)
    if (found === undefined || action === 'reject') continue
    const proposed = proposedBy(opened, found, action, pasts)
    if (proposed === undefined || isTakenBack(content, found, action, proposed.range)) continue
    if (isMoveOrNothing(content, found, proposed) || isExtended(content, proposed.range, found)) wanted.set(id, proposed)
  }
  return wanted
}

/** Returns the change that a decision makes; undefined if the affected text has changed in a way that prevents it. */
export const changeOf = (
  opened: AnnotatedDocument,
  suggestion: Suggestion,
  action: ChangingAction,
  moves: MovesNow,
  pasts: Pasts = new Map()
): Change | undefined => {
  const { id, inverse = [] } = suggestion
  const proposed = proposedBy(opened, suggestion, action, pasts)
  if (proposed === undefined) return undefined
  const { range, original: before, text: after } = proposed
  const { content } = opened.openDoc.snapshot()
  if (isTakenBack(content, suggestion, action, range)) return takenBack(content.slice(range.from, range.to), range, inverse)
  const isMove = isMoveOrNothing(content, suggestion, proposed)
  const moved = isMove || isExtended(content, range, suggestion) ? moves.editsOf(content, proposed, id) : undefined
  if (moved !== undefined) return changeOfMove(content, range, moved)
  if (isMove || (before === '' && action === 'reopen' && isBack(opened, suggestion, range))) return undefined
  const edits = diff(before, after).map(({ from, to, insert }) => ({ from: from + range.from, to: to + range.from, insert }))
  return { range, before, after, edits }
}

/** Whether the suggestion still has the contents that it had at this step of its draft. */
const saysStill = ({ draft }: Suggestion, step: number): boolean =>
  draft !== undefined && step >= (draft.since ?? draft.step) && step <= draft.step

/** Returns the text changes of the decisions in document order. Several insertions in one place are in the order in which they were suggested. */
export const changesOf = ({ annotations }: AnnotatedDocument, judged: readonly Judged[]): readonly DecidedChange[] =>
  judged
    .flatMap(({ suggestionId: id, action, verdict }, turn) => {
      const number = annotations.suggestion.get(id)?.number ?? 0
      return verdict.kind === 'new' && verdict.change !== undefined ? [{ ...verdict.change, id, action, number, turn }] : []
    })
    .toSorted((one, other) => one.range.from - other.range.from || one.range.to - other.range.to || one.number - other.number)

/** Maximum number of rounds in which single suggestions are left out of a common undo. After that, all that were accepted with others are left out. */
const roundsMax = 3

/**
 * Returns the ids of reopened suggestions whose original text would not return, because another suggestion that was accepted with them stays
 * accepted.
 */
const notReturning = (opened: AnnotatedDocument, judged: readonly Judged[], moves: MovesNow): readonly string[] => {
  const { annotations, openDoc } = opened
  const isJoined = ({ id, action }: DecidedChange): boolean => action === 'reopen' && annotations.suggestion.get(id)?.inverse !== undefined
  const changes = changesOf(opened, judged)
  if (!changes.some(isJoined)) return []
  const { content } = openDoc.snapshot()
  const { edits, made } = together(changes)
  const after = applyEdits(content, edits)
  /** Whether a suggestion could be accepted again. */
  const isBackAt = ({ from, to }: Range, { original, text }: Suggestion): boolean =>
    after.slice(from, to) === original || moves.editsOf(after, { range: { from, to }, original, text }) !== undefined
  return made(content).flatMap(({ change, range }) => {
    const found = annotations.suggestion.get(change.id)
    return isJoined(change) && found !== undefined && !isBackAt(range, found) ? [change.id] : []
  })
}

/** Judges the decisions in order, each one independently of the others. If two decisions change the same text, the first one wins. */
export const judge = (opened: AnnotatedDocument, caller: Caller, decisions: readonly Decision[], moves: MovesNow): readonly Judged[] => {
  const changes = new Map<string, Change | undefined>()
  const impossible = new Set<string>()
  const pasts = pastsOf(opened, decisions)
  for (let round = 1; ; round++) {
    const judged = judgeOnce(opened, caller, decisions, (suggestion, action) => {
      if (impossible.has(suggestion.id)) return undefined
      // The text stays the same, so each difference is computed only once.
      const key = `${action} ${suggestion.id}`
      if (!changes.has(key)) changes.set(key, changeOf(opened, suggestion, action, moves, pasts))
      return changes.get(key)
    })
    const failing = notReturning(opened, judged, moves)
    if (failing.length === 0) return judged
    const all = decisions.filter(({ suggestionId: id }) => opened.annotations.suggestion.get(id)?.inverse !== undefined)
    for (const id of round < roundsMax ? failing : all.map(({ suggestionId }) => suggestionId)) impossible.add(id)
  }
}

const judgeOnce = (
  opened: AnnotatedDocument,
  caller: Caller,
  decisions: readonly Decision[],
  changeBy: (suggestion: Suggestion, action: ChangingAction) => Change | undefined
): Judged[] => {
  const { annotations } = opened
  const decided = new Map<string, Decision['action']>()
  const taken: Change[] = []
  const verdictOf = ({ suggestionId: id, action, step }: Decision): Verdict => {
    const suggestion = annotations.suggestion.get(id)
    if (suggestion === undefined) return refused(new ServiceError('not_found', { message: 'This document has no such suggestion.' }))
    const before = decided.get(id)
    const status = before === undefined ? suggestion.status : outcomes[before]
    if (status === outcomes[action]) return { kind: 'same' }
    const mayDecide = action === 'reopen' ? before === undefined : status === 'pending'
    if (!mayDecide) return refused(new ServiceError('already_decided', { suggestionStatus: status }))
    if (action !== 'reopen' && step !== undefined && !saysStill(suggestion, step)) {
      const message = 'This suggestion has changed since it was read.'
      return refused(new ServiceError('target_changed', { message, suggestion: showSuggestion(opened, suggestion) }))
    }
    if (action === 'reopen' && suggestion.withdrawn === true && !sameAuthor(authorOf(caller), suggestion.author))
      return refused(new ServiceError('not_author'))
    if (action === 'reject' || (action === 'reopen' && status === 'rejected')) return { kind: 'new', change: undefined }
    const change = changeBy(suggestion, action)
    if (change === undefined || taken.some((other) => conflict(other, change))) return refused(new ServiceError('target_changed'))
    taken.push(change)
    return { kind: 'new', change }
  }
  return decisions.map((decision) => {
    const verdict = verdictOf(decision)
    if (verdict.kind === 'new') decided.set(decision.suggestionId, decision.action)
    return { ...decision, verdict }
  })
}

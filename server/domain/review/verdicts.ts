/** Judges decisions on suggestions before anything is written: what a decision changes in the text, or why it is refused. */
import { ServiceError } from '../../../shared/errors.ts'
import { type Fence, fencesOf } from '../../../shared/fences/fences.ts'
import { movedNow } from '../../../shared/fences/suggested-move.ts'
import { type Anchor, anchorsReturned, locateAnchors } from '../../../shared/text/anchors.ts'
import { applyEdits, diff } from '../../../shared/text/diff.ts'
import { gapsOf } from '../../../shared/text/characters.ts'
import { linesAround, linesNow, type SimilarLine, similarLines } from '../../../shared/text/similar.ts'
import type { Range } from '../../../shared/text/targets.ts'
import type { Suggestion } from '../records/keys.ts'
import { authorOf, type Caller, sameAuthor } from '../rights/caller.ts'
import type { AnnotatedDocument } from './annotated-document.ts'
import { showSuggestion } from './annotations-shown.ts'
import { type Change, conflict, type DecidedChange, takenBack, together } from './decided-edits.ts'

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

/**
 * Returns the current positions of those suggestions that are to be reopened, by id. Undoing a later decision may have inserted their words, or the
 * words next to them, as new characters.
 */
export const pastsOf = ({ openDoc, annotations }: AnnotatedDocument, decisions: readonly Decision[]): ReadonlyMap<string, Past> => {
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

/** The fences of the text of each document, because several suggestions may move lines of it. */
const lastFences = new WeakMap<object, { readonly content: string; readonly fences: readonly Fence[] }>()

const fencesIn = ({ openDoc }: AnnotatedDocument, content: string): readonly Fence[] => {
  const last = lastFences.get(openDoc)
  if (last?.content === content) return last.fences
  const fences = fencesOf(content)
  lastFences.set(openDoc, { content, fences })
  return fences
}

/** Returns the change of a suggestion that moves lines, if others have changed these lines or those around them. Undefined if it moves no lines. */
const moveAmong = (opened: AnnotatedDocument, content: string, range: Range, original: string, text: string): Change | undefined => {
  const edits = movedNow(content, () => fencesIn(opened, content), { range, original, text })
  if (edits === undefined) return undefined
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

/** Returns the change that a decision makes; undefined if the affected text has changed in a way that prevents it. */
export const changeOf = (
  opened: AnnotatedDocument,
  suggestion: Suggestion,
  action: 'accept' | 'reopen',
  pasts: ReadonlyMap<string, Past> = new Map()
): Change | undefined => {
  const { id, original, text, past, inverse } = suggestion
  const range = action === 'accept' ? opened.annotations.rangeOf(id) : pasts.get(id)?.range
  if (range === undefined) return undefined
  const { content } = opened.openDoc.snapshot()
  const now = content.slice(range.from, range.to)
  if (action === 'reopen' && inverse !== undefined && now === past?.quote) return takenBack(now, range, inverse)
  const [before, after] = action === 'accept' ? [original, text] : [text, original]
  const moved =
    now !== before || inverse !== undefined || isExtended(content, range, suggestion)
      ? moveAmong(opened, content, range, before, after)
      : undefined
  if (moved !== undefined || now !== before || inverse !== undefined) return moved
  if (before === '' && action === 'reopen' && isBack(opened, suggestion, range)) return undefined
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
const notReturning = (opened: AnnotatedDocument, judged: readonly Judged[]): readonly string[] => {
  const { annotations, openDoc } = opened
  const isJoined = ({ id, action }: DecidedChange): boolean => action === 'reopen' && annotations.suggestion.get(id)?.inverse !== undefined
  const changes = changesOf(opened, judged)
  if (!changes.some(isJoined)) return []
  const { content } = openDoc.snapshot()
  const { edits, made } = together(changes)
  const after = applyEdits(content, edits)
  /** Whether a suggestion could be accepted again. */
  const isBackAt = ({ from, to }: Range, { original, text }: Suggestion): boolean =>
    after.slice(from, to) === original || moveAmong(opened, after, { from, to }, original, text) !== undefined
  return made(content).flatMap(({ change, range }) => {
    const found = annotations.suggestion.get(change.id)
    return isJoined(change) && found !== undefined && !isBackAt(range, found) ? [change.id] : []
  })
}

/** Judges the decisions in order, each one independently of the others. If two decisions change the same text, the first one wins. */
export const judge = (opened: AnnotatedDocument, caller: Caller, decisions: readonly Decision[]): readonly Judged[] => {
  const changes = new Map<string, Change | undefined>()
  const impossible = new Set<string>()
  const pasts = pastsOf(opened, decisions)
  for (let round = 1; ; round++) {
    const judged = judgeOnce(opened, caller, decisions, (suggestion, action) => {
      if (impossible.has(suggestion.id)) return undefined
      // The text stays the same, so each difference is computed only once.
      const key = `${action} ${suggestion.id}`
      if (!changes.has(key)) changes.set(key, changeOf(opened, suggestion, action, pasts))
      return changes.get(key)
    })
    const failing = notReturning(opened, judged)
    if (failing.length === 0) return judged
    const all = decisions.filter(({ suggestionId: id }) => opened.annotations.suggestion.get(id)?.inverse !== undefined)
    for (const id of round < roundsMax ? failing : all.map(({ suggestionId }) => suggestionId)) impossible.add(id)
  }
}

const judgeOnce = (
  opened: AnnotatedDocument,
  caller: Caller,
  decisions: readonly Decision[],
  changeBy: (suggestion: Suggestion, action: 'accept' | 'reopen') => Change | undefined
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

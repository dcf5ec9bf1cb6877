/** Judges decisions on suggestions before anything is written: what a decision changes in the text, or why it is refused. */
import { ServiceError } from '../../../shared/errors.ts'
import { locateAnchors } from '../../../shared/text/anchors.ts'
import { gapsOf } from '../../../shared/text/characters.ts'
import { linesAround, linesNow, type SimilarLine, similarLines } from '../../../shared/text/similar.ts'
import type { Range } from '../../../shared/text/targets.ts'
import type { Suggestion } from '../records/keys.ts'
import { authorOf, type Caller, sameAuthor } from '../rights/caller.ts'
import type { AnnotatedDocument } from './annotated-document.ts'
import { showSuggestion } from './annotations-shown.ts'

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

/** The range of the current text that a decision replaces, with its text before and after the decision. */
export interface Change {
  readonly range: Range
  readonly before: string
  readonly after: string
}

/** Returns the current range of a decided suggestion; undefined if its text is gone. */
export const pastOf = ({ openDoc }: AnnotatedDocument, { past }: Suggestion): Range | undefined =>
  past == null ? undefined : locateAnchors(openDoc.text, openDoc.snapshot().content, [past])[0]

const timesIn = (text: string, words: string): number => text.split(words).length - 1

/** Whether the text that the suggestion deleted has been inserted again. */
const isBack = ({ openDoc }: AnnotatedDocument, { past, original }: Suggestion, { from, to }: Range): boolean => {
  const { length } = original
  const now = openDoc.snapshot().content.slice(Math.max(0, from - length), to + length)
  const then = (past?.prefix ?? '').slice(-length) + (past?.suffix ?? '').slice(0, length)
  return timesIn(now, original) > timesIn(then, original)
}

/** Returns the edit that a decision makes; undefined if the affected text has changed. */
const changeOf = (opened: AnnotatedDocument, suggestion: Suggestion, action: 'accept' | 'reopen'): Change | undefined => {
  const { id, original, text } = suggestion
  const range = action === 'accept' ? opened.annotations.rangeOf(id) : pastOf(opened, suggestion)
  const [before, after] = action === 'accept' ? [original, text] : [text, original]
  const isThere = range !== undefined && opened.openDoc.snapshot().content.slice(range.from, range.to) === before
  if (!isThere || (before === '' && action === 'reopen' && isBack(opened, suggestion, range))) return undefined
  return { range, before, after }
}

/** Whether the suggestion still has the contents that it had at this step of its draft. */
const saysStill = ({ draft }: Suggestion, step: number): boolean =>
  draft !== undefined && step >= (draft.since ?? draft.step) && step <= draft.step

/** Judges the decisions in order, each one independently of the others. If two decisions change the same text, the first one wins. */
export const judge = (opened: AnnotatedDocument, caller: Caller, decisions: readonly Decision[]): Judged[] => {
  const { annotations } = opened
  const decided = new Map<string, Decision['action']>()
  const taken: Range[] = []
  const meetsTaken = (range: Range): boolean => taken.some(({ from, to }) => from < range.to && to > range.from)
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
    const change = changeOf(opened, suggestion, action)
    if (change === undefined || meetsTaken(change.range)) return refused(new ServiceError('target_changed'))
    taken.push(change.range)
    return { kind: 'new', change }
  }
  return decisions.map((decision) => {
    const verdict = verdictOf(decision)
    if (verdict.kind === 'new') decided.set(decision.suggestionId, decision.action)
    return { ...decision, verdict }
  })
}

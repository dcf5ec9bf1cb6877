/**
 * Reading and deciding suggestions (specification, Suggestion; api.md, Comments and suggestions).
 *
 * An accepted suggestion enters the live text as a minimal edit, if the text that it was made on still stands there as it was. Text,
 * suggestion, revision and events are one commit. Of a suggestion one decision is under way at a time; others wait for it.
 */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Input, Output } from '../../shared/operations/index.ts'
import { applyEdits, diff, type Edit, unifiedDiff } from '../../shared/text/diff.ts'
import { actorOf, authorOf, type Caller, nameOfAuthor, sameAuthor } from './caller.ts'
import { changeText, checkSize } from './content.ts'
import { remember } from './idempotency.ts'
import { formatVersion } from './journal.ts'
import { keys, type Suggestion } from './keys.ts'
import type { Draft } from './ledger.ts'
import { pageOf, readable } from './remark-pages.ts'
import { type Opened, putRemark, withRemarks, type Written } from './remarks.ts'
import { settle, showSuggestion, statusOf } from './remarks-shown.ts'
import type { Service } from './service.ts'

export const listSuggestions = (service: Service, doc: string, input: Input<'listSuggestions'>): Promise<Output<'listSuggestions'>> =>
  readable(service, doc, (opened) => {
    const { status = 'all', author, taskId, setId } = input
    const fits = (suggestion: Suggestion): boolean =>
      (author === undefined || author === nameOfAuthor(suggestion.author)) &&
      (taskId === undefined || taskId === suggestion.task) &&
      (setId === undefined || setId === suggestion.set) &&
      (status === 'all' || status === statusOf(opened, suggestion))
    const { page, ...counts } = pageOf([...opened.remarks.suggestion.values()].filter(fits), input)
    return { suggestions: page.map((suggestion) => showSuggestion(opened, suggestion)), ...counts }
  })

// ——— deciding ———

interface Decision {
  readonly suggestionId: string
  readonly action: 'accept' | 'reject'
}

/** What becomes of a decision: what is to be written, that it stands already, or why it cannot be. */
type Verdict =
  | { readonly kind: 'new'; readonly edits: readonly Edit[] }
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly error: ServiceError }

interface Judged extends Decision {
  readonly verdict: Verdict
}

const refused = (error: ServiceError): Verdict => ({ kind: 'refused', error })

const outcomes = { accept: 'accepted', reject: 'rejected' } as const

/** The edits that accepting makes in the text of now; undefined: its text is not there as it was. */
const editsOf = ({ room, remarks }: Opened, { id, original, text }: Suggestion): Edit[] | undefined => {
  const range = remarks.rangeOf(id)
  if (range === undefined || room.snapshot().content.slice(range.from, range.to) !== original) return undefined
  return diff(original, text).map(({ from, to, insert }) => ({ from: from + range.from, to: to + range.from, insert }))
}

/** Judges decisions in their order, as if each were made alone; of two that change the same text the first stands. */
const judge = (opened: Opened, decisions: readonly Decision[]): Judged[] => {
  const { remarks } = opened
  const decided = new Map<string, Decision['action']>()
  const taken: { readonly from: number; readonly to: number }[] = []
  const meetsTaken = (id: string): boolean => {
    const range = remarks.rangeOf(id)
    return range !== undefined && taken.some(({ from, to }) => from < range.to && to > range.from)
  }
  const verdictOf = ({ suggestionId: id, action }: Decision): Verdict => {
    const suggestion = remarks.suggestion.get(id)
    if (suggestion === undefined) return refused(new ServiceError('not_found', { message: 'This document has no such suggestion.' }))
    const before = decided.get(id)
    const status = before === undefined ? suggestion.status : outcomes[before]
    if (status !== 'pending')
      return status === outcomes[action] ? { kind: 'same' } : refused(new ServiceError('already_decided', { suggestionStatus: status }))
    if (action === 'reject') return { kind: 'new', edits: [] }
    const edits = meetsTaken(id) ? undefined : editsOf(opened, suggestion)
    if (edits === undefined) return refused(new ServiceError('target_changed'))
    const range = remarks.rangeOf(id)
    if (range !== undefined) taken.push(range)
    return { kind: 'new', edits }
  }
  return decisions.map((decision) => {
    const verdict = verdictOf(decision)
    if (verdict.kind === 'new') decided.set(decision.suggestionId, decision.action)
    return { ...decision, verdict }
  })
}

/** Writes one decision into the draft. */
const putDecision = (
  draft: Draft,
  caller: Caller,
  doc: string,
  { suggestionId, action }: Decision,
  version: string
): Written<'suggestion'> => {
  const found = draft.read<Suggestion>(keys.suggestion(doc, suggestionId))
  if (found?.status !== 'pending') throw new Error(`suggestion ${suggestionId} of ${doc} was decided elsewhere`)
  const { operation, set, task, author } = found
  const named = { suggestionId, operation, author: nameOfAuthor(author) }
  const payload = { ...named, ...(set === null ? {} : { setId: set }), ...(task === null ? {} : { taskId: task }) }
  draft.event(`suggestion.${outcomes[action]}`, actorOf(caller), payload, version)
  return putRemark(draft, 'suggestion', {
    ...found,
    pin: null,
    status: outcomes[action],
    decidedBy: authorOf(caller),
    decidedAt: draft.now,
    resultVersion: action === 'accept' ? version : null
  })
}

type Shown = Output<'decideSuggestion'>['suggestion']

interface Told {
  readonly version: string
  /** Of a dry run alone. */
  readonly diff?: string
}

type AnswerOf<T> = (told: Told, judged: readonly Judged[], show: (id: string) => Shown | undefined) => T

/** What somebody asks to be decided. */
interface Request {
  readonly opened: Opened
  readonly caller: Caller
  readonly decisions: readonly Decision[]
  readonly dryRun: boolean | undefined
}

/** The edits of all that is accepted, in the order of the text. */
const editsAccepted = (judged: readonly Judged[]): readonly Edit[] =>
  judged
    .flatMap(({ verdict }) => (verdict.kind === 'new' ? verdict.edits : []))
    .toSorted((one, other) => one.from - other.from || one.to - other.to)

const shownBy =
  (opened: Opened, written: ReadonlyMap<string, Suggestion | undefined> = new Map()) =>
  (id: string): Shown | undefined => {
    const record = written.get(id) ?? opened.remarks.suggestion.get(id)
    return record && showSuggestion(opened, record)
  }

/** Writes what was judged. Nothing waits before the text is changed. */
const write = async <T>({ opened, caller }: Request, judged: readonly Judged[], answerOf: AnswerOf<T>): Promise<T> => {
  const { service, doc, room } = opened
  const fresh = judged.filter(({ verdict }) => verdict.kind === 'new')
  const also = (draft: Draft, version: string): { written: Written<'suggestion'>[]; answer: T } => {
    const written = fresh.map((decision) => putDecision(draft, caller, doc, decision, version))
    const show = shownBy(opened, new Map(written.map(({ id, record }) => [id, record])))
    return { written, answer: remember(service, draft, caller, doc, answerOf({ version }, judged, show)) }
  }
  const reads = fresh.map(({ suggestionId }) => keys.suggestion(doc, suggestionId))
  const suggestionIds = fresh.flatMap(({ suggestionId, action }) => (action === 'accept' ? suggestionId : []))
  if (suggestionIds.length === 0) {
    const change = (draft: Draft): { written: Written<'suggestion'>[]; answer: T } => {
      room.journalInto(draft)
      return also(draft, formatVersion(draft.head))
    }
    const { written, answer } = await service.ledger.write(doc, caller, change, { reads })
    settle(opened, written)
    return answer
  }
  const edits = editsAccepted(judged)
  checkSize(room.snapshot().content, edits)
  const change = { edits, isCompared: false, cause: 'accept', event: 'content.changed', facts: { suggestionIds } } as const
  return changeText(opened, caller, change, { reads, untied: suggestionIds, also: (draft, { after }) => also(draft, after.version) })
}

/** What writing would answer and change. */
const preview = async <T>({ opened }: Request, judged: readonly Judged[], answerOf: AnswerOf<T>): Promise<T> => {
  const { content, version, seq } = opened.room.snapshot()
  const edits = editsAccepted(judged)
  checkSize(content, edits)
  const diff = unifiedDiff(content, applyEdits(content, edits), limits.diffCharsMax)
  const answer = answerOf({ version, diff }, judged, shownBy(opened))
  await opened.room.durable(seq)
  return answer
}

/** Decides once no other decision on these suggestions is under way. Errors: those that `check` throws. */
const decide = async <T>(request: Request, check: (judged: readonly Judged[]) => void, answerOf: AnswerOf<T>): Promise<T> => {
  const { opened, decisions } = request
  const { deciding } = opened.remarks
  for (;;) {
    const others = decisions.flatMap(({ suggestionId }) => deciding.get(suggestionId) ?? [])
    if (others.length === 0) break
    await Promise.allSettled(others)
  }
  // From here to the change of the text nothing waits.
  const judged = judge(opened, decisions)
  check(judged)
  if (request.dryRun === true) return preview(request, judged, answerOf)
  const writing = write(request, judged, answerOf)
  for (const { suggestionId } of decisions) deciding.set(suggestionId, writing)
  try {
    return await writing
  } finally {
    for (const { suggestionId } of decisions) if (deciding.get(suggestionId) === writing) deciding.delete(suggestionId)
  }
}

export const decideSuggestion = (
  service: Service,
  caller: Caller,
  doc: string,
  { suggestionId, action, dryRun }: Input<'decideSuggestion'>
): Promise<Output<'decideSuggestion'>> =>
  withRemarks(service, doc, (opened) => {
    const check = (judged: readonly Judged[]): void => {
      for (const { verdict } of judged) if (verdict.kind === 'refused') throw verdict.error
    }
    return decide({ opened, caller, decisions: [{ suggestionId, action }], dryRun }, check, (told, _judged, show) => ({
      ok: true,
      suggestion: show(suggestionId) as Shown,
      ...told
    }))
  })

/** Errors: `not_author`, also for one that nobody has decided yet; `already_decided`, `not_found`. */
export const withdrawSuggestion = (
  service: Service,
  caller: Caller,
  doc: string,
  { suggestionId }: Input<'withdrawSuggestion'>
): Promise<Output<'withdrawSuggestion'>> =>
  withRemarks(service, doc, (opened) => {
    const check = (judged: readonly Judged[]): void => {
      const found = opened.remarks.suggestion.get(suggestionId)
      if (found !== undefined && !sameAuthor(authorOf(caller), found.author)) throw new ServiceError('not_author')
      for (const { verdict } of judged) if (verdict.kind === 'refused') throw verdict.error
    }
    const decisions = [{ suggestionId, action: 'reject' }] as const
    return decide({ opened, caller, decisions, dryRun: undefined }, check, (_told, _judged, show) => ({
      ok: true,
      suggestion: show(suggestionId) as Shown
    }))
  })

/** The decisions that are asked for, each suggestion's in the order of its making where a set is named. Errors: `not_found`, `too_many_ids`. */
const decisionsOf = ({ remarks }: Opened, { decisions, setId, action = 'reject' }: Input<'decideSuggestions'>): readonly Decision[] => {
  const ofSet = [...remarks.suggestion.values()].filter(({ set }) => setId !== undefined && set === setId)
  if (setId !== undefined && ofSet.length === 0)
    throw new ServiceError('not_found', { message: 'This document has no such set of suggestions.' })
  const all = decisions ?? ofSet.map(({ id }) => ({ suggestionId: id, action }))
  if (all.length <= limits.suggestionsAtOnceMax) return all
  const message = `has ${all.length} decisions; at most ${limits.suggestionsAtOnceMax} are taken`
  throw new ServiceError('too_many_ids', { details: [{ path: 'decisions', message }] })
}

export const decideSuggestions = (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'decideSuggestions'>
): Promise<Output<'decideSuggestions'>> =>
  withRemarks(service, doc, (opened) =>
    decide(
      { opened, caller, decisions: decisionsOf(opened, input), dryRun: input.dryRun },
      () => undefined,
      (told, judged, show) => {
        const results = judged.map(({ suggestionId, verdict }) => {
          const suggestion = show(suggestionId)
          const found = { suggestionId, ok: verdict.kind !== 'refused', ...(suggestion && { suggestion }) }
          return verdict.kind === 'refused' ? { ...found, code: verdict.error.code, message: verdict.error.message } : found
        })
        return { ok: results.every(({ ok }) => ok), ...told, results }
      }
    )
  )

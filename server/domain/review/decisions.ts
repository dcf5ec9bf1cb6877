/**
 * Decides suggestions, and reopens decided ones (docs/api.md, Comments and suggestions).
 *
 * An acceptance makes a minimal edit in the live text, provided that the original text has not changed. One commit contains the text, the suggestion,
 * the revision and the events. Only one decision on a suggestion is in progress at a time; later decisions wait for it.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { applyEdits } from '../../../shared/text/diff.ts'
import type { DescribedChange } from '../../../shared/fences/described-change.ts'
import { unifiedDiff } from '../../../shared/text/hunks.ts'
import { type Anchor, anchorsAt } from '../../../shared/text/anchors.ts'
import { requireRightNow } from '../rights/authority.ts'
import { actorNamed, actorOf, authorOf, type Caller, nameOfAuthor, sameAuthor } from '../rights/caller.ts'
import { changeText, checkSize } from '../text/content.ts'
import { remember } from '../records/idempotency.ts'
import { formatVersion, type Snapshot } from '../text/journal.ts'
import { keys, type Reply, type Suggestion } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import { type AnnotatedDocument, withAnnotations } from './annotated-document.ts'
import { putAnnotation, type Written } from './annotation-records.ts'
import { settle, showSuggestion } from './annotations-shown.ts'
import type { Range } from '../../../shared/text/targets.ts'
import { type DecidedChange, type InverseEdit, replacementOf, together } from './decided-edits.ts'
import { type Described, describeDecided } from './described-decisions.ts'
import { createMovesNow } from './moves-now.ts'
import { changesOf, type Decision, judge, type Judged, linesOfRefused, movesWanted, outcomes, pastsOf, withNearest } from './verdicts.ts'
import { newId } from '../secrets.ts'
import type { Service } from '../service.ts'

const events = { accept: 'suggestion.accepted', reject: 'suggestion.rejected', reopen: 'suggestion.reopened' } as const

/**
 * Returns the replies of a suggestion that is reopened. The reason for its rejection becomes a reply, because only rejected suggestions have a reason.
 * If there are already as many replies as allowed, the reason is dropped.
 */
const repliesAfter = ({ replies = [], reason, decidedBy, decidedAt }: Suggestion): Pick<Suggestion, 'replies'> => {
  if (reason === undefined || decidedBy === null || decidedAt === null || replies.length >= limits.repliesMax) return {}
  const said: Reply = { id: newId(), body: reason, author: decidedBy, createdAt: decidedAt }
  return { replies: [...replies, said].toSorted((one, other) => one.createdAt - other.createdAt) }
}

/** The position of a suggestion after its decision. `inverse` is stored if other decisions of the request changed text in the same range. */
interface Decided {
  readonly anchor: Anchor | null
  readonly inverse: readonly InverseEdit[] | undefined
}

/** Writes one decision into the transaction. Without `decided`, a decided suggestion keeps the position that it had while it was open. */
const putDecision = (
  tx: Transaction,
  caller: Caller,
  doc: string,
  { suggestionId, action, withdrawn, reason = '' }: Decision,
  version: string,
  decided: Decided | undefined,
  change: DescribedChange | undefined
): Written<'suggestion'> => {
  const found = tx.read<Suggestion>(keys.suggestion(doc, suggestionId))
  if (found === undefined || (found.status === 'pending') === (action === 'reopen'))
    throw new Error(`suggestion ${suggestionId} of ${doc} was decided elsewhere`)
  const {
    operation,
    set,
    task,
    author,
    past: _past,
    withdrawn: _withdrawn,
    reason: _reason,
    inverse: _inverse,
    change: _change,
    ...rest
  } = found
  const why = action === 'reject' && reason.trim() !== '' ? { reason } : {}
  const named = { suggestionId, operation, author: nameOfAuthor(author), ...(withdrawn && { withdrawn }), ...why }
  const payload = { ...named, ...(set === null ? {} : { setId: set }), ...(task === null ? {} : { taskId: task }) }
  const event = tx.event(events[action], actorOf(caller), payload, version)
  tx.notify(event, { by: authorOf(caller), people: [author] })
  const kept = { ...rest, operation, set, task, author, status: outcomes[action] }
  if (action === 'reopen')
    return putAnnotation(tx, 'suggestion', {
      ...kept,
      ...repliesAfter(found),
      pin: decided?.anchor ?? null,
      decidedBy: null,
      decidedAt: null,
      resultVersion: null
    })
  return putAnnotation(tx, 'suggestion', {
    ...kept,
    ...(withdrawn && { withdrawn }),
    ...why,
    pin: null,
    past: decided === undefined ? found.pin : decided.anchor,
    ...(change && { change }),
    ...(decided?.inverse === undefined ? {} : { inverse: decided.inverse }),
    decidedBy: authorOf(caller),
    decidedAt: tx.now,
    resultVersion: action === 'accept' ? version : null
  })
}

type Shown = Output<'decideSuggestion'>['suggestion']

interface DecisionOutcome {
  readonly version: string
  /** Present only in a dry run. */
  readonly diff?: string
}

type AnswerOf<T> = (told: DecisionOutcome, judged: readonly Judged[], show: (id: string) => Shown | undefined) => T

/** A request to decide suggestions. */
interface Request {
  readonly opened: AnnotatedDocument
  readonly caller: Caller
  readonly decisions: readonly Decision[]
  readonly dryRun: boolean | undefined
}

/**
 * Returns the words in the new text that replace those of comments, by comment id. A comment on replaced words is then on the new ones, or on the words
 * that it was written for if an undo brings these back.
 */
const commentsOn = ({ annotations, openDoc }: AnnotatedDocument, changes: readonly DecidedChange[]): ReadonlyMap<string, Range> => {
  const found = new Map<string, Range>()
  let now: string | undefined
  for (const [id, { target }] of annotations.comment) {
    const range = annotations.rangeOf(id)
    const words = range && replacementOf(changes, range)
    if (words === undefined) continue
    now ??= applyEdits(openDoc.snapshot().content, together(changes).edits)
    const at = now.slice(words.from, words.to).indexOf(target.quote)
    const from = words.from + at
    found.set(id, at === -1 || target.quote === '' ? words : { from, to: from + target.quote.length })
  }
  return found
}

/**
 * Returns the places in the new text of pending insertions at the edges of the changes, by suggestion id. A decision would otherwise remove the
 * characters to which their anchors belong. Insertions in one place stay in the order in which they were suggested.
 */
const besideChanges = ({ annotations }: AnnotatedDocument, changes: readonly DecidedChange[]): ReadonlyMap<string, Range> => {
  const decided = new Set(changes.map(({ id }) => id))
  const found = new Map<string, Range>()
  for (const { id, number, operation, status, text } of annotations.suggestion.values()) {
    if (operation !== 'insert' || status !== 'pending' || decided.has(id)) continue
    const at = annotations.rangeOf(id)?.from
    if (at === undefined || changes.some(({ range }) => range.from < at && at < range.to)) continue
    if (!changes.some(({ range }) => range.from <= at && at <= range.to)) continue
    // A space or a line break at its beginning shows that an insertion belongs after words that return.
    const isBefore = ({ range, action, before, ...change }: DecidedChange): boolean =>
      range.to < at ||
      (range.to === at && (range.from < at || (action === 'reopen' && before === '' ? /^\s/.test(text) : change.number < number)))
    const now = changes.filter(isBefore).reduce((sum, { before, after }) => sum + after.length - before.length, at)
    found.set(id, { from: now, to: now })
  }
  return found
}

/** Returns the positions of the text that the decisions inserted, by suggestion id. A reopened suggestion is tied to its text again. */
const decidedIn = (
  { openDoc, annotations }: AnnotatedDocument,
  changes: readonly DecidedChange[],
  before: string,
  content: string
): ReadonlyMap<string, Decided> => {
  const made = together(changes).made(before)
  const anchors = anchorsAt(
    openDoc.text,
    content,
    made.map(({ range }) => range)
  )
  return new Map(
    made.map(({ change: { id, action, after }, range, inverse }, index) => {
      const isThere = inverse !== undefined || content.slice(range.from, range.to) === after
      const anchor = isThere ? (anchors[index] ?? null) : null
      if (action === 'reopen' && anchor !== null) annotations.retie('suggestion', id, anchor, range)
      return [id, { anchor, inverse: action === 'accept' ? inverse : undefined }]
    })
  )
}

const shownBy =
  (opened: AnnotatedDocument, written: ReadonlyMap<string, Suggestion | undefined> = new Map()) =>
  (id: string): Shown | undefined => {
    const record = written.get(id) ?? opened.annotations.suggestion.get(id)
    return record && showSuggestion(opened, record)
  }

/** Writes the judged decisions. There is no `await` before the text changes, so the verdicts are still valid. */
const write = async <T>(request: Request, judged: readonly Judged[], described: Described, answerOf: AnswerOf<T>): Promise<T> => {
  const { opened, caller } = request
  const { service, doc, openDoc, annotations } = opened
  const fresh = judged.filter(({ verdict }) => verdict.kind === 'new')
  // A rejection did not change the text, so these suggestions keep their positions.
  const untouched = pastsOf(
    opened,
    fresh.filter(({ verdict }) => verdict.kind === 'new' && verdict.change === undefined)
  )
  let decided: ReadonlyMap<string, Decided> = new Map([...untouched].map(([id, { anchor }]) => [id, { anchor, inverse: undefined }]))
  const also = (tx: Transaction, version: string): { written: Written<'suggestion'>[]; answer: T } => {
    const written = fresh.map((decision) =>
      putDecision(tx, caller, doc, decision, version, decided.get(decision.suggestionId), described.get(decision.suggestionId))
    )
    const show = shownBy(opened, new Map(written.map(({ id, record }) => [id, record])))
    return { written, answer: remember(service, tx, caller, doc, answerOf({ version }, judged, show)) }
  }
  const reads = fresh.map(({ suggestionId }) => keys.suggestion(doc, suggestionId))
  const tied = [...untouched].map(([id, { anchor, range }]) => annotations.retie('suggestion', id, anchor, range))
  const changes = changesOf(opened, judged)
  try {
    if (changes.length === 0) {
      const change = (tx: Transaction): { written: Written<'suggestion'>[]; answer: T } => {
        openDoc.journalInto(tx)
        return also(tx, formatVersion(tx.head))
      }
      const { written, answer } = await service.ledger.write(doc, caller, change, { reads })
      settle(opened, written)
      return answer
    }
    const { edits } = together(changes)
    const before = openDoc.snapshot().content
    checkSize(before, edits)
    const idsOf = (action: Decision['action']): string[] => changes.filter((each) => each.action === action).map(({ id }) => id)
    const [accepted, reopened] = [idsOf('accept'), idsOf('reopen')]
    const facts = { ...(accepted.length > 0 && { suggestionIds: accepted }), ...(reopened.length > 0 && { reopenedIds: reopened }) }
    const cause = accepted.length > 0 ? 'accept' : 'reopen'
    const suggesterOf = (id: string): string[] => {
      const author = annotations.suggestion.get(id)?.author
      return author === undefined ? [] : [actorNamed(author)]
    }
    const changed = ({ content }: Snapshot): void => {
      decided = new Map([...decided, ...decidedIn(opened, changes, before, content)])
    }
    return await changeText(
      opened,
      caller,
      { edits, isCompared: false, cause, event: 'content.changed', facts, authors: accepted.flatMap(suggesterOf) },
      {
        reads,
        untied: accepted,
        placed: new Map([...besideChanges(opened, changes), ...commentsOn(opened, changes)]),
        changed,
        also: (tx, { after }) => also(tx, after.version)
      }
    )
  } catch (error) {
    for (const back of tied) back()
    throw error
  }
}

/** Returns the response and the changes that `write` would make. */
const preview = async <T>({ opened }: Request, judged: readonly Judged[], answerOf: AnswerOf<T>): Promise<T> => {
  const { content, version } = opened.openDoc.snapshot()
  const { edits } = together(changesOf(opened, judged))
  checkSize(content, edits)
  const diff = unifiedDiff(content, applyEdits(content, edits), limits.diffUnitsMax)
  const answer = answerOf({ version, diff }, judged, shownBy(opened))
  await opened.openDoc.durable()
  return answer
}

/** How often moves are computed if the text changes meanwhile. */
const movesComputedMax = 4

/** Makes the decisions once no other decision on these suggestions is in progress. Throws the errors of `check`. */
const decide = async <T>(request: Request, check: (judged: readonly Judged[]) => void, answerOf: AnswerOf<T>): Promise<T> => {
  const { opened, decisions } = request
  const { deciding } = opened.annotations
  const moves = createMovesNow(opened, () => movesWanted(opened, decisions))
  await moves.compute()
  const described = request.dryRun === true ? new Map() : await describeDecided(opened, decisions, moves)
  if (opened.service.turns !== null) await requireRightNow(opened.service, opened.doc, request.caller)
  for (let computed = 1; ;) {
    const others = decisions.flatMap(({ suggestionId }) => deciding.get(suggestionId) ?? [])
    if (others.length > 0) await Promise.allSettled(others)
    else if (moves.areCurrent() || computed++ === movesComputedMax) break
    else await moves.compute()
  }
  // There is no `await` from here until the text changes, so the verdicts stay valid.
  const judged = judge(opened, request.caller, decisions, moves)
  check(judged)
  if (request.dryRun === true) return preview(request, judged, answerOf)
  const writing = write(request, judged, described, answerOf)
  for (const { suggestionId } of decisions) deciding.set(suggestionId, writing)
  try {
    return await writing
  } finally {
    for (const { suggestionId } of decisions) if (deciding.get(suggestionId) === writing) deciding.delete(suggestionId)
  }
}

/** Checks that only rejections have a reason. Otherwise throws `invalid_request`. */
const requireReasonFits = ({ opened, decisions, ...request }: Request): Request => {
  if (decisions.some(({ action, reason }) => reason !== undefined && action !== 'reject'))
    throw new ServiceError('invalid_request', { details: [{ path: 'reason', message: 'is allowed only with reject' }] })
  return { opened, decisions, ...request }
}

export const decideSuggestion = (
  service: Service,
  caller: Caller,
  doc: string,
  { suggestionId, action, step, reason, dryRun }: Input<'decideSuggestion'>
): Promise<Output<'decideSuggestion'>> =>
  withAnnotations(service, doc, (opened) => {
    const check = (judged: readonly Judged[]): void => {
      for (const { verdict, ...decision } of judged) if (verdict.kind === 'refused') throw withNearest(opened, decision, verdict.error)
    }
    return decide(
      requireReasonFits({ opened, caller, decisions: [{ suggestionId, action, step, reason }], dryRun }),
      check,
      (told, _judged, show) => ({
        ok: true,
        suggestion: show(suggestionId) as Shown,
        ...told
      })
    )
  })

/**
 * Withdraws one of the caller's suggestions, or opens a withdrawn one again. Throws `not_author` if somebody else made it, even while it is pending.
 * Also throws `already_decided` and `not_found`.
 */
export const withdrawSuggestion = (
  service: Service,
  caller: Caller,
  doc: string,
  { suggestionId, undo = false }: Input<'withdrawSuggestion'>
): Promise<Output<'withdrawSuggestion'>> =>
  withAnnotations(service, doc, (opened) => {
    const check = (judged: readonly Judged[]): void => {
      const found = opened.annotations.suggestion.get(suggestionId)
      if (found !== undefined && !sameAuthor(authorOf(caller), found.author)) throw new ServiceError('not_author')
      for (const { verdict } of judged) if (verdict.kind === 'refused') throw verdict.error
      // Undoing any other decision needs the edit role.
      if (undo && found !== undefined && found.status !== 'pending' && found.withdrawn !== true)
        throw new ServiceError('already_decided', { suggestionStatus: found.status })
    }
    const decision = undo ? ({ action: 'reopen' } as const) : ({ action: 'reject', withdrawn: true } as const)
    const decisions = [{ suggestionId, ...decision }]
    return decide({ opened, caller, decisions, dryRun: undefined }, check, (_told, _judged, show) => ({
      ok: true,
      suggestion: show(suggestionId) as Shown
    }))
  })

/**
 * Returns the requested decisions. Decisions on a set follow the order in which its suggestions were created. Throws `not_found` or `too_many_ids`.
 */
const decisionsOf = (
  { annotations }: AnnotatedDocument,
  { decisions, setId, action = 'reject', reason }: Input<'decideSuggestions'>
): readonly Decision[] => {
  const ofSet = [...annotations.suggestion.values()].filter(({ set }) => setId !== undefined && set === setId)
  if (setId !== undefined && ofSet.length === 0)
    throw new ServiceError('not_found', { message: 'This document has no such set of suggestions.' })
  const asked = decisions ?? ofSet.map(({ id }) => ({ suggestionId: id, action }))
  const all = asked.map((decision): Decision => ({ reason, ...decision }))
  if (all.length <= limits.suggestionsAtOnceMax) return all
  const message = `has ${all.length} decisions; the limit is ${limits.suggestionsAtOnceMax}`
  throw new ServiceError('too_many_ids', { details: [{ path: 'decisions', message }] })
}

export const decideSuggestions = (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'decideSuggestions'>
): Promise<Output<'decideSuggestions'>> =>
  withAnnotations(service, doc, (opened) =>
    decide(
      requireReasonFits({ opened, caller, decisions: decisionsOf(opened, input), dryRun: input.dryRun }),
      () => undefined,
      (told, judged, show) => {
        const lines = linesOfRefused(opened, judged)
        const results = judged.map(({ suggestionId, verdict }) => {
          const suggestion = show(suggestionId)
          const found = { suggestionId, ok: verdict.kind !== 'refused', ...(suggestion && { suggestion }) }
          if (verdict.kind !== 'refused') return found
          const nearest = lines.get(suggestionId) ?? []
          const why = { code: verdict.error.code, message: verdict.error.message }
          return { ...found, ...why, ...(nearest.length > 0 && { nearest: [...nearest] }) }
        })
        return { ok: results.every(({ ok }) => ok), ...told, results }
      }
    )
  )

/** Making suggestions: one at a time, as they are typed, or all that turn the current text into another (docs/api.md, Comments and suggestions). */
import { hash } from 'node:crypto'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { linesOf, type Range } from '../../../shared/text/anchors.ts'
import { followed } from '../../../shared/text/diff.ts'
import { type Pin, pinsAt } from '../../../shared/text/pins.ts'
import { sourceOf } from '../../../shared/text/resolution.ts'
import { linesNow } from '../../../shared/text/similar.ts'
import { actorOf, authorOf, type Caller, sameAuthor, taskOf } from '../rights/caller.ts'
import { conflict, matches } from '../text/content.ts'
import { remember } from '../records/idempotency.ts'
import { type Author, keys, type Suggestion, type SuggestionOperation } from '../records/keys.ts'
import type { Snapshot } from '../text/journal.ts'
import type { Draft } from '../records/draft.ts'
import { checkAnnotation, checkText, kindOf } from '../text/named-range.ts'
import { checkHunks, type Hunk } from './proposed-hunks.ts'
import { alone, type Opened, putAnnotation, withAnnotations, type Written } from './annotations.ts'
import { settle, showSuggestion, showWriter, suggestionShown } from './annotations-shown.ts'
import { newId } from '../secrets.ts'
import type { Service } from '../service.ts'
import { type Aim, aim, changedSince, groundOf, withRange } from '../text/targets.ts'

/** A proposed change of text and its position. */
interface Proposal {
  readonly operation: SuggestionOperation
  readonly original: string
  readonly text: string
  readonly note: string | null
  readonly aim: Aim
  /** For a suggestion that is being typed: its id and its step. */
  readonly typed?: { readonly id: string; readonly draft: NonNullable<Suggestion['draft']> }
}

type ShownSuggestion = Output<'decideSuggestion'>['suggestion']

/** The record of a pending suggestion. */
const recordOf = (
  caller: Caller,
  { operation, original, text, note, aim: { pin }, typed }: Proposal,
  facts: Pick<Suggestion, 'id' | 'number' | 'set' | 'createdAt' | 'version'>
): Suggestion => ({
  ...facts,
  operation,
  original,
  text,
  note,
  pin,
  author: authorOf(caller),
  task: taskOf(caller),
  status: 'pending',
  decidedBy: null,
  decidedAt: null,
  resultVersion: null,
  ...(typed && { draft: typed.draft })
})

/** Records proposals on the current text, all in one commit. There is no `await` before they are tied to it. */
const propose = async <T>(
  opened: Opened,
  caller: Caller,
  proposals: readonly Proposal[],
  set: string | null,
  answerOf: (shown: readonly ShownSuggestion[]) => T
): Promise<T> => {
  const { service, doc, openDoc, annotations } = opened
  const { version } = openDoc.snapshot()
  const ids = proposals.map(({ typed }) => typed?.id ?? newId())
  const tied: string[] = []
  const tie = (): void => {
    for (const [index, { aim: to }] of proposals.entries()) {
      const id = ids[index] ?? ''
      annotations.tie('suggestion', id, to.pin, to.range)
      tied.push(id)
    }
  }
  const put = (draft: Draft, id: string, proposal: Proposal): Written<'suggestion'> => {
    const { operation } = proposal
    const task = taskOf(caller)
    const payload = { suggestionId: id, operation, ...(set === null ? {} : { setId: set }), ...(task === null ? {} : { taskId: task }) }
    const { seq: number } = draft.event('suggestion.created', actorOf(caller), payload, version)
    return putAnnotation(draft, 'suggestion', recordOf(caller, proposal, { id, number, set, createdAt: draft.now, version }))
  }
  const change = (draft: Draft): { written: Written<'suggestion'>[]; answer: T } => {
    service.quotas.require(
      draft.head,
      proposals.reduce((sum, { original, text }) => sum + original.length + text.length, 0)
    )
    openDoc.journalInto(draft)
    const written = proposals.map((proposal, index) => put(draft, ids[index] ?? '', proposal))
    const shown = written.map(({ record }) => showSuggestion(opened, record as Suggestion))
    return { written, answer: remember(service, draft, caller, doc, answerOf(shown)) }
  }
  try {
    tie()
    const { written, answer } = await service.ledger.write(doc, caller, change)
    settle(opened, written)
    // Drafts come from pages: their author is a person, though the page may be closed by now.
    if (proposals.every(({ typed }) => typed === undefined)) showWriter(opened, caller, ids[0])
    return answer
  } catch (error) {
    for (const id of tied) annotations.forget('suggestion', id)
    throw error
  }
}

// ——— one by one ———

interface Place {
  readonly range: Range
  readonly text: string
}

const required = (path: string, message: string): ServiceError => new ServiceError('invalid_request', { details: [{ path, message }] })

/** The insertion point, and the text as it will be inserted there. */
const insertion = (content: string, input: Input<'createSuggestion'>, text: string, range: Range | undefined): Place | undefined => {
  const kind = kindOf(input)
  const point = (at: number): Range => ({ from: at, to: at })
  if (kind === 'document') return { range: point(input.at === 'start' || input.at === 'before' ? 0 : content.length), text }
  if (range === undefined) return undefined
  const { at = 'after' } = input
  const place = point(at === 'start' || at === 'before' ? range.from : range.to)
  if (kind !== 'line' || at === 'start' || at === 'end') return { range: place, text }
  // The text gets a line of its own.
  const line = text.replace(/\n$/, '')
  return { range: place, text: at === 'before' ? `${line}\n` : `\n${line}` }
}

/** The line including its line break. */
const wholeLine = (content: string, { from, to }: Range): Range => {
  if (to < content.length) return { from, to: to + 1 }
  return { from: Math.max(0, from - 1), to }
}

/** Errors: `invalid_request`. */
const checkInput = (input: Input<'createSuggestion'>): void => {
  const { operation, text } = input
  if (operation === 'insert') {
    if ((text ?? '') === '') throw required('text', 'must not be empty')
    return
  }
  if (operation === 'replace' && text === undefined) throw required('text', 'is missing')
  if (kindOf(input) === 'document') throw required('find', 'name the text by find, line or anchor')
}

/** The range and text of a proposal, from the range that the caller named; undefined: the words are not there. Errors: `invalid_request`. */
const placeOf = (content: string, input: Input<'createSuggestion'>, named: Range | undefined): Place | undefined => {
  const { operation, text = '' } = input
  if (operation === 'insert') return insertion(content, input, text, named)
  if (operation === 'replace') return named && { range: named, text }
  const range = named !== undefined && kindOf(input) === 'line' ? wholeLine(content, named) : named
  if (range !== undefined && range.from === range.to) throw required(kindOf(input), 'must not be empty')
  return range && { range, text: '' }
}

/** Checks the request before any text is searched. Errors: `invalid_request`, `text_too_large`. */
const checkProposal = (input: Input<'createSuggestion'>): void => {
  checkAnnotation('note', input.note ?? '')
  checkText('text', input.text ?? '')
  checkInput(input)
}

/** Finds the target in the text that the caller read, and hands the proposal over in the same turn. */
const proposalOf = async <T>(
  { service, doc, openDoc }: Opened,
  input: Input<'createSuggestion'>,
  use: (proposal: Proposal) => Promise<T>
): Promise<T> => {
  const { operation, note } = input
  const ground = await groundOf(service, openDoc, input.baseVersion)
  const look = (text: string): Promise<Range | undefined> => service.texts.do(doc, 'rangeNamed', text, input)
  return withRange(ground, look, async (content, named) => {
    // There is no `await` between here and tying the suggestion to its text.
    const place = placeOf(content, input, named)
    if (place === undefined) throw new ServiceError('target_not_found')
    const { range, text } = place
    const original = content.slice(range.from, range.to)
    const aimed = aim(openDoc, ground, range)
    if (aimed.range === undefined || aimed.pin.quote !== original) {
      const nearest = linesNow(sourceOf(openDoc.snapshot().content), changedSince(openDoc, ground, range), original)
      throw new ServiceError('target_changed', nearest.length === 0 ? {} : { nearest })
    }
    return use({ operation, original, text, note: note ?? null, aim: aimed })
  })
}

/** Errors: `invalid_request` when the new text equals the old. */
const requireChange = ({ operation, original, text }: Proposal): void => {
  if (operation !== 'replace' || text !== original) return
  const hint = 'Send the new words as text. To say something about these words, comment on them.'
  throw new ServiceError('invalid_request', { details: [{ path: 'text', message: 'is the same as the text that it would replace' }], hint })
}

export const createSuggestion = (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'createSuggestion'>
): Promise<Output<'createSuggestion'>> => {
  checkProposal(input)
  return withAnnotations(service, doc, (opened) =>
    proposalOf(opened, input, async (proposal) => {
      requireChange(proposal)
      return propose(opened, caller, [proposal], null, ([suggestion]) => {
        const shown = suggestion as ShownSuggestion
        return { id: shown.id, suggestionId: shown.id, suggestion: shown }
      })
    })
  )
}

// ——— as it is typed ———

/** The id of a draft: equal for all requests of one author with one draftId. */
const draftedId = (doc: string, { kind, id }: Author, draftId: string): string =>
  hash('sha256', JSON.stringify(['draft', doc, kind, id, draftId]), 'base64url').slice(0, draftedIdChars)
/** The same length as the ids of other suggestions. */
const draftedIdChars = 16

/** The part of a draftId that others may see; undefined: none. */
const shownName = (draftId: string): string | undefined => (draftId.includes('.') ? draftId.slice(0, draftId.indexOf('.')) : undefined)

/** One request about a suggestion that is being typed. */
interface Typed {
  readonly opened: Opened
  readonly caller: Caller
  readonly input: Input<'draftSuggestion'>
}

type Drafted = Output<'draftSuggestion'>

/** The proposal at its known position when the words to be replaced are gone: the author can keep typing the new text. */
const keepsPlace = (error: unknown, { operation, find, text = '', note }: Typed['input'], known: Suggestion): Proposal | undefined => {
  const isGone = error instanceof ServiceError && (error.code === 'target_not_found' || error.code === 'target_ambiguous')
  const isSame = operation === known.operation && (operation === 'insert' || find === known.original)
  if (!isGone || !isSame || known.pin === null) return undefined
  return { operation, original: known.original, text, note: note ?? null, aim: { pin: known.pin, range: undefined } }
}

/** Changes a pending suggestion. There is no `await` before it is tied to its text. */
const redraft = async ({ opened, caller, input }: Typed, known: Suggestion, proposal: Proposal, isMoved: boolean): Promise<Drafted> => {
  const { service, doc, openDoc, annotations } = opened
  const { operation, original, text, note, aim: to } = proposal
  const key = keys.suggestion(doc, known.id)
  const isSame = operation === known.operation && original === known.original && text === known.text && note === known.note
  const told = isSame && (known.draft?.told ?? true)
  const stood = annotations.rangeOf(known.id)
  const saysSame = isSame && (!isMoved || (stood !== undefined && stood.from === to.range?.from && stood.to === to.range.to))
  const since = known.draft?.since ?? known.draft?.step ?? 0
  const back = isMoved ? annotations.retie('suggestion', known.id, to.pin, to.range) : undefined
  const change = (draft: Draft): { written: Written<'suggestion'>; answer: Drafted } => {
    const found = draft.read<Suggestion>(key)
    if (found === undefined) throw new ServiceError('not_found')
    service.quotas.require(draft.head, text.length - found.text.length, text.length <= found.text.length)
    openDoc.journalInto(draft)
    if (input.done && !told) {
      // Text that was typed and then deleted in the meantime must not stay in the files.
      draft.erase()
      const payload = { suggestionId: known.id, operation, ...(known.task === null ? {} : { taskId: known.task }) }
      draft.event('suggestion.edited', actorOf(caller), payload)
    }
    const drafted = { ...found.draft, step: input.step, since: saysSame ? since : input.step, told: input.done || told }
    const pin = isMoved ? to.pin : found.pin
    const written = putAnnotation(draft, 'suggestion', {
      ...found,
      operation,
      original,
      text,
      note,
      pin,
      draft: drafted,
      updatedAt: draft.now
    })
    annotations.requireRoom(written)
    const answer = { ok: true as const, suggestion: showSuggestion(opened, written.record as Suggestion) }
    return { written, answer: remember(service, draft, caller, doc, answer) }
  }
  try {
    const { written, answer } = await service.ledger.write(doc, caller, change, { reads: [key] })
    settle(opened, [written])
    return answer
  } catch (error) {
    back?.()
    throw error
  }
}

/** Whether a request equals the current proposal. */
const repeats = ({ input: { operation, find, text = '', note } }: Typed, known: Suggestion): boolean =>
  operation === known.operation &&
  (operation === 'delete' || text === known.text) &&
  (note ?? null) === known.note &&
  (operation === 'insert' || find === undefined || find === known.original)

/** Errors: `suggestion_fixed` when typing alone could not have moved it there. */
const requireSamePlace = ({ openDoc, annotations }: Opened, known: Suggestion, { operation, original, aim: { range } }: Proposal): void => {
  const stood = annotations.rangeOf(known.id)
  if (stood === undefined || range === undefined) {
    if (operation !== 'insert' && original === known.original) return
    throw new ServiceError('suggestion_fixed')
  }
  const [from, to] = range.from > stood.to ? [stood.to, range.from] : [range.to, Math.max(range.to, stood.from)]
  if (openDoc.snapshot().content.slice(from, to).trim() !== '') throw new ServiceError('suggestion_fixed')
}

/**
 * Creates or changes a suggestion that is being typed. Errors: `not_author`, `already_decided`, `stale_step`, `suggestion_fixed`, and those of making
 * one.
 */
export const draftSuggestion = (service: Service, caller: Caller, doc: string, input: Input<'draftSuggestion'>): Promise<Drafted> => {
  checkProposal(input)
  const { draftId, step } = input
  const author = authorOf(caller)
  const id = draftedId(doc, author, draftId)
  const name = shownName(draftId)
  return withAnnotations(service, doc, (opened) =>
    alone(opened, id, () => {
      const known = opened.annotations.suggestion.get(id)
      const make = (proposal: Proposal): Promise<Drafted> =>
        propose(
          opened,
          caller,
          [{ ...proposal, typed: { id, draft: { ...(name !== undefined && { id: name }), step, told: true } } }],
          null,
          ([suggestion]) => ({
            ok: true,
            suggestion: suggestion as ShownSuggestion
          })
        )
      // Another author cannot take the name that a page already uses.
      const isTaken = (): boolean =>
        name !== undefined && [...opened.annotations.suggestion.values()].some(({ draft }) => draft?.id === name)
      if (known === undefined && isTaken()) throw new ServiceError('not_author')
      if (known === undefined) return proposalOf(opened, input, make)
      if (!sameAuthor(author, known.author)) throw new ServiceError('not_author')
      const asItIs = async (): Promise<Drafted> => ({ ok: true, suggestion: showSuggestion(opened, known) })
      if (known.status !== 'pending') {
        if (known.text === (input.text ?? '')) return asItIs()
        throw new ServiceError('already_decided', { suggestionStatus: known.status })
      }
      const typed = { opened, caller, input }
      const has = known.draft?.step ?? 0
      const isSame = repeats(typed, known)
      if (step < has || (step === has && !isSame)) throw new ServiceError('stale_step', { step: has })
      if (step === has && (!input.done || known.draft?.told === true)) return asItIs()
      const isAnswered = known.replies !== undefined
      if (isAnswered && !isSame) throw new ServiceError('suggestion_fixed')
      // Its position does not change.
      if ((step === has || isAnswered) && known.pin !== null) {
        const { operation, original, text, note, pin } = known
        return redraft(typed, known, { operation, original, text, note, aim: { pin, range: undefined } }, false)
      }
      const change = (proposal: Proposal): Promise<Drafted> => {
        requireSamePlace(opened, known, proposal)
        return redraft(typed, known, proposal, true)
      }
      return proposalOf(opened, input, change).catch((error: unknown) => {
        const stays = keepsPlace(error, input, known)
        if (stays === undefined) throw error
        return redraft(typed, known, stays, false)
      })
    })
  )
}

// ——— all that lead to another text ———

const operationOf = ({ from, to, text }: Hunk): SuggestionOperation => {
  if (from === to) return 'insert'
  return text === '' ? 'delete' : 'replace'
}

/** The note of a set of proposals. Errors: `text_too_large`. */
export const noteOf = ({ note, label }: { readonly note?: string | undefined; readonly label?: string | undefined }): string | null => {
  checkAnnotation('note', note ?? '')
  return note ?? label ?? null
}

/** The proposal for one hunk; `pin` is its position. */
const proposalOfHunk = (content: string, { from, to, text }: Hunk, note: string | null, pin: Pin): Proposal => ({
  operation: operationOf({ from, to, text }),
  original: content.slice(from, to),
  text,
  note,
  aim: { pin, range: { from, to } }
})

/** The suggestions that `proposeHunks` would make, without ids. Errors: those of `proposeHunks`. */
export const hunksShown = (
  { service }: Opened,
  caller: Caller,
  { content, version }: Snapshot,
  hunks: readonly Hunk[],
  note: string | null
): Omit<ShownSuggestion, 'id'>[] => {
  checkHunks(content, hunks)
  const lines = linesOf(content)
  const facts = { id: '', number: 0, set: null, createdAt: service.clock.now(), version }
  return hunks.map((hunk) => {
    const proposal = proposalOfHunk(content, hunk, note, { place: null, quote: '', prefix: '', suffix: '' })
    return suggestionShown(recordOf(caller, proposal, facts), 'pending', proposal.aim.range, lines)
  })
}

/** Proposes changes to the current text, one suggestion for each, all with one `setId`. Errors: `text_too_large`. */
export const proposeHunks = <T>(
  opened: Opened,
  caller: Caller,
  hunks: readonly Hunk[],
  note: string | null,
  answerOf: (setId: string, shown: readonly ShownSuggestion[]) => T
): Promise<T> => {
  const { openDoc } = opened
  const { content } = openDoc.snapshot()
  checkHunks(content, hunks)
  const pins = pinsAt(openDoc.text, content, hunks)
  const proposals = hunks.map((hunk, index) => proposalOfHunk(content, hunk, note, pins[index] as Pin))
  const setId = newId()
  return propose(opened, caller, proposals, setId, (shown) => answerOf(setId, shown))
}

/** Hunks moved to a text that has changed next to them; undefined: it changed inside one of them. */
const brought = (hunks: readonly Hunk[], before: string, now: string): Hunk[] | undefined =>
  followed(
    hunks.map(({ from, to, text }) => ({ from, to, insert: text })),
    before,
    now
  )?.map(({ from, to, insert }) => ({ from, to, text: insert }))

/** How often texts are compared again because others changed the same part meanwhile. */
const comparisonsMax = 10

/** Proposes another text instead of writing it: one suggestion for each hunk of the difference, all with one `setId`. */
export const suggestContent = (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'replaceContent'>
): Promise<Output<'replaceContent'>> =>
  withAnnotations(service, doc, async (opened) => {
    const { openDoc } = opened
    for (let left = comparisonsMax; left > 0; left--) {
      const before = openDoc.snapshot()
      const { content, version } = before
      if (!matches(input.baseVersion, version)) throw await conflict(service, openDoc, input.baseVersion ?? '', input.content, before)
      const found = await service.texts.do(doc, 'proposedHunks', content, input.content, input.granularity)
      const unchanged = { ok: true, version, revisionId: null, changed: false } as const
      if (input.dryRun === true) {
        const suggestions = hunksShown(opened, caller, before, found, noteOf(input))
        await openDoc.durable(before.seq)
        const difference = await service.texts.do(doc, 'unifiedDiff', content, input.content, limits.diffCharsMax)
        return { ...unchanged, diff: difference, suggestions }
      }
      // There is no `await` between here and tying the suggestions to the current text.
      const now = openDoc.snapshot()
      const hunks = matches(input.baseVersion, now.version) ? brought(found, content, now.content) : undefined
      if (hunks === undefined) continue
      const answer = { ...unchanged, version: now.version }
      return proposeHunks(opened, caller, hunks, noteOf(input), (setId, shown) => ({ ...answer, setId, suggestions: [...shown] }))
    }
    throw new ServiceError('busy', { retryAfterSeconds: limits.laneRetrySeconds })
  })

/**
 * Makes suggestions (docs/api.md, Comments and suggestions): a single one, or all suggestions that turn the current text into different text. The file
 * suggestion-drafts.ts handles suggestions that are still being typed.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { linesOf, type Range } from '../../../shared/text/targets.ts'
import { type Anchor, anchorsAt } from '../../../shared/text/anchors.ts'
import { sourceOf } from '../../../shared/text/resolution.ts'
import { linesNow } from '../../../shared/text/similar.ts'
import { actorOf, authorOf, type Caller, taskOf } from '../rights/caller.ts'
import { conflict, matches } from '../text/content.ts'
import { type Follow, withCurrentText } from '../text/current-text.ts'
import { remember } from '../records/idempotency.ts'
import { type Suggestion, type SuggestionOperation } from '../records/keys.ts'
import type { Snapshot } from '../text/journal.ts'
import type { Transaction } from '../records/transaction.ts'
import { checkAnnotation, checkText, kindOf } from '../text/named-range.ts'
import { checkHunks, type Hunk } from './proposed-hunks.ts'
import { type AnnotatedDocument, withAnnotations } from './annotated-document.ts'
import { putAnnotation, type Written } from './annotation-records.ts'
import { settle, showSuggestion, showWriter, suggestionShown } from './annotations-shown.ts'
import { newId } from '../secrets.ts'
import type { Service } from '../service.ts'
import { type AnchoredRange, anchorRange, changedSince, baseTextOf, withRange } from '../text/targets.ts'

/** A proposed change to the text, and its position. */
export interface Proposal {
  readonly operation: SuggestionOperation
  readonly original: string
  readonly text: string
  readonly note: string | null
  readonly anchored: AnchoredRange
  /** The id and the draft of the suggestion, if it is still being typed. */
  readonly typed?: { readonly id: string; readonly draft: NonNullable<Suggestion['draft']> }
}

export type ShownSuggestion = Output<'decideSuggestion'>['suggestion']

/** Returns the record of a pending suggestion. */
const recordOf = (
  caller: Caller,
  { operation, original, text, note, anchored: { anchor }, typed }: Proposal,
  facts: Pick<Suggestion, 'id' | 'number' | 'set' | 'createdAt' | 'version'>
): Suggestion => ({
  ...facts,
  operation,
  original,
  text,
  note,
  pin: anchor,
  author: authorOf(caller),
  task: taskOf(caller),
  status: 'pending',
  decidedBy: null,
  decidedAt: null,
  resultVersion: null,
  ...(typed && { draft: typed.draft })
})

/** Records proposals on the current text in one commit. There is no `await` before they are anchored in the text. */
export const propose = async <T>(
  opened: AnnotatedDocument,
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
    for (const [index, { anchored: to }] of proposals.entries()) {
      const id = ids[index] ?? ''
      annotations.tie('suggestion', id, to.anchor, to.range)
      tied.push(id)
    }
  }
  const put = (tx: Transaction, id: string, proposal: Proposal): Written<'suggestion'> => {
    const { operation } = proposal
    const task = taskOf(caller)
    const payload = { suggestionId: id, operation, ...(set === null ? {} : { setId: set }), ...(task === null ? {} : { taskId: task }) }
    const { seq: number } = tx.event('suggestion.created', actorOf(caller), payload, version)
    return putAnnotation(tx, 'suggestion', recordOf(caller, proposal, { id, number, set, createdAt: tx.now, version }))
  }
  const change = (tx: Transaction): { written: Written<'suggestion'>[]; answer: T } => {
    service.quotas.require(
      tx.head,
      proposals.reduce((sum, { original, text }) => sum + original.length + text.length, 0)
    )
    openDoc.journalInto(tx)
    const written = proposals.map((proposal, index) => put(tx, ids[index] ?? '', proposal))
    const shown = written.map(({ record }) => showSuggestion(opened, record as Suggestion))
    return { written, answer: remember(service, tx, caller, doc, answerOf(shown)) }
  }
  try {
    tie()
    const { written, answer } = await service.ledger.write(doc, caller, change)
    settle(opened, written)
    // Only agents are shown as writers. Drafts come from pages, so their author is a person, even if the page has since been closed.
    if (proposals.every(({ typed }) => typed === undefined)) showWriter(opened, caller, ids[0])
    return answer
  } catch (error) {
    for (const id of tied) annotations.forget('suggestion', id)
    throw error
  }
}

// ——— Single suggestions ———

interface MovedPlace {
  readonly range: Range
  readonly text: string
}

const required = (path: string, message: string): ServiceError => new ServiceError('invalid_request', { details: [{ path, message }] })

/** Returns the insertion point, and the text as it will be inserted. */
const insertion = (content: string, input: Input<'createSuggestion'>, text: string, range: Range | undefined): MovedPlace | undefined => {
  const kind = kindOf(input)
  const point = (at: number): Range => ({ from: at, to: at })
  if (kind === 'document') return { range: point(input.at === 'start' || input.at === 'before' ? 0 : content.length), text }
  if (range === undefined) return undefined
  const { at = 'after' } = input
  const place = point(at === 'start' || at === 'before' ? range.from : range.to)
  if (kind !== 'line' || at === 'start' || at === 'end') return { range: place, text }
  // The inserted text gets a line to itself.
  const line = text.replace(/\n$/, '')
  return { range: place, text: at === 'before' ? `${line}\n` : `\n${line}` }
}

/** Returns the range of a line including its line break. */
const wholeLine = (content: string, { from, to }: Range): Range => {
  if (to < content.length) return { from, to: to + 1 }
  return { from: Math.max(0, from - 1), to }
}

/** Checks that a request's fields fit together. Throws `invalid_request`. */
const checkInput = (input: Input<'createSuggestion'>): void => {
  const { operation, text } = input
  if (operation === 'insert') {
    if ((text ?? '') === '') throw required('text', 'must not be empty')
    return
  }
  if (operation === 'replace' && text === undefined) throw required('text', 'is missing')
  if (kindOf(input) === 'document') throw required('find', 'name the text by find, line or anchor')
}

/**
 * Returns the range and text of a proposal for the range that the caller named. Returns undefined if the quoted text is not in the document. Throws
 * `invalid_request`.
 */
const placeOf = (content: string, input: Input<'createSuggestion'>, named: Range | undefined): MovedPlace | undefined => {
  const { operation, text = '' } = input
  if (operation === 'insert') return insertion(content, input, text, named)
  if (operation === 'replace') return named && { range: named, text }
  const range = named !== undefined && kindOf(input) === 'line' ? wholeLine(content, named) : named
  if (range !== undefined && range.from === range.to) throw required(kindOf(input), 'must not be empty')
  return range && { range, text: '' }
}

/** Checks the request before any text is searched. Throws `invalid_request` or `text_too_large`. */
export const checkProposal = (input: Input<'createSuggestion'>): void => {
  checkAnnotation('note', input.note ?? '')
  checkText('text', input.text ?? '')
  checkInput(input)
}

/** Finds the target in the text that the caller read, and calls `use` with the proposal in the same turn of the event loop. */
export const proposalOf = async <T>(
  { service, doc, openDoc }: AnnotatedDocument,
  input: Input<'createSuggestion'>,
  use: (proposal: Proposal) => Promise<T>
): Promise<T> => {
  const { operation, note } = input
  const ground = await baseTextOf(service, openDoc, input.baseVersion)
  const look = (text: string): Promise<Range | undefined> => service.texts.do(doc, 'rangeNamed', text, input)
  return withRange(openDoc, ground, look, async (content, named) => {
    // There is no `await` from here until the suggestion is anchored in the text.
    const place = placeOf(content, input, named)
    if (place === undefined) throw new ServiceError('target_not_found')
    const { range, text } = place
    const original = content.slice(range.from, range.to)
    const aimed = anchorRange(openDoc, ground, range)
    if (aimed.range === undefined || aimed.anchor.quote !== original) {
      const nearest = linesNow(sourceOf(openDoc.snapshot().content), changedSince(openDoc, ground, range), original)
      throw new ServiceError('target_changed', nearest.length === 0 ? {} : { nearest })
    }
    return use({ operation, original, text, note: note ?? null, anchored: aimed })
  })
}

/** Checks that a proposal changes something. Throws `invalid_request` if the new text equals the old text. */
const requireChange = ({ operation, original, text }: Proposal): void => {
  if (operation !== 'replace' || text !== original) return
  const hint = 'Send the new text in the field text. To say something about the old text, comment on it.'
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

// ——— Suggestions that turn the current text into different text ———

const operationOf = ({ from, to, text }: Hunk): SuggestionOperation => {
  if (from === to) return 'insert'
  return text === '' ? 'delete' : 'replace'
}

/** Returns the note of a set of proposals. Throws `text_too_large`. */
export const noteOf = ({ note, label }: { readonly note?: string | undefined; readonly label?: string | undefined }): string | null => {
  checkAnnotation('note', note ?? '')
  return note ?? label ?? null
}

/** Returns the proposal for one hunk. `anchor` is the position of the hunk. */
const proposalOfHunk = (content: string, { from, to, text }: Hunk, note: string | null, anchor: Anchor): Proposal => ({
  operation: operationOf({ from, to, text }),
  original: content.slice(from, to),
  text,
  note,
  anchored: { anchor, range: { from, to } }
})

/** Returns the suggestions that `proposeHunks` would make, without ids. Throws the same errors. */
export const hunksShown = (
  { service }: AnnotatedDocument,
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
    return suggestionShown(recordOf(caller, proposal, facts), 'pending', proposal.anchored.range, lines)
  })
}

/** Proposes changes to the current text as one suggestion for each hunk, all with the same `setId`. Throws `text_too_large`. */
export const proposeHunks = <T>(
  opened: AnnotatedDocument,
  caller: Caller,
  hunks: readonly Hunk[],
  note: string | null,
  answerOf: (setId: string, shown: readonly ShownSuggestion[]) => T
): Promise<T> => {
  const { openDoc } = opened
  const { content } = openDoc.snapshot()
  checkHunks(content, hunks)
  const anchors = anchorsAt(openDoc.text, content, hunks)
  const proposals = hunks.map((hunk, index) => proposalOfHunk(content, hunk, note, anchors[index] as Anchor))
  const setId = newId()
  return propose(opened, caller, proposals, setId, (shown) => answerOf(setId, shown))
}

/** Returns hunks at their positions in the current text. Returns undefined if the text of one was edited meanwhile. */
const brought = (hunks: readonly Hunk[], follow: Follow): Hunk[] | undefined =>
  follow(hunks.map(({ from, to, text }) => ({ from, to, insert: text })))?.map(({ from, to, insert }) => ({ from, to, text: insert }))

/** Proposes new text instead of writing it. Makes one suggestion for each hunk of the difference, all with the same `setId`. */
export const suggestContent = (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'replaceContent'>
): Promise<Output<'replaceContent'>> =>
  withAnnotations(service, doc, async (opened) => {
    const { openDoc } = opened
    const unchanged = { ok: true, revisionId: null, changed: false } as const
    const compare = async (before: Snapshot): Promise<{ readonly before: Snapshot; readonly found: readonly Hunk[] }> => {
      if (!matches(input.baseVersion, before.version))
        throw await conflict(service, openDoc, input.baseVersion ?? '', input.content, before)
      return { before, found: await service.texts.do(doc, 'proposedHunks', before.content, input.content, input.granularity) }
    }
    const tried = async (before: Snapshot, found: readonly Hunk[]): Promise<Output<'replaceContent'>> => {
      const suggestions = hunksShown(opened, caller, before, found, noteOf(input))
      await openDoc.durable()
      const difference = await service.texts.do(doc, 'unifiedDiff', before.content, input.content, limits.diffUnitsMax)
      return { ...unchanged, version: before.version, diff: difference, suggestions }
    }
    return withCurrentText(openDoc, compare, ({ before, found }, follow) => {
      if (input.dryRun === true) return tried(before, found)
      const { version } = openDoc.snapshot()
      const hunks = matches(input.baseVersion, version) ? brought(found, follow) : undefined
      return (
        hunks &&
        proposeHunks(opened, caller, hunks, noteOf(input), (setId, shown) => ({ ...unchanged, version, setId, suggestions: [...shown] }))
      )
    })
  })

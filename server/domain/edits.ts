/**
 * Edits of programs: named in the text that they have read, made in the text of now. Each follows its own words there, so only a change
 * of that very text refuses it; all are made, or none (api.md, Documents; specification, Versioning).
 */
import { type ErrorCode, ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Input, Output } from '../../shared/operations/index.ts'
import type { Candidate, Range } from '../../shared/text/anchors.ts'
import { applyEdits, diff, type Edit, unifiedDiff } from '../../shared/text/diff.ts'
import {
  append,
  isUnresolved,
  type Operation,
  type Resolved,
  resolve,
  sectionOf,
  type Source,
  sourceOf
} from '../../shared/text/operations.ts'
import { similarLines } from '../../shared/text/similar.ts'
import { type Caller, requireRole } from './caller.ts'
import { changeText, checkSize } from './content.ts'
import { remember } from './idempotency.ts'
import { proposeHunks } from './proposals.ts'
import { type Opened, withRemarks } from './remarks.ts'
import type { Service } from './service.ts'
import { aimAll, type Ground, groundOf } from './targets.ts'

type Edited = Output<'editContent'>

/** Why one of the operations cannot be made. */
interface Failure {
  /** Which one, counted from 0. */
  readonly operation: number
  readonly code: ErrorCode
  readonly message: string
  readonly candidates?: readonly Candidate[]
  readonly sought?: string
}

/** Errors: that of the first failure, with all of them, so that one more request may be enough. */
const refuse = (failures: readonly Failure[], version: string, text = ''): void => {
  const [first] = failures
  if (first === undefined) return
  const { operation, code, message, candidates, sought } = first
  const nearest = sought === undefined ? [] : similarLines(text, sought)
  throw new ServiceError(code, {
    message: `Operation ${operation}: ${message}`,
    operation,
    ...(candidates === undefined ? {} : { candidates }),
    ...(nearest.length === 0 ? {} : { nearest }),
    failures: failures.map(({ sought: _sought, ...failure }) => failure),
    currentVersion: version
  })
}

/** The operation on the text that was read: its range there and what comes instead. */
type Planned = { readonly index: number; readonly operation: Operation; readonly change: Resolved }

/**
 * What is followed from the text that was read. An addition to a section follows the heading, and goes to wherever the section ends now;
 * an insertion follows the words that it stands beside.
 */
const followed = (source: Source, { operation, change }: Planned): Range => {
  if (change.beside !== undefined) return change.beside
  if (operation.op !== 'append' || operation.section === undefined) return change
  const section = sectionOf(source, operation.section, operation.occurrence)
  return isUnresolved(section) ? change : { from: section.from, to: section.bodyFrom }
}

/** Whether it stands at the beginning or the end of the document, beside no words: this can always be resolved. */
const isAtEdge = (operation: Operation): boolean =>
  (operation.op === 'append' && operation.section === undefined) || (operation.op === 'insert' && operation.at !== undefined)

const pointOf = (place: number, insert: string): Resolved => ({ from: place, to: place, insert })

/** Where it goes in the text of now; undefined: what it was about has changed. */
const landed = (now: Source, { operation, change }: Planned, quote: string, range: Range | undefined): Resolved | undefined => {
  // A document begins and ends wherever it does now.
  if (isAtEdge(operation)) return resolve(now, operation) as Resolved
  if (range === undefined || now.text.slice(range.from, range.to) !== quote) return undefined
  if (operation.op === 'insert') return pointOf(operation.after === undefined ? range.from : range.to, change.insert)
  if (operation.op !== 'append') return { ...range, insert: change.insert }
  const section = now.outline.find(({ from }) => from === range.from)
  return section && append(now, section, operation.markdown)
}

/** The changes of the text of now, in the order of the operations. Errors: `target_*`. Synchronous. */
const land = ({ room }: Opened, ground: Ground, operations: readonly Operation[]): Resolved[] => {
  const { content, version } = room.snapshot()
  const read = sourceOf(ground.content())
  const failures: Failure[] = []
  const planned = operations.flatMap((operation, index): Planned[] => {
    const change = resolve(read, operation)
    if (!isUnresolved(change)) return [{ index, operation, change }]
    failures.push({ operation: index, ...change })
    return []
  })
  refuse(failures, version, read.text)
  if (ground.past === null) return planned.map(({ change }) => change)
  const now = sourceOf(content)
  const places = planned.map((plan) => followed(read, plan))
  const aims = aimAll(room, ground, places)
  const changes = planned.map((plan, position) => {
    const { from, to } = places[position] as Range
    return landed(now, plan, read.text.slice(from, to), aims[position]?.range)
  })
  const moved = planned.filter((_plan, position) => changes[position] === undefined)
  const message = 'The text that it is about has changed since that version.'
  refuse(
    moved.map(({ index }) => ({ operation: index, code: 'target_changed', message })),
    version
  )
  return changes as Resolved[]
}

/** Errors: `invalid_request` when two operations change the same text. */
const refuseOverlaps = (changes: readonly Resolved[]): void => {
  const order = inOrder(changes)
  order.forEach((index, position) => {
    const [one, next] = [changes[index] as Resolved, changes[order[position + 1] ?? -1]]
    if (next === undefined || next.from >= one.to) return
    const both = [index, order[position + 1] ?? 0].toSorted((first, second) => first - second)
    throw new ServiceError('invalid_request', { message: `Operations ${both.join(' and ')} change the same text.`, operations: both })
  })
}

/** Indices of changes by their place: what is inserted before a range comes before it, and at one place they keep the order in which they were sent. */
const inOrder = (changes: readonly Resolved[]): number[] => {
  const at = (index: number): Resolved => changes[index] as Resolved
  return changes.map((_change, index) => index).toSorted((one, other) => at(one).from - at(other).from || at(one).to - at(other).to)
}

/** Operations that put a text into the place of one that they do not name word by word. */
const comparesTexts = ({ op }: Operation): boolean => op === 'set_document' || op === 'replace_section' || op === 'replace_lines'

/** Only what differs is touched: cursors and anchors in the rest of a range stay. */
const minimal = (content: string, { from, to, insert }: Resolved): Edit[] =>
  diff(content.slice(from, to), insert).map((edit) => ({ from: from + edit.from, to: from + edit.to, insert: edit.insert }))

/** Where the new text of each operation stands afterwards. */
const resultsOf = (changes: readonly Resolved[]): Edited['results'] => {
  const results: Edited['results'] = []
  let shift = 0
  for (const index of inOrder(changes)) {
    const { from, to, insert } = changes[index] as Resolved
    results[index] = { ok: true, from: from + shift, to: from + shift + insert.length }
    shift += insert.length - (to - from)
  }
  return results
}

export const editContent = async (service: Service, caller: Caller, doc: string, input: Input<'editContent'>): Promise<Edited> => {
  if (input.mode !== 'suggest') requireRole(caller, 'edit')
  return withRemarks(service, doc, async (opened) => {
    const { room } = opened
    const ground = await groundOf(service, room, input.baseVersion)
    // From here on nothing waits until the edits are made.
    const before = room.snapshot()
    const { content, version } = before
    const changes = land(opened, ground, input.operations)
    refuseOverlaps(changes)
    const edits = inOrder(changes).flatMap((index) => minimal(content, changes[index] as Resolved))
    checkSize(content, edits)
    const changed = edits.length > 0
    const results = resultsOf(changes)
    const difference = unifiedDiff(content, applyEdits(content, edits), limits.diffCharsMax)
    const unchanged = { ok: true, version, revisionId: null, changed, results, diff: difference } as const
    if (input.dryRun === true || !changed) {
      await room.durable(before.seq)
      return unchanged
    }
    if (input.mode === 'suggest') {
      const hunks = edits.map(({ from, to, insert }) => ({ from, to, text: insert }))
      const answer = { ...unchanged, changed: false, results: [] }
      return proposeHunks(opened, caller, hunks, input.label ?? null, (setId, shown) => ({ ...answer, setId, suggestions: [...shown] }))
    }
    return changeText(
      opened,
      caller,
      { edits, isCompared: input.operations.some(comparesTexts), cause: 'edit', event: 'content.replaced', label: input.label },
      {
        also: (draft, { after, revisionId }) => ({
          written: [],
          answer: remember(service, draft, caller, doc, { ...unchanged, version: after.version, revisionId })
        })
      }
    )
  })
}

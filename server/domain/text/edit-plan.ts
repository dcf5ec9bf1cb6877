/** Resolves the edits by a program in one text. The result is a list of changes, or the reasons why the edits cannot be made. */
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Output } from '../../../shared/operations/index.ts'
import type { Candidate, Range } from '../../../shared/text/targets.ts'
import { applyEdits, coarsened, diff, type Edit } from '../../../shared/text/diff.ts'
import { unifiedDiff } from '../../../shared/text/hunks.ts'
import { type Operation, resolve } from '../../../shared/text/operations.ts'
import { type Source, sourceOf } from '../../../shared/text/resolution.ts'
import { isUnresolved, type Resolved } from '../../../shared/text/resolved.ts'
import { type Granularity, parted } from '../../../shared/text/granularity.ts'
import { linesNow, similarLines } from '../../../shared/text/similar.ts'
import { requireFew } from '../review/proposed-hunks.ts'

type Edited = Output<'editContent'>

/** A change, and the index of the operation that makes it. One operation can make several changes. */
export interface Change extends Resolved {
  readonly operation: number
}

/** An operation on the text that was read: a range and its replacement. */
export interface Planned {
  readonly operation: Operation
  readonly change: Change
}

/** The reason why an operation is not possible. */
interface Failure {
  /** The index of the operation. */
  readonly operation: number
  readonly code: ErrorCode
  readonly message: string
  readonly candidates?: readonly Candidate[]
  readonly sought?: string
  /** The part of the current text in which the target was changed. */
  readonly around?: Range
  readonly source?: string
  readonly hint?: string
}

/** Throws the first failure, with details of the other failures, so that the caller can correct all failures in one request. */
export const refuse = (failures: readonly Failure[], version: string, now: Source): void => {
  const [first] = failures
  if (first === undefined) return
  const { operation, code, message, candidates, sought, around, source, hint } = first
  const nearest = sought === undefined ? [] : around === undefined ? similarLines(now.text, sought) : linesNow(now, around, sought)
  throw new ServiceError(code, {
    message: `Operation ${operation}: ${message}`,
    operation,
    ...(candidates === undefined ? {} : { candidates }),
    ...(nearest.length === 0 ? {} : { nearest }),
    ...(hint === undefined ? {} : { hint }),
    ...(source === undefined ? {} : { source, hint: 'Copy the value of find from source, or change those lines with replace_lines.' }),
    failures: failures.map(({ sought: _sought, around: _around, ...failure }) => failure),
    currentVersion: version
  })
}

/** Returns the changes that the operations make in the text that was read. Throws `target_not_found` or `target_ambiguous`. */
export const resolveAll = (read: Source, operations: readonly Operation[], version: string): Planned[] => {
  const failures: Failure[] = []
  const planned = operations.flatMap((operation, index): Planned[] => {
    const found = resolve(read, operation)
    const changes = 'length' in found ? found : [found]
    return changes.flatMap((change) => {
      if (!isUnresolved(change)) return [{ operation, change: { ...change, operation: index } }]
      failures.push({ operation: index, ...change })
      return []
    })
  })
  refuse(failures, version, read)
  if (planned.length > limits.editPlacesMax)
    throw new ServiceError('invalid_request', {
      message: `The operations change ${planned.length} places; the limit is ${limits.editPlacesMax}.`
    })
  return planned
}

/** Checks that changes do not overlap. Throws `invalid_request` if two operations change the same text. */
const refuseOverlaps = (changes: readonly Change[]): void => {
  const order = inOrder(changes)
  order.forEach((index, position) => {
    const [one, next] = [changes[index] as Change, changes[order[position + 1] ?? -1]]
    if (next === undefined || next.from >= one.to) return
    const both = [one.operation, next.operation].toSorted((first, second) => first - second)
    throw new ServiceError('invalid_request', { message: `Operations ${both.join(' and ')} change the same text.`, operations: both })
  })
}

/**
 * Returns the indices of changes in document order. An insertion at the start of a range comes before the range. Insertions at one position keep
 * the order of the request.
 */
const inOrder = (changes: readonly Resolved[]): number[] => {
  const at = (index: number): Resolved => changes[index] as Resolved
  return changes.map((_change, index) => index).toSorted((one, other) => at(one).from - at(other).from || at(one).to - at(other).to)
}

/** Whether an operation replaces text without quoting it. */
export const comparesTexts = ({ op }: Operation): boolean => op === 'set_document' || op === 'replace_section' || op === 'replace_lines'

/** Returns edits for only the part that differs, so that cursors and anchors in the rest of the range stay in place. */
const minimal = (content: string, { from, to, insert }: Resolved): Edit[] =>
  diff(content.slice(from, to), insert).map((edit) => ({ from: from + edit.from, to: from + edit.to, insert: edit.insert }))

/** Returns the resulting range of each operation. If an operation makes several changes, its range extends from the first to the last. */
export const resultsOf = (changes: readonly Change[]): Edited['results'] => {
  const results: Edited['results'] = []
  let shift = 0
  for (const index of inOrder(changes)) {
    const { operation, from, to, insert, matched } = changes[index] as Change
    const place = { from: from + shift, to: from + shift + insert.length }
    const known = results[operation]
    results[operation] =
      known === undefined
        ? { ok: true, ...place, ...(matched === undefined ? { exact: true } : { exact: false, matched }) }
        : { ...known, to: place.to, count: (known.count ?? 1) + 1 }
    shift += insert.length - (to - from)
  }
  return results
}

/** Changes to the text, and the edits that make them. */
export interface EditPlan {
  /** Changes, in the order of the operations. */
  readonly changes: readonly Change[]
  /** Minimal edits, in ascending order. */
  readonly edits: readonly Edit[]
  readonly diff: string
}

/**
 * Returns the plan for changes in the text. `granularity` says how proposed changes are split. Throws `too_many_changes`, or `invalid_request` if two
 * changes overlap.
 */
export const planOf = (content: string, changes: readonly Change[], granularity?: Granularity): EditPlan => {
  refuseOverlaps(changes)
  const all = inOrder(changes).flatMap((index) => minimal(content, changes[index] as Change))
  const edits = granularity === undefined ? coarsened(all, content, limits.editsAtOnceMax) : parted(content, all, granularity)
  if (granularity !== undefined) requireFew(edits.length)
  return { changes, edits, diff: unifiedDiff(content, applyEdits(content, edits), limits.diffUnitsMax) }
}

/** Returns the plan for operations on the text. Throws the errors of `resolveAll` and `planOf`. */
export const planEdits = (content: string, version: string, operations: readonly Operation[], granularity?: Granularity): EditPlan =>
  planOf(
    content,
    resolveAll(sourceOf(content), operations, version).map(({ change }) => change),
    granularity
  )

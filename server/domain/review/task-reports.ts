/** Checks review reports (docs/api.md, Review assignments). */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input } from '../../../shared/operations/index.ts'
import { findPoint, versionsNamed } from '../text/content.ts'
import { formatVersion, type Point } from '../text/journal.ts'
import { keys, type TaskReport } from '../records/keys.ts'
import type { Key } from '../ports.ts'
import type { Service } from '../service.ts'

/** The contents of a report, in which each id appears once. */
type Contents = Pick<TaskReport, 'reviewedVersion' | 'summary' | 'commentIds' | 'suggestionIds'>

/** A report that has been checked against its document. */
interface ExaminedReport {
  readonly contents: Contents
  /** The reviewed point of the history, or the error that refuses the report. */
  readonly point: Point | ServiceError
}

const tooMany = (input: Input<'reportTask'>): ServiceError | undefined => {
  const details = (['commentIds', 'suggestionIds'] as const)
    .filter((path) => input[path].length > limits.taskIdsMax)
    .map((path) => ({ path, message: `has ${input[path].length} ids; the limit is ${limits.taskIdsMax}` }))
  return details.length === 0 ? undefined : new ServiceError('too_many_ids', { details })
}

const missing = async ({ storage }: Service, ids: readonly string[], keyOf: (id: string) => Key): Promise<string[]> => {
  const entries = await Promise.all(ids.map((id) => storage.get(keyOf(id))))
  return ids.filter((_id, index) => entries[index] === undefined)
}

/**
 * Returns the error that lists the ids that the document does not have; undefined if the document has all ids. Records are stored below their
 * document, so an id from another document is also in the list.
 */
const unknownIds = async (service: Service, doc: string, contents: Contents): Promise<ServiceError | undefined> => {
  const [commentIds, suggestionIds] = await Promise.all([
    missing(service, contents.commentIds, (id) => keys.comment(doc, id)),
    missing(service, contents.suggestionIds, (id) => keys.suggestion(doc, id))
  ])
  return commentIds.length + suggestionIds.length === 0 ? undefined : new ServiceError('unknown_ids', { commentIds, suggestionIds })
}

/**
 * Examines a report without writing anything. An error in the report is returned instead of thrown, because the caller first decides whether a
 * report is allowed at all.
 */
export const examineReport = async (service: Service, doc: string, input: Input<'reportTask'>): Promise<ExaminedReport> => {
  // The version can be quoted, like an ETag.
  const named = versionsNamed(input.reviewedVersion).join()
  const point = await findPoint(service, doc, named)
  const contents: Contents = {
    reviewedVersion: point === undefined ? named : formatVersion(point),
    summary: input.summary,
    commentIds: [...new Set(input.commentIds)],
    suggestionIds: [...new Set(input.suggestionIds)]
  }
  const fault = tooMany(input)
  if (fault !== undefined) return { contents, point: fault }
  if (point === undefined) return { contents, point: new ServiceError('unknown_reviewed_version', { reviewedVersion: named }) }
  return { contents, point: (await unknownIds(service, doc, contents)) ?? point }
}

const sameIds = (one: readonly string[], other: readonly string[]): boolean => new Set(one).symmetricDifference(new Set(other)).size === 0

/** Whether a report repeats the accepted report: the same version, the same summary, and the same ids in any order. */
export const isRetry = (report: TaskReport | null, contents: Contents): boolean =>
  report !== null &&
  report.reviewedVersion === contents.reviewedVersion &&
  report.summary === contents.summary &&
  sameIds(report.commentIds, contents.commentIds) &&
  sameIds(report.suggestionIds, contents.suggestionIds)

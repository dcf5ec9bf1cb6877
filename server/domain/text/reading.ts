/** Reads the outline of the text, and the text itself: all of it, one section, some lines, or the changes since a version. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { currentContent, findPoint, titleOf, versionsNamed } from './content.ts'
import { contentAt, type Snapshot, snapshotOf } from './journal.ts'
import { ownAssignment } from '../review/own-assignment.ts'
import type { Service } from '../service.ts'
import type { OnDocument } from '../on-document.ts'

/** The key under which a response contains the version of its text, for callers that send the encoded text unchanged. */
export const encoded = Symbol('encoded')

/** The encoded text of a version. It is the same for every caller. */
export type Encoded = Pick<Snapshot, 'bytes' | 'json'>

/** Returns the text of a version, or the current text if the request names none. Throws `unknown_version`. */
const textOf = async (service: Service, doc: string, version?: string): Promise<Snapshot> => {
  if (version === undefined) return currentContent(service, doc)
  // The version can be quoted, like an ETag.
  const [named = ''] = versionsNamed(version)
  const point = await findPoint(service, doc, named)
  if (point === undefined) throw new ServiceError('unknown_version')
  return snapshotOf(point, await contentAt(service.storage, doc, point))
}

type View = Pick<Input<'readContent'>, 'section' | 'lines' | 'since' | 'values'>

/** Returns the requested part of the text. Throws `target_not_found`, `target_ambiguous`, `unknown_version` or `invalid_request`. */
const viewOf = async (service: Service, doc: string, text: Snapshot, view: View): Promise<string> => {
  const { section, lines, since, values } = view
  const { texts, clock } = service
  const computed = async ({ content: formulas }: Snapshot): Promise<string> =>
    values === true ? texts.do(doc, 'withValues', formulas, clock.now()) : formulas
  const asked = Object.entries({ section, lines, since }).filter(([, value]) => value !== undefined)
  if (asked.length > 1)
    throw new ServiceError('invalid_request', {
      details: asked.slice(1).map(([path]) => ({ path, message: `must not be sent together with ${asked[0]?.[0]}` }))
    })
  const content = await computed(text)
  if (section !== undefined) return texts.do(doc, 'section', content, section)
  if (lines !== undefined) return texts.do(doc, 'lines', content, lines)
  if (since === undefined) return content
  const before = await textOf(service, doc, since)
  return texts.do(doc, 'unifiedDiff', await computed(before), content, limits.contentUnitsMax)
}

export const readContent: OnDocument<'readContent'> = async (service, caller, doc, input) => {
  const head = await service.ledger.head(doc)
  const text = input.version === undefined ? await currentContent(service, doc, head) : await textOf(service, doc, input.version)
  const content = await viewOf(service, doc, text, input)
  const answer = { content, version: text.version, title: titleOf(head, text), ...(await ownAssignment(service, caller, doc)) }
  return content === text.content ? Object.assign(answer, { [encoded]: text }) : answer
}

export const readOutline = async (
  service: Service,
  doc: string,
  { version, after = 0, limit = limits.outlinePageMax }: Input<'readOutline'>
): Promise<Output<'readOutline'>> => {
  const head = await service.ledger.head(doc)
  const text = await textOf(service, doc, version)
  const { units, lines, headings, total } = await service.texts.do(doc, 'outline', text.content, after, limit + 1)
  const page = headings.slice(0, limit)
  const nextAfter = headings.length > limit ? (page.at(-1)?.line ?? null) : null
  return { version: text.version, title: titleOf(head, text), units, lines, headings: page, total, nextAfter }
}

export const readDiff = async (service: Service, doc: string, { from, to }: Input<'readDiff'>): Promise<Output<'readDiff'>> => {
  const before = await textOf(service, doc, from)
  const after = await textOf(service, doc, to)
  const { diff, hunks, truncated } = await service.texts.do(
    doc,
    'comparison',
    before.content,
    after.content,
    limits.comparisonUnitsMax,
    limits.comparisonHunksMax
  )
  return {
    fromVersion: before.version,
    toVersion: after.version,
    changed: before.content !== after.content,
    truncated,
    diff,
    hunks: hunks.map(({ line, removed, added }) => ({ line, removed: [...removed], added: [...added] }))
  }
}

/** Reading the text: all of it, or for those who need no more a section, some lines, what changed since; and its outline. */
import { ServiceError } from '../../shared/errors.ts'
import { withValues } from '../../shared/fences/document-sheets.ts'
import { limits } from '../../shared/limits.ts'
import type { Input, Output } from '../../shared/operations/index.ts'
import { linesOf } from '../../shared/text/anchors.ts'
import { hunks, unifiedDiff } from '../../shared/text/diff.ts'
import { isUnresolved, sectionOf, sourceOf } from '../../shared/text/operations.ts'
import { similarLines } from '../../shared/text/similar.ts'
import { currentContent, findPoint, titleOf, versionsNamed } from './content.ts'
import { contentAt, type Snapshot, snapshotOf } from './journal.ts'
import type { Service } from './service.ts'

/** Under this symbol an answer carries its text in UTF-8 too, for faces that send it as it is. */
export const utf8 = Symbol('utf8')

/** The text of a version; of now when none is named. Errors: `unknown_version`. */
const textOf = async (service: Service, doc: string, version?: string): Promise<Snapshot> => {
  if (version === undefined) return currentContent(service, doc)
  // As an ETag has it, too: quoted.
  const [named = ''] = versionsNamed(version)
  const point = await findPoint(service, doc, named)
  if (point === undefined) throw new ServiceError('unknown_version')
  return snapshotOf(point, await contentAt(service.storage, doc, point))
}

const sectionView = (content: string, name: string): string => {
  const found = sectionOf(sourceOf(content), name)
  if (!isUnresolved(found)) return content.slice(found.from, found.to)
  const { code, sought = '', ...facts } = found
  const nearest = sought === '' ? [] : similarLines(content, sought)
  throw new ServiceError(code, { ...facts, ...(nearest.length === 0 ? {} : { nearest }) })
}

const linesView = (content: string, range: string): string => {
  const [first = '', last = first] = range.split('-')
  const lines = linesOf(content)
  const [start, end] = [lines.range(Number(first)), lines.range(Math.min(Number(last), lines.count))]
  if (start === undefined || end === undefined || end.to < start.from)
    throw new ServiceError('target_not_found', { message: `The text has lines 1 to ${lines.count}, not ${range}.`, lines: lines.count })
  return content.slice(start.from, end.to)
}

type View = Pick<Input<'readContent'>, 'section' | 'lines' | 'since' | 'values'>

/** The part that is asked for. Errors: `target_not_found`, `target_ambiguous`, `unknown_version`, `invalid_request`. */
const viewOf = async (service: Service, doc: string, text: Snapshot, view: View): Promise<string> => {
  const { section, lines, since, values } = view
  const computed = ({ content: formulas }: Snapshot): string => (values === true ? withValues(formulas, service.clock.now()) : formulas)
  const asked = Object.entries({ section, lines, since }).filter(([, value]) => value !== undefined)
  if (asked.length > 1)
    throw new ServiceError('invalid_request', {
      details: asked.slice(1).map(([path]) => ({ path, message: `must not stand beside ${asked[0]?.[0]}` }))
    })
  const content = computed(text)
  if (section !== undefined) return sectionView(content, section)
  if (lines !== undefined) return linesView(content, lines)
  if (since === undefined) return content
  const before = await textOf(service, doc, since)
  return unifiedDiff(computed(before), content, limits.contentUnitsMax)
}

export const readContent = async (service: Service, doc: string, input: Input<'readContent'>): Promise<Output<'readContent'>> => {
  const head = await service.ledger.head(doc)
  const text = input.version === undefined ? await currentContent(service, doc, head) : await textOf(service, doc, input.version)
  const content = await viewOf(service, doc, text, input)
  const answer = { content, version: text.version, title: titleOf(head, text) }
  return content === text.content ? Object.assign(answer, { [utf8]: text.bytes }) : answer
}

export const readOutline = async (service: Service, doc: string, { version }: Input<'readOutline'>): Promise<Output<'readOutline'>> => {
  const head = await service.ledger.head(doc)
  const text = await textOf(service, doc, version)
  const { outline, lines } = sourceOf(text.content)
  return {
    version: text.version,
    title: titleOf(head, text),
    units: text.content.length,
    lines: lines.count,
    headings: outline.map(({ level, title, line, from, to }) => ({
      level,
      title,
      line,
      lastLine: lines.at(Math.max(from, text.content.slice(from, to).trimEnd().length + from - 1)),
      units: to - from
    }))
  }
}

export const readDiff = async (service: Service, doc: string, { from, to }: Input<'readDiff'>): Promise<Output<'readDiff'>> => {
  const before = await textOf(service, doc, from)
  const after = await textOf(service, doc, to)
  return {
    fromVersion: before.version,
    toVersion: after.version,
    changed: before.content !== after.content,
    diff: unifiedDiff(before.content, after.content, limits.contentUnitsMax),
    hunks: hunks(before.content, after.content, limits.contentUnitsMax).map(({ line, removed, added }) => ({
      line,
      removed: [...removed],
      added: [...added]
    }))
  }
}

/** Maps a range of the text that a caller read, current or earlier, to a range of the live text. */
import * as Y from 'yjs'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { textRootName } from '../../../shared/names.ts'
import type { Range } from '../../../shared/text/targets.ts'
import { locate } from '../../../shared/text/characters.ts'
import { changeIn, coarseDiff, diff, type Edit } from '../../../shared/text/diff.ts'
import { locateAnchors, type Anchor, anchorsAfter, anchorsAt } from '../../../shared/text/anchors.ts'
import { editsTo, findPoint, versionsNamed } from './content.ts'
import { withCurrentText } from './current-text.ts'
import { docOptions, rebuild } from './journal.ts'
import { checkText, type Target } from './named-range.ts'
import type { OpenDocument } from './open-document.ts'
import type { Service } from '../service.ts'

/** Returns the range of the characters that a page saw. Returns undefined unless the live text still has them and they still read the same. */
export const rangeOfCharacters = (
  { text }: OpenDocument,
  { past, content }: BaseText,
  { find, line, anchor, characters }: Target
): Range | undefined => {
  const spans = past === null && line === undefined && anchor === undefined ? (characters ?? []) : []
  if (find === undefined || spans.length === 0) return undefined
  checkText('find', find)
  const place = { spans, left: null, right: null, needs: 'both' } as const
  const now = content()
  const [range] = locate(text, now, [{ place, quote: find }])
  return range !== undefined && now.slice(range.from, range.to) === find ? range : undefined
}

/** The edits from the version that was read to the live text, and the history tag that the live text had when they were computed. */
interface Since {
  readonly tag: string
  readonly edits: readonly Edit[]
}

/** The text that a caller has read. */
export interface BaseText {
  /** A copy of the earlier version that the caller read, with its sequence number. Null if the caller read the live text. */
  readonly past: { readonly text: Y.Text; readonly seq: number; readonly since: Since } | null
  readonly content: () => string
}

const liveText = (openDoc: OpenDocument): BaseText => ({ past: null, content: () => openDoc.snapshot().content })

/** Returns the text of a version, in the form that `anchorRanges` needs. Throws `unknown_version`. */
export const baseTextOf = async (service: Service, openDoc: OpenDocument, baseVersion: string | undefined): Promise<BaseText> => {
  const [named, ...others] = baseVersion === undefined ? ['*'] : versionsNamed(baseVersion)
  if (named === '*' || named === openDoc.snapshot().version) return liveText(openDoc)
  const point = named === undefined || others.length > 0 ? undefined : await findPoint(service, openDoc.id, named)
  if (point === undefined) throw new ServiceError('unknown_version')
  const ydoc = new Y.Doc(docOptions)
  await rebuild(service.storage, openDoc.id, ydoc, point)
  const past = ydoc.getText(textRootName)
  const content = past.toString()
  const now = openDoc.snapshot()
  const since = { tag: now.tag, edits: await editsTo(service, openDoc.id, content, now.content) }
  return { past: { text: past, seq: point.seq, since }, content: () => content }
}

/** Returns the edits from the text that was read to the current text. They are computed again only if somebody has since written. */
const editsSince = ({ tag, edits }: Since, openDoc: OpenDocument, before: string): readonly Edit[] => {
  const { content } = openDoc.snapshot()
  if (tag === openDoc.tag) return edits
  return before.length + content.length <= limits.textInlineUnitsMax ? diff(before, content) : coarseDiff(before, content)
}

/** Returns the range of the current text that replaced a changed range of the text that was read. Synchronous. */
export const changedSince = (openDoc: OpenDocument, { past, content }: BaseText, range: Range): Range =>
  past === null ? range : changeIn(range, editsSince(past.since, openDoc, content()))

/** An anchor in the live text, for a range of the text that the caller read. */
export interface AnchoredRange {
  readonly anchor: Anchor
  /** The current range of the anchor. Undefined if that text is gone. */
  readonly range: Range | undefined
}

/** Maps ranges of the text that the caller read to ranges of the live text. Synchronous. */
export const anchorRanges = (openDoc: OpenDocument, { past, content }: BaseText, ranges: readonly Range[]): AnchoredRange[] => {
  const now = openDoc.snapshot().content
  if (past === null) return anchorsAt(openDoc.text, now, ranges).map((anchor, index) => ({ anchor, range: ranges[index] }))
  const before = content()
  const then = anchorsAt(past.text, before, ranges)
  // Later changes may have moved the text, or replaced it with different text that shares some of its characters.
  const isCompared = openDoc.replacedSeq > past.seq
  const moved = anchorsAfter(openDoc.text, then, ranges, {
    before,
    after: now,
    edits: editsSince(past.since, openDoc, before),
    isCompared
  }).changed
  const found = locateAnchors(
    openDoc.text,
    now,
    then.map((anchor, index) => moved.get(index) ?? anchor)
  )
  const fresh = anchorsAt(
    openDoc.text,
    now,
    found.filter((range) => range !== undefined)
  )
  let next = 0
  return then.map((anchor, index) => {
    const range = found[index]
    return range === undefined ? { anchor: { ...anchor, place: null }, range } : { anchor: fresh[next++] as Anchor, range }
  })
}

/** Calls `anchorRanges` for a single range. */
export const anchorRange = (openDoc: OpenDocument, ground: BaseText, range: Range): AnchoredRange =>
  anchorRanges(openDoc, ground, [range])[0] as AnchoredRange

/**
 * Finds a range in the text that the caller read, without blocking other requests, and calls `use` with the range. If other people change
 * the live text meanwhile, the range is adjusted. Throws the errors of `look`, and `busy` if other people keep changing the same part.
 */
export const withRange = async <T>(
  openDoc: OpenDocument,
  { past, content }: BaseText,
  look: (content: string) => Promise<Range | undefined>,
  use: (content: string, range: Range | undefined) => Promise<T>
): Promise<T> => {
  if (past !== null) return use(content(), await look(content()))
  return withCurrentText(
    openDoc,
    (seen) => look(seen.content),
    (range, follow) => {
      if (range === undefined) return use(content(), range)
      const [now] = follow([{ ...range, insert: '' }]) ?? []
      return now && use(content(), { from: now.from, to: now.to })
    }
  )
}

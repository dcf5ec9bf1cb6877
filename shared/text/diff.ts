/**
 * From one text to another: minimal edits for the live text, line hunks for events and merges, unified diffs for people.
 * Lines are compared by Myers' algorithm (package `diff`) inside the part that differs, and words within a hunk; only what differs is touched.
 */
import { diffArrays, structuredPatch } from 'diff'
import type { Hunk } from '../events.ts'

/** Replaces the text from `from` to `to` by `insert`. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly insert: string
}

// Beyond this many changed lines the exact script costs more than it helps: the whole middle is replaced.
const editLengthMax = 4000

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Length of the common beginning; never ends inside a surrogate pair, which Yjs would replace by U+FFFD. */
const commonPrefix = (one: string, other: string): number => {
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at > 0 && isHighSurrogate(one.charCodeAt(at - 1)) ? at - 1 : at
}

const commonSuffix = (one: string, other: string, lengthMax: number): number => {
  let length = 0
  while (length < lengthMax && one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)) length++
  return length > 0 && isLowSurrogate(one.charCodeAt(one.length - length)) ? length - 1 : length
}

/** Lines with their ends, so that joining them gives the text again. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** A run of lines that changed: counted from 0, in lines of the old text. */
export interface LineChange {
  readonly at: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** The changes by whole lines, ascending and apart from each other. Joining kept and added lines gives `after`. */
export const lineChanges = (before: readonly string[], after: readonly string[]): LineChange[] => {
  const parts = diffArrays([...before], [...after], { maxEditLength: editLengthMax })
  if (parts === undefined) return [{ at: 0, removed: before, added: after }]
  const changes: { at: number; removed: string[]; added: string[] }[] = []
  let line = 0
  let open: (typeof changes)[number] | undefined
  for (const part of parts) {
    if (!part.added && !part.removed) {
      line += part.value.length
      open = undefined
      continue
    }
    if (open === undefined) changes.push((open = { at: line, removed: [], added: [] }))
    if (part.removed) {
      open.removed.push(...part.value)
      line += part.value.length
    } else open.added.push(...part.value)
  }
  return changes
}

const trimmed = (from: number, removed: string, insert: string): Edit | undefined => {
  if (removed === insert) return undefined
  const start = commonPrefix(removed, insert)
  const end = commonSuffix(removed, insert, Math.min(removed.length, insert.length) - start)
  return { from: from + start, to: from + removed.length - end, insert: insert.slice(start, insert.length - end) }
}

/** The middle that differs, widened to whole lines. */
const differingLines = (before: string, after: string): { from: number; old: string[]; new: string[] } => {
  const prefix = commonPrefix(before, after)
  const from = before.lastIndexOf('\n', prefix - 1) + 1
  const suffix = commonSuffix(before, after, Math.min(before.length, after.length) - prefix)
  // The first line end inside the common suffix closes the last line that may differ.
  const lineEnd = before.indexOf('\n', before.length - suffix)
  const keep = lineEnd === -1 ? 0 : before.length - lineEnd - 1
  return { from, old: linesOf(before.slice(from, before.length - keep)), new: linesOf(after.slice(from, after.length - keep)) }
}

// Words with the space after them: an anchor in a word that stays must stay, and lone spaces would match anywhere.
const wordsOf = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []

// A passage that was written anew is replaced whole beyond this many changed words.
const wordEditLengthMax = 400

/** Edits within a hunk, word by word. */
const wordEdits = (from: number, removed: string, added: string): Edit[] => {
  const parts = removed === '' || added === '' ? undefined : wordChanges(removed, added)
  if (parts === undefined) return [trimmed(from, removed, added) ?? []].flat()
  const edits: Edit[] = []
  for (const part of parts) {
    const edit = trimmed(from + part.from, removed.slice(part.from, part.to), part.insert)
    if (edit !== undefined) edits.push(edit)
  }
  return edits
}

const wordChanges = (removed: string, added: string): Edit[] | undefined => {
  const parts = diffArrays(wordsOf(removed), wordsOf(added), { maxEditLength: wordEditLengthMax })
  if (parts === undefined) return undefined
  const edits: { from: number; to: number; insert: string }[] = []
  let at = 0
  let open: (typeof edits)[number] | undefined
  for (const part of parts) {
    const text = part.value.join('')
    if (!part.added && !part.removed) {
      at += text.length
      open = undefined
      continue
    }
    if (open === undefined) edits.push((open = { from: at, to: at, insert: '' }))
    if (part.removed) open.to = at += text.length
    else open.insert += text
  }
  return edits
}

/** Edits that turn `before` into `after`: ascending, non-overlapping, offsets in UTF-16 units of `before` (as Y.Text counts). */
export const diff = (before: string, after: string): readonly Edit[] => {
  if (before === after) return []
  const middle = differingLines(before, after)
  const edits: Edit[] = []
  let offset = middle.from
  let line = 0
  for (const change of lineChanges(middle.old, middle.new)) {
    for (; line < change.at; line++) offset += middle.old[line]?.length ?? 0
    const removed = change.removed.join('')
    edits.push(...wordEdits(offset, removed, change.added.join('')))
    offset += removed.length
    line += change.removed.length
  }
  return edits
}

/** `before` with the edits applied; offsets are those of `before`. */
export const applyEdits = (before: string, edits: readonly Edit[]): string => {
  const parts: string[] = []
  let at = 0
  for (const edit of edits) {
    parts.push(before.slice(at, edit.from), edit.insert)
    at = edit.to
  }
  parts.push(before.slice(at))
  return parts.join('')
}

const bare = (lines: readonly string[]): string[] => lines.map((line) => (line.endsWith('\n') ? line.slice(0, -1) : line))

/** The changes as hunks of an event: lines counted from 1, at most `charsMax` characters in all; what does not fit is left out. */
export const hunks = (before: string, after: string, charsMax: number): Hunk[] => {
  if (before === after) return []
  const middle = differingLines(before, after)
  const firstLine = before.slice(0, middle.from).split('\n').length
  const result: Hunk[] = []
  let left = charsMax
  for (const change of lineChanges(middle.old, middle.new)) {
    left -= change.removed.join('').length + change.added.join('').length
    if (left < 0) break
    result.push({ line: firstLine + change.at, removed: bare(change.removed), added: bare(change.added) })
  }
  return result
}

/** A unified diff with three lines of context, cut at `charsMax` characters at a line end. */
export const unifiedDiff = (before: string, after: string, charsMax: number): string => {
  const patch = structuredPatch('before', 'after', before, after, '', '', { context: 3, maxEditLength: editLengthMax })
  if (patch === undefined) return ''
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines
  ])
  const text = lines.join('\n')
  return text.length <= charsMax ? text : text.slice(0, text.lastIndexOf('\n', charsMax))
}

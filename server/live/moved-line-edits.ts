/** The edits that remove copies of a moved card or row, and that bring a change to the place to which the line was moved. */
import type * as Y from 'yjs'
import { type Fence, fencesOf } from '../../shared/fences/fences.ts'
import { parseBoard } from '../../shared/fences/board.ts'
import { cellBar } from '../../shared/fences/column-order.ts'
import { applyEdits, diff, type Edit, followed, moved } from '../../shared/text/diff.ts'
import { itemMarker } from '../../shared/text/moved-lines.ts'

/** A copy of a line: the offset of its first character, and the person who wrote it. */
export interface Copy {
  readonly at: number
  readonly id: Y.ID
  readonly client: number
  /** Whether somebody else has changed the copy since. */
  readonly isChanged: boolean
  /** Whether the cells are in another order than before. The other rows of the sheet have this order too. */
  readonly isRewritten: boolean
  /** The offsets of the first characters of other moved lines on this line. */
  readonly joined: readonly number[]
  /** The line from the first character on, in the order of the text. */
  readonly parts: readonly { readonly client: number; readonly length: number }[]
}

/** The text of a line without and with a change. */
export interface LineChange {
  readonly base: string
  readonly changed: string
  /** Both without the text that others wrote at the same places, and that the author of the change did not know. Absent if there is none. */
  readonly blind?: { readonly base: string; readonly changed: string } | undefined
}

/** The longest text in which lines are looked for, in UTF-16 units. In longer text, all copies stay. */
const textUnitsMax = 128 * 1024

/** Matches text that may contain a board or a sheet. */
export const fenceWith = /(?:```|~~~)[ \t]*(?:board|sheet)/

/** The lines of a card, column or row. */
interface Block {
  readonly from: number
  readonly to: number
  /** The text that identifies it, without the marker of a card. */
  readonly words: string
  /** The range of these words on the first line. */
  readonly text: { readonly from: number; readonly to: number }
  readonly lines: readonly { readonly from: number; readonly to: number }[]
}

const fenceAt = (content: string, at: number): Fence | undefined =>
  content.length > textUnitsMax
    ? undefined
    : fencesOf(content).find(({ kind, bodyFrom, bodyTo }) => (kind === 'board' || kind === 'sheet') && bodyFrom <= at && at <= bodyTo)

const blockAt = (fence: Fence, at: number): Block | undefined => {
  const line = fence.lines.find(({ from, to }) => from <= at && at <= to)
  if (line === undefined) return undefined
  const cards = fence.kind === 'board' ? parseBoard(fence).columns.flatMap((column) => column.cards) : []
  const card = cards.find((each) => each.line.from <= at && at <= each.line.to)
  const lines = [line, ...(card?.details ?? [])]
  const text = card?.text ?? { from: at, to: line.to }
  const words = [fence.source.slice(text.from, text.to), ...(card?.details ?? []).map((each) => each.text)].join('\n').trimEnd()
  return { from: at, to: lines.at(-1)?.to ?? line.to, words, text, lines }
}

const cellCount = (line: string): number => line.split(cellBar).length

/** Whether all characters of one text are in another one, in the same order. */
const isWithin = (one: string, other: string): boolean => {
  let at = 0
  for (const char of other) if (char === one.charAt(at)) at += 1
  return at === one.length
}

/** Removes a copy that shares its line with another one: two people undid the same move. Yjs may have mixed their characters. */
const mixedEdits = (copies: readonly Copy[]): Edit[] => {
  const [first] = copies
  const kept = copies.at(-1)?.client
  const others = new Set(copies.map(({ client }) => client).filter((client) => client !== kept))
  let at = first?.at ?? 0
  return (first?.parts ?? []).flatMap(({ client, length }): Edit[] => {
    at += length
    return others.has(client) ? [{ from: at - length, to: at, insert: '' }] : []
  })
}

/** Returns the copy of an unchanged line that stays. */
export const keptOf = <Each extends Copy>(copies: readonly Each[]): Each | undefined =>
  copies.findLast(({ isRewritten }) => isRewritten) ?? copies.at(-1)

/** Returns the number of adjacent line breaks before or behind an offset. */
const breaksBefore = (content: string, at: number): number => {
  let count = 0
  while (content.charAt(at - count - 1) === '\n') count += 1
  return count
}
const breaksBehind = (content: string, at: number): number => {
  let count = 0
  while (content.charAt(at + count) === '\n') count += 1
  return count
}

/** Returns the edits that separate the lines around the old place of a moved line of text. Two moves can remove the line breaks on both sides of it. */
export const oldNeighbors = (content: string, place: number, copy: number): Edit[] => {
  const isJoined = place > 0 && place < content.length && content.charAt(place - 1) !== '\n' && content.charAt(place) !== '\n'
  if (!isJoined || content.length > textUnitsMax || fenceAt(content, place) !== undefined) return []
  const line = content.slice(copy, copy + 40)
  return [{ from: place, to: place, insert: itemMarker.test(line) || line.startsWith('|') ? '\n' : '\n\n' }]
}

/** Returns the edits that leave one copy of a line of text, such as a paragraph or a list item. The last one stays, because other lines may belong to it. */
const textCopiesKept = (content: string, copies: readonly Copy[]): Edit[] => {
  const lineOf = ({ at }: Copy): number => content.lastIndexOf('\n', at - 1)
  const mixed = copies.filter((each) => copies.some((other) => other !== each && lineOf(other) === lineOf(each)))
  if (mixed.length > 0) return mixedEdits(mixed)
  return copies.slice(0, -1).flatMap((copy): Edit[] => {
    if (copy.isChanged) return []
    const from = lineOf(copy) + 1
    const end = content.indexOf('\n', copy.at)
    const to = end === -1 ? content.length : end
    const [before, behind] = [breaksBefore(content, from), breaksBehind(content, to)]
    if (from === 0) return [{ from, to: to + behind, insert: '' }]
    // The line breaks on the other side still separate the lines around it.
    return to === content.length ? [{ from: from - before, to, insert: '' }] : [{ from, to: to + Math.min(before, behind), insert: '' }]
  })
}

/** Returns the edits that leave one copy of a line. Copies that people have changed in different ways all stay. */
export const copiesKept = (content: string, copies: readonly Copy[]): Edit[] => {
  const [first] = copies
  if (first === undefined || copies.length < 2 || content.length > textUnitsMax) return []
  const fence = fenceAt(content, first.at)
  if (fence === undefined) return textCopiesKept(content, copies)
  const found = copies.flatMap((copy) => {
    const block = blockAt(fence, copy.at)
    return block === undefined ? [] : [{ copy, block }]
  })
  const line = found.find(({ block }, index) => found.findIndex((each) => each.block.lines[0]?.from === block.lines[0]?.from) !== index)
  if (line !== undefined)
    return mixedEdits(found.filter(({ block }) => block.lines[0]?.from === line.block.lines[0]?.from).map(({ copy }) => copy))
  // Cells of a copy may be gone, because somebody moved the row while another person restored it.
  const cells = fence.kind === 'sheet' ? Math.max(...found.map(({ block }) => cellCount(block.words))) : 0
  const whole = found.filter(({ block }) => cellCount(block.words) >= cells)
  const changed = whole.filter(({ copy }) => copy.isChanged)
  const kept = whole.findLast(({ copy }) => copy.isRewritten) ?? (changed.length > 0 ? changed : whole).at(-1)
  const isKept = ({ words }: Block): boolean =>
    words === kept?.block.words || (cellCount(words) < cells && isWithin(words, kept?.block.words ?? ''))
  return found
    .filter((each) => each !== kept && (!each.copy.isChanged || isKept(each.block)))
    .flatMap(({ block }) => block.lines.map(({ from, to }) => ({ from, to, insert: '' })))
    .filter(({ from, to }) => to > from)
}

/** Matches the beginning of a card, column, row or closing fence. */
const lineStart = /^(?:[-*+] |##|\||```|~~~)/

/** Whether a place is before a bar inside a row: fewer cells follow on the line than the first row has. */
const isWithinRow = (fence: Fence, at: number): boolean => {
  const line = fence.lines.find(({ from, to }) => from <= at && at <= to)
  if (fence.kind !== 'sheet' || line === undefined || fence.source.charAt(at) !== '|') return false
  return cellCount(fence.source.slice(at, line.to)) < cellCount(fence.lines[0]?.text ?? '')
}

/**
 * Returns the edits that begin a line at the places of moved lines. The line break before a place is missing if one person undid a move while the
 * service removed an empty line there.
 */
export const lineBreaks = (content: string, places: readonly (number | undefined)[]): Edit[] => {
  const [place] = places.filter((at) => at !== undefined)
  const fence = place === undefined ? undefined : fenceAt(content, place)
  if (fence === undefined) return []
  return [...new Set(places)]
    .toSorted((one, other) => (one ?? 0) - (other ?? 0))
    .flatMap((at): Edit[] => {
      if (at === undefined || at < fence.bodyFrom) return []
      const before = content.slice(content.lastIndexOf('\n', at - 1) + 1, at)
      if (/^[ \t>]*$/.test(before) || !lineStart.test(content.slice(at, at + 4)) || isWithinRow(fence, at)) return []
      return [{ from: at, to: at, insert: '\n' }]
    })
}

/**
 * Returns the edits that bring the parts of a restored line together, or begin a line behind it. `places` are its characters, in order. Characters that
 * `hidden` removes stay, because they wait for another place.
 */
export const joinedLine = (content: string, places: readonly number[], hidden: readonly Edit[]): Edit[] => {
  const last = places.at(-1)
  if (last === undefined || fenceAt(content, last) === undefined) return []
  const next = places.findIndex((at, index) => index > 0 && content.slice(places[index - 1], at).includes('\n'))
  if (next === -1) return lineStart.test(content.slice(last + 1, last + 5)) ? [{ from: last + 1, to: last + 1, insert: '\n' }] : []
  const at = (places[next - 1] ?? 0) + 1
  const from = places[next] ?? 0
  const line = content.indexOf('\n', from)
  const to = line === -1 ? content.length : line
  const waiting = hidden.filter((each) => each.from >= from && each.to <= to)
  const rest = applyEdits(content.slice(from, to), moved(waiting, -from))
  const begins = [from, ...waiting.map((each) => each.to)]
  return [
    { from: at, to: at, insert: content.charAt(at) === '\n' ? rest : `${rest}\n` },
    ...begins.map((begin, index) => ({ from: begin, to: waiting[index]?.from ?? to, insert: '' })).filter((each) => each.to > each.from)
  ]
}

/** Returns the edits that put words that nobody can place on a line of their own: the service may have removed the line break before them. */
export const onOwnLine = (content: string, from: number, to: number): Edit[] => {
  const before = content.slice(content.lastIndexOf('\n', from - 1) + 1, from)
  const isBegin = /^[ \t>]*$/.test(before)
  // The line break behind them may be gone too: undo of a new card deletes its whole line.
  const isEnd = isBegin ? !lineStart.test(content.slice(to, to + 4)) : to === content.length || content.charAt(to) === '\n'
  if ((isBegin && isEnd) || fenceAt(content, from) === undefined) return []
  return [...(isBegin ? [] : [{ from, to: from, insert: '\n' }]), ...(isEnd ? [] : [{ from: to, to, insert: '\n' }])]
}

/** Returns the edits that put words, which stand on the line of a card, on a line of their own behind it. */
export const ownLineBehind = (content: string, gone: readonly Edit[]): Edit[] => {
  const words = gone.map(({ from, to }) => content.slice(from, to)).join('')
  const line = content.indexOf('\n', gone.at(-1)?.to)
  const end = line === -1 ? content.length : line
  return [...gone, { from: end, to: end, insert: `\n${words}` }]
}

/**
 * Returns the edits that separate inserted lines from the text above or below with a line break, or with an empty line for a paragraph. The line breaks
 * of the two texts on the other side would leave empty lines, so the shorter run of them goes. Boards and sheets have rules of their own.
 */
export const partedLines = (content: string, from: number, to: number, isAbove: boolean): Edit[] => {
  if (fenceAt(content, from) !== undefined) return []
  const lines = content.slice(from, to).trim().split('\n')
  const line = (isAbove ? lines[0] : lines.at(-1)) ?? ''
  // An item or row needs no empty line before it.
  const needed = itemMarker.test(line) || line.startsWith('|') ? 1 : 2
  const [joint, other] = isAbove ? [from, to] : [to, from]
  const [before, behind] = [breaksBefore(content, other), breaksBehind(content, other)]
  const spare = Math.min(before, behind)
  const begin = isAbove ? other : other - spare
  return [
    { from: joint, to: joint, insert: '\n'.repeat(Math.max(needed, before, behind)) },
    ...(spare > 0 ? [{ from: begin, to: begin + spare, insert: '' }] : [])
  ].toSorted((one, edit) => one.from - edit.from)
}

/** Returns edits that also remove some characters. The offsets of `edits` refer to the text without `hidden`, which are in ascending order. */
export const withGone = (edits: readonly Edit[], gone: readonly Edit[], hidden: readonly Edit[]): Edit[] => {
  const back = (at: number): number => hidden.reduce((offset, { from }) => (from <= offset ? offset + 1 : offset), at)
  const all = edits.map(({ from, to, insert }) => ({ from: back(from), to: back(to), insert }))
  return [...all, ...gone.filter((each) => !all.some(({ from, to }) => from <= each.from && each.to <= to))].toSorted(
    (one, other) => one.from - other.from || one.to - other.to
  )
}

const cardStart = /^[-*+][ \t]+(?:\[[ xX>]*\](?:[ \t]+|$))?/

/** Returns the text of a cell in each line, or undefined if they have not the same cells. */
const cellsOf = (lines: readonly string[]): string[][] | undefined => {
  const cells = lines.map((line) => line.split(cellBar))
  return cells.every(({ length }) => length === cells[0]?.length) ? cells : undefined
}

/**
 * Returns a row without the values that others have set in it: `shown` contains them, and `known` has neither these nor the earlier ones. `before` has
 * the earlier values.
 */
export const valuesBefore = (known: string, shown: string, before: string): string => {
  const [without, now, old] = cellsOf([known, shown, before]) ?? []
  return now?.map((cell, index) => (cell === without?.[index] ? cell : (old?.[index] ?? cell))).join('|') ?? (before || known)
}

/** Returns the edits of `now` that carry out a change of an earlier text. Undefined if both changed the same place. */
const rebased = ({ base, changed }: LineChange, now: string): readonly Edit[] | undefined => followed(diff(base, changed), diff(base, now))

const cardWords = (line: string): string => line.replace(cardStart, '').trimEnd()

/** Whether nobody misses a change of a line that was deleted: it is on a row, or changes only the marker of a card. */
export const isDispensable = (content: string, at: number, { base, changed }: LineChange): boolean =>
  fenceAt(content, at)?.kind === 'sheet' || (cardStart.test(base) && cardWords(base) === cardWords(changed))

/** Returns the edits that carry out a change on a line of text, such as a paragraph or a list item. A move may have changed the marker of the item. */
const changedText = (content: string, at: number, { base, changed }: LineChange): readonly Edit[] | undefined => {
  const next = content.indexOf('\n', at)
  const end = next === -1 ? content.length : next
  const whole = content.slice(content.lastIndexOf('\n', at - 1) + 1, end)
  // Words may have been brought to the beginning of the line.
  const line = whole.replace(/^[ \t>]*/, '')
  const words = line.replace(itemMarker, '')
  const edits = rebased({ base: base.replace(itemMarker, ''), changed: changed.replace(itemMarker, '') }, words)
  return edits && moved(edits, end - words.length)
}

/** Returns the edits that carry out a change on a line that was moved meanwhile. Undefined if somebody has changed the same place. */
export const changedLine = (content: string, at: number, { base, changed, blind }: LineChange): readonly Edit[] | undefined => {
  const fence = fenceAt(content, at)
  if (fence === undefined) return changedText(content, at, { base, changed })
  const block = blockAt(fence, at)
  if (block === undefined) return undefined
  const now = content.slice(block.text.from, block.text.to)
  if (fence.kind === 'board') {
    const edits = rebased({ base: cardWords(base), changed: cardWords(changed) }, now)
    return edits && moved(edits, block.text.from)
  }
  const cells = cellsOf([base, changed, now])
  if (cells === undefined) return undefined
  const [old, young, here] = cells as [string[], string[], string[]]
  const [oldBlind, youngBlind] = (blind && cellsOf([blind.base, blind.changed])) ?? []
  let offset = block.text.from
  const edits: Edit[] = []
  for (const [index, cell] of here.entries()) {
    const was = old[index] ?? ''
    // If two people set the whole cell, one value stays.
    const isSet = oldBlind?.[index]?.trim() === '' && youngBlind?.[index]?.trim() !== ''
    const is = (isSet ? youngBlind?.[index] : young[index]) ?? ''
    // A move adjusts formulas.
    if (was !== is && !is.trim().startsWith('=')) {
      // A value that was set at the new place is newer.
      if (cell === was) edits.push({ from: offset, to: offset + cell.length, insert: is })
    }
    offset += cell.length + 1
  }
  return edits
}

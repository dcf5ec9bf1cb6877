/**
 * Inserts references into the formula that is being edited when the person selects cells, in the formula's own sheet or in another one. Sheets are
 * identified by their index in the text.
 */
import { titleOfFence } from '../fences/captions.ts'
import { addId, type Fence, freeId } from '../fences/fences.ts'
import { referencesIn } from '../fences/formula/parse.ts'
import { type Spot, spotIn } from '../fences/formula/point.ts'
import type { Sheet } from '../fences/sheet.ts'
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import { type CellRange, type CellPosition, rangeName } from './cell-range.ts'

/** The content of the field, and its selection. */
export interface Typed {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** Cells that were selected for a formula, and the position of their reference in it. */
export interface Pointed extends CellRange {
  readonly text: string
  readonly from: number
  readonly to: number
}

export interface Pointing {
  /** The last inserted reference. */
  readonly pointed: Pointed | undefined
  /** Ids for sheets that have none yet. They are added to the text with the formula. */
  readonly ids: ReadonlyMap<number, string>
}

export const noPointing: Pointing = { pointed: undefined, ids: new Map() }

/** The sheets of the text, and the index of the sheet with the formula. */
export interface SheetsOfText {
  readonly sheets: readonly Sheet[]
  readonly index: number
}

/** A formula after cells were selected for it. It is unchanged if the cells cannot be referred to. */
export interface Inserted {
  readonly draft: Typed
  readonly pointing: Pointing
  /** The id that two sheets have, so that no formula can refer to the second one. */
  readonly sharedId?: string
}

/** Keeps the sheet of the last reference, because the person still selects cells there. The next reference does not replace the last one. */
const kept = (last: Pointed): Pointed => ({ ...last, from: -1, to: -1 })

/** Returns the last inserted reference if the caret is still at its end. The next reference then replaces it. */
const lastIn = ({ text, from, to }: Typed, { pointed: last }: Pointing): Pointed | undefined =>
  last?.text === text && from === last.to && to === last.to ? last : undefined

/** Returns the place for a reference; undefined if none can be inserted at the caret. */
function spotOf(draft: Typed, pointing: Pointing): Spot | undefined {
  const { from, to } = lastIn(draft, pointing) ?? draft
  return spotIn(draft.text, from, to)
}

/** Whether a reference can be inserted at the caret of the field. */
export const takesReference = (draft: Typed, pointing: Pointing): boolean => spotOf(draft, pointing) !== undefined

/** Whether the caret is still after the reference that was last inserted for this sheet. */
export const goesOn = (draft: Typed, pointing: Pointing, sheet: number): boolean => lastIn(draft, pointing)?.sheet === sheet

/** Returns the id that formulas in other sheets use for a sheet. The id is undefined if the sheet cannot have one. */
function idOf(
  sheet: number,
  ids: ReadonlyMap<number, string>,
  all: readonly Fence[]
): Pick<Inserted, 'sharedId'> & { readonly id?: string } {
  const fence = all[sheet]
  if (fence === undefined) return {}
  const { id } = fence
  if (id === undefined)
    return { id: ids.get(sheet) ?? freeId([...all.map((each) => each.id), ...ids.values()], fence, titleOfFence(fence, all)) }
  return all.findIndex((each) => each.id === id) === sheet ? { id } : { sharedId: id }
}

/** Writes the name of the cells at the place for the reference. */
function insert(draft: Typed, pointing: Pointing, range: CellRange, { from, to, end }: Spot, { sheets, index }: SheetsOfText): Inserted {
  const name = rangeName(range)
  const isOwn = range.sheet === index
  const fences = sheets.map(({ fence }) => fence)
  const { id, sharedId } = isOwn ? {} : idOf(range.sheet, pointing.ids, fences)
  const isNew = id !== undefined && fences[range.sheet]?.id === undefined
  const ids = isNew ? new Map([...pointing.ids, [range.sheet, id]]) : pointing.ids
  const isPossible = (isOwn || id !== undefined) && (end === undefined || end.sheet === id)
  if (!isPossible) return { draft, pointing: { ...pointing, ids }, ...(sharedId !== undefined && { sharedId }) }
  const written = isOwn || end !== undefined ? name : `#${id}!${name}`
  const text = draft.text.slice(0, from) + written + draft.text.slice(to)
  const at = from + written.length
  return { draft: { text, from: at, to: at }, pointing: { ids, pointed: { ...range, text, from, to: at } } }
}

/** Inserts a reference to a cell into the formula. Returns undefined if none can be inserted at the caret. */
export function pointAt(
  draft: Typed,
  pointing: Pointing,
  { sheet, place, isRange }: { readonly sheet: number; readonly place: CellPosition; readonly isRange: boolean },
  all: SheetsOfText
): Inserted | undefined {
  const again = lastIn(draft, pointing)
  const spot = spotOf(draft, pointing)
  if (spot === undefined) return undefined
  const one = isRange && spot.takes === 'range' && again?.sheet === sheet ? again.one : place
  return insert(draft, pointing, { sheet, one, other: place }, spot, all)
}

function within(sheet: Sheet | undefined, { row, column }: CellPosition): CellPosition {
  const { rows = [], width = 1 } = sheet ?? {}
  const height = Math.min(Math.max(rows.length, 1), limits.sheetRowsMax)
  const columns = Math.min(Math.max(width, 1), limits.sheetColumnsMax)
  return { row: Math.min(Math.max(0, row), height - 1), column: Math.min(Math.max(0, column), columns - 1) }
}

/**
 * Selects the cell that is the given number of rows and columns away from the last selected cell, or else from the edited cell. Returns undefined if
 * no reference can be inserted at the caret.
 */
export function pointBy(
  draft: Typed,
  pointing: Pointing,
  { origin, step, isRange }: { readonly origin: CellPosition; readonly step: CellPosition; readonly isRange: boolean },
  all: SheetsOfText
): Inserted | undefined {
  const spot = spotOf(draft, pointing)
  if (spot === undefined) return undefined
  const { sheet, one, other } = lastIn(draft, pointing) ?? { sheet: all.index, one: origin, other: origin }
  const next = within(all.sheets[sheet], { row: other.row + step.row, column: other.column + step.column })
  return insert(draft, pointing, { sheet, one: isRange && spot.takes === 'range' ? one : next, other: next }, spot, all)
}

/**
 * Returns the other sheets in the order in which a person reaches them in a direction. The sheet from which the person starts is the last one. There
 * are none if no reference can be inserted at the caret.
 */
export function sheetsFrom(
  draft: Typed,
  pointing: Pointing,
  direction: 1 | -1,
  { sheets: { length }, index }: SheetsOfText
): readonly number[] {
  if (spotOf(draft, pointing) === undefined || length < 2) return []
  const start = lastIn(draft, pointing)?.sheet ?? index
  return Array.from({ length }, (_sheet, count) => (start + direction * (count + 1) + length) % length)
}

/** Keeps the last inserted reference, so that the next one does not replace it. */
export function keepReference({ pointed, ids }: Pointing, index: number): Pointing {
  // Without a new reference, the field stays on the sheet that shows it.
  return { ids, pointed: pointed === undefined || pointed.sheet === index ? undefined : kept(pointed) }
}

/** Returns the last inserted reference after others have changed the formula's text. */
export function referenceIn(text: string, { pointed, ids }: Pointing, from: number, to: number): Pointing {
  if (pointed === undefined) return { pointed, ids }
  const found = referencesIn(text, true).find(({ start }) => start === from)
  return {
    ids,
    pointed: found === undefined ? kept(pointed) : { ...pointed, one: found.first, other: found.last ?? found.first, text, from, to }
  }
}

/** Gives an id to each sheet that a formula names, and returns the formula with these ids. `all` contains the current sheets of the text. */
export function withIds(
  text: string,
  ids: Pointing['ids'],
  all: readonly Fence[]
): { readonly text: string; readonly edits: readonly Edit[] } {
  const edits: Edit[] = []
  let now = text
  for (const [sheet, id] of ids) {
    const fence = all[sheet]
    if (fence === undefined || !now.includes(`#${id}!`)) continue
    edits.push(...addId(fence, id))
    // Another person has since given the sheet an id, so the formula uses that id.
    if (fence.id !== undefined) now = now.replaceAll(`#${id}!`, `#${fence.id}!`)
  }
  return { text: now, edits }
}

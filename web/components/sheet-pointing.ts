/** Inserts references into the formula that is being edited when the person selects cells, in the formula's own sheet or in another one. */
import { addId, type Fence, freeId } from '../../shared/fences/fences.ts'
import { referencesIn } from '../../shared/fences/formula/parse.ts'
import { type Spot, spotIn } from '../../shared/fences/formula/point.ts'
import { limits } from '../../shared/limits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { titleOfFence } from '../../shared/fences/captions.ts'
import type { ComponentInput } from './input.ts'
import { nameOf, type Place } from './sheet-grid.tsx'
import { areaBetween } from '../../shared/components/sheet-selection.ts'
import type { CellRange, Pointed } from './sheets-around.ts'

/** A formula whose sheets all have ids, and the edits that add the missing ids to the text. */
export interface Named {
  readonly text: string
  readonly edits: readonly Edit[]
}

export interface Pointing {
  /** Whether a reference can be inserted at the cursor of the field. */
  takes(field: HTMLInputElement): boolean
  /** Whether the cursor is still after the reference that was last inserted for this sheet. */
  goesOn(field: HTMLInputElement, sheet: number): boolean
  /** Inserts a reference to a cell into the formula. Returns false if none can be inserted at the cursor. */
  point(field: HTMLInputElement, sheet: number, place: Place, isRange: boolean): boolean
  /**
   * Selects the cell that is some rows and columns away from the last selected cell, or else from the edited cell. Returns false if no reference can
   * be inserted at the cursor.
   */
  step(field: HTMLInputElement, origin: Place, step: Place, isRange: boolean): boolean
  /** Goes to the previous or the next sheet. Returns false if no reference can be inserted at the cursor. */
  change(field: HTMLInputElement, origin: Place, direction: 1 | -1): boolean
  /** Keeps the current reference, so that the next one does not replace it. */
  keep(): void
  /** Returns the start and the end of the last inserted reference in the formula. */
  offsets(): readonly [number, number]
  /** Called when changes by others have changed the text of the formula. */
  moved(text: string, from: number, to: number): void
  /** Gives an id to each sheet that the formula names. `sheets` contains the current sheets of the text. */
  named(text: string, sheets: readonly Fence[]): Named
  end(): void
}

/** Returns the last inserted reference if the cursor is still at its end. The next reference then replaces it. */
const lastIn = ({ value, selectionStart, selectionEnd }: HTMLInputElement, last: Pointed | undefined): Pointed | undefined =>
  last?.text === value && selectionStart === last.to && selectionEnd === last.to ? last : undefined

export function createPointing({ sheets, sheetIndex, around, show, said }: ComponentInput): Pointing {
  const { pointed } = around
  /** Ids for sheets that have none yet. They are added to the text with the formula. */
  const ids = new Map<number, string>()

  const spotOf = (field: HTMLInputElement): { readonly again: Pointed | undefined; readonly spot: Spot | undefined } => {
    const again = lastIn(field, pointed.peek())
    const [from, to] = [again?.from ?? field.selectionStart ?? 0, again?.to ?? field.selectionEnd ?? 0]
    return { again, spot: spotIn(field.value, from, to) }
  }
  /** Returns the id that formulas in other sheets use for a sheet, or undefined if the sheet cannot have one. */
  const idOf = (sheet: number): string | undefined => {
    const all = sheets.peek().sheets.map(({ fence }) => fence)
    const fence = all[sheet]
    if (fence === undefined) return undefined
    if (fence.id === undefined)
      ids.set(sheet, ids.get(sheet) ?? freeId([...all.map(({ id }) => id), ...ids.values()], fence, titleOfFence(fence, all)))
    const id = fence.id ?? ids.get(sheet)
    if (all.findIndex((each) => each.id === id) === sheet || fence.id === undefined) return id
    toast(t('Two sheets are called #{id}. Rename one of them in its source.', { id: id ?? '' }))
    return undefined
  }
  /** Returns the text of a reference, or undefined if the cells cannot be referred to. */
  const referenceTo = ({ sheet, one, other }: CellRange, { end }: Spot): string | undefined => {
    const { top, bottom, first, last } = areaBetween(one, other)
    const [corner, opposite] = [nameOf({ row: top, column: first }), nameOf({ row: bottom, column: last })]
    const name = corner === opposite ? corner : `${corner}:${opposite}`
    const isOwn = sheet === sheetIndex.peek()
    const id = isOwn ? undefined : idOf(sheet)
    if (!isOwn && id === undefined) return undefined
    if (end !== undefined) return end.sheet === id ? name : undefined
    return isOwn ? name : `#${id}!${name}`
  }
  const put = (field: HTMLInputElement, range: CellRange, spot: Spot): void => {
    const name = referenceTo(range, spot)
    if (name === undefined) return
    field.setRangeText(name, spot.from, spot.to, 'end')
    pointed.value = { ...range, text: field.value, from: spot.from, to: spot.from + name.length }
  }
  const sizeOf = (sheet: number): { readonly height: number; readonly width: number } => {
    const { rows = [], width = 1 } = sheets.peek().sheets[sheet] ?? {}
    return { height: Math.min(Math.max(rows.length, 1), limits.sheetRowsMax), width: Math.min(Math.max(width, 1), limits.sheetColumnsMax) }
  }
  const within = (sheet: number, { row, column }: Place): Place => {
    const { height, width } = sizeOf(sheet)
    return { row: Math.min(Math.max(0, row), height - 1), column: Math.min(Math.max(0, column), width - 1) }
  }
  /** For a keyboard user, scrolls to the selected cell and announces it. */
  const tell = (): void => {
    const now = pointed.peek()
    if (now !== undefined) said.value = now.text.slice(now.from, now.to)
  }
  return {
    takes: (field) => spotOf(field).spot !== undefined,
    goesOn: (field, sheet) => spotOf(field).again?.sheet === sheet,
    point(field, sheet, place, isRange) {
      const { again, spot } = spotOf(field)
      if (spot === undefined) return false
      const start = isRange && spot.takes === 'range' && again?.sheet === sheet ? again.one : place
      put(field, { sheet, one: start, other: place }, spot)
      return true
    },
    step(field, origin, step, isRange) {
      const { again, spot } = spotOf(field)
      if (spot === undefined) return false
      const { sheet, one, other } = again ?? { sheet: sheetIndex.peek(), one: origin, other: origin }
      const next = within(sheet, { row: other.row + step.row, column: other.column + step.column })
      put(field, { sheet, one: isRange && spot.takes === 'range' ? one : next, other: next }, spot)
      tell()
      return true
    },
    change(field, origin, direction) {
      const { again, spot } = spotOf(field)
      const all = sheets.peek().sheets
      if (spot === undefined || all.length < 2) return false
      let sheet = again?.sheet ?? sheetIndex.peek()
      for (const _each of all) {
        sheet = (sheet + direction + all.length) % all.length
        const fence = all[sheet]?.fence
        if (fence !== undefined && show(fence)) break
      }
      const place = sheet === sheetIndex.peek() ? origin : { row: 0, column: 0 }
      put(field, { sheet, one: place, other: place }, spot)
      tell()
      return true
    },
    keep() {
      const now = pointed.peek()
      // Without a new reference, the field stays on the sheet that shows it.
      pointed.value = now === undefined || now.sheet === sheetIndex.peek() ? undefined : { ...now, from: -1, to: -1 }
    },
    offsets: () => [pointed.peek()?.from ?? 0, pointed.peek()?.to ?? 0],
    moved(text, from, to) {
      const now = pointed.peek()
      if (now === undefined) return
      const found = referencesIn(text, true).find(({ start }) => start === from)
      pointed.value =
        found === undefined ? { ...now, from: -1, to: -1 } : { ...now, one: found.first, other: found.last ?? found.first, text, from, to }
    },
    named(text, all) {
      const edits: Edit[] = []
      let now = text
      for (const [sheet, id] of ids) {
        const fence = all[sheet]
        if (fence === undefined || !now.includes(`#${id}!`)) continue
        edits.push(...addId(fence, id))
        // Another person has given the sheet an id in the meantime, so the formula uses that id.
        if (fence.id !== undefined) now = now.replaceAll(`#${id}!`, `#${fence.id}!`)
      }
      return { text: now, edits }
    },
    end() {
      pointed.value = undefined
      ids.clear()
    }
  }
}

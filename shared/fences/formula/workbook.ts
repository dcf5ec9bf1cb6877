/**
 * Computes the sheets of a document. Each cell is computed after the cells in its formula. An explicit stack allows chains of any length. A chain
 * that returns to itself gives `#CYCLE!`.
 */
import { limits } from '../../limits.ts'
import { evaluate, firstOf, type Sources, tooMuch } from './evaluate.ts'
import { type Formula, parseFormula, type Reference } from './parse.ts'
import { Failure, type Scalar, textOf, type Value, valueOfCell } from './values.ts'
import { term } from '../../words.ts'

export interface SheetInput {
  /** The id that other sheets use to name this sheet. If two sheets have the same id, the first one counts. */
  readonly id: string | undefined
  /** Cell text, row by row. Text that begins with `=` is a formula. */
  readonly rows: readonly (readonly string[])[]
}

export interface Workbook {
  /** Returns the value of a cell; null outside the sheet. Row and column are counted from 0. */
  valueAt(sheet: number, row: number, column: number): Scalar
  /** Returns the displayed text of a cell. */
  textAt(sheet: number, row: number, column: number): string
}

type Parsed = Formula | Failure

interface Computed {
  readonly rows: SheetInput['rows']
  readonly height: number
  readonly width: number
  /** Values of the cells; undefined until a value is known. */
  readonly values: (Scalar | undefined)[]
  /** Cells that wait for other cells. */
  readonly underWay: Set<number>
}

// Maximum number of parsed formulas that are cached across computations. When the cache is full, it is cleared.
const parsedMax = 20_000
let known = new Map<string, Parsed>()

const parsedOf = (text: string): Parsed => {
  const found = known.get(text)
  if (found !== undefined) return found
  if (known.size >= parsedMax) known = new Map()
  const parsed = attempt(() => parseFormula(text))
  known.set(text, parsed)
  return parsed
}

const computedOf = ({ rows }: SheetInput): Computed => {
  const height = Math.min(rows.length, limits.sheetRowsMax)
  let width = 0
  for (let row = 0; row < height; row++) width = Math.max(width, rows[row]?.length ?? 0)
  return { rows, height, width: Math.min(width, limits.sheetColumnsMax), values: [], underWay: new Set() }
}

interface Area {
  readonly sheet: Computed
  readonly top: number
  readonly left: number
  readonly bottom: number
  readonly right: number
}

/** A cell that is being computed, and the progress through the cells in its formula. */
interface Visit {
  readonly sheet: Computed
  readonly cell: number
  readonly formula: Formula
  readonly areas: readonly Area[]
  area: number
  /** Index of the next cell in the area, row by row. */
  at: number
}

const sizeOf = ({ top, left, bottom, right }: Area): number => (bottom - top + 1) * (right - left + 1)

const attempt = <T>(work: () => T): T | Failure => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Creates a workbook from its sheets. `now` is the time for `TODAY`, in milliseconds since 1970. */
export const createWorkbook = (inputs: readonly SheetInput[], now: number): Workbook => {
  const sheets = inputs.slice(0, limits.sheetsMax).map(computedOf)
  const byId = new Map<string, Computed>()
  inputs.slice(0, limits.sheetsMax).forEach(({ id }, index) => {
    const sheet = sheets[index]
    if (id !== undefined && sheet !== undefined && !byId.has(id)) byId.set(id, sheet)
  })
  const noSheet = (id: string): Failure => {
    const others = [...byId.keys()].map((each) => `#${each}`).join(', ')
    const sentence = others === '' ? term('There is no sheet {name}.') : term('There is no sheet {name}. The document has {others}.')
    return new Failure('#REF!', sentence, { name: `#${id}`, others })
  }
  let steps = 0

  const step = (count: number): void => {
    steps += count
    if (steps > limits.sheetStepsMax) throw tooMuch()
  }

  const areaOrFailure = ({ sheet: id, from, to = from }: Reference, own: Computed): Area | Failure => {
    const sheet = id === undefined ? own : byId.get(id)
    if (sheet === undefined) return noSheet(id ?? '')
    const [top, bottom] = from.row < to.row ? [from.row, to.row] : [to.row, from.row]
    const [left, right] = from.column < to.column ? [from.column, to.column] : [to.column, from.column]
    if (bottom >= limits.sheetRowsMax || right >= limits.sheetColumnsMax) return new Failure('#REF!', term('The sheet has no such cell.'))
    return { sheet, top, bottom, left, right }
  }

  const areaOf = (reference: Reference, own: Computed): Area => {
    const area = areaOrFailure(reference, own)
    if (area instanceof Failure) throw area
    return area
  }

  /** Returns the value of a cell whose formula, if it has one, has been computed; null outside the sheet. */
  const valueIn = (sheet: Computed, row: number, column: number): Scalar => {
    if (row >= sheet.height || column >= sheet.width) return null
    const cell = row * sheet.width + column
    const value = sheet.values[cell]
    if (value !== undefined) return value
    return (sheet.values[cell] = valueOfCell(sheet.rows[row]?.[column] ?? ''))
  }

  const sources = new Map<Computed, Sources>()
  const sourcesOf = (own: Computed): Sources => {
    const found = sources.get(own) ?? newSources(own)
    sources.set(own, found)
    return found
  }
  const newSources = (own: Computed): Sources => ({
    now,
    step,
    readOne({ sheet: id, from }) {
      if (id === undefined && from.row < limits.sheetRowsMax && from.column < limits.sheetColumnsMax)
        return valueIn(own, from.row, from.column)
      const { sheet, top, left } = areaOf({ sheet: id, from, to: undefined }, own)
      return valueIn(sheet, top, left)
    },
    read(reference): Value {
      const { sheet, top, left, bottom, right } = areaOf(reference, own)
      const rows: Scalar[][] = []
      for (let row = top; row <= bottom; row++) {
        const values: Scalar[] = []
        for (let column = left; column <= right; column++) values.push(valueIn(sheet, row, column))
        rows.push(values)
      }
      return rows
    }
  })
  const isFormula = (sheet: Computed, row: number, column: number): boolean =>
    row < sheet.height && column < sheet.width && sheet.rows[row]?.[column]?.charCodeAt(0) === 61

  /**
   * Begins to compute a cell. Returns undefined if the cell gets its value immediately, because its formula cannot be parsed or reads too many cells.
   */
  const begin = (sheet: Computed, row: number, column: number): Visit | undefined => {
    const cell = row * sheet.width + column
    const formula = parsedOf(sheet.rows[row]?.[column] ?? '')
    const areas: Area[] = []
    let count = 1
    for (const reference of formula instanceof Failure ? [] : formula.references) {
      const area = areaOrFailure(reference, sheet)
      // A missing sheet or cell only fails when it is read.
      if (area instanceof Failure) continue
      areas.push(area)
      count += sizeOf(area)
    }
    steps += count
    const failure = formula instanceof Failure ? formula : steps > limits.sheetStepsMax ? tooMuch() : undefined
    if (failure !== undefined || formula instanceof Failure) {
      sheet.values[cell] = failure
      return undefined
    }
    sheet.underWay.add(cell)
    return { sheet, cell, formula, areas, area: 0, at: 0 }
  }

  /** Returns the next cell that must be computed first; undefined if there is none. */
  const nextUnknown = (visit: Visit): { sheet: Computed; row: number; column: number } | undefined => {
    for (; visit.area < visit.areas.length; visit.area++, visit.at = 0) {
      const { sheet, top, left, bottom, right } = visit.areas[visit.area] as Area
      const width = right - left + 1
      for (; visit.at < width * (bottom - top + 1); visit.at++) {
        const row = top + Math.floor(visit.at / width)
        const column = left + (visit.at % width)
        if (sheet.values[row * sheet.width + column] === undefined && isFormula(sheet, row, column)) return { sheet, row, column }
      }
    }
    return undefined
  }

  const give = (sheet: Computed, cell: number, formula: Formula): void => {
    try {
      sheet.values[cell] = firstOf(evaluate(formula.expression, sourcesOf(sheet))) ?? 0
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      sheet.values[cell] = error
    }
  }

  const finish = ({ sheet, cell, formula }: Visit): void => {
    give(sheet, cell, formula)
    sheet.underWay.delete(cell)
  }

  /**
   * Computes a cell immediately if all cells in its formula are known and in its own sheet. Returns whether it did. This is the most common
   * case, because cells are read from top to bottom.
   */
  const giveAtOnce = (sheet: Computed, row: number, column: number): boolean => {
    const formula = parsedOf(sheet.rows[row]?.[column] ?? '')
    if (formula instanceof Failure) return false
    let count = 1
    for (const { sheet: id, from, to = from } of formula.references) {
      if (id !== undefined || to.row < from.row || to.column < from.column) return false
      count += (to.row - from.row + 1) * (to.column - from.column + 1)
      if (steps + count > limits.sheetStepsMax) return false
      for (let down = from.row; down <= to.row; down++)
        for (let across = from.column; across <= to.column; across++)
          if (sheet.values[down * sheet.width + across] === undefined && isFormula(sheet, down, across)) return false
    }
    steps += count
    give(sheet, row * sheet.width + column, formula)
    return true
  }

  /** Gives `#CYCLE!` to this cell and all cells above it on the stack, because they form a cycle. */
  const breakCycle = (stack: Visit[], sheet: Computed, cell: number): void => {
    for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
      visit.sheet.values[visit.cell] = new Failure('#CYCLE!', term('This cell depends on itself.'))
      visit.sheet.underWay.delete(visit.cell)
      if (visit.sheet === sheet && visit.cell === cell) return
    }
  }

  const compute = (first: Computed, row: number, column: number): void => {
    const stack: Visit[] = []
    const push = (sheet: Computed, atRow: number, atColumn: number): void => {
      const visit = begin(sheet, atRow, atColumn)
      if (visit !== undefined) stack.push(visit)
    }
    push(first, row, column)
    for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
      const next = nextUnknown(visit)
      if (next === undefined) {
        stack.pop()
        finish(visit)
      } else {
        const cell = next.row * next.sheet.width + next.column
        if (next.sheet.underWay.has(cell)) breakCycle(stack, next.sheet, cell)
        else push(next.sheet, next.row, next.column)
      }
    }
  }

  const valueAt = (index: number, row: number, column: number): Scalar => {
    const sheet = sheets[index]
    if (sheet === undefined || row >= sheet.height || column >= sheet.width) return null
    if (sheet.values[row * sheet.width + column] === undefined && isFormula(sheet, row, column) && !giveAtOnce(sheet, row, column))
      compute(sheet, row, column)
    return valueIn(sheet, row, column)
  }

  return { valueAt, textAt: (sheet, row, column) => textOf(valueAt(sheet, row, column)) }
}

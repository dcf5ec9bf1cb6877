import { expect, test } from 'vitest'
import { documentSheets } from '../shared/fences/document-sheets.ts'
import { functionNames } from '../shared/fences/formula/functions.ts'
import { pointable } from '../shared/fences/formula/point.ts'
import { englishNames } from '../shared/fences/formula/german-names.ts'
import { Failure } from '../shared/fences/formula/values.ts'
import { createWorkbook } from '../shared/fences/formula/workbook.ts'
import { sheetHtml } from '../shared/fences/html.ts'
import { limits } from '../shared/limits.ts'
import { fenceIn } from './support/components.ts'
import { cells, otherCells, table } from './support/formulas.ts'

const now = Date.UTC(2026, 10, 20, 12)

/** Returns the displayed value of a formula in a cell next to the test's sheet. */
const shown = (formula: string): string =>
  createWorkbook(
    [
      { id: 'main', rows: [...cells, [formula]] },
      { id: 'other', rows: otherCells }
    ],
    now
  ).textAt(0, cells.length, 0)

const compute = (rows: readonly (readonly string[])[]): string[][] => {
  const workbook = createWorkbook([{ id: undefined, rows }], now)
  return rows.map((row, at) => row.map((_cell, column) => workbook.textAt(0, at, column)))
}

test('[FENCE-20] more than 400 formulas give the results of OpenFormula and Excel', () => {
  const lines = table.split('\n').filter((line) => line.startsWith('='))
  expect(lines.length).toBeGreaterThan(400)
  const wrong = lines.flatMap((line) => {
    const at = line.lastIndexOf(' →')
    const [formula, wanted] = [line.slice(0, at), line.slice(at + 2).trim()]
    const found = shown(formula)
    return found === wanted ? [] : [`${line}, but ${found}`]
  })
  expect(wrong).toEqual([])
  const used = new Set(Array.from(table.matchAll(/([A-Z.]+)\(/g), ([, name = '']) => name))
  expect(functionNames.filter((name) => !used.has(name))).toEqual([])
})

test('[FENCE-80] amounts with a currency sign or a percent sign are numbers, and are shown as written', () => {
  const amounts = ['$3.00', '-4.50\u00A0€', '£ 1,000', '25 %', '€', '$ee']
  const results = ['=SUM(A1:A6)', '=COUNT(A1:A6)', '=MAX(A1:A2)']
  expect(compute([...amounts, ...results].map((text) => [text])).slice(amounts.length)).toEqual([['998.75'], ['4'], ['3']])
  const fence = fenceIn('sheet', ...amounts.map((text) => `| ${text} |`))
  const cellsShown = Array.from(
    sheetHtml(fence, { sheets: documentSheets([fence], 0), line: 0, inline: String }).matchAll(/<t[dh](?: [^>]*)?>([^<]*)/g)
  )
  expect(cellsShown.map(([, text]) => text)).toEqual(amounts)
})

test('[FENCE-21] cells that depend on themselves show #CYCLE!, and so do cells that refer to them; all others are computed', () => {
  expect(compute([['=A1']])).toEqual([['#CYCLE!']])
  expect(compute([['=B1', '=C1', '=A1', '=A1+1', '=1+1']])).toEqual([['#CYCLE!', '#CYCLE!', '#CYCLE!', '#CYCLE!', '2']])
  expect(compute([['=SUM(A1:A3)'], ['1'], ['2']])).toEqual([['#CYCLE!'], ['1'], ['2']])
  expect(compute([['=IFERROR(B1,5)', '=B1']])).toEqual([['5', '#CYCLE!']])
  const two = createWorkbook(
    [
      { id: 'a', rows: [['=#b!A1', '1']] },
      { id: 'b', rows: [['=#a!A1', '=#a!B1+1']] }
    ],
    now
  )
  expect([two.textAt(0, 0, 0), two.textAt(1, 0, 0), two.textAt(1, 0, 1)]).toEqual(['#CYCLE!', '#CYCLE!', '2'])
})

test('[FENCE-22] chains of any length and formulas of any depth never overflow the stack', () => {
  const { sheetRowsMax: height, sheetColumnsMax: width } = limits
  // Every cell of the sheet refers to the next one.
  const name = (cell: number): string => {
    const column = cell % width
    return `${column > 25 ? 'A' : ''}${String.fromCharCode(65 + (column % 26))}${Math.floor(cell / width) + 1}`
  }
  const chain = Array.from({ length: height }, (_row, row) =>
    Array.from({ length: width }, (_column, column) => {
      const cell = row * width + column
      return cell === height * width - 1 ? '1' : `=${name(cell + 1)}+1`
    })
  )
  expect(createWorkbook([{ id: undefined, rows: chain }], now).textAt(0, 0, 0)).toBe(String(height * width))
  const loop = chain.with(height - 1, (chain[height - 1] as string[]).with(width - 1, '=A1'))
  expect(createWorkbook([{ id: undefined, rows: loop }], now).textAt(0, 100, 3)).toBe('#CYCLE!')

  expect(shown(`=${'('.repeat(500)}1${')'.repeat(500)}`)).toBe('#VALUE!')
  expect(shown(`=${'-'.repeat(1500)}1`)).toBe('#VALUE!')
  expect(shown(`=${'ABS('.repeat(400)}1${')'.repeat(400)}`)).toBe('#VALUE!')
  expect(shown(`=${'('.repeat(100_000)}`)).toBe('#VALUE!')
  expect(shown(`=1${'+1'.repeat(900)}`)).toBe('901')
  expect(shown(`=${'('.repeat(30)}1${')'.repeat(30)}`)).toBe('1')
})

test('[FENCE-23] the computation of a document is bounded: cells, steps, sheets, lengths of formulas and text', () => {
  const heavy = Array.from({ length: limits.sheetRowsMax }, (_row, row) =>
    Array.from({ length: limits.sheetColumnsMax }, (_column, column) => (column > 0 ? '=SUM(A1:A200)' : String(row)))
  )
  const start = performance.now()
  const shownTexts = new Set(compute(heavy).map((row) => row[1]))
  expect(shownTexts.has('19900')).toBe(true)
  expect(compute(Array.from({ length: 200 }, () => Array.from({ length: 50 }, () => '=SUM(A1:AX200)')))[3]?.[3]).toBe('#CYCLE!')
  const apart = Array.from({ length: 200 }, (_row, row) =>
    Array.from({ length: 50 }, (_column, at) => (at < 25 ? `${row}` : '=SUM(A1:Y200)'))
  )
  expect(compute(apart)[199]?.[49]).toBe('#VALUE!')
  expect(performance.now() - start).toBeLessThan(5000)

  expect(compute([['x'.repeat(5000)], ['=A1&A1'], ['=A2&A2']])[2]).toEqual(['#VALUE!'])
  expect(shown(`="${'x'.repeat(limits.formulaUnitsMax)}"`)).toBe('#VALUE!')
  // Cells beyond the grid are not computed, but their text stays in the document.
  const wide = createWorkbook([{ id: undefined, rows: [Array.from({ length: 60 }, () => '=1')] }], now)
  expect([wide.textAt(0, 0, 49), wide.textAt(0, 0, 50)]).toEqual(['1', ''])
  // A pattern with many wildcards takes no extra time.
  const before = performance.now()
  expect(shown(`=COUNTIF(A1:A6,"${'a*'.repeat(8)}b")`)).toBe('0')
  expect(compute([[`${'a'.repeat(5000)}`], [`=COUNTIF(A1,"${'*a'.repeat(7)}*b")`]])[1]).toEqual(['0'])
  expect(performance.now() - before).toBeLessThan(5000)
})

test('[FENCE-49] the error of a formula with a German name gives the English name', () => {
  const reasonOf = (formula: string) => {
    const value = createWorkbook([{ id: undefined, rows: [[formula]] }], now).valueAt(0, 0, 0)
    return value instanceof Failure ? [value.error, value.reason] : value
  }
  expect(reasonOf('=Summe(A2:A3)')).toEqual(['#NAME?', 'There is no function SUMME. Use SUM.'])
  expect(reasonOf('=zählenwenn(A2:A3;1)')).toEqual(['#NAME?', 'There is no function ZÄHLENWENN. Use COUNTIF.'])
  expect(reasonOf('=IF(Wahr,1,2)')).toEqual(['#NAME?', 'There is nothing called Wahr. Use TRUE.'])
  expect(reasonOf('=constructor(1)')).toEqual(['#NAME?', 'There is no function CONSTRUCTOR.'])
  // Each hint names a function that exists.
  for (const name of Object.values(englishNames)) expect(functionNames).toContain(name)
})

test('[FENCE-24] while a formula is written, the parser knows whether the caret can take a reference to a cell or a range', () => {
  const at = (marked: string) => pointable(marked.replace('|', ''), marked.indexOf('|'), marked.indexOf('|'))
  const ranges = ['=|', '= |', '=A1+|', '=SUM(|', '=SUM(A1,|', '=SUM(A1; |)', '=|+A1', '=A1<>|', '=#other!|', '=-|', '="a"&|']
  expect(ranges.map(at)).toEqual(ranges.map(() => 'range'))
  expect(['=A1:|', '=SUM(A1: |)', '=SUM(|:B2)'].map(at)).toEqual(['cell', 'cell', 'cell'])
  const none = [
    '|',
    '|=',
    'A1+|',
    '=A1|',
    '=1|',
    '=(1)|',
    '=5%|',
    '=SUM|',
    '="a|',
    '="a"|',
    '=|A1',
    '=A1+|2',
    '=|SUM(A1)',
    '=A1+ |(B1)',
    '=!|'
  ]
  expect(none.filter((marked) => at(marked) !== undefined)).toEqual([])
  // The selection counts as the reference to replace.
  expect([pointable('=A1+B1', 4, 6), pointable('=A1+B1', 2, 6), pointable('=A1+B1', 0, 6)]).toEqual(['range', undefined, undefined])
})

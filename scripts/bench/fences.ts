/**
 * Measures components: the time to parse and change a board of 1,000 cards, and to render it as HTML. It also measures the time to compute a sheet of
 * 10,000 cells, with new formulas and with known formulas. The baseline is a bare loop over the same lines.
 */
import { moveCard } from '../../shared/fences/board-edits.ts'
import { parseBoard } from '../../shared/fences/board.ts'
import { withValues } from '../../shared/fences/document-sheets.ts'
import { type Fence, fencesOf } from '../../shared/fences/fences.ts'
import { createWorkbook } from '../../shared/fences/formula/workbook.ts'
import { lettersOfColumn } from '../../shared/fences/formula/parse.ts'
import { parseSheet, textsOf } from '../../shared/fences/sheet.ts'
import { createPageRenderer } from '../../server/http/published/renderer.ts'
import { ms, percentile, table } from './support/support.ts'

const rounds = 40

const timed = (work: (round: number) => unknown): readonly number[] => {
  for (let round = 0; round < 5; round++) work(-1 - round)
  return Array.from({ length: rounds }, (_round, round) => {
    const start = performance.now()
    work(round)
    return performance.now() - start
  })
}
const row = (name: string, times: readonly number[]): string[] => [name, ms(percentile(times, 0.5)), ms(percentile(times, 0.95))]

const card = (index: number): string =>
  `- [${' >x'[index % 3]}] Card number ${index} with some words @ana #tag${index % 7}\n  Its details.\n`
const columns = Array.from({ length: 5 }, (_column, column) => {
  const cards = Array.from({ length: 200 }, (_card, index) => card(column * 200 + index))
  return `## Column ${column}\n${cards.join('')}`
})
const boardText = `# Plan\n\n\`\`\`board\n${columns.join('')}\`\`\`\n`
const [fence] = fencesOf(boardText) as [Fence]
const board = parseBoard(fence)
const renderer = createPageRenderer(() => true, {})

console.log('board of 1,000 cards, in ms')
table(
  ['what', 'p50', 'p95'],
  [
    row(
      'bare: its lines',
      timed(() => boardText.split('\n'))
    ),
    row(
      'find the fence',
      timed(() => fencesOf(boardText))
    ),
    row(
      'parse',
      timed(() => parseBoard(fence))
    ),
    row(
      'move a card',
      timed(() => moveCard(board, { column: 0, card: 100 }, { column: 4, card: 50 }))
    ),
    row(
      'HTML of the page',
      timed(() => renderer.render(boardText))
    )
  ]
)

/** Returns 200 × 50 cells. Four in five contain a formula that uses neighboring cells. */
const cells = (seed: number): string[][] =>
  Array.from({ length: 200 }, (_row, down) =>
    Array.from({ length: 50 }, (_cell, across) => {
      if (across < 10 || down === 0) return String(seed + down * 7 + across)
      const [left, above] = [lettersOfColumn(across - 1), lettersOfColumn(across)]
      return across % 10 === 0 ? `=SUM(A${down + 1}:J${down + 1})` : `=${left}${down + 1}*1.01+${above}${down}-IF(${left}${down}>5,1,0)`
    })
  )
/** Returns the text of the cells as they are read from a fence. */
const read = (rows: readonly (readonly string[])[]): string[][] => {
  const lines = rows.map((texts) => `| ${texts.join(' | ')} |`)
  const [sheet] = fencesOf(`\`\`\`sheet\n${lines.join('\n')}\n\`\`\``)
  return sheet === undefined ? [] : textsOf(parseSheet(sheet))
}
const compute = (rows: string[][]): number => {
  const workbook = createWorkbook([{ id: 'a', rows }], 0)
  let sum = 0
  for (let down = 0; down < 200; down++)
    for (let across = 0; across < 50; across++) sum += typeof workbook.valueAt(0, down, across) === 'number' ? 1 : 0
  return sum
}
if (compute(cells(1)) !== 10_000) throw new Error('not all cells are numbers')
const sheets = Array.from({ length: rounds }, (_sheet, index) => read(cells(index)))
// Every formula differs from those of all earlier rounds, so that none of the formulas are known.
const fresh = (round: number): string[][] =>
  cells(1).map((texts, down) => texts.map((text) => (text.startsWith('=') ? `${text}+${round + 100}.${down}*0` : text)))
const strange = Array.from({ length: 8 }, (_sheet, index) => read(fresh(index)))
const firsts = strange.map((rows) => {
  const start = performance.now()
  compute(rows)
  return performance.now() - start
})
const text = `\`\`\`sheet\n${cells(1)
  .map((texts) => `| ${texts.join(' | ')} |\n`)
  .join('')}\`\`\`\n`
console.log('\nsheet of 10,000 cells, 7,960 of them formulas, in ms')
table(
  ['what', 'p50', 'p95'],
  [
    row(
      'bare: its numbers',
      timed(() => cells(1).map((texts) => texts.map(Number)))
    ),
    row('computed for the first time', firsts),
    row(
      'computed again after a change',
      timed((round) => compute(sheets[Math.max(0, round)] ?? []))
    ),
    row(
      'values=1 of its text',
      timed(() => withValues(text, 0))
    )
  ]
)

/** Finds the parts of a component's source that the drawn component does not show: marks, settings, formulas and times. */
import { parseBoard } from './board.ts'
import { parseChart, type ChartKey } from './chart.ts'
import { parseChat } from './chat.ts'
import type { Fence, FenceKind, Line, Range } from './fences.ts'
import { parseSheet } from './sheet.ts'

/** The settings of a chart whose values appear in the drawing. */
const shownSettings: readonly ChartKey[] = ['title', 'x', 'y']

/** Returns the rest of a line around a range. */
const around = (line: Line, { from, to }: Range): Range[] => [
  { from: line.from, to: from },
  { from: to, to: line.to }
]

const unseenInBody: Readonly<Record<FenceKind, (fence: Fence) => Range[]>> = {
  board: (fence) =>
    parseBoard(fence).columns.flatMap(({ line, title, cards }) => [
      { from: line.from, to: title.from },
      ...cards.map((card) => ({ from: card.line.from, to: card.text.from }))
    ]),
  chart: (fence) =>
    parseChart(fence).settings.flatMap(({ key, line, value }) => (shownSettings.includes(key) ? around(line, value) : [line])),
  chat: (fence) =>
    parseChat(fence).entries.flatMap((entry) => {
      const line = entry.kind === 'message' && !entry.imported ? entry.lines[0] : undefined
      return line === undefined ? [] : [{ from: line.from, to: line.from + line.text.indexOf(']') + 1 }]
    }),
  sheet(fence) {
    const { rows, dashes } = parseSheet(fence)
    const formulas = rows.flatMap(({ cells }) => cells.filter(({ text }) => text.startsWith('=')))
    return [...(dashes === undefined ? [] : [dashes.line]), ...formulas]
  },
  widget: ({ bodyFrom, bodyTo }) => [{ from: bodyFrom, to: bodyTo }]
}

/** Returns the ranges that a drawn component does not show, ascending. The fence must be closed. */
export const unseenIn = (fence: Fence): Range[] => {
  const { from, to, bodyFrom, closing } = fence
  return [
    { from, to: bodyFrom },
    ...unseenInBody[fence.kind](fence).map((each) => ({ from: each.from, to: each.to })),
    ...(closing === undefined ? [] : [{ from: closing.from, to }])
  ].toSorted((one, other) => one.from - other.from)
}

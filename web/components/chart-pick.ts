/** Lets a person select the cells for a chart in the sheets of the document, with the mouse, by touch or with the keyboard. */
import { signal } from '@preact/signals'
import { areaBetween, type CellRange, isSame, rangeName } from '../../shared/components/cell-range.ts'
import { parseChart, valueOf } from '../../shared/fences/chart.ts'
import { namedCells, namedColumns, setData } from '../../shared/fences/chart-pick.ts'
import { sourceOf } from '../../shared/fences/chart-source.ts'
import { addId, freeId } from '../../shared/fences/fences.ts'
import { parseSheet, textsOf } from '../../shared/fences/sheet.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import type { ComponentInput } from './input.ts'
import { captionOf, titleOfFence } from '../../shared/fences/captions.ts'
import { labelOf } from './labels.ts'
import { offerUndo } from './notices.ts'
import { goToCells, goToSheet } from './sheets-around.ts'

/** Returns the cells that a chart draws. Undefined if its data does not come from an existing sheet. */
export function cellsOf({ fence, sheets }: ComponentInput): CellRange | undefined {
  const chart = parseChart(fence.value)
  const name = valueOf(chart, 'data') ?? ''
  const source = name.startsWith('#') ? sourceOf(name) : undefined
  const index = source === undefined ? -1 : sheets.value.sheets.findIndex((each) => each.fence.id === source.sheet)
  const sheet = sheets.value.sheets[index]
  if (sheet === undefined || source === undefined) return undefined
  const columns = namedColumns(chart, textsOf(sheet)[0] ?? [], sheet.width)
  const { first, last = first } = source.cells ?? {
    first: { row: 0, column: columns.first },
    last: { row: Math.max(0, sheet.rows.length - 1), column: columns.last }
  }
  return { sheet: index, one: { row: first.row, column: first.column }, other: { row: last.row, column: last.column } }
}

/** Describes a range of cells by its name and its sheet. The only sheet of a document needs no name. */
export function wordsOfCells({ sheets }: ComponentInput, range: CellRange): string {
  const fence = sheets.value.sheets[range.sheet]?.fence
  const caption = fence === undefined ? '' : captionOf(fence, sheets.value.fences)
  const sheet = fence === undefined || caption !== '' || sheets.value.sheets.length < 2 ? caption : labelOf(fence, sheets.value.fences)
  return sheet === '' ? rangeName(range) : `${sheet} ${rangeName(range)}`
}

/** Makes the chart use a range of cells. Returns false if nothing was changed. */
function takeCells(input: ComponentInput, { sheet, one, other }: CellRange): boolean {
  let isShared = false
  const done = input.act((now, all) => {
    const sheets = all.filter(({ kind }) => kind === 'sheet')
    const fence = sheets[sheet]
    if (fence === undefined) return []
    const id =
      fence.id ??
      freeId(
        sheets.map((each) => each.id),
        fence,
        titleOfFence(fence, all)
      )
    isShared = sheets.findIndex((each) => each.id === id) < sheet && fence.id !== undefined
    if (isShared) {
      toast(t('Two sheets are called #{id}. Rename one of them in its source.', { id }))
      return []
    }
    const wanted = namedCells(id, textsOf(parseSheet(fence)), areaBetween(one, other))
    return [...addId(fence, id), ...setData(parseChart(now), wanted)].toSorted((left, right) => left.from - right.from)
  })
  const view = input.page.editor.value?.view
  if (done && !input.suggests() && input.page.mode.peek() !== 'read' && view !== undefined)
    offerUndo(view, t('The chart shows {cells} now.', { cells: rangeName({ one, other }) }))
  return done
}

/** Starts selecting cells, with the chart's current cells selected. `onEnd` returns the focus to the chart. */
export function startPicking(input: ComponentInput, onEnd: () => void): void {
  const { around, sheets } = input
  const end = (): void => {
    if (around.picker.peek() !== picker) return
    around.picker.value = undefined
    removeEventListener('keydown', escape, { capture: true })
    input.show(input.fence.peek())
    onEnd()
  }
  // Escape must work wherever the focus is, because a press on the text moves the focus there.
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    end()
  }
  const drawn = cellsOf(input)
  const picker = {
    name: input.label.peek(),
    sheet: signal(drawn?.sheet ?? 0),
    take(range: CellRange) {
      // A single cell is where a selection begins.
      if (isSame(range.one, range.other)) return
      takeCells(input, range)
      end()
    },
    cancel: end
  }
  around.picker.peek()?.cancel()
  around.picker.value = picker
  addEventListener('keydown', escape, { capture: true })
  if (drawn === undefined || !goToCells(input, drawn)) goToSheet(input, sheets.peek().sheets.length - 1, 1, true)
}

/** The data of a chart: in its fence, in a sheet, or in a file that the service stores. */
import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import {
  type Chart as ChartShape,
  type ChartData,
  chartData,
  type ChartProblem,
  chartRows,
  isProblem,
  type Rows
} from '../../shared/fences/chart.ts'
import { type AssetRows, rowsOfAsset } from './chart-asset.ts'
import type { ComponentInput } from './input.ts'

/** Whether the value of `data:` is the address of a file that the service stores. */
const isAsset = (name: string): boolean => /^\/f\/[\w-]+\.csv$/.test(name)

interface ShownData {
  readonly data: ReadonlySignal<ChartData | ChartProblem>
  /** Whether the file is still loading. */
  readonly isWaiting: ReadonlySignal<boolean>
  /** The reason why the file could not be loaded. */
  readonly reason: ReadonlySignal<string | undefined>
}

/** Returns the data that a chart draws. The data is in the fence, in a sheet or in a file. */
export function useChartData(input: ComponentInput, chart: ReadonlySignal<ChartShape>): ShownData {
  const asset = useSignal<{ readonly address: string; readonly found: AssetRows } | undefined>(undefined)
  const rows = useComputed(() => chartRows(chart.value, input.sheets.value))
  const wanted = useComputed(() => {
    const found = rows.value
    return isProblem(found) && found.problem === 'elsewhere' && isAsset(found.name) ? found.name : undefined
  })
  useSignalEffect(() => {
    const address = wanted.value
    if (address === undefined || asset.peek()?.address === address) return
    void rowsOfAsset(address, input.page.session.key).then((found) => {
      if (wanted.peek() === address) asset.value = { address, found }
    })
  })
  const fetched = useComputed(() => (asset.value?.address === wanted.value ? asset.value : undefined))
  return {
    data: useComputed((): ChartData | ChartProblem => {
      const found: Rows | ChartProblem = (wanted.value === undefined ? undefined : fetched.value?.found.rows) ?? rows.value
      return isProblem(found) ? found : chartData(chart.value, found)
    }),
    isWaiting: useComputed(() => wanted.value !== undefined && fetched.value === undefined),
    reason: useComputed(() => fetched.value?.found.reason)
  }
}

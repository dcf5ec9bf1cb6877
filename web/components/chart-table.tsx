/** The data of a chart as a small table: each cell is a field, each change a small edit of its own. */
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { parseChart } from '../../shared/fences/chart.ts'
import { type ChartTable, chartTableOf } from '../../shared/fences/chart-data.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { limits } from '../../shared/limits.ts'
import { t, tn } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { Icon } from '../ui/icons.tsx'
import type { ComponentInput } from './input.ts'

interface TableInput {
  readonly table: ChartTable
  readonly input: ComponentInput
}

const nameOfCell = (row: number, column: number): string => `${row}:${column}`

export function ChartDataTable({ table, input }: TableInput): JSX.Element {
  const element = useRef<HTMLDivElement>(null)
  const { rows } = table
  const { held, said } = input
  /** What each field showed when it was drawn or written last. */
  const shownTexts = useRef(new Map<string, string>())
  useEffect(() => () => input.hold(undefined), [])
  const show = (field: HTMLInputElement, name: string, text: string): void => {
    field.value = text
    shownTexts.current.set(name, text)
  }
  // What others write shows; what is being written stays, and so does what it was begun on.
  useLayoutEffect(() => {
    for (const field of element.current?.querySelectorAll<HTMLInputElement>('[data-cell]') ?? []) {
      const name = field.dataset['cell'] ?? ''
      const [row = 0, column = 0] = name.split(':').map(Number)
      const text = rows[row]?.[column] ?? ''
      if (field.matches(':focus') && field.value !== shownTexts.current.get(name)) continue
      show(field, name, text)
    }
  })

  const change = (edits: (now: ChartTable) => readonly Edit[]): boolean =>
    input.act((fence) => {
      const now = chartTableOf(parseChart(fence))
      return now === undefined ? [] : edits(now)
    })
  const write = (field: HTMLInputElement, row: number, column: number): void => {
    const name = nameOfCell(row, column)
    const before = shownTexts.current.get(name) ?? ''
    const text = field.value.trim()
    if (text === before) return
    const done = change((now) => {
      if ((now.rows[row]?.[column] ?? '') === before) return now.setCell(row, column, text)
      toast(t('Someone changed this cell in the meantime.'))
      return []
    })
    if (done && !input.suggests()) shownTexts.current.set(name, text)
    else show(field, name, rows[row]?.[column] ?? '')
  }
  const go = (row: number, column: number): void => {
    const field = element.current?.querySelector<HTMLInputElement>(`[data-cell="${nameOfCell(row, column)}"]`)
    field?.focus()
    field?.select()
  }
  const keyDown = (event: KeyboardEvent, row: number, column: number): void => {
    const field = event.currentTarget as HTMLInputElement
    const text = rows[row]?.[column] ?? ''
    if (event.isComposing) return
    if (event.key === 'Enter') {
      write(field, row, column)
      go(row + (event.shiftKey ? -1 : 1), column)
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') go(row + (event.key === 'ArrowDown' ? 1 : -1), column)
    else if (event.key === 'Escape' && field.value !== text) field.value = text
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const width = Math.min(limits.sheetColumnsMax, Math.max(0, ...rows.map(({ length }) => length)))
  const shown = rows.slice(0, limits.sheetRowsMax)
  const heads = rows[0] ?? []

  const cell = (row: number, column: number): JSX.Element => {
    const holder = held.value.get(nameOfCell(row, column))
    const head = heads[column] ?? ''
    const label =
      row === 0
        ? t('Name of column {number}', { number: column + 1 })
        : t('{column}, row {number}', { column: head || column + 1, number: row })
    return (
      <input
        class='field'
        dir='auto'
        data-cell={nameOfCell(row, column)}
        aria-label={label}
        disabled={holder !== undefined || !table.mayChange(row, column)}
        title={holder === undefined ? undefined : t('{name} is editing this', { name: holder.name })}
        onFocus={() => input.hold(nameOfCell(row, column))}
        onInput={() => input.hold(nameOfCell(row, column))}
        onBlur={({ currentTarget }) => {
          write(currentTarget, row, column)
          input.hold(undefined)
        }}
        onKeyDown={(event) => keyDown(event, row, column)}
      />
    )
  }
  return (
    <div class='chart-data' ref={element}>
      <div class='chart-cells' role='group' tabIndex={0} aria-label={t('Chart data')}>
        <table>
          <thead>
            <tr>
              {Array.from({ length: width }, (_cell, column) => (
                <th key={column} scope='col'>
                  {cell(0, column)}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {shown.slice(1).map((_row, index) => (
              <tr key={index}>
                {Array.from({ length: width }, (_cell, column) => (
                  <td key={column}>{cell(index + 1, column)}</td>
                ))}
                <td>
                  <button
                    type='button'
                    class='frame-button icon-only'
                    aria-label={t('Delete row {number}', { number: index + 1 })}
                    onClick={() => {
                      if (
                        !change((now) => (now.rows[index + 1]?.join('\t') === rows[index + 1]?.join('\t') ? now.deleteRow(index + 1) : []))
                      )
                        return
                      said.value = t('Row deleted')
                      go(Math.max(1, index), 0)
                    }}
                  >
                    <Icon name='trash' size={16} />
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length && (
        <p class='component-rest'>{tn(rows.length - shown.length, '1 more row is in the source', '{count} more rows are in the source')}</p>
      )}
      <button
        type='button'
        class='frame-button'
        disabled={rows.length >= limits.sheetRowsMax}
        onClick={() => {
          if (change((now) => now.addRow())) requestAnimationFrame(() => go(rows.length, 0))
        }}
      >
        + {t('Add a row')}
      </button>
    </div>
  )
}

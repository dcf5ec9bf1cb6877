/** The legend of a chart, and the actions that apply to the entire chart. */
import { effect, type Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import {
  type Chart as ChartShape,
  type ChartKey,
  type ChartType,
  chartTypes,
  parseChart,
  setChart,
  valueOf
} from '../../shared/fences/chart.ts'
import type { legendOf } from '../../shared/fences/chart-svg.ts'
import { limits } from '../../shared/limits.ts'
import { t } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import { toast } from '../ui/toast.tsx'
import { cellsOf, startPicking, wordsOfCells } from './chart-pick.ts'
import { typeName } from './chart-words.ts'
import type { ComponentInput } from './input.ts'
import { Proposed } from './proposed.tsx'
import { goToCells } from './sheets-around.ts'
import { useSuggestions } from './suggestions.ts'

interface LegendInput {
  readonly legend: ReturnType<typeof legendOf>
  readonly hidden: Signal<ReadonlySet<string>>
}

export function Legend({ legend, hidden }: LegendInput): JSX.Element {
  const toggle = (name: string): void => {
    const next = new Set(hidden.value)
    if (!next.delete(name)) next.add(name)
    // At least one series must stay visible.
    if (legend.every((each) => !each.isDrawn || next.has(each.name))) return
    hidden.value = next
  }
  return (
    <ul class='legend'>
      {legend.map(({ name, colour, isDrawn }, index) => {
        const words = name === '' ? t('Unnamed') : name
        return (
          <li key={index}>
            {isDrawn ? (
              <button type='button' class='legend-entry' aria-pressed={!hidden.value.has(name)} onClick={() => toggle(name)}>
                <span class={`swatch ${colour}`} />
                {words}
              </button>
            ) : (
              <span class='legend-entry'>
                <span class='swatch swatch-none' />
                {words} ({t('no slice')})
              </span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

const isType = (text: string): text is ChartType => (chartTypes as readonly string[]).includes(text)

/** Returns a function that draws the value that an open suggestion proposes for a setting. */
function useProposed(input: ComponentInput): (key: ChartKey, words?: (text: string) => string) => JSX.Element | undefined {
  const changed = useSuggestions(input).changed.value.map(({ before, after }) => [parseChart(before), parseChart(after)] as const)
  return (key, words = (text) => text) => {
    const [was, is] = changed.findLast(([one, other]) => valueOf(one, key) !== valueOf(other, key)) ?? []
    if (was === undefined || is === undefined) return undefined
    const young = valueOf(is, key) ?? ''
    return <Proposed old={young === '' ? words(valueOf(was, key) ?? '') : ''} young={young === '' ? '' : words(young)} />
  }
}

interface ToolsInput {
  readonly input: ComponentInput
  readonly chart: ChartShape
  readonly hasTable: boolean
  readonly isEditing: Signal<boolean>
  readonly onRefused: () => void
}

/** The actions that apply to the entire chart. */
export function ChartTools({ input, chart, hasTable, isEditing, onRefused }: ToolsInput): JSX.Element {
  const { around, sheets, said } = input
  const picking = useRef<HTMLButtonElement>(null)
  const mayChange = input.refusal.value === undefined
  const cells = cellsOf(input)
  const proposed = useProposed(input)
  const source = valueOf(chart, 'data') ?? ''
  const title = valueOf(chart, 'title') ?? ''
  const field = useRef<HTMLInputElement>(null)
  // A layout effect runs with the click, so that the field receives the next key press. `useSignalEffect` would run a frame later.
  useLayoutEffect(
    () =>
      effect(() => {
        if (!input.wantsTitle.value) return
        input.wantsTitle.value = false
        field.current?.focus()
        field.current?.select()
      }),
    []
  )
  const edit = (): void => {
    if (hasTable) isEditing.value = !isEditing.value
    else if (cells !== undefined && !goToCells(input, cells)) toast(t('Close the source of the sheet first.'))
  }
  return (
    <div class='chart-tools'>
      <label>
        {t('Title')}{' '}
        <input
          // If others change the title, the new title replaces the text of the field, unless the person has typed in the field.
          key={title}
          ref={field}
          class='field'
          type='text'
          dir='auto'
          maxLength={limits.titleUnitsMax}
          disabled={!mayChange}
          defaultValue={title}
          onChange={({ currentTarget }) => {
            const value = currentTarget.value.trim()
            if (value === title) return
            if (!input.act((now) => setChart(parseChart(now), 'title', value))) onRefused()
            // The field shows the document's title, and the suggestion is next to it.
            else if (input.suggests()) currentTarget.value = title
          }}
        />
      </label>
      {proposed('title')}
      <label>
        {t('Chart type')}{' '}
        <select
          class='field'
          disabled={!mayChange}
          value={chart.type}
          onChange={({ currentTarget: { value } }) => {
            if (input.act((now) => setChart(parseChart(now), 'type', value)) && !input.suggests()) said.value = typeName(value as ChartType)
            else onRefused()
          }}
        >
          {chartTypes.map((type) => (
            <option key={type} value={type} selected={type === chart.type}>
              {typeName(type)}
            </option>
          ))}
        </select>
      </label>
      {proposed('type', (text) => (isType(text) ? typeName(text) : text))}
      {(hasTable || cells !== undefined) && (
        <button
          type='button'
          class='frame-button'
          disabled={!mayChange}
          {...(hasTable ? { 'aria-expanded': isEditing.value } : {})}
          onClick={edit}
        >
          <Icon name='table' size={16} />
          {t('Edit data')}
        </button>
      )}
      {sheets.value.sheets.length > 0 && (
        <button
          type='button'
          class='frame-button'
          ref={picking}
          disabled={!mayChange || around.picker.value !== undefined}
          onClick={() => startPicking(input, () => requestAnimationFrame(() => picking.current?.focus()))}
        >
          {t('Select data range')}
        </button>
      )}
      {!hasTable && source !== '' && (
        <span class='component-note'>
          {t('The data is in {name}.', { name: cells === undefined ? source : wordsOfCells(input, cells) })}
        </span>
      )}
    </div>
  )
}

/** The drawing of a chart. A person can read its points with the pointer or the keyboard. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Chart as ChartShape, ChartData } from '../../shared/fences/chart.ts'
import { chartSvg, chartTable } from '../../shared/fences/chart-svg.ts'
import { nodesOf } from '../markdown/trusted.ts'
import { t } from '../text/t.ts'
import type { ComponentInput } from './input.ts'

/** Smallest and largest width of a drawing, in pixels. A chart outside this range is scaled. */
const widthMin = 240
const widthMax = 1200

interface DrawingInput {
  readonly chart: ChartShape
  readonly data: ChartData
  readonly input: ComponentInput
}

const marks = 'rect, circle, .slice'

/** The drawing of a chart. The arrow keys go through its points in order. */
export function Drawing({ chart, data, input }: DrawingInput): JSX.Element {
  const plot = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  const tip = useSignal<{ readonly text: string; readonly x: number; readonly y: number } | undefined>(undefined)
  const current = useRef(-1)

  useLayoutEffect(() => {
    const element = plot.current
    if (element === null) return undefined
    const measure = (): void => {
      if (element.clientWidth > 0) width.value = Math.round(Math.min(Math.max(element.clientWidth, widthMin), widthMax))
    }
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    measure()
    return () => sizes.disconnect()
  }, [])

  useLayoutEffect(() => {
    if (width.value === 0) return
    canvas.current?.replaceChildren(...nodesOf(chartSvg(chart, data, 'chart', width.value) + chartTable(chart, data, t('no slice'))))
    // The page shows the label of a point immediately, so the browser's own tooltip is removed.
    for (const title of canvas.current?.querySelectorAll(':is(rect, circle, path) > title') ?? []) {
      title.parentElement?.setAttribute('data-says', title.textContent ?? '')
      title.remove()
    }
    current.current = -1
    tip.value = undefined
  }, [chart, data, width.value])

  const show = (mark: Element | null | undefined): void => {
    for (const other of canvas.current?.querySelectorAll('.pointed') ?? []) if (other !== mark) other.classList.remove('pointed')
    const text = mark?.getAttribute('data-says')
    const around = plot.current?.getBoundingClientRect()
    if (mark == null || text == null || around === undefined) {
      tip.value = undefined
      return
    }
    mark.classList.add('pointed')
    const box = mark.getBoundingClientRect()
    const x = box.left + box.width / 2 - around.left
    tip.value = { text, x: Math.min(Math.max(x, 70), Math.max(70, around.width - 70)), y: box.top - around.top }
  }
  const keyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const all = [...(canvas.current?.querySelectorAll(marks) ?? [])]
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: current.current + 1,
      ArrowLeft: current.current < 0 ? all.length - 1 : current.current - 1,
      Home: 0,
      End: all.length - 1
    }
    const next = steps[event.key]
    if (event.key === 'Escape' && tip.value !== undefined) {
      current.current = -1
      show(undefined)
    } else if (next === undefined || all.length === 0) return
    else {
      current.current = (next + all.length) % all.length
      show(all[current.current])
      input.said.value = tip.value?.text ?? ''
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      class='chart-plot'
      role='group'
      aria-label={t('Chart points. Use the arrow keys to move between them.')}
      tabIndex={0}
      ref={plot}
      onKeyDown={keyDown}
      onBlur={() => show(undefined)}
      onPointerMove={({ target }) => show(target instanceof Element ? target.closest(marks) : undefined)}
      onPointerLeave={() => show(undefined)}
    >
      <div class='component-chart' ref={canvas} />
      {tip.value !== undefined && (
        <div class='chart-tip' aria-hidden='true' dir='auto' style={{ left: `${tip.value.x}px`, top: `${tip.value.y}px` }}>
          {tip.value.text}
        </div>
      )}
    </div>
  )
}

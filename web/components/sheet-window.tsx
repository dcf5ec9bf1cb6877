/**
 * Draws only the visible part of a large sheet and some rows and columns around it. The rest keeps its space, and the browser's search finds its
 * text.
 */
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { Component, type JSX, type RefObject } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import type { CellPosition } from '../../shared/components/cell-range.ts'

/** The range of drawn rows and of drawn columns: the first one, and the one after the last. */
export interface Seen {
  readonly rows: readonly [number, number]
  readonly columns: readonly [number, number]
}

/** Number of rows and columns drawn beyond the visible ones. The drawn part moves in steps of this size. */
const around = 8
/** Assumed height of a row until a cell has been measured, in pixels. */
const rowHeightUsual = 30
/** The drawn part until the visible area has been measured. */
const seenFirst: Seen = { rows: [0, 32], columns: [0, 24] }

const widened = (from: number, to: number): readonly [number, number] => [
  Math.max(0, Math.floor(from / around) * around - around),
  Math.ceil(to / around) * around + around
]

export interface SheetWindow {
  readonly seen: ReadonlySignal<Seen>
  /** Measured height of a row, in pixels. */
  readonly rowHeight: ReadonlySignal<number>
  follow(): void
  /** Scrolls to a cell that is not drawn. */
  come(place: CellPosition): void
}

export function useSheetWindow(scroller: RefObject<HTMLElement | null>): SheetWindow {
  const seen = useSignal(seenFirst)
  const rowHeight = useSignal(rowHeightUsual)
  const window = useMemo((): SheetWindow => {
    const headsOf = (element: HTMLElement): HTMLElement[] => [...element.querySelectorAll<HTMLElement>('[role=columnheader]')]
    return {
      seen,
      rowHeight,
      follow() {
        const element = scroller.current
        if (element === null || element.clientWidth === 0) return
        const { scrollTop, scrollLeft, clientHeight, clientWidth } = element
        const heads = headsOf(element)
        const left = heads.findIndex((head) => head.offsetLeft + head.offsetWidth > scrollLeft)
        const right = heads.findLastIndex((head) => head.offsetLeft < scrollLeft + clientWidth)
        const rows = widened(scrollTop / rowHeight.peek(), (scrollTop + clientHeight) / rowHeight.peek())
        const columns = widened(left, right + 1)
        // A small scroll does not change the drawn part.
        if (JSON.stringify({ rows, columns }) !== JSON.stringify(seen.peek())) seen.value = { rows, columns }
      },
      come({ row, column }) {
        const element = scroller.current
        element?.scrollTo({ top: row * rowHeight.peek(), left: headsOf(element)[column]?.offsetLeft ?? 0 })
      }
    }
  }, [])
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const measure = (): void => {
      const height = element.querySelector('[aria-rowindex]')?.getBoundingClientRect().height ?? 0
      if (height > 0) rowHeight.value = height
      window.follow()
    }
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    measure()
    return () => sizes.disconnect()
  }, [])
  return window
}

interface HiddenInput {
  readonly text: string
  readonly height?: number
  readonly onFound: () => void
}

/** Text that is neither visible nor read out, but that the browser's search finds. */
const Hidden = ({ text, height, onFound }: HiddenInput): JSX.Element => (
  <div
    class='sheet-hidden'
    style={height === undefined ? {} : { height: `${height}px` }}
    ref={(element) => {
      element?.setAttribute('hidden', 'until-found')
      if (element !== null) element.onbeforematch = onFound
    }}
  >
    {text}
  </div>
)

interface GapInput {
  /** The first cell of the gap. */
  readonly from: CellPosition
  readonly texts: readonly string[]
  readonly come: (place: CellPosition) => void
}

/** Represents the cells of a row that are not drawn between two drawn cells. */
export const CellGap = ({ from, texts, come }: GapInput): JSX.Element => (
  <td class='sheet-distant' aria-hidden='true' colSpan={texts.length}>
    {texts.map((text, index) => (
      <Hidden key={index} text={text} onFound={() => come({ ...from, column: from.column + index })} />
    ))}
  </td>
)

interface RowsInput {
  /** The first row of the gap. */
  readonly from: number
  readonly texts: readonly (readonly string[])[]
  readonly rowHeight: number
  readonly come: (place: CellPosition) => void
}

/** Represents the rows that are not drawn between two drawn rows. */
export class RowGap extends Component<RowsInput> {
  override shouldComponentUpdate({ from, texts, rowHeight }: RowsInput): boolean {
    const { texts: before } = this.props
    const isSame = before.length === texts.length && before.every((row, index) => row === texts[index])
    return from !== this.props.from || rowHeight !== this.props.rowHeight || !isSame
  }

  override render({ from, texts, rowHeight, come }: RowsInput): JSX.Element {
    return (
      <tr aria-hidden='true'>
        <td class='sheet-distant'>
          {texts.map((row, index) => (
            <Hidden key={index} text={row.join(' ')} height={rowHeight} onFound={() => come({ row: from + index, column: 0 })} />
          ))}
        </td>
      </tr>
    )
  }
}

/** Gives each column the width of its longest text, although only some rows are drawn. */
export const WidthRow = ({ texts }: { texts: readonly string[] }): JSX.Element => (
  <tr class='sheet-widths' aria-hidden='true'>
    <td />
    {texts.map((text, column) => (
      <td key={column}>{text}</td>
    ))}
  </tr>
)

/** Divides the numbers from 0 to `count` - 1: each drawn one separately, and the others as gaps with their length. */
export function spansOf(
  count: number,
  isDrawn: (index: number) => boolean
): { readonly from: number; readonly length: number; readonly isDrawn: boolean }[] {
  const spans: { from: number; length: number; isDrawn: boolean }[] = []
  for (let index = 0; index < count; index++) {
    const drawn = isDrawn(index)
    const last = spans.at(-1)
    if (drawn || last === undefined || last.isDrawn) spans.push({ from: index, length: 1, isDrawn: drawn })
    else last.length += 1
  }
  return spans
}

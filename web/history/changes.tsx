/** Shows the changes between two versions line by line. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { tn } from '../text/t.ts'
import { type Comparison, type Piece, type Row, type Stretch, stretches } from './rows.ts'

function Words({ piece: { kind, text } }: { piece: Piece }): JSX.Element {
  // Without a sign, an added or removed empty line would be invisible.
  const words = kind !== 'same' && text === '' ? '¶' : text
  if (kind === 'added') return <ins>{words}</ins>
  if (kind === 'removed') return <del>{words}</del>
  return <>{words}</>
}

const kindOf = ({ changed, line }: Row): string => (line === undefined ? 'gone' : changed ? 'changed' : '')

function Line({ row, first }: { row: Row; first: boolean }): JSX.Element {
  return (
    <div class={`row ${kindOf(row)}`} data-change={first ? '' : undefined} tabIndex={first ? -1 : undefined}>
      <span class='row-number' aria-hidden='true'>
        {row.line}
      </span>
      <span class='row-text' dir='auto'>
        {row.pieces.map((piece, index) => (
          <Words key={index} piece={piece} />
        ))}
      </span>
    </div>
  )
}

/** Maximum number of folded lines that one click shows. */
const unfoldedMax = 200

function Lines({ stretch }: { stretch: Stretch }): JSX.Element {
  const open = useSignal(stretch.folded ? 0 : stretch.rows.length)
  const hidden = stretch.rows.length - open.value
  return (
    <>
      {stretch.rows.slice(0, open.value).map((row, index) => (
        <Line key={index} row={row} first={row.begins} />
      ))}
      {hidden > 0 && (
        <button type='button' class='row-fold' onClick={() => (open.value = Math.min(stretch.rows.length, open.value + unfoldedMax))}>
          {tn(hidden, '1 line without changes', '{count} lines without changes')}
        </button>
      )}
    </>
  )
}

export function Changes({ comparison }: { comparison: Comparison }): JSX.Element {
  const parts = useMemo(() => stretches(comparison.rows), [comparison])
  return (
    <div class='rows'>
      {parts.map((stretch, index) => (
        <Lines key={`${comparison.rows.length} ${index}`} stretch={stretch} />
      ))}
    </div>
  )
}

/** The menu of a row, a column, or both: what can be done with the cell that the cursor is in. */
import type { Command, EditorView } from '@codemirror/view'
import { render, type JSX } from 'preact'
import { Pop, PopItem } from '../../components/pop.tsx'
import { t, term } from '../../text/t.ts'
import { addColumn, addRow, alignColumnTo, deleteColumn, deleteRow, moveColumn, moveRow, sortRows, tableAt } from '../tables.ts'
import { cellElement } from './geometry.ts'

type Item = readonly [title: string, run: Command]

const ofRow: readonly Item[] = [
  [term('Add row above'), addRow('above')],
  [term('Add row below'), addRow('below')],
  [term('Move row up'), moveRow(-1)],
  [term('Move row down'), moveRow(1)],
  [term('Delete row'), deleteRow]
]

const ofColumn: readonly Item[] = [
  [term('Sort by this column'), sortRows(false)],
  [term('Sort by this column, last first'), sortRows(true)],
  [term('Align column left'), alignColumnTo('left')],
  [term('Align column center'), alignColumnTo('center')],
  [term('Align column right'), alignColumnTo('right')],
  [term('Add column before'), addColumn('before')],
  [term('Add column after'), addColumn('after')],
  [term('Move column left'), moveColumn(-1)],
  [term('Move column right'), moveColumn(1)],
  [term('Delete column'), deleteColumn]
]

/** What cannot be done where the cursor is: the head stays where it is, and nothing goes beyond the edges. */
function isIdle(view: EditorView, title: string): boolean {
  const place = tableAt(view.state)
  if (place === undefined) return true
  const { number } = place.row.line
  const isHead = number <= place.first + 1
  if (title === 'Add row above' || title === 'Delete row') return isHead
  if (title === 'Move row up') return isHead || number === place.first + 2
  if (title === 'Move row down') return isHead || number === place.last
  if (title === 'Move column left') return place.column === 0
  if (title === 'Move column right') return place.column >= place.row.cells.length - 1
  return false
}

interface MenuInput {
  readonly view: EditorView
  readonly items: readonly Item[]
  readonly label: string
  readonly anchor: HTMLElement
  readonly onClose: () => void
}

const Menu = ({ view, items, label, anchor, onClose }: MenuInput): JSX.Element => (
  <Pop label={label} anchor={anchor} onClose={onClose}>
    {items.map(([title, run]) => (
      <PopItem key={title} disabled={isIdle(view, title)} onChoose={() => run(view)}>
        {t(title)}
      </PopItem>
    ))}
  </Pop>
)

/** Opens the menu beside `anchor`, for the cell of the cursor. The text has the focus again when it closes. */
export function openMenu(view: EditorView, of: 'row' | 'column' | 'both', anchor: HTMLElement): void {
  const root = document.createElement('div')
  root.className = 'grid-menu'
  ;(view.dom.closest('.paper') ?? document.body).append(root)
  const items = of === 'row' ? ofRow : of === 'column' ? ofColumn : [...ofRow, ...ofColumn]
  const label = of === 'row' ? t('Row') : of === 'column' ? t('Column') : t('Rows and columns')
  const close = (): void => {
    // What was chosen is done first: it follows the closing.
    setTimeout(() => {
      render(null, root)
      root.remove()
      view.focus()
    })
  }
  render(<Menu view={view} items={items} label={label} anchor={anchor} onClose={close} />, root)
}

export function openTableMenu(view: EditorView): void {
  const cell = cellElement(view, view.state.selection.main.head)
  openMenu(view, 'both', cell ?? view.contentDOM)
}

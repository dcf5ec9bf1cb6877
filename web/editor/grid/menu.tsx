/** The menu of a row, of a column, or of both. Its actions apply to the cell of the caret. */
import type { Command, EditorView } from '@codemirror/view'
import { render, type JSX } from 'preact'
import { Pop, PopItem } from '../../ui/pop.tsx'
import { t, term } from '../../text/t.ts'
import { alignColumnTo, columnStep, deleteRow, moveColumn, moveRow, sortRows } from '../table-moves.ts'
import { addColumn, addRow, deleteColumn, tableAt, type TablePosition } from '../tables.ts'
import { cellElement } from '../table-geometry.ts'

interface Item {
  readonly title: string
  readonly run: Command
  /** Whether the command has no effect at the caret. The head row cannot move, and nothing moves beyond the edges. */
  readonly isIdle?: (position: TablePosition, view: EditorView) => boolean
}

const isHead = ({ row, first }: TablePosition): boolean => row.line.number <= first + 1

const isAtEdge =
  (side: 1 | -1) =>
  ({ row, column }: TablePosition, view: EditorView): boolean => {
    const to = column + columnStep(view, side)
    return to < 0 || to >= row.cells.length
  }

const ofRow: readonly Item[] = [
  { title: term('Add row above'), run: addRow('above'), isIdle: isHead },
  { title: term('Add row below'), run: addRow('below') },
  { title: term('Move row up'), run: moveRow(-1), isIdle: (position) => position.row.line.number <= position.first + 2 },
  { title: term('Move row down'), run: moveRow(1), isIdle: (position) => isHead(position) || position.row.line.number === position.last },
  { title: term('Delete row'), run: deleteRow, isIdle: isHead }
]

const ofColumn: readonly Item[] = [
  { title: term('Sort A to Z'), run: sortRows(false) },
  { title: term('Sort Z to A'), run: sortRows(true) },
  { title: term('Align column left'), run: alignColumnTo('left') },
  { title: term('Align column center'), run: alignColumnTo('center') },
  { title: term('Align column right'), run: alignColumnTo('right') },
  { title: term('Add column before'), run: addColumn('before') },
  { title: term('Add column after'), run: addColumn('after') },
  { title: term('Move column left'), run: moveColumn(-1), isIdle: isAtEdge(-1) },
  { title: term('Move column right'), run: moveColumn(1), isIdle: isAtEdge(1) },
  { title: term('Delete column'), run: deleteColumn }
]

function isPossible(view: EditorView, { isIdle }: Item): boolean {
  const position = tableAt(view.state)
  return position !== undefined && isIdle?.(position, view) !== true
}

/** Runs a command. The next letter must not replace the row that its handle selected. */
function runOn(view: EditorView, run: Command): void {
  run(view)
  const { main } = view.state.selection
  if (!main.empty) view.dispatch({ selection: { anchor: main.head } })
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
    {items.map((item) => (
      <PopItem key={item.title} disabled={!isPossible(view, item)} onChoose={() => runOn(view, item.run)}>
        {t(item.title)}
      </PopItem>
    ))}
  </Pop>
)

/** Opens the menu for the cell of the caret, next to `anchor`. When the menu closes, the focus returns to the text. */
export function openMenu(view: EditorView, of: 'row' | 'column' | 'both', anchor: HTMLElement): void {
  const root = document.createElement('div')
  root.className = 'grid-menu'
  ;(view.dom.closest('.paper') ?? document.body).append(root)
  const items = of === 'row' ? ofRow : of === 'column' ? ofColumn : [...ofRow, ...ofColumn]
  const label = of === 'row' ? t('Row') : of === 'column' ? t('Column') : t('Rows and columns')
  const close = (): void => {
    // The chosen action runs right after the menu closes, so this waits until the action is done.
    setTimeout(() => {
      render(null, root)
      root.remove()
      view.focus()
    })
  }
  root.addEventListener('keydown', (event) => {
    if (of !== 'row' || (event.key !== 'Backspace' && event.key !== 'Delete')) return
    // The text gets the focus back before the browser would handle the key.
    event.preventDefault()
    root.querySelector<HTMLElement>('[popover]')?.hidePopover()
    runOn(view, deleteRow)
  })
  render(<Menu view={view} items={items} label={label} anchor={anchor} onClose={close} />, root)
}

export function openTableMenu(view: EditorView): void {
  const cell = cellElement(view, view.state.selection.main.head)
  openMenu(view, 'both', cell ?? view.contentDOM)
}

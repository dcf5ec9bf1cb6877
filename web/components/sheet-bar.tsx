/** The bar above a sheet. It shows the selected cells and their formula, or the cells that the person selects for another component. */
import type { JSX } from 'preact'
import { cornersOf, isSame, rangeName, textAt } from '../../shared/components/cell-range.ts'
import { locale, t } from '../text/t.ts'
import { CellField } from './sheet-grid.tsx'
import type { SheetModel, SheetPartInput } from './sheet-model.ts'
import type { Picker } from './sheets-around.ts'
import { shownNumber } from './shown-number.ts'

/** Shows the name of the selected cells, and the first of them with its formula and its error. While the person selects cells for a formula of another sheet, it shows that formula. */
export function SheetBar({ input, model }: SheetPartInput): JSX.Element {
  const picker = input.around.picker.value
  return picker !== undefined && picker.sheet.value === input.sheetIndex.value ? (
    <PickBar picker={picker} input={input} model={model} />
  ) : (
    <CellBar input={input} model={model} />
  )
}

/** Shows what the person is selecting cells for. */
function PickBar({ picker, input, model: { session } }: SheetPartInput & { readonly picker: Picker }): JSX.Element {
  const range = { sheet: input.sheetIndex.value, ...cornersOf(session.area.value) }
  const isOne = isSame(range.one, range.other)
  return (
    <div class='sheet-bar sheet-pick'>
      <span class='sheet-name' dir='auto'>
        {t('Select the data for {name}', { name: picker.name })}
      </span>
      <button type='button' class='frame-button primary' disabled={isOne} onClick={() => picker.take(range)}>
        {t('Use {cells}', { cells: rangeName(range) })}
      </button>
      <button type='button' class='frame-button' onClick={() => picker.cancel()}>
        {t('Cancel')}
      </button>
    </div>
  )
}

/** Shows the text of the selected cell. A press opens the cell, with the caret at the end of its text. */
function FormulaLine({ model: { table, cells, session } }: { readonly model: SheetModel }): JSX.Element {
  const at = session.at.value
  const edited = session.begun.value
  const isWritten = edited?.row === at.row && edited.column === at.column
  const text = textAt(table.value, at)
  const isNumber = cells.grid.value[at.row]?.[at.column]?.isNumber === true && !text.startsWith('=')
  return (
    <code class='sheet-formula' dir='auto' onClick={() => void session.dispatch({ kind: 'edit', place: at })}>
      {isWritten ? session.draft.value.text : isNumber ? shownNumber(text, locale) : text}
    </code>
  )
}

function CellBar({ input, model }: SheetPartInput): JSX.Element {
  const { table, cells, session, menu } = model
  const { around, sheetIndex } = input
  const at = session.at.value
  // While a person rewrites the formula, its error is that of the old one.
  const isRewritten = session.begun.value !== undefined && session.draft.value.text !== textAt(table.value, at)
  const fault = isRewritten ? undefined : cells.grid.value[at.row]?.[at.column]?.error
  const writer = around.pointed.value?.sheet === sheetIndex.value ? around.writer.value : undefined
  if (writer !== undefined && writer.sheet.value !== sheetIndex.value)
    return (
      <div class='sheet-bar sheet-writer'>
        <span class='sheet-name'>{writer.name()}</span>
        <CellField label={writer.name()} on={sheetIndex.value} actions={writer.actions} />
      </div>
    )
  return (
    <div class='sheet-bar'>
      <span class='sheet-name'>{rangeName(cornersOf(session.area.value))}</span>
      <FormulaLine model={model} />
      {fault !== undefined && <span class='sheet-fault'>{fault}</span>}
      <button
        type='button'
        class='frame-button'
        disabled={input.refusal.value !== undefined}
        aria-haspopup='menu'
        onClick={({ currentTarget }) => (menu.value = currentTarget)}
      >
        {t('Rows and columns')}
      </button>
    </div>
  )
}

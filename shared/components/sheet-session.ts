/**
 * A person's session in a sheet, as pure functions. It contains the selected cells, the cell that is being edited, and the cells that are selected
 * for its formula. web/components/sheet-session.ts connects the session to the page. sheet-state.ts has the types. Other people may change the sheets
 * at any time. The meaning of each key is in sheet-keys.ts.
 */
import { editCell, ended, keepText, fieldStep, unsavedText } from './sheet-field.ts'
import { selected, selectedWhole, changeShape, clearCells, pasteCells, pressCell, carryOutInGrid } from './sheet-grid.ts'
import { pickingKey, selectingKey } from './sheet-keys.ts'
import { keepReference } from './sheet-pointing.ts'
import { extend, focusedAt, go, goOn, goWhole } from './sheet-selection.ts'
import { type SheetState, noStep, type SheetWorld, type SheetEvent, type SheetOutcome, shownOn } from './sheet-state.ts'

/** Returns an event's outcome: the next state, and the page's actions. */
export function sheetStep(state: SheetState, event: SheetEvent, world: SheetWorld): SheetOutcome {
  const { selection, pointing } = state
  const { table, mayChange, isPicking } = world
  switch (event.kind) {
    case 'go':
      return selected(state, go(selection, table, event.place, event.isRange))
    case 'press':
      return pressCell(state, world, event)
    case 'head':
      return selectedWhole(state, world, goWhole(selection, table, event.axis, event.index, event.isRange))
    case 'over':
      return selectedWhole(state, world, extend(selection, table, event.place))
    case 'focused':
      return { state: { ...state, selection: focusedAt(selection, event.place) } }
    case 'key': {
      const command = state.begun !== undefined ? undefined : isPicking ? pickingKey(event.key) : selectingKey(event.key, mayChange)
      return command === undefined ? { state } : carryOutInGrid(state, world, command)
    }
    case 'clear':
      return clearCells(state, world, event.area)
    case 'fill':
      return carryOutInGrid(state, world, event)
    case 'shape':
      return changeShape(state, world, event.change)
    case 'paste':
      return pasteCells(state, world, event)
    case 'edit':
      return isPicking ? { state } : editCell(state, world, event.place)
    case 'begin': {
      const opened = editCell(state, world, noStep)
      return opened.hold === undefined ? opened : { ...opened, state: { ...opened.state, draft: { ...opened.state.draft, from: 0 } } }
    }
    case 'entered': {
      if (isPicking || state.begun !== undefined) return { state }
      const opened = carryOutInGrid(state, world, { kind: 'edit', text: event.typed.text })
      return { ...opened, state: { ...opened.state, draft: event.typed } }
    }
    case 'keep reference':
      return { state: { ...state, pointing: keepReference(pointing, world.index) } }
    case 'go on': {
      const { place, step, isWritten } = event
      return {
        ...selected(state, goOn(selection, table, place, step, isWritten)),
        ...(event.isElsewhere && { action: { kind: 'go back' } })
      }
    }
    case 'keep':
      return keepText(state, event.whose)
    case 'close gone':
      return { state: { ...state, gone: state.gone.filter((_, index) => index !== event.index) }, focus: true }
    case 'leave':
      return { state: ended(state), lost: unsavedText(state, world), ...(state.begun !== undefined && { hold: null }) }
    default: {
      // If another sheet shows the field now, the person has not left the field.
      const isUnknown = state.begun === undefined || (event.kind === 'left' && event.on !== shownOn(state, world))
      return isUnknown ? { state } : fieldStep({ ...state, draft: event.draft }, event, world)
    }
  }
}

/** The editor extras for the handles of tables, for rows that are selected by them, and for copied and pressed cells. They are a separate chunk, which loads together with the others. */
import { copyCells } from '../grid/copy-cells.ts'
import { gridHandles } from '../grid/handles.ts'
import { pressCells } from '../grid/press-cells.ts'
import { rowSelection } from '../grid/row-selection.ts'
import type { Typing } from './typing.ts'

export const tableExtras: Typing = { always: [], live: [gridHandles, rowSelection, copyCells, pressCells] }

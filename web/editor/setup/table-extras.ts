/** The editor extras for the handles of tables, for rows that are selected by them, for copied and pressed cells, and for new links without an address. They are a separate chunk, which loads together with the others. */
import { emptyLinks } from '../empty-links.ts'
import { copyCells } from '../grid/copy-cells.ts'
import { gridHandles } from '../grid/handles.ts'
import { pressCells } from '../grid/press-cells.ts'
import { rowSelection } from '../grid/row-selection.ts'
import type { Typing } from './typing.ts'

export const tableExtras: Typing = { always: [emptyLinks], live: [gridHandles, rowSelection, copyCells, pressCells] }

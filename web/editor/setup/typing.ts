/** The editor extras that change the effect of keys and typed letters, and select and change pictures. They are a separate chunk, which loads together with the others. */
import type { Extension } from '@codemirror/state'
import { blockKeys } from '../block-keys.ts'
import { formatEnds } from '../caret-formats.ts'
import { deleteInFormats } from '../delete-in-formats.ts'
import { emptyMarks } from '../empty-marks.ts'
import { typeBelow } from '../grid/below.ts'
import { copiedFormats } from '../copied-formats.ts'
import { cellEdges } from '../grid/edges.ts'
import { outerBars } from '../grid/outer-bars.ts'
import { pressBelow } from '../grid/press-below.ts'
import { typeInCell } from '../grid/type-in-cell.ts'
import { barInCell, typedRows } from '../grid/typed-bars.ts'
import { itemSpaces } from '../join-blocks.ts'
import { keepFormats } from '../keep-formats.ts'
import { lineWords, linkOfWords } from '../line-words.ts'
import { belowCollapsible } from '../below-collapsible.ts'
import { collapsibleCaret } from '../live/collapsible-caret.ts'
import { pictureCard } from '../live/picture-card.ts'
import { pictureChosen } from '../live/picture-chosen.ts'
import { pictureHandles } from '../live/picture-handles.ts'
import { pictureReplaced } from '../live/picture-replaced.ts'
import { marking } from '../mark-blocks.ts'
import { ownParagraph } from '../own-paragraph.ts'
import { typedMarks } from '../typed-marks.ts'

export interface Typing {
  readonly always: Extension
  readonly live: Extension
}

export const typing: Typing = {
  always: [typedRows, marking, linkOfWords, blockKeys, typedMarks],
  live: [
    pictureCard,
    pictureChosen,
    pictureHandles,
    pictureReplaced,
    cellEdges,
    pressBelow,
    typeBelow,
    belowCollapsible,
    ownParagraph,
    collapsibleCaret,
    outerBars,
    typeInCell,
    barInCell,
    lineWords,
    deleteInFormats,
    emptyMarks,
    keepFormats,
    copiedFormats,
    formatEnds,
    itemSpaces
  ]
}

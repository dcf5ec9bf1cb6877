/** The component kinds of a page, one entry each, as commands and labels name them. components/kind-parts.ts has the parts that load later. */
import type { FenceKind } from '../../shared/fences/fences.ts'
import { term } from '../text/t.ts'
import type { IconName } from './icons.tsx'

interface Kind {
  /** A term. */
  readonly name: string
  /** A term: more search words for the command that inserts one. */
  readonly words: string
  readonly icon: IconName
}

export const kinds: Readonly<Record<FenceKind, Kind>> = {
  board: {
    name: term('Board'),
    words: term('cards columns kanban tasks'),
    icon: 'columns'
  },
  chat: {
    name: term('Chat'),
    words: term('messages talk discussion'),
    icon: 'message'
  },
  sheet: {
    name: term('Sheet'),
    words: term('spreadsheet formulas cells'),
    icon: 'table'
  },
  chart: {
    name: term('Chart'),
    words: term('bars lines pie numbers graph'),
    icon: 'chart'
  },
  widget: {
    name: term('Widget'),
    words: term('HTML script calculator program page'),
    icon: 'code'
  }
}

/** The kinds of component on a page, as commands and labels name them: one entry each. components/kind-parts.ts has what comes later. */
import type { FenceKind } from '../../shared/fences/fences.ts'
import { term } from '../text/t.ts'
import type { IconName } from './icons.tsx'

interface Kind {
  /** A term. */
  readonly name: string
  /** A term: words by which the command that inserts one is found, too. */
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

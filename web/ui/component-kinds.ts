/** The kinds of components, with the names that commands and labels use. The parts that load later are in components/kind-parts.ts. */
import type { FenceKind } from '../../shared/fences/fences.ts'
import { term } from '../text/t.ts'
import type { IconName } from './icons.tsx'

interface Kind {
  /** The name of the kind, which is translated when drawn. */
  readonly name: string
  /** More words with which a search finds the command that inserts this kind. They are translated. */
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

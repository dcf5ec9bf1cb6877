/** What draws each kind of component, fetched with the first of its kind. Kinds that are not here show their source. */
import type { Fence, FenceKind } from '../../shared/fences/fences.ts'
import { t, term } from '../text/t.ts'
import type { Body } from './input.ts'

interface Kind {
  /** A term. */
  readonly name: string
  load(): Promise<Body>
}

export const kinds: Readonly<Partial<Record<FenceKind, Kind>>> = {
  board: { name: term('Board'), load: async () => (await import('./board.tsx')).Board },
  chat: { name: term('Chat'), load: async () => (await import('./chat.tsx')).Chat },
  sheet: { name: term('Sheet'), load: async () => (await import('./sheet.tsx')).Sheet },
  chart: { name: term('Chart'), load: async () => (await import('./chart.tsx')).Chart },
  widget: { name: term('Widget'), load: async () => (await import('./widget.tsx')).Widget }
}

export const kindOf = (name: string): Kind | undefined => kinds[name as FenceKind]

/** Said of a fence that is not closed: all of the text below is part of it. */
export const unclosedWords = ({ source, mark }: Fence): string =>
  t('Not closed. End it with a line of {mark}', { mark: source.slice(mark.from, mark.to) })

/** What draws each kind of component, fetched with the first of its kind. Kinds that are not here show their source. */
import type { FenceKind } from '../../shared/fences/fences.ts'
import { t, term } from '../text/t.ts'
import type { Body } from './input.ts'

interface Kind {
  /** A term. */
  readonly name: string
  load(): Promise<Body>
  /** Does something for who may not change it as well. */
  readonly forReaders?: true
}

export const kinds: Readonly<Partial<Record<FenceKind, Kind>>> = {
  board: { name: term('Board'), load: async () => (await import('./board.tsx')).Board },
  chat: { name: term('Chat'), load: async () => (await import('./chat.tsx')).Chat },
  sheet: { name: term('Sheet'), load: async () => (await import('./sheet.tsx')).Sheet },
  chart: { name: term('Chart'), load: async () => (await import('./chart.tsx')).Chart, forReaders: true },
  widget: { name: term('Widget'), load: async () => (await import('./widget.tsx')).Widget, forReaders: true }
}

export const kindOf = (name: string): Kind | undefined => kinds[name as FenceKind]

/** Whether a kind is worked with in the reading view, where other text stands as it is rendered. */
export const isLive = (name: string, mayChange: boolean): boolean =>
  kindOf(name) !== undefined && (mayChange || kindOf(name)?.forReaders === true)

/** What a component is called: its title or its id behind what it is. */
export const nameOf = (kind: string, title: string | undefined): string => {
  const name = t(kindOf(kind)?.name ?? '')
  return title === undefined || title === '' ? name : `${name}: ${title}`
}

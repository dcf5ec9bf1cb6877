/** What draws each kind of component, fetched with the first of its kind. Kinds that are not here show their source. */
import type { FenceKind } from '../../shared/fences/fences.ts'
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
  sheet: { name: term('Sheet'), load: async () => (await import('./sheet.tsx')).Sheet }
}

export const kindOf = (name: string): Kind | undefined => kinds[name as FenceKind]

/** What a component is called: its title or its id behind what it is. */
export const nameOf = (kind: string, title: string | undefined): string => {
  const name = t(kindOf(kind)?.name ?? '')
  return title === undefined || title === '' ? name : `${name}: ${title}`
}

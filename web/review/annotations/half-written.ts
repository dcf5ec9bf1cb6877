/**
 * Half-written replies to comments and suggestions, and half-written edits of comments. A card with such text stays in place, no matter who resolves the
 * comment or decides the suggestion. The text survives a reload of this tab, but not closing it.
 */
import { signal, type ReadonlySignal } from '@preact/signals'
import { documentValue } from '../../device/device.ts'
import { tabStorage } from '../../device/values.ts'

export const kindsOfWriting = ['reply', 'edit'] as const
type Writing = (typeof kindsOfWriting)[number]

export interface HalfWritten {
  /** Ids of the items that have half-written text. */
  readonly ids: ReadonlySignal<ReadonlySet<string>>
  /** Returns the text typed so far, or '' if there is none. */
  textOf(kind: Writing, id: string): string
  /** Notes the text typed so far. Empty text removes it. */
  write(kind: Writing, id: string, text: string): void
  /** Called when the service has given an item its id. */
  renamed(from: string, to: string): void
}

/** Maximum number of half-written replies and edits that are stored. If there are more, the oldest ones exist only on this page. */
const storedMax = 50

/** Reads the stored text. A browser may refuse storage at any time, and the stored value may be anything. */
function read(storage: () => Storage, name: string): Map<string, string> {
  try {
    const value: unknown = JSON.parse(storage().getItem(name) ?? '[]')
    const pairs = Array.isArray(value) ? (value as readonly unknown[]).slice(0, storedMax) : []
    const isPair = (pair: unknown): pair is [string, string] =>
      Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
    return new Map(pairs.filter(isPair))
  } catch {
    return new Map()
  }
}

const store = (storage: () => Storage, name: string, texts: ReadonlyMap<string, string>): void => {
  try {
    if (texts.size === 0) storage().removeItem(name)
    else storage().setItem(name, JSON.stringify([...texts].slice(-storedMax)))
  } catch {
    // Without storage, only this page has the text.
  }
}

const keyOf = (kind: Writing, id: string): string => `${kind} ${id}`
const idsOf = (texts: ReadonlyMap<string, string>): Set<string> => new Set([...texts.keys()].map((key) => key.slice(key.indexOf(' ') + 1)))

/** Returns the text that somebody was typing before a reload, and stores later typing. */
export function openHalfWritten(doc: string, storage = tabStorage): HalfWritten {
  const name = documentValue('replies', doc)
  const texts = read(storage, name)
  const ids = signal<ReadonlySet<string>>(idsOf(texts))
  const changed = (): void => {
    store(storage, name, texts)
    const next = idsOf(texts)
    const known = ids.peek()
    // Most letters do not change the ids, so the cards need not be drawn again.
    if (next.size !== known.size || [...next].some((id) => !known.has(id))) ids.value = next
  }
  return {
    ids,
    textOf: (kind, id) => texts.get(keyOf(kind, id)) ?? '',
    write(kind, id, text) {
      if (text.trim() === '') texts.delete(keyOf(kind, id))
      else texts.set(keyOf(kind, id), text)
      changed()
    },
    renamed(from, to) {
      for (const kind of kindsOfWriting) {
        const text = texts.get(keyOf(kind, from))
        if (text === undefined) continue
        texts.delete(keyOf(kind, from))
        texts.set(keyOf(kind, to), text)
      }
      changed()
    }
  }
}

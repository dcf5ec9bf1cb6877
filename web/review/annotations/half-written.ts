/**
 * Half-written replies to comments and suggestions, and half-written edits of comments and replies. A card with such text stays in place, no matter who resolves the
 * comment or decides the suggestion. The text survives a reload of this tab, but not closing it.
 */
import { signal, type ReadonlySignal } from '@preact/signals'
import { documentValue } from '../../device/device.ts'
import { tabStorage } from '../../device/values.ts'

type EditOfReply = `edit-${string}`
/** A reply, the edit of a comment, or the edit of a reply. */
export type Writing = 'reply' | 'edit' | EditOfReply

/** Returns the kind of text for the edit of a reply. */
export const editOf = (reply: string): EditOfReply => `edit-${reply}`

export interface HalfWritten {
  /** Ids of the items that have half-written text. */
  readonly ids: ReadonlySignal<ReadonlySet<string>>
  /** Returns the text typed so far, or '' if there is none. */
  textOf(kind: Writing, id: string): string
  /** Notes the text typed so far. Empty text removes it. */
  write(kind: Writing, id: string, text: string): void
  /** Returns the ids of the replies to an item that have half-written edits. */
  editedReplies(id: string): readonly string[]
  /** Removes all text of an item and returns it. */
  take(id: string): readonly string[]
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

const keyOf = (kind: string, id: string): string => `${kind} ${id}`
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
  /** Returns the kinds of text that an item has. */
  const kindsOf = (id: string): string[] =>
    [...texts.keys()].filter((key) => key.endsWith(` ${id}`)).map((key) => key.split(' ', 1)[0] ?? '')
  const take = (id: string): (readonly [kind: string, text: string])[] =>
    kindsOf(id).map((kind) => {
      const key = keyOf(kind, id)
      const text = texts.get(key) ?? ''
      texts.delete(key)
      return [kind, text]
    })
  return {
    ids,
    editedReplies: (id) => kindsOf(id).flatMap((kind) => (kind.startsWith('edit-') ? kind.slice('edit-'.length) : [])),
    take(id) {
      const taken = take(id)
      changed()
      return taken.map(([, text]) => text)
    },
    textOf: (kind, id) => texts.get(keyOf(kind, id)) ?? '',
    write(kind, id, text) {
      if (text.trim() === '') texts.delete(keyOf(kind, id))
      else texts.set(keyOf(kind, id), text)
      changed()
    },
    renamed(from, to) {
      for (const [kind, text] of take(from)) texts.set(keyOf(kind, to), text)
      changed()
    }
  }
}

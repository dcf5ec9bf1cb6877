/**
 * The text of the comment or suggestion that an event concerns. The event does not store this text. The service looks it up when the event is read,
 * so the text is current. Deleting a comment also removes its text from the feed.
 */
import type { EventFields, EventWords } from '../../../shared/events.ts'
import { limits } from '../../../shared/limits.ts'
import { type Comment, decodeRecord, keys, type Reply, type StoredEvent, type Suggestion } from '../records/keys.ts'
import type { Key, Storage } from '../ports.ts'

const charsMax = { body: limits.eventBodyUnitsMax, quote: limits.eventQuoteUnitsMax, replacement: limits.eventBodyUnitsMax } as const

/** Returns the beginning of the text without cutting a character in half. */
export const beginning = (text: string, max: number): string => {
  if (text.length <= max) return text
  return text.slice(0, max - Number(/[\uD800-\uDBFF]/.test(text[max - 1] ?? '')))
}

const within = (texts: Readonly<Record<keyof typeof charsMax, string | undefined>>): EventWords => {
  const names = Object.keys(charsMax) as (keyof typeof charsMax)[]
  const given = names.flatMap((name) => (texts[name] === undefined ? [] : [[name, texts[name]] as const]))
  const cut = given.filter(([name, text]) => text.length > charsMax[name]).map(([name]) => name)
  return { ...Object.fromEntries(given.map(([name, text]) => [name, beginning(text, charsMax[name])])), ...(cut.length > 0 && { cut }) }
}

const replyIn = (replies: readonly Reply[] | undefined, id: unknown): string | undefined => replies?.find((reply) => reply.id === id)?.body

const someText = (text: string): string | undefined => (text === '' ? undefined : text)

const record = async <T>(storage: Storage, key: Key): Promise<T | undefined> => {
  const entry = await storage.get(key)
  return entry && decodeRecord<T>(entry.value)
}

/** Whether an event concerns a comment or suggestion. */
const tellsOfAnnotation = ({ kind }: StoredEvent): boolean => kind.startsWith('comment.') || kind.startsWith('suggestion.')

/** Returns the text that one event concerns. Throws `storage_*`. */
export const wordsOf = async (storage: Storage, doc: string, event: StoredEvent): Promise<EventWords> => {
  const { commentId, suggestionId, replyId }: EventFields = event.payload
  if (!tellsOfAnnotation(event)) return {}
  if (typeof commentId === 'string') {
    const comment = await record<Comment>(storage, keys.comment(doc, commentId))
    if (comment === undefined) return {}
    const body = replyId === undefined ? comment.body : replyIn(comment.replies, replyId)
    return within({ body, quote: someText(comment.target.quote), replacement: undefined })
  }
  if (typeof suggestionId !== 'string') return {}
  const suggestion = await record<Suggestion>(storage, keys.suggestion(doc, suggestionId))
  if (suggestion === undefined) return {}
  const { original, text, note, operation, replies } = suggestion
  const body = replyId === undefined ? (note ?? undefined) : replyIn(replies, replyId)
  return within({ body, quote: someText(original), replacement: operation === 'delete' ? undefined : text })
}

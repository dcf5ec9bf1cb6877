/**
 * The characters of the annotations in messages. A message may arrive before or after a change to the text, and this page may have changes that the
 * service lacks. The offsets in the message would then belong to other characters.
 */
import type { LiveMessage } from '../../../shared/live-protocol.ts'
import type { CharacterPosition, Quoted } from '../../../shared/text/characters.ts'

/** By the object that is new whenever the service reports a position: a suggestion, or the anchor of a comment. */
const named = new WeakMap<object, Quoted>()

/** Notes the characters in a message, if it has any. */
export function notePlace(message: LiveMessage): void {
  if (message.type === 'suggestion') note(message.suggestion, message.suggestion.original, message.place)
  if (message.type === 'comment') note(message.comment.anchor, message.comment.target.quote, message.place)
}

function note(reported: object | null, quote: string, place: CharacterPosition | undefined): void {
  if (reported === null || place === undefined) return
  const units = place.spans.reduce((sum, each, index) => (index % 3 === 2 ? sum + each : sum), 0)
  // If the text has changed, the quote is not that of these characters. Then each of them counts as text.
  named.set(reported, { place, quote: quote.length === units ? quote : 'x'.repeat(units) })
}

/** Returns the characters of a suggestion, or of the anchor of a comment. Undefined if no message had them. */
export const placeOf = (reported: unknown): Quoted | undefined =>
  typeof reported === 'object' && reported !== null ? named.get(reported) : undefined

/** Emoji in the field of a chat message. They complete as they do in the text. */
import { emoji, emojiAtEnd, typedEmoji } from '../../shared/markdown/emoji.ts'
import type { Offer } from '../presence/mention-picker.tsx'

/** Maximum number of emoji that are shown at once. */
const shownMax = 6
/** Fewest letters that open the list. Enter after a smiley such as `:p` must send the message. */
const lettersMin = 2

/** Returns the emoji whose names match the letters after a colon. Names that begin with these letters come first. */
export function emojiLike(before: string): readonly Offer[] {
  const typed = typedEmoji(before)
  if (typed === undefined || typed.length < lettersMin) return []
  const starts = emoji.filter(([name]) => name.startsWith(typed))
  const others = emoji.filter(([name]) => !name.startsWith(typed) && name.includes(typed))
  return [...starts, ...others]
    .slice(0, shownMax)
    .map(([name, sign]) => ({ label: `${sign} ${name}`, text: sign, length: typed.length + 1 }))
}

/** Replaces an emoji name with the emoji when its closing colon has been typed into a field. */
export function closeEmoji(field: HTMLTextAreaElement): void {
  const { value, selectionStart: end } = field
  const found = value[end - 1] === ':' ? emojiAtEnd(value.slice(0, end - 1)) : undefined
  if (found !== undefined) field.setRangeText(found.sign, end - found.name.length - 2, end, 'end')
}

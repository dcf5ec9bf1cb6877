/** The beginning of a text, without putting all of it together. */
import { ContentString, type Text } from 'yjs'

/** At least so many UTF-16 units of a text, or all there are. */
export function beginning(text: Text, units: number): string {
  let head = ''
  for (let item = text._start; item !== null && head.length < units; item = item.right) {
    if (!item.deleted && item.content instanceof ContentString) head += item.content.str
  }
  return head
}

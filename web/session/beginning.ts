/** Returns the beginning of the text without reading all of it. */
import { ContentString, type Text } from 'yjs'

/** Returns at least `units` UTF-16 units of the text, or all of it if it is shorter. */
export function beginning(text: Text, units: number): string {
  let head = ''
  for (let item = text._start; item !== null && head.length < units; item = item.right) {
    if (!item.deleted && item.content instanceof ContentString) head += item.content.str
  }
  return head
}

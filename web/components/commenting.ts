/** Begins a comment on a part of a component, for the menu of the part. */
import type { ComponentInput } from './input.ts'

/** Returns the function that begins a comment on a drawn part. Undefined while the person cannot comment. */
export function commenting({ page, focused }: ComponentInput): ((part: Element) => void) | undefined {
  const review = page.review.value
  if (review?.store.canComment.value !== true) return undefined
  return (part) => {
    focused(part)
    review.comment()
  }
}

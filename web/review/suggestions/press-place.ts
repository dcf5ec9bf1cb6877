/** Finds the suggestion that a press of the mouse or a finger aims at, and the place in it. */

/** Returns the suggested lines that are drawn below a line of the text, at the height of a point in the empty space beside them. */
function linesBeside(target: Element, { clientY }: MouseEvent): HTMLElement | undefined {
  const proposed = [...(target.closest('.cm-line')?.querySelectorAll<HTMLElement>('.rm-proposed') ?? [])]
  const isBeside = ({ width, top, bottom }: DOMRect): boolean => width > 0 && top <= clientY && clientY <= bottom
  return proposed.find((each) => each.textContent.startsWith('\n') && [...each.getClientRects()].some(isBeside))
}

/** Returns the drawn suggestion at a press. Undefined if there is none, or if the press brought it into the editor (resuming.ts). */
export function proposedAt(event: MouseEvent): HTMLElement | undefined {
  if (!(event.target instanceof Element) || !event.target.isConnected) return undefined
  return event.target.closest<HTMLElement>('.rm-proposed') ?? linesBeside(event.target, event)
}

/** Returns the number of characters of an element's text that are after a point of the screen. Zero if the point is not in the text. */
export function charactersAfter({ clientX, clientY }: MouseEvent, element: Element): number {
  const position = document.caretPositionFromPoint?.(clientX, clientY)
  const range = position === undefined ? document.caretRangeFromPoint(clientX, clientY) : undefined
  const node = position?.offsetNode ?? range?.startContainer
  if (!(node instanceof Text) || !element.contains(node)) return 0
  return Math.max(0, node.data.length - (position?.offset ?? range?.startOffset ?? 0))
}

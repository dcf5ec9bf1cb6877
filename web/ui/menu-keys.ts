/** Moves the focus among the entries of an open menu with the arrow keys, Home and End (ARIA menu). */

/** For each key, the index of the entry that it moves to. The index is -1 while no entry has the focus. */
const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (Math.max(at, 0) + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1
}

/** Handles a key that was pressed in a menu. Other keys keep their meaning. */
export function moveInMenu(event: KeyboardEvent, entries: readonly HTMLElement[]): void {
  const current = entries.findIndex((entry) => entry.matches(':focus'))
  const next = steps[event.key]?.(current, entries.length)
  if (next === undefined) return
  entries[next]?.focus()
  event.preventDefault()
  event.stopPropagation()
}

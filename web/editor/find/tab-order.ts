/** The order of Tab in the panel: the field for finding, the field for replacing, then the buttons. The second field is in the second row. */

/** Moves the focus with Tab or Shift+Tab while both fields are open. At both ends of the panel, the browser moves the focus. */
export function moveByTab(panel: HTMLElement, event: KeyboardEvent): void {
  const replacement = panel.querySelector<HTMLInputElement>('[name=replacement]')
  if (event.key !== 'Tab' || replacement === null) return
  const stops: HTMLElement[] = []
  for (const stop of panel.querySelectorAll<HTMLElement>('input, button:enabled')) {
    if (stop !== replacement) stops.push(stop)
    if (stop.matches('[main-field]')) stops.push(replacement)
  }
  const at = stops.findIndex((stop) => stop === event.target)
  const next = at < 0 ? undefined : stops[at + (event.shiftKey ? -1 : 1)]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
  if (next instanceof HTMLInputElement) next.select()
}

/** Returns the focused element, including one inside a component. */
export function activeElement(): Element | null {
  let found = document.activeElement
  while (found?.shadowRoot?.activeElement != null) found = found.shadowRoot.activeElement
  return found
}

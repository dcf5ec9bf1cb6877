/** Creates an icon from its path data, where Preact is not used. */
export function drawIcon(data: string): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const attributes = { viewBox: '0 0 24 24', width: '18', height: '18', class: 'icon menu-icon', 'aria-hidden': 'true' }
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'path')).setAttribute('d', data)
  return made
}

/** The script for published pages with diagrams. Without it, readers see the source of the diagrams. */
import { drawAllDiagrams, drawDiagrams, redrawDiagrams } from '../diagram/draw.ts'

drawDiagrams(document)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redrawDiagrams(document))

const hasSource = (): boolean => document.querySelector('figure.component-mermaid:not(.diagram)') !== null

// The browser does not wait for diagrams when it prints. Diagrams out of view are therefore drawn beforehand: when the pointer leaves the page for the
// browser's menu, when that menu takes the focus, and when Ctrl+P or Cmd+P is pressed.
const drawRest = (): void => {
  if (hasSource()) void drawAllDiagrams(document)
}
document.documentElement.addEventListener('mouseleave', drawRest, { once: true })
addEventListener('blur', drawRest, { once: true })

document.addEventListener('keydown', (event) => {
  const isPrint = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'p'
  if (!isPrint || !hasSource()) return
  event.preventDefault()
  void drawAllDiagrams(document).then(async () => {
    await Promise.allSettled([...document.querySelectorAll<HTMLImageElement>('.diagram-picture img')].map((picture) => picture.decode()))
    print()
  })
})

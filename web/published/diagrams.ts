/** The script for published pages with diagrams. Without it, readers see the source of the diagrams. */
import { drawAllDiagrams, drawDiagrams, redrawDiagrams } from '../diagram/draw.ts'

drawDiagrams(document)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redrawDiagrams(document))

// The browser prints immediately, so diagrams that are out of view are drawn first.
document.addEventListener('keydown', (event) => {
  const isPrint = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'p'
  if (!isPrint || document.querySelector('figure.component-mermaid:not(.diagram)') === null) return
  event.preventDefault()
  void drawAllDiagrams(document).then(async () => {
    await Promise.allSettled([...document.querySelectorAll<HTMLImageElement>('.diagram-picture img')].map((picture) => picture.decode()))
    print()
  })
})

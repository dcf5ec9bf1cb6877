/** The script for published pages with diagrams. Without it, readers see the source of the diagrams. */
import { drawDiagrams, redrawDiagrams } from '../diagram/draw.ts'

drawDiagrams(document)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redrawDiagrams(document))

/** The script for published pages with diagrams. Everything can be read without it. */
import { drawDiagrams, redrawDiagrams } from '../diagram/draw.ts'

drawDiagrams(document)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redrawDiagrams(document))
